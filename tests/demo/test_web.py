"""The demo web is as rich as it should be, and its truth is true."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from lxml import html

from lab.replay.opening import open_recording
from tests.conftest import SEEDS
from zhuti.demo.recorded.base import Recording

ARTICLES = ("article", "thread")
ML = "machine-learning"
GBK_RIGHT, GBK_WRONG = "safe-lab.example", "enterprise-java.example"
ENDS_EARLY = "bug-museum.example"
ISLAND, BEHIND_TAGS = "old-lab.example", "translators.example"
Truth = dict[str, Any]


@dataclass
class Demo:
    recording: Recording
    truth: dict[str, Truth]
    _links: dict[str, list[str]] = field(default_factory=dict)

    def bytes_of(self, url: str) -> bytes:
        parts = urlsplit(url)
        answer = self.recording.find("http", parts.netloc, parts.path)
        assert answer is not None, url
        assert answer.status == 200, url
        return answer.body

    def text_of(self, url: str) -> str:
        encoding = "gb18030" if urlsplit(url).netloc in (GBK_RIGHT, GBK_WRONG) else "utf-8"
        return self.bytes_of(url).decode(encoding)

    def links(self, url: str) -> list[str]:
        if url not in self._links:
            targets = re.findall(r"<a [^>]*?href=[\"']?([^\"'> ]+)", self.text_of(url))
            self._links[url] = [urljoin(url, target) for target in targets if not target.startswith("javascript:")]
        return self._links[url]

    def follow(self, url: str) -> str:
        """The address behind redirects and stubs; loops and dead ends stay what they are."""
        for _ in range(10):
            parts = urlsplit(url)
            answer = self.recording.find("http", parts.netloc, parts.path) if parts.netloc.endswith("example") else None
            if answer is None or not 300 <= answer.status < 400:
                return url
            url = dict(answer.headers)["Location"]
        return url

    def reachable(self, *, without: str = "\0") -> set[str]:
        """Pages that a crawler reaches from the seeds, not entering addresses that begin with `without`."""
        lines = SEEDS.read_text(encoding="utf-8").splitlines()
        waiting = [line for line in lines if line and not line.startswith("#")]
        seen: set[str] = set()
        while waiting:
            url = self.follow(waiting.pop())
            if url in self.truth and url not in seen and self.truth[url]["allowed"] and not url.startswith(without):
                seen.add(url)
                waiting += self.links(url)
        return seen


@pytest.fixture(scope="module")
def demo(demo_web: Path) -> Iterator[Demo]:
    with (demo_web / "truth.jsonl").open(encoding="utf-8") as lines:
        truth = {line["url"]: line for line in map(json.loads, lines)}
    recording = open_recording(demo_web)
    yield Demo(recording, truth)
    recording.close()


def test_it_is_as_rich_as_it_should_be(demo: Demo) -> None:
    articles = [page for page in demo.truth.values() if page["kind"] in ARTICLES]
    topics = Counter(page["topic"] for page in articles if page["allowed"])
    kinds = Counter(page["kind"] for page in demo.truth.values())
    assert len(demo.recording.hosts) >= 12
    assert len(articles) >= 400
    assert len(demo.truth) - kinds["calendar"] >= 600
    assert kinds["calendar"] >= 300
    assert kinds["tag"] >= 50
    assert 100 <= topics[ML] <= 140
    assert set(topics) == {ML, "security", "java", "life-essays"}
    assert min(topics.values()) >= 80
    assert len({page["host"] for page in articles if page["topic"] == ML and page["allowed"]}) >= 6


def test_every_page_of_the_truth_is_served(demo: Demo) -> None:
    for url in demo.truth:
        demo.text_of(url)


def test_the_truth_stands_in_the_page(demo: Demo) -> None:
    for url, page in demo.truth.items():
        if page["kind"] not in (*ARTICLES, "mirror"):
            continue
        markup = demo.text_of(url).replace("</head></html>", "</head>")
        text = str(html.fromstring(re.sub(r"<meta http-equiv[^>]*>", "", markup)).xpath("string()"))
        assert page["title"] in text
        assert re.fullmatch(r"(19|20)\d\d-\d\d-\d\d", page["published"])
        for paragraph in page["body"].split("\n"):
            assert paragraph in text, url


def test_links_lead_to_pages_but_for_some(demo: Demo) -> None:
    targets = {demo.follow(link) for url in demo.truth for link in demo.links(url)}
    dead = {url for url in targets if url not in demo.truth}
    assert all(urlsplit(url).netloc.endswith(".example") for url in targets)
    assert len([url for url in dead if "/deleted/" in url]) >= 20
    assert any(urlsplit(url).netloc not in demo.recording.hosts for url in dead)
    assert len(dead) < len(targets) / 8


def test_nearly_all_of_it_can_be_reached(demo: Demo) -> None:
    allowed = {url for url, page in demo.truth.items() if page["allowed"]}
    unreachable = allowed - demo.reachable()
    # What only a stub leads to, or the links of pages behind it.
    assert len(unreachable) < 5, unreachable


@pytest.mark.parametrize(
    ("host", "gate"),
    [(ISLAND, "http://slow-days.example/visit.html"), (BEHIND_TAGS, "http://portal.example/tag/")],
)
def test_hidden_machine_learning_lies_behind_one_gate(demo: Demo, host: str, gate: str) -> None:
    hidden = {url for url, page in demo.truth.items() if page["host"] == host and page["topic"] == ML}
    assert len(hidden) >= 10
    assert hidden <= demo.reachable()
    assert not hidden & demo.reachable(without=gate)


def test_robots_forbid_pages_that_are_there(demo: Demo) -> None:
    forbidden = defaultdict(set)
    for url, page in demo.truth.items():
        if not page["allowed"]:
            forbidden[page["host"]].add(url)
    linked = {link for url, page in demo.truth.items() if page["allowed"] for link in demo.links(url)}
    assert len(forbidden) >= 3
    assert all(urls & linked for urls in forbidden.values())
    for host in forbidden:
        assert b"Disallow: /" in demo.bytes_of(f"http://{host}/robots.txt")


def test_two_hosts_are_gbk_and_one_lies_about_it(demo: Demo) -> None:
    for host, meta, header in [(GBK_RIGHT, "gbk", "text/html"), (GBK_WRONG, "utf-8", "text/html; charset=utf-8")]:
        answer = demo.recording.find("http", host, "/")
        assert answer is not None
        assert dict(answer.headers)["Content-Type"] == header
        assert f"charset={meta}".encode() in answer.body
        with pytest.raises(UnicodeDecodeError):
            answer.body.decode("utf-8")


def test_broken_pages_of_every_kind(demo: Demo) -> None:
    assert b"</html>\n<body>" in demo.bytes_of(f"http://{ENDS_EARLY}/")
    assert demo.bytes_of("http://attic.example/empty.html") == b""
    assert b"\0" in demo.bytes_of("http://attic.example/binary.html")
    assert b'http-equiv="refresh"' in demo.bytes_of("http://java-garden.example/latest.html")
    assert demo.bytes_of("http://attic.example/deep.html").count(b"<div>") == 5000


def test_redirects_lead_to_pages_singly_in_chains_and_in_a_loop(demo: Demo) -> None:
    starts = ["http://portal.example/go/1", "http://ai-notes.example/old/0.html"]
    assert all(demo.truth[demo.follow(url)]["kind"] == "article" for url in starts)
    assert "/loop-" in demo.follow("http://attic.example/loop-1.html")
    assert b"notes-of-ai.example" in (demo.recording.aliases or b"")
