"""Real pages with bytes changed, cut and repeated: does anything but an answer come out?

    python -m lab.benchmarks.fuzz FOLDER [WAY ...] [--inputs 20000] [--bytes 400000] [--seed 0] [--seconds 2]

FOLDER holds HTML pages, at any depth. Each input is one of them, changed by up to eight mutations, and goes the way
of a page from bytes to its Analysis: charset, tree, declared things, links, extraction, judgement. So do robots.txt,
feeds, sitemaps, headers, addresses and WARC files, made of the same bytes, and topic files, made of the bundled ones.
Printed: how many inputs of each kind were tried, how many raised an exception or took more than --seconds of CPU, the
first ten of these, with the seed that makes them again, and how much memory the process took.
"""

from __future__ import annotations

import argparse
import faulthandler
import gzip
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random

from scrapy.robotstxt import ProtegoRobotParser

from crawler.analyse import analyse, open_index_file
from crawler.archive.torn import cut_torn_tail
from crawler.bundled import TOPICS
from crawler.errors import ArchiveError, TopicError
from crawler.extractors import extractor
from crawler.middlewares.robots import crawl_delay
from crawler.reader.html.declared import forbidden_by_headers
from crawler.reader.html.page import Page, meta_refresh, read_markup
from crawler.reader.html.urls import canonical
from crawler.reader.text.robots_groups import by_signals, by_tdmrep, own_group, robots_text
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from lab.benchmarks.hostile.files import record
from zhuti.archive.reader import WarcPages

URL = "http://fuzz.example/a/b.html"
SHOWN = 10
# fmt: off
NASTY = (
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"&#x110000;", b"&#55296;", b"<!--", b"]]>", b"<![CDATA[",
    b"<script>", b"<svg>", b"<table><tr>", b"<base href='http://[::1'>", b"<meta charset=utf-7>", b"<a href='//[x'>",
    b"\x1b$B", b"%", b"%zz", b"'\"<", b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"<time datetime='99999999999999'>",
    b"9" * 5000, b"<div>" * 300,
)
# fmt: on
FEEDS = (b"<rss><channel><item><link>", b'{"items":[', b"<feed xmlns='http://www.w3.org/2005/Atom'>")
SITEMAPS = (b"<urlset><url><loc>", b"<sitemapindex><sitemap><loc>", b"http://fuzz.example/1\n")

Way = Callable[[bytes, Random], object]


def mutated(content: bytes, random: Random) -> bytes:
    most = max(len(content), 4000)
    found = bytearray(content)
    for _ in range(random.randint(1, 8)):
        start = random.randrange(len(found) + 1)
        end = min(len(found), start + random.choice((1, 1, 4, 40, 4000)))
        match random.randrange(6):
            case 0:
                found[start:end] = random.randbytes(end - start)
            case 1:
                del found[start:end]
            case 2:
                found[start:start] = random.choice(NASTY)
            case 3:
                found[start:end] = found[start:end] * random.choice((2, 3, 50))
            case 4:
                found[start:start] = found[random.randrange(len(found) + 1) :][:2000]
            case 5:
                del found[start:]
    return bytes(found[: 2 * most])


def page_way(judge: Judge, content: bytes, random: Random) -> object:
    markup = read_markup(mutated(content, random), "text/html", URL)
    if markup is None:
        return None
    meta_refresh(markup.text, URL)
    return analyse(Page(markup.text, URL), extractor("best"), judge).verdict()


def url_way(content: bytes, random: Random) -> object:
    start = random.randrange(len(content) + 1)
    text = mutated(content[start : start + 1000], random).decode("utf-8", "surrogateescape")
    for piece in (text, *text.split()[:20]):
        once = canonical(piece, URL)
        if once is not None and canonical(once) != once:
            raise AssertionError(f"canonical is not final: {piece!r}")
    return None


