import pytest
from hypothesis import given, strategies as st
from protego import Protego

from crawler.reader.text.robots_groups import MAX_ROBOTS, MOST_WILDCARDS, own_group, robots_text

AGENT = "Zhuti/0.1 (focused crawler)"
TESTS = [
    ("", ""),
    ("Disallow: /", ""),
    ("User-agent: other\nDisallow: /", ""),
    ("User-agent: *\nDisallow: /a # all\n\n# b\nAllow: /a/b", "Disallow: /a|Allow: /a/b"),
    ("User-agent: *\nDisallow: /\nUser-agent: zhuti\nAllow: /\nCrawl-delay: 2", "Allow: /|Crawl-delay: 2"),
    ("User-agent: a\nUser-agent: *\nDisallow: /a\nUser-agent: b\nDisallow: /b", "Disallow: /a"),
    (
        "User-agent: *\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser agent *\nDisallow: /c",
        "Disallow: /a|Disallow: /c",
    ),
    ("User-agent: Zhuti*\nDisallow: /\nUser-agent: *\nAllow: /", "Disallow: /"),
    ("User-agent: huti\nDisallow: /", ""),
    ("User-agent: a\nSitemap: http://a/s.xml\nUser-agent: *\nDisallow: /", "Disallow: /"),
]


@pytest.mark.parametrize(("text", "expected"), TESTS)
def test_own_group(text: str, expected: str) -> None:
    assert own_group(text, AGENT).split("\n")[1:] == [rule for rule in expected.split("|") if rule]


LINES = st.sampled_from(
    [
        *(
            "User-agent: *",
            "user-agent: zhuti",
            "User agent: zhuti/0.1",
            "User-agent: other",
            "User-agent: z*",
            "User-agent:",
        ),
        *(
            "Disallow: /a",
            "Disallow: /b*c$",
            "Allow: /a/b",
            "Disallow /b",
            "Disallow:",
            "Crawl-delay: 3",
            "Request-rate: 1/5",
        ),
        *("Sitemap: http://a.example/s.xml", "# comment", "", "Noindex: /a", "no directive"),
    ]
)


@given(st.lists(LINES, max_size=12))
def test_as_protego_reads_the_whole(lines: list[str]) -> None:
    text = "\n".join(lines)
    # Protego takes a version for a part of the name.
    whole, ours = Protego.parse(text.replace("zhuti/0.1", "zhuti")), Protego.parse(own_group(text, AGENT))
    for path in ("/", "/a", "/a/b", "/bc", "/bxc"):
        url = f"http://a.example{path}"
        assert ours.can_fetch(url, AGENT) == whole.can_fetch(url, AGENT), path
    assert ours.crawl_delay(AGENT) == whole.crawl_delay(AGENT)
    assert ours.request_rate(AGENT) == whole.request_rate(AGENT)


def test_what_is_read() -> None:
    line = b"Disallow: /" + b"x" * 88 + b"\n"
    text = robots_text(b"\xef\xbb\xbfUser-agent: *\n" + line * 10_000)
    assert MAX_ROBOTS - 200 < len(text) < MAX_ROBOTS
    assert text.startswith("User-agent")
    assert text.endswith("x\n"), "whole lines"


def test_many_agents_and_many_rules() -> None:
    agents = "".join(f"User-agent: zhuti{n}\nUser-agent: {'zhuti/0.1'[: n % 9 + 1]}\n" for n in range(6000))
    text = robots_text((agents + "Disallow: /x\n" * 20_000).encode())
    assert own_group(text, AGENT).count("Disallow") > 10_000


RULES = "User-agent: *\nDisallow: /secret\n"


@pytest.mark.parametrize(
    "body",
    [
        RULES.encode(),
        RULES.encode("utf-8-sig"),
        RULES.encode("utf-16"),
        RULES.encode("utf-16-be"),
        RULES.encode("utf-16-le"),
        RULES.replace("\n", "\r").encode(),
        RULES.replace("\n", "\r").encode() + b"# " + b"x" * MAX_ROBOTS,
        RULES.replace("Dis", "D\0is").encode(),
        "\ufeff".encode() + RULES.encode("utf-8-sig"),
        ("\ufeff" + RULES).encode("utf-16"),
        ("\u200b" + RULES).encode(),
        RULES.replace(":", "：").encode(),
        RULES.replace("\n", "\x85").encode(),
        RULES.replace("\n", "\x85").encode("latin-1"),
        RULES.replace("*", "zhuti/0.1").encode(),
    ],
)
def test_no_form_hides_a_rule(body: bytes) -> None:
    assert own_group(robots_text(body), "zhuti") == "User-agent: *\nDisallow: /secret"


def test_wildcards_above_the_most_are_read_more_strictly() -> None:
    many = [f"Disallow: /*a{n}" for n in range(MOST_WILDCARDS)]
    more = ["Disallow: /x/*y", "Allow: /*z", "Disallow: *w", "Disallow: /plain", "Allow: /plain/z", "Crawl-delay: 2"]
    rules = own_group("\n".join(["User-agent: *", *many, *more]), "zhuti").splitlines()
    assert rules[1 : MOST_WILDCARDS + 1] == many
    assert rules[MOST_WILDCARDS + 1 :] == [
        "Disallow: /x/",
        "Disallow: /",
        "Disallow: /plain",
        "Allow: /plain/z",
        "Crawl-delay: 2",
    ]


def test_other_bytes_than_utf8_are_escaped_as_they_are() -> None:
    group = own_group(robots_text("User-agent: *\nDisallow: /机密/\n".encode("gb18030")), "zhuti")
    assert not Protego.parse(group).can_fetch("http://a.example/%BB%FA%C3%DC/1.html", "zhuti")
    assert Protego.parse(group).can_fetch("http://a.example/%E6%9C%BA%E5%AF%86/1.html", "zhuti")
