"""The program as a stranger gets it: sdist, wheel out of the sdist, a new environment, a folder of one's own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from collections.abc import Iterator
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import LOOPBACK, ROOT

pytestmark = pytest.mark.slow
BASE_SIZE = 372 << 20  # bytes without bytecode; README.md
SOURCES = ("crawler", "zhuti", "models", "topics", "pyproject.toml", "setup.py", "README.md", "LICENSE")
# Not in the base install, or not on all platforms (rjieba). What stands for nothing in sys.modules cannot be imported.
EXTRAS = [
    "alembic",
    "datatrove",
    "duckdb",
    "fsspec",
    "prometheus_client",
    "pyarrow",
    "psycopg",
    "tantivy",
    "zstandard",
    "trafilatura",
    "rjieba",
]
BUILD = "import sys; from setuptools import build_meta; getattr(build_meta, 'build_' + sys.argv[1])(sys.argv[2])"


def build(kind: str, sources: Path, target: Path) -> Path:
    subprocess.run([sys.executable, "-c", BUILD, kind, str(target)], cwd=sources, check=True, capture_output=True)
    (made,) = target.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of an unpacked sdist: what this lacks, the wheel lacks too."""
    folder = tmp_path_factory.mktemp("built")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / "sources" / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / "sources" / name)
    sdist = build("sdist", folder / "sources", folder)
    with tarfile.open(sdist) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    return build("wheel", unpacked, folder)


