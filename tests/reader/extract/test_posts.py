"""What is told of the posts of a thread, on small pages of our own."""

import numpy as np
import pytest

from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import BlockTable, block_table
from crawler.reader.extract.posts import FAR
from crawler.reader.html.page import Page

OPENING = "渡口停了以后，河两岸的人要多走半个钟头，从前的摆渡人今年也搬到镇上住了。"
REPLIES = ["从前总坐这船。", "前年路过还在。", "桥通了没有？", "通了，去年秋天。"]


def read(markup: str) -> tuple[BlockTable, dict[str, np.ndarray]]:
    table = block_table(read_blocks(Page(markup)), "")
    columns = dict(zip(table.names, table.matrix.T, strict=True))
    return table, {name[5:]: column for name, column in columns.items() if name.startswith("post_")}


def reply(number: int, text: str, name: str = "post") -> str:
    return f"<div class={name}{number}><div class=author>客{number}</div><p>10:2{number}</p><p>{text}</p></div>"


def thread(replies: list[str]) -> str:
    posts = "".join(reply(number, text) for number, text in enumerate(replies))
    return f"<h1>渡口</h1><div>{OPENING}</div><div>{posts}</div><div>版权所有</div>"


def rows(table: BlockTable, texts: list[str]) -> list[int]:
    return [table.blocks.texts.index(text) for text in texts]


def test_posts_are_found_whatever_the_numbers_in_their_class_names() -> None:
    table, of = read(thread(REPLIES))
    own = rows(table, REPLIES)
    assert np.expm1(of["count"][own]) == pytest.approx([4] * 4)
    assert of["stamped"][own].tolist() == of["named"][own].tolist() == [1] * 4
    assert np.expm1(of["index"][own]) == pytest.approx([0, 1, 2, 3])
    assert of["level"][own].tolist() == [1] * 4


def test_the_opening_post_is_told_of_the_posts_behind_it() -> None:
    table, of = read(thread(REPLIES))
    (opening,) = rows(table, [OPENING])
    assert of["count"][opening] == 0
    assert np.expm1(of["page_count"][opening]) == pytest.approx(4)
    assert np.expm1(of["until_best"][opening]) == pytest.approx(1)
    assert of["in_best"].tolist() == [0, 0, *[1] * 12, 0]
    assert np.expm1(of["since_best"][-1]) == pytest.approx(1)


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" + "".join(f"<p>{text}</p>" for text in REPLIES) + "</div>",  # paragraphs tell no date
        thread([]),
        f"<p>{OPENING}</p>",
    ],
)
def test_no_posts(markup: str) -> None:
    _, of = read(markup)
    assert not of["count"].any()
    assert not of["page_count"].any()
    assert np.expm1(of["until_best"]) == pytest.approx([FAR] * len(of["until_best"]))
