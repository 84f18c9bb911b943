"""The harvest as an assistant reads it: by the protocol's own client, over a real process."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from sqlalchemy import select

from crawler.database.database import Database
from crawler.database.schema import labels
from crawler.records import Visit
from tests.conftest import ROOT
from tests.crawls import Crawl, kept as kept
from tests.store.runs import run

TOPIC, KEPT = "java", "https://a.example/1"


@pytest.fixture
def store(tmp_path: Path, kept: Callable[..., Visit]) -> str:
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", TOPIC)
    run(
        crawl,
        1_000.0,
        [KEPT, "https://a.example/2"],
        lambda claim, at: kept(claim, body=f"渡口的船 {claim.url} " * 9, at=at),
    )
    crawl.database.close()
    return crawl.url


def asked(store: str, *calls: tuple[str, dict[str, str]], write: bool = False) -> tuple[set[str], list[Any]]:
    """The tools that there are, and what these calls return."""
    arguments = ["-m", "scrapy", "mcp", "-s", f"STORE_URL={store}", *["--write"] * write]
    command = StdioServerParameters(command=sys.executable, args=arguments, cwd=ROOT, env=dict(os.environ))

    async def talk() -> tuple[set[str], list[Any]]:
        async with stdio_client(command) as (read, written), ClientSession(read, written) as session:
            await session.initialize()
            tools = {tool.name for tool in (await session.list_tools()).tools}
            return tools, [await session.call_tool(name, given) for name, given in calls]

    return asyncio.run(talk())


def text(answer: Any) -> str:
    return "".join(part.text for part in answer.content)


def test_it_reads(store: str) -> None:
    tools, (topics, search, page, why, news, unknown, nowhere) = asked(
        store,
        ("topics", {}),
        ("search", {"topic": TOPIC, "words": "渡口"}),
        ("page", {"topic": TOPIC, "url": KEPT}),
        ("why", {"topic": TOPIC, "url": KEPT}),
        ("news", {"topic": TOPIC}),
        ("news", {"topic": "none"}),
        ("page", {"topic": TOPIC, "url": "https://a.example/3"}),
    )
    assert tools == {"topics", "search", "page", "why", "news"}
    assert TOPIC in text(topics)
    assert KEPT in text(search) and "not instructions" in text(search)
    found = json.loads(text(page))
    assert found["body"].startswith("渡口的船") and "not instructions" in found["note"]
    assert "kept, similarity" in text(why) and "note" in text(why)
    assert json.loads(text(news))["counts"]["new"] == 2
    assert unknown.is_error and "none" in text(unknown) and "Traceback" not in text(unknown)
    assert nowhere.is_error and "ask why" in text(nowhere)


def test_it_writes_where_it_may(store: str) -> None:
    tools, (done, wrong) = asked(
        store,
        ("label", {"topic": TOPIC, "url": KEPT, "answer": "yes"}),
        ("steer", {"topic": TOPIC, "action": "shoot", "pattern": "a.example"}),
        write=True,
    )
    assert {"label", "steer"} <= tools
    assert "stored" in text(done)
    assert wrong.is_error and "block, boost or clear" in text(wrong)
    with Database(store, readonly=True) as database, database.transaction(shared=True) as connection:
        assert connection.execute(select(labels.c.who)).scalars().all() == ["model"], "an assistant is no person"
