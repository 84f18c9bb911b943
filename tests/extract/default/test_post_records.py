"""The posts of a thread as records; the pages are made up, in the forms of forums' usual programs."""

from __future__ import annotations

import pytest

from crawler.extract.default.best import best, best_markdown
from crawler.extractors import Extractor
from crawler.html.page import Page
from crawler.records import Extraction, PageKind, Post

SAID = [
    "今天去看了老渡口，船已经停了，只剩下一块石碑，上面写着修路的人名，风把灰吹得到处都是，想找人问问也没有。",
    "我小时候常在那里坐船去对岸看外婆，五分钱一次，船工姓周，下雨天他也撑船，后来修了桥就没有人坐船了。",
    "桥是一九九八年通车的，通车那天全镇的人都去走了一遍，我还留着当天的照片，改天扫描了传上来给大家看看。",
    "石碑去年被人搬到镇上的文化站去了，要看得早点去，下午四点就关门，星期一休息，门口有个老人会讲故事。",
]
NAMES = ["江边人", "老周", "过桥米线", "文化站"]


def forum(posts: list[str], title: str = "老渡口还在吗", extract: Extractor = best) -> Extraction:
    body = "".join(posts)
    head = f"<head><title>{title} - 河边论坛</title></head>"
    menu = "<div class=nav><a href=/>河边论坛</a> <a href=/f1>闲话</a></div>"
    foot = "<div class=foot><a href=/about>关于我们</a> Powered by Discuz! 版权所有</div>"
    return extract(
        Page(
            f"<html>{head}<body>{menu}<h1>{title}</h1>{body}{foot}</body></html>",
            "http://bbs.a.example/thread-1-1.html",
        )
    )


def discuz(number: int, said: str, quote: str = "") -> str:
    quoted = f"<div class=quote><blockquote>{quote}</blockquote></div>" if quote else ""
    return (
        f"<div id=post_{number} class=plhin><table><tr><td class=pls>"
        f"<div class=authi><a href=/u{number}>{NAMES[number]}</a></div><p>帖子 {number}12</p></td>"
        f"<td class=plc><div class=pi><strong><a href=#>{number + 1}#</a></strong>"
        f"<div class=authi>发表于 2026-3-{number + 1} 10:0{number}</div></div>"
        f"<div class=t_f>{quoted}{said}</div></td></tr></table></div>"
    )


def test_posts() -> None:
    found = forum([discuz(n, said) for n, said in enumerate(SAID)])
    assert found.kind is PageKind.THREAD
    days = [f"2026-03-0{n + 1}T10:0{n}:00" for n in range(len(SAID))]
    assert found.posts == tuple(Post(said, NAMES[n], days[n], n + 1) for n, said in enumerate(SAID))
    assert found.body == "\n".join(SAID)


def test_quotes_are_apart() -> None:
    posts = [discuz(n, said, SAID[0] if n == 2 else "") for n, said in enumerate(SAID)]
    found = forum(posts)
    assert [(post.text, post.quote) for post in found.posts][2] == (SAID[2], SAID[0])
    assert all(not post.quote for n, post in enumerate(found.posts) if n != 2)


def test_markdown() -> None:
    listed = [
        f"<p>{said}</p><ul><li>东岸的旧码头，石阶还在，退水以后能走下去。</li><li>西岸的候船室，门窗都没有了，只剩下一面墙。</li></ul>"
        for said in SAID
    ]
    posts = [discuz(n, said, SAID[0] if n == 2 else "") for n, said in enumerate(listed)]
    found = forum(posts, extract=best_markdown)
    bank, room = "东岸的旧码头，石阶还在，退水以后能走下去。", "西岸的候船室，门窗都没有了，只剩下一面墙。"
    assert found.posts[1].text.endswith(f"{SAID[1]}\n\n- {bank}\n- {room}")
    assert found.posts[2].quote == SAID[0], "a quote is a field of its own and needs no marks"


def test_their_texts_are_the_body() -> None:
    found = forum([discuz(n, said, SAID[0] if n == 3 else "") for n, said in enumerate(SAID)])
    said = {line for post in found.posts for part in (post.quote, post.text) for line in part.split("\n") if line}
    assert said == set(found.body.split("\n"))


@pytest.mark.parametrize("markup", ["<title>a</title><p>" + SAID[0] * 5, "<p>x"])
def test_other_pages_have_none(markup: str) -> None:
    assert best(Page(markup)).posts == ()
