"""A board over a real harvest on a real server, and who asks it as a browser does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest
import uvicorn
from scrapy.settings import Settings

from crawler.addon import complete
from crawler.records import Visit
from tests.conftest import LOOPBACK, copy_of_topics
from tests.crawls import Crawl
from tests.store.runs import run
from zhuti.board.access import Access
from zhuti.board.app import asgi

TOPIC = "java"
KEPT, OTHER = "https://a.example/1", "https://b.example/tea"


LINES = [*LOOPBACK[1::2], "DOWNLOAD_DELAY=1"]
OF_THE_COMMAND_LINE = dict(line.split("=", 1) for line in LINES)  # what a run that is started here is told


@dataclass
class Browser:
    """Sends what a browser sends from a page of the board."""

    port: int
    token: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, path: str, method: str = "GET", body: str = "", **headers: str) -> tuple[int, str, dict[str, str]]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=100)
        said = {"Host": f"127.0.0.1:{self.port}", **self.headers}
        if self.token:
            said["Cookie"] = f"zhuti={self.token}"
        said |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body.encode(), said)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        connection.close()
        return answer.status, text, {name.lower(): value for name, value in answer.getheaders()}

    def post(self, what: str, form_token: str, /, **form: str) -> tuple[int, str]:
        status, text, headers = self.ask(f"/t/{TOPIC}/do/{what}", "POST", urlencode({"form_token": form_token, **form}))
        return status, headers.get("location", text)


Serve = Callable[..., Browser]


def fill(url: str, kept: Callable[..., Visit], off_topic: Callable[..., Visit]) -> Crawl:
    """Two pages kept in a run, one dropped in the next, and a URL that waits."""
    crawl = Crawl(url, TOPIC)
    run(crawl, 1_000.0, [KEPT, "https://a.example/2"], kept)
    run(crawl, 2_000.0, [OTHER], off_topic)
    crawl.frontier.seed(["https://c.example/waits"], now=3_000.0)
    crawl.database.close()
    return crawl


@contextmanager
def serving(url: str, folder: Path, topics: Path, **access: object) -> Iterator[Browser]:
    """A board, as a browser that has its token."""
    places = {"TOPICS_DIR": topics, "REPORTS_DIR": folder, "WARC_DIR": folder / "warc"}
    settings = Settings({"STORE_URL": url, **{name: str(path) for name, path in places.items()}})
    complete(settings)
    for name, value in OF_THE_COMMAND_LINE.items():
        settings.set(name, value, priority="cmdline")
    for name in ("STORE_URL", *places):
        settings.set(name, settings[name], priority="cmdline")
    checked = Access(frozenset({"127.0.0.1", "localhost"}), **access)  # type: ignore[arg-type]
    server = uvicorn.Server(uvicorn.Config(asgi(settings, checked), port=0, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield Browser(server.servers[0].sockets[0].getsockname()[1], checked.token)
    server.should_exit = True
    thread.join(20)


@pytest.fixture
def harvested(database_url: str, kept: Callable[..., Visit], off_topic: Callable[..., Visit]) -> Crawl:
    return fill(database_url, kept, off_topic)


@pytest.fixture
def serve(harvested: Crawl, tmp_path: Path, topics: Path) -> Iterator[Serve]:
    """Starts a board; the browser that it returns has its token."""
    with ExitStack() as running:
        yield lambda **access: running.enter_context(serving(harvested.url, tmp_path, topics, **access))


@pytest.fixture(scope="module")
def shared_board(
    shared_url: str,
    tmp_path_factory: pytest.TempPathFactory,
    kept: Callable[..., Visit],
    off_topic: Callable[..., Visit],
) -> Iterator[Browser]:
    fill(shared_url, kept, off_topic)
    folder = tmp_path_factory.mktemp("board")
    with serving(shared_url, folder, copy_of_topics(folder / "topics")) as browser:
        yield browser


@pytest.fixture
def browser(shared_board: Browser) -> Browser:
    """The board of all tests of the file that only read."""
    return replace(shared_board, headers={})
