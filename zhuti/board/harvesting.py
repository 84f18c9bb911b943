"""What lets an assistant begin a harvest: seeds for words, a topic of one sentence, a crawl with a budget."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable
from functools import partial
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel
from scrapy.settings import BaseSettings

from crawler.messages import _
from crawler.runs.harvester import PROGRAM, given
from crawler.topic.fields import NAME

MOST_REQUESTS = 2_000  # requests of one crawl
USUAL = 200
LOOKED_AT = 20  # pages that a search for seeds fetches
PATIENCE = 300  # seconds for it

Do = Callable[[str, str, dict[str, str]], str]  # an action of the board, a topic, a form; raises ToolError


READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
FETCHES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)


class Consent(BaseModel):
    """What a person is asked."""

    agrees: bool


def add_harvesting(made: MCPServer, settings: BaseSettings, do: Do, foreign: str) -> None:
    """Adds the tools. `foreign`: what is said beside the text of pages."""

    @made.tool(annotations=FETCHES)
    async def find_seeds(words: str) -> dict[str, str]:
        """Pages to start a crawl from, for a few words, the best first; asked of the sources that the person has set
        (SEED_SOURCE). Up to 20 pages are fetched."""
        told = await asyncio.to_thread(_seeds, settings, words)
        return {"note": foreign, "found": told}

    @made.tool(annotations=CHANGES)
    def topic_from_sentence(topic: str, sentence: str, seeds: list[str], hosts: list[str] | None = None) -> str:
        """Writes a new topic that one sentence describes. `topic`: its name, of letters, digits and hyphens. `seeds`:
        addresses to start from. `hosts`: the only ones that may be visited; none: any."""
        form = {"text": sentence, "seeds": "\n".join(seeds), "hosts": "\n".join(hosts or ())}
        return do("begin", topic, form)

    @made.tool(annotations=FETCHES)
    async def start_crawl(topic: str, ctx: Context, requests: int = USUAL) -> str:
        """Starts a crawl of a topic in the background, of so many requests at most, if the person agrees. `status` says
        how far it is, `search` finds what it keeps."""
        if not NAME.fullmatch(topic):  # else it would be a file, anywhere
            raise ToolError("give the name of a topic")
        if not 1 <= requests <= MOST_REQUESTS:
            raise ToolError(f"give 1 to {MOST_REQUESTS} requests")
        do("may_run", topic, {})  # before a person is asked
        told = {"topic": topic, "count": requests}
        if not await _agrees(
            ctx, _("Crawl the topic {topic}, with at most {count} requests to other people's servers?", **told)
        ):
            raise ToolError("the person does not agree; do not try again")
        return await asyncio.to_thread(partial(do, "run", topic, {"requests": str(requests)}))

    @made.tool(annotations=CHANGES)
    def stop_crawl(topic: str) -> str:
        """Ends a crawl that was started here, after the pages under way."""
        return do("stop", topic, {})


async def _agrees(ctx: Context, question: str) -> bool:
    """A client that cannot put a question asks its person before each call of a tool: that is the consent then."""
    able = ctx.client_capabilities
    if able is None or able.elicitation is None:
        return True
    answer: Any = await ctx.elicit(question, Consent)
    return answer.action == "accept" and bool(answer.data.agrees)


def seeds_command(settings: BaseSettings, words: str) -> list[str]:
    """The command that finds seeds. An assistant names no source and no option: a list or an archive may be any file of
    the person's. Raises ToolError."""
    plain = words.lstrip("- ")
    if not plain:
        raise ToolError("give a few words")
    return [*PROGRAM, "seeds", "find", plain, "--limit", str(LOOKED_AT), *given(settings)]


def _seeds(settings: BaseSettings, words: str) -> str:
    """Finds seeds in a process of its own: what fetches pages can run once in a process. Raises ToolError."""
    command = seeds_command(settings, words)
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError("the search for seeds took too long") from error
    if done.returncode:
        raise ToolError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no seeds")
    return done.stdout
