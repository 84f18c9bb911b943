"""Documents of Really Simple Licensing in each form of its specification, and how a crawl finds and obeys them."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from crawler.reader.text import robots_groups
from crawler.reader.text.robots_groups import by_signals, malformed, prefers
from tests.crawl.test_fetching import outcomes, page
from tests.crawl.test_private_addresses import crawl, server
from zhuti.identity.rsl import MOST, reserved, rules

NO = '<license><prohibits type="usage">ai-train</prohibits></license>'


def rsl(licences: str, url: str = "/", more: str = "", space: str = ' xmlns="https://rslstandard.org/rsl"') -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><rsl{space}><content url="{url}" {more}>{licences}</content></rsl>'


def permits(usage: str, *more: str) -> str:
    return f'<license><permits type="usage">{usage}</permits>{"".join(more)}</license>'


LICENCES = {  # of a document: whether training is free
    "nothing said of usage": ("<license/>", True),
    "all": (permits("all"), True),
    "training among others": (permits("search, ai-train\n ai-index"), True),
    "the IETF's name": (permits("train-ai"), True),
    "search alone": (permits("search"), False),
    "input alone": (permits("ai-input ai-index"), False),
    "prohibited": (NO, False),
    "prohibited in general": ('<license><prohibits type="usage">ai-all</prohibits></license>', False),
    "another usage prohibited": ('<license><prohibits type="usage">ai-index</prohibits></license>', True),
    "prohibition wins": (permits("all", '<prohibits type="usage">ai-train</prohibits>'), False),
    "some users": (permits("all", '<permits type="user">education</permits>'), False),
    "some regions": (permits("all", '<permits type="geo">US,EU</permits>'), False),
    "not commercial": (permits("all", '<prohibits type="user">commercial</prohibits>'), False),
    "free": (permits("ai-all", '<payment type="free"/>'), True),
    "attribution": (permits("ai-all", '<payment type="attribution"><standard>x</standard></payment>'), True),
    "a price": (permits("ai-all", '<payment type="crawl"><amount currency="USD">1</amount></payment>'), False),
    "a subscription": (permits("ai-all", '<payment type="subscription"/>'), False),
    "one of two is free": (permits("ai-train", '<payment type="use"/>') + permits("all"), True),
    "capitals": (permits("AI-Train"), True),
}


@pytest.mark.parametrize("name", LICENCES)
def test_licences(name: str) -> None:
    licences, free = LICENCES[name]
    said = rules(rsl(licences).encode(), "a.example", "x")
    assert said == f"User-agent: *\n{'Allow' if free else 'Disallow'}: /"
    assert rules(rsl(licences, space="").encode(), "a.example", "x") == said, "without its name space"


PLACES = {
    "/images/*.png$": "Disallow: /images/*.png$",
    "https://A.example/news/?q=1": "Disallow: /news/?q=1",
    "https://b.example/": "",
    "": "Disallow: /",
}


@pytest.mark.parametrize("url", PLACES)
def test_places(url: str) -> None:
    assert rules(rsl(NO, url).encode(), "a.example", "x").removeprefix("User-agent: *\n") == PLACES[url]


BROKEN = (
    b"",
    b"<html><body>not found",
    b"<rss><channel/></rss>",
    b"<rsl><content",
    b"\xff\xfe<",
    b'<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><r>&b;</r>',
)


@pytest.mark.parametrize("document", BROKEN)
def test_what_is_broken_forbids_nothing_and_is_told(document: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert rules(document, "a.example", "https://a.example/l.xml") == ""
    assert "https://a.example/l.xml of a.example cannot be read" in caplog.text


def test_a_server_of_licences_must_be_asked() -> None:
    assert "Disallow" in rules(rsl(permits("all"), more='server="https://pay.example"').encode(), "a.example", "x")
    assert rules(rsl("").encode(), "a.example", "x") == "", "no licence says nothing"


PREFERENCES = {
    "train-ai=n": False,
    "train-ai=y": True,
    "Train-AI=N; x=1, search=y": False,
    "search=n": None,
    "train-ai=n, train-ai=y": True,
    "bots=n": False,
    "bots=n, train-ai=y": True,
    "train-genai=n, train-ai=y": False,
    "search=yes, ai-train=no": False,
    "train-ai=maybe": None,
    "train-ai=?0": None,
    'x="train-ai=n"': None,
    "train-ai": None,
    "": None,
}


@pytest.mark.parametrize("value", PREFERENCES)
def test_preferences(value: str) -> None:
    assert prefers(value) is PREFERENCES[value]


USES = {  # what says no to a use, and which
    "train-ai=n, search=y": {"ai-train"},
    "search=n": {"search"},
    "bots=n, search=y": {"ai-train", "ai-input", "ai-index"},
    "ai-input=no": {"ai-input"},
}


@pytest.mark.parametrize("value", USES)
def test_what_a_corpus_is_for(value: str) -> None:
    lines = f"Content-Usage: {value}"
    assert {use for use in robots_groups.USES if prefers(value, use) is False} == USES[value]
    assert {use for use in robots_groups.USES if by_signals(lines, use).endswith("Disallow: /")} == USES[value]


OF_LICENCES = [(permits("search"), "search"), (permits("ai-all"), "ai-train ai-input ai-index")]


@pytest.mark.parametrize(("licence", "uses"), [*OF_LICENCES, (NO, "search ai-input ai-index")])
def test_what_licences_free(licence: str, uses: str) -> None:
    free = {use for use in robots_groups.USES if "Allow" in rules(rsl(licence).encode(), "a.example", "x", use)}
    assert free == set(uses.split())


def test_what_stands_in_an_archived_page() -> None:
    page = f"<script type='application/rsl+xml'>{rsl(NO, '/a')}</script>"
    assert [reserved(page, f"http://a.example/{name}") for name in "ab"] == [{"rsl"}, set()]


def test_malformed_preferences() -> None:
    lines = "Content-Usage: train-ai=n, search\nContent-Usage: /a train-ai: no\nContent-Signal: no training"
    assert malformed(lines, ["train-ai=n;x=1", "=n"]) == ["train-ai: no", "no training", "=n"]


def feed(link: str) -> str:
    own = NO.replace("<", "<r:").replace("<r:/", "</r:")
    items = f"<item><link>{link}\n</link><r:content>{own}</r:content></item><item><link>/2</link></item>"
    return f'<rss version="2.0" xmlns:r="https://rslstandard.org/rsl"><channel>{items}</channel></rss>'


def test_a_feed() -> None:
    """What has no address of its own is of its entry."""
    assert rules(feed("http://a.example/1").encode(), "a.example", "x") == "User-agent: *\nDisallow: /1"


LINK = '<link rel="license" type="application/rsl+xml" href="/own.xml"><head>'
INLINE = f'<script type="application/rsl+xml">{rsl(NO, "")}</script><head>'
FEED = '<link rel="alternate" type="application/rss+xml" href="/feed.xml"><head>'
HEADS = {**dict.fromkeys(("linked", "again", "still"), LINK), "inline": INLINE}
FIELD = {"headed": '<https://a.example/>; rel="next", </own.xml>; rel="license"; type="application/rsl+xml"'}
DOCUMENTS = {"/own.xml": rsl(NO, ""), "/site.xml": rsl(NO, "/art*"), "/broken.xml": "<rsl"}
NET = "127.0.0.0/8"
NAMES = ("art1", *HEADS, *FIELD, "open", "usage", "yes", "fed")


@pytest.mark.slow
@pytest.mark.parametrize("obeyed", [True, False])
def test_a_crawl_obeys(tmp_path: Path, topics: Path, obeyed: bool) -> None:
    def site(path: str) -> tuple[int, dict[str, str], bytes]:
        name = path.strip("/")
        if name == "robots.txt":
            terms = "".join(
                f"License: {address}\n" for address in (f"{other}/site.xml", f"{other}/broken.xml", "x.xml")
            )
            usage = "Content-Usage: /usage train-ai=n\nContent-Usage: /yes train-ai=y\nContent-Usage: train-ai: no\n"
            return 200, {"Content-Type": "text/plain"}, f"{terms}User-agent: *\n{usage}".encode()
        if path in DOCUMENTS:
            return 200, {"Content-Type": "application/rsl+xml"}, DOCUMENTS[path].encode()
        body = page(name or "首页", *(f"/{one}" for one in NAMES) if not name else ())
        headers = {"Link": FIELD[name]} if name in FIELD else {"Content-Usage": "train-ai=n"} if name == "yes" else {}
        return (
            404 if "." in name else 200,
            headers,
            body.replace(b"<head>", HEADS.get(name, "<head>" if name else FEED).encode()),
        )

    with server("127.0.0.2", site) as (far, asked_far):
        other = f"http://127.0.0.2:{far}"
        with server("127.0.0.1", site) as (port, asked):
            host = f"http://127.0.0.1:{port}/"
            DOCUMENTS["/feed.xml"] = feed(f"{host}fed")
            DOCUMENTS["/site.xml"] = rsl(NO, f"http://127.0.0.1:{port}/art*")
            own = (
                "-s",
                "CONCURRENT_REQUESTS=1",
                "-s",
                "ALLOW_ADDRESSES=127.0.0.0/8",
                "-s",
                f"MINING_TAGS_OBEY={obeyed}",
                "-s",
                "INDEX_FILES=True",
            )
            told = crawl(tmp_path, topics, [host], *own)
    ends = {url.removeprefix(host): end for url, end in outcomes(tmp_path).items()}
    assert ends["open"] == ("kept", "")
    if obeyed:
        forbidden = ("off-topic", "its publisher forbids keeping it (rsl)")
        assert {ends[name] for name in ("art1", *HEADS, *FIELD, "fed")} == {forbidden}
        assert ends["usage"] == ends["yes"] == ("off-topic", "its publisher forbids keeping it (noai)")
        assert "broken.xml of" in told
        assert "the licence x.xml of" in told
        assert told.count("the preference 'train-ai: no' cannot be read") == 1, "once a host"
        assert asked.count("/own.xml") == 1, "is kept"
        assert len(asked_far) == MOST - 1
    else:
        assert not asked_far
        assert "off-topic" not in {ends[name][0] for name in NAMES}
        assert not {"/own.xml"} & set(asked)
