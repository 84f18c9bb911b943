"""The board for programs: pages, runs and topics as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from crawler.clock import wall_time
from crawler.errors import StoreError
from crawler.messages import _
from crawler.questions.runs import NEWEST, run_named
from zhuti.board import facts
from zhuti.board.board import Board
from zhuti.board.page_list import PAGE, listed
from zhuti.board.views import NEWS, fate
from zhuti.news.news import news_of
from zhuti.news.news_output import summary
from zhuti.topics.topic_list import topic_rows

COLUMNS = ("topic", "last_run", "next_run", "pages", "new", "rate", "trend")  # of topics.topic_list.topic_rows
FIELDS = ("url", "title", "published", "author", "language", "kind")


def topic_records(board: Board) -> list[dict[str, str]]:
    with board.reading() as (database, _connection):
        return [dict(zip(COLUMNS, row, strict=True)) for row in topic_rows(database, {}, wall_time())]


def page_record(board: Board, topic: str, url: str) -> dict[str, Any]:
    """Raises StoreError for a page that was not judged for the topic."""
    with board.reading_of(topic) as (connection, topic_id):
        found = facts.page_of(connection, topic_id, url)
    if found is None:
        raise StoreError(_("{url} is not a page of topic {topic}; ask why", url=url, topic=topic))
    fields = {name: found.row._mapping[name] for name in FIELDS}
    links = [outlink.link.url for outlink in found.outlinks]
    return {**fields, "body": found.body, "links": links, "found_on": found.parents}


def news_record(board: Board, topic: str, run: str, limit: int) -> dict[str, Any]:
    with board.reading() as (_database, connection):
        topic_id, named = run_named(connection, topic, run)
        return summary(news_of(connection, topic, topic_id, named, limit))


def topics(board: Board, request: Request, _topic: str) -> Response:
    return JSONResponse(topic_records(board))


def pages(board: Board, request: Request, topic: str) -> Response:
    rows = listed(board, request, topic)
    told = ({**row._mapping, "similarity": round(row.similarity, 4), "reason": str(row.reason)} for row in rows)
    return JSONResponse([{name: value for name, value in row.items() if name != "body"} for row in told])


def page(board: Board, request: Request, topic: str) -> Response:
    return JSONResponse(page_record(board, topic, request.query_params.get("url", "")))


def why(board: Board, request: Request, topic: str) -> Response:
    return JSONResponse({"why": fate(board, request.query_params.get("url", ""), topic)})


def news(board: Board, request: Request, topic: str) -> Response:
    return JSONResponse(news_record(board, topic, request.query_params.get("run", NEWEST), NEWS))


def hosts(board: Board, request: Request, topic: str) -> Response:
    with board.reading_of(topic) as (connection, topic_id):
        rows = facts.hosts_of(connection, topic_id, 0, PAGE)
    return JSONResponse([asdict(row) for row in rows])


def openapi(board: Board, request: Request, _topic: str) -> Response:
    """What programs may ask for (OpenAPI 3.1)."""

    def get(told: str, *asked: str) -> Mapping[str, Any]:
        text = {"schema": {"type": "string"}}
        listed = [
            {"name": name, **text, **({"in": "path", "required": True} if name == "topic" else {"in": "query"})}
            for name in asked
        ]
        return {"get": {"summary": told, "parameters": listed, "responses": {"200": {"description": "JSON"}}}}

    filters = ("q", "outcome", "host", "kind", "language", "least", "most", "before")
    return JSONResponse(
        {
            "openapi": "3.1.0",
            "info": {"title": "Zhuti", "version": "1"},
            "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
            "security": [{"token": []}],
            "paths": {
                "/api/topics": get("The topics, their runs and pages"),
                "/api/t/{topic}/pages": get("Pages, the last found first", "topic", *filters),
                "/api/t/{topic}/page": get("A page with its body, links and where it was found", "topic", "url"),
                "/api/t/{topic}/why": get("Why a URL was kept, dropped or waits", "topic", "url"),
                "/api/t/{topic}/news": get("What a run has brought", "topic", "run"),
                "/api/t/{topic}/hosts": get("Hosts, those with most pages first", "topic"),
            },
        }
    )
