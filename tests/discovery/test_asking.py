"""When a site's own search is asked, and for what."""

from __future__ import annotations

from crawler.discovery.finder import ASKED, KINDS, IndexFileFinder
from crawler.discovery.site_search import PLACE
from crawler.records import Analysis, Extraction, Judgement, Link, Outlink

FORM = Outlink(Link(f"https://a.example/?s={PLACE}", rel="page", index_kind="search"))
DESCRIPTION = Outlink(Link("https://a.example/os.xml", rel="page", index_kind="opensearch"))
GOOD = Judgement(1.0, True)


def asking(*words: str) -> IndexFileFinder:
    finder = IndexFileFinder(KINDS | ASKED)
    finder.asking.words = words
    return finder


def urls(found: Analysis) -> list[str]:
    return [outlink.link.url.removeprefix("https://a.example/") for outlink in found.outlinks]


def test_a_host_on_the_topic_is_asked_for_one_word_and_once_it_answers_for_all() -> None:
    finder = asking("java", "jvm", "spring")
    assert urls(finder.admit("https://a.example/", Analysis(outlinks=(FORM,)))) == []
    assert urls(finder.admit("https://a.example/1", Analysis(judgement=GOOD, outlinks=(FORM,)))) == ["?s=java"]
    assert urls(finder.admit("https://a.example/2", Analysis(judgement=GOOD, outlinks=(FORM,)))) == []
    assert urls(finder.listed("https://a.example/?s=java", Analysis(), "search")) == [], "nothing was found"
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
    finder.asking.words = ("java",)
    page = Analysis(judgement=GOOD, outlinks=(FORM, DESCRIPTION))
    assert urls(finder.admit("https://a.example/", page)) == []


def test_the_first_word_is_one_that_the_host_uses() -> None:
    page = Analysis(Extraction("On the JVM", "..."), judgement=GOOD, outlinks=(FORM,))
    assert urls(asking("java", "jvm").admit("https://a.example/1", page)) == ["?s=jvm"]


def test_a_host_that_gave_three_pages_is_asked_although_none_is_on_the_topic() -> None:
    finder = asking("java", "jvm")
    finder.admit("https://b.example/1", Analysis(Extraction("JVM"), judgement=GOOD))
    asked = [urls(finder.admit(f"https://a.example/{n}", Analysis(outlinks=(FORM,)))) for n in range(4)]
    assert asked == [[], [], ["?s=jvm"], []], "for the word that most pages on topic have"


def test_the_search_of_another_host_is_not_asked() -> None:
    finder = asking("java")
    finder.admit("https://a.example/", Analysis(judgement=GOOD, outlinks=(DESCRIPTION,)))
    elsewhere = Outlink(Link(f"https://engine.example/?q={PLACE}", index_kind="search"))
    assert urls(finder.listed("https://a.example/os.xml", Analysis(outlinks=(elsewhere,)), "opensearch")) == []


def test_a_host_whose_index_file_lists_all_is_asked_no_more() -> None:
    answer = Analysis(outlinks=(Outlink(Link("https://a.example/p")),))
    page = Analysis(judgement=GOOD, outlinks=(FORM,))
    for kind, expected in (("sitemap", []), ("search-index", []), ("wordpress", []), ("feed", ["?s=java"])):
        finder = asking("java", "jvm")
        finder.listed("https://a.example/list", answer, kind)
        assert urls(finder.admit("https://a.example/1", page)) == expected
    finder = asking("java", "jvm")
    assert urls(finder.admit("https://a.example/1", page)) == ["?s=java"]
    finder.listed("https://a.example/sitemap.xml", answer, "sitemap")
    assert urls(finder.listed("https://a.example/?s=java", answer, "search")) == ["p"], "no further words"
