"""A recorded web without a network: pages, redirects, refreshes, and what is not a page."""

from pathlib import Path

import pytest

from lab.errors import ReplayError
from lab.links.recorded import RecordedWeb, Reply

PAGE = "<html><body><p>你好</p></body></html>"
STUB_OF = '<html><head><meta http-equiv="refresh" content="{wait}; url=/p/"></head></html>'
SLOW = STUB_OF.format(wait=101)
STUB = STUB_OF.format(wait=0)
BROKEN = STUB.replace("/p/", "http://[nowhere/")  # browsers stay on the page
ROBOTS = "User-agent: nosy\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n"


@pytest.fixture
def web(tmp_path: Path) -> RecordedWeb:
    files = {
        "index.html": PAGE,
        "p/index.html": PAGE,
        "stub.html": STUB,
        "data.json": "{}",
        "slow.html": SLOW,
        "broken.html": BROKEN,
        "robots.txt": ROBOTS,
    }
    for name, content in files.items():
        path = tmp_path / "web" / "a.example" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    aliases = tmp_path / "aliases.json"
    aliases.write_text('{"a": {"host": "a.example", "aliases": ["old.example"]}}', encoding="utf-8")
    return RecordedWeb.open(tmp_path / "web", aliases)


@pytest.mark.parametrize(
    ("url", "reply"),
    [
        ("http://a.example/", Reply(200, markup=PAGE, is_html=True)),
        ("http://a.example/p", Reply(301, "http://a.example/p/")),
        ("http://old.example/p/", Reply(301, "http://a.example/p/")),
        ("https://a.example/p/", Reply(301, "http://a.example/p/")),
        ("http://a.example/stub", Reply(200, "http://a.example/p/", STUB, is_html=True)),
        ("http://a.example/slow", Reply(200, "", SLOW, is_html=True)),
        ("http://a.example/broken", Reply(200, "", BROKEN, is_html=True)),
        ("http://a.example/data.json", Reply(200)),
        ("http://a.example/none", Reply(404)),
        ("http://b.example/", Reply(502)),
    ],
)
def test_replies(web: RecordedWeb, url: str, reply: Reply) -> None:
    assert web.fetch(url) == reply


def test_what_counts_for_a_budget(web: RecordedWeb) -> None:
    counted = [web.fetch(f"http://a.example/{path}").is_page for path in ("", "stub", "data.json", "none", "p")]
    assert counted == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("url", "agent", "allowed"),
    [
        ("http://a.example/", "Zhuti/0.1", True),
        ("http://a.example/private/x", "Zhuti/0.1", False),
        ("http://old.example/private/x", "Zhuti/0.1", False),  # its robots.txt is where its name leads
        ("http://a.example/", "nosy", False),
        ("http://unknown.example/", "nosy", True),
    ],
)
def test_robots(web: RecordedWeb, url: str, agent: str, allowed: bool) -> None:
    assert web.may_fetch(url, agent) is allowed


def test_home_pages(web: RecordedWeb) -> None:
    assert web.home_pages() == ["http://a.example/"]


def test_no_aliases_file(tmp_path: Path) -> None:
    (tmp_path / "web/a.example").mkdir(parents=True)
    (tmp_path / "web/a.example/index.html").write_text(PAGE, encoding="utf-8")
    with pytest.raises(ReplayError, match="aliases"):
        RecordedWeb.open(tmp_path / "web", tmp_path / "none.json")
    assert RecordedWeb.open(tmp_path / "web").fetch("http://a.example/").is_page
