"""The news as sentences, as a feed, and sent to a real server."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree
from scrapy.settings import Settings

from crawler.database.database import Database
from crawler.errors import ExportError, TopicError
from crawler.questions.runs import Run
from crawler.reasons import NONE, Code, Reason
from crawler.topic.files import Topic
from tests.board.serving import TOPIC, harvested as harvested
from tests.crawls import Crawl, kept as kept, off_topic as off_topic
from tests.serving import Quiet, listening
from zhuti.news import news_output as told
from zhuti.news.news import Item, News
from zhuti.news.run_ended import FEED, notify

RUN = Run(7, 1.7e9, 1.7e9 + 60, 30, Reason(Code.BUDGET), requests=30, fetched=25, new=1)
ITEM = Item("https://a.example/1?a=1&b=2", "茶 <b>& 水", "绿茶不发酵…", "2026-01-02T08:00:00+08:00", 1.7e9 + 5, 0.51234)
HOSTILE = replace(ITEM, title="\x1b[2J\x07清\u202e屏\n另一行", published="2026\x1b[0m")
MOVED = replace(ITEM, url="https://a.example/new/1", former="https://a.example/1")
DROPPED = replace(ITEM, url="https://c.example/list", dropped_at=1.7e9 + 30)
NEWS = News(
    "tea",
    RUN,
    (ITEM,),
    (),
    (replace(ITEM, url="https://b.example/", title="", published=None),),
    (MOVED,),
    (DROPPED,),
    (1, 0, 1, 1, 1),
    fresh=1,
    textless=2,
)


def test_sentences() -> None:
    assert list(told.sentences(NEWS)) == [
        "Run 7 of topic tea began 2023-11-14 22:13 UTC and ended 2023-11-14 22:14 (budget spent); 30 requests.",
        "1 page is new:",
        "  茶 <b>& 水 (2026-01-02)\n    https://a.example/1?a=1&b=2",
        "2 likely posts had no text yet.",
        "No pages are changed.",
        "1 page is gone:",
        "  (no title)\n    https://b.example/",
        "1 page has moved:",
        "  茶 <b>& 水 (2026-01-02)\n    https://a.example/new/1, before: https://a.example/1",
        "1 page has left the topic:",
        "  茶 <b>& 水 (2026-01-02)\n    https://c.example/list, dropped 2023-11-14 22:13 UTC",
    ]
    open_run = replace(NEWS, run=replace(RUN, ended_at=None, ended=NONE))
    assert "and has not ended; 30 requests." in next(told.sentences(open_run))


def test_what_has_changed_is_told_in_words() -> None:
    page = replace(ITEM, added=("水温\x1b八十度", "二", "三", "四"), removed=("水" * 200,))
    changed = replace(NEWS, changed=(page,), counts=(1, 1, 1, 1, 1))
    [line] = [line for line in told.sentences(changed) if "八十度" in line]
    assert line.splitlines()[2:] == [f"    - {'水' * 100}…", "    + 水温 八十度", "    + 二", "    + 三", "    + … (1)"]
    [item] = told.summary(changed)["changed"]
    assert (item["added"], item["removed"]) == (list(page.added), list(page.removed))
    assert "added" not in told.summary(NEWS)["new"][0]


def test_pages_do_not_control_the_terminal() -> None:
    lines = list(told.sentences(replace(NEWS, new=(HOSTILE,))))
    assert lines[2] == "   [2J 清 屏 另一行 (2026 [0m)\n    https://a.example/1?a=1&b=2"


def test_feed(tmp_path: Path) -> None:
    told.write_feed(tmp_path / "tea.xml", "tea", "All about tea", (ITEM, HOSTILE))
    feed = etree.parse(tmp_path / "tea.xml").getroot()
    name = {"a": told.ATOM}
    assert feed.tag == f"{{{told.ATOM}}}feed"
    assert [feed.findtext(f"a:{tag}", namespaces=name) for tag in ("id", "title", "updated")] == [
        "urn:zhuti:tea",
        "All about tea",
        "2023-11-14T22:13:25+00:00",
    ]
    first, hostile = feed.findall("a:entry", name)
    tags = ["id", "title", "updated", "published", "link", "author", "summary"]
    assert [child.tag.partition("}")[2] for child in first] == tags
    assert first.findtext("a:published", namespaces=name) == ITEM.published
    assert hostile.find("a:published", name) is None, "it wrote no day"
    assert feed.find("a:link[@rel='self']", name).get("href") == "tea.xml"  # type: ignore[union-attr]
    assert first.findtext("a:title", namespaces=name) == ITEM.title
    assert first.find("a:link", name).get("href") == ITEM.url  # type: ignore[union-attr]
    assert first.findtext("a:author/a:name", namespaces=name) == "a.example"
    assert hostile.findtext("a:title", namespaces=name) == " [2J 清 屏 另一行"


def test_an_empty_feed_is_a_feed(tmp_path: Path) -> None:
    told.write_feed(tmp_path / "tea.xml", "tea", "All about tea", ())
    assert len(etree.parse(tmp_path / "tea.xml").getroot()) == 4


def test_a_feed_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="folder you may write to"):
        told.write_feed(tmp_path / "none" / "tea.xml", "tea", "All about tea", (ITEM,))


@contextmanager
def hook(*statuses: int) -> Iterator[tuple[str, list[bytes]]]:
    """A server that answers with these statuses, one after the other; its address and what it was sent."""
    taken: list[bytes] = []

    class Hook(Quiet):
        def do_POST(self) -> None:
            taken.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.answer(statuses[len(taken) - 1])

    with listening(Hook) as server:
        yield f"http://127.0.0.1:{server.server_port}/", taken


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told, "WAITS", (0.0, 0.0))
    monkeypatch.setenv("no_proxy", "*")


@pytest.mark.parametrize(
    ("statuses", "tries", "works"),
    [
        ((200,), 1, True),
        ((204,), 1, True),
        ((503, 200), 2, True),
        ((500, 429, 201), 3, True),
        ((500, 502, 503, 200), 3, False),
        ((404, 200), 1, False),
        ((403, 200), 1, False),
    ],
)
def test_webhook(statuses: tuple[int, ...], tries: int, works: bool) -> None:
    with hook(*statuses) as (url, taken):
        if works:
            told.post(url, told.summary(NEWS))
        else:
            with pytest.raises(ExportError, match=r"webhook at 127.0.0.1:\d+ did not accept the news \(HTTP Error"):
                told.post(url, told.summary(NEWS))
    assert len(taken) == tries
    sent = json.loads(taken[-1])
    assert (sent["topic"], sent["run"], sent["ended"], sent["requests"]) == ("tea", 7, "budget spent", 30)
    assert sent["counts"] == {"new": 1, "changed": 0, "gone": 1, "moved": 1, "dropped": 1}
    assert (sent["fresh"], sent["textless"]) == (1, 2)
    assert sent["dropped"][0]["dropped_at"] == "2023-11-14T22:13:50+00:00"
    about = {"url": ITEM.url, "title": ITEM.title, "published": ITEM.published, "opening": ITEM.opening}
    assert sent["new"] == [about | {"similarity": 0.512}]


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "ftp://a.example/", "nowhere", "file:///etc/hostname"])
def test_a_webhook_that_is_not_there(url: str) -> None:
    with pytest.raises(ExportError, match=r"did not accept the news|cannot send the news to the webhook"):
        told.post(url, {})


def test_a_webhook_that_never_answers_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told, "TIMEOUT", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://us%65r:p@127.0.0.1:{listening.getsockname()[1]}/"
        with pytest.raises(ExportError, match=r"webhook at 127.0.0.1:\d+ did not accept the news \(timed out"):
            told.post(url, {})
        with listening.accept()[0] as taken:
            assert b"Authorization: Basic dXNlcjpw" in taken.recv(1000)
        listening.settimeout(0.1)
        with pytest.raises(TimeoutError):
            listening.accept()


WHOM = [
    ('webhook = "HOOK"', [204], True, False),
    ("feed = true", [], True, True),
    ('webhook = "HOOK"', [400], False, False),
]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("written", "answers", "is_taken", "has_feed"), WHOM)
def test_whom_the_topic_file_names(
    written: str, answers: list[int], is_taken: bool, has_feed: bool, tmp_path: Path, harvested: Crawl
) -> None:
    """The newest run of a harvest is told; what the webhook does not take is an error."""
    settings = Settings({"REPORTS_DIR": str(tmp_path)})
    (tmp_path / TOPIC).mkdir()
    file = tmp_path / f"{TOPIC}.toml"
    with hook(*answers) as (address, sent), Database(harvested.url, readonly=True) as database:
        file.write_text(f'keywords = ["java"]\n[notify]\n{written.replace("HOOK", address)}\n', encoding="utf-8")
        with nullcontext() if is_taken else pytest.raises(ExportError):
            notify(database, Topic.load(file), settings)
    assert [json.loads(one)["counts"]["new"] for one in sent] == [0] * len(answers)
    assert (tmp_path / TOPIC / FEED).exists() is has_feed


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("webhook = 1", "'notify.webhook' is 1"),
        ("feed = 'x'", "true or false"),
        ("mail = 'a@b'", "is not a key of [notify]"),
    ],
)
def test_mistakes_in_notify(written: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(f'keywords = ["java"]\n[notify]\n{written}\n', encoding="utf-8")
    with pytest.raises(TopicError, match=re.escape(words)):
        Topic.load(tmp_path / "t.toml")
