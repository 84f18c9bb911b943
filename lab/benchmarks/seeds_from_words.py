"""Seeds from words: of the hosts that `zhuti seeds find` proposes, how many hold posts on the topic.

    python -m lab.benchmarks.seeds_from_words WEB LABELS.jsonl [--aliases FILE] [--map ...] [--words 2] [--hosts 20]

A search engine over the recorded web is played by a server that speaks SearXNG's protocol: every other page of the
labels, whose address is drawn by chance, by how many of the words stand in its title. It knows no topic. The words are
the first of the hand-made topic's file. A host is right that holds TEN posts on the topic; "there": how many such hosts
the recorded web has.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from statistics import mean
from urllib.parse import parse_qs, urlsplit

from crawler.reader.html.page import Page
from crawler.reader.html.urls import host
from crawler.topic.files import Topic
from lab.benchmarks.answers import TOPICS
from lab.benchmarks.replayed import LOOPBACK, SCRAPY, add_web, read_labels, replaying
from lab.links.labels import Labels
from lab.links.recorded import RecordedWeb

TEN = 10  # posts
RESULTS = 10  # of one answer of the search
MOST = 200  # of a search
URL = re.compile(r"^\s*(https?://\S+)$", re.MULTILINE)


def titles(labels: Labels, web: RecordedWeb) -> dict[str, str]:
    """What the search engine knows."""
    urls = sorted(label.url for label in labels)
    known = Random(1).sample(urls, len(urls) // 2)
    return {url: Page(reply.markup, url).declared.title for url in known if (reply := web.fetch(url)).is_page}


@contextmanager
def search(index: dict[str, str]) -> Iterator[str]:
    """Its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            words, page = query["q"][0].lower().split(), int(query.get("pageno", ["1"])[0])
            ranked = sorted((-sum(word in title.lower() for word in words), url) for url, title in index.items())
            found = [url for score, url in ranked[:MOST] if score < 0][(page - 1) * RESULTS : page * RESULTS]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"results": [{"url": url} for url in found]}).encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}/search"
        listening.shutdown()


def proposed(words: str, source: str, environment: dict[str, str], most: int) -> list[str]:
    """The hosts, the best first."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*SCRAPY, "seeds", "find", words, "--from", f"searxng:{source}", "--limit", str(2 * most), *LOOPBACK]
        command += ["-s", f"STORE_URL=sqlite:///{Path(folder) / 'none.db'}", "-s", f"TOPICS_DIR={folder}"]
        told = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return list(dict.fromkeys(host(url) for url in URL.findall(told)))[:most]


def row(topic: str, hosts: Sequence[str], rich: set[str]) -> tuple[int, int, int]:
    right = sum(name in rich for name in hosts)
    print(f"| {topic} | {len(hosts)} | {right} | {len(rich)} |", flush=True)
    return len(hosts), right, len(rich)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--words", type=int, default=2)
    parser.add_argument("--hosts", type=int, default=20)
    args = parser.parse_args()
    labels = read_labels(args)
    index, rows = titles(labels, RecordedWeb.open(args.web, args.aliases)), []
    print("| topic | proposed | right | there |\n|---|---|---|---|")
    with (
        tempfile.TemporaryDirectory() as folder,
        search(index) as source,
        replaying(args.web, Path(folder) / "served.log", args.aliases) as environment,
    ):
        environment |= {"no_proxy": "127.0.0.1"}
        for topic in TOPICS:
            posts = Counter(host(label.url) for label in labels if label.is_harvest(topic))
            rich = {name for name, count in posts.items() if count >= TEN}
            words = " ".join([*Topic.load(topic).keywords][: args.words])
            rows.append(row(topic, proposed(words, source, environment, args.hosts), rich))
    print("| mean | " + " | ".join(f"{mean(column):.1f}" for column in zip(*rows, strict=True)) + " |")


if __name__ == "__main__":
    main()
