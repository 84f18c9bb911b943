"""What the tests of whole crawls share: the demo web, served once, and commands as a user runs them."""

from __future__ import annotations

import multiprocessing.forkserver as forkserver
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import pytest
from hypothesis import settings

# As in crawler/settings.py, before numpy is imported: threads of small matrix products only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each of a hundred crawls compiles the project again
os.environ["ZHUTI_LANG"] = "en"  # whatever the locale of who tests; before crawler.messages is imported
from sqlalchemy.engine import URL, make_url

from crawler.database.database import Database
from lab.replay.background import serve_in_thread
from tests.postgres import Server, drop_database, new_database
from tests.serving import Quiet, listening
from tests.warm import PATIENCE, Command
from zhuti.demo.demo import unpack

sys.dont_write_bytecode = False  # or each run compiles all tests again
pytest_plugins = ["tests.crawls"]
ROOT = Path(__file__).parent.parent
settings.register_profile("patient", deadline=None)  # a busy machine is not a mistake
settings.load_profile("patient")
SEEDS = ROOT / "zhuti" / "demo" / "seeds.txt"
# Index files, and files about mining, have tests of their own, test_index_files.py and test_manners.py in crawl/: other
# tests count the requests that pages cause. One process analyses a small web fast enough, and each takes a second to
# start.
LOOPBACK = tuple(
    part
    for setting in (
        "DOWNLOAD_DELAY=0",
        "CONCURRENT_REQUESTS_PER_DOMAIN=8",
        "RETRY_TIMES=0",
        "ANALYSE_PROCESSES=1",
        "INDEX_FILES=False",
        "MINING_TAGS_OBEY=False",
        "ALLOW_ADDRESSES=127.0.0.0/8",
    )
    for part in ("-s", setting)
)

Scrapy = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., Command]


SLOW = {"scrapy", "cold_scrapy", "start", "demo_proxy", "postgres"}  # fixtures that start crawls or servers


EITHER = {"database_url", "shared_url"}  # fixtures with a case for each database


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What uses them is slow, but for the SQLite half of tests for both databases. Files with slow tests come first:
    the others are short, and fill what is left when processes share the files."""
    for item in items:
        names, case = set(getattr(item, "fixturenames", ())), getattr(item, "callspec", None)
        is_sqlite = case is not None and "sqlite" in map(case.params.get, EITHER)
        if names & SLOW or (names & EITHER and not is_sqlite):
            item.add_marker(pytest.mark.slow)
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path])


@pytest.fixture(autouse=True)
def no_settings_of_another_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """The console script names our settings in the environment, which processes that a test starts would inherit."""
    monkeypatch.delenv("SCRAPY_SETTINGS_MODULE", raising=False)


@pytest.fixture(scope="session", autouse=True)
def warm_process() -> None:
    """Started before a pool of the tests' own process would start it with less loaded."""
    forkserver.ensure_running()


@pytest.fixture(scope="session")
def demo_web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "web"
    unpack(folder)
    return folder


@pytest.fixture(scope="session")
def demo_proxy(demo_web: Path) -> Iterator[str]:
    with serve_in_thread(demo_web) as replay:
        yield replay.proxy


@pytest.fixture(scope="session")
def postgres() -> Iterator[URL]:
    """A real server: TEST_DATABASE_URL, or one that is started from a wheel and ends with the tests."""
    if named := os.environ.get("TEST_DATABASE_URL"):
        yield make_url(named)
        return
    server = Server()
    yield server.url
    server.close()


