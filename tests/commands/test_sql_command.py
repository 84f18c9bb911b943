"""`zhuti sql` and lakes as a user meets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.conftest import Run
from zhuti.corpus.command import Command
from zhuti.export.command import Command as Export

QUERY = "select host, count(*) as pages, max(title) as title from pages group by host order by host"


def test_a_table(harvest: Path, run: Run) -> None:
    done = run(Command(), QUERY)
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        "host           pages  title",
        "a.example      1      爬虫入门",
        "b.example      1      机器学习",
        "www.a.example  1      搜索引擎",
    ]


@pytest.mark.parametrize(
    ("form", "last"),
    [
        ("--jsonl", '{"host": "www.a.example", "pages": 1, "title": "搜索引擎"}'),
        ("--csv", "www.a.example,1,搜索引擎"),
    ],
)
def test_for_programs(harvest: Path, run: Run, form: str, last: str) -> None:
    assert run(Command(), QUERY, form).out.splitlines()[-1] == last


def test_values(harvest: Path, run: Run) -> None:
    done = run(
        Command(), "select null as a, 'x\ty' as b, [1, 2] as c, date '2026-01-02' as d, 'ab'::blob as e", "--jsonl"
    )
    assert done.out == '{"a": null, "b": "x\\ty", "c": [1, 2], "d": "2026-01-02", "e": "6162"}\n'
    assert run(Command(), f"select '{'长' * 99}' as a, null as b").out == f"a{' ' * 118}  b\n{'长' * 59}…\n"


def test_a_lake(harvest: Path, run: Run, tmp_path: Path) -> None:
    lake = f"{tmp_path}/lake/"
    assert run(Export(), "spiders", lake, "--partition", "host,day").out == f"3 pages written to {lake}\n"
    assert run(Export(), "spiders", lake, "--partition", "host,day").out == f"0 pages written to {lake}\n"
    (tmp_path / "lake" / "half.parquet").write_bytes(b"PAR1")
    done = run(Command(), "select count(*) as n from lake where length(body) > 5", "--lake", lake)
    assert (done.status, done.out) == (0, "n\n3\n")
    assert "1 files" in done.err
    assert "incomplete" in done.err


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        (Command(), (), 'give "SELECT ..."'),
        (Command(), ("select", "1"), 'give "SELECT ..."'),
        (Command(), ("select colour from pages",), "colour"),
        (Command(), ("select * from lake",), "--lake FOLDER"),
        (Command(), ("select 1", "--jsonl", "--csv"), "not allowed with"),
        (Export(), ("spiders", "{}/lake", "--partition", "colour"), "choose from host"),
        (Export(), ("spiders", "{}/lake", "--partition", "day", "--min-length", "9"), "as a whole"),
        (Export(), ("spiders", "{}/lake", "--partition", "day", "--fields", "url"), "as a whole"),
    ],
)
def test_mistakes(harvest: Path, run: Run, tmp_path: Path, command, arguments: tuple[str, ...], words: str) -> None:
    done = run(command, *(argument.format(tmp_path) for argument in arguments))
    assert done.status == 2
    assert words in done.err
    assert "Traceback" not in done.err
