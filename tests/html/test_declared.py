import pytest

from crawler.html.declared import MAX_TIME, MAX_TIMES, MAX_TITLE, Declared
from crawler.html.page import Page


def declared(markup: str) -> Declared:
    return Page(f"<head>{markup}</head><body>").declared


def ld(text: str) -> Declared:
    return declared(f'<script type="Application/LD+JSON">{text}</script>')


def test_nothing() -> None:
    assert declared("") == Declared()


def test_the_first_title_that_says_something() -> None:
    assert declared("<title> \n</title>").title == ""
    assert declared("<title>一\n 二</title>").title == "一 二"
    assert declared("<svg><title>图</title></svg>").title == ""
    assert declared(f"<title>{'长' * 999}</title>").title == "长" * MAX_TITLE


def test_metas_by_their_first_name_and_first_content() -> None:
    found = declared("<meta name=A content=' '><meta name=A content=' 1  2 '><meta name=a content=3><meta name=b>")
    assert found.metas == {"a": "1 2"}
    assert declared("<meta property=p name=n content=1><meta itemprop=i content=2>").metas == {"p": "1", "i": "2"}


def test_json_ld() -> None:
    found = ld('{"headline": "题\\u76ee", "datePublished": "2019-03-08", "author": {"@type": "P", "name": "甲"}}')
    assert (found.headlines, found.dates, found.authors) == (["题目"], ["2019-03-08"], ["甲"])
    assert ld(f'{{"datePublished": "{"9" * 999}"}}').dates == ["9" * MAX_TIME]
    assert declared('<script>{"headline": "题"}</script>').headlines == []


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ('"甲"', ["甲"]),
        ('["甲", "乙"]', ["甲"]),
        ('[ {"name": "甲"}, {"name": "乙"}]', ["甲"]),
        ('{"url": "u", "name" : "甲"}', ["甲"]),
        ('{"url": {"name": "甲"}}', []),
        ("null", []),
    ],
)
def test_author(author: str, expected: list[str]) -> None:
    assert ld(f'{{"author" : {author}}}').authors == expected


def test_times() -> None:
    markup = "<time class=Up itemprop=x datetime=2019>a</time><abbr title=2020>b</abbr><time title=2021>c</time>"
    assert Page(markup).declared.times == [("2019", "up x"), ("2020", " ")]
    many = Page("<time datetime=2019></time>" * 99).declared
    assert len(many.times) == MAX_TIMES
