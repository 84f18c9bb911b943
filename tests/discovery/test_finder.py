"""How many index files a host's index files may name, and what its search is asked."""

from crawler.discovery.finder import ASKED, KINDS, NAMED, IndexFileFinder
from crawler.discovery.site_search import PLACE
from crawler.records import Analysis, Extraction, Judgement, Link, Outlink

SITEMAP = "https://a.example/sitemap.xml"


def names(start: int, count: int) -> Analysis:
    """A sitemap index, with one page among what it names."""
    links = [Link(f"https://a.example/s{n}.xml", index_kind="sitemap") for n in range(start, start + count)]
    return Analysis(outlinks=tuple(map(Outlink, [Link("https://a.example/post"), *links])))


def kinds(found: Analysis) -> list[str]:
    return [outlink.link.index_kind for outlink in found.outlinks]


def test_sitemaps_that_name_new_ones_for_ever_come_to_an_end() -> None:
    finder = IndexFileFinder()
    named = [kinds(finder.listed(SITEMAP, names(30 * n, 30))) for n in range(4)]
    assert [found.count("sitemap") for found in named] == [30, NAMED - 30, 0, 0]
    assert all(found.count("") == 1 for found in named), "pages are all there"


def test_a_host_that_gives_pages_may_name_more() -> None:
    finder = IndexFileFinder()
    finder.listed(SITEMAP, names(0, NAMED))
    for n in range(3):
        finder.admit(f"https://a.example/{n}", Analysis())
    assert kinds(finder.listed(SITEMAP, names(100, 30))).count("sitemap") == 3
    other = finder.listed("https://b.example/sitemap.xml", names(0, 3))
    assert kinds(other).count("sitemap") == 3, "every host has its own account"


FORM = Outlink(Link(f"https://a.example/?s={PLACE}", rel="page", index_kind="search"))
DESCRIPTION = Outlink(Link("https://a.example/os.xml", rel="page", index_kind="opensearch"))
GOOD = Judgement(1.0, True)


def asking(*words: str) -> IndexFileFinder:
    finder = IndexFileFinder(KINDS | ASKED)
    finder.words = words
    return finder


def urls(found: Analysis) -> list[str]:
    return [outlink.link.url.removeprefix("https://a.example/") for outlink in found.outlinks]


def test_a_host_on_the_topic_is_asked_for_one_word_and_once_it_answers_for_all() -> None:
    finder = asking("java", "jvm", "spring")
    assert urls(finder.admit("https://a.example/", Analysis(outlinks=(FORM,)))) == []
    assert urls(finder.admit("https://a.example/1", Analysis(judgement=GOOD, outlinks=(FORM,)))) == ["?s=java"]
    assert urls(finder.admit("https://a.example/2", Analysis(judgement=GOOD, outlinks=(FORM,)))) == []
    answer = Analysis(outlinks=(Outlink(Link("https://a.example/p")),))
    asked = finder.listed("https://a.example/?s=java", answer, "search")
    assert urls(asked) == ["p", "?s=java", "?s=jvm", "?s=spring"]
    assert urls(finder.listed("https://a.example/?s=jvm", answer, "search")) == ["p"]


def test_a_description_names_the_search() -> None:
    finder = asking("java", "jvm")
    page = Analysis(judgement=GOOD, outlinks=(DESCRIPTION,))
    assert urls(finder.admit("https://a.example/", page)) == ["os.xml"]
    described = Analysis(outlinks=(FORM, FORM))
    assert urls(finder.listed("https://a.example/os.xml", described, "opensearch")) == ["?s=java"]
    answer = Analysis(outlinks=(Outlink(Link("https://a.example/p")),))
    assert urls(finder.listed("https://a.example/?s=java", answer, "search")) == ["p", "?s=java", "?s=jvm"]


def test_no_search_is_asked_unless_the_user_wants_it() -> None:
    finder = IndexFileFinder()
    finder.words = ("java",)
    page = Analysis(judgement=GOOD, outlinks=(FORM, DESCRIPTION))
    assert urls(finder.admit("https://a.example/", page)) == []


def test_the_first_word_is_one_that_the_host_uses() -> None:
    page = Analysis(Extraction("On the JVM", "..."), judgement=GOOD, outlinks=(FORM,))
    assert urls(asking("java", "jvm").admit("https://a.example/1", page)) == ["?s=jvm"]
