"""Archives, robots.txt and index files that are made to take a reader's time, memory or files: name, and how one is
made.

    python -m lab.benchmarks.hostile.files KIND PATH

reads the file at PATH as a crawl would, and prints what came of it as JSON: the answer, and how many
megabytes more than the file itself were in memory at the most.
"""

from __future__ import annotations

import gzip
import json
import resource
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import brotli
import zstandard

from crawler.discovery.reader import read
from crawler.errors import CrawlerError
from crawler.reader.html.urls import canonical, host
from crawler.reader.text.robots_groups import own_group, robots_text
from lab.benchmarks.traps import text
from zhuti.archive.reader import WarcFile

AGENT = "Zhuti/0.1 (focused crawler)"
ZEROS = bytes(1 << 20)
Make = Callable[[], bytes]


class Case(NamedTuple):
    kind: str  # warc, robots, index file
    make: Make
    answer: str = ""  # how the answer must begin


def gzipped(body: bytes) -> bytes:
    stream = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return stream.compress(body) + stream.flush()


def zeros(times: int, form: str) -> bytes:
    """Megabytes of zeros, packed."""
    if form == "br":
        packer = brotli.Compressor(quality=1)
        return b"".join(packer.process(ZEROS) for _ in range(times)) + bytes(packer.finish())
    stream: Any
    if form == "zstd":
        stream = zstandard.ZstdCompressor().compressobj()
    else:
        stream = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | (16 if form == "gzip" else 0))
    return b"".join(stream.compress(ZEROS) for _ in range(times)) + bytes(stream.flush())


# -- WARC --------------------------------------------------------------------------------------------------------------
PAGE = f"<html><title>x</title>{text('warc')}".encode()


def record(
    body: bytes = PAGE, *headers: str, length: object = None, uri: str = "http://a.example/", kind: str = "response"
) -> bytes:
    head = "\r\n".join(["HTTP/1.1 200 OK", "Content-Type: text/html", *headers, "", ""]).encode() + body
    length = len(head) if length is None else length
    names = [f"WARC-Type: {kind}", f"WARC-Target-URI: {uri}", "WARC-Date: 2026-01-01T00:00:00Z"]
    names += ["Content-Type: application/http; msgtype=response", f"Content-Length: {length}"]
    return "\r\n".join(["WARC/1.0", *names, "", ""]).encode() + head + b"\r\n\r\n"


def encoded(form: str, body: bytes) -> bytes:
    return record(body, f"Content-Encoding: {form}")


def repeated(body: bytes, times: int) -> bytes:
    for _ in range(times):
        body = gzip.compress(body, mtime=0)
    return body


ODD_ADDRESSES = ("http://[::1", "x", "file:///etc/passwd", "//", "http://a.example:99999999/")
WARCS: dict[str, Make] = {
    "a bomb of 4 GB, gzip": lambda: encoded("gzip", zeros(4096, "gzip")),
    "a bomb of 4 GB, br": lambda: encoded("br", zeros(4096, "br")),
    "a bomb of 4 GB, zstd": lambda: encoded("zstd", zeros(4096, "zstd")),
    "a record of 4 GB in gzip": lambda: gzipped(record(b"", length=4 << 30)[:-4]) + zeros(4096, "gzip"),
    "a member of 4 GB in gzip": lambda: zeros(4096, "gzip"),
    "a frame of 4 GB in zstd": lambda: zeros(4096, "zstd"),
    "a hundred encodings": lambda: encoded("gzip, " * 99 + "gzip", repeated(PAGE, 100)),
    "an encoding that is none": lambda: encoded("gzip", PAGE),
    "a chunk of 2^60 bytes": lambda: record(b"1000000000000000\r\nx", "Transfer-Encoding: chunked"),
    "chunks of no length": lambda: record(b"-1\r\nx\r\nzz\r\n", "Transfer-Encoding: chunked"),
    "a length of 10^20": lambda: record(length=10**20) * 3,
    "a length below zero": lambda: record(length=-100) * 3,
    "a length of words": lambda: record(length="much") * 3,
    "a header of 50 MB": lambda: record(PAGE, "X-Long: " + "x" * 50_000_000),
    "a million headers": lambda: record(PAGE, *("X-Many: x" for _ in range(1_000_000))),
    "a WARC header without end": lambda: b"WARC/1.0\r\nWARC-Type: " + b"x" * 50_000_000,
    "addresses of no host": lambda: b"".join(
        record(uri=uri) for uri in ("http://[::1", "x", "file:///etc/passwd", "//")
    ),
    "an address of a megabyte": lambda: record(uri=f"http://a.example/{'x' * 1_000_000}") * 20,
    "no status": lambda: record().replace(b"HTTP/1.1 200 OK", b"\0\xff" * 90) * 20,
    "cut off": lambda: gzipped(record() * 99)[:-700],
    "bytes of chance within": lambda: gzipped(record() * 9)[:-90] + bytes(range(256)) * 900,
    "only requests": lambda: record(kind="request") * 999,
}

