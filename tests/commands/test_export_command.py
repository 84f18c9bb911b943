from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from crawler.archive.writer import Fetched, WarcWriter
from crawler.records import WarcPlace
from tests.commands.conftest import BODIES, Run, fill
from tests.conftest import Start
from tests.crawls import Crawl
from zhuti.export.command import Command


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def test_options(harvest: Path, run: Run, out: Path) -> None:
    done = run(Command(), "spiders", f"{out}/c.jsonl", "--host", "A.example", "--fields", "title", "--since=2023-11-14")
    assert (done.status, done.err) == (0, "")
    assert done.out == f"2 pages written to {out}/c.jsonl\n"
    lines = [json.loads(line) for line in (out / "c.jsonl").read_text("utf-8").splitlines()]
    assert lines == [{"title": "爬虫入门"}, {"title": "搜索引擎"}]


def test_a_topic_by_its_file(harvest: Path, run: Run, out: Path) -> None:
    (out / "spiders.toml").write_text("keywords = ['爬虫']", encoding="utf-8")
    assert run(Command(), f"{out}/spiders.toml", f"{out}/c.csv", "--bom").out == f"3 pages written to {out}/c.csv\n"
    assert "no topic file" in run(Command(), f"{out}/none.toml", f"{out}/c.csv").err


def test_graph(harvest: Path, run: Run, out: Path) -> None:
    done = run(Command(), "spiders", f"{out}/graph.graphml")
    assert done.out == f"2 links written to {out}/graph.graphml\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("spiders", "{}/c.doc"), ".parquet"),
        (("spiders", "{}/no/c.csv"), "folder you may write to"),
        (("cooking", "{}/c.csv"), "this database has spiders"),
        (("spiders", "{}/c.csv", "--fields", "colour"), "choose from url"),
        (("spiders", "{}/c.csv", "--host", "http://"), "example.com"),
        (("spiders", "{}/graph.gexf", "--min-length", "9"), "leave out"),
        (("spiders", "{}/c.csv", "--format", "html"), "markdown"),
        (("spiders", "{}/c.csv", "--since", "yesterday"), "2026-01-31"),
        (("spiders", "{}/c.csv", "--min-similarity", "3"), "from 0 to 1"),
        (("spiders", "{}/c.csv", "--kind", "forum"), "choose from article, thread"),
    ],
)
def test_mistakes(harvest: Path, run: Run, out: Path, arguments: tuple[str, ...], words: str) -> None:
    done = run(Command(), *(argument.format(out) for argument in arguments))
    assert done.status == 2
    assert words in done.err
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_cut(tmp_path: Path, start: Start, out: Path, number: int) -> None:
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    fill(crawl, {f"https://a.example/{place}": (f"第{place}页", f"正文{place}" * 2000) for place in range(3000)})
    crawl.database.close()
    export = start("export", "spiders", f"{out}/c.jsonl.zst")
    until = time.monotonic() + 60
    while not list(out.iterdir()) and time.monotonic() < until:
        time.sleep(0.001)
    export.send_signal(number)
    _, told = export.communicate(timeout=60)
    assert (export.returncode, list(out.iterdir())) == (130, [])
    assert "is unchanged" in told


FERRY = "村里的老渡口在今年春天重新开放，第一班船坐了四十多个人，其中一半是来看热闹的孩子。"
TABLE = "<h2>船票</h2><table><tr><th>谁<th>元</tr><tr><td>大人<td>2</tr></table>"


