"""How many index files a host's index files may name."""

from crawler.discovery.finder import NAMED, IndexFileFinder
from crawler.records import Analysis, Link, Outlink

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
