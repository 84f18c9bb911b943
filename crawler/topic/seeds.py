"""Seed lists: URLs given on the command line, or in a file with one URL a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from crawler.errors import CrawlerError, SeedError
from crawler.messages import _
from crawler.reader.html.urls import canonical

# A comment starts the line or follows white space: a "#" inside a URL is its fragment.
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_NOTE = re.compile(r"\s|[,，;；](?=[^\x00-\x7f])")  # ends an address of a list: a note follows
_HTTP = re.compile(r"https?://[^/?#\s]", re.IGNORECASE)
# Chinese input methods write these marks; within an address they may be meant.
_BETWEEN = re.compile(r",|[，；;、]\s*(?=\w+[:：]//)", re.IGNORECASE)
_SCHEME = re.compile(r"^(https?)：//", re.IGNORECASE)


def read_seeds(text: str | Sequence[str]) -> tuple[str, ...]:
    """The canonical URLs that `text` names, each once, in the order given.

    `text` is a list of http(s) URLs with commas between them, Chinese ones too; or the path of a UTF-8 file (with or
    without BOM) with one URL a line, blank lines and `# comments` allowed; or a sequence of URLs.
    Raises SeedError, naming the file and line or the place in the list, for an entry that is not an http(s) URL, for a
    file that cannot be read, and when there is no URL at all.
    """
    if not isinstance(text, str):
        return seed_urls([(_("seeds: entry {n}", n=n), str(url)) for n, url in enumerate(text, 1)])
    if "://" in text or "：//" in text:
        entries = [(_("seeds: entry {n}", n=n), part.strip()) for n, part in enumerate(_BETWEEN.split(text), 1)]
        return seed_urls([(place, url) for place, url in entries if url])
    if not text.strip():
        raise SeedError(_("seeds: no URL given; give a comma separated list of http(s) URLs or a file of them"))
    return seed_urls(_read_entries(Path(text.strip())))


def seed_url(text: str) -> str | None:
    """The canonical form of one seed, None when it is not an absolute http(s) URL."""
    text = _SCHEME.sub(r"\1://", text)
    return canonical(text) if _HTTP.match(text) else None


def _read_entries(path: Path) -> list[tuple[str, str]]:
    """(place, URL) of every line that is neither blank nor a comment."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise SeedError(_("{path}: the seed file is not UTF-8 text; save it as UTF-8"), path=path) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SeedError(
            _("{path}: cannot read the seed file ({reason}); give an existing file, or write seeds as http(s)://..."),
            path=path,
            reason=reason,
        ) from error
    urls = (_NOTE.split(_COMMENT.sub("", line).strip(), maxsplit=1)[0] for line in lines)
    entries = [(_("{path}, line {n}", path=path, n=n), url) for n, url in enumerate(urls, 1)]
    entries = [(place, url) for place, url in entries if url]
    if not entries:
        raise SeedError(_("{path}: the seed file contains no URL; write one http(s) URL per line"), path=path)
    return entries


def seed_urls(entries: Iterable[tuple[str, str]], error: type[CrawlerError] = SeedError) -> tuple[str, ...]:
    """The canonical form of each entry (place, URL), each once, in the order given. Raises `error`, naming the place,
    for one that is not an http(s) URL."""
    urls: dict[str, None] = {}
    for place, text in entries:
        url = seed_url(text)
        if url is None:
            raise error(
                _("{place}: {text!r} is not an http(s) URL; write it as https://host/path"), place=place, text=text
            )
        urls[url] = None
    return tuple(urls)
