"""Links and pictures of a body: which are its own, and that Markdown shows them in their places and changes nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, strategies as st

from crawler.reader.extract.best import Best
from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import block_table
from crawler.reader.extract.media import read_media
from crawler.reader.extract.model import load_model
from crawler.reader.extract.rendering import Rendering
from crawler.reader.html.page import Page
from crawler.records import BodyLink, Extraction, Image

URL = "http://a.example/n/1.html"
SITE = "http://a.example"
ONE = "村里的老渡口在今年春天重新开放，第一班船坐了四十多个人，其中一半是来看热闹的孩子。"
TWO = "船工姓何，撑了三十一年的船，他说河水比从前清了，能看见底下的石头和水草。"
MENU = "<div class=nav><a href=/>首页</a><a href=/news>新闻</a><img src=/banner.jpg></div>"
SIDE = "<div class=side><h3>热门</h3><ul><li><a href=/1>渡口的一个故事</a><img src=/hot.jpg></ul></div>"


def run(inside: str, markdown: bool = False, links: bool = True, images: bool = True) -> Extraction:
    body = f"<div class=content><p>{ONE}</p>{inside}<p>{TWO}</p><p>{ONE}{TWO}</p></div>"
    page = Page(f"<title>渡口重开</title>{MENU}<h1>渡口重开</h1>{body}{SIDE}", URL)
    return Best(load_model(), markdown, links, images)(page)


@pytest.mark.parametrize(
    ("inside", "links", "markdown"),
    [
        (f"<p>{ONE}<a href=/old>旧 事</a>。</p>", [("/old", "旧事")], f"{ONE}[旧事](/old)。"),
        (f"<p>{ONE}<a href='x(1)'><b>a</b> b</a></p>", [("/n/x(1)", "a b")], f"{ONE}[a b](/n/x%281%29)"),
        (f"<p>{ONE}<a href=#note>注</a><a href=javascript:x()>听</a><a>名</a></p>", [], f"{ONE}注听名"),
        (f"<p>{ONE}<a href=/a>甲<a href=/b>乙</a></p>", [("/a", "甲"), ("/b", "乙")], f"{ONE}[甲](/a)[乙](/b)"),
        (f"<a href=/all><p>{ONE}甲</p><p>{ONE}乙</p></a>", [("/all", f"{ONE}甲"), ("/all", f"{ONE}乙")], None),
        (f"<pre>{TWO}\n<a href=/c>code</a></pre>", [("/c", "code")], f"```\n{TWO}\ncode\n```"),
        (f"<table><tr><th>谁<th>元<tr><td><a href=/t>大人</a><td>2</table>{ONE}", [("/t", "大人")], "[大人](/t) | 2 |"),
    ],
)
def test_links(inside: str, links: list[tuple[str, str]], markdown: str | None) -> None:
    assert run(inside).links == tuple(BodyLink(SITE + path, text) for path, text in links)
    shown = run(inside, markdown=True).body.replace(SITE, "")
    assert (markdown or "[") in shown
    assert run(inside, markdown=True, links=False).body == run(inside, markdown=True, links=False, images=False).body


@pytest.mark.parametrize(
    ("inside", "images"),
    [
        ("<p><img src=a.jpg alt=老渡口></p>", [("/n/a.jpg", "老渡口")]),
        (f"<p>{ONE}<img src=a.jpg>{TWO}</p>", [("/n/a.jpg", "")]),
        ("<figure><img src=a.jpg alt=x><figcaption>何师傅 的船</figcaption></figure>", [("/n/a.jpg", "何师傅 的船")]),
        ("<img src=/blank.gif data-src=a.jpg>", [("/n/a.jpg", "")]),
        ("<img src=data:image/gif;base64,R0lG data-original=a.jpg>", [("/n/a.jpg", "")]),
        ("<img src=a.jpg width=20px height=20><img src=smile.gif><img class=avatar src=b.jpg><img>", []),
        ("<a href=/big.jpg><img src=a.jpg></a>", [("/n/a.jpg", "")]),
        (f"<div><div>广告<div><a href=/ad> <img src=ad.jpg></a></div></div><p>{ONE}</p></div>", []),
    ],
)
def test_images(inside: str, images: list[tuple[str, str]]) -> None:
    expected = tuple(Image(SITE + path, caption) for path, caption in images)
    assert run(inside).images == expected
    shown = run(inside, markdown=True).body
    assert re.findall(r"!\[(.*?)\]\((.*?)\)", shown) == [(image.caption, image.url) for image in expected]
    assert run(inside, images=False).images == ()


@pytest.mark.parametrize("sign", ["\x01", "\x0b", "\x0c", "&#1;", "&#11;", "\uffff"])
def test_control_characters_in_a_link_and_behind_it(sign: str) -> None:
    found = run(f"<p>{ONE}<a href=/old>旧{sign}<b>事</b>{sign}</a>{sign}<img src=/a.jpg>{sign}完。</p>", markdown=True)
    assert [link.url for link in found.links] == [f"{SITE}/old"]
    assert [image.url for image in found.images] == [f"{SITE}/a.jpg"]
    assert f"{SITE}/old)" in found.body and "完。" in found.body


def test_a_picture_over_the_text_and_one_below_it() -> None:
    page = Page(
        f"{MENU}<h1>渡口重开</h1><div><img src=/top.jpg><p>{ONE}</p><p>{TWO * 2}</p><img src=/end.jpg></div>{SIDE}", URL
    )
    found = Best(load_model(), True, images=True)(page)
    assert [image.url for image in found.images] == [f"{SITE}/top.jpg", f"{SITE}/end.jpg"]
    assert found.body.split("\n\n")[0] == f"![]({SITE}/top.jpg)"
    assert found.body.split("\n\n")[-1] == f"![]({SITE}/end.jpg)"


def test_text_that_is_shown_without_scripts_only() -> None:
    page = Page(f"<noscript><h1>渡口重开</h1><p>{ONE}<a href=/x>旧事</a></p><p>{TWO}</p></noscript>", URL)
    assert Best(load_model(), links=True)(page).links == (BodyLink(f"{SITE}/x", "旧事"),)


TAGS = ("p", "div", "a", "b", "pre", "h2", "td", "table", "tr", "li")
PIECES = [
    *map("<{}>".format, TAGS),
    *map("</{}>".format, TAGS),
    "<a href=/x>",
    "<img src=a.jpg>",
    "<br>",
    " ",
    "字",
    "字 字",
    "word",
    "\n",
    "\ufdd0",
]


@example("<li>字<p><img src=a.jpg><p>字")
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_markdown_without_links_and_pictures_is_what_it_was(markup: str) -> None:
    page = Page(f"<body>开始{markup}", URL)
    table = block_table(read_blocks(page, marked=True), "")
    rows = list(range(len(table.owners)))
    media = read_media(page, table.blocks, rows)
    for row, spans in media.links.items():
        assert all(0 <= start < end <= len(table.blocks.texts[row]) for start, end, _ in spans)
    shown = Rendering(table, media).markdown(rows)
    bare = re.sub(r"\[(.*?)\]\([^)]*\)", r"\1", re.sub(r"!\[\]\([^)]*\)", "", shown))
    assert bare.split() == Rendering(table).markdown(rows).split()
