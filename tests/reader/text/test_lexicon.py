from pathlib import Path

import pytest

from crawler.errors import TopicError
from crawler.reader.text import lexicon
from crawler.reader.text.lexicon import read_words
from crawler.reader.text.segmenters import Word
from crawler.reader.text.tokens import Tokenizer

# line, its word and its frequency
LINES = [
    ("云计算", "云计算", None),
    ("云计算 5", "云计算", 5),
    ("云计算 5 n", "云计算", 5),
    ("云计算 n", "云计算", None),
    ("  云计算\t999999999\tn  ", "云计算", 999_999_999),
    ("Edu Trust认证 2000", "Edu Trust认证", 2000),
    ("iPhone 15 200", "iPhone 15", 200),
    ("deep learning", "deep learning", None),
    ("C++17 3", "C++17", 3),
    ("K近邻", "K近邻", None),
]
BAD = [
    "云计算,5,n",
    "云计算 0",
    "云计算 -5",
    "云计算 5.5",
    "云计算 1000000000",
    "5",
    "5 5",
    "!",
    "# 云计算",
    "云计算；网格",
    "云" * 201,
]


@pytest.mark.parametrize(("line", "word", "frequency"), LINES)
def test_a_line(tmp_path: Path, line: str, word: str, frequency: int | None) -> None:
    path = tmp_path / "own.txt"
    path.write_bytes(f"\n{line}\r\n\n渡口 3\n".encode("utf-8-sig"))
    assert read_words([str(path)]) == (Word(word, frequency), Word("渡口", 3))


def test_too_many_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon, "MOST_ENTRIES", 3)
    paths = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for path in paths:
        path.write_text("渡口\n船夫\n", encoding="utf-8")
    with pytest.raises(TopicError, match=r"two.txt: .* more than 3 words"):
        read_words(map(str, paths))


@pytest.mark.parametrize("line", BAD)
def test_a_line_that_is_no_entry(tmp_path: Path, line: str) -> None:
    path = tmp_path / "own.txt"
    path.write_text(f"渡口 3\n\n{line}\n", encoding="utf-8")
    with pytest.raises(TopicError, match=r"own.txt, line 3: '.* is not an entry .*; write a word"):
        read_words([str(path)])


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_bytes(b"ok 1\n" + "云计算 5\n".encode("gb18030"))
    with pytest.raises(TopicError, match=r"own.txt, line 2: the dictionary is not UTF-8 text; save it as UTF-8"):
        read_words([str(path)])
    with pytest.raises(TopicError, match=r"cannot be used .*; correct its name or its rights"):
        read_words([str(tmp_path)])


TEXT = "渡船碼頭旁邊的Edu Trust認證，用K近鄰與C++17；我們"


def test_words_of_all_scripts_come_out_whole() -> None:
    plain = Tokenizer().tokens(TEXT)
    assert not {"渡船码头", "k近邻", "edu trust认证"} & set(plain)
    words = tuple(Word(word) for word in ("渡船码头", "Edu Trust认证", "K近邻", "C++17", "我们"))
    found = Tokenizer(lexicon=words).tokens(TEXT)
    assert found == ["渡船码头", "旁边", "edu trust认证", "k近邻", "c++17"], "a stop word stays one"
