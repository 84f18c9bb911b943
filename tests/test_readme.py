"""The READMEs name every command, option and setting, with the defaults that the code has."""

from __future__ import annotations

import argparse
import re
from importlib import import_module
from pathlib import Path

import pytest
from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings

from crawler import settings
from crawler.cli.command import CrawlerCommand
from tests.conftest import ROOT

READMES = ("README.md", "README.zh-CN.md")
COMMANDS = sorted(path.stem for path in (ROOT / "crawler" / "commands").glob("[a-z]*.py"))
# The first half of settings.py: what this project adds to Scrapy.
OWN = (ROOT / "crawler" / "settings.py").read_text(encoding="utf-8").partition("# -- this project's own")[2]
SETTINGS = re.findall(r"^([A-Z_]+) = ", OWN.partition("# -- ")[0], re.MULTILINE)
SHOWN = {"WARC_DIR": ("none", "无"), "TOPICS_DIR": ("topics/ of the project", "项目的 topics/")}


def rows(readme: str) -> list[str]:
    return [line for line in (ROOT / readme).read_text(encoding="utf-8").splitlines() if line.startswith("| ")]


def options_of(command: ScrapyCommand) -> set[str]:
    command.settings = Settings()
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    return {option for action in parser._actions for option in action.option_strings if option.startswith("--")}


class Plain(CrawlerCommand):
    def short_desc(self) -> str:
        return ""

    def work(self, *_: object) -> int:
        return 0


@pytest.mark.parametrize("readme", READMES)
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_and_options(readme: str, name: str) -> None:
    told = "\n".join(row for row in rows(readme) if row.startswith(f"| `scrapy {name} "))
    assert told, f"{readme} does not tell of scrapy {name}"
    if name == "crawl":  # Scrapy's own options
        return
    own = options_of(import_module(f"crawler.commands.{name}").Command()) - options_of(Plain())
    assert sorted(option for option in own if not re.search(rf"{option}\b", told)) == []


@pytest.mark.parametrize("readme", READMES)
@pytest.mark.parametrize("name", SETTINGS)
def test_settings_and_defaults(readme: str, name: str) -> None:
    row = next((row for row in rows(readme) if re.match(rf"\| `{name}` \|", row)), "")
    if not row:  # told in the row of another, as WARC_SIZE
        assert any(f"`{name}`" in other for other in rows(readme)), f"{readme} does not tell of {name}"
        return
    value = getattr(settings, name)
    expected = SHOWN.get(name, (f"{value:g}" if isinstance(value, float) else str(value),))
    assert row.split(" | ")[1].strip() in expected


def test_both_tell_the_same() -> None:
    """By the commands, options, settings and figures that they name."""
    here, there = ((ROOT / readme).read_text(encoding="utf-8") for readme in READMES)
    spans = re.compile(r"`[^`\n]*[A-Za-z][^`\n]*`|\.\d{3}")
    assert sorted(spans.findall(here)) == sorted(spans.findall(there))


def test_links_lead_somewhere() -> None:
    for page in (*READMES, "CONTRIBUTING.md", "docs/architecture.md", "docs/papers.md", "lab/benchmarks/README.md"):
        folder = (ROOT / page).parent
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / page).read_text(encoding="utf-8")):
            assert Path(folder, target).exists(), f"{page} links to {target}"
