"""zhuti extract on pages that are none, or hardly: an answer with a reason, never an exception."""

from __future__ import annotations

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from crawler.reader.extract.model import load_model
from tests.commands.conftest import Run
from zhuti.extraction.command import Command

STORY = "村里的老渡口在今年春天重新开放，第一班船坐了四十多个人，其中一半是来看热闹的孩子。"
MORE = "船工姓何，撑了三十一年的船，他说河水比从前清了，能看见底下的石头和水草。"
TEXT = "".join(f"<p>{sentence}</p>" for sentence in (STORY, MORE, STORY * 2, MORE * 2))
ENGLISH = "The ferry had been closed for years, and the villagers were glad to see it run again. "
MIXED = "هذا نص طويل من اليمين إلى اليسار, with English words inside، وهنا نص آخر. זהו טקסט ארוך מימין לשמאל. "

NO_TEXT, NO_OWN, LIST = "it has no text", "it has no text of its own", "it is a list of links"

MENU = "".join(f"<a href=/{number}>渡口的第{number}个故事</a> " for number in range(60))
SPOILT = f"<div><h1>渡口重新开放<div><p>{STORY * 2}<p>{MORE * 2}<p>{STORY}"

# markup, title (None: whatever it is), a piece of the body or the reason for none
PAGES: dict[str, tuple[str, str | None, str]] = {
    "empty": ("", "", NO_TEXT),
    "blank": (" \n\t", "", NO_TEXT),
    "scripts": ("<script>document.write('文字')</script><style>p { color: red }</style>", "", NO_TEXT),
    "title-only": ("<title>只有标题</title>", "只有标题", NO_TEXT),
    "no-title": (f"<body>{TEXT}", "", STORY),
    "frames": ("<title>两框</title><frameset><frame src=a.html><frame src=b.html></frameset>", "两框", NO_TEXT),
    "links": (f"<title>目录</title>{MENU}", None, LIST),
    "no-chinese": (f"<h1>Ferry reopens</h1>{f'<p>{ENGLISH * 2}</p>' * 5}", "Ferry reopens", ENGLISH.strip()),
    "right-to-left": (f"<html dir=rtl><h1>שלום עולם</h1>{f'<p>{MIXED * 2}</p>' * 5}", "שלום עולם", "with English"),
    "nulls": (f"<html>\0<title>渡\0口重开</title><h1>渡口\0重开</h1>{TEXT}\0", "渡口重开", STORY),
    "unclosed": (f"<title>渡口重新开放<body>{SPOILT}", "渡口重新开放", STORY),
    "early-end": (f"<title>渡口重新开放</title><h1>渡口重新开放</h1></body></html>{TEXT}", "渡口重新开放", STORY),
}


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    page = f"<meta charset=gbk><title>渡口重开</title><h1>渡口重开</h1>{TEXT}".encode("gb18030")
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(page)))
    done = run(Command(), "-", "--jsonl")
    assert json.loads(done.out)["title"] == "渡口重开"


@pytest.fixture(autouse=True)
def _fresh_model() -> None:
    load_model.cache_clear()


@pytest.mark.parametrize("name", PAGES)
def test_bad_input(name: str, tmp_path: Path, run: Run) -> None:
    markup, title, expected = PAGES[name]
    path = tmp_path / f"{name}.html"
    path.write_text(markup, encoding="utf-8")
    told = run(Command(), str(path), "--jsonl")
    assert (told.status, told.err) == (0, "")
    found = json.loads(told.out)
    assert title is None or found["title"] == title
    assert found["published"] is None
    reason = expected.startswith("it ")
    assert (found["body"] == "") if reason else (expected in found["body"])
    if reason:
        assert f"(no body: {expected})" in run(Command(), str(path)).out


