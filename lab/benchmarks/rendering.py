"""What a rendered page costs, and how many pages are shells.

    python -m lab.benchmarks.rendering                 # 40 small pages whose text a script fetches, by Chromium
    python -m lab.benchmarks.rendering FOLDER ...      # files that `is_shell` takes for shells

Memory is what Chromium's processes take together, shared parts counted once (PSS); CPU is theirs and ours.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import median

from crawler.crawl.browser import Answer, Chromium
from crawler.reader.extract.best import best
from crawler.reader.html.page import Page, read_markup
from crawler.reader.html.shell import is_shell

PAGES = 40
SHELL = '<title>渡口</title><div id="app"></div><script src="/app.js"></script>'
APP = b"fetch('api').then(got => got.text()).then(text => document.querySelector('#app').append(text))"
TEXT = "渡口的船，天亮之前不开。" * 200


NO_PAGES = (".xml", ".json", ".jsonl", ".txt")


def told(name: str) -> Iterator[tuple[int, str]]:
    """What the system tells of this process and its descendants, and their numbers."""
    parents, texts = {}, {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            number = int(process.name)
            parents[number] = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            texts[number] = (process / name).read_text()
    for found, text in texts.items():
        above = found
        while above != os.getpid() and above in parents:
            above = parents[above]
        if above == os.getpid():
            yield found, text


def cpu() -> float:
    """Seconds, those of processes that have ended among them."""
    times = [text.rpartition(")")[2].split()[11:15] for _, text in told("stat")]
    return sum(int(one) for each in times for one in each) / os.sysconf("SC_CLK_TCK")


def memory() -> float:
    """Megabytes of the descendants."""
    lines = [line for number, text in told("smaps_rollup") if number != os.getpid() for line in text.splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


async def cost(at_once: int) -> None:
    began = time.monotonic()
    chromium = await Chromium.launch("", "Zhuti")
    launched = time.monotonic() - began
    await asyncio.sleep(2)
    idle, used, turns, seconds, peak = memory(), cpu(), asyncio.Semaphore(at_once), [], [0.0]

    async def answer(url: str, headers: Mapping[str, str]) -> Answer:
        if url.endswith("0/api"):
            peak.append(memory())
        return Answer(200, {"content-type": "text/javascript"}, APP if url.endswith(".js") else TEXT.encode())

    async def one(number: int) -> None:
        async with turns:
            began = time.monotonic()
            content = await chromium.content(f"https://a.example/{number}/", SHELL, answer)
            seconds.append(time.monotonic() - began)
            assert TEXT in content

    began = time.monotonic()
    await asyncio.gather(*map(one, range(PAGES)))
    whole = time.monotonic() - began
    used = (cpu() - used) / PAGES
    print(
        f"{at_once} at once: start {launched:.1f} s, a page {median(seconds):.2f} s (median), CPU {used:.2f} s a page,"
    )
    print(f"  {PAGES / whole:.2f} pages/s, {idle:.0f} MB idle, {max(peak):.0f} MB with pages open")
    await chromium.close()


def shells(folder: Path) -> None:
    found: Counter[str] = Counter()
    pages = empty = 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in NO_PAGES):
        markup = read_markup(path.read_bytes(), "text/html", "https://a.example/")
        if markup is None:
            continue
        pages += 1
        page = Page(markup.text, "https://a.example/page.html")
        if is_shell(page):
            found[path.relative_to(folder).parts[0]] += 1
            empty += not best(page).body
    told = f"{found.total()} look like shells in {len(found)} folders, {empty} of them have no body"
    print(f"{folder}: {pages:,} pages; {told}")


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        shells(Path(folder))
    if not sys.argv[1:]:
        for at_once in (1, 2):
            asyncio.run(cost(at_once))
