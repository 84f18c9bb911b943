"""A topic's user dictionary: its words are cut alike wherever the topic's texts are cut."""

from __future__ import annotations

import asyncio
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.crawl.pool import Pool
from crawler.errors import TopicError
from crawler.reader.text import segmenters
from crawler.records import Analysis, Extraction, Link
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from tests.commands.conftest import Run, run
from zhuti.topics.command import Command

__all__ = ["run"]
WORD = "渡船码头"  # jieba: 渡船 码头
PLAIN = "texts = ['渡船码头在河的南边，渡船码头的船天亮之前不开。', '到渡船码头去，要走过石桥。']\n"
OWN = f"dictionaries = ['own.txt']\n{PLAIN}"
PAGE = f"<title>{WORD}</title><p>{'天亮以前，渡船码头没有一个人。' * 9}</p><a href='/x'>{WORD}的船</a>"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "own.txt").write_text(f"{WORD} 9 n\n", encoding="utf-8")
    (tmp_path / "plain.toml").write_text(PLAIN, encoding="utf-8")
    (tmp_path / "ferry.toml").write_text(OWN, encoding="utf-8")
    return tmp_path / "ferry.toml"


async def in_the_pool(topic: Topic) -> Analysis:
    pool = Pool("plain", processes=1, timeout=60.0)
    try:
        await pool.take(topic)
        return await pool.analyse("http://a.example/", PAGE.encode(), "utf-8")
    finally:
        await asyncio.to_thread(pool.close)


def test_learned_judged_and_in_links_by_both_segmenters_and_in_another_process(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = []
    for segmenter in ("jieba", "rjieba"):
        monkeypatch.setattr(segmenters, "used", lambda name=segmenter: name)
        topic = Topic.load(path).learn()
        assert topic.vector is not None and topic.vector.relevance(WORD) == 1.0 and not topic.vector.relevance("渡船")
        judge = Judge(topic)
        near = judge.judge(Extraction(body=f"天亮以前，{WORD}没有一个人。" * 9)).nearness
        [outlink] = judge.outlinks([Link("http://a.example/x", WORD)])
        assert outlink.anchor_relevance == 1.0, "the anchor is one word, the weightiest"
        away = asyncio.run(in_the_pool(topic))
        assert away.judgement.on_topic and away.outlinks[0].anchor_relevance > 0.5
        judged.append((topic.vector, near, away.judgement, away.outlinks))
    assert judged[0] == judged[1]


def test_what_is_learned_depends_on_the_words(path: Path) -> None:
    topic = Topic.load(path).learn()
    topic.save_learned()
    assert Topic.load(path).vector == topic.vector
    path.with_name("own.txt").write_text("# no entry\n", encoding="utf-8")
    with pytest.raises(TopicError, match=r"own.txt, line 1: '# no entry' is not an entry"):
        Topic.load(path)
    path.with_name("own.txt").write_text("石桥边 3\n", encoding="utf-8")
    assert Topic.load(path).vector is None, "it is learned again"
    without = Topic.load(path.with_name("plain.toml"))
    assert replace(without, dictionaries=()).digest == without.digest != topic.digest


def test_it_travels_with_the_topic(path: Path) -> None:
    topic = Topic.load(path)
    assert pickle.loads(pickle.dumps(topic)).lexicon == topic.lexicon
    assert [word.text for word in topic.lexicon] == [WORD]


def test_topic_show(path: Path, run: Run) -> None:
    shown = run(Command(), "show", str(path), "--words", "1")
    assert shown.out.splitlines()[1] == f"  1.000  {WORD}"
    assert WORD not in run(Command(), "show", str(path.with_name("plain.toml"))).out
