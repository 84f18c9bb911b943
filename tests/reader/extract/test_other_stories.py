"""Articles with other stories above and within them; the pages are made up."""

from __future__ import annotations

import pytest

from crawler.reader.extract.best import best
from crawler.reader.html.page import Page

BODY = [
    "镇上的老渡口本月停航，最后一班船在清晨六点离岸，船上只有三位乘客和一条黄狗，岸边站着来送行的邻居。",
    "据镇政府介绍，新桥通车以后，过河的人大多改走大桥，渡口的收入不够付船工的工钱，停航是早晚的事。",
    "船工老周说，船会留在岸边，供游客参观，他自己打算回家种菜，偶尔给孙子讲讲河上的事情。",
]
OTHERS = [
    "市图书馆昨日公布上半年的借阅榜，小说占去前十名中的七席，历史类图书的借阅量比去年同期增加了两成，馆方表示将延长开放时间。",
    "气象台预计未来三天有持续降雨，山区需要防范滑坡，城区低洼路段可能积水，请市民出行时留意交通信息，备好雨具。",
    "第三届稻田音乐节将于秋分当天开幕，主办方邀请了十支乡村乐队，观众可以坐在收割后的田埂上听歌，门票收入全部用于修水渠。",
    "中学生机器人比赛在体育馆举行，六十支队伍参加，题目是搬运积木，冠军队的机器人只用了四十秒，评委称赞它的程序写得简洁。",
]
TITLES = ["上半年借阅榜公布", "未来三天持续降雨", "稻田音乐节秋分开幕", "中学生机器人比赛举行"]


def page(behind: str, heading: str = "老渡口本月停航", head: str = "") -> str:
    body = "".join(f"<p>{line}</p>" for line in BODY)
    line = "<div class=info>2026-05-02 10:20 来源：河边日报</div>"
    own = f"<div class=article>{head}<h1>{heading}</h1>{line}<div>{body}</div></div>"
    menu = "<ul class=nav><li><a href=/>首页</a><li><a href=/news>新闻</a></ul>"
    return f"<html><head><title>{heading}</title></head><body>{menu}{own}{behind}<p>版权所有 河边日报</p></body></html>"


def cards(heading: str, date: str = "<p class=time>2026-05-0{n} 08:30</p>") -> str:
    return "".join(
        f"<div class=card>{heading.format(title=title, n=n)}{date.format(n=n + 1)}"
        f"<p>{text}</p><p>{text[::-1]}</p></div>"
        for n, (title, text) in enumerate(zip(TITLES, OTHERS, strict=True))
    )


ONE = "<div class=lead><h3><a href=/x{n}>{title}</a></h3><p>{text}</p><i>2026-04-0{day} 07:10</i></div>"


@pytest.mark.parametrize("number", [1, 2, 4])
def test_what_stands_above_the_title_is_a_teaser(number: int) -> None:
    """The page's own title with its date is no other story."""
    rows = enumerate(zip(TITLES[:number], OTHERS, strict=False))
    leads = "".join(ONE.format(n=n, title=title, text=text, day=n + 1) for n, (title, text) in rows)
    found = best(Page(page("", head=f"<div class=leads>{leads}</div>")))
    assert found.body.split("\n") == BODY
    assert found.title == "老渡口本月停航"
    assert found.published == "2026-05-02T10:20:00"


def test_nothing_is_cut_where_the_text_goes_on() -> None:
    box = f"<div class=box><h4><a href=/x>{TITLES[0]}</a></h4><span>2026-04-30</span></div>"
    inside = page("").replace(f"<p>{BODY[1]}</p>", f"<p>{BODY[1]}</p>{box}")
    found = best(Page(inside)).body.split("\n")
    assert [line for line in found if line in BODY] == BODY


@pytest.mark.parametrize(
    "head",
    [
        # A list of others above the text, with their dates.
        "".join(f"<h3><a href=/x{n}>{title}</a></h3><i>2026-05-0{n + 1}</i>" for n, title in enumerate(TITLES)),
        "<h2><a href=#a>一、停航</a></h2>",
    ],
)
def test_what_is_no_stream(head: str) -> None:
    found = best(Page(page("", head=head))).body
    assert all(line in found for line in BODY)


def test_parts_of_a_manual_that_link_to_themselves() -> None:
    parts = cards("<h2><a href='#part{n}'>{title}</a></h2>", "")
    found = best(Page(page("").replace(f"<p>{BODY[2]}</p>", f"<p>{BODY[2]}</p>{parts}"))).body
    assert all(text in found for text in OTHERS)


def test_sections_of_a_text_have_headings_without_dates() -> None:
    parts = cards("<h3>{title}</h3>", "")
    found = best(Page(page("").replace(f"<p>{BODY[2]}</p>", f"<p>{BODY[2]}</p>{parts}"))).body
    assert all(text in found for text in OTHERS)


def test_a_digest_keeps_its_parts() -> None:
    """Headings that are links, without a date of their own, are parts of one text."""
    behind = "".join(
        f"<h2><a href=/x{n}>{title}</a></h2><p>{text}</p>"
        for n, (title, text) in enumerate(zip(TITLES, OTHERS, strict=True))
    )
    found = best(Page(page("").replace(f"<p>{BODY[2]}</p>", f"<p>{BODY[2]}</p>{behind}"))).body
    assert all(text in found for text in OTHERS)
