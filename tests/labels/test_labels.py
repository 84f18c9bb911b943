"""The table of answers, and their files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.database.database import Database
from crawler.errors import LabelError
from crawler.labels.labels import Answer, Label, Who, add, conflicts, counting, every, state, take_back, topic_row
from zhuti.label.files import read, write

A, B = "https://a.example/1", "https://b.example/2"


def yes(url: str, at: float = 1.0, who: Who = Who.PERSON) -> Label:
    return Label(url, Answer.YES, at, who)


def no(url: str, at: float = 2.0, who: Who = Who.PERSON) -> Label:
    return Label(url, Answer.NO, at, who)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    with Database(database_url) as opened:
        yield opened


def test_the_last_answer_of_a_person_counts(database: Database) -> None:
    with database.transaction() as connection:
        topic = topic_row(connection, "t")
        assert topic_row(connection, "t") == topic
        nothing = state(connection, topic)
        assert add(connection, topic, [yes(A), no(A), yes(B), no(B, 3.0, Who.MODEL)]) == 4
        assert add(connection, topic, [yes(A), no(A)]) == 0, "the same file twice"
        known = every(connection, topic)
        assert state(connection, topic) != nothing
        assert {url: label.answer for url, label in counting(known).items()} == {A: Answer.NO, B: Answer.YES}
        assert list(conflicts(known)) == [A]
        assert take_back(connection, topic) == B
        assert take_back(connection, topic) == A
        assert counting(every(connection, topic))[A].answer is Answer.YES
        assert every(connection, topic_row(connection, "other")) == []


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
def test_files_keep_what_was_written(tmp_path: Path, name: str) -> None:
    labels = (yes(A, 1.5), Label(B, Answer.UNSURE, 1.7e9, Who.MODEL, "ab12"))
    assert write(tmp_path / name, "t", labels) == 2
    found = read(tmp_path / name, "t", now=9.0)
    assert (found.labels, found.foreign) == (labels, ())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_a_csv_of_another_program(tmp_path: Path, encoding: str) -> None:
    for note, answer in (("这一页与主题有关，内容是机器学习的入门文章", "Yes"), ("", "是")):
        text = f"URL,备注,Answer\r\n{A},{note},{answer}\r\n"
        (tmp_path / "x.csv").write_bytes(text.encode(encoding))
        found = read(tmp_path / "x.csv", "t", now=9.0)
        assert (found.labels, found.foreign) == ((yes(A, 9.0),), ("备注",))


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("x.txt", "", "as .csv or .jsonl"),
        ("x.csv", "", "no column url, answer"),
        ("x.csv", "a;b\n1;2\n", "no column url, answer"),
        ("x.csv", f"url,answer\n{A},maybe\n", "line 2: the answer 'maybe'"),
        ("x.csv", f"url,answer,topic\n{A},yes,other\n", "line 2: is a label of topic 'other', not of 't'"),
        ("x.csv", "url,answer\nftp://a.example/,yes\n", "line 2: 'ftp://a.example/' is not an http(s) URL"),
        ("x.csv", f"url,answer,at\n{A},yes,yesterday\n", "line 2: 'yesterday' is not a time"),
        ("x.csv", f"url,answer,who\n{A},yes,cat\n", "line 2: 'cat' cannot answer"),
        ("x.jsonl", "[1]\n", "line 1 is not a label"),
        ("x.jsonl", '\n{"url": 1\n', "line 2 is not a label"),
        ("x.jsonl", json.dumps({"url": A}), "line 1 is not a label; write"),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(LabelError) as refused:
        read(tmp_path / name, "t", now=9.0)
    assert says in str(refused.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"cannot be used .*; correct its name"):
        read(tmp_path / "x.csv", "t", now=9.0)
