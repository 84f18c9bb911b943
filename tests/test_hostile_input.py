"""What strangers wrote, in any form: an answer or a sentence comes out, never another exception. Real pages that are
changed are the matter of lab/benchmarks/fuzz.py."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from crawler.analyse import analyse, open_index_file
from crawler.errors import TopicError
from crawler.extractors import extractor
from crawler.reader.html.declared import forbidden_by_headers
from crawler.reader.html.page import Page, meta_refresh, read_markup
from crawler.reader.html.urls import canonical, domain, host
from crawler.reader.text.robots_groups import own_group, robots_text
from crawler.reasons import Reason
from crawler.records import JudgedPage, Outcome
from crawler.scorers.traps import Traps
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from crawler.topic.seeds import seed_url
from tests.conftest import ROOT

URL = "http://a.example/b/"
WORDS = [
    "机器学习 训练集",
    "2024-05-06",
    "作者：甲",
    "a",
    "0",
    "\x00",
    "\ud800",
    "&#x110000;",
    "&#xD800;",
    "&nbsp;",
    "%E4",
]
TAGS = [
    "html",
    "head",
    "title",
    "meta",
    "body",
    "div",
    "p",
    "a",
    "ul",
    "li",
    "table",
    "tr",
    "td",
    "h1",
    "time",
    "script",
]
TAGS += ["svg", "base", "frameset", "template", "form", "b"]
ATTRIBUTES = [
    "href=/x",
    "href='http://[::1'",
    "class=post",
    "datetime=99999-99-99",
    "content='0;url=//['",
    "href='\x00'",
]
ATTRIBUTES += ["http-equiv=refresh", "name=robots content=noai", "rel='tag nofollow'", "type='application/ld+json'"]
OPENED = st.builds("<{} {}>".format, st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES))
PIECES = st.one_of(OPENED, st.sampled_from(WORDS), st.sampled_from([f"</{tag}>" for tag in TAGS]), st.text(max_size=20))
MARKUP = st.lists(PIECES, max_size=60).map(lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass"))
BYTES = st.one_of(MARKUP, st.binary(max_size=300))
HEADS = [b"", b"<?xml version='1.0'?><rss><channel><item>", b"<urlset><url><loc>", b'{"items": [{"url": "', b"\x1f\x8b"]
many = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])


@cache
def judge() -> Judge:
    return Judge(Topic.load("machine-learning", ROOT / "topics").learn())


@pytest.mark.parametrize("name", ["best", "plain"])
@given(content=BYTES)
@many
def test_pages(name: str, content: bytes) -> None:
    markup = read_markup(content, "text/html", URL)
    if markup is None:
        return
    meta_refresh(markup.text, URL, encoding=markup.encoding)
    found = analyse(Page(markup.text, URL), extractor(name), judge())
    assert found.verdict()[0] in (Outcome.KEPT, Outcome.OFF_TOPIC)
    assert all(canonical(outlink.link.url) == outlink.link.url for outlink in found.outlinks)
    assert 0 <= found.judgement.similarity <= 1


@given(head=st.sampled_from(HEADS), content=BYTES)
@many
def test_index_files(head: bytes, content: bytes) -> None:
    found = open_index_file(URL, head + content, 1e9, judge())
    assert isinstance(found, Reason) or all(canonical(item.link.url) == item.link.url for item in found.outlinks)


ADDRESSES = st.lists(
    st.one_of(
        st.sampled_from(["http://", "//", "[", "]", "::1", "@", ":80", ":", "/..", "?", "#", "%", "\\", ".", "中国"]),
        st.text(),
    ),
    max_size=8,
).map("".join)


@given(address=ADDRESSES)
@many
def test_addresses(address: str) -> None:
    for found in (canonical(address), canonical(address, URL)):
        if found is not None:
            assert canonical(found) == found
            assert domain(host(found))
            traps = Traps()
            traps.learn(JudgedPage(found, 0.8, True, 0.2, 0, 0, (), repeats=True))
            assert 0 < traps.worth(found) < 1
    seed_url(address)


@given(content=BYTES, agent=st.text(max_size=30))
@many
def test_robots_txt(content: bytes, agent: str) -> None:
    own_group(robots_text(b"User-agent: *\nDisallow: " + content), agent)


@given(values=st.lists(st.tuples(st.sampled_from(["X-Robots-Tag", "TDM-Reservation", "Link"]), st.text(max_size=60))))
@many
def test_headers(values: list[tuple[str, str]]) -> None:
    assert forbidden_by_headers(values) <= {"noindex", "nofollow", "noai", "tdm-reservation"}


KEYS = ["name", "keywords", "texts", "pages", "seeds", "threshold", "budget", "allowed_hosts", "denied_hosts", "other"]
VALUES = [
    "'茶'",
    "['茶']",
    "['10.0.0.0/8', '::/0', '1.2.3.4/99', '://']",
    "[]",
    "1e999",
    "-1",
    "{}",
    "{'茶' = 2}",
    "true",
]
LINES = st.builds("{} = {}".format, st.sampled_from(KEYS), st.one_of(st.sampled_from(VALUES), st.text(max_size=10)))


@given(lines=st.lists(LINES, max_size=6, unique_by=lambda line: line.split()[0]))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_topic_files(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "t.toml"
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    try:
        assert Topic.load(path).name
    except TopicError as error:
        assert "\n" not in str(error)[: len(str(path))]
