"""Near-duplicates: precision and recall on mutated copies of real pages, and what a signature costs.

    python -m lab.benchmarks.duplicates PAGES_DIR [--count 2000] [--choose]

PAGES_DIR holds HTML pages at any depth, or labelled ones (truth.jsonl with a body beside html/). Their bodies are
committed to a harvest, then copies of each under another address: with other boilerplate around, without one paragraph,
in the other Chinese script, and with all three. A copy is found when it is stored as the duplicate of its original. A
page that is said to repeat a page of other text, or a copy linked to another page, is a false alarm.

Pages whose sentences are for the most part on an earlier page are left out: they do repeat it. The sites are split in
two halves: --choose prints the figures of the half that thresholds are chosen on, for several thresholds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from opencc import OpenCC
from sqlalchemy import select

from crawler.database.database import Database
from crawler.database.schema import judgements, pages
from crawler.extractors import extractor
from crawler.frontier.frontier import Frontier
from crawler.reader.html.page import Page
from crawler.reader.text.charset import decode
from crawler.reader.text.measures import HAN, language
from crawler.reader.text.minhash import signature
from crawler.records import Analysis, Extraction, JudgedPage, Judgement, Outcome, Visit
from crawler.scorers.base import LinkScorer
from crawler.store import duplicates
from crawler.store.crawl_store import CrawlStore

LEAST = 200  # characters of a body: shorter ones are menus and notices
SAME = 0.5  # of its sentences on an earlier page: the page does repeat it
SENTENCE = re.compile(r"[^。！？.!?\n]{12,}")
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)
BEFORE = {
    "zh": "首页 > 新闻 > 正文\n来源：本站 编辑：小王 2026-11-21\n字号：大 中 小",
    "": "Home > News > Story\nBy our staff",
}
AFTER = {
    "zh": "相关阅读\n分享到微博\n上一篇 下一篇\n版权所有 不得转载 联系我们",
    "": "Related stories\nShare\nAll rights reserved",
}

Mutation = Callable[[str, str, random.Random], str | None]
converter = cache(OpenCC)  # by the name of its table


class NoLinks(LinkScorer):
    name = "none"

    def observe(self, page: JudgedPage) -> dict[str, float]:
        return {}


def boilerplate(body: str, tongue: str, chance: random.Random) -> str:
    """Other words around the text; of many lines, the first and the last are left out."""
    lines = body.split("\n")
    kept = lines[1:-1] if len(lines) > 12 else lines
    key = tongue if tongue in BEFORE else ""
    return "\n".join([BEFORE[key], *kept, AFTER[key]])


def paragraph_dropped(body: str, tongue: str, chance: random.Random) -> str | None:
    """The text without one paragraph, which is at most half of it; None when there is none to drop."""
    lines = [line for line in body.split("\n") if line.strip()]
    droppable = [place for place, line in enumerate(lines) if 20 <= len(line) <= len(body) / 2]
    if not droppable:
        return None
    gone = chance.choice(droppable)
    return "\n".join(line for place, line in enumerate(lines) if place != gone)


def other_script(body: str, tongue: str, chance: random.Random) -> str | None:
    """A Simplified text in Traditional characters, or the other way round; None for text that is not Chinese."""
    if tongue != "zh" or not HAN.search(body):
        return None
    for name in ("s2tw", "t2s"):
        converted = converter(name).convert(body)
        if converted != body:
            return str(converted)
    return None


def all_three(body: str, tongue: str, chance: random.Random) -> str | None:
    shorter = paragraph_dropped(body, tongue, chance)
    converted = shorter and other_script(shorter, tongue, chance)
    return boilerplate(converted, tongue, chance) if converted else None


MUTATIONS: dict[str, Mutation] = {
    "boilerplate": boilerplate,
    "paragraph": paragraph_dropped,
    "script": other_script,
    "all three": all_three,
}


def bodies(folder: Path, count: int) -> Iterator[tuple[str, str]]:
    """(site, body): the labelled body where there are labels, else what `plain` extracts, always in the same order."""
    truths = sorted(folder.rglob("truth.jsonl"))
    for truth in truths:
        for line in truth.read_text(encoding="utf-8").split("\n"):
            label = json.loads(line) if line.strip() else {}
            if label.get("body"):
                yield label.get("site") or label["id"], label["body"]
    if truths:
        return
    extract = extractor("plain")
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".html", ".htm"))
    random.Random(7).shuffle(files)
    for path in files[:count]:
        yield path.relative_to(folder).parts[0], extract(Page(decode(path.read_bytes())[0])).body


def different(found: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pages of `found` without those that share most of their sentences with one earlier page."""
    where: dict[str, list[int]] = {}
    sizes: list[int] = []
    kept: list[tuple[str, str]] = []
    for site, body in found:
        sentences = {"".join(text.split()) for text in SENTENCE.findall(converter("t2s").convert(body))}
        if len(body) < LEAST or not sentences:
            continue
        shared = Counter(place for text in sentences for place in where.get(text, ()))
        if any(count >= SAME * min(len(sentences), sizes[place]) for place, count in shared.items()):
            continue
        for text in sentences:
            where.setdefault(text, []).append(len(kept))
        sizes.append(len(sentences))
        kept.append((site, body))
    return kept


