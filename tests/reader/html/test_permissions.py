import pytest

from crawler.reader.html.declared import forbidden_by_headers
from crawler.reader.html.page import Page

BOTH = {"noindex", "nofollow"}
METAS = [
    ("<meta name=robots content=noindex>", {"noindex"}),
    ("<META NAME=ROBOTS CONTENT='NoIndex, FOLLOW'>", {"noindex"}),
    ("<meta name=robots content='none'>", BOTH),
    ("<meta name=robots content='index,follow'>", set()),
    ("<meta name=robots content='max-snippet:20, nofollow'>", {"nofollow"}),
    ("<meta name=robots content=noindex><meta name=zhuti content=nofollow>", BOTH),
    ("<meta name=robots content=index><body><meta name=robots content=noindex>", {"noindex"}),
    ("<meta name=robots content='noai, noimageai'>", {"noai"}),
    ("<meta name=tdm-reservation content=1>", {"tdm-reservation"}),
    ("<meta name=TDM-Reservation content='0'>", set()),
    ("<meta name=googlebot content=noindex>", set()),
    ("<meta name=description content=noindex>", set()),
    ("<meta property=og:robots name=robots content=noindex>", {"noindex"}),
    ("<meta property=robots content=noindex>", {"noindex"}),
    ("<meta name=“robots” content=“noindex；nofollow”>", BOTH),
    ("<meta name=robots content='noindex；follow'>", {"noindex"}),
    ("<meta name=robots content='unavailable_after: 25 Jun 2010 15:00:00 PST'>", {"noindex"}),
    ("<meta name=robots content='unavailable_after: 2010-06-25T15:00:00Z, nofollow'>", BOTH),
    ("<meta name=robots content='unavailable_after: 2910-06-25'>", set()),
    ("<meta name=robots content='unavailable_after: some day'>", set()),
]


@pytest.mark.parametrize(("markup", "forbidden"), METAS)
def test_meta_tags(markup: str, forbidden: set[str]) -> None:
    assert Page(markup).declared.forbids == forbidden


HEADERS: list[tuple[list[str], set[str]]] = [
    ([], set()),
    (["noindex"], {"noindex"}),
    (["noindex, nofollow"], BOTH),
    (["noai"], {"noai"}),
    (["otherbot: noindex, nofollow", "Zhuti: nofollow"], {"nofollow"}),
    (["unavailable_after: 25 Jun 2030 15:00:00 PST, none"], BOTH),
    (["max-snippet: 20, noindex"], {"noindex"}),
    (["", ":", "noindexes"], set()),
    (["otherbot: nofollow, zhuti: noindex"], {"noindex"}),
    (["zhuti: nofollow, otherbot: noindex"], {"nofollow"}),
    (["nofollow, otherbot: noindex, zhuti：noai"], {"nofollow", "noai"}),
    (["otherbot: noindex, max-snippet: 20, nofollow"], set()),
    (["unavailable_after: Friday, 25-Jun-10 15:00:00 UTC"], {"noindex"}),
    (["otherbot: unavailable_after: 25 Jun 2010 15:00:00 GMT"], set()),
]


@pytest.mark.parametrize(("values", "forbidden"), HEADERS)
def test_headers(values: list[str], forbidden: set[str]) -> None:
    others = [("Content-Type", "text/html; noindex"), ("TDM-Reservation", "0"), ("tdm-policy", "1")]
    assert forbidden_by_headers([*others, *(("X-Robots-Tag", value) for value in values)]) == forbidden


@pytest.mark.parametrize(
    ("name", "value", "forbidden"),
    [
        ("Content-Usage", "train-ai=n", {"noai"}),
        ("content-usage", "train-ai=y", set()),
        ("Content-Signal", "search=yes, ai-train=no", {"noai"}),
    ],
)
def test_headers_that_reserve_training(name: str, value: str, forbidden: set[str]) -> None:
    assert forbidden_by_headers([(name, value)]) == forbidden


def test_the_header_that_reserves_mining() -> None:
    assert forbidden_by_headers([("TDM-Reservation", " 1 "), ("X-Robots-Tag", "nofollow")]) == {
        "tdm-reservation",
        "nofollow",
    }
