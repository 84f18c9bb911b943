"""Labels posts of a recorded web by the containers that hold them, and its lists by their kind.

    python -m lab.extraction.recorded_posts WEB LABELS.jsonl OUT [--posts 8] [--lists 6]

The posts of a host share a template, so the element that holds the post is found once a host: the inmost one, of a tag,
class and id that stand once on each page, with nearly all of the text that no other post of the host has. What it holds
is the label: silver, for it may hold a byline more; but lines of code and cells of tables are surely the post's.
Written is OUT/zh/recorded/{truth.jsonl, html/ID.html}, with the lines of `pre` as "code", indented as in the source,
and table cells as "cells".
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha1
from pathlib import Path
from random import Random
from typing import Any

from lxml.html import HtmlElement

from crawler.reader.html.blocks import broken_text
from crawler.reader.html.page import Page
from crawler.reader.html.urls import host
from crawler.reader.text.printable import to_stderr
from lab.links.labels import POST, Labels
from lab.links.recorded import RecordedWeb

SEED = 20260101
SILVER = 0.3  # times such a label counts in training: with 1 pages of other kinds get worse
TEMPLATE = 14  # posts of a host by which its container is found
SHARED = 0.3  # share of a host's posts from which a line is the template's
MIN_LINE = 15  # characters of a line that counts for the container
MIN_TEXT = 200  # characters of a post
ON_MOST = 0.6  # share of the posts that must have the container
HELD = 0.9  # share of a post's own text that it must hold
LISTS = frozenset(["tag", "archive", "paging", "home"])  # kinds of pages without a body
NO_CONTAINER = frozenset(["html", "body"])

Look = tuple[str, str | None, str | None]  # tag, class and id


def container(pages: Sequence[Page]) -> Look | None:
    """Returns the look of the element that holds the post on the pages of one host; None if there is none."""
    shown = Counter(text for page in pages for text in {line.text for line in page.layout.lines})
    template = {text for text, number in shown.items() if number > max(2, SHARED * len(pages))}
    held: dict[Look, list[tuple[float, int]]] = defaultdict(list)
    for page in pages:
        own = _own_text(page, template)
        most = max(own.values(), default=0)
        looks = Counter(map(_look, page.tree.iter()))
        for element, size in own.items() if most >= MIN_TEXT else ():
            if looks[_look(element)] == 1:
                held[_look(element)].append((size / most, sum(1 for _ in element.iterancestors())))
    found = [
        (sum(depth for _, depth in places) / len(places), look)
        for look, places in held.items()
        if look[0] not in NO_CONTAINER
        and len(places) >= ON_MOST * len(pages)
        and sum(share for share, _ in places) >= HELD * len(places)
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _own_text(page: Page, template: set[str]) -> Counter[HtmlElement]:
    own: Counter[HtmlElement] = Counter()
    for line in page.layout.lines:
        if line.text in template or len(line.text) < MIN_LINE or 2 * line.link_chars > len(line.text):
            continue
        own[line.block] += len(line.text)
        for element in line.block.iterancestors():
            own[element] += len(line.text)
    return own


def _look(element: HtmlElement) -> Look:
    return element.tag, element.get("class"), element.get("id")


def post_label(page: Page, look: Look) -> dict[str, Any] | None:
    """Returns body, lines of code and cells of the post; None if the page has no such container."""
    element = next((element for element in page.tree.iter(look[0]) if _look(element) == look), None)
    if element is None:
        return None
    inside = {element, *element.iterdescendants()}
    lines = [line.text for line in page.layout.lines if line.block in inside]
    code = [
        line.rstrip()
        for pre in element.iter("pre")
        if not _within(pre, "pre")
        for line in broken_text(pre, kept=True).splitlines()
        if line.strip()
    ]
    cells = [
        text
        for cell in element.iter("td", "th")
        if next(cell.iter("pre", "table"), None) in (None, cell) and not _within(cell, "pre")
        if (text := " ".join(broken_text(cell).split()))
    ]
    body = "\n".join(line for line in lines if line)
    return {"body": body, "code": code, "cells": cells} if len(body) >= MIN_TEXT else None


def _within(element: HtmlElement, tag: str) -> bool:
    return next(element.iterancestors(tag), None) is not None


def labelled(web: RecordedWeb, labels: Labels, posts: int, lists: int) -> Iterator[tuple[dict[str, Any], str]]:
    """Yields labels of posts and lists, some of each host, with their markup."""
    urls: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for label in labels:
        urls[host(label.url)][label.kind].append(label.url)
    random = Random(SEED)
    for name, by_kind in sorted(urls.items()):
        chosen = random.sample(by_kind[POST], min(max(TEMPLATE, posts), len(by_kind[POST])))
        pages = [page for url in chosen if (page := _page(web, url)) is not None]
        look = container(pages) if pages else None
        if look is None:
            to_stderr(f"{name}: no element holds its posts")
        for page in pages[:posts]:
            if look and (found := post_label(page, look)):
                yield {"url": page.url, "site": name, "kind": "article", "weight": SILVER, **found}, page.markup
        others = sorted(url for kind in LISTS for url in by_kind[kind])
        for url in random.sample(others, min(lists, len(others))):
            if page := _page(web, url):
                yield {"url": url, "site": name, "kind": "list", "body": ""}, page.markup


def _page(web: RecordedWeb, url: str) -> Page | None:
    reply = web.fetch(url)
    return Page(reply.markup, url) if reply.is_page and not reply.target else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--posts", type=int, default=8, help="posts of a host, by default 8")
    parser.add_argument("--lists", type=int, default=6, help="lists of a host, by default 6")
    options = parser.parse_args()
    folder = options.out / "zh" / "recorded"
    (folder / "html").mkdir(parents=True, exist_ok=True)
    web, labels = RecordedWeb.open(options.web), Labels.load(options.labels, {})
    with (folder / "truth.jsonl").open("w", encoding="utf-8") as truth:
        for label, markup in labelled(web, labels, options.posts, options.lists):
            name = sha1(label["url"].encode()).hexdigest()[:16]
            truth.write(json.dumps({"id": name, **label}, ensure_ascii=False) + "\n")
            (folder / "html" / f"{name}.html").write_text(markup, encoding="utf-8")


if __name__ == "__main__":
    main()
