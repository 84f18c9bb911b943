"""The whole web: every page, and the files that say what a tree of files cannot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from urllib.robotparser import RobotFileParser

from zhuti.demo.web.around import DemoWeb
from zhuti.demo.web.articles import write_articles
from zhuti.demo.web.copies import ATTIC_RULES, Rules, attic_pages, mirror_pages, redirects
from zhuti.demo.web.model import DemoPage, Host
from zhuti.demo.web.pages import article_pages, listing_pages, search_pages
from zhuti.demo.web.plan import ALIASES, HOSTS, ML, PORTAL
from zhuti.demo.web.traps import about_page, advert_pages, calendar_pages, raw_files, tunnel_pages
from zhuti.demo.web.words import load_common

TRUTH = "truth.jsonl"
_TRUTH_KEYS = ("url", "host", "topic", "kind", "title", "published", "author", "body", "copy_of")


def build(folder: Path) -> int:
    """Writes HOST/path below `folder`, with _replay.json and aliases.json for the replay, and truth.jsonl: a line for
    each page. Returns how many pages there are. What was in the folder before stays."""
    common = load_common()
    web = DemoWeb(write_articles(HOSTS, common), common)
    pages = list(_pages(web))
    rules = redirects(web) | ATTIC_RULES
    for page in pages:
        host = web.hosts.get(page.host)
        _write(folder, page.host, page.path, page.markup.encode(host.encoding if host else "utf-8"))
        if host and host.content_type is not None:
            rules[page.url] = {"content_type": host.content_type}
    for file in raw_files(web):
        _write(folder, file.host, file.path, file.content)
    _write_json(folder / "_replay.json", rules)
    _write_json(folder / "aliases.json", {host: {"host": host, "aliases": [name]} for host, name in ALIASES.items()})
    _write_truth(folder / TRUTH, web, pages)
    return len(pages)


def _pages(web: DemoWeb) -> Iterator[DemoPage]:
    for host in HOSTS:
        yield from chain(listing_pages(web, host), article_pages(web, host), [about_page(web, host)])
    yield from search_pages(web, web.hosts[PORTAL])
    yield from tunnel_pages(web)
    yield from calendar_pages(web)
    yield from advert_pages(web.common)
    yield from mirror_pages(web)
    yield from attic_pages(next(article for article in web.articles[PORTAL] if article.topic == ML))


def _write(folder: Path, host: str, path: str, content: bytes) -> None:
    file = folder / host / (path.lstrip("/") + ("index.html" if path.endswith("/") else ""))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def _write_json(file: Path, content: Rules | dict[str, dict[str, object]]) -> None:
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _write_truth(file: Path, web: DemoWeb, pages: list[DemoPage]) -> None:
    robots = {host.name: _robots(host) for host in web.hosts.values()}
    with file.open("w", encoding="utf-8") as lines:
        for page in pages:
            truth = {key: getattr(page, key) for key in _TRUTH_KEYS}
            truth["allowed"] = page.host not in robots or robots[page.host].can_fetch("*", page.url)
            lines.write(json.dumps(truth, ensure_ascii=False) + "\n")


def _robots(host: Host) -> RobotFileParser:
    parser = RobotFileParser()
    parser.parse(host.robots.splitlines())
    return parser
