"""A crawl of words: sources name pages, those about the words become seeds of a topic file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from crawler.errors import CrawlerError
from crawler.spiders.topic import choose_topic
from crawler.topic.of_words import keywords_of
from tests.conftest import LOOPBACK, Scrapy
from tests.crawl.test_private_addresses import server
from tests.stored import count, rows

TEA = "绿茶要用八十度的水冲泡，茶叶在杯中慢慢舒展，茶汤清亮。红茶和普洱是发酵的茶叶，泡茶的水要滚。" * 8
STORING = "存放茶叶要避光、避潮、避异味，绿茶放进冰箱，普洱要通风，装茶的罐子用锡的最好，开罐的茶叶早些喝完。" * 8
RIVER = "船工说河水比从前清了，能看见底下的石头和水草，渡口的灯一直亮到天明。" * 8


def page(title: str, text: str, *links: str) -> bytes:
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    return f"<title>{title}</title><h1>{title}</h1><p>{text}</p>{anchors}".encode()


PAGES = {
    "/tea": page("绿茶的冲泡", TEA, "/more"),
    "/more": page("茶叶怎么存放", STORING),
    "/river": page("渡口", RIVER),
    "/spam": page("茶叶 茶叶 绿茶", ""),
}
OWN = ("-s", "ALLOW_ADDRESSES=127.0.0.1/32", "-s", "INDEX_FILES=False", *LOOPBACK)


def test_from_words_to_a_harvest(scrapy: Scrapy, tmp_path: Path) -> None:
    missing: tuple[int, dict[str, str], bytes] = (404, {}, b"")
    with server("127.0.0.1", lambda path: (200, {}, PAGES[path]) if path in PAGES else missing) as (port, asked):
        site = f"http://127.0.0.1:{port}"
        (tmp_path / "found.txt").write_text("\n".join(f"{site}{path}" for path in ("/river", "/tea", "/gone")))
        command = ("crawl", "topic", "-a", "words=茶叶、绿茶", "-s", f"TOPICS_DIR={tmp_path / 'own'}", *OWN)
        source = ("-s", f"SEED_SOURCE=list:{tmp_path / 'found.txt'}")
        done = scrapy(*command, *source)
        assert done.returncode == 0, done.stderr
        assert asked.count("/tea") == asked.count("/more") == 1
        again = scrapy(*command, "-s", "SEED_SOURCE=list:/nowhere")
        assert again.returncode == 0, "the topic has its seeds"
    written = tomllib.loads((tmp_path / "own" / "茶叶-绿茶.toml").read_text(encoding="utf-8"))
    assert (written["title"], written["keywords"]) == ("茶叶、绿茶", ["茶叶", "绿茶"])
    assert written["seeds"] == written["pages"] == [f"{site}/tea"]
    kept = rows(tmp_path, "SELECT title FROM pages JOIN judgements ON page_id = pages.id WHERE outcome = 'kept'")
    assert sorted(kept) == [("绿茶的冲泡",), ("茶叶怎么存放",)]


def test_words_beside_seeds(scrapy: Scrapy, tmp_path: Path) -> None:
    """They are keywords of the learned topic, and the next start finds it again."""
    with server("127.0.0.1", lambda path: (200, {}, PAGES.get(path, b""))) as (port, _):
        seeds = f"seeds=http://127.0.0.1:{port}/tea,http://127.0.0.1:{port}/more"
        for _ in range(2):
            done = scrapy("crawl", "topic", "-a", seeds, "-a", "words=茶叶", "-s", f"TOPICS_DIR={tmp_path}", *OWN)
            assert done.returncode == 0, done.stderr
    [learned] = tmp_path.glob("*.learned.json")
    assert "茶叶" in learned.name.removesuffix(".learned.json").split("-")
    assert count(tmp_path, "topics") == 1


def test_words_that_no_page_is_about(scrapy: Scrapy, tmp_path: Path) -> None:
    with server("127.0.0.1", lambda path: (200, {}, PAGES["/river"])) as (port, _):
        (tmp_path / "found.txt").write_text(f"http://127.0.0.1:{port}/river")
        source = ("-s", f"SEED_SOURCE=list:{tmp_path / 'found.txt'}", "-s", f"TOPICS_DIR={tmp_path / 'own'}")
        done = scrapy("crawl", "topic", "-a", "words=茶叶 绿茶", *source, *OWN)
    assert done.returncode != 0
    assert "named 1 pages, 1 of them could be looked at, and none is about the words" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "own").exists()


@pytest.mark.parametrize(
    ("words", "topic", "name", "why"),
    [
        ("茶", "", "", "two characters or more"),
        ("a b c", "", "", "two characters or more"),
        (" ，", "", "", "two characters or more"),
        ("茶叶 " * 10 + "x" * 2000, "", "", "too many words"),
        (" ".join(f"词{n}" for n in range(10_000)), "", "", "too many words"),
        ("茶叶", "java", "", "add them to its keywords"),
        ("java", "", "", "another topic"),
    ],
)
def test_words_that_cannot_be_used(topics: Path, words: str, topic: str, name: str, why: str) -> None:
    with pytest.raises(CrawlerError, match=why):
        choose_topic(topic, "", name, words, topics)


def test_words() -> None:
    assert keywords_of("机器学习，论文 C++、论文") == {"机器学习": 1.0, "论文": 1.0, "c++": 1.0}


def test_find(scrapy: Scrapy, tmp_path: Path) -> None:
    """Ranked, and written into a new topic file or into one that there is."""
    (tmp_path / "words.toml").write_text('keywords = ["字词"]\n', encoding="utf-8")
    (tmp_path / "own.toml").write_text('keywords = ["茶叶"]\nseeds = ["http://a.example/"]\n', encoding="utf-8")
    with server("127.0.0.1", lambda path: (200, {}, PAGES.get(path, b""))) as (port, _):
        site = f"http://127.0.0.1:{port}"
        (tmp_path / "found.txt").write_text(f"{site}/river\n{site}/tea\n")
        find = ("seeds", "find", "茶叶", "绿茶", "--from", f"list:{tmp_path / 'found.txt'}", *OWN)
        find = (*find, "-s", f"TOPICS_DIR={tmp_path}")
        shown = scrapy(*find)
        assert shown.stdout.splitlines()[0].endswith("  绿茶的冲泡")
        assert "1 more page says nothing of the words" in shown.stdout
        assert not (tmp_path / "茶叶-绿茶.toml").exists()
        scrapy(*find, "--accept")
        assert scrapy(*find, "--accept", "--topic", "own").returncode == 0
    for name, seeds in (("茶叶-绿茶", [f"{site}/tea"]), ("own", ["http://a.example/", f"{site}/tea"])):
        assert tomllib.loads((tmp_path / f"{name}.toml").read_text(encoding="utf-8"))["seeds"] == seeds
    for arguments, why in {
        ("find",): "give words",
        ("find", "茶叶"): "name a source",
        ("find", "茶叶", "--from", "searxng:http://127.0.0.1:9"): "cannot be asked",
        ("find", "茶叶", "--from", "list:x", "--topic", "none"): "unknown topic",
    }.items():
        done = scrapy("seeds", *arguments, "-s", f"TOPICS_DIR={tmp_path}")
        assert done.returncode == 2 and why in done.stderr, done.stderr
        assert "Traceback" not in done.stderr
