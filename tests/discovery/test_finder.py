"""How many index files a host's index files may name, and which are read before a seed."""

import pytest

from crawler.discovery.finder import INDEX_FILE_PATH, NAMED, IndexFileFinder, index_file_links
from crawler.discovery.index_files import FoundBy, IndexFile, Kind
from crawler.discovery.locations import usual_places
from crawler.records import Analysis, Judgement, Link, Outlink

SITEMAP = "https://a.example/sitemap.xml"


def names(start: int, count: int) -> Analysis:
    """A sitemap index, with one page among what it names."""
    links = [Link(f"https://a.example/s{n}.xml", index_kind="sitemap") for n in range(start, start + count)]
    return Analysis(outlinks=tuple(map(Outlink, [Link("https://a.example/post"), *links])))


def kinds(found: Analysis) -> list[str]:
    return [outlink.link.index_kind for outlink in found.outlinks]


def test_sitemaps_that_name_new_ones_for_ever_come_to_an_end() -> None:
    finder = IndexFileFinder()
    named = [kinds(finder.listed(SITEMAP, names(30 * n, 30), "sitemap")) for n in range(4)]
    assert [found.count("sitemap") for found in named] == [30, NAMED - 30, 0, 0]
    assert all(found.count("") == 1 for found in named), "pages are all there"


def test_a_host_that_gives_pages_may_name_more() -> None:
    finder = IndexFileFinder()
    finder.listed(SITEMAP, names(0, NAMED), "sitemap")
    for n in range(3):
        finder.admit(f"https://a.example/{n}", Analysis())
    assert kinds(finder.listed(SITEMAP, names(100, 30), "sitemap")).count("sitemap") == 3
    other = finder.listed("https://b.example/sitemap.xml", names(0, 3), "sitemap")
    assert kinds(other).count("sitemap") == 3, "every host has its own account"


@pytest.mark.parametrize(
    ("kinds", "found"),
    [
        (("sitemap", "feed"), ["sitemap.xml", "atom.xml", "index.xml"]),
        (("search-index",), ["search.xml"]),
        ((), []),
    ],
)
def test_of_seeds_that_are_home_pages_usual_places_are_read_first(kinds: tuple[str, ...], found: list[str]) -> None:
    seeds = ["https://a.example/", "https://b.example/blog/", "https://c.example/?page=2"]
    places = IndexFileFinder(kinds).before(seeds)
    assert [place.url for place in places][: len(found) or None] == [f"https://a.example/{name}" for name in found]


def test_a_kind_that_a_usual_place_gave_is_not_guessed_again() -> None:
    finder = IndexFileFinder()
    places = finder.before(["https://a.example/"])
    finder.listed("https://a.example/atom.xml", names(0, 0), "feed")
    finder.listed("https://a.example/search.xml", Analysis(), "search-index")
    page = Analysis(
        judgement=Judgement(1.0, on_topic=True),
        outlinks=tuple(map(Outlink, index_file_links(usual_places("https://a.example/")))),
    )
    guessed = [each.link.url for each in finder.admit("https://a.example/post", page).outlinks]
    tried = {place.url for place in places}
    assert len(tried) == 3
    assert [url for url in guessed if url not in tried] == [
        f"https://a.example/{name}" for name in ("content.json", "search.json", "local-search.xml")
    ]


def test_the_first_that_lists_pages_leads_to_the_home_page_and_to_what_robots_txt_declares() -> None:
    finder = IndexFileFinder()
    finder.before(["https://a.example/"])
    finder.hear(SITEMAP, (IndexFile("https://a.example/posts.xml", Kind.SITEMAP, FoundBy.ROBOTS),))
    empty = finder.listed("https://a.example/atom.xml", Analysis(), "feed")
    first = finder.listed(SITEMAP, names(0, 0), "sitemap")
    second = finder.listed("https://a.example/index.xml", names(0, 0), "feed")
    post = Link("https://a.example/post")
    home = Link("https://a.example/", tag_path=INDEX_FILE_PATH)
    more = Link("https://a.example/posts.xml", tag_path=INDEX_FILE_PATH, rel=FoundBy.ROBOTS, index_kind="sitemap")
    assert [outlink.link for outlink in empty.outlinks] == []
    assert [outlink.link for outlink in first.outlinks] == [post, home, more]
    assert [outlink.link for outlink in second.outlinks] == [post]
