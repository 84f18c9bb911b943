"""jieba and rjieba cut the same words, whatever the topic and the user's dictionary."""

import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from crawler.reader.extract.own_text import own_text
from crawler.reader.html.page import Page
from crawler.reader.text import segmenters
from crawler.reader.text.charset import decode
from crawler.reader.text.lexicon import read_words
from crawler.reader.text.segmenters import Word, _dictionary, _jieba, cutter, used, with_jieba, with_rjieba
from crawler.reader.text.tokens import Tokenizer
from crawler.topic.files import Topic
from tests.conftest import ROOT

TOPICS = sorted((ROOT / "topics").glob("*.toml"))
CHINESE = [
    *TOPICS,
    ROOT / "README.zh-CN.md",
    *(ROOT / "lab").rglob("words*.toml"),
]


def alike(texts: Sequence[str], keywords: Sequence[str] = (), words: tuple[Word, ...] = ()) -> list[list[str]]:
    """The words of each text, by both."""
    with pytest.MonkeyPatch.context() as patch:
        other = Tokenizer(keywords, words)
        patch.setattr(segmenters, "used", lambda: "jieba")
        one = Tokenizer(keywords, words)
    found = [one.tokens(text) for text in texts]
    assert found == [other.tokens(text) for text in texts]
    return found


@pytest.mark.parametrize("path", TOPICS, ids=lambda path: path.stem)
def test_on_the_texts_of_all_topic_files(path: Path) -> None:
    assert all(alike([file.read_text(encoding="utf-8") for file in CHINESE], list(Topic.load(path).keywords)))


def test_on_the_labelled_pages_of_the_demo_web(demo_web: Path) -> None:
    pages = [decode(path.read_bytes())[0] for path in sorted(demo_web.rglob("*.html"))]
    texts = [own_text(Page(markup), "") for markup in pages]
    assert len(texts) > 100
    assert sum(map(len, alike(texts, ["机器学习", "Java 虚拟机"]))) > 10_000


def test_on_the_sentence_of_jieba() -> None:
    text = "工信处女干事每月经过下属科室都要亲口交代交换机等技术性器件的安装工作"
    wanted = "工信处 女干事 每月 经过 下属 科室 都 要 亲口 交代 交换机 等 技术性 器件 的 安装 工作"
    assert list(with_jieba(())(text)) == list(with_rjieba(())(text)) == wanted.split()


@cache
def chinese() -> list[str]:
    """Words of jieba's dictionary, frequent ones and others, and all that are one character twice."""
    known = [word for word, frequency in _dictionary()[0].items() if frequency]
    return [*known[::100], *(word for word in known if len(word) == 2 and word[0] == word[1])]


WORDS = st.deferred(lambda: st.sampled_from(chinese()))
CHARACTERS = st.characters(min_codepoint=0x3400, max_codepoint=0x9FFF) | st.sampled_from("〇々的一是不了𠀀aA1")
TEXTS = st.lists(WORDS | st.text(CHARACTERS, max_size=4), max_size=20).map("".join)
JOINED = st.lists(WORDS, min_size=1, max_size=3).map("".join)


@settings(max_examples=50)
@given(st.lists(TEXTS, max_size=5), st.lists(st.builds(Word, JOINED, st.none() | st.integers(1, 10**9)), max_size=9))
def test_on_any_text_with_any_dictionary(texts: list[str], words: list[Word]) -> None:
    alike([*texts, *(word.text for word in words), "".join(word.text for word in words)], (), tuple(words))


def test_cuts_that_are_equally_likely() -> None:
    """One word more in the dictionary, and the last digit of a logarithm would decide."""
    doubled = [word for word in chinese() if len(word) == 2 and word[0] == word[1] and word.isalpha()]
    assert len(doubled) > 900
    for added in ("渡船码头", "机器学习机"):
        alike([f"我以往{word}{word[0]}学习" for word in doubled], [added])


def test_a_user_dictionary_is_read_as_by_jieba(tmp_path: Path) -> None:
    text = "李小福是创新办主任也是云计算方面的专家，在台中用八一双鹿，还有渡船码头"
    path = tmp_path / "own.txt"
    path.write_text("云计算 5\n李小福 2 nr\n创新办 3 i\n八一双鹿 3 nz\n台中\n渡船码头 1\n", encoding="utf-8")
    reference = _jieba().Tokenizer()
    reference.FREQ, reference.total = reference.gen_pfdict(reference.get_dict_file())
    reference.initialized = True
    with path.open("rb") as file:
        reference.load_userdict(file)
    for cutter_of in (with_jieba, with_rjieba):
        cut = cutter_of(read_words([str(path)]))
        for part in text.split("，"):
            assert list(cut(part)) == reference.lcut(part)
    assert "云计算" in reference.lcut(text) and "渡船码头" in reference.lcut(text)


def test_jieba_is_used_where_rjieba_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert used() == "rjieba"
    monkeypatch.setitem(sys.modules, "rjieba", None)
    assert used() == "jieba"
    assert list(cutter([Word("未曾用过的词")])("机器学习")) == ["机器", "学习"]


def test_jieba_leaves_no_file_in_the_folder_of_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with_jieba((Word("渡船码头"),))("渡口的船")
    assert not list(tmp_path.iterdir())