# -- robots.txt: the answer is whether /open is allowed, and /secret ---------------------------------------------------
ALL = "User-agent: *\n"
RULED = "True False"
MANY_AGENTS = "".join(f"User-agent: a{n}\n" for n in range(20_000)) + ALL
MANY_RULES = "".join(f"Disallow: /secret{n}\n" for n in range(9_000))
MANY_STARS = "".join(f"Disallow: /*{n}*{'*' * 90}x$\n" for n in range(4_000))
ROBOTS: dict[str, tuple[str | bytes, str]] = {
    "agents times rules": (MANY_AGENTS + MANY_RULES, ""),
    "16 MB of rules": ("User-agent: *\nDisallow: /secret\n" + "Disallow: /x\n" * 1_200_000, RULED),
    "a rate of 400 digits": (f"{ALL}Disallow: /secret\nRequest-rate: 1/{'9' * 400}\n", RULED),
    "a delay of 300 digits": (f"{ALL}Disallow: /secret\nCrawl-delay: {'9' * 300}\n", RULED),
    "a delay below zero": (f"{ALL}Disallow: /secret\nCrawl-delay: -5\nCrawl-delay: nan\nCrawl-delay: inf\n", RULED),
    "a rate of nothing": (f"{ALL}Disallow: /secret\nRequest-rate: 0/0\nRequest-rate: 1/0s 99-99\n", RULED),
    # Above 1,000 wildcards a rule ends before its first one: here that is all of the host.
    "stars": (f"{ALL}Disallow: /{'*a' * 5_000}$\nDisallow: /secret\n", "False False"),
    "stars in many rules": (ALL + MANY_STARS + "Disallow: /secret\n", "False False"),
    "a line of 400 KB": (f"{ALL}Disallow: /secret\nDisallow: /{'x' * 400_000}\n", RULED),
    "a group of its own, late": ("User-agent: a\nDisallow: /\n" * 9_000 + f"{ALL}Disallow: /secret\n", RULED),
    "no line ends": (ALL.strip() + " Disallow: /secret" * 9_000, ""),
    "old line ends": (f"{ALL}Disallow: /secret\n".replace("\n", "\r"), RULED),
    "UTF-16": (f"{ALL}Disallow: /secret\n".encode("utf-16"), ""),
    "zeros": (b"\0" * 500_000, "True True"),
    "a page": (b"<html>" + PAGE * 900, "True True"),
}

# -- index files: sitemaps, feeds, indexes; the answer is why reading ended
# --------------------------------------------------
INDEX_FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "gzip": (lambda: gzipped(b"<urlset>" + b" " * 10**8), "it is longer than 50,000,000 bytes"),
    "gzip of many members": (lambda: gzip.compress(b" " * 10**6, mtime=0) * 100, "it is longer than 50,000,000 bytes"),
    "one long text": (lambda: b"<rss><item><title>" + b"x" * 49_000_000, "it ends in the middle of an entry"),
    "long blanks": (lambda: b" " * 60_000_000, "it is longer than 50,000,000 bytes; it is empty"),
    "stray signs": (lambda: b"<rss>" + b"&<" * 1_000_000, "it lists no pages"),
    "deep": (lambda: b"<rss>" + b"<a>" * 3_000_000, "its elements nest deeper than 200"),
    "elements in a field": (lambda: b"<rss><item><title>" + b"<a/>" * 1_000_000, "it ends in the middle of an entry"),
    "names": (lambda: b"<rss>" + b"".join(b"<a%d/>" % n for n in range(300_000)), "it has more than 1,000 different"),
    "long attribute": (lambda: b'<rss><a b="' + b"x" * 20_000_000 + b'"/></rss>', ""),
    "deep JSON": (lambda: b"[" * 5_000_000, "it is incomplete or damaged JSON"),
    "deep objects": (lambda: b'{"a":' * 1_000_000, "it is incomplete or damaged JSON"),
    "long number": (lambda: b"[" + b"1" * 5_000_000 + b"]", "it is incomplete or damaged JSON"),
    "long string": (lambda: b'[{"url":"/a/","title":"' + b"x" * 3_000_000 + b'"}]', ""),
    "escapes": (lambda: b'["' + b"\\u4e00" * 1_000_000 + b'"]', "it lists no pages"),
    "many tags": (lambda: b'[{"url":"/a/","title":"' + b"<a<a " * 500_000 + b'"}]', ""),
}


def encoded_text(made: str | bytes) -> bytes:
    return made if isinstance(made, bytes) else made.encode()


CASES: dict[str, Case] = {
    **{f"WARC: {name}": Case("warc", make) for name, make in WARCS.items()},
    **{
        f"robots.txt: {name}": Case("robots", lambda made=made: encoded_text(made), answer)  # type: ignore[misc]
        for name, (made, answer) in ROBOTS.items()
    },
    **{
        f"index-file: {name}": Case("index-file", lambda make=make: make(), answer)  # type: ignore[misc]
        for name, (make, answer) in INDEX_FILES.items()
    },
}


# -- reading them, in a process of its own -----------------------------------------------------------------------------
def read_warc(path: Path) -> str:
    file = WarcFile(path)
    hosts = [host(url) for stored in file.responses() if (url := canonical(stored.url))]
    return f"{len(hosts)} responses; {file.torn}"


def read_robots(path: Path) -> str:
    from scrapy.robotstxt import ProtegoRobotParser  # brings much along that the other kinds do not need

    from crawler.middlewares.robots import crawl_delay

    rules = ProtegoRobotParser(own_group(robots_text(path.read_bytes()), AGENT).encode(), None)
    crawl_delay(rules, AGENT)
    return " ".join(str(rules.allowed(f"http://a.example/{place}", AGENT)) for place in ("open", "secret"))


def read_index_file(path: Path) -> str:
    found = read(path.read_bytes(), "https://blog.example/x", 1.7e9)
    return str(found.reason) if len(found.entries) <= 1 else f"{len(found.entries)} entries"


READERS = {"warc": read_warc, "robots": read_robots, "index-file": read_index_file}


def main(kind: str, path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        answer = READERS[kind](path)
    except CrawlerError as error:
        answer = f"refused: {error}"
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([answer, (most - before) // 1024]))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
