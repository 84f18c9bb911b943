"""What another package adds by entry points: a format of exports, and calls after runs and before removals."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.errors import SettingError
from crawler.plugins import BEFORE_REMOVAL, RUN_ENDED, hooks, part
from tests.commands.conftest import Run
from zhuti.export import command as export
from zhuti.upkeep import command as store

MODULE = """
from pathlib import Path

def write_titles(documents, path, fields):
    titles = [document.title for document in documents]
    path.write_text("\\n".join(titles), encoding="utf-8")
    return len(titles)

class Short:
    fields, rejects = (), None

    def __call__(self, documents):
        return (document for document in documents if len(document.title) < 5)

    def told(self):
        return "short titles alone"

def run_ended(settings, topic, run):
    print("ended", topic, run)

def before_removal(settings):
    def afterwards(database):
        print("removed from", database.dialect)
    print("before removal")
    return afterwards
"""
ENTRIES = """
[zhuti.formats]
titles = mine:write_titles
broken = mine:nothing

[zhuti.stages]
short = mine:Short

[zhuti.run_ended]
mine = mine:run_ended

[zhuti.before_removal]
mine = mine:before_removal
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed as pip does it: a module, and the metadata of its distribution."""
    folder = tmp_path / "site-packages"
    metadata = folder / "mine-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "mine.py").write_text(MODULE, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)


def test_a_format_of_another_package(harvest: Path, run: Run, tmp_path: Path) -> None:
    done = run(export.Command(), "spiders", f"{tmp_path}/all.titles")
    assert (done.status, done.err) == (0, "")
    assert (tmp_path / "all.titles").read_text(encoding="utf-8").splitlines() == ["爬虫入门", "搜索引擎", "机器学习"]
    assert "all.titles" in (tmp_path / "all.titles.README.md").read_text(encoding="utf-8")
    assert ".titles" in run(export.Command(), "spiders", f"{tmp_path}/all.doc").err
    assert "zhuti.formats=broken cannot be imported" in run(export.Command(), "spiders", f"{tmp_path}/all.broken").err


def test_a_stage_of_another_package(harvest: Path, run: Run, tmp_path: Path) -> None:
    done = run(export.Command(), "spiders", f"{tmp_path}/short.jsonl", "--stage", "short")
    assert (done.status, done.err) == (0, "")
    assert "short titles alone" in (tmp_path / "short.jsonl.README.md").read_text(encoding="utf-8")
    assert "packages offer short" in run(export.Command(), "spiders", f"{tmp_path}/a.csv", "--stage", "long").err


def test_before_and_after_a_removal(harvest: Path, run: Run) -> None:
    dry = run(store.Command(), "forget", "--host", "b.example", "--dry-run")
    assert "remov" not in dry.out.replace("would be removed", "")
    done = run(store.Command(), "forget", "--host", "b.example")
    assert done.out.splitlines()[:3] == ["before removal", "removed from sqlite", done.out.splitlines()[2]]
    assert "1 pages removed" in done.out


def test_when_a_run_has_ended(capsys: pytest.CaptureFixture[str]) -> None:
    for told in hooks(RUN_ENDED):
        if told.__module__ == "mine":
            told({}, "tea", 3)
    assert capsys.readouterr().out == "ended tea 3\n"
    assert len(list(hooks(RUN_ENDED))) == 2  # the report is one
    assert len(list(hooks(BEFORE_REMOVAL))) == 2  # the search index has one


def test_a_part_that_is_not_installed() -> None:
    with pytest.raises(SettingError, match="this installation has no part 'tea'"):
        part("tea")