def half(site: str) -> int:
    return hashlib.sha256(site.encode()).digest()[0] % 2


class Trial:
    """A harvest in memory."""

    def __init__(self) -> None:
        self._database = Database("sqlite://")
        self._frontier = Frontier(self._database, "t", per_host=1 << 30)
        self._harvest = CrawlStore(self._database, self._frontier, NoLinks())
        self.seconds: list[float] = []  # of a signature

    def commit(self, texts: dict[str, str]) -> None:
        self._frontier.seed(texts, now=0)
        claims = self._frontier.claim(len(texts), now=1)
        while claims:
            visits = []
            for claim in claims:
                started = time.perf_counter()
                signed = signature(texts[claim.url])
                self.seconds.append(time.perf_counter() - started)
                analysis = Analysis(Extraction("", texts[claim.url]), Judgement(0.5, True), signature=signed)
                visits.append(Visit(claim, Outcome.KEPT, 1.0, 200, analysis=analysis))
            self._harvest.commit(visits)
            claims = self._frontier.claim(len(texts), now=1e6)

    def firsts(self) -> dict[str, str]:
        """The page that each duplicate repeats, by URL."""
        first = pages.alias()
        query = (
            select(pages.c.url, first.c.url)
            .join_from(judgements, pages, pages.c.id == judgements.c.page_id)
            .join(first, first.c.id == judgements.c.duplicate_of)
        )
        with self._database.transaction() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}


def measure(originals: list[tuple[str, str]], near: float) -> dict[str, float | int]:
    duplicates.NEAR = near
    trial, chance = Trial(), random.Random(11)
    texts = {f"https://h{number}.example/": body for number, (_, body) in enumerate(originals)}
    copies: dict[str, str] = {}
    of: dict[str, str] = {}
    for number, (url, body) in enumerate(texts.items()):
        tongue = language(body)
        for name, mutate in MUTATIONS.items():
            if (copy := mutate(body, tongue, chance)) is not None:
                address = f"https://{name.replace(' ', '-')}{number}.example/"
                copies[address], of[address] = copy, url
    trial.commit(texts)
    alarms = trial.firsts()
    # A copy of a page that was itself taken for another's duplicate belongs to that one's family.
    home = {url: alarms.get(url, url) for url in texts}
    trial.commit(copies)
    firsts = {url: first for url, first in trial.firsts().items() if url in copies}
    right = {url for url, first in firsts.items() if first == home[of[url]]}
    figures: dict[str, float | int] = {"pages": len(texts), "copies": len(copies), "false alarms": len(alarms)}
    for name in MUTATIONS:
        mine = [url for url in copies if url.startswith(f"https://{name.replace(' ', '-')}")]
        figures[f"recall, {name}"] = sum(url in right for url in mine) / len(mine) if mine else 1.0
    figures["recall"] = len(right) / len(copies)
    figures["precision"] = len(right) / (len(firsts) + len(alarms))
    figures["ms a signature (median)"] = statistics.median(trial.seconds) * 1000
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", type=Path, metavar="PAGES_DIR")
    parser.add_argument("--count", type=int, default=2000, help="HTML pages to take")
    parser.add_argument("--choose", action="store_true", help="the other half of the sites, for several thresholds")
    options = parser.parse_args()
    found = different(bodies(options.pages, options.count))
    mine = [(site, body) for site, body in found if half(site) == int(options.choose)]
    if not mine:
        raise SystemExit(f"{options.pages}: no page here has {LEAST} characters of text; name a folder of other pages")
    for near in THRESHOLDS if options.choose else (duplicates.NEAR,):
        told = ", ".join(
            f"{name} {value:.3f}" if isinstance(value, float) else f"{name} {value}"
            for name, value in measure(mine, near).items()
        )
        print(f"threshold {near}: {told}", flush=True)


if __name__ == "__main__":
    main()
