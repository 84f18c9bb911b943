"""A site's own search: where it is, what it is asked, and what its answer lists."""

from __future__ import annotations

import pytest

from crawler.discovery.index_files import FoundBy, Kind
from crawler.discovery.site_search import NEXT, PLACE, is_search, of_description, queries, results, searches
from crawler.reader.html.page import Page
from crawler.reader.html.tree import parse
from crawler.records import Link

SITE = "https://a.example/blog/post/1/?page=2"
ROOT = "https://a.example/blog/"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<form action=/search><input name=q></form>", "https://a.example/search?q="),
        ('<form action="./"><input type=search name=s></form>', "https://a.example/blog/post/1/?s="),
        ("<form><input name=keyword></form>", "https://a.example/blog/post/1/?keyword="),
        (
            '<form method=GET action="/f?x=1"><input type=hidden name=type value="文"><input name=wd><button></form>',
            "https://a.example/f?type=%E6%96%87&wd=",
        ),
        ("<form method=post action=/search><input name=q></form>", ""),
        ("<form action=/login><input name=q><input type=password name=p></form>", ""),
        ("<form action=/subscribe><input name=email></form>", ""),
        ("<form action=/search><input name=q><input name=author></form>", ""),
        ("<form action=/search><input type=checkbox name=q></form>", ""),
        ("<form action=https://engine.example/search><input name=q></form>", ""),
        ("<form action=javascript:find()><input name=q></form>", ""),
    ],
)
def test_a_form(markup: str, expected: str) -> None:
    found = [(search.url, search.kind, search.found) for search in searches(parse(markup), SITE, ROOT)]
    assert found == ([(expected + PLACE, Kind.SEARCH, FoundBy.PAGE)] if expected else [])


@pytest.mark.parametrize(
    ("page", "form", "expected"),
    [
        ("<meta charset=gbk>", "<input name=q>", "?q=%BB%FA%C6%F7"),
        ('<meta http-equiv=Content-Type content="text/html; charset=gb2312">', "<input name=q>", "?q=%BB%FA%C6%F7"),
        ("", "<input type=hidden name=ie value=GBK><input name=wd>", "?ie=GBK&wd=%BB%FA%C6%F7"),
        ("<meta charset=latin1>", "<input name=q>", "?q=%26%2326426%3B%26%2322120%3B"),
        ("<meta charset=gbk>", "<input type=hidden name=t value=文><input name=q>", "?t=%CE%C4&q=%BB%FA%C6%F7"),
        ("<meta charset=gbk>", "<input type=hidden name=_charset_><input name=q>", "?_charset_=gb18030&q=%BB%FA%C6%F7"),
        ("<meta charset=x-none>", "<input name=q>", "?q=%E6%9C%BA%E5%99%A8"),
    ],
)
def test_words_in_the_encoding_of_the_site(page: str, form: str, expected: str) -> None:
    found = searches(parse(f"{page}<form action=/s>{form}</form>"), SITE, ROOT)
    asked = [query.url for search in found for query in queries(Link(search.url, index_kind="search"), ["机器"])]
    assert asked == [f"https://a.example/s{expected}"]


def test_a_form_that_accepts_another_encoding_than_its_page() -> None:
    form = "<meta charset=gbk><form action=/s accept-charset='utf-8, gbk'><input name=q></form>"
    (search,) = searches(parse(form), SITE, ROOT)
    assert search.url == f"https://a.example/s?q={PLACE}"


@pytest.mark.parametrize(
    ("generator", "expected"),
    [
        ("WordPress 6.5", f"{ROOT}?s={PLACE}"),
        ("MediaWiki 1.39.1", f"{ROOT}index.php?title=Special:Search&fulltext=1&search={PLACE}"),
        ("Discuz! X3.4", f"{ROOT}search.php?mod=forum&searchsubmit=yes&srchtxt={PLACE}"),
        ("Hexo 7", ""),
    ],
)
def test_a_known_program(generator: str, expected: str) -> None:
    tree = parse(f'<meta name="generator" content="{generator}">')
    assert [search.url for search in searches(tree, SITE, ROOT)] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("template", "media", "expected"),
    [
        ("/?s={searchTerms}", "text/html", "/?s={searchTerms}"),
        ("/s?q={searchTerms}&p={startPage?}&n={count?}", "application/rss+xml", "/s?q={searchTerms}&p=1&n="),
        ("/?s={searchTerms}&l={language}", "text/html", "/?s={searchTerms}&l="),
        ("/?s={searchTerms}", "application/x-suggestions+json", None),
        ("/?s={moz:locale}", "text/html", None),
    ],
)
def test_a_description(template: str, media: str, expected: str | None) -> None:
    assert of_description(template, media) == expected


def test_queries() -> None:
    search = Link(f"https://a.example/?s={PLACE}", index_kind=Kind.SEARCH)
    asked = queries(search, ["机器学习", "c++"])
    assert [(link.url, link.anchor) for link in asked] == [
        ("https://a.example/?s=%E6%9C%BA%E5%99%A8%E5%AD%A6%E4%B9%A0", "机器学习"),
        ("https://a.example/?s=c%2B%2B", "c++"),
    ]
    assert is_search(search)
    assert not any(map(is_search, asked))


ANSWER = """
<header><a href="/about/us">Who we are</a></header>
<main><h1>Results for java</h1>
<article><h2><a href="/1.html">One</a></h2><p>about java</p><a rel="category tag" href="/c/java">java</a></article>
<article><h2><a href="/2.html">Two</a></h2></article>
<article><h2><a href="https://other.example/3.html">Elsewhere</a></h2></article>
<a href="/?s=java&order=date">by date</a> <a href="/">首页</a> <a href="/?s=java&page=3">3</a>
<nav><a href="/?s=java&amp;page=2">{onward}</a> <a href="/?s=go&amp;page=2">Next</a></nav></main>
"""


@pytest.mark.parametrize("onward", ["下一页", "Next Page", "»"])
def test_an_answer(onward: str) -> None:
    found = results(Page(ANSWER.format(onward=onward), "https://a.example/?s=java"))
    assert [(link.url, link.index_kind) for link in found] == [
        ("https://a.example/1.html", ""),
        ("https://a.example/2.html", ""),
        ("https://a.example/?s=java&page=2", "search"),
    ]
    assert found[-1].rel == NEXT


def test_the_last_answer() -> None:
    found = results(Page(ANSWER.format(onward="第二页"), "https://a.example/?s=java"))
    assert [link.index_kind for link in found] == ["", ""]
