"""`zhuti` alone, or with --help: every command, in groups."""

from pathlib import Path
from pkgutil import iter_modules

import pytest
import scrapy.commands

from crawler.cli import main

OURS = {module.name for module in iter_modules([str(main.OURS)])}
SCRAPYS = {module.name for module in iter_modules(scrapy.commands.__path__)}


def test_every_command_is_told_once() -> None:
    told = [name for names in main.GROUPS.values() for name in names]
    assert len(told) == len(set(told))
    assert set(told) | set(main.SCRAPYS) == OURS | SCRAPYS
    assert set(told) == OURS - (set(main.SCRAPYS) - {"crawl"})


@pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"], ["help"]])
def test_overview(arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["zhuti", *arguments])
    main.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Usage: zhuti COMMAND")
    assert {line.split()[0] for line in lines if line.startswith("  ")} == OURS | SCRAPYS


def test_scrapys_words_are_still_scrapys() -> None:
    """What is told of Scrapy's commands is what Scrapy says of them."""
    for name, summary in main.SCRAPYS.items():
        text = (Path(scrapy.commands.__path__[0]) / f"{name}.py").read_text(encoding="utf-8")
        assert summary in text
