"""The posts of a thread as records; the pages are made up, in the forms of forums' usual programs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from crawler.extractors import Extractor
from crawler.reader.extract.best import best, best_markdown
from crawler.reader.extract.post_records import _time, begun
from crawler.reader.html.page import Page
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


DATES = [f"2016-03-0{n + 1} 10:2{n}" for n in range(len(SAID))]
SIGN = "天道酬勤，我的签名"


def older_discuz(n: int, said: str, name: str, date: str) -> str:
    left = f"<td class=postauthor><cite><a href=space.php?uid={n}>{name}</a></cite><p>注册 2008-1-1</p></td>"
    head = (
        f"<div class=postinfo><strong>{n + 1}楼</strong> <em>大</em> <em>小</em> 发表于 {date} <a>只看该作者</a></div>"
    )
    text = f"<div class=postmessage><div id=postmessage_{n} class=t_msgfont>{said}</div></div>"
    sign = f"<div class=signatures>{SIGN}</div>"
    return f"<table id=pid{n}><tr>{left}<td class=postcontent>{head}{text}{sign}</td></tr></table>"


def words_discuz(n: int, said: str, name: str, date: str) -> str:
    left = f"<td class=pls><div class=authi><a href=space-uid-{n}.html>{name}</a></div></td>"
    told = f"<em id=authorposton{n}>发表于 <span title='{date}:30'>{n + 1}&nbsp;天前</span></em>"
    head = f"<div class=pi><strong><a><em>{n + 1}</em><sup>#</sup></a></strong><div class=authi>{told}</div></div>"
    text = f"<table><tr><td class=t_f id=postmessage_{n}>{said}</td></tr></table>"
    return f"<div id=post_{n}><table><tr>{left}<td class=plc>{head}{text}</td></tr></table></div>"


def phpwind(n: int, said: str, name: str, date: str) -> str:
    left = (
        f"<div class=readName><a href=u.php?uid={n}>{name}</a></div><div>级别: 新手</div><div>注册时间:2009-02-02</div>"
    )
    head = f"<div class=tipTop><a class=s2>{n + 1}楼</a> <span title='{date}'>发表于: {date}</span></div>"
    text = f"<div class=tpc_content id=read_{n}>{said}</div><div class=signature>{SIGN}</div>"
    return f"<div class=read_t><table><tr><td class=l>{left}</td><td class=r>{head}{text}</td></tr></table></div>"


def tieba(n: int, said: str, name: str, date: str) -> str:
    left = f"<div class=d_author><ul><li class=d_name><a href=/home?un={n}>{name}</a></li><li>等级 {n}</li></ul></div>"
    tail = f"<span class=tail-info>来自Android客户端</span><span>{n + 1}楼</span><span>{date}</span> <a>回复({n})</a>"
    return (
        f"<div class=l_post>{left}<div><div class=d_post_content>{said}</div><div class=tail>{tail}</div></div></div>"
    )


def phpbb(n: int, said: str, name: str, date: str) -> str:
    left = f"<dl class=postprofile><dt><a href=u{n}>{name}</a></dt><dd>Posts: 12</dd><dd>Joined: 2008-03-04</dd></dl>"
    head = f"<p class=author>by <strong><a href=u{n}>{name}</a></strong> » {date}</p>"
    return f"<div id=p{n} class=post>{left}<div class=postbody>{head}<div class=content>{said}</div></div></div>"


def discourse(n: int, said: str, name: str, date: str) -> str:
    name = f"<span class=creator itemprop=author><a href=/u/{n}><span itemprop=name>{name}</span></a></span>"
    head = f"{name} <time itemprop=datePublished class=post-time>{date}</time>"
    return f"<div class=topic-body><div class=meta>{head}</div><div class=post itemprop=text>{said}</div></div>"


def stackexchange(n: int, said: str, name: str, date: str) -> str:
    who = f"<div class=user-details><a href=/u/{n}>{name}</a><div class=reputation-score>{n}20</div></div>"
    signed = f"<div class=time>answered <span title='{date}:00Z' class=relativetime>2 days ago</span></div>{who}"
    return f"<div class=answer><div class=votecell>{n}</div><div><div class=prose>{said}</div>{signed}</div></div>"


def wecenter(n: int, said: str, name: str, date: str) -> str:
    head = f"<a class=aw-user-name href=/people/{n}>{name}</a><p class=agree>赞同来自: <a>某人</a></p>"
    foot = f"<div class=meta><span>{date}</span> <a>{n} 条评论</a> <a>分享</a> <a>举报</a></div>"
    return f"<div class=aw-item>{head}<div class=markitup-box>{said}</div>{foot}</div>"


def replies(n: int, said: str, name: str, date: str) -> str:
    head = f"<strong><a href=/member/{n}>{name}</a></strong> <span class=ago title='{date}:00 +08:00'>{n} 天前</span>"
    return f"<div id=r_{n} class=cell>{head} <span class=no>{n + 1}</span><div class=reply_content>{said}</div></div>"


def xenforo(n: int, said: str, name: str, date: str) -> str:
    card = f"<h4><a href=/m/{n}>{name}</a></h4><h5>Full Member</h5>"
    joined = f"<dl><dt><i class=icon></i></dt><dd>2009-07-0{n + 1}</dd><dt>1,04{n}</dt></dl>"
    head = f"<ul><li><a href=#{n}>{date}</a></li><li><a href=#{n}>#{n + 1}</a></li></ul>"
    return f"<article class=message>{card}{joined}<div>{head}<div class=bbWrapper>{said}</div></div></article>"


def striped(n: int, said: str, name: str, date: str) -> str:
    return buttons(n, said, name, date).replace("<div class=answer>", f"<div class='answer bg{n % 2 + 1}'>", 1)


def buttons(n: int, said: str, name: str, date: str) -> str:
    foot = "<a href=/share>Share</a> <div><a href=/edit>Improve this answer</a></div><li><a href=/t>topic</a></li>"
    signed = f"<div>answered {date}</div><div class=user-details><a href=/u/{n}>{name}</a></div>"
    return f"<div class=answer><div class=prose>{said}</div>{foot}{signed}</div>"


def mentions(n: int, said: str, name: str, date: str) -> str:
    to = f"<div class=to><a href=#>@u8964 #{n}</a></div>" if n else ""
    head = f"<div class=user><a href=/u{n}>{name} at {date}</a> <span>#{n + 1}</span></div>"
    return f"<div class=post>{to}{head}<div class=said>{said}</div></div>"


def two_tags(n: int, said: str, name: str, date: str) -> str:
    """Those of who began the thread are other elements than the answers."""
    tag = "article" if n % 2 else "div"
    head = f"<header><div><a href=/m/{n}>{name}</a></div><div><a href=#{n}>#{n + 1} · {date}</a></div></header>"
    return f"<{tag} class=post{n % 2}>{head}<div class=said>{said}</div></{tag}>"


def handles(n: int, said: str, name: str, date: str) -> str:
    head = f"<div class=author>{name}<i>@{name.lower()}</i></div><div class=meta>#{n + 1} · {date}</div>"
    return f"<div class=post>{head}<div class=said>{said}</div></div>"


def signed(n: int, said: str, name: str, date: str) -> str:
    """Each text is short, and the line behind it looks like one at the beginning of the next."""
    head = f"<h3 class=user><a href=/u{n}>{name}</a> Well-Known Member</h3>"
    return f"<li class=message>{head}<blockquote>{said}</blockquote><div class=meta>{name}, {date} IP</div></li>"


def cards(n: int, said: str, name: str, date: str) -> str:
    card = f"<dl><dt>{name}</dt><dd class=user>Quiet neighbour</dd><dd>Registered: 2009-01-2{n}</dd></dl>"
    return f"<div class=blockpost><h2><a href=#{n}>#{n + 1} {date}</a></h2>{card}<div>{said}</div></div>"


def empty_times(n: int, said: str, name: str, date: str) -> str:
    """A script writes the times."""
    told = f"<span>wrote on <a class=timeago title={date.replace(' ', 'T')}:23.066Z></a></span>"
    return f"<li class=post><div class=author><a href=/u{n}>{name}</a> {told}</div><div class=said>{said}</div></li>"


def weekdays(n: int, said: str, name: str, date: str) -> str:
    head = f"<a href=#{n}><time datetime='{date.replace(' ', 'T')}:38-0700'>Wednesday at 7:19 PM</time></a>"
    return f"<li class=post><h4><a href=/u{n}>{name}</a></h4>{head}<div class=said>{said}</div></li>"


def plain_names(n: int, said: str, name: str, date: str) -> str:
    return f"<div class=post><div><p>{name}</p><p>{date}</p></div><div class=said>{said}</div></div>"


def plain_lines(n: int, said: str, name: str, date: str) -> str:
    return f"<div class=post><p>{name} &middot; {date}</p><div class=said>{said}</div></div>"


def behind_titles(n: int, said: str, name: str, date: str) -> str:
    head = f"<a href=#{n}>Re: Ferry</a> by <a href=/u{n}>{name}</a>: 9:43pm On {date}"
    return f"<div class=post><div>{head}</div><div class=said>{said}</div><p><a href=#>Copy Post</a></p></div>"


def microdata(n: int, said: str, name: str, date: str) -> str:
    """Name and time are in attributes alone."""
    who = f"<div class=user itemprop=author><meta itemprop=name content='{name}'><a href=/u{n}>Level {n}</a></div>"
    told = f"<meta itemprop=datePublished content='{date.replace(' ', 'T')}:10Z'><div><a href=#>#{n + 1}</a></div>"
    return f"<div class=answer itemscope>{told}<div class=prose>{said}</div><li><a href=/t>topic</a></li>{who}</div>"


def marked_too_much(n: int, said: str, name: str, date: str) -> str:
    """Microdata call the whole post its author."""
    return f"<div class=post itemprop=author><p>{name} &middot; {date}</p><div class=said>{said}</div></div>"


def ranks(n: int, said: str, name: str, date: str) -> str:
    head = f"<div class=user><a href=/u{n}>{name}</a>{('1,136', ' Staff', ' ・', ' ✭✭')[n]}</div>"
    return f"<div class=post>{head}<time>{date}</time><div class=said>{said}</div></div>"


@pytest.mark.parametrize(
    "form",
    [
        microdata,
        marked_too_much,
        ranks,
        empty_times,
        weekdays,
        plain_names,
        plain_lines,
        behind_titles,
        signed,
        cards,
        two_tags,
        handles,
        xenforo,
        buttons,
        striped,
        mentions,
        older_discuz,
        words_discuz,
        phpwind,
        tieba,
        phpbb,
        discourse,
        stackexchange,
        wecenter,
        replies,
    ],
)
def test_dates_and_authors_of_other_programs(form: Callable[[int, str, str, str], str]) -> None:
    posts = forum([form(n, *each) for n, each in enumerate(zip(SAID, NAMES, DATES, strict=True))]).posts
    assert [(post.text, post.author) for post in posts] == list(zip(SAID, NAMES, strict=True))
    assert [(post.published or "")[:16].replace("T", " ") for post in posts] == DATES
    assert [post.floor for post in posts] == [1, 2, 3, 4]


def test_posts_begin_where_more_of_them_have_a_text() -> None:
    """Of two posts the cards of who wrote come again, whose day is that on which they joined."""
    card = "<table><div class=user><a href=/u>{}</a><p>Joined: 2019年2月1日</p></div><p>{}</p><p>{}</p></table>"
    found = forum([card.format(*each) for each in zip(NAMES[:2], DATES, SAID, strict=False)]).posts
    assert [(post.text, (post.published or "")[:10]) for post in found] == [(SAID[n], DATES[n][:10]) for n in (0, 1)]


def test_the_time_of_an_attribute_comes_behind_that_which_is_shown() -> None:
    assert _time([("June 14, 2024", "2024-06-15T01:02:03Z")]) == "2024-06-14"
    assert _time([("Last edited on Monday", "2024-06-15"), ("Monday", "2024-06-14T01:02Z")]) == "2024-06-14T01:02:00Z"


@pytest.mark.parametrize(
    ("days", "page", "day"),
    [
        (("2011-02-11T23:49:00", "2011-02-12T01:01:43"), "2011-02-12T01:01:43Z", "2011-02-11T23:49:00"),
        (("2024-11-29T13:50:00", "2024-01-12"), "2024-11-30", "2024-11-29T13:50:00"),
        (("2024-11-29T13:50:00", "2024-01-12"), "2024-01-12", "2024-01-12"),  # of neither it is known which is right
        (("2023-02-08", "2024-07-06T10:00:00"), "2024-07-05", "2024-07-05"),  # a day alone may be of its author
        ((None, "2024-07-06T10:00:00"), "2024-07-05", "2024-07-05"),
        ((), "2024-07-05", "2024-07-05"),
        (("2024-07-06T10:00:00", None), None, "2024-07-06T10:00:00"),
    ],
)
def test_a_threads_day_is_that_of_its_first_post(days: tuple[str | None, ...], page: str | None, day: str) -> None:
    assert begun([Post("a", "", told, 1) for told in days], page) == day
