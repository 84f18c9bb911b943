import pytest

from crawler.reader.html.declared import (
    MAX_SCRIPT,
    MAX_SCRIPTS,
    MAX_TIME,
    MAX_TIMES,
    MAX_TITLE,
    Declared,
    LdText,
    Stamp,
    texts_of,
)
from crawler.reader.html.page import Page


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
    assert Page("<title> \n</title><svg><title>no</title></svg>").declared.title == ""
    assert Page("<head><title>一\n 二</title></head><body><svg><title>no</title></svg>").declared.title == "一 二"
    assert declared(f"<title>{'长' * 999}</title>").title == "长" * MAX_TITLE


def test_metas_by_their_first_name_and_first_content() -> None:
    found = declared("<meta name=A content=' '><meta name=A content=' 1  2 '><meta name=a content=3><meta name=b>")
    assert found.metas == {"a": "1 2"}
    assert declared("<meta property='OG:Title' content=' a  b '>").metas == {"og:title": "a b"}
    assert declared("<meta property=p name=n content=1><meta itemprop=i content=2>").metas == {"p": "1", "i": "2"}


def test_json_ld() -> None:
    found = ld('{"headline": "题\\u76ee", "datePublished": "2019-03-08", "author": {"@type": "P", "name": "甲"}}')
    assert (found.headlines, found.dates, found.authors) == (["题目"], [LdText("2019-03-08", 1)], ["甲"])
    assert ld(f'{{"datePublished": "{"9" * 999}"}}').dates == [LdText("9" * MAX_TIME, 1)]
    nested = ld('{"image": {"datePublished": "2018"}, "datePublished": "2019"}').dates
    assert nested == [LdText("2018", 2), LdText("2019", 1)]
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


def test_tags() -> None:
    meta = "<meta property=article:{} content={}>"
    found = declared(meta.format("tag", "图论") + meta.format("section", "算法") + meta.format("tag", "排序"))
    assert found.tags == ["图论", "算法", "排序"]
    assert declared("<meta name=keywords content='图论，算法;'>").keywords == ["图论", "算法", ""]
    assert ld('{"keywords": ["图论,算法", 1], "articleSection": "排序、查找"}').ld_tags == ["图论,算法", "排序", "查找"]


def test_times() -> None:
    markup = "<time class=Up itemprop=x datetime=2019>a</time><abbr title=2020>b</abbr><time title=2021>c</time>"
    time, abbr = Page(markup).declared.times
    assert (time, abbr) == (Stamp("2019", "up x", "time", False), Stamp("2020", " ", "abbr", False))
    assert Page("<time pubdate datetime=2019></time>").declared.times[0].pubdate
    assert len(Page("<time datetime=2019></time>" * 2 * MAX_TIMES).declared.times) == MAX_TIMES


@pytest.mark.parametrize(
    ("size", "many", "headlines"),
    [
        (MAX_SCRIPT, MAX_SCRIPTS // MAX_SCRIPT - 1, ["late"]),
        (MAX_SCRIPT, MAX_SCRIPTS // MAX_SCRIPT, []),
        (100, 100, ["late"]),  # many short blocks, as lists of products have
    ],
)
def test_json_ld_is_bounded_over_all_blocks(size: int, many: int, headlines: list[str]) -> None:
    block = "<script type='application/ld+json'>{}</script>"
    late = block.format('"headline": "late"')
    assert declared(block.format("x" * size) * many + late).headlines == headlines


def test_addresses() -> None:
    found = declared("<link rel='icon' href='/i'><link rel='Canonical x' href='/p#x'><base href=/b><base href=/c>")
    assert (found.canonical, found.base) == ("/p#x", "/b")


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ('"图论"', ["图论"]),
        ('"a\\nb\\u56fe"', ["a\nb图"]),
        ('"a\nb"', ["a\nb"]),  # a line break that JSON would have escaped
        ('["图论", 3, null, {"a": "b"}, ["c"], "算法"]', ["图论", "算法"]),
        ('"\\ud83d\\ude00"', ["😀"]),
        ('"题\\ud83d"', ["题"]),
        ('"题\\u0000目"', ["题目"]),
        ("3", []),
        ('{"a": "b"}', []),
        ('"a', []),
        ("", []),
        ("[" * 100_000, []),
    ],
)
def test_texts_of(literal: str, expected: list[str]) -> None:
    assert texts_of(literal) == expected
