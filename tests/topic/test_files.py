import pickle
from pathlib import Path

import pytest

from crawler.errors import SeedError, TopicError
from crawler.topic.files import THETA_PAGE, Topic, topic_names

TOPICS = Path(__file__).parents[2] / "topics"
SHIPPED = [
    "algorithms",
    "cloud-ops",
    "frontend",
    "java",
    "life-essays",
    "machine-learning",
    "mathematics",
    "security",
]

# content of the file, what the message must say
BAD = [
    ("title = 茶\nkeywords = []", "not valid TOML.*line 1"),
    ("seeds = ['https://a.example/'\n", "not valid TOML"),
    ("threshold = " + "9" * 5000, "not valid TOML"),
    ("texts = " + "[" * 5000, "not valid TOML"),
    ("", "'keywords', 'texts', 'pages', 'seeds' and 'description' are all missing; give one"),
    ("name = 'x'", "'keywords', 'texts', 'pages', 'seeds' and 'description' are all missing"),
    ("keyword = ['茶']", "'keyword' is not a key of topic files; use one of extends, replace, name, title"),
    ("name = ''\nkeywords = ['茶']", "'name' is ''; use letters"),
    ("name = '../茶'\nkeywords = ['茶']", "'name' is '../茶'; use letters"),
    ("title = 3\nkeywords = ['茶']", "'title' must be a string"),
    ("keywords = '茶'", "'keywords' must be a list of strings or a table"),
    ("keywords = []", "'keywords' is empty"),
    ("keywords = ['茶', '']", "'keywords' has a blank entry 2"),
    ("keywords = ['茶', 3]", "'keywords' must be a list of strings"),
    ("keywords = ['！？']", "'keywords' has '！？', which contains no letter"),
    ("[keywords]", "'keywords' is empty"),
    ("[keywords]\n' ' = 1", "'keywords' has a blank word"),
    ("[keywords]\n'茶' = 0", "'keywords' gives '茶' the weight 0; use a number above 0, at most 1"),
    ("[keywords]\n'茶' = 1.5", "the weight 1.5; use"),
    ("[keywords]\n'茶' = -1", "the weight -1; use"),
    ("[keywords]\n'茶' = nan", "the weight nan; use"),
    ("[keywords]\n'茶' = true", "the weight True; use"),
    ("[keywords]\n'茶' = 'much'", "the weight 'much'; use"),
    ("texts = '茶'", "'texts' must be a list of strings"),
    ("texts = []", "'texts' is empty"),
    ("pages = ['missing.html']", "'pages' names 'missing.html', but there is no file"),
    ("pages = ['../../../../etc/hostname']", "'pages' names '../../../../etc/hostname', which is not below"),
    ("pages = ['/etc/hostname']", "which is not below the topic file's folder"),
    ("dictionaries = ['missing.txt']\nkeywords = ['茶']", "'dictionaries' names 'missing.txt', but there is no file"),
    (
        "dictionaries = ['/etc/hostname']\nkeywords = ['茶']",
        "'dictionaries' names .* not below the topic file's folder",
    ),
    ("dictionaries = 'own.txt'\nkeywords = ['茶']", "'dictionaries' must be a list of strings"),
    ("pages = ['ftp://a.example/x']", "'pages' has 'ftp://a.example/x', which is not an http"),
    ("seeds = 'https://a.example/'", "'seeds' must be a list of strings"),
    ("seeds = []", "'seeds' is empty"),
    ("seeds = ['https://a.example/', 'b.example']", "'seeds', entry 2: 'b.example' is not an http"),
    ("seeds = ['ftp://a.example/']", "'seeds', entry 1: 'ftp://a.example/' is not an http"),
    ("keywords = ['茶']\nthreshold = 1.1", "'threshold' is 1.1; use a number from 0 to 1"),
    ("keywords = ['茶']\nthreshold = 1" + "0" * 400, "'threshold' is 10*; use a number from 0 to 1"),
    ("keywords = ['茶']\nthreshold = '0.3'", "'threshold' is '0.3'; use"),
    ("keywords = ['茶']\nthreshold = false", "'threshold' is False; use"),
    ("keywords = ['茶']\nlanguage = 'Chinese'", "'language' is 'Chinese'; use an ISO 639 code"),
    ("keywords = ['茶']\nbudget = 0", "'budget' is 0; use a whole number"),
    ("keywords = ['茶']\nbudget = 10.5", "'budget' is 10.5; use"),
    ("keywords = ['茶']\nbudget = true", "'budget' is True; use"),
    (
        "keywords = ['茶']\nallowed_hosts = ['https://a.example/x']",
        "'allowed_hosts' has 'https://.*such as 'a.example'",
    ),
    (
        "keywords = ['茶']\ndenied_hosts = ['a.example:80']",
        "'denied_hosts' has 'a.example:80', which is not a host name",
    ),
    ("keywords = ['茶']\ndenied_hosts = ['[::1']", "'denied_hosts' has '.*', which is not a host name"),
    ("keywords = ['茶']\ndenied_hosts = ['10.0.0.1/8']", "'denied_hosts' has '10.0.0.1/8', which is not a network"),
    ("keywords = ['茶']\nallowed_hosts = ['10.0.0.0/8']", "'allowed_hosts' has '10.0.0.0/8', which is not a host name"),
    ("keywords = ['茶']\ndenied_hosts = 'a.example'", "'denied_hosts' must be a list of strings"),
]


