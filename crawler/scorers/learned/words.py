"""The words of a link as numbers: hashed, without a segmenter and without knowledge of any site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote
from zlib import crc32

from crawler.discovery.index_files import Kind
from crawler.records import Link

SLOTS = 24  # words kept of one URL; an anchor of 20 characters has as many
BUCKETS = 1 << 14  # of the hash; a crawl of 1,000 pages has fetched some 10,000 different words
CACHED = 16_384  # texts; navigation repeats on every page of a site
NOTHING = 0  # the bucket of an empty slot; its weight stays 0

_PIECE = re.compile(r"[\u3400-\u9fff]+|[^\W\d_\u3400-\u9fff]{2,}")
_DIGITS = re.compile(r"\d+")
_PARAMETER = re.compile(r"(?:^|&)([^=&]*)")
MAX_SEGMENTS = 3  # of a path in its pattern
# What is around the number of a page, where a link to it says no more.
_AROUND_NUMBER = " []()（）【】第页頁"
MAX_NUMBER = 3  # digits of such a number; a longer one is a year or an ID
# What joins the number of a page to the address of the first one, where that bears none.
_JOINT = re.compile(r"(?:[?&]\w+=|/(?:page|p)?[-_/]?|[-_](?:page|p)?[-_]?)$")
SHORT = 12  # characters; what a link to a list says is short, a longer text is a title of its own


def words(link: Link) -> tuple[int, ...]:
    """Buckets of the link's words: pairs of Chinese characters and Latin words of the anchor, path words."""
    text = _buckets("a", link.anchor)
    return (text + _buckets("u", unquote(_parts(link.url)[1])))[:SLOTS]


def _parts(url: str) -> tuple[str, str, str]:
    """Host and port, path and query of a canonical URL, which has no fragment: urlsplit takes ten times as long."""
    host, slash, rest = url.partition("//")[2].partition("/")
    path, _, query = rest.partition("?")
    return host, slash + path, query


@lru_cache(CACHED)
def _buckets(field: str, text: str) -> tuple[int, ...]:
    found: dict[int, None] = {}
    for piece in _PIECE.findall(text.lower()):
        if piece[0] < "\u3400" or len(piece) == 1:
            found[_bucket(field + piece)] = None
            continue
        for place in range(len(piece) - 1):
            found[_bucket(field + piece[place : place + 2])] = None
    return tuple(found)[:SLOTS]


def _bucket(word: str) -> int:
    return 1 + crc32(word.encode("utf-8", "surrogatepass")) % (BUCKETS - 1)


def pattern(url: str, index_file: str = "") -> str:
    """What addresses of one kind have in common on their host: folders with all numbers as one sign, and of a last
    segment that names a file what is not a title, as in `thread-0-0.html` and `view.php?tid=`."""
    host, path, query = _parts(url)
    if index_file == Kind.SEARCH:
        return f"{index_file} {host}"
    if index_file:  # what index files of one name share on all hosts
        return f"{index_file} {path.rpartition('/')[2]}"
    segments = path.split("/")[1:]
    folders = segments[:-1]
    if segments and not segments[-1] and folders:  # /a/b/ is a page b in the folder a
        folders = [*folders[:-1], ""]
    last = segments[-1] if segments else ""
    name, dot, ending = last.rpartition(".")
    shape = _DIGITS.sub("0", name) if dot else ""
    if not query and (shape == name or len(shape) > SHORT):  # a title
        shape = ""
    asked = "".join(f"?{parameter}" for parameter in sorted(_PARAMETER.findall(query))) if query else ""
    return f"{host}/{_DIGITS.sub('0', '/'.join(folders[:MAX_SEGMENTS]))}:{len(segments)}{shape}{dot and ending}{asked}"


def purpose(link: Link) -> str:
    """What links of one purpose have in common on all hosts: a short text, all numbers as one sign."""
    if link.index_kind:
        return f"{link.index_kind} by {link.rel} {link.anchor}"
    text = _DIGITS.sub("0", link.anchor.lower().strip())
    return text if len(text) <= SHORT else "..."


def first_pages(url: str, anchor: str) -> Iterator[str]:
    """Addresses that the first page of a thread or list may have, where a link to `url` is the number of a further one:
    with 1 in its place, or without it."""
    number = page_number(anchor)
    if number < 2:
        return
    start = url.find("/", url.find("//") + 2)
    for found in re.compile(rf"(?<!\d){number}(?!\d)").finditer(url, start):
        before, after = url[: found.start()], url[found.end() :]
        yield f"{before}1{after}"
        left = _JOINT.sub("", before)
        if left != before:
            yield left + (f"?{after[1:]}" if after[:1] == "&" and "?" not in left else after)


def page_number(anchor: str) -> int:
    """The number of the page to which a link with this text leads; 0: the text is not a number."""
    number = anchor.strip(_AROUND_NUMBER)
    return int(number) if number.isdecimal() and len(number) <= MAX_NUMBER else 0
