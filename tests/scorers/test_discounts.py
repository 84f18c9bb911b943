"""Links that a host repeats are noise."""

from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers.discounts import LEAST_PAGES, Navigation


def page(url: str, *targets: str) -> JudgedPage:
    return JudgedPage(url, 0.5, True, 0.1, 0, 0, tuple(Outlink(Link(target), 0.5) for target in targets))


def repeated(*pages: JudgedPage) -> list[set[str]]:
    navigation = Navigation()
    return [set(navigation.observe(judged)) for judged in pages]


def test_a_link_on_every_page_of_a_host() -> None:
    pages = [page(f"http://a.example/{n}", "http://a.example/tags", f"http://a.example/{n + 1}") for n in range(5)]
    found = repeated(*pages)
    assert found[:LEAST_PAGES] == [set()] * LEAST_PAGES
    assert found[LEAST_PAGES:] == [{"http://a.example/tags"}] * (5 - LEAST_PAGES)


def test_a_link_that_many_hosts_show_is_no_navigation() -> None:
    assert repeated(*(page(f"http://h{n}.example/", "http://a.example/") for n in range(9))) == [set()] * 9


def test_a_link_to_another_host_is_none_either() -> None:
    assert repeated(*(page(f"http://a.example/{n}", "http://b.example/") for n in range(9))) == [set()] * 9


def test_shown_long_ago() -> None:
    first = [page("http://a.example/0", "http://a.example/x")]
    others = [page(f"http://a.example/{n}") for n in range(1, 20)]
    assert repeated(*first, *others, page("http://a.example/20", "http://a.example/x"))[-1] == set()