def write(directory: Path, content: str, name: str = "tea") -> Path:
    path = directory / f"{name}.toml"
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(("content", "message"), BAD)
def test_a_mistake_names_file_key_and_remedy(tmp_path: Path, content: str, message: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(TopicError, match=message) as caught:
        Topic.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tea.toml"
    path.write_bytes("keywords = ['茶']".encode("gb18030"))
    with pytest.raises(TopicError, match="not UTF-8 text; save it as UTF-8"):
        Topic.load(path)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(TopicError, match=r"unknown topic 'tea'; use one of algorithms, cloud-ops, .*security, or give"):
        Topic.load("tea", TOPICS)


def test_an_unknown_path_says_so(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match="no topic file"):
        Topic.load(tmp_path / "tea.toml")


def test_a_name_is_of_the_users_folder_or_of_the_bundled_topics(tmp_path: Path) -> None:
    """What is learned of a bundled one is kept in the user's folder: the program's may be read-only."""
    bundled = Topic.load("java", tmp_path / "mine")
    assert (bundled.path.parent, bundled.learned_path) == (TOPICS, tmp_path / "mine" / "java.learned.json")
    (tmp_path / "java.toml").write_text("keywords = ['咖啡']", encoding="utf-8")
    own = Topic.load("java", tmp_path)
    assert (own.keywords, own.learned_path) == ({"咖啡": 1.0}, tmp_path / "java.learned.json")


def test_the_eight_topics_are_shipped() -> None:
    assert topic_names(TOPICS) == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_topic_describes_itself(name: str) -> None:
    topic = Topic.load(name, TOPICS)
    assert topic.name == name
    assert topic.title
    assert topic.description
    assert 40 <= len(topic.keywords) <= 120
    assert 3 <= len(topic.texts) <= 6
    assert all(150 <= len(text) <= 400 for text in topic.texts)
    assert topic.threshold == THETA_PAGE


def test_the_example_shows_every_key() -> None:
    topic = Topic.load("example", TOPICS)
    assert topic.seeds == ("https://tea.example/", "https://blog.example/tags/tea/")
    assert topic.budget == 1000
    assert topic.language == "zh"
    assert topic.keywords["black tea"] == 0.7
    assert topic.allows("https://www.tea.example/x")
    assert not topic.allows("https://shop.tea.example/x")


def test_keywords_as_a_list_weigh_one(tmp_path: Path) -> None:
    assert Topic.load(write(tmp_path, "keywords = ['茶', ' Tea ']")).keywords == {"茶": 1.0, "Tea": 1.0}


def test_pages_are_found_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "about.html").write_text("<p>茶</p>", encoding="utf-8")
    topic = Topic.load(write(tmp_path, "pages = ['about.html', 'HTTPS://Tea.example']"))
    assert topic.pages == (str(tmp_path / "about.html"), "https://tea.example/")
    assert topic.describing_pages == topic.pages


def test_seeds_describe_a_topic_without_words(tmp_path: Path) -> None:
    only_seeds = "seeds = ['https://a.example', 'https://a.example/']"
    assert Topic.load(write(tmp_path, only_seeds)).describing_pages == ("https://a.example/",)
    assert Topic.load(write(tmp_path, f"{only_seeds}\nkeywords = ['茶']")).describing_pages == ()


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://a.example/", True),
        ("http://A.EXAMPLE:8080/x", True),
        ("https://www.a.example/x?y", True),
        ("https://deep.down.a.example/", True),
        ("https://bad.a.example/", False),
        ("https://www.bad.a.example/", False),
        ("https://nota.example/", False),
        ("https://example/", False),
        ("https://xn--fiq228c.example/", True),
    ],
)
def test_hosts_cover_their_subdomains(tmp_path: Path, url: str, allowed: bool) -> None:
    hosts = "allowed_hosts = ['A.example', '中文.example']\ndenied_hosts = ['bad.a.example']"
    assert Topic.load(write(tmp_path, f"keywords = ['茶']\n{hosts}")).allows(url) is allowed


def test_networks_among_denied_hosts(tmp_path: Path) -> None:
    hosts = "denied_hosts = ['bad.example', '198.51.100.0/24', '2001:db8::/32', '203.0.113.7']"
    topic = Topic.load(write(tmp_path, f"keywords = ['茶']\n{hosts}"))
    assert topic.denied_hosts == {"bad.example", "203.0.113.7"}
    assert [str(network) for network in topic.denied_networks] == ["198.51.100.0/24", "2001:db8::/32", "203.0.113.7/32"]
    assert not topic.allows("http://203.0.113.7/")


def test_without_hosts_all_is_allowed(tmp_path: Path) -> None:
    assert Topic.load(write(tmp_path, "keywords = ['茶']")).allows("https://a.example/")


def test_a_topic_of_seeds_alone(tmp_path: Path) -> None:
    topic = Topic.from_seeds("tea", ["https://a.example", "https://a.example/#x"], tmp_path)
    assert topic.seeds == topic.describing_pages == ("https://a.example/",)
    assert topic.learned_path == tmp_path / "tea.learned.json"


@pytest.mark.parametrize(("seeds", "message"), [([], "no seed; give at least one"), (["x"], "'x' is not an http")])
def test_a_topic_of_bad_seeds(tmp_path: Path, seeds: list[str], message: str) -> None:
    with pytest.raises(SeedError, match=message):
        Topic.from_seeds("tea", seeds, tmp_path)


def test_a_topic_travels_to_a_pool_worker() -> None:
    topic = Topic.load("java", TOPICS).learn()
    assert pickle.loads(pickle.dumps(topic)) == topic