def test_keywords(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "ferry.html"
    path.write_text(f"<title>渡口重新开放</title><h1>渡口重新开放</h1>{TEXT}", encoding="utf-8")
    words = json.loads(run(Command(), str(path), "--jsonl").out)["keywords"]
    assert "开放" in words.split(", ")
    assert f"keywords:  {words}\n" in run(Command(), str(path)).out


@pytest.mark.parametrize("content", [b"\0" * 5000, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"no tags at all"])
def test_what_is_no_page_is_said_and_the_next_file_is_read(content: bytes, tmp_path: Path, run: Run) -> None:
    broken, whole = tmp_path / "broken.bin", tmp_path / "whole.html"
    broken.write_bytes(content)
    whole.write_text(f"<body>{TEXT}", encoding="utf-8")
    told = run(Command(), str(broken), str(whole))
    assert told.status != 0
    assert told.err.count("\n") == 1
    assert "broken.bin is not an HTML page" in told.err
    assert STORY in told.out


def test_markdown_and_kinds(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "ferry.html"
    parts = f"<h2>船票</h2><table><tr><th>谁<th>元</tr><tr><td>大人<td>2</tr></table>{TEXT}"
    path.write_text(f"<title>渡口重新开放</title><h1>渡口重新开放</h1>{TEXT}{parts}", encoding="utf-8")
    told = json.loads(run(Command(), str(path), "--jsonl", "--format", "markdown", "--kind", "article,thread").out)
    assert told["kind"] == "article"
    assert told["language"] == "zh"
    assert "## 船票\n\n| 谁 | 元 |\n| --- | --- |\n| 大人 | 2 |\n" in told["body"]
    told = run(Command(), str(path), "--kind", "list")
    assert (told.status, told.out, told.err) == (0, "", "1 pages of other kinds were skipped\n")
    assert "unknown kind 'forum'" in run(Command(), str(path), "--kind", "forum").err
    refused = run(Command(), str(path), "--format", "markdown", "-s", "EXTRACTOR=plain")
    assert refused.status != 0
    assert "needs EXTRACTOR=best" in refused.err


def test_links_and_images(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "ferry.html"
    shown = "<p><img src=http://a.example/boat.jpg alt=渡船></p><p>从前<a href=http://a.example/old>停过一次</a>。</p>"
    path.write_text(f"<title>渡口重新开放</title><h1>渡口重新开放</h1><div>{TEXT}{shown}{TEXT}</div>", encoding="utf-8")
    plain = json.loads(run(Command(), str(path), "--jsonl").out)
    told = json.loads(run(Command(), str(path), "--jsonl", "--with", "links,images").out)
    assert told == plain | {
        "links": [{"url": "http://a.example/old", "text": "停过一次"}],
        "images": [{"url": "http://a.example/boat.jpg", "caption": "渡船"}],
    }
    assert "images" not in json.loads(run(Command(), str(path), "--jsonl", "--with", "links").out)
    markdown = run(Command(), str(path), "--format", "markdown", "--with", "links", "--with", "images").out
    assert "\n\n![渡船](http://a.example/boat.jpg)\n\n从前[停过一次](http://a.example/old)。\n\n" in markdown


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--with", "links"), "add --jsonl or --format markdown"),
        (("--with", "pictures", "--jsonl"), "unknown 'pictures'; use one of links, images"),
        (("--with", "links", "--jsonl", "-s", "EXTRACTOR=plain"), "links and images need EXTRACTOR=best"),
    ],
)
def test_links_and_images_that_cannot_be_had(args: tuple[str, ...], said: str, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "ferry.html"
    path.write_text(TEXT, encoding="utf-8")
    told = run(Command(), str(path), *args)
    assert told.status != 0
    assert said in told.err


TOPIC = 'keywords = ["渡口", "船工"]\n'
SHOWN = [
    ("ferry", f"<title>渡口</title>{TEXT}", "kept"),
    ("ferry", f"<meta name=robots content=noindex><title>渡口</title>{TEXT}", "its publisher forbids keeping it"),
    ("ferry", f"<title>目录</title>{MENU}", LIST),
    ("tea", f"<title>渡口</title>{TEXT}", "is below the threshold"),
]


@pytest.mark.parametrize(("topic", "markup", "says"), SHOWN)
def test_how_similar_a_page_is_to_a_topic(topic: str, markup: str, says: str, tmp_path: Path, run: Run) -> None:
    (tmp_path / "page.html").write_text(f"<meta charset=utf-8>{markup}", encoding="utf-8")
    (tmp_path / "ferry.toml").write_text(TOPIC, encoding="utf-8")
    (tmp_path / "tea.toml").write_text('keywords = ["绿茶", "茶壶"]\n', encoding="utf-8")
    done = run(Command(), str(tmp_path / "page.html"), "--topic", topic)
    (line,) = (line for line in done.out.splitlines() if line.startswith("similar: "))
    assert done.status == 0 and says in line
    record = json.loads(run(Command(), str(tmp_path / "page.html"), "--topic", topic, "--jsonl").out)
    assert f"{record['similarity']:.3f}" in line
    assert record["kept"] == (says == "kept")


def test_a_topic_that_there_is_not(tmp_path: Path, run: Run) -> None:
    (tmp_path / "page.html").write_text(TEXT, encoding="utf-8")
    done = run(Command(), str(tmp_path / "page.html"), "--topic", "ferries")
    assert done.status != 0 and "unknown topic 'ferries'" in done.err


def test_a_page_that_takes_too_much_costs_no_other(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.settings.ANALYSE_TIMEOUT", 2.0)
    for name, markup in {"a": TEXT, "costly": "<code>a<br>b</code>" * 150_000, "b": TEXT}.items():
        (tmp_path / f"{name}.html").write_text(markup, encoding="utf-8")
    told = run(Command(), *(str(tmp_path / f"{name}.html") for name in ("a", "costly", "b")), "--jsonl")
    assert [json.loads(line)["id"] for line in told.out.splitlines()] == ["a", "b"]
    assert (told.status, told.err.count("\n")) == (2, 1) and "costly.html: the analysis took longer" in told.err
