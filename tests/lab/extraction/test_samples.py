"""Threads as training reads them, on made-up pages of our own."""

from pathlib import Path

import pytest

from lab.extraction.labelled import LabelledPage
from lab.extraction.samples import LONGEST, Sample, sample, shortened

OPENING = "渡口停了以后，河两岸的人要多走半个钟头，从前的摆渡人今年也搬到镇上住了。"
REPLIES = ["我小时候天天坐这里的船，那时候过河只要五分钱。", "前年路过还在，去年就没有看见了，不知道搬到哪里。"] * 2


def read(folder: Path, posts: int, kind: str = "forum") -> Sample:
    """A thread whose label holds so many of its five posts."""
    texts = [f"{number}。{text}" for number, text in enumerate([OPENING, *REPLIES])]
    path = folder / f"{posts}.html"
    markup = "".join(f"<div class=post><i>10:2{number}</i><p>{text}</p></div>" for number, text in enumerate(texts))
    path.write_text(f"<title>渡口</title>{markup}", encoding="utf-8")
    label = LabelledPage("zh/made/1", "a.cn", "zh", kind, "", "\n".join(texts[:posts]), "渡口", None, path)
    found = sample(label)
    assert found is not None
    return found


def test_a_label_of_every_post_agrees_with_itself(tmp_path: Path) -> None:
    assert read(tmp_path, 5).agreement == pytest.approx(1)
    assert 0.2 < read(tmp_path, 2).agreement < 0.8
    assert read(tmp_path, 2, "article").agreement == 1  # an article's label may leave out what looks alike


def test_threads_are_cut_short_for_training(tmp_path: Path) -> None:
    whole = read(tmp_path, 5)
    (short,) = shortened([whole, read(tmp_path, 2), read(tmp_path, 5, "article")], seed=1)
    assert short.made
    assert short.label is whole.label
    assert short.blocks is not None and whole.blocks is not None
    assert short.blocks.body == whole.blocks.body
    for text, before, size, is_body in zip(
        short.table.blocks.texts, whole.table.blocks.texts, short.blocks.sizes, short.blocks.body, strict=True
    ):
        assert before.startswith(text)
        assert size <= LONGEST if is_body else text == before
    (again,) = shortened([whole], seed=1)
    assert again.table.blocks.texts == short.table.blocks.texts
    assert short.table.blocks.texts != whole.table.blocks.texts
