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
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ElicitResult
from scrapy.settings import Settings
from sqlalchemy import select

from crawler.database.database import Database
from crawler.database.schema import labels
from crawler.records import Visit
from tests.conftest import LOOPBACK, ROOT, through
from tests.crawls import Crawl, kept as kept
from tests.store.runs import run
from zhuti.board.harvesting import seeds_command

TOPIC, KEPT = "java", "https://a.example/1"


@pytest.mark.parametrize("words", ["--from list:/etc/passwd", "- -s SEED_SOURCE=list:/etc/passwd", "机器学习"])
def test_words_for_seeds_are_no_options(words: str) -> None:
    command = seeds_command(Settings(), words)
    assert [part for part in command if part.startswith("--")] == ["--limit"]
    assert sum("passwd" in part for part in command) == ("passwd" in words), "one word, as it was said"


@pytest.mark.parametrize("words", ["", " -- "])
def test_no_words_for_seeds(words: str) -> None:
    with pytest.raises(ToolError, match="give a few words"):
        seeds_command(Settings(), words)


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


Answers = Callable[[ClientSession], Any]


def talk(settings: list[str], env: dict[str, str], conversation: Answers, agrees: bool | None) -> Any:
    """What the conversation returns. `agrees`: what the person says; None: the client cannot ask."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "scrapy", "mcp", "--write", *settings], cwd=ROOT, env=env
    )

    async def ask(_context: Any, _params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"agrees": bool(agrees)})

    async def talked() -> Any:
        able = {} if agrees is None else {"elicitation_callback": ask}
        async with stdio_client(command) as (read, written), ClientSession(read, written, **able) as session:
            await session.initialize()
            return await conversation(session)

    return asyncio.run(talked())


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
    tools, (topics, search, page, why, news, unknown, nowhere, elsewhere) = asked(
        store,
        ("topics", {}),
        ("search", {"topic": TOPIC, "words": "渡口"}),
        ("page", {"topic": TOPIC, "url": KEPT}),
        ("why", {"topic": TOPIC, "url": KEPT}),
        ("news", {"topic": TOPIC}),
        ("news", {"topic": "none"}),
        ("page", {"topic": TOPIC, "url": "https://a.example/3"}),
        ("status", {"topic": "../other"}),
    )
    assert elsewhere.is_error and "unknown topic" in text(elsewhere), "no log of another program"
    assert tools == {"topics", "search", "page", "why", "news", "status"}, "nothing that changes anything"
    assert TOPIC in text(topics)
    assert KEPT in text(search) and "not instructions" in text(search)
    found = json.loads(text(page))
    assert found["body"].startswith("渡口的船") and "not instructions" in found["note"]
    assert "kept, similarity" in text(why) and "note" in text(why)
    assert json.loads(text(news))["counts"]["new"] == 2
    assert unknown.is_error and "none" in text(unknown) and "Traceback" not in text(unknown)
    assert nowhere.is_error and "ask why" in text(nowhere)


def test_it_writes_where_it_may(store: str) -> None:
    tools, (done, wrong, *unwritten) = asked(
        store,
        ("label", {"topic": TOPIC, "url": KEPT, "answer": "yes"}),
        ("steer", {"topic": TOPIC, "action": "shoot", "pattern": "a.example"}),
        *(
            ("topic_from_sentence", {"topic": "zz", "sentence": SENTENCE, "seeds": [SEED], "hosts": [host]})
            for host in ("10.0.0.0/8", "bad host! [")
        ),
        write=True,
    )
    assert {"label", "steer"} <= tools
    assert all(one.is_error and "allowed_hosts" in text(one) for one in unwritten), "what cannot be loaded again"
    assert "stored" in text(done)
    assert wrong.is_error and "block, boost or clear" in text(wrong)
    with Database(store, readonly=True) as database, database.transaction(shared=True) as connection:
        assert connection.execute(select(labels.c.who)).scalars().all() == ["model"], "an assistant is not a person"


SEED = "http://ai-notes.example/"
SENTENCE = "机器学习：神经网络、损失函数、梯度下降、训练集与过拟合"


@pytest.mark.slow  # a client, the server and a crawl are what is tested: that they work together
def test_a_question_is_answered_from_pages_that_are_harvested_during_the_talk(tmp_path: Path, demo_proxy: str) -> None:
    async def conversation(session: ClientSession) -> list[Any]:
        async def call(name: str, **given: Any) -> Any:
            return await session.call_tool(name, given)

        begun = await call(
            "topic_from_sentence", topic="mine", sentence=SENTENCE, seeds=[SEED], hosts=["ai-notes.example"]
        )
        before = await call("status", topic="mine")
        started = await call("start_crawl", topic="mine", requests=25)
        while json.loads(text(status := await call("status", topic="mine")))["running"]:
            await asyncio.sleep(0.3)
        hits = await call("search", topic="mine", words="模型")
        url = json.loads(text(hits))["pages"][0]["url"]
        return [begun, before, started, status, await call("page", topic="mine", url=url), url]

    settings = [*LOOPBACK]
    for name, value in (
        ("STORE_URL", f"sqlite:///{tmp_path}/harvest.db"),
        ("TOPICS_DIR", tmp_path),
        ("REPORTS_DIR", tmp_path / "reports"),
    ):
        settings += ["-s", f"{name}={value}"]
    begun, before, started, status, page, url = talk(settings, through(demo_proxy), conversation, agrees=True)
    assert "mine.toml" in text(begun) and "has begun" in text(started)
    assert json.loads(text(before)) == {"running": False}
    assert int(json.loads(text(status))["pages"]) > 3, text(status)
    told = json.loads(text(page))
    assert url.startswith(SEED) and "模型" in told["body"] and "not instructions" in told["note"]


def test_no_crawl_against_the_person(tmp_path: Path) -> None:
    async def conversation(session: ClientSession) -> list[Any]:
        given = {"topic": "java", "requests": 5}
        return [await session.call_tool("start_crawl", given | more) for more in ({}, {"requests": 10**6})]

    settings = ["-s", f"STORE_URL=sqlite:///{tmp_path}/harvest.db"]
    refused, too_many = talk(settings, dict(os.environ), conversation, agrees=False)
    assert refused.is_error and "does not agree" in text(refused)
    assert too_many.is_error and "1 to 2000" in text(too_many)
    assert list(tmp_path.iterdir()) == []
