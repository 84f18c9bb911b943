"""docs/commands.md and docs/settings.md name every command, option and setting, with the defaults that the code has, in
English and in Chinese. Commands in documents exist. Links lead somewhere."""

from __future__ import annotations

import argparse
import re
import subprocess
import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings

from crawler import settings
from crawler.main import OFFERED as OFFERED_COMMANDS
from crawler.tell.command import CrawlerCommand
from tests.conftest import ROOT

FOLDERS = ("docs", "docs/zh")
BOTH = ("docs", pytest.param("docs/zh", marks=pytest.mark.release))  # a translation may lag until a release
OFFERED = {entry.name: entry.value.partition(":")[0] for entry in entry_points(group=OFFERED_COMMANDS)}
COMMANDS = sorted({*OFFERED, *(path.stem for path in (ROOT / "crawler" / "commands").glob("[a-z]*.py"))})
LAB = ("replay", "evaluate", "train")
# The first half of settings.py: what this project adds to Scrapy.
OWN = (ROOT / "crawler" / "settings.py").read_text(encoding="utf-8").partition("# -- this project's own")[2]
SETTINGS = re.findall(r"^([A-Z_]+) = ", OWN.partition("# -- ")[0], re.MULTILINE)
SHOWN = dict.fromkeys(
    (
        "WARC_DIR",
        "PAGE_JUDGE",
        "SEED_SOURCE",
        "MODEL_URL",
        "MODEL_NAME",
        "RENDER_BROWSER",
    ),
    ("none", "无"),
)
PAGES = sorted(
    path.relative_to(ROOT)
    for pattern in ("*.md", "docs/**/*.md", "lab/**/*.md", "examples/**/*.md")
    for path in ROOT.glob(pattern)
)


def read(page: str | Path) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def sections(page: str) -> dict[str, str]:
    """Each command's text, by its name."""
    parts = re.split(r"^#+ (?:zhuti|python -m lab) (\w+)$", read(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], (re.split(r"^## ", part, flags=re.MULTILINE)[0] for part in parts[2::2]), strict=True))


def options_of(command: ScrapyCommand) -> set[str]:
    command.settings = Settings()
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    return {option for action in parser._actions for option in action.option_strings if option.startswith("--")}


def of_scrapy(name: str) -> set[str]:
    module = f"lab.commands.{name}" if name in LAB else OFFERED.get(name, f"crawler.commands.{name}")
    return options_of(import_module(module).Command())


class Plain(CrawlerCommand):
    def short_desc(self) -> str:
        return ""

    def work(self, *_: object) -> int:
        return 0


@pytest.mark.parametrize("folder", BOTH)
def test_commands_and_options(folder: str) -> None:
    """All that are there, and no others."""
    told, missing = sections(f"{folder}/commands.md"), []
    for name in [*COMMANDS, *LAB]:
        common = options_of(Plain())
        own = of_scrapy(name) - common if name != "crawl" else set()
        named = set(re.findall(r"--[a-z][a-z-]*", told[name]))
        missing += [f"{name} {option}" for option in own ^ (named - common)]
    assert missing == []


@pytest.mark.parametrize("folder", BOTH)
def test_settings_and_defaults(folder: str) -> None:
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| (.*?) \|", read(f"{folder}/settings.md"), re.MULTILINE))
    wrong = []
    for name in SETTINGS:
        value = getattr(settings, name)
        expected = SHOWN.get(name, (f"{value:g}" if isinstance(value, float) else str(value),))
        wrong += [name] if rows.get(name) not in expected else []
    assert wrong == []


@pytest.mark.release
@pytest.mark.parametrize(
    "name", ["commands.md", "settings.md", "topic-files.md", "export.md", "schedule.md", "record.md"]
)
def test_both_languages_tell_the_same(name: str) -> None:
    """By what their tables begin with, and the commands that they show."""
    told = re.compile(r"^\| (`[^|]*)\||^    (zhuti .*?)(?:  |$)", re.MULTILINE)
    here, there = (
        [re.findall(r"`[^`]+`|^zhuti.*", row or command) for row, command in told.findall(read(f"{folder}/{name}"))]
        for folder in FOLDERS
    )
    assert here == there


