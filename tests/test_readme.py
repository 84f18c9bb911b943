"""The READMEs name every command, option and setting, with the defaults that the code has. The laboratory's pages give
commands that exist, and leave out none."""

from __future__ import annotations

import argparse
import re
import shlex
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
SHOWN = dict.fromkeys(("WARC_DIR", "CLOCK", "PAGE_JUDGE"), ("none", "无"))


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
    told = "\n".join(row for row in rows(readme) if re.match(rf"\| `scrapy {name}[ `]", row))
    assert told, f"{readme} does not tell of scrapy {name}"
    if name in ("crawl", "fetch", "parse", "shell"):  # Scrapy's own options
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
    pages = [str(path.relative_to(ROOT)) for part in ("docs", "lab") for path in (ROOT / part).rglob("*.md")]
    for page in (*READMES, "CONTRIBUTING.md", *pages):
        folder = (ROOT / page).parent
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / page).read_text(encoding="utf-8")):
            assert Path(folder, target).exists(), f"{page} links to {target}"


def commands_of(page: Path) -> list[str]:
    """The lines of its blocks of code that call something."""
    lines = (line.strip() for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("    "))
    return [line for line in lines if re.search(r"\b(scrapy|python -m) ", line)]


MEASURES = ROOT / "lab" / "benchmarks" / "README.md"
LAB_COMMANDS = [command for page in (MEASURES, ROOT / "lab" / "README.md") for command in commands_of(page)]


@pytest.mark.parametrize("command", LAB_COMMANDS)
def test_commands_of_the_laboratory(command: str) -> None:
    words = shlex.split(command)
    if "scrapy" in words:
        name = words[words.index("scrapy") + 1]
        known = options_of(import_module(f"crawler.commands.{name}").Command())
    else:
        script = ROOT / Path(*words[words.index("-m") + 1].split(".")).with_suffix(".py")
        script = script if script.is_file() else script.with_suffix("") / "__main__.py"
        shared = (path for path in (script, ROOT / "lab/benchmarks/replayed.py") if path.is_file())
        sources = (path.read_text(encoding="utf-8") for path in shared)
        known = set(re.findall(r'"(--[a-z-]+)"', "".join(sources)))
    assert {word for word in words if word.startswith("--")} <= known


def test_every_benchmark_is_described() -> None:
    told = {word for command in commands_of(MEASURES) for word in command.split()}
    scripts = (ROOT / "lab" / "benchmarks").glob("*.py")
    ours = {f"lab.benchmarks.{path.stem}" for path in scripts if "argparse.ArgumentParser(" in path.read_text("utf-8")}
    assert sorted(ours - told) == []
