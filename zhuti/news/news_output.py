"""What is new, told: as sentences, as an Atom feed, as a JSON summary for a webhook."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import Request

from lxml import etree

from crawler.errors import ExportError
from crawler.messages import _, ngettext
from crawler.reader.text.printable import legible, minute, printable
from crawler.reasons import told
from zhuti.news.news import Item, News
from zhuti.remote.no_redirects import answer
from zhuti.whole_file import whole_file

ATOM = "http://www.w3.org/2005/Atom"
TIMEOUT = 10.0  # seconds for an answer
WAITS = (1.0, 5.0)  # seconds before another try; with the timeouts half a minute at most
AGAIN = (408, 425, 429, 500, 502, 503, 504)  # statuses that may pass
STRETCHES = 3  # of a changed text, that are shown of what was added and of what was removed
STRETCH = 100  # characters of each
ENTRIES = 100  # of a feed
TOLD = 20  # pages of each kind in a webhook's summary


def sentences(news: News) -> Iterator[str]:
    """The news for a terminal: what pages wrote cannot control it."""
    run = news.run
    named = {"id": run.id, "topic": news.topic, "began": minute(run.started_at), "requests": run.requests}
    if run.ended_at:
        named |= {"ended": minute(run.ended_at), "why": told(run.ended)}
        yield _("Run {id} of topic {topic} began {began} UTC and ended {ended} ({why}); {requests} requests.", **named)
    else:
        yield _("Run {id} of topic {topic} began {began} UTC and has not ended; {requests} requests.", **named)
    new, changed, gone, moved, dropped = news.counts
    yield _("No pages are new.") if not new else ngettext("{count} page is new:", "{count} pages are new:", new)
    yield from _listed(news.new[: news.fresh], news.fresh)
    if late := new - news.fresh:
        yield ngettext("{count} of older date, found late:", "{count} of older dates, found late:", late)
        yield from _listed(news.new[news.fresh :], late)
    if count := news.textless:
        yield ngettext("{count} likely post had no text yet.", "{count} likely posts had no text yet.", count)
    some = ngettext("{count} page is changed:", "{count} pages are changed:", changed)
    yield some if changed else _("No pages are changed.")
    yield from _listed(news.changed, changed)
    yield _("No pages are gone.") if not gone else ngettext("{count} page is gone:", "{count} pages are gone:", gone)
    yield from _listed(news.gone, gone)
    if moved:
        yield ngettext("{count} page has moved:", "{count} pages have moved:", moved)
        yield from _listed(news.moved, moved)
    if dropped:
        yield ngettext("{count} page has left the topic:", "{count} pages have left the topic:", dropped)
        if news.withdrawn:
            yield "  " + _("{count} of them because their publishers now refuse", count=news.withdrawn)
        yield from _listed(news.dropped, dropped)


def _listed(items: Sequence[Item], count: int) -> Iterator[str]:
    yield from map(_told_of, items)
    if more := count - len(items):
        yield "  " + _("and {more} more", more=more)


def _told_of(item: Item) -> str:
    day = f" ({item.published[:10]})" if item.published else ""
    former = _(", before: {url}", url=legible(item.former)) if item.former else ""
    dropped = _(", dropped {time} UTC", time=minute(item.dropped_at)) if item.dropped_at else ""
    alike = "\n    " + _("and {count} more pages of its host", count=item.alike) if item.alike else ""
    words = alike + "".join(f"\n    {line}" for line in _changed_words(item))
    title = printable(item.title) or _("(no title)")
    return f"  {title}{printable(day)}\n    {legible(item.url)}{former}{dropped}{words}"


def _changed_words(item: Item) -> Iterator[str]:
    """What was removed and added, as the lines of a diff."""
    for sign, stretches in (("-", item.removed), ("+", item.added)):
        for text in stretches[:STRETCHES]:
            yield f"{sign} {printable(text if len(text) <= STRETCH else text[:STRETCH] + '…')}"
        if (more := len(stretches) - STRETCHES) > 0:
            yield f"{sign} … ({more})"


def write_feed(path: Path, topic: str, title: str, items: tuple[Item, ...]) -> None:
    """The feed as a file. Raises ExportError."""
    with whole_file(path) as partial:
        partial.write_bytes(feed(topic, title, items, path.name))


def feed(topic: str, title: str, items: tuple[Item, ...], address: str) -> bytes:
    """An Atom feed (RFC 4287) of these pages, the newest first. `address`: its own, relative to where it is served."""
    feed = etree.Element("feed", xmlns=ATOM)
    _add(feed, "id", f"urn:zhuti:{topic}")
    _add(feed, "title", title)
    _add(feed, "updated", _iso(max((item.at for item in items), default=0.0)))
    etree.SubElement(feed, "link", rel="self", href=quote(address))
    for item in items:
        entry = etree.SubElement(feed, "entry")
        _add(entry, "id", item.url)
        _add(entry, "title", printable(item.title) or item.url)
        _add(entry, "updated", _iso(item.at))
        if day := _rfc_3339(item.published):
            _add(entry, "published", day)
        etree.SubElement(entry, "link", href=item.url)
        etree.SubElement(etree.SubElement(entry, "author"), "name").text = item.url.split("/")[2]
        _add(entry, "summary", printable(item.opening))
    written: bytes = etree.tostring(feed, encoding="utf-8", xml_declaration=True, pretty_print=True)
    return written


def summary(news: News) -> dict[str, Any]:
    """The JSON that a webhook gets."""
    run = news.run
    kinds = {"new": news.new, "changed": news.changed, "gone": news.gone, "moved": news.moved, "dropped": news.dropped}
    return {
        "topic": news.topic,
        "run": run.id,
        "started_at": _iso(run.started_at),
        "ended_at": _iso(run.ended_at) if run.ended_at else None,
        "ended": str(run.ended),
        "requests": run.requests,
        "counts": dict(zip(kinds, news.counts, strict=True)),
        "fresh": news.fresh,  # how many of the new ones were published since the run before: the first of them
        "textless": news.textless,  # likely posts that had no text yet
        **{kind: [_told(item) for item in items[:TOLD]] for kind, items in kinds.items()},
    }


def post(url: str, content: dict[str, Any]) -> None:
    """Sends the JSON, again where that may help; within half a minute. Raises ExportError."""
    body = json.dumps(content, ensure_ascii=False).encode()
    place = urlsplit(url).netloc.rpartition("@")[2]  # what else the address holds may be a secret
    if not url.startswith(("http://", "https://")):
        raise ExportError(_("cannot send the news to the webhook; give an http(s) address"))
    headers = {"Content-Type": "application/json", "User-Agent": "zhuti"}
    secret, _at, _host = urlsplit(url).netloc.rpartition("@")
    if secret:
        headers["Authorization"] = f"Basic {b64encode(unquote(secret).encode()).decode()}"
    address = url.replace(f"{secret}@", "", 1) if secret else url
    for wait in (*WAITS, None):
        try:
            request = Request(address, body, headers, method="POST")
            answer(request, TIMEOUT)
            return
        except (OSError, HTTPException, ValueError) as error:
            # Whoever is slow to answer may have the news already.
            passing = not isinstance(error, ValueError | TimeoutError)
            passing = passing and (not isinstance(error, HTTPError) or error.code in AGAIN)
            if wait is None or not passing:
                raise ExportError(
                    _("the webhook at {place} did not accept the news ({error}); check its address"),
                    place=place,
                    error=error,
                ) from error
        time.sleep(wait)


def _told(item: Item) -> dict[str, Any]:
    found = {"url": item.url, "title": item.title, "published": item.published, "similarity": round(item.similarity, 3)}
    former = {"former_url": item.former} if item.former else {}
    dropped = {"dropped_at": _iso(item.dropped_at)} if item.dropped_at else {}
    alike = {"alike": item.alike} if item.alike else {}
    words = {name: said for name in ("added", "removed") if (said := list(getattr(item, name)[:TOLD]))}
    return found | {"opening": item.opening} | former | dropped | alike | words


def _add(parent: Any, name: str, text: str) -> None:
    etree.SubElement(parent, name).text = text


def _rfc_3339(published: str | None) -> str:
    """The day with time and zone, as Atom wants it; "" where an extractor of one's own gave something else."""
    try:
        day = datetime.fromisoformat(published or "")
    except ValueError:
        return ""
    return day.isoformat() if day.tzinfo else f"{day.isoformat()}Z"


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
