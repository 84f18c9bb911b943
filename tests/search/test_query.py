from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from crawler.database.database import Database
from crawler.database.schema import pages
from crawler.errors import StoreError
from crawler.store.compression import Codec
from zhuti.search.beside import existing_index, open_index
from zhuti.search.index import Reached, SearchIndex
from zhuti.search.query import search, update
from zhuti.upkeep.forget import Order, forget

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
    crawl.store.commit(visits)


@pytest.fixture
def index(crawl, tmp_path: Path) -> SearchIndex:
    return open_index(crawl.url, tmp_path)


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
    with pytest.raises(StoreError, match="this database has other, t"):
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
    crawl.store.commit([kept(claim, f"新的{place}篇讲火星。") for place, claim in enumerate(crawl.claim())])
    assert update(crawl.database, index) == 2
    assert found(crawl, index, "火星") == [3, 4]
    assert len(index) == 5


def test_a_page_that_has_changed(harvested, index, kept) -> None:
    update(harvested.database, index)
    harvested.frontier.revisits.plan({1: 1.0})
    (claim,) = harvested.claim(now=9e6)
    harvested.store.commit([kept(claim, "如今讲火星，也讲木星和土星。", at=9e6)])
    assert update(harvested.database, index) == 1
    assert found(harvested, index, "火星") == [0]
    assert found(harvested, index, "搜索引擎") == []


def test_a_page_that_another_topic_has_fetched_anew(harvested, index, kept, open_crawl) -> None:
    update(harvested.database, index)
    harvested.database.close()
    other = open_crawl(harvested.url, "other")
    store(other, kept, [("火星", "如今讲火星。")])
    assert update(other.database, index) == 1
    assert found(other, index, "火星") == [0]
    assert found(other, index, "搜索引擎") == []
    assert len(index) == len(PAGES)
    other.database.close()


def test_a_text_that_is_marked_as_unknown(harvested, index) -> None:
    update(harvested.database, index)
    with harvested.database.transaction() as connection:
        first = connection.execute(select(pages.c.id).where(pages.c.url == URLS[0])).scalar_one()
        new = {"body": Codec().pack_text("如今讲火星。"), "digest": b"1"}
        connection.execute(pages.update().where(pages.c.id == first).values(new))
    index.mark(Reached())
    assert update(harvested.database, index) == len(PAGES)
    assert found(harvested, index, "火星") == [0]
    assert found(harvested, index, "搜索引擎") == []


def files(index: SearchIndex) -> set[str]:
    return {file.name for file in index._folder.iterdir() if file.suffix in (".term", ".idx", ".pos", ".store")}


def test_removed_words_are_in_no_file(crawl, kept, index) -> None:
    crawl.frontier.seed([f"https://{host}.example/" for host in "abc"], now=0)
    crawl.store.commit([kept(claim, f"secret{claim.id}word 网页") for claim in crawl.claim()])
    update(crawl.database, index)
    before = files(index)
    assert [index._searcher().doc_freq("body", f"secret{n}word") for n in (1, 2, 3)] == [1, 1, 1]
    forget(crawl.database, Order("a.example"), [lambda database: update(database, index)])
    assert before and before.isdisjoint(files(index))
    assert [index._searcher().doc_freq("body", f"secret{n}word") for n in (1, 2, 3)] == [0, 1, 1]
    assert len(index) == 2
    assert search(crawl.database, index, "secret1word") == []
    assert len(search(crawl.database, index, "网页")) == 2


def test_an_index_elsewhere_hears_of_removals(harvested, index, tmp_path: Path) -> None:
    """On another machine that searches the same server; `store forget` cannot reach it."""
    elsewhere = SearchIndex(tmp_path / "elsewhere")
    update(harvested.database, elsewhere)
    forget(harvested.database, Order("a.example"), [lambda database: update(database, index)])
    assert len(elsewhere) == len(PAGES)
    assert search(harvested.database, elsewhere, "网页") == []
    assert update(harvested.database, elsewhere) == 0
    assert len(elsewhere) == 0


