"""REUSE: pages that another topic has fetched of late are judged without a request. Two crawls, for what counts here is
what the server is asked, and what the second crawl makes of answers that nobody gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.options import reuse
from tests.conftest import Scrapy, of_topic
from tests.stored import rows

FIRST, SECOND = "machine-learning", "nets"
PAGES = """
SELECT urls.url, fetches.sent, fetches.outcome, round(judgements.nearness, 9) FROM fetches
JOIN urls ON urls.id = fetches.url_id JOIN topics ON topics.id = fetches.topic_id
LEFT JOIN judgements ON judgements.url_id = urls.id
WHERE topics.name = '{}' AND fetches.counted ORDER BY 1
"""


def test_a_second_topic_asks_only_for_what_the_first_has_not_fetched(
    scrapy: Scrapy, demo_proxy: str, tmp_path: Path, topics: Path
) -> None:
    (topics / f"{SECOND}.toml").write_text(f'extends = "{FIRST}"\ntitle = "网络"\n', encoding="utf-8")
    archive = ("-s", "PAGE_BUDGET=40", "-s", f"WARC_DIR={tmp_path / 'warc'}", "-s", "INDEX_FILES=False")
    assert scrapy(*of_topic(FIRST, *archive), proxy=demo_proxy).returncode == 0
    dated = dict(rows(tmp_path, "SELECT url, fetched_at FROM pages"))
    again = scrapy(*of_topic(SECOND, *archive, "-s", "REUSE=1d"), proxy=demo_proxy)
    assert again.returncode == 0, again.stderr

    found = rows(tmp_path, PAGES.format(SECOND))
    first = {url for url, *_ in rows(tmp_path, PAGES.format(FIRST))}
    unasked = {url for url, sent, *_ in found if not sent}
    assert unasked == first & {url for url, *_ in found}
    assert unasked
    assert f"{len(unasked)} of them, which another topic had fetched" in again.stdout
    now = dict(rows(tmp_path, "SELECT url, fetched_at FROM pages"))
    assert {url: now[url] for url in unasked} == {url: dated[url] for url in unasked}, (
        "they are not fresher than before"
    )

    judged = {url: nearness for url, _sent, _outcome, nearness in found if url in unasked}
    assert scrapy("rejudge", SECOND, "--from-warc", str(tmp_path / "warc")).returncode == 0
    fresh = {url: nearness for url, *_, nearness in rows(tmp_path, PAGES.format(SECOND)) if url in unasked}
    assert judged == fresh, "as by what its host had answered"


@pytest.mark.parametrize(("written", "seconds"), [("", 0.0), ("7d", 604_800.0), (" 2w ", 1_209_600.0)])
def test_the_time(written: str, seconds: float) -> None:
    from scrapy.settings import Settings

    assert reuse(Settings({"REUSE": written})) == seconds
