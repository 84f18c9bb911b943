"""Threads made for training, of pages of our own."""

from pathlib import Path

import numpy as np

from crawler.reader.extract.model import KINDS
from crawler.reader.html.page import Page
from lab.extraction.labelled import LabelledPage
from lab.extraction.samples import Sample, sample, teaches
from lab.extraction.training import kind_class
from lab.threads.compose import page
from lab.threads.made import COUNTS, made_threads
from lab.threads.random_shapes import random_shape
from lab.threads.shapes import shapes
from lab.threads.slots import MARK, Post, Thread

LINES = [
    "镇上的钟楼去年停了三个月，修钟的师傅从邻县请来，带着两只木箱。",
    "他先把摆锤拆下来擦了一遍，又换了两根断掉的钢丝。",
    "现在钟声比从前慢半拍，老人们说这样才像小时候听到的。",
]
THREAD = Thread(
    "钟楼什么时候修好",
    (
        Post("老钱", ("听说要停三个月", "有人知道吗")),
        Post("小孟", ("下个月就好了",), "听说要停三个月", (Post("阿良", ("你怎么知道的",)),)),
        Post("老钱", ("谢谢",)),
    ),
    ("别的帖子",) * 30,
)
SAID = ["听说要停三个月", "有人知道吗", "下个月就好了", "谢谢"]


def read(folder: Path, name: str) -> Sample:
    path = folder / f"{name}.html"
    body = "".join(f"<p>{line}</p>" for line in LINES)
    path.write_text(f"<title>钟楼</title><div>首页</div><h1>钟楼</h1>{body}<div>版权所有</div>", encoding="utf-8")
    label = LabelledPage(f"zh/own/{name}", f"{name}.cn", "zh", "article", "", "\n".join(LINES), "钟楼", None, path)
    found = sample(label)
    assert found is not None
    return found


def marked(markup: str) -> str:
    """The text of a page, a mark before each text of the body."""
    return str(Page(markup).tree.text_content())


def test_each_text_of_each_post_is_marked_in_every_shape() -> None:
    random = np.random.default_rng(5)
    for shape in [*shapes(), *(random_shape(number, random) for number in range(40))]:
        text = marked(page(shape, THREAD, random))
        for said in SAID:
            assert MARK + said in text, shape.family
        assert "别的帖子" not in text or MARK + "别的帖子" not in text
        assert MARK + "老钱" not in text
        if shape.reply:
            assert f"{MARK}你怎么知道的" in text, shape.family


def test_of_an_article_its_text_alone_is_marked() -> None:
    random = np.random.default_rng(6)
    article = Thread(THREAD.title, THREAD.posts, THREAD.others, "article")
    for number in range(30):
        text = marked(page(random_shape(number, random), article, random))
        assert text.count(MARK) == 2
        assert MARK + "听说要停三个月" in text
        assert "下个月就好了" in text


def test_made_threads_teach_with_exact_labels(tmp_path: Path) -> None:
    known = [read(tmp_path, name) for name in ("a", "b")]
    made = made_threads(known, 40, seed=1)
    assert len(made) == 40
    assert {KINDS[kind_class(item.label.kind)] for item in made} == {"article", "forum", "list"}
    for item in made:
        assert item.made
        assert item.counts == COUNTS
        assert teaches(item) == (item.label.kind != "list")
        if item.blocks is None:
            continue
        assert len(item.blocks.body) == len(item.table.blocks.texts)
        assert not any(MARK in text for text in item.table.blocks.texts)
        assert MARK not in item.table.title
    again = made_threads(known, 40, seed=1)
    assert [item.table.blocks.texts for item in again] == [item.table.blocks.texts for item in made]
    assert (again[7].table.matrix == made[7].table.matrix).all()


def test_without_chinese_pages_none_is_made() -> None:
    assert made_threads([], 10, seed=1) == []
