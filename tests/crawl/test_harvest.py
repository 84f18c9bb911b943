"""zhuti harvest as a whole: due topics are crawled, once, whatever happens to process, clock and files."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from crawler.database.database import Database
from crawler.questions.runs import past_runs
from crawler.reasons import Code
from tests.conftest import LOOPBACK, Scrapy, Start
from tests.serving import Quiet
from tests.stored import rows
from tests.warm import Command

HOUR = 3600.0
WORDS = "Java 虚拟机的垃圾回收、线程池、并发集合与 Spring 框架，是 Java 程序员每天要用的知识。"


class Web:
    """A list of posts about Java that grows; each post waits until `open` is set."""

    def __init__(self, posts: int) -> None:
        self.posts = posts
        self.corrected = ""  # what the first post says besides, from now on
        self.asked: list[str] = []
        self.open = Event()
        self.open.set()
        web = self

        class Handler(Quiet):
            def do_GET(self) -> None:
                web.asked.append(self.path)
                body = web.page(self.path)
                self.answer(200 if body else 404, body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def page(self, path: str) -> bytes:
        name = path.strip("/").removesuffix(".html")
        if not name:
            links = "".join(f'<li><a href="/{n}.html">Java 笔记 {n}</a>' for n in range(self.posts))
            return f"<meta charset=utf-8><title>Java</title><ul>{links}</ul>".encode()
        if not name.isdigit() or int(name) >= self.posts:
            return b""
        self.open.wait(60)
        own = self.corrected if name == "0" else ""
        own += "".join(f"第{int(name) * 37 + n * 101}例说明 Java 的类加载器与字节码。" for n in range(30))
        text = f"<h1>Java 笔记 {name}</h1><article><p>{WORDS * 3}</p><p>{own}</p></article>"
        return f"<meta charset=utf-8><title>Java 笔记 {name}</title>{text}".encode()

    def close(self) -> None:
        self.open.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def web() -> Iterator[Web]:
    made = Web(4)
    yield made
    made.close()


@pytest.fixture
def topic(web: Web, topics: Path) -> Path:
    """A topic of this web that is due every six hours, alone in its folder."""
    text = (topics / "java.toml").read_text(encoding="utf-8")
    for path in topics.glob("*.toml"):
        path.unlink()
    path = topics / "java.toml"
    path.write_text(f'seeds = ["{web.url}"]\n{text}\n[schedule]\nevery = "6h"\nbudget = 20\n', encoding="utf-8")
    return path


@pytest.fixture
def options(tmp_path: Path) -> tuple[str, ...]:
    return (*LOOPBACK, "-s", f"REPORTS_DIR={tmp_path / 'reports'}")


def kept(folder: Path) -> list[str]:
    found = rows(folder, "SELECT url FROM judgements JOIN urls ON urls.id = url_id WHERE outcome = 'kept' ORDER BY url")
    return [str(url).rpartition("/")[2] for (url,) in found]


def runs(folder: Path) -> list[str]:
    return [str(ended) for (ended,) in rows(folder, "SELECT ended FROM runs ORDER BY id")]


def shift(folder: Path, hours: float) -> None:
    """As if all that has happened had happened so many hours earlier."""
    database = sqlite3.connect(folder / "harvest.db")
    with database:
        for table, columns in (
            ("runs", ("started_at", "ended_at")),
            ("fetches", ("at",)),
            ("pages", ("fetched_at",)),
            ("visits", ("first_at", "visited_at", "expires_at")),
        ):
            moved = ", ".join(f"{column} = {column} - {hours * HOUR}" for column in columns)
            database.execute(f"UPDATE {table} SET {moved}")
    database.close()


POSTS = [f"{n}.html" for n in range(4)]


def test_what_is_due_is_crawled_and_reported(
    tmp_path: Path, scrapy: Scrapy, web: Web, topic: Path, options: tuple[str, ...]
) -> None:
    done = scrapy("harvest", *options)
    assert done.returncode == 0, done.stderr
    assert kept(tmp_path) == POSTS
    assert runs(tmp_path) == ["finished"]
    assert (tmp_path / "reports" / "java" / "1.html").is_file()
    asked = len(web.asked)
    for arguments, words in (((), ""), (("java",), "Topic java is not due before 20")):
        again = scrapy("harvest", *arguments, *options)
        assert (again.returncode, again.stdout[: len(words)]) == (0, words)
    assert (len(web.asked), runs(tmp_path)) == (asked, ["finished"])

    shift(tmp_path, 100)  # sixteen runs were missed: one makes up for them
    web.posts, web.corrected = 5, "本文已更正：垃圾回收器的默认值从这一版起不同。"
    for _ in range(2):
        assert scrapy("harvest", *options).returncode == 0
    assert len(runs(tmp_path)) == 2
    assert kept(tmp_path) == [*POSTS, "4.html"]
    assert len(web.asked) <= asked + 20

    listed = scrapy("topics").stdout.splitlines()
    assert listed[0].split()[:2] == ["topic", "last"]
    assert listed[1].split()[0] == "java"
    news = scrapy("news", "java").stdout.splitlines()
    assert [line for line in news if "pag" in line or "http" in line] == [
        "1 page is new:",
        f"    {web.url}4.html",
        "1 page is changed:",
        f"    {web.url}0.html",
        "No pages are gone.",
    ]
    for option, wanted in (("--since-run=last", ["0", "4"]), ("--since-run=1", [*"01234"]), ("--changed", ["0"])):
        out = tmp_path / "out" / f"{option}.jsonl"
        out.parent.mkdir(exist_ok=True)
        assert scrapy("export", "java", str(out), option).returncode == 0
        found = [json.loads(line)["url"] for line in out.read_text(encoding="utf-8").splitlines()]
        assert sorted(found) == [f"{web.url}{post}.html" for post in wanted]


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def child_of(process: Command) -> int:
    """The process that harvests for this one."""
    [child] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return int(child)


def ended(process: Command) -> int:
    process.communicate(timeout=90)
    return process.returncode


def test_a_broken_file_and_a_busy_topic_hold_up_no_other(
    tmp_path: Path, scrapy: Scrapy, start: Start, web: Web, topic: Path, options: tuple[str, ...]
) -> None:
    """One topic never runs twice at once; the other file's mistake is told, and the exit status says so."""
    (topic.parent / "bad.toml").write_text("keywords = 3", encoding="utf-8")
    web.open.clear()
    first = start("harvest", *options)
    wait_for(lambda: "/0.html" in web.asked)
    second = scrapy("harvest", *options)
    assert second.returncode == 2
    assert "in use by another" in second.stderr
    assert "'keywords' must be" in second.stderr
    assert scrapy("harvest", "java", "--now", *options).returncode == 3
    web.open.set()
    assert ended(first) == 2
    assert (kept(tmp_path), len(runs(tmp_path))) == (POSTS, 1)


