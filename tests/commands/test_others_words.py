"""What strangers wrote leaves by few doors, each of which makes it safe: no command, file or log goes round them."""

from __future__ import annotations

import ast
import logging
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

from crawler.tell.command import SafeRecord
from tests.commands.conftest import Run, fill
from tests.conftest import ROOT
from tests.crawls import Crawl

EVIL = "题\x1b]0;x\x07\x9b2J\u202e红\u2066<script>|`[x](y)"
URL = "https://a.example/1"
BODIES = {URL: (EVIL, f"{EVIL}\n主题爬虫只采集主题网页。"), "https://b.example/2": (f"={EVIL}", f"第二段{EVIL}")}
STEERS = frozenset("\x1b\x07\x9b\u202e\u2066")
COMMANDS = {  # "{}": a folder; what is written there is looked at too
    "zhuti.export": [f"spiders {{}}/c.{end}" for end in ("csv", "jsonl", "graphml")]
    + ["spiders {}/r.jsonl --report {}/r.html --rejected {}/no.csv --quality .9"],
    "zhuti.why": [f"{URL} --quick"],
    "zhuti.search": ["主题", "红 --topic spiders"],
    "zhuti.corpus": [f"select%title,url%from%pages{form}" for form in ("", " --csv")],
    "zhuti.upkeep": ["stats"],
    "zhuti.extraction": ["{}/page.html", "{}/page.html --format markdown"],
}
BOLD = re.compile(r"\x1b\[\d*m")  # of our own
FOR_PROGRAMS = (".jsonl", ".graphml")  # as the pages have it: read by programs
# Modules that print or write by themselves, beside the command of each part; a new one is read, and added here.
PRINT = """crawler/main crawler/exits crawler/reader/text/printable crawler/tell/help crawler/tell/progress
crawler/tell/summary zhuti/export/lock zhuti/label/session zhuti/labeller/session zhuti/news/run_ended
zhuti/topics/topic_list"""
WRITE_CSV = "zhuti/export/formats zhuti/export/linkgraph zhuti/label/files"  # and commands


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    fill(crawl, BODIES)
    crawl.database.close()
    (tmp_path / "out").mkdir()
    (tmp_path / "out/page.html").write_text(f"<title>{EVIL}</title><p>{EVIL * 9}。</p>", encoding="utf-8")
    return tmp_path / "out"


@pytest.mark.parametrize(("part", "line"), [(part, line) for part, lines in COMMANDS.items() for line in lines])
def test_commands(part: str, line: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    done = run(import_module(f"{part}.command").Command(), *(a.format(folder).replace("%", " ") for a in line.split()))
    assert (done.status, STEERS & set(BOLD.sub("", done.out + done.err))) == (0, set()), done.err
    for path in folder.iterdir():
        if path.name != "page.html" and path.suffix not in FOR_PROGRAMS:
            told = path.read_text("utf-8-sig")
            assert not STEERS & set(told), path
            assert path.suffix == ".csv" or "<script>|" not in told, path


def test_lines_of_the_log() -> None:
    record = SafeRecord("x", logging.INFO, "", 1, "%s of %s", (EVIL, "a\nb"), None)
    assert record.getMessage() == "题]0;x2J红<script>|`[x](y) of a\nb"


@pytest.mark.parametrize(("calls", "known"), [("print Console", PRINT), ("csv.writer csv.DictWriter", WRITE_CSV)])
def test_no_module_writes_by_a_way_of_its_own(calls: str, known: str) -> None:
    found = set()
    for path in (path for part in ("crawler", "zhuti") for path in (ROOT / part).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in calls.split():
                found.add(str(path.relative_to(ROOT).with_suffix("")))
    assert {name for name in found if not name.endswith("command") and "/commands/" not in name} == {*known.split()}
