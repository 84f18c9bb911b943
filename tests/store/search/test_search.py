from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from crawler.database.database import Database
from crawler.database.store_schema import pages
from crawler.errors import StoreError
from crawler.store.packing.codec import Codec
from crawler.store.search import server_index
from crawler.store.search.base import SearchIndex
from crawler.store.search.file_index import FileIndex
from crawler.store.search.place import existing_index, open_index
from crawler.store.search.search import search
from crawler.store.search.update import texts_of, update

URLS = [f"https://a.example/{place}" for place in range(6)]
PAGES = [
    ("倒排索引", "搜索引擎用倒排索引记录每个词出现在哪些网页。"),
    ("主题爬虫", "主题爬虫只采集与主题有关的网页，倒排索引不归它管。"),
    ("機器學習", "分類器判斷網頁是否與主題相關。"),
    ("C++ and Node.js", "Writing a crawler in C++ is work. Node.js makes it easier."),
    ("Parsers", "The letter c and the word node say nothing of languages."),
    ("天气", "今天晴，明天有雨。" * 30 + "网页上没有别的。"),
]


@pytest.fixture
def harvested(crawl, kept):
    store(crawl, kept, PAGES)
    return crawl


def store(crawl, kept, pages: list[tuple[str, str]]) -> None:
    crawl.frontier.seed(URLS[: len(pages)], now=0)
    visits = []
    for claim, (title, body) in zip(crawl.claim(), pages, strict=True):
        visit = kept(claim, body)
        extraction = replace(visit.analysis.extraction, title=title)
        visits.append(replace(visit, analysis=replace(visit.analysis, extraction=extraction)))
    crawl.harvest.commit(visits)


@pytest.fixture
def index(crawl):
    with open_index(crawl.url) as index:
        yield index


def found(crawl, index: SearchIndex, text: str, **options: object) -> list[int]:
    update(crawl.database, index)
    return [URLS.index(hit.url) for hit in search(crawl.database, index, text, **options)]


TESTS = [
    ("倒排索引", [0, 1]),  # the title counts more
    ("主题 网页", [1, 2]),
    ("網頁 主題", [1, 2]),
    ("机器学习", [2]),
    ("c++", [3]),
    ("NODE.JS", [3]),
    ("node", [4]),
    ("爬虫 天气", [1, 5]),  # no page has both
    ("火星", []),
]


@pytest.mark.parametrize(("text", "places"), TESTS)
def test_search(harvested, index, text: str, places: list[int]) -> None:
    assert sorted(found(harvested, index, text)) == places
    if text == "倒排索引":
        assert found(harvested, index, text) == places


def test_a_phrase(harvested, index) -> None:
    assert found(harvested, index, '"主题爬虫"') == [1]
    assert found(harvested, index, "“爬虫主题”") == []
    assert found(harvested, index, "爬虫主题") == [1]


def test_hits(harvested, index) -> None:
    update(harvested.database, index)
    [hit] = [hit for hit in search(harvested.database, index, "网页") if hit.url == URLS[5]]
    assert hit.snippet.painted("[", "]").endswith("明天有雨。[网页]上没有别的。")
    assert hit.snippet.text.startswith("…")
    hit = search(harvested.database, index, "机器学习")[0]
    assert hit.title.painted("[", "]") == "[機器][學習]"


def test_limit(harvested, index) -> None:
    assert len(found(harvested, index, "网页", limit=2)) == 2


def test_topic(harvested, index, kept, open_crawl) -> None:
    harvested.database.close()
    other = open_crawl(harvested.url, "other")
    store(other, kept, [("别的", "倒排索引在另一处。")])
    assert found(other, index, "倒排索引", topic="other") == [0]
    assert found(other, index, "倒排索引", topic="t") == [0, 1]
    with pytest.raises(StoreError, match="of this database are other, t"):
        search(other.database, index, "网页", topic="none")
    other.database.close()


@pytest.mark.parametrize("text", ["", "的 了", "， 。", '""', "7"])
def test_no_word(harvested, index, text: str) -> None:
    with pytest.raises(StoreError, match="no word"):
        search(harvested.database, index, text)


def test_incremental(crawl, kept, index) -> None:
    store(crawl, kept, PAGES[:3])
    assert update(crawl.database, index) == 3
    assert update(crawl.database, index) == 0
    crawl.frontier.seed(URLS[3:5], now=0)
    crawl.harvest.commit([kept(claim, f"新的{place}篇讲火星。") for place, claim in enumerate(crawl.claim())])
    assert update(crawl.database, index) == 2
    assert found(crawl, index, "火星") == [3, 4]
    assert len(index) == 5