def robots_way(content: bytes, random: Random) -> object:
    body = mutated(content, random)
    by_tdmrep(b'[{"location": "/", "tdm-reservation": 1, "x": ' + body)
    group = own_group(robots_text(b"User-agent: *\nDisallow: " + body), "Zhuti/0.1")
    by_signals(f"Content-Signal: ai-train=no\n{group}")
    rules = ProtegoRobotParser(group.encode("utf-8", "surrogatepass"), None)
    return rules.allowed(URL, "Zhuti/0.1"), crawl_delay(rules, "Zhuti/0.1")


def header_way(content: bytes, random: Random) -> object:
    return forbidden_by_headers([("X-Robots-Tag", mutated(content[:2000], random).decode("latin-1"))])


def index_file_way(judge: Judge, heads: Sequence[bytes], content: bytes, random: Random) -> object:
    return open_index_file(URL, random.choice(heads) + mutated(content, random), 1e9, judge)


def warc_way(folder: Path, content: bytes, random: Random) -> object:
    """Changed before it was packed, or behind."""
    path = folder / "fuzz.warc"
    encoding = random.choice(("", "gzip", "br, zstd", "deflate"))
    names = random.sample((f"Content-Encoding: {encoding}", "Transfer-Encoding: chunked", "X-A: \0"), 2)
    plain = b"".join(record(content[:5000], *names) for _ in range(3))
    packed = [gzip.compress(plain, 1), gzip.compress(mutated(plain, random), 1), plain]
    kind = random.randrange(len(packed))
    path.write_bytes(packed[kind] if kind == 1 else mutated(packed[kind], random))
    try:
        return list(WarcPages.of([path])), cut_torn_tail(path)
    except ArchiveError as error:
        return str(error)


def topic_way(folder: Path, content: bytes, random: Random) -> object:
    path = folder / "fuzz.toml"
    source = random.choice(sorted(TOPICS.glob("*.toml"))).read_bytes()
    path.write_bytes(mutated(source, random))
    try:
        return Topic.load(path).describing_pages
    except TopicError as error:
        return str(error)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("ways", nargs="*", help="page, url, robots, header, feed, sitemap, warc, topic; else all")
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--bytes", type=int, default=400_000, help="of a page that are used")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0, help="of CPU that an input may take")
    args = parser.parse_args()
    files = sorted(path for path in args.folder.rglob("*.html") if path.is_file())
    if not files:
        sys.exit(f"{args.folder} holds no HTML pages; give a folder with some")
    faulthandler.enable()
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(Topic.load("machine-learning", TOPICS).learn())
        ways: dict[str, Way] = {
            "page": partial(page_way, judge),
            "url": url_way,
            "robots": robots_way,
            "header": header_way,
            "feed": partial(index_file_way, judge, FEEDS),
            "sitemap": partial(index_file_way, judge, SITEMAPS),
            "warc": partial(warc_way, Path(folder)),
            "topic": partial(topic_way, Path(folder)),
        }
        failed = run({name: ways[name] for name in args.ways or ways}, files, args)
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at the most")
    print("\n".join(failed[:SHOWN]))
    sys.exit(int(bool(failed)))


def run(ways: dict[str, Way], files: list[Path], args: argparse.Namespace) -> list[str]:
    """What failed, with its seed."""
    tried: Counter[str] = Counter()
    failed: list[str] = []
    for number in range(args.inputs):
        random = Random(f"{args.seed}/{number}")
        path, name = random.choice(files), random.choice(list(ways))
        with path.open("rb") as file:
            content = file.read(args.bytes)
        tried[name] += 1
        began = time.process_time()
        try:
            ways[name](content, random)
        except Exception as error:  # what is looked for
            failed.append(f"{name} {args.seed}/{number} {path.name}: {type(error).__name__}: {str(error)[:200]}")
        took = time.process_time() - began
        if took > args.seconds:
            failed.append(f"{name} {args.seed}/{number} {path.name}: {took:.1f} s, {len(content)} bytes")
    print(", ".join(f"{count} {name}" for name, count in sorted(tried.items())), f"tried; {len(failed)} failed")
    return failed


if __name__ == "__main__":
    main()
