"""What all requests to the board share."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlencode

from scrapy.settings import BaseSettings
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse

from crawler.bounded_dict import BoundedDict
from crawler.database.database import Database, readable
from crawler.store.names import topic_id_of
from zhuti.aside import Aside
from zhuti.board.access import Access
from zhuti.board.actions import Actions
from zhuti.board.facts import STATE
from zhuti.news.templates import templates

HERE = Path(__file__).parent
MOST_KNOWN = 50  # answers
SAID = ("told", "wrong")  # in the address: what the last button has done, or why it has not
STALE = 20  # times as long as an answer took to make, it is shown though pages were fetched since
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Known:
    """An answer that was made before. Times by time.monotonic."""

    state: tuple[Any, ...]
    fetched: int | None
    answer: Any
    at: float
    seconds: float  # that it took

    def holds(self, state: tuple[Any, ...], fetched: int | None, now: float) -> bool:
        return self.state == state and (self.fetched == fetched or now - self.at < STALE * self.seconds)


class Board:
    """What all requests share."""

    def __init__(self, settings: BaseSettings, access: Access) -> None:
        self.settings = settings
        self.access = access
        self.actions = Actions(settings)
        self.folder = Path(settings["TOPICS_DIR"])
        self.aside = Aside(settings)
        self._known: BoundedDict[Hashable, Known] = BoundedDict(MOST_KNOWN)
        self._lock = Lock()
        self._templates = templates(HERE / "templates")
        self._templates.globals |= {"quote": quote, "board": self}

    @contextmanager
    def reading(self) -> Iterator[tuple[Database, Connection]]:
        """Opens one short transaction. Raises StoreError."""
        with readable(self.settings["STORE_URL"]) as database, database.transaction(shared=True) as connection:
            yield database, connection

    @contextmanager
    def reading_of(self, topic: str) -> Iterator[tuple[Connection, int]]:
        """A transaction as by `reading`, and the id of the topic. Raises StoreError."""
        with self.reading() as (_database, connection):
            yield connection, topic_id_of(connection, topic)

    def remembered(self, connection: Connection, key: Hashable, make: Callable[[], T], *, answers: bool = True) -> T:
        """What `make` returns, until something is judged again or forgotten, or a run begins or ends. Pages that were
        fetched meanwhile are told a little later: to count those of a large harvest takes seconds, and the crawl needs
        the machine. `answers`: whether it changes with each answer of a person."""
        *done, fetched, answered, graded = connection.execute(STATE).one()
        done += [answered, graded] if answers else [graded]
        began = time.monotonic()
        with self._lock:
            known = self._known.get(key)
        if known is None or not known.holds(tuple(done), fetched, began):
            answer = make()
            known = Known(tuple(done), fetched, answer, began, time.monotonic() - began)
            with self._lock:
                self._known[key] = known
        return cast("T", known.answer)

    def html(self, request: Request, template: str, **values: Any) -> HTMLResponse:
        query, path = request.query_params, request.url.path
        asked = urlencode([pair for pair in query.multi_items() if pair[0] not in SAID])
        shared = {
            "topic": request.path_params.get("topic", ""),
            "path": path,
            "here": f"{path}?{asked}" if asked else path,  # where a button leads back to
            **{name: query.get(name, "") for name in SAID},
        }
        return HTMLResponse(self._templates.get_template(template).render(shared | values))
