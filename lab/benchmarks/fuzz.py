"""Real pages with bytes changed, cut and repeated: does anything but an answer come out?

    python -m lab.benchmarks.fuzz FOLDER [--inputs 20000] [--seed 0] [--seconds 2]

FOLDER holds HTML pages, at any depth. Each input is one of them, changed by up to eight mutations, and goes the way
of a page from bytes to its Analysis: charset, tree, declared things, links, extraction, judgement. So do robots.txt,
feeds, sitemaps, headers and addresses, made of the same bytes. Printed: how many inputs of each kind were tried, how
many raised an exception or took more than --seconds of CPU, and the first ten of these, with the seed that makes them
again.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from crawler.analyse import analyse, open_door
from crawler.extract.registry import extractor
from crawler.html.declared import forbidden_by_headers
from crawler.html.page import Page, meta_refresh, read_markup
from crawler.html.urls import canonical
from crawler.text.robots import own_group, robots_text
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

ROOT = Path(__file__).parents[2]
URL = "http://fuzz.example/a/b.html"
MOST = 400_000  # bytes of an input
SHOWN = 10
# fmt: off
NASTY = (
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"&#x110000;", b"&#55296;", b"<!--", b"]]>", b"<![CDATA[",
    b"<script>", b"<svg>", b"<table><tr>", b"<base href='http://[::1'>", b"<meta charset=utf-7>", b"<a href='//[x'>",
    b"\x1b$B", b"%", b"%zz", b"'\"<", b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"<time datetime='99999999999999'>",
    b"9" * 5000, b"<div>" * 300,
)
# fmt: on
HEADS = (
    b"<rss><channel><item><link>",
    b"<urlset><url><loc>",
    b'{"items":[',
    b"<feed xmlns='http://www.w3.org/2005/Atom'>",
)

Way = Callable[[bytes], object]


def mutated(content: bytes, random: Random) -> bytes:
    found = bytearray(content[:MOST])
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
    return bytes(found[:MOST])


def page_way(judge: Judge, content: bytes) -> object:
    markup = read_markup(content, "text/html", URL)
    if markup is None:
        return None
    meta_refresh(markup.text, URL)
    return analyse(Page(markup.text, URL), extractor("best"), judge).verdict()


def url_way(content: bytes) -> object:
    text = content[:3000].decode("utf-8", "surrogateescape")
    for piece in (text, *text.split()[:50]):
        once = canonical(piece, URL)
        if once is not None and canonical(once) != once:
            raise AssertionError(f"canonical is not final: {piece!r}")
    return None


def robots_way(content: bytes) -> object:
    return own_group(robots_text(b"User-agent: *\nDisallow: " + content), "Zhuti/0.1")


def header_way(content: bytes) -> object:
    return forbidden_by_headers([("X-Robots-Tag", content[:2000].decode("latin-1"))])


def door_way(judge: Judge, random: Random, content: bytes) -> object:
    return open_door(URL, random.choice(HEADS) + content, 1e9, judge)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0, help="of CPU that an input may take")
    args = parser.parse_args()
    files = sorted(path for path in args.folder.rglob("*.html") if path.is_file())
    if not files:
        sys.exit(f"{args.folder} holds no HTML pages; give a folder with some")
    judge = Judge(Topic.load("machine-learning", ROOT / "topics").learn())
    tried: Counter[str] = Counter()
    failed: list[str] = []
    for number in range(args.inputs):
        random = Random(f"{args.seed}/{number}")
        path = random.choice(files)
        content = mutated(path.read_bytes(), random)
        ways: dict[str, Way] = {
            "page": partial(page_way, judge),
            "url": url_way,
            "robots": robots_way,
            "header": header_way,
            "door": partial(door_way, judge, random),
        }
        name = random.choice(("page", *ways))
        tried[name] += 1
        began = time.process_time()
        try:
            ways[name](content)
        except Exception as error:  # what is looked for
            failed.append(f"{name} {args.seed}/{number} {path.name}: {type(error).__name__}: {str(error)[:200]}")
        else:
            took = time.process_time() - began
            if took > args.seconds:
                failed.append(f"{name} {args.seed}/{number} {path.name}: {took:.1f} s, {len(content)} bytes")
    print(", ".join(f"{count} {name}" for name, count in sorted(tried.items())), f"tried; {len(failed)} failed")
    print("\n".join(failed[:SHOWN]))
    sys.exit(int(bool(failed)))


if __name__ == "__main__":
    main()