def test_stopped_half_way_it_goes_on(harvested, index, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done == 4:
            raise Stop

    monkeypatch.setattr("zhuti.search.query.BATCH", 2)
    with pytest.raises(Stop):
        update(harvested.database, index, stop)
    assert len(index) == 4
    assert update(harvested.database, index) == len(PAGES) - 4
    assert len(index) == len(PAGES)


def test_words_of_another_segmenter_are_made_anew(harvested, index, tmp_path: Path) -> None:
    update(harvested.database, index)
    about = index._folder / "about.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"stamp": "older"}))
    again = open_index(harvested.url, tmp_path)
    assert len(again) == 0
    assert update(harvested.database, again) == len(PAGES)


def test_the_index_of_another_harvest_is_made_anew(harvested, index) -> None:
    """The database was deleted and made again under the same name."""
    update(harvested.database, index)
    index.mark(index.reached._replace(began=7.0, fetch=100))
    assert update(harvested.database, index) == len(PAGES)
    index.mark(index.reached._replace(fetch=100))  # an older copy of the database was put back
    assert update(harvested.database, index) == len(PAGES)
    assert len(index) == len(PAGES)


def test_the_file_of_an_older_version_is_removed(tmp_path: Path) -> None:
    """It may hold words that were forgotten since."""
    place = tmp_path / "harvest.db.search"
    older = sqlite3.connect(place)
    older.execute("CREATE TABLE documents (id)")
    older.commit()
    older.close()
    assert len(open_index(f"sqlite:///{tmp_path / 'harvest.db'}", tmp_path)) == 0
    assert place.is_dir()


def test_beside_a_running_crawl(harvested, index) -> None:
    with Database(harvested.url, readonly=True) as reader:
        assert update(reader, index) == len(PAGES)
        assert search(reader, index, "倒排索引")


def test_two_at_once(harvested, index) -> None:
    second = SearchIndex(index._folder)

    def meanwhile(done: int, total: int) -> None:
        if not done:
            assert update(harvested.database, second) == len(PAGES)

    update(harvested.database, index, meanwhile)
    assert len(second) == len(index) == len(PAGES)
    assert found(harvested, second, "倒排索引") == [0, 1]


def test_one_waits_for_the_other(harvested, index, monkeypatch: pytest.MonkeyPatch) -> None:
    second = SearchIndex(index._folder)
    monkeypatch.setattr("zhuti.search.index.BUSY_TIMEOUT", 0.0)
    with (
        second._writing(),
        pytest.raises(StoreError, match="another process is building the search index; wait for it"),
    ):
        update(harvested.database, index)
    assert update(harvested.database, index) == len(PAGES)


def test_a_damaged_index(harvested, index, tmp_path: Path) -> None:
    update(harvested.database, index)
    for file in index._folder.glob("*.term"):
        file.write_bytes(b"\xff" * file.stat().st_size)
    with pytest.raises(StoreError, match="delete this folder"):
        search(harvested.database, SearchIndex(index._folder), "网页")
    (index._folder / "meta.json").write_text("没有索引。")
    with pytest.raises(StoreError, match="delete this folder"):
        SearchIndex(index._folder)
    (tmp_path / "x.search").write_text("没有索引。" * 1000)
    with pytest.raises(StoreError, match=r"x.search: a file .* is in its place"):
        SearchIndex(tmp_path / "x.search")
    with pytest.raises(StoreError, match="writable"):
        SearchIndex(tmp_path / "x.search" / "y.search")


def test_there_is_no_index_before_the_first_search(crawl, tmp_path: Path) -> None:
    assert existing_index(crawl.url, tmp_path / "made") is None
    open_index(crawl.url, tmp_path / "made")
    found = existing_index(crawl.url, tmp_path / "made")
    assert found is not None
    assert (len(found), found.reached) == (0, Reached())
    assert found.size > 0


def test_a_title_counts_more_than_the_body_and_often_more_than_once(crawl, kept, index) -> None:
    once, often = "爬虫很好，网页抓取，图片下载，语言解析。", "爬虫很好，爬虫抓取，爬虫下载，爬虫解析。"
    bodies = ["索引很好。", once, often, "别的很好。"]
    store(crawl, kept, [("甲", bodies[0]), ("乙", bodies[1]), ("丙", bodies[2]), ("爬虫", bodies[3])])
    assert found(crawl, index, "爬虫") == [3, 2, 1]


def test_a_limit_and_many_pages(harvested, index) -> None:
    assert found(harvested, index, "倒排索引", limit=1) == [0]
    assert len(found(harvested, index, "网页", limit=1)) == 1
    assert found(harvested, index, '"主题爬虫"', limit=1) == [1]
    assert len(found(harvested, index, "网页", limit=1_000)) == 4
    assert sorted(found(harvested, index, "爬虫 天气", limit=1_000)) == [1, 5]


def test_a_long_page(crawl, kept, index) -> None:
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
