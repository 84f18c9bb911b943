"""What the project's own commands share: how a user's mistake, Ctrl-C and a reader that has enough end them."""

from __future__ import annotations

import argparse
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from scrapy.commands import ScrapyHelpFormatter
from scrapy.settings import BaseSettings, Settings

from crawler.exits import INTERRUPTED, MISTAKE
from crawler.tell.command import CrawlerCommand
from lab.commands.evaluate import Command as Evaluate
from lab.commands.replay import Command as Replay
from lab.commands.train import Command as Train
from tests.commands.conftest import Done, Run
from tests.conftest import ROOT
from zhuti.export.command import Command as Export
from zhuti.extraction.command import Command as Extract
from zhuti.rejudge.command import Command as Rejudge
from zhuti.search.command import Command as Search
from zhuti.upkeep.command import Command as Store
from zhuti.why.command import Command as Why

COMMANDS = (Evaluate, Export, Extract, Rejudge, Replay, Search, Store, Train, Why)
HEADINGS = {"Usage", "Options", "Global Options", "Which Pages", "What To Remove", "Extraction", "Links", "Background"}
MANY = 2000  # pages whose texts fill a pipe several times


class Interrupted(CrawlerCommand):
    def short_desc(self) -> str:
        return ""

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        raise KeyboardInterrupt


def test_ctrl_c(run: Run) -> None:
    assert run(Interrupted()) == Done(INTERRUPTED, "", "Stopped.\n")


def test_a_misspelt_option_is_no_argument(harvest: Path, run: Run) -> None:
    """Scrapy hands it on: `search` would look for it."""
    done = run(Search(), "网页", "--limt", "3")
    assert (done.status, done.out) == (2, "")
    assert "unknown option --limt" in done.err


def test_a_reader_that_has_enough(tmp_path: Path) -> None:
    """As `zhuti extract ... | head -1`."""
    page = tmp_path / "page.html"
    page.write_text(f"<title>渡口</title><p>{'老渡口在今年春天重新开放。' * 20}</p>", encoding="utf-8")
    command = [sys.executable, "-m", "scrapy", "extract", "-s", "EXTRACTOR=plain", *[str(page)] * MANY]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        (Store, ("upgrade", "-s", "STORE_URL=nonsense"), "is not a database URL"),
        (Store, ("vacuum", "-s", "STORE_URL=nonsense"), "is not a database URL"),
        (Store, ("forget", "--older-than", "99999y"), "is not an age"),
        (Train, ("extraction", "--pages", ".", "--models", "{file}"), "--models"),
        (Train, ("background", "--web", ".", "--labels", ".", "--models", "{file}/x"), "--models"),
        (Rejudge, ("{topic}",), "no harvest at"),
        (Evaluate, ("links", "--delay", "-1"), "--delay"),
        (Replay, (".", "--delay-ms", "nan"), "--delay-ms"),
    ],
)
def test_mistakes(
    command: type[CrawlerCommand], arguments: tuple[str, ...], words: str, tmp_path: Path, run: Run
) -> None:
    file, topic = tmp_path / "file", tmp_path / "mine.toml"
    file.write_text("", encoding="utf-8")
    topic.write_text("keywords = ['渡口']", encoding="utf-8")
    done = run(command(), *(argument.format(file=file, topic=topic) for argument in arguments))
    assert done.status == MISTAKE
    assert words in done.err
    assert not (tmp_path / "harvest.db").exists(), "a database that is not there is not made"


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_no_heading_but_those_of_groups(command: type[CrawlerCommand], width: int) -> None:
    """Scrapy makes a heading of every line that ends with a colon, of a help text too."""
    made = command()
    made.settings = Settings()
    parser = argparse.ArgumentParser(
        formatter_class=lambda prog: ScrapyHelpFormatter(prog, width=width),
        usage=made.syntax(),
        description=made.long_desc(),
        conflict_handler="resolve",
    )
    made.add_options(parser)
    lines = parser.format_help().splitlines()
    found = {line for line, under in pairwise(lines) if under and not under.strip("=-")}
    assert found <= HEADINGS