@pytest.fixture(scope="module")
def venv(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel; the other packages are those of these tests, without what comes by extras. The
    checkout is not seen."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    packages = next(venv.glob("lib/*/site-packages"))
    # scikit-learn asks sys.modules for pyarrow, and takes what it finds for the module.
    others = [name for name in EXTRAS if name != "pyarrow"]
    missing = "(_ for _ in ()).throw(ModuleNotFoundError(name)) if name.partition('.')[0] == 'pyarrow' else None"
    finder = f"type('Hidden', (), dict(find_spec=staticmethod(lambda name, path=None, target=None: {missing})))"
    hidden = f"import sys; sys.modules.update(dict.fromkeys({others})); sys.meta_path.insert(0, {finder})"
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n{hidden}\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--no-compile", str(wheel)], check=True, capture_output=True)
    return venv


@pytest.fixture
def model(venv: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A model of the installed program, to be damaged: it is whole again afterwards."""
    path = package(venv) / "models" / request.param
    whole = path.read_bytes()
    yield path
    path.write_bytes(whole)


def zhuti(venv: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    keep = ("PATH", "HOME", "TMPDIR", "LANG", "ZHUTI_LANG")
    environment = {name: os.environ[name] for name in keep if name in os.environ}
    command = [str(venv / "bin" / "zhuti"), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=200)


def package(venv: Path) -> Path:
    (found,) = venv.glob("lib/*/site-packages/crawler")
    return found


def test_three_commands_to_a_first_corpus(venv: Path, tmp_path: Path, site: str) -> None:
    shipped = sorted(package(venv).rglob("*.json"))
    made = zhuti(venv, tmp_path, "init", "mine")
    assert made.returncode == 0, made.stderr
    mine = tmp_path / "mine"
    crawl = zhuti(venv, mine, "crawl", "topic", "-a", "topic=java", "-a", f"seeds={site}", *LOOPBACK)
    assert crawl.returncode == 0, crawl.stderr
    assert "zhuti export java corpus.jsonl" in crawl.stdout, "the command that works here"
    assert [*package(venv).rglob("zhuti.mo")], "the Chinese catalogue"
    export = zhuti(venv, mine, "export", "java", "corpus.jsonl")
    assert export.returncode == 0, export.stderr
    pages = [json.loads(line) for line in (mine / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {page["url"] for page in pages} == {f"{site}0.html", f"{site}1.html"}
    assert sorted(path.name for path in (mine / "topics").iterdir()) == ["example.toml", "java.learned.json"]
    assert sorted(package(venv).rglob("*.json")) == shipped, "what was learned is not the program's"
    units = list((mine / "deploy").iterdir())
    assert str(venv / "bin" / "zhuti") in (mine / "deploy" / "zhuti.service").read_text(encoding="utf-8")
    if shutil.which("systemd-analyze"):
        checked = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
        assert not [line for line in checked.stderr.splitlines() if str(mine) in line], checked.stderr


def test_the_demo_needs_neither_network_nor_checkout(venv: Path, tmp_path: Path) -> None:
    for _ in range(2):  # a second one begins again
        shown = zhuti(venv, tmp_path, "demo")
        assert shown.returncode == 0, shown.stderr
        assert "The pages most similar to the topic:" in shown.stdout
        demo = tmp_path / "zhuti-demo"
        pages = [json.loads(line) for line in (demo / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
        assert len(pages) > 60 and all(page["url"].split("/")[2].endswith(".example") for page in pages)
        assert f"on topic      │ {len(pages)} " in shown.stdout
    topics = zhuti(venv, demo, "topics")
    assert f" {len(pages)} " in topics.stdout
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    refused = zhuti(venv, tmp_path, "demo", "mine")
    assert refused.returncode == 2 and "not empty" in refused.stderr


def test_without_a_project(venv: Path, tmp_path: Path, site: str) -> None:
    """The bundled topics and our settings count in any folder, and what comes of it stays in that folder."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    crawl = zhuti(venv, folder, "crawl", "topic", "-a", "topic=java", "-a", f"seeds={site}", *LOOPBACK)
    assert crawl.returncode == 0, crawl.stderr
    assert (folder / "data" / "harvest.db").is_file()
    assert (folder / "topics" / "java.learned.json").is_file()
    for arguments in (("store", "stats"), ("store", "vacuum"), ("topics",), ("list",)):
        assert zhuti(venv, folder, *arguments).returncode == 0
    extras = {
        "search": ("search", "Java"),
        "parquet": ("export", "java", "corpus.parquet"),
        "lake": ("sql", "select 1"),
        "metrics": ("crawl", "topic", "-a", "topic=java", "-s", "METRICS_PORT=9400", "--nolog"),
        "postgres": ("store", "stats", "-s", "STORE_URL=postgresql+psycopg://me:secret@127.0.0.1/none"),
    }
    for extra, arguments in extras.items():
        refused = zhuti(venv, folder, *arguments)
        assert (refused.returncode, "Traceback" in refused.stderr) == (2, False), refused.stderr
        assert f"pip install 'zhuti[{extra}]'" in refused.stderr
    lake = zhuti(venv, folder, "export", "java", "lake/", "--partition", "day")
    assert (lake.returncode, "Traceback" in lake.stderr) == (2, False)
    assert "pip install 'zhuti[lake]'" in lake.stderr
    assert (package(venv).parent / "zhuti" / "steps" / "__init__.py").is_file()
    assert (package(venv) / "py.typed").is_file()


def test_a_harvest_on_a_schedule(venv: Path, tmp_path: Path, site: str) -> None:
    zhuti(venv, tmp_path, "init", "scheduled")
    mine = tmp_path / "scheduled"
    refused = zhuti(venv, mine, "harvest")
    assert (refused.returncode, "has a [schedule]" in refused.stderr) == (2, True)
    java = (package(venv) / "topics" / "java.toml").read_text(encoding="utf-8")
    text = f'seeds = ["{site}"]\n{java}\n[schedule]\nevery = "1d"\n'
    for name in ("again", "java"):  # two: forks of one process
        (mine / "topics" / f"{name}.toml").write_text(text, encoding="utf-8")
    done = zhuti(venv, mine, "harvest", *LOOPBACK)
    assert done.returncode == 0, done.stderr
    assert "zhuti export java corpus.jsonl" in done.stdout, "the command that works here"
    assert [len([*(mine / "reports" / name).glob("*.html")]) for name in ("again", "java")] == [1, 1]


@pytest.mark.parametrize("model", ["extraction.npz", "background.json", "embeddings.npz"], indirect=True)
def test_a_model_that_cannot_be_read_stops_the_crawl_before_it_starts(
    model: Path, venv: Path, tmp_path: Path, site: str
) -> None:
    model.write_bytes(b"no model")
    if model.suffix == ".json":
        model.unlink()
    topic = tmp_path / "java.toml"  # which needs all three
    topic.write_text(f"embeddings = true\n{(package(venv) / 'topics' / 'java.toml').read_text(encoding='utf-8')}")
    crawl = zhuti(venv, tmp_path, "crawl", "topic", "-a", f"topic={topic}", "-a", f"seeds={site}", *LOOPBACK)
    assert crawl.returncode == 2
    assert [line for line in crawl.stderr.splitlines() if line.startswith("Error: ") and model.name in line]
    assert "Traceback" not in crawl.stderr
    export = zhuti(venv, tmp_path, "export", "java", "corpus.jsonl")
    assert (export.returncode, "no kept pages yet" in export.stderr) == (2, True), "nothing was fetched"
    assert not (tmp_path / "corpus.jsonl").exists()


def test_the_base_is_no_larger_than_the_readme_says() -> None:
    """Without bytecode, which depends on who installs; a dependency that grows, or a new one, is seen here."""
    found, asked = set[str](), ["zhuti"]
    while asked:
        distribution = metadata.distribution(asked.pop())
        found.add(canonicalize_name(distribution.name))
        needed = map(Requirement, distribution.requires or ())
        names = {canonicalize_name(each.name) for each in needed if not each.marker or each.marker.evaluate()}
        asked += names - found
    assert not {canonicalize_name(name) for name in ("tantivy", "zstandard", "pyarrow")} & found
    files = [file for name in found for file in metadata.files(name) or () if file.suffix != ".pyc"]
    size = sum(path.stat().st_size for file in files if (path := Path(str(file.locate()))).is_file())
    assert size < BASE_SIZE


@pytest.mark.parametrize("extras", [(), ("web", "search", "corpus", "render", "sign", "postgres")])
def test_the_locks_of_users_have_a_hash_for_all_that_is_needed_and_nothing_else(extras: tuple[str, ...]) -> None:
    entry = re.compile(r"^([\w.-]+)==(\S+)[^\n]* \\\n    --hash=sha256:", re.MULTILINE)
    file = ROOT / ("requirements-all-extras.lock" if extras else "requirements-users.lock")
    locked = dict(entry.findall(file.read_text(encoding="utf-8")))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    more = project["optional-dependencies"]
    needed = {re.split(r"[<>=\[]", line)[0].lower() for line in chain(project["dependencies"], *map(more.get, extras))}
    assert needed <= locked.keys()
    assert not {"pytest", "ruff", "mypy", "hypothesis"} & locked.keys()
    tested = set((ROOT / "requirements-dev.lock").read_text().splitlines())
    assert not [name for name, version in locked.items() if not any(f"{name}=={version}" in line for line in tested)]


def test_licences_that_ask_for_more_are_named() -> None:
    """Of what users install: those by which changed files must be given away."""
    locked = re.findall(r"^([\w.-]+)==", (ROOT / "requirements-users.lock").read_text("utf-8"), re.MULTILINE)
    here: dict[str, Any] = {found.name.lower(): found.metadata for found in metadata.distributions()}
    asking = set()
    for name in locked:
        about = here.get(name.lower())
        fields = [about.get("License-Expression"), about.get("License")] if about else []
        said = [*(str(field or "")[:100] for field in fields), *((about and about.get_all("Classifier")) or [])]
        asking |= {name} if re.search(r"GPL|MPL|Mozilla|Lesser", " ".join(said)) else set()
    readme = (ROOT / "README.md").read_text("utf-8").rpartition("Licence: ")[2]
    assert {"certifi", "tqdm", "pygal"} <= asking
    assert [name for name in sorted(asking) if name.partition("-")[0] not in readme] == []