def test_markdown_is_made_from_the_archive(run: Run, out: Path, tmp_path: Path) -> None:
    told = run(Command(), "spiders", f"{out}/c.jsonl", "--format", "markdown")
    assert "-s WARC_DIR=DIR" in told.err
    pages = ["", f"<h1>渡口重开</h1>{f'<p>{FERRY * 2}</p>' * 4}{TABLE}<p>{FERRY * 3}</p>"]
    places = archived(tmp_path / "warc", {f"https://c.example/{place}": page for place, page in enumerate(pages)})
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    fill(crawl, BODIES | {url: ("渡口重开", f"{FERRY}{url}") for url in places}, places)
    crawl.database.close()
    markdown = ("--format", "markdown", "-s", f"WARC_DIR={tmp_path}/warc")

    told = run(Command(), "spiders", f"{out}/c.jsonl", *markdown)
    assert (told.status, list(out.iterdir())) == (2, [])
    assert "3 of 5 pages are in no archive" in told.err
    told = run(Command(), "spiders", f"{out}/c.jsonl", "--host", "c.example", *markdown)
    assert (told.status, told.out) == (0, f"2 pages written to {out}/c.jsonl\n")
    assert "1 pages gave no body this time" in told.err
    empty, ferry = [json.loads(line)["body"] for line in (out / "c.jsonl").read_text("utf-8").splitlines()]
    assert empty == f"{FERRY}https://c.example/0", "what was harvested is not lost"
    assert "## 船票\n\n| 谁 | 元 |\n| --- | --- |\n| 大人 | 2 |\n" in ferry
    card = (out / "README.md").read_text("utf-8")
    assert "bodies in Markdown (of 1 pages the stored text), in `c.jsonl`" in card
    (out / "c.jsonl").unlink()
    next((tmp_path / "warc").glob("*.warc.gz")).write_bytes(b"")
    told = run(Command(), "spiders", f"{out}/c.jsonl", "--host", "c.example", *markdown)
    assert (told.status, "has no response record" in told.err, (out / "c.jsonl").exists()) == (2, True, False)
    assert "needs EXTRACTOR=best" in run(Command(), "spiders", f"{out}/c", *markdown, "-s", "EXTRACTOR=plain").err


def archived(folder: Path, pages: dict[str, str]) -> dict[str, WarcPlace]:
    writer = WarcWriter(folder)
    html = [("Content-Type", "text/html; charset=utf-8")]
    places = {url: writer.write(Fetched(url, 200, html, page.encode(), 1.7e9)) for url, page in pages.items()}
    writer.close()
    return places


def test_a_corpus_that_is_written_down(harvest: Path, run: Run, out: Path) -> None:
    """Options of the command line are stronger than those of the file."""
    corpus = out / "corpus.toml"
    corpus.write_text(
        f'topic = "spiders"\nout = "{out}/c.jsonl"\nhost = ["a.example", "b.example"]\nsince = 2023-11-14\n'
        'fields = "title"\noverwrite = true\nno-duplicates = false\n',
        encoding="utf-8",
    )
    assert run(Command(), "--from", str(corpus)).out == f"3 pages written to {out}/c.jsonl\n"
    assert run(Command(), "--from", str(corpus), "--fields", "url").status == 0
    assert json.loads((out / "c.jsonl").read_text("utf-8").splitlines()[0]) == {"url": "https://a.example/1"}
    done = run(Command(), "spiders", f"{out}/d.csv", "--host", "b.example", "--from", str(corpus))
    assert done.out == f"1 pages written to {out}/d.csv\n"
    for text, words in (("colour = 1", "--colour is not an option"), ("from = 'x'", "--from is not"), ("=", "TOML")):
        corpus.write_text(text, encoding="utf-8")
        assert words in run(Command(), "--from", str(corpus)).err


def test_what_stages_leave_out_is_told(harvest: Path, run: Run, out: Path) -> None:
    rejected = out / "rejected.jsonl"
    done = run(Command(), "spiders", f"{out}/c.jsonl", "--quality", "0.99", "--rejected", str(rejected))
    assert (done.status, done.out) == (0, f"0 pages written to {out}/c.jsonl\n")
    lines = [json.loads(line) for line in rejected.read_text("utf-8").splitlines()]
    assert [line["url"] for line in lines] == list(BODIES)
    assert {line["stage"] for line in lines} == {"QualityPages"}
    assert all(line["reason"].startswith("quality 0.") for line in lines)
    again = run(Command(), "spiders", f"{out}/d.jsonl", "--quality", "0", "--rejected", str(rejected))
    assert again.status == 2 and "--overwrite" in again.err