def test_dependencies() -> None:
    """docs/dependencies.md has them all, and no other."""
    project = tomllib.loads(read("pyproject.toml"))["project"]
    extras = [line for name, lines in project["optional-dependencies"].items() for line in lines]
    needed = {Requirement(line).name for line in [*project["dependencies"], *extras]} - {"zhuti"}
    rows = re.findall(r"^\| ([a-z][\w, -]+?) \|", read("docs/dependencies.md"), re.MULTILINE)
    told = {name for row in rows for name in row.split(", ")} - {"dependency"}
    assert told == needed


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", read(page)):
            assert Path((ROOT / page).parent, target).exists(), f"{page} links to {target}"


def test_each_promise_names_its_tests() -> None:
    """And they are there. The two tables that say which test holds what."""
    for name, column in (("What is promised", 2), ("Who may say what about whom", 4)):
        rows = read(Path("SECURITY.md")).partition(f"## {name}\n")[2].partition("\n## ")[0].split("\n|")[3:]
        for row in rows:
            tests = re.findall(r"`((?:tests|lab)/[^`]+)`", row.split(" | ")[column])
            assert [path for path in tests if path.startswith("tests/")], row
            assert [path for path in tests if not (ROOT / path).exists()] == [], row


def test_modules_that_the_architecture_names() -> None:
    names = {
        name for page in PAGES if "architecture" in str(page) for name in re.findall(r"`([\w/]+\.\w+)`", read(page))
    }
    files = [
        f"/{path.relative_to(ROOT)}"
        for part in ("crawler", "zhuti", "lab", "tests", "models")
        for path in (ROOT / part).rglob("*.*")
    ]
    gone = [name for name in names if name.endswith(".py") and not any(file.endswith(f"/{name}") for file in files)]
    assert gone == []


def commands_of(page: Path) -> list[str]:
    """What its blocks of code call: scrapy, zhuti, python -m, each with its options."""
    lines = (line.removeprefix("$ ") for line in read(page).splitlines() if line.startswith(("    ", "$ ")))
    parts = (part for line in lines for part in re.split(r"&&|\|| # |>>? ", line))
    call = re.compile(r"(?:^|[ /])((?:scrapy|zhuti|python -m) (?!import)[\w.]+.*)")
    return [found[1] for part in parts if (found := call.search(part))]


MEASURES = Path("lab/benchmarks/README.md")


@pytest.mark.parametrize("page", [page for page in PAGES if commands_of(page)], ids=str)
def test_commands_in_documents(page: Path) -> None:
    wrong = []
    for command in commands_of(page):
        name = command.removeprefix("python -m ").split()[1 - command.startswith("python")]
        if not command.startswith("python"):
            known = of_scrapy(name) if name in COMMANDS else set()
            wrong += [] if name in COMMANDS or not name.islower() else [command]
        elif name == "lab":
            known = of_scrapy(command.split()[3])
        elif name.startswith("lab"):
            script = ROOT / Path(*name.split(".")).with_suffix(".py")
            scripts = [script] if script.is_file() else [*script.with_suffix("").glob("*.py")]
            shared = [*scripts, ROOT / "lab/benchmarks/replayed.py"]
            known = set(re.findall(r'"(--[a-z-]+)"', "".join(path.read_text(encoding="utf-8") for path in shared)))
        else:  # not ours: pip, venv, json.tool
            continue
        wrong += [f"{command}: {option}" for option in set(re.findall(r" (--[a-z-]+)", command)) - known]
    assert wrong == []


def test_every_benchmark_is_described() -> None:
    told = {word for command in commands_of(MEASURES) for word in command.split()}
    scripts = (ROOT / "lab" / "benchmarks").glob("*.py")
    ours = {f"lab.benchmarks.{path.stem}" for path in scripts if "argparse.ArgumentParser(" in path.read_text("utf-8")}
    assert sorted(ours - told) == []


def test_each_file_at_the_top_is_named() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    assert [name for name in listed if "/" not in name and f"`{name}`" not in read("CONTRIBUTING.md") and name] == []


def test_a_crawl_to_copy_says_who_asks() -> None:
    lines = [line for page in PAGES if page.parts[0] != "lab" for line in read(page).splitlines()]
    crawls = [line for line in lines if re.match(r"    (zhuti|scrapy) (crawl topic|harvest .*seeds=)", line)]
    assert crawls and [line for line in crawls if "CONTACT=" not in line] == []