@pytest.fixture(scope="session")
def empty_harvest(postgres: URL) -> Iterator[str]:
    """A database on PostgreSQL with all tables, to be copied: migrating each anew would take most of the time."""
    url = new_database(postgres)
    Database(url).close()
    yield url
    drop_database(url)


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same on SQLite."""
    path = tmp_path_factory.mktemp("empty") / "harvest.db"
    Database(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def postgres_url(postgres: URL, empty_harvest: str) -> Iterator[str]:
    """A harvest without a topic on PostgreSQL."""
    url = new_database(postgres, make_url(empty_harvest).database)
    yield url
    drop_database(url)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, empty_file: Path, tmp_path: Path) -> str:
    """A new database with all tables, once on each engine."""
    if request.param == "sqlite":
        return f"sqlite:///{shutil.copy(empty_file, tmp_path / 'harvest.db')}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    with Database(database_url) as database:
        yield database


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def shared_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A `database_url` of all tests of a file, for those that only read."""
    if request.param == "sqlite":
        empty = request.getfixturevalue("empty_file")
        yield f"sqlite:///{shutil.copy(empty, tmp_path_factory.mktemp('shared') / 'harvest.db')}"
        return
    url = new_database(request.getfixturevalue("postgres"), make_url(request.getfixturevalue("empty_harvest")).database)
    yield url
    drop_database(url)


@pytest.fixture
def topics(tmp_path: Path) -> Path:
    """The project's topics in a folder of this test: what is learned leaves the project alone."""
    return copy_of_topics(tmp_path / "topics")


def copy_of_topics(folder: Path) -> Path:
    return shutil.copytree(ROOT / "topics", folder, ignore=shutil.ignore_patterns("*.learned.json"))


@pytest.fixture
def command(tmp_path: Path, topics: Path) -> Callable[..., list[str]]:
    """Arguments of `scrapy` with database and topics of this test."""
    settings = ("-s", f"STORE_URL=sqlite:///{tmp_path / 'harvest.db'}", "-s", f"TOPICS_DIR={topics}")
    return lambda *arguments: [*arguments[:1], *settings, *arguments[1:]]


def through(proxy: str) -> dict[str, str]:
    """The environment of a command that fetches through the proxy."""
    return {**os.environ, "http_proxy": proxy, "https_proxy": proxy, "no_proxy": ""}


@pytest.fixture
def start(command: Callable[..., list[str]], tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Starts `scrapy ARGUMENTS` in the project, with database and topics of this test, through a proxy: in a process
    that has imported everything."""

    def run(*arguments: str, proxy: str = "", file_size: int | None = None) -> Command:
        return Command(command(*arguments), through(proxy), ROOT, tmp_path_factory.mktemp("output"), file_size)

    return run


@pytest.fixture
def scrapy(start: Start) -> Scrapy:
    """The same to its end."""

    def run(*arguments: str, proxy: str = "", file_size: int | None = None) -> subprocess.CompletedProcess[str]:
        process = start(*arguments, proxy=proxy, file_size=file_size)
        out, err = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode or 0, out, err)

    return run


@pytest.fixture
def cold_scrapy(command: Callable[..., list[str]]) -> Scrapy:
    """The same as a user starts it, for what is read when Python starts or a module is imported."""

    def run(*arguments: str, proxy: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "scrapy", *command(*arguments)],
            cwd=ROOT,
            env=through(proxy),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    return run


class Files(Quiet, SimpleHTTPRequestHandler): ...


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """The address of a list of two posts about Java, on a real server."""
    texts = tomllib.loads((ROOT / "topics" / "java.toml").read_text(encoding="utf-8"))["texts"]
    folder = tmp_path / "site"
    folder.mkdir()
    for number, text in enumerate(texts[:2]):
        paragraphs = "".join(f"<p>{line}</p>" for line in text.splitlines())
        post = f"<title>Java 笔记 {number}</title><h1>Java 笔记 {number}</h1><article>{paragraphs}</article>"
        (folder / f"{number}.html").write_text(f"<meta charset=utf-8>{post}", encoding="utf-8")
    links = "".join(f'<a href="/{number}.html">Java 笔记 {number}</a>' for number in range(2))
    (folder / "index.html").write_text(f"<meta charset=utf-8><title>Java</title>{links}", encoding="utf-8")
    with listening(partial(Files, directory=str(folder))) as server:
        yield f"http://127.0.0.1:{server.server_port}/"


def of_topic(name: str, *more: str) -> tuple[str, ...]:
    """Arguments of a crawl of the demo web."""
    return (
        "crawl",
        "topic",
        "-a",
        f"topic={name}",
        "-a",
        f"seeds={SEEDS}",
        *LOOPBACK,
        *more,
    )
