"""An older export and an increment make the export of today, whatever has happened between them."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow.dataset
import pytest
from sqlalchemy import text

from crawler.clock import DAY
from crawler.reasons import Code, Reason
from crawler.records import Visit
from lab.lapse.corpus import Rows, applied, rows_of
from tests.store.runs import run
from tests.store.test_moves import lost, open_again, signed, words
from zhuti.corpus.export import export_lake
from zhuti.export.increments import EDITED, GONE, MOVED, NEW, RENEWED

PAGES, DAYS = 9, 24


class Site:
    """Pages that are there or not, under one of several addresses, with one of several texts."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.place = dict.fromkeys(range(3), 0)
        self.edition = {page: page % 2 for page in range(PAGES)}
        self.away: set[int] = set()
        self.strayed: set[int] = set()

    def url(self, page: int) -> str:
        return f"https://a.example/{self.place[page]}/{page}.html"

    def happens(self) -> None:
        """Something, to one page of it."""
        page = self.chance.randrange(PAGES)
        if page not in self.place:
            self.place[page] = 0
        elif (what := self.chance.random()) < 0.3:
            self.edition[page] += 1
        elif what < 0.55:
            self.place[page] += 1
        else:
            for some, least in ((self.away, 0.8), (self.strayed, 0.0)):
                if what >= least:
                    some ^= {page}
                    break

    def text(self, page: int) -> str:
        own = (
            "".join(chr(0x4E00 + 997 * page + 89 * n + place) for place in range(70)) for n in range(self.edition[page])
        )
        return "\n".join([words(page), *own])


def test_answers_take_pages_out_and_in(crawl, kept, off_topic, tmp_path: Path) -> None:
    """In place, without a visit."""
    run(crawl, DAY, [f"https://a.example/{n}" for n in range(2)], kept)
    run(crawl, 2 * DAY, ["https://b.example/"], off_topic)
    before = rows_of(crawl.database, "t", tmp_path / "whole.jsonl")
    with crawl.database.transaction() as connection:
        flip = "CASE outcome WHEN 'kept' THEN 'off-topic' ELSE 'kept' END"
        connection.execute(text(f"UPDATE judgements SET outcome = {flip} WHERE url_id > 1"))
        connection.execute(text("UPDATE pages SET body = (SELECT body FROM pages WHERE id = 1) WHERE body IS NULL"))
    run(crawl, 3 * DAY, [], kept)
    today = rows_of(crawl.database, "t", tmp_path / "whole.jsonl")
    assert [*today] == ["https://a.example/0", "https://b.example/"]
    assert applied(before, rows_of(crawl.database, "t", tmp_path / "new.jsonl", since_run=3)) == today
    export_lake(crawl.database, "t", str(tmp_path / "lake"), ["host"])
    assert pyarrow.dataset.dataset(tmp_path / "lake", format="parquet").count_rows() == len(today)


@pytest.mark.parametrize(
    ("seed", "conditions"), [(0, {}), (1, {}), (2, {}), (3, {"min_length": 700}), (4, {"with_gone": True})]
)
def test_increments_lead_from_one_export_to_the_next(
    crawl, kept, off_topic, tmp_path: Path, seed: int, conditions: dict[str, Any]
) -> None:
    site, told, exports = Site(seed), set[str](), dict[int, Rows]()
    for day in range(1, DAYS + 1):
        now = 2.0 * day * DAY
        site.happens()
        site.happens()
        crawl.store.begin_run(now, revisit=True)
        urls = {site.url(page): page for page in site.place}
        former = [
            f"https://a.example/{place}/{page}.html" for page in urls.values() for place in range(site.place[page])
        ]
        asked = [url for url in [*former, *urls] if url in urls or site.chance.random() < 0.6]
        for claim in open_again(crawl, *asked, now=now).values():
            page = urls.get(claim.url)
            if page is None or page in site.away:
                visit: Visit = lost(claim, now)
            elif page in site.strayed:
                visit = off_topic(claim, at=now)
            else:
                visit = signed(kept(claim, site.text(page), at=now), site.text(page))
            crawl.store.commit([visit])
        crawl.store.end_run(now + 100, Reason(Code.FINISHED))
        today = exports[day] = rows_of(crawl.database, "t", tmp_path / "whole.jsonl", **conditions)
        for number in range(day, 1, -7):
            increment = rows_of(crawl.database, "t", tmp_path / "new.jsonl", since_run=number, **conditions)
            assert applied(exports[number - 1], increment) == today, (day, number)
            if number == day:
                told |= {row["why"] for row in increment.values()}
                before = exports[number - 1]
                needless = {url: row for url, row in increment.items() if before.get(url) == today.get(url)}
                again = {GONE, RENEWED} if "with_gone" in conditions else {GONE}  # pages found gone once more
                assert {row["why"] for row in needless.values()} <= again, "it holds only what is other"
        if conditions:
            continue
        export_lake(crawl.database, "t", str(tmp_path / "lake"), ["host"])
        lake = (
            pyarrow.dataset.dataset(tmp_path / "lake", format="parquet").to_table(["url", "body", "title"]).to_pylist()
        )
        assert sorted(row["url"] for row in lake) == sorted(today), day
        assert all(today[row["url"]]["body"] == row["body"] for row in lake), day
    assert told >= {NEW, EDITED, MOVED, GONE}, told
    run(crawl, now + DAY, [], kept)
    assert rows_of(crawl.database, "t", tmp_path / "new.jsonl", since_run=DAYS + 1) == {}, "what is gone is told once"
