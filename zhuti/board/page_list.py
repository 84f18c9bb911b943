"""The list of pages of the board: what is asked for, what is found, and the same as a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from crawler.database.database import readable
from crawler.labels.labels import counting, every
from crawler.labels.lessons import described
from crawler.messages import N_
from crawler.records import JUDGED, Outcome, PageKind
from zhuti.board import facts
from zhuti.board.board import SAID, Board

PAGE = 25  # rows of a list
MOST_SKIPPED = 1_000_000  # rows that a list leaves out
LARGEST = 2.0**63  # what a database counts to
WAITING, FAILED = N_("waiting"), N_("came to nothing")
OTHERS = (WAITING, FAILED)  # states of URLs without a verdict
AT_ONCE = 500  # pages of an export, in a transaction and in memory
EXPORTED = ("url", "title", "published", "kind", "language", "similarity")  # of each


def number_in(text: str, otherwise: float) -> float:
    try:
        found = float(text)
    except ValueError:
        return otherwise
    return found if abs(found) < LARGEST else otherwise


def _wanted(request: Request) -> facts.Filter:
    said = request.query_params
    outcome = said.get("outcome", Outcome.KEPT.value)
    return facts.Filter(
        outcome if outcome in JUDGED else Outcome.KEPT.value,
        said.get("host", "").strip().lower(),
        said.get("kind", "") if said.get("kind") in list(PageKind) else "",
        said.get("language", ""),
        number_in(said.get("least", ""), 0.0),
        number_in(said.get("most", ""), 1.0),
    )


def _filter(board: Board, request: Request, topic: str) -> facts.Filter:
    """What the request asks for. Raises StoreError."""
    wanted, words = _wanted(request), request.query_params.get("q", "").strip()
    return replace(wanted, urls=found_by_words(board, topic, words)) if words else wanted


def found_by_words(board: Board, topic: str, words: str) -> tuple[str, ...]:
    """URLs, the best first. The index is brought up to date before. Raises StoreError."""
    from zhuti.search.beside import open_index

    index = open_index(board.settings["STORE_URL"], Path(board.settings["REPORTS_DIR"]))
    from zhuti.search.query import search, update  # Tantivy, which `open_index` has found

    with readable(board.settings["STORE_URL"]) as database:
        update(database, index)
        return tuple(hit.url for hit in search(database, index, words, topic=topic, limit=PAGE))


def exported(board: Board, request: Request, topic: str) -> Response:
    """All that the list of pages would show, as JSON Lines with the bodies."""
    wanted = _filter(board, request, topic)
    with board.reading_of(topic):  # a mistake is told now
        pass

    def lines() -> Iterator[str]:
        before, is_more = 0, True
        while is_more:  # a transaction each, so that none is open for long
            with board.reading_of(topic) as (connection, topic_id):
                rows = facts.pages_of(connection, topic_id, wanted, before, AT_ONCE)
                found = described(connection, topic_id, [row.url for row in rows])
                bodies = {url: page.extraction.body for url, page in found}
            for row in rows:
                told = {name: getattr(row, name) for name in EXPORTED}
                yield json.dumps(told | {"body": bodies.get(row.url, "")}, ensure_ascii=False) + "\n"
                before = row.url_id
            is_more = len(rows) == AT_ONCE

    headers = {"Content-Disposition": "attachment; filename=pages.jsonl"}
    return StreamingResponse(lines(), media_type="application/jsonl", headers=headers)


def pages(board: Board, request: Request, topic: str) -> Response:
    asked = request.query_params
    if asked.get("outcome") in OTHERS:
        return _not_judged(board, request, topic)
    wanted, order = _filter(board, request, topic), asked.get("order", "")
    start = min(MOST_SKIPPED, max(0, int(number_in(asked.get("start", ""), 0))))
    with board.reading_of(topic) as (connection, topic_id):
        before = int(number_in(asked.get("before", ""), 0))
        rows = facts.pages_of(connection, topic_id, wanted, before, PAGE, facts.ORDERS.get(order, facts.NEWEST), start)
        openings = [facts.opening_of(connection, row) for row in rows]
        key = ("number", topic_id, *asdict(wanted).values())
        number = board.remembered(connection, key, lambda: facts.number_of(connection, topic_id, wanted))
        facets = board.remembered(connection, ("facets", *key), lambda: facts.facets_of(connection, topic_id, wanted))
        answers = {url: label.answer for url, label in counting(every(connection, topic_id)).items()}
    said = {key: value for key, value in request.query_params.items() if key not in (*SAID, "before")}
    by_place = order in facts.ORDERS and facts.ORDERS[order] is not facts.NEWEST
    following = {"start": start + PAGE} if by_place else {"before": rows[-1].url_id if rows else 0}
    more = f"?{urlencode(said | following)}" if len(rows) == PAGE and not said.get("q") else ""
    return board.html(
        request,
        "pages.html",
        rows=list(zip(rows, openings, strict=True)),
        number=number,
        facets={name: facet for name, facet in facets.items() if len(facet) > 1},
        answers=answers,
        orders=list(facts.ORDERS),
        narrowed={
            name: urlencode({key: value for key, value in said.items() if key not in (name, "start")})
            for name in facets
        },
        said=said,
        more=more,
        export=f"/t/{quote(topic, safe='')}/pages.jsonl?{urlencode(said)}",
        kinds=list(PageKind),
        outcomes=[*JUDGED, *OTHERS],
    )


def _not_judged(board: Board, request: Request, topic: str) -> Response:
    """URLs that wait, or that came to nothing."""
    start = min(MOST_SKIPPED, max(0, int(number_in(request.query_params.get("start", ""), 0))))
    outcome = request.query_params["outcome"]
    with board.reading_of(topic) as (connection, topic_id):
        find = facts.waiting_of if outcome == WAITING else facts.given_up
        rows = find(connection, topic_id, start, PAGE)
    more = f"?{urlencode({'outcome': outcome, 'start': start + PAGE})}" if len(rows) == PAGE else ""
    return board.html(request, "urls.html", rows=rows, more=more, outcome=outcome, outcomes=[*JUDGED, *OTHERS])
