import pytest

from crawler.reader.html.page import Page
from crawler.reader.papers.published import find_published, iso_time
from crawler.reader.papers.title import find_title

BODY = "五月一日到五日放假，请各单位安排好值班人员，并在节前检查门窗和电源。" * 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # papers.md 7.9, test E7
        ("2015-11-08 10:30:05", "2015-11-08T10:30:05"),
        ("2015年11月8日 10:30", "2015-11-08T10:30:00"),
        ("2016/3/2", "2016-03-02"),
        ("2015-13-40 10:00", None),
        # and more
        ("20151108", "2015-11-08"),
        ("20151332", None),
        ("2015-02-30", None),
        ("", None),
        ("发布于 2015 年 3 月 2 日", "2015-03-02"),
        ("2015-03-02T10:30:05.123Z", "2015-03-02T10:30:05Z"),
        ("2015-03-02T10:30:05+0800", "2015-03-02T10:30:05+08:00"),
        ("2015-03-02T10:30+08:00", "2015-03-02T10:30:00+08:00"),
        ("2015-03-02 25:61", "2015-03-02"),
        ("2015-03-02 10:00-18:00", "2015-03-02T10:00:00"),  # opening hours, no zone
        ("2015-03-02T10:00:00+14:00", "2015-03-02T10:00:00+14:00"),
        ("2015-03-02T10:00:00+09:75", "2015-03-02T10:00:00"),
        ("201511081030", "2015-11-08T10:30:00"),
        ("201511089999", None),
        ("12015-03-02", None),
        ("1.2015.3.20151", None),
    ],
)
def test_iso_time(text: str, expected: str | None) -> None:
    assert iso_time(text) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("", None),
        (f"<p>1999-01-01</p><h1>题</h1><p>来源：某报 2015-11-08 10:30</p><p>{BODY}</p>", "2015-11-08T10:30:00"),
        (f"<p>2014-01-01</p><h1>题</h1><p>{BODY}</p><p>2015-11-08</p>", "2015-11-08"),
        (f"<p>2014-01-01</p><h1>题</h1><p>{BODY}</p>", "2014-01-01"),
        ("<meta property='article:published_time' content='2015-11-08T01:02:03Z'>", "2015-11-08T01:02:03Z"),
        ("<meta name='PubDate' content='none'><meta name='publishdate' content='2015-11-08'>", "2015-11-08"),
        ("<time datetime='2015-11-08'>gestern</time>", "2015-11-08"),
        (
            "<time class='updated' datetime='2016-01-01'>x</time><time itemprop='datePublished' datetime='2015-11-08'>",
            "2015-11-08",
        ),
        (
            '<script type="application/ld+json">{"@graph": [{"datePublished": "2015-11-08"}]}</script>',
            "2015-11-08",
        ),
        ('<script type="application/ld+json">{"datePublished": "2015-11-08",,}</script>', "2015-11-08"),
        (
            '<script type="application/ld+json">{"x": {"datePublished": "2018-1-1"}, '
            '"datePublished": "2015-11-8"}</script>',
            "2015-11-08",
        ),
        ('<script type="application/ld+json">{"datePublished": ' + "[" * 9999 + "</script>", None),
    ],
)
def test_published(markup: str, expected: str | None) -> None:
    page = Page(markup)
    assert find_published(page, find_title(page)) == expected
