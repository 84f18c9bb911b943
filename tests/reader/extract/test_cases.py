"""Small pages of our own, of kinds that went wrong abroad: verses, lists of definitions, short entries, questions."""

from __future__ import annotations

import pytest

from crawler.reader.extract.best import best
from crawler.reader.html.page import Page

MENU = "<div class=nav><a href=/>首页</a> <a href=/n>新闻</a> <a href=/b>论坛</a> <a href=/c>登录</a></div>"
ENTRIES = "".join(f"<li><a href=/{n}>江城的第{n}条热门消息</a>" for n in range(8))
SIDE = f"<div class=side><h3>热门排行</h3><ul>{ENTRIES}</ul></div>"
FOOT = "<div class=footer>关于我们 | 联系我们 | 版权所有 江城网</div>"
ONE = "镇上的老渡口本月停航，最后一班船在清晨六点离岸，船上只有三位乘客和一条黄狗，岸边站着来送行的邻居。"
TWO = "据镇政府介绍，新桥通车以后，过河的人大多改走大桥，渡口的收入不够付船工的工钱，停航是早晚的事。"
VERSES = [
    "江水向东去",
    "渡船向西还",
    "老周撑长篙",
    "斜阳落满山",
    "孩子问归期",
    "答说明年春",
    "芦花飞似雪",
    "不见渡河人",
]
ANSWERS = [
    "已经停航了，船留在岸边给人参观。",
    "新桥通了以后就没有船了，不过可以走桥过去。",
    "谢谢",
    "我上周刚去过，芦苇还没有开花。",
]


def lines(main: str, title: str = "老渡口") -> list[str]:
    head = f"<title>{title} - 江城网</title>{MENU}"
    return best(Page(f"{head}<div class=main><h1>{title}</h1>{main}</div>{SIDE}{FOOT}")).body.split("\n")


@pytest.mark.parametrize("form", ["<p>{}</p>", "{}<br>", "<div>{}</div>"])
@pytest.mark.parametrize(
    "note", ["", "<p>（注：本诗写于渡口停航之日，曾在江城诗刊上发表，收入本集时作者改动了两处文字。）</p>"]
)
def test_verses(form: str, note: str) -> None:
    verses = "".join(map(form.format, VERSES))
    assert lines(f"<div class=info>作者：林一舟 2020-03-02</div><div>{verses}{note}</div>")[: len(VERSES)] == VERSES


def test_definitions_with_breaks() -> None:
    main = f"<dl><dt>几点开？<dd>早上六点<br>{ONE}<br>周末七点<dt>船票多少钱？<dd>大人两元<br>孩子不要钱<br>{TWO}</dl>"
    assert lines(main) == ["几点开？", "早上六点", ONE, "周末七点", "船票多少钱？", "大人两元", "孩子不要钱", TWO]


def test_short_entries_and_headings() -> None:
    lists = "<h3>要带的东西</h3><ul><li>雨伞<li>零钱<li>水</ul><h3>不要带</h3><ol><li>狗<li>火柴</ol>"
    expected = [ONE, "要带的东西", "雨伞", "零钱", "水", "不要带", "狗", "火柴", TWO]
    assert lines(f"<p>{ONE}</p>{lists}<p>{TWO}</p>") == expected


def test_an_encyclopaedia_without_marks_and_boxes() -> None:
    box = "<table class=infobox><tr><th>中文名<td>老渡口<tr><th>位置<td>江边村<tr><th>建成<td>1921年</table>"
    text = f"<p>{ONE}<sup>[1]</sup></p><h2>历史<span class=mw-editsection>[<a href=/e>编辑</a>]</span></h2>"
    assert lines(f"{box}{text}<p>{TWO}<sup><a href=#2>[2-3]</a></sup></p>") == [ONE, "历史", TWO]


def test_a_question_and_its_answers() -> None:
    answers = "".join(
        f"<div class=item><a class=name>用户{n}</a> <p class=agree>赞同来自: <a>小江</a></p><div><p>{text}</p></div>"
        f"<div class=meta>2020-03-0{n + 1} <a>{n} 条评论</a> <a>分享</a> <a>举报</a></div></div>"
        for n, text in enumerate(ANSWERS)
    )
    asked = f"<div class=asked><div>{ONE}</div><div>林一舟 发起了问题 • 3 人关注 • 4 个回复 • 2020-03-02</div></div>"
    assert lines(f"{asked}<div><h2>4 个回复</h2>{answers}</div>", "老渡口还有船吗？") == [ONE, *ANSWERS]
