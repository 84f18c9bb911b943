"""Pages whose text scripts write carry it with them."""

from __future__ import annotations

import json

import pytest

from crawler.reader.extract.best import best
from crawler.reader.html.page import Page
from crawler.reasons import Code
from crawler.records import PageKind

LINES = [
    "镇上的老渡口本月停航，最后一班船在清晨六点离岸，船上只有三位乘客和一条黄狗，岸边站着来送行的邻居。",
    "据镇政府介绍，新桥通车以后，过河的人大多改走大桥，渡口的收入不够付船工的工钱，停航是早晚的事。",
    "船工老周说，船会留在岸边，供游客参观，他自己打算回家种菜，偶尔给孙子讲讲河上的事情。",
]
LD, DATA = "<script type=application/ld+json>", "<script id=__NEXT_DATA__ type=application/json>"
BODY = "\n".join(LINES)
MARKED = "".join(f"<p>{line}</p>" for line in LINES)


def page(kind: str, data: object) -> Page:
    return Page(
        f"<title>老渡口停航 - 河边日报</title><div id=app></div>{kind}{json.dumps(data, ensure_ascii=False)}</script>"
    )


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (LD, {"@type": "NewsArticle", "headline": "老渡口停航", "datePublished": "2026-05-02", "articleBody": BODY}),
        (LD, {"@graph": [{"@type": "WebSite"}, {"@type": "Article", "articleBody": MARKED}]}),
        (DATA, {"props": {"pageProps": {"post": {"title": "老渡口停航", "content": MARKED, "tags": ["船"]}}}}),
        (DATA, {"data": [{"text": "短"}, {"body": BODY}]}),
        ("<script type=text/json>", {"article": {"content": MARKED}}),
        ("<script>window.__INITIAL_STATE__ = ", {"detail": {"content": MARKED}}),
        ("<script>window.__APOLLO_STATE__=", {"Post:1": {"body": BODY}}),
    ],
)
def test_the_text(kind: str, data: object) -> None:
    found = best(page(kind, data))
    assert found.body.split("\n") == LINES
    assert found.kind is PageKind.ARTICLE
    assert found.title.startswith("老渡口停航")
    assert not found.reason


def test_what_json_ld_declares() -> None:
    data = {"headline": "老渡口停航", "datePublished": "2026-05-02", "author": {"name": "林一舟"}, "articleBody": BODY}
    found = best(page(LD, data))
    assert (found.title, found.published, found.author) == ("老渡口停航", "2026-05-02", "林一舟")


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (LD, {"articleBody": "短"}),
        (LD, [{"articleBody": BODY}, {"articleBody": BODY[::-1]}]),  # a list's
        (DATA, {"content": "function a() { return 1; }\n" * 20}),
        (DATA, {"title": BODY}),
        (DATA, "[" * 200_000),
    ],
)
def test_no_text(kind: str, data: object) -> None:
    found = best(page(kind, data))
    assert found.body == ""
    assert found.reason.code is Code.NO_TEXT  # type: ignore[union-attr]


def test_the_text_of_the_markup_comes_first() -> None:
    article = f"<h1>老渡口停航</h1><div class=content>{MARKED}</div>"
    data = json.dumps({"articleBody": LINES[0] * 9})
    assert best(Page(f"<title>老渡口停航</title>{article}{LD}{data}</script>")).body.split("\n") == LINES


def test_a_page_without_text_has_the_title_that_it_declares() -> None:
    declared = "<title>老渡口重开 - 水路 - 某某论坛</title><meta property=og:title content=老渡口重开>"
    assert best(Page(f"<head>{declared}</head><body><script>load()</script></body>")).title == "老渡口重开"