def test_on_a_server(
    scrapy: Scrapy, start: Start, web: Web, topic: Path, options: tuple[str, ...], postgres_url: str
) -> None:
    """Workers could share a crawl there, but a topic is harvested by one process."""
    options = (*options, "-s", f"STORE_URL={postgres_url}")
    web.open.clear()
    first = start("harvest", *options)
    wait_for(lambda: "/0.html" in web.asked)
    assert scrapy("harvest", "java", "--now", *options).returncode == 3
    assert "under way" in scrapy("topics", *options).stdout
    web.open.set()
    assert ended(first) == 0
    assert "is not due before" in scrapy("harvest", "java", *options).stdout
    with Database(postgres_url, readonly=True) as database:
        [run] = past_runs(database, "java")
    assert (run.new, run.ended.code) == (4, Code.FINISHED)


@pytest.mark.parametrize(
    ("arguments", "number"),
    [((), signal.SIGINT), ((), signal.SIGTERM), (("java",), signal.SIGINT), (("--watch",), signal.SIGTERM)],
)
def test_it_ends_in_order(
    tmp_path: Path,
    scrapy: Scrapy,
    start: Start,
    web: Web,
    topic: Path,
    options: tuple[str, ...],
    arguments: tuple[str, ...],
    number: int,
) -> None:
    """What is under way is stored; the rest is fetched by the next run."""
    web.open.clear()
    harvest = start("harvest", *arguments, *options, "-s", "CONCURRENT_REQUESTS=1")
    wait_for(lambda: any(name.endswith("html") for name in web.asked))
    harvest.send_signal(number)
    wait_for(lambda: "shutting down gracefully" in harvest.told())
    web.open.set()
    assert ended(harvest) == 0
    assert runs(tmp_path) == ["stopped"]
    assert 1 <= len(kept(tmp_path)) < 4
    assert scrapy("harvest", "java", "--now", *options).returncode == 0
    assert kept(tmp_path) == POSTS
    assert len(web.asked) == len(set(web.asked)) + web.asked.count("/robots.txt") - 1, "a page was fetched twice"


