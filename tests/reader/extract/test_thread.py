"""What the posts of a thread say of each other, on small pages of our own."""

import numpy as np
import pytest

from crawler.reader.extract.best import best
from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import BlockTable, block_table
from crawler.reader.extract.thread import SPOKEN, whole_thread, with_replies
from crawler.reader.html.page import Page
from crawler.records import PageKind

TITLE = "冬天的水库用什么饵料"
RULES = "本版只谈钓鱼，买卖请去别处，违者删帖。"
OPENING = "上周在水库守了一夜，只钓到三条小的，大家最近用什么饵？"
REPLIES = ["蚯蚓。", "我用玉米，效果还行。", "天冷了都不开口。"]


def post(name: str, text: str) -> str:
    return f"<div class=post><div class=author>{name}</div><i>10:2{len(text) % 10}</i><div>{text}</div></div>"


def thread(texts: list[str], title: str = "h1") -> BlockTable:
    posts = "".join(post(f"钓友{number}", text) for number, text in enumerate(texts))
    markup = f"<title>{TITLE}</title><div>{RULES}</div><{title}>{TITLE}</{title}><div>{posts}</div>"
    return block_table(read_blocks(Page(markup)), TITLE)


def rows(table: BlockTable, texts: list[str]) -> list[int]:
    return [table.blocks.texts.index(text) for text in texts]


def chosen(table: BlockTable, texts: list[str]) -> np.ndarray:
    taken = np.zeros(len(table.blocks.texts), np.bool_)
    taken[rows(table, texts)] = True
    return taken


def chances(table: BlockTable, texts: list[str], chance: float) -> np.ndarray:
    known = np.zeros(len(table.blocks.texts), np.float32)
    known[rows(table, texts)] = chance
    return known


def said(table: BlockTable, taken: np.ndarray) -> list[str]:
    return [table.blocks.texts[row] for row in np.flatnonzero(taken)]


@pytest.mark.parametrize(
    ("holder", "message"),
    [
        ("<table id=pid{n}><tr><td>{who}</td><td>{said}{sign}</td></tr></table>", "<div id=postmessage_{n}>"),
        ("<div class=aw-item><p>{who} - {sign}</p><p>赞同来自: 何水</p>{said}</div>", "<div class='markitup-box'>"),
        ("<div class=postbody><p>{who}</p>{said}{sign}</div>", "<div class=content>"),
        (
            "<div class=post><div class=inner><p>{who}</p><div class=postbody>{said}{sign}</div></div></div>",
            "<div class=content>",
        ),
        (
            "<div class=message>{who}{said}<div class=message-signature><div class=bbWrapper>{sign}</div></div></div>",
            "<div class=bbWrapper>",
        ),
        ("<li itemscope itemtype='https://schema.org/Answer'><p>{who}</p>{said}{sign}</li>", "<div itemprop=text>"),
    ],
)
def test_messages_that_the_program_marks_are_the_posts(holder: str, message: str) -> None:
    rules = "<div class=ad><p>本版只谈钓鱼，不谈别的，违者删除，请各位钓友遵守，谢谢大家的配合。</p></div>"
    posts = "".join(
        holder.format(
            n=n,
            who=f"<a href=/u/{n}>钓友{n}</a> 2020-03-0{n + 1}",
            sign="<i>钓的不是鱼</i>",
            said=f"{message.format(n=n)}{text}</div>",
        )
        for n, text in enumerate(["老渡口还有船吗？", "没有了。", "谢谢楼上，我去看看", "+1"])
    )
    found = best(Page(f"<title>老渡口</title>{rules}<h1>老渡口</h1><div>{posts}</div><form>{rules}</form>"))
    assert found.kind is PageKind.THREAD
    assert found.body.split("\n") == ["老渡口还有船吗？", "没有了。", "谢谢楼上，我去看看", "+1"]
    told = [(f"钓友{n}", f"2020-03-0{n + 1}") for n in range(4)]
    assert [(post.author, post.published) for post in found.posts] == told


def test_where_most_posts_are_silent_nothing_is_known_of_them() -> None:
    table = thread([OPENING, *REPLIES])
    taken = chosen(table, [RULES, OPENING])
    assert said(table, whole_thread(table, taken)) == [RULES, OPENING]


@pytest.mark.parametrize(("title", "found"), [("h1", []), ("h3", []), ("p", [RULES])])
def test_what_stands_above_the_heading_is_no_post(title: str, found: list[str]) -> None:
    table = thread([OPENING, *REPLIES], title)
    taken = chosen(table, [RULES, OPENING, *REPLIES])
    assert said(table, whole_thread(table, taken)) == [*found, OPENING, *REPLIES]


def test_a_body_that_stands_above_the_heading_stays() -> None:
    table = thread([OPENING, *REPLIES])
    taken = chosen(table, [RULES])
    assert said(table, whole_thread(table, taken)) == [RULES]


@pytest.mark.parametrize(
    ("texts", "chance", "found"),
    [
        (REPLIES, SPOKEN + 0.01, REPLIES),  # though each by itself is likelier to be none
        (REPLIES, SPOKEN - 0.01, []),
        (REPLIES[:1], SPOKEN + 0.01, []),  # two of one look may be anything
    ],
)
def test_what_comes_back_between_dates_is_taken_together(texts: list[str], chance: float, found: list[str]) -> None:
    table = thread([OPENING, *texts])
    whole = with_replies(table, chosen(table, [OPENING]), chances(table, [OPENING, *texts], chance))
    assert said(table, whole) == [OPENING, *found]


def test_a_page_without_posts_stays_as_it_is() -> None:
    table = block_table(read_blocks(Page(f"<p>{RULES}</p><h1>{TITLE}</h1><p>{OPENING}</p>")), TITLE)
    assert table.posts.shape == (0, 2)
    taken = chosen(table, [RULES, OPENING])
    assert (whole_thread(table, taken) == taken).all()


def test_posts_are_told_by_their_first_block_and_the_one_behind_their_last() -> None:
    table = thread([OPENING, *REPLIES])
    assert [rows(table, [text])[0] for text in (OPENING, *REPLIES)] == (table.posts[:, 1] - 1).tolist()
    assert (table.posts[1:, 0] == table.posts[:-1, 1]).all()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("本帖最后由 钓友一 于 2021-5-14 12:11 编辑", False),
        ("[ 此帖被钓友一在2009-03-01 10:20重新编辑 ]", False),
        ("最后编辑于 2021-05-14", False),
        ("本帖最後由 釣友 於 2021-5-14 編輯", False),
        ("钓友一 发表于 2021-5-14 12:11", False),
        ("小鱼儿 写道：", False),
        ("他的文章 发表于 《钓鱼》杂志", True),
        ("本帖由我编辑。谁要补充？说一声就改", True),
        ("最后编辑于心不忍", True),
    ],
)
def test_who_edited_a_post_is_none_of_its_words(text: str, kept: bool) -> None:
    table = thread([OPENING, text, *REPLIES])
    taken = chosen(table, [OPENING, text, *REPLIES])
    assert (text in said(table, whole_thread(table, taken))) is kept
