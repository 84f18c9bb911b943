"""`zhuti` alone, or with --help: every command, in groups."""

from argparse import ArgumentParser
from importlib.metadata import entry_points
from pkgutil import iter_modules

import pytest
import scrapy.commands
from scrapy.settings import Settings

import crawler.commands
from crawler import main
from crawler.tell import help as help_texts

OFFERED = {entry.name for entry in entry_points(group=main.OFFERED)}
OURS = {module.name for module in iter_modules(crawler.commands.__path__)} | OFFERED
SCRAPYS = {module.name for module in iter_modules(scrapy.commands.__path__)}


def test_every_command_is_told_once() -> None:
    grouped = [name for names in main.GROUPS.values() for name in names]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) == OURS - (SCRAPYS - {"crawl"})
    told = [line.split()[0] for line in main.overview().splitlines() if line.startswith("  ")]
    assert len(told) == len(set(told))
    assert set(told) == set(grouped)
    others = main.overview().splitlines()[-1].rpartition(": ")[2].split(", ")
    assert set(others) == SCRAPYS - OURS


@pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"], ["help"]])
def test_overview(arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["zhuti", *arguments])
    main.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Usage: zhuti COMMAND")
    assert {line.split()[0] for line in lines if line.startswith("  ")} == OURS - (SCRAPYS - {"crawl"})


def test_usage_calls_commands_by_one_name() -> None:
    parser = ArgumentParser(usage="scrapy why URL")  # as Scrapy makes it
    help_texts.translate(parser, Settings())
    assert parser.format_usage().endswith("zhuti why URL\n")