def test_killed(tmp_path: Path, scrapy: Scrapy, start: Start, web: Web, topic: Path, options: tuple[str, ...]) -> None:
    """kill -9: the topic is due again at once, and goes on where it was. A second time it waits for its time."""
    for count in (1, 2):
        web.open.clear()
        asked = len(web.asked)
        harvest = start("harvest", "java", *options)
        wait_for(lambda before=asked: len(web.asked) > before + 2)  # type: ignore[misc]
        assert "under way" in scrapy("topics", *options).stdout
        os.killpg(harvest.pid, signal.SIGKILL)
        ended(harvest)
        assert "interrupted" in scrapy("topics", *options).stdout
        web.open.set()
        assert len(runs(tmp_path)) == count
    assert "is not due before" in scrapy("harvest", "java", *options).stdout
    shift(tmp_path, 6)
    assert scrapy("harvest", *options).returncode == 0
    assert (kept(tmp_path), runs(tmp_path)) == (POSTS, ["killed", "killed", "finished"])


def test_the_parent_is_killed(
    tmp_path: Path, scrapy: Scrapy, start: Start, web: Web, topic: Path, options: tuple[str, ...]
) -> None:
    """The run goes on in its own process, and no other begins."""
    web.open.clear()
    harvest = start("harvest", *options)
    wait_for(lambda: "/0.html" in web.asked)
    child = child_of(harvest)
    harvest.kill()
    assert scrapy("harvest", "java", *options).returncode == 3
    web.open.set()
    wait_for(lambda: not Path(f"/proc/{child}").exists())
    assert ended(harvest) == -signal.SIGKILL
    assert (kept(tmp_path), runs(tmp_path)) == (POSTS, ["finished"])
    assert "is not due before" in scrapy("harvest", "java", *options).stdout


def test_watch(tmp_path: Path, start: Start, web: Web, topic: Path, options: tuple[str, ...]) -> None:
    """It stays; a file that goes while its topic runs, and another that comes, end nothing."""
    web.open.clear()
    watch = start("harvest", "--watch", *options)
    wait_for(lambda: "/0.html" in web.asked)
    text = topic.read_text(encoding="utf-8")
    topic.unlink()
    web.open.set()
    wait_for(lambda: (tmp_path / "reports" / "java" / "1.html").is_file())
    topic.write_text(text, encoding="utf-8")
    assert watch.poll() is None
    watch.terminate()
    _, told = watch.communicate(timeout=60)
    assert (watch.returncode, told.splitlines()[-1]) == (0, "Stopped.")
    assert (kept(tmp_path), runs(tmp_path)) == (POSTS, ["finished"])


def test_the_clock_is_set_back(tmp_path: Path, scrapy: Scrapy, web: Web, topic: Path, options: tuple[str, ...]) -> None:
    """By an hour, nothing is doubled, but what --now asks for; by a year, nothing waits for a year."""
    assert scrapy("harvest", *options).returncode == 0
    shift(tmp_path, -1)
    assert scrapy("harvest", *options).returncode == 0
    assert len(runs(tmp_path)) == 1
    done = scrapy("harvest", "java", "--now", *options)
    assert (done.returncode, "Report: " in done.stdout, len(runs(tmp_path))) == (0, True, 2), done.stderr
    shift(tmp_path, -365 * 24)
    for _ in range(2):
        assert scrapy("harvest", *options).returncode == 0
    assert len(runs(tmp_path)) == 3


@pytest.mark.parametrize("minutes", [0.0001, 0.03])
def test_minutes(
    minutes: float, tmp_path: Path, scrapy: Scrapy, web: Web, topic: Path, options: tuple[str, ...]
) -> None:
    """They may end before the crawl has learned its topic."""
    topic.write_text(f"{topic.read_text(encoding='utf-8')}max_minutes = {minutes}\n", encoding="utf-8")
    web.posts = 100
    done = scrapy("harvest", "java", *options, "-s", "DOWNLOAD_DELAY=0.5")
    assert done.returncode == 0, done.stderr
    assert runs(tmp_path) == ["stopped"]
    assert len(kept(tmp_path)) < 50
