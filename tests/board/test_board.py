"""The board over a real harvest, by real requests: what it shows, what it changes, and whom it lets do so."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, unquote_plus, urlencode

import pytest
from lxml import html
from sqlalchemy import select, update

from crawler.archive.writer import Fetched, WarcWriter
from crawler.database.database import Database
from crawler.database.schema import labels, pages, steers
from crawler.reader.text.printable import legible
from crawler.records import Claim, Visit
from crawler.store.names import topic_id_of
from crawler.store.side_files import SideFile, keep
from crawler.topic.files import Topic
from crawler.topic.schedule import NOBODY, Notify, Schedule
from tests.board.serving import (
    KEPT,
    OTHER,
    TOPIC,
    Browser,
    Serve,
    browser as browser,
    harvested as harvested,
    serve as serve,
    shared_board as shared_board,
)
from tests.crawls import Crawl, kept as kept, off_topic as off_topic
from tests.store.runs import run
from zhuti.board import access
from zhuti.board.access import FAILURES, Access, TooOften
from zhuti.board.app import PAGES
from zhuti.board.board import STALE, Known
from zhuti.board.facts import Filter, facets_of

ATTACK = (
    "茶</title></a></svg><script>document.title='owned'</script><img src=x onerror=alert(1)>"
    "\u202egnp.exe\u202c'\"{{ 7*7 }}\x1b[2J"
)


def form_token(browser: Browser) -> str:
    _, text, _ = browser.ask(f"/t/{TOPIC}/watch")
    return re.findall(r'name="form_token" value="(\w+)"', text)[0]


@pytest.mark.parametrize("name", sorted({*PAGES} - {"page", "original"}))
@pytest.mark.parametrize("language", ["en", "zh-CN,zh;q=0.9"])
def test_every_page_is_shown(name: str, language: str, browser: Browser) -> None:
    status, text, headers = browser.ask(f"/t/{TOPIC}/{name}", accept_language=language)
    assert status == 200, text
    assert "script-src 'self'" in headers["content-security-policy"] or name == "report"
    if headers["content-type"].startswith("text/html"):
        page = html.fromstring(text)
        assert page.get("lang") == language[:2]
        assert not page.xpath("//script[not(@src)] | //*[@onclick or @onload or @onerror]")
        assert not [src for src in page.xpath("//@src | //link/@href") if not src.startswith("/static/")]


def test_what_the_pages_tell(browser: Browser) -> None:
    assert f'href="/t/{TOPIC}/watch"' in browser.ask("/")[1]
    watch = browser.ask(f"/t/{TOPIC}/watch")[1]
    assert "2 (mean similarity" in watch, "as at the end of a crawl"
    assert "c.example/waits" in watch and "https://a.example/2" not in watch
    listed = browser.ask(f"/t/{TOPIC}/pages")[1]
    assert "https://a.example/1" in listed and "b.example/tea" not in listed
    assert "b.example/tea" in browser.ask(f"/t/{TOPIC}/pages?outcome=off-topic")[1]
    assert "No page is like that" in browser.ask(f"/t/{TOPIC}/pages?host=z.example")[1]
    assert "No page is like that" in browser.ask(f"/t/{TOPIC}/pages?least=0.99")[1]
    page = browser.ask(f"/t/{TOPIC}/page?url={quote(KEPT, safe='')}")[1]
    assert "的正文" in page and "kept, similarity" in page
    assert "a.example" in browser.ask(f"/t/{TOPIC}/hosts")[1]
    assert "https://a.example/1" in browser.ask(f"/t/{TOPIC}/news?run=1")[1]
    exported = [json.loads(line) for line in browser.ask(f"/t/{TOPIC}/pages.jsonl?host=a.example")[1].splitlines()]
    urls = ["https://a.example/2", KEPT]
    assert [(page["url"], page["body"]) for page in exported] == [(url, f"{url}的正文") for url in urls]
    assert browser.ask(f"/t/{TOPIC}/pages.jsonl?least=0.99")[1] == ""
    assert browser.ask(f"/t/{TOPIC}/queue")[1].endswith("\thttps://c.example/waits\n")


def test_numbers_by_host_kind_and_language(harvested: Crawl) -> None:
    with Database(harvested.url, readonly=True) as database, database.transaction() as connection:
        topic_id = topic_id_of(connection, TOPIC)
        found = facets_of(connection, topic_id, Filter())
        assert (found["host"], sum(number for _, number in found["kind"])) == ([("a.example", 2)], 2)
        assert facets_of(connection, topic_id, Filter(outcome="off-topic"))["host"] == [("b.example", 1)]
        assert facets_of(connection, topic_id, Filter(host="b.example"))["host"] == []


@pytest.mark.parametrize(
    ("state", "fetched", "later", "holds"),
    [
        ((1,), 5, 1e9, True),  # nothing has happened
        ((1,), 6, 1.9 * STALE, True),
        ((1,), 6, 2.1 * STALE, False),
        ((2,), 5, 0.0, False),  # somebody has answered, say
    ],
)
def test_what_took_long_is_told_a_little_longer(state: tuple[int], fetched: int, later: float, holds: bool) -> None:
    known = Known((1,), 5, "counts", at=100.0, seconds=2.0)
    assert known.holds(state, fetched, 100.0 + later) is holds


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/t/none/watch", 404),
        ("/t/none/pages.jsonl", 404),
        (f"/t/{TOPIC}/page?url=https%3A%2F%2Fnowhere.example%2F", 404),
        (f"/t/{TOPIC}/page", 400),
        (f"/t/{TOPIC}/news?run=99", 404),
        ("/static/../access.py", 404),
        ("/static/%2e%2e/access.py", 404),
        ("/static/..%2f..%2fsettings.py", 404),
        (f"/t/{TOPIC}/original?url=file%3A%2F%2F%2Fetc%2Fpasswd", 200),
        ("/t/..%2f..%2fetc/watch", 404),
        ("/nothing", 404),
        (f"/t/{TOPIC}/pages?before=nan&least=inf&most=x", 200),
        (f"/t/{TOPIC}/hosts?offset=-5", 200),
        *((f"/t/{TOPIC}/{place}", 200) for place in ("pages?before=1e308", "hosts?offset=1e300")),
        *((f"/t/{TOPIC}/pages?{name}={'9' * 20}", 200) for name in ("before", "start")),
        (f"/t/{'x' * 5000}/watch", 404),
        (f"/t/{'x' * 5000}/label", 400),
        (f"/t/{TOPIC}/do/steer", 405),
    ],
)
def test_wrong_addresses(path: str, status: int, browser: Browser) -> None:
    found, text, headers = browser.ask(path)
    assert found == status
    assert "Traceback" not in text and "import " not in text
    if path in ("/nothing", "/t/none/watch", f"/t/{TOPIC}/do/steer"):
        assert headers["content-type"] == "text/html; charset=utf-8"
        assert 'href="/"' in text and 'role="alert"' in text
        assert "script-src 'self'" in headers["content-security-policy"]


def test_what_it_changes(serve: Serve, harvested: Crawl, capsys: pytest.CaptureFixture[str]) -> None:
    browser = serve()
    token = form_token(browser)
    back = f"/t/{TOPIC}/watch"
    status, to = browser.post("steer", token, action="block", pattern="c.example", back=back)
    assert (status, to.startswith(f"{back}?told=")) == (303, True)
    assert browser.post("label", token, url=KEPT, answer="yes")[0] == 303
    assert browser.post("label", token, url=OTHER, answer="no")[0] == 303
    assert browser.post("undo", token)[0] == 303
    logged = capsys.readouterr().err
    assert f"steer {TOPIC} (action pattern): block c.example: " in logged
    assert token not in logged and browser.token not in logged
    assert "is+at+work" not in browser.post("forget", token, host="b.example")[1]
    harvested.open()
    with harvested.database.transaction() as connection:
        assert connection.execute(select(steers.c.pattern, steers.c.action)).all() == [("c.example", "block")]
        assert connection.execute(select(labels.c.url, labels.c.answer)).all() == [(KEPT, "yes")]
    assert harvested.claim(now=1e6) == [], "blocked for the next claim"
    harvested.database.close()
    assert "c.example" in browser.ask(back)[1]
    assert browser.post("steer", token, action="clear", pattern="c.example")[0] == 303
    wrong: dict[str, dict[str, str]] = {"steer": {"action": "shoot", "pattern": "x"}, "label": {"answer": "maybe"}}
    for action, form in (wrong | {"nothing": {}}).items():
        assert "wrong=" in browser.post(action, token, **form)[1]
    assert browser.post("steer", token, action="boost", pattern="x", back="//evil.example/")[1].startswith("/t/")
    assert "bundled+topic" not in browser.post("seed", token, home="https://b.example/")[1]


def test_the_list_of_pages(serve: Serve, harvested: Crawl) -> None:
    """Its number, its order, how the pages begin, what waits, and an answer about several at once."""
    browser = serve()
    both = [KEPT, "https://a.example/2"]
    listed = {
        order: [box.get("value") for box in html.fromstring(text).xpath("//input[@name='url']")]
        for order in ("", "most similar", "least similar", "last published", "nonsense")
        for text in (browser.ask(f"/t/{TOPIC}/pages?order={quote(order)}")[1],)
    }
    assert all(sorted(urls) == both for urls in listed.values())
    shown = browser.ask(f"/t/{TOPIC}/pages?host=a.example{quote('，')}z.example")[1]
    assert "2 pages" in shown and "的正文" in shown
    assert "0 pages" in browser.ask(f"/t/{TOPIC}/pages?host=z.example")[1]
    assert "https://c.example/waits" in browser.ask(f"/t/{TOPIC}/pages?outcome=waiting")[1]
    assert "No page is like that" in browser.ask(f"/t/{TOPIC}/pages?outcome=came+to+nothing&start=9e99")[1]
    token = form_token(browser)
    said = urlencode([("form_token", token), ("answer", "no"), *(("url", url) for url in both)])
    assert "2+answers" in browser.ask(f"/t/{TOPIC}/do/label", "POST", said)[2]["location"]
    assert "wrong=tick+a+page" in browser.post("label", token, answer="no")[1]
    harvested.open()
    with harvested.database.transaction() as connection:
        assert set(connection.execute(select(labels.c.url, labels.c.answer)).all()) == {(url, "no") for url in both}
    harvested.database.close()


def test_several_patterns_in_a_field(serve: Serve, harvested: Crawl) -> None:
    browser = serve()
    token = form_token(browser)
    assert browser.post("steer", token, action="block", pattern="a.example，b.example, c.example/x,y")[0] == 303
    assert "wrong=" in browser.post("steer", token, action="block", pattern=" ， ")[1]
    harvested.open()
    with harvested.database.transaction() as connection:
        found = connection.execute(select(steers.c.pattern)).scalars().all()
    harvested.database.close()
    assert sorted(found) == ["a.example", "b.example", "c.example/x,y"]


def test_words_are_struck_and_added(serve: Serve, topics: Path) -> None:
    browser = serve()
    token, back = form_token(browser), f"/t/{TOPIC}/topic"
    assert browser.post("word", token, word="spring", change="strike", back=back)[0] == 303
    assert browser.post("word", token, word="quarkus", back=back)[0] == 303
    assert "give+a+word" in browser.post("word", token, word="  ")[1]
    assert "not+a+word+of+topic" in browser.post("word", token, word="茶叶", change="strike")[1]
    changed = Topic.load(TOPIC, topics)
    assert changed.struck == ("spring",) and changed.keywords["quarkus"] == 1.0
    text = html.fromstring(browser.ask(back)[1])
    shown = {field.get("value") for field in text.xpath("//ul[@class='words']//input[@name='word']")}
    assert "quarkus" in shown and "spring" not in shown
    assert "Struck: spring" in " ".join(text.xpath("string(//body)").split())


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/robots.txt", "User-agent: *\nDisallow: /a\nDisallow: /b\n", "robots.txt closes 2 places"),
        ("/robots.txt", "User-agent: zhuti\nDisallow: /\n", "robots.txt closes the whole site"),
        ("/robots.txt", "User-agent: other\nDisallow: /\n", ""),
        ("/robots.txt", "User-agent: *\nContent-Signal: ai-train=no\n", "robots.txt reserves training"),
        ("/.well-known/tdmrep.json", '[{"location": "/", "tdm-reservation": 1}]', "tdmrep.json reserves mining"),
        ("/ai.txt", "User-agent: *\nDisallow: /pictures/\n", "ai.txt closes 1 place"),
    ],
)
def test_what_publishers_wish(path: str, body: str, words: str, serve: Serve, harvested: Crawl) -> None:
    harvested.open()
    with harvested.database.transaction() as connection:
        keep(connection, "a.example", path, SideFile(f"https://a.example{path}", 200, body.encode(), 9e9))
    harvested.database.close()
    shown = html.fromstring(serve().ask(f"/t/{TOPIC}/hosts")[1]).xpath("string(//tr[contains(., 'a.example')])")
    assert words in shown if words else "robots.txt" not in shown


def test_a_page_of_the_topic_is_asked_about(browser: Browser) -> None:
    text = browser.ask(f"/t/{TOPIC}/label")[1]
    assert "Belongs to the topic" in text and "a.example" in text
    assert {button.get("data-key") for button in html.fromstring(text).xpath("//button[@data-key]")} == {*"ynsu"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "["}, 421),
        ({"Host": "[::1].evil.example"}, 421),
        ({"Host": "localhost:1"}, 200),
        ({"Cookie": ""}, 401),
        ({"Cookie": "zhuti=guessed"}, 401),
        ({"Cookie": "", "Authorization": "Bearer guessed"}, 401),
    ],
)
@pytest.mark.parametrize("path", ["/", f"/t/{TOPIC}/pages", f"/t/{TOPIC}/original?url=x"])
def test_who_is_not_let_in(headers: dict[str, str], status: int, path: str, browser: Browser) -> None:
    assert browser.ask(path, **headers)[0] == status


@pytest.mark.parametrize(
    ("headers", "form", "status"),
    [
        ({}, {}, 303),
        ({"Sec-Fetch-Site": "cross-site"}, {}, 403),
        ({"Sec-Fetch-Site": "same-site"}, {}, 403),
        ({"Origin": "http://evil.example"}, {}, 403),
        ({"Origin": "null"}, {}, 403),
        ({}, {"form_token": "guessed"}, 403),
        ({}, {"form_token": ""}, 403),
        ({"Content-Length": "70000"}, {}, 403),
    ],
)
def test_forms_of_other_sites(
    headers: dict[str, str], form: dict[str, str], status: int, serve: Serve, harvested: Crawl
) -> None:
    browser = serve()
    said = urlencode({"form_token": form_token(browser), "url": KEPT, "answer": "yes", **form})
    said = said.ljust(70_000) if "Content-Length" in headers else said
    assert browser.ask(f"/t/{TOPIC}/do/label", "POST", said, **headers)[0] == status
    harvested.open()
    with harvested.database.transaction() as connection:
        assert len(connection.execute(select(labels.c.url)).all()) == (status == 303)
    harvested.database.close()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods(method: str, browser: Browser) -> None:
    assert browser.ask("/", method)[0] in (403, 405)


def test_read_only(serve: Serve) -> None:
    browser = serve(read_only=True)
    assert browser.ask(f"/t/{TOPIC}/watch")[0] == 200
    assert browser.post("steer", form_token(browser), action="block", pattern="a.example")[0] == 403


def test_the_token_leaves_the_address(browser: Browser) -> None:
    token, browser.token = browser.token, ""
    status, _, headers = browser.ask(f"/t/{TOPIC}/pages?host=a.example&token={token}")
    assert (status, headers["location"]) == (303, f"/t/{TOPIC}/pages?host=a.example")
    assert "HttpOnly" in headers["set-cookie"] and "SameSite=strict" in headers["set-cookie"]
    assert browser.ask(f"//evil.example/?token={token}")[2]["location"].startswith("/")


def test_with_a_password(serve: Serve) -> None:
    browser = serve(password="秘密 words")
    right, browser.token = browser.token, ""
    assert browser.ask("/")[2]["location"] == "/login"
    assert "password" in browser.ask("/login")[1]
    status, _, headers = browser.ask("/login", "POST", urlencode({"password": "秘密 words"}))
    assert (status, right in headers["set-cookie"]) == (303, True)
    for _ in range(FAILURES):
        assert browser.ask("/login", "POST", urlencode({"password": "guessed"}))[0] == 403
    assert "wait a minute" in browser.ask("/login", "POST", urlencode({"password": "秘密 words"}))[1]


def test_a_stranger_does_not_lock_the_owner_out() -> None:
    guard = Access(frozenset(), "right")
    for number in range(FAILURES):
        assert not guard.let_in("guessed", f"2001:db8::{number}")
    for stranger in ("2001:db8::99", "2001:db8::1"):
        with pytest.raises(TooOften):
            guard.let_in("right", stranger)
    assert guard.let_in("right", "192.0.2.1") and guard.let_in("right", "2001:db8:0:1::1")


def test_a_form_that_never_arrives_holds_nothing(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "BODY_SECONDS", 0.1)
    browser = serve(password="words")
    with socket.create_connection(("127.0.0.1", browser.port), timeout=20) as open_form:
        lines = ["POST /login HTTP/1.1", f"Host: 127.0.0.1:{browser.port}", "Content-Length: 9", "", ""]
        open_form.sendall("\r\n".join(lines).encode())
        assert open_form.recv(100).startswith(b"HTTP/1.1 408")


def test_hostile_pages(database_url: str, serve: Serve, harvested: Crawl, kept: Callable[..., Visit]) -> None:
    """What others wrote is text, wherever it stands."""
    evil = "https://evil.example/?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E"

    def visit(claim: Claim, at: float) -> Visit:
        made = kept(claim, body=f"{claim.url} {ATTACK}\n" * 3, links={evil: 0.9}, at=at)
        assert made.analysis is not None
        object.__setattr__(made.analysis.extraction, "title", ATTACK)
        return made

    harvested.open()
    run(harvested, 5_000.0, [evil], visit)
    harvested.database.close()
    browser = serve()
    for path in ("watch", "pages", "hosts", "news", "map", "label", f"page?url={quote(evil, safe='')}"):
        status, text, _ = browser.ask(f"/t/{TOPIC}/{path}")
        assert status == 200, path
        assert "<script>document" not in text and "<img" not in text and "\u202e" not in text and "\x1b" not in text
    assert legible(evil)[:20] in browser.ask(f"/t/{TOPIC}/pages")[1]


def test_the_page_as_it_was_fetched(serve: Serve, harvested: Crawl, tmp_path: Path) -> None:
    """As text of its own encoding, where nothing of it can act."""
    visits = "<iframe src=//evil.example/></iframe><object><embed src=//evil.example/></object>"
    visits += "<link rel=preconnect href=//evil.example/><base href=//evil.example/>"
    visits += "<meta http-equiv=refresh content='0;//evil.example/'>"
    body = f"<meta charset=gbk>{visits}<p>渡口</p><script>alert(1)</script>".encode("gbk")
    writer = WarcWriter(tmp_path / "warc")
    place = writer.write(Fetched(KEPT, 200, [("Content-Type", "text/html; charset=gbk")], body, 1e9))
    writer.close()
    browser = serve()
    path = f"/t/{TOPIC}/original?url={quote(KEPT, safe='')}"
    assert "not archived" in browser.ask(path)[1]
    harvested.open()
    with harvested.database.transaction() as connection:
        where = {"warc_file": place.file, "warc_offset": place.offset}
        connection.execute(update(pages).where(pages.c.url == KEPT).values(where))
    harvested.database.close()
    status, text, headers = browser.ask(path)
    assert (status, "渡口" in text, headers["content-type"]) == (200, True, "text/html; charset=utf-8")
    assert "evil.example" not in text, "a browser would look up the name"
    assert headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert "not archived" in browser.ask(path.replace("example%2F1", "example%2F2"))[1]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_run_is_started_and_stopped(serve: Serve, harvested: Crawl, topics: Path, site: str) -> None:
    file = topics / f"{TOPIC}.toml"
    file.write_text(f'seeds = ["{site}"]\n{file.read_text(encoding="utf-8")}', encoding="utf-8")
    browser = serve()
    token, watch = form_token(browser), f"/t/{TOPIC}/watch"
    assert "started+no+run" in browser.post("stop", token)[1]
    assert "has+begun" in browser.post("run", token)[1]
    assert "already" in browser.post("run", token)[1]
    wait_for(lambda: "Stop after" in browser.ask(watch)[1] and "Run 3" in browser.ask(watch)[1])
    assert "pages+under+way" in browser.post("stop", token)[1]
    wait_for(lambda: "Run now" in browser.ask(watch)[1])
    assert all("Harvest of java" in browser.ask(place)[1] for place in (f"/t/{TOPIC}/log", watch))
    assert "Run 3" in browser.ask(watch)[1] and "stopped" in browser.ask(watch)[1], "what is remembered is told anew"


NEW = {
    "name": "茶",
    "seeds": "https://tea.example/a,b\r\nhttps://tea.example/2",
    "words": "绿茶，红茶",
    "text": "茶是以茶树的芽叶制成的饮料。",
}
WRONG_NEW = [
    *(({"name": "../tea"}, "letters"), ({"name": TOPIC}, "already")),
    ({"seeds": " "}, "at least one seed"),
    ({"seeds": "tea"}, "http"),
    ({"words": "a b"}, "too little"),
    ({"text": "茶\0"}, "half of a character"),
]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_topic_is_begun_and_planned(serve: Serve, topics: Path) -> None:
    browser = serve()
    token = form_token(browser)

    def begin(**form: str) -> str:
        status, text, headers = browser.ask("/begin", "POST", urlencode({"form_token": token, **NEW, **form}))
        assert status == 303 or 'role="alert"' in text
        return unquote_plus(headers.get("location", text))

    for form, said in WRONG_NEW:
        page = begin(**form)
        assert said in page, form
        assert form.get("words", NEW["words"]) in page, "what was typed stays"
    assert not list(topics.glob("*茶*")) and not list(topics.parent.glob("*tea*"))
    assert begin().startswith("/t/茶/watch?told=")
    found = Topic.load("茶", topics)
    assert (found.seeds, *found.keywords) == (("https://tea.example/a,b", "https://tea.example/2"), "绿茶", "红茶")
    assert found.texts == (NEW["text"],)
    watch = f"/t/{quote('茶')}/watch"
    assert quote("茶") in browser.ask("/")[1] and "Not crawled yet" in browser.ask(watch)[1]

    def plan(**form: str) -> str:
        body = urlencode({"form_token": token, **form})
        return unquote_plus(browser.ask(f"/t/{quote('茶')}/do/plan", "POST", body)[2]["location"])

    assert "Written" in plan(when="6h", webhook="https://hook.example/x", feed="on")
    found = Topic.load("茶", topics)
    assert (found.schedule, found.notify) == (Schedule(6 * 3600.0), Notify("https://hook.example/x", feed=True))
    assert 'value="6h"' in browser.ask(watch)[1] and "checked" in browser.ask(watch)[1]
    assert "wrong=" in plan(when="sometimes", webhook="https://hook.example/x", feed="on")
    for webhook in ("file:///etc/passwd", "http://a.example/\r\nX: y"):
        assert "wrong=" in plan(when="6h", webhook=webhook)
    assert "wrong=" in plan(when="0 0 30 2 *", webhook="")
    assert Topic.load("茶", topics) == found
    plan(when="0 6 * * *", webhook="")
    assert Topic.load("茶", topics).schedule == Schedule(cron="0 6 * * *")
    (topics / "broken.toml").write_text("threshold = 7", encoding="utf-8")
    assert "from 0 to 1" in browser.ask("/t/broken/watch")[1]
    plan(when="", webhook="")
    assert (Topic.load("茶", topics).schedule, Topic.load("茶", topics).notify) == (None, NOBODY)


def wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.2)