def test_a_page_that_has_changed(harvested, index) -> None:
    """Another topic has fetched it anew."""
    update(harvested.database, index)
    with harvested.database.transaction() as connection:
        first = connection.execute(select(pages.c.id).where(pages.c.url == URLS[0])).scalar_one()
        new = {"body": Codec().pack_text("如今讲火星。"), "digest": b"1"}
        connection.execute(pages.update().where(pages.c.id == first).values(new))
    index.mark("")
    on_file = harvested.database.dialect == "sqlite"
    assert update(harvested.database, index) == (len(PAGES) if on_file else 1)
    assert found(harvested, index, "火星") == [0]
    assert found(harvested, index, "搜索引擎") == []
    assert index.stale == 0  # on a file one of six is more than MAX_STALE: made anew


def test_remove(harvested, index, tmp_path: Path) -> None:
    update(harvested.database, index)
    with harvested.database.transaction() as connection:
        ids = connection.execute(select(pages.c.id).where(pages.c.url.in_([URLS[0], URLS[2]]))).scalars().all()
        texts = list(texts_of(connection, Codec(), ids))
    index.remove(texts)
    index.optimize()
    assert (len(index), index.stale) == (4, 0)
    assert found(harvested, index, "倒排索引") == [1]
    assert found(harvested, index, "机器学习") == []
    index.close()
    if harvested.database.dialect == "postgresql":
        return
    held = (tmp_path / "harvest.db.search").read_bytes()
    assert "分类器".encode() not in held
    assert "爬虫".encode() in held


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_words_of_another_segmenter_are_made_anew(harvested, index, tmp_path: Path) -> None:
    update(harvested.database, index)
    path = tmp_path / "harvest.db.search"
    other = sqlite3.connect(path)
    other.execute("UPDATE about SET value = 'older' WHERE key = 'stamp'")
    other.commit()
    other.close()
    with FileIndex(path) as again:
        assert len(again) == 0
        assert update(harvested.database, again) == len(PAGES)


def test_beside_a_running_crawl(harvested, index) -> None:
    with Database(harvested.url, readonly=True) as reader:
        assert update(reader, index) == len(PAGES)
        assert search(reader, index, "倒排索引")


def test_two_at_once(harvested, index) -> None:
    with open_index(harvested.url) as second:

        def meanwhile(done: int, total: int) -> None:
            if not done:
                assert update(harvested.database, second) == len(PAGES)

        update(harvested.database, index, meanwhile)
        assert len(second) == len(index) == len(PAGES)
        assert found(harvested, second, "倒排索引") == [0, 1]


def test_a_damaged_index(tmp_path: Path) -> None:
    (tmp_path / "x.search").write_text("没有索引。" * 1000)
    with pytest.raises(StoreError, match="delete this file"):
        FileIndex(tmp_path / "x.search")
    with pytest.raises(StoreError, match="writable"):
        FileIndex(tmp_path / "none" / "x.search")


def test_there_is_no_index_before_the_first_search(crawl) -> None:
    assert existing_index(crawl.url) is None
    open_index(crawl.url).close()
    found = existing_index(crawl.url)
    assert found is not None
    assert (len(found), found.state) == (0, "")
    assert found.size > 0
    found.close()


def test_a_title_counts_more_than_the_body_and_often_more_than_once(crawl, kept, index) -> None:
    bodies = ["索引很好。", "爬虫很好。", "爬虫很好，爬虫抓取，爬虫下载，爬虫解析。", "别的很好。"]
    store(crawl, kept, [("甲", bodies[0]), ("乙", bodies[1]), ("丙", bodies[2]), ("爬虫", bodies[3])])
    assert found(crawl, index, "爬虫") == [3, 2, 1]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_common_words_on_a_server(harvested, index, monkeypatch: pytest.MonkeyPatch) -> None:
    """More pages than are ranked at once: those where the words are strong, and all when these are too few."""
    monkeypatch.setattr(server_index, "COMMON", 2)
    assert found(harvested, index, "倒排索引", limit=1) == [0]
    assert len(found(harvested, index, "网页", limit=1)) == 1  # strong in none
    assert found(harvested, index, '"主题爬虫"', limit=1) == [1]
    assert len(found(harvested, index, "网页", limit=1_000)) == 4
    assert sorted(found(harvested, index, "爬虫 天气", limit=1_000)) == [1, 5]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_page_longer_than_a_tsvector(crawl, kept, index) -> None:
    many = " ".join(f"word{number}x{'y' * 30}" for number in range(30_000))
    store(
        crawl,
        kept,
        [("长", f"火星在前。{many}"), ("多", "木星。" * 20_000), ("引号", "it's a 'quoted' back\\slash 土星")],
    )
    assert found(crawl, index, "火星") == [0]
    assert found(crawl, index, "木星") == [1]
    assert found(crawl, index, '"木星木星"') == [1]
    assert found(crawl, index, "quoted 土星") == [2]
