"""A harvest that people teach: what a running crawl makes of their answers, and what a wished precision does."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from crawler.records import similarity_of
from tests.conftest import Scrapy, Start, of_topic
from tests.stored import rows

TOPIC = "machine-learning"
KEPT = "SELECT pages.url FROM judgements JOIN pages ON pages.id = page_id WHERE outcome = 'kept' ORDER BY 1"
VERDICTS = "SELECT pages.url, outcome, nearness FROM judgements JOIN pages ON pages.id = page_id ORDER BY 1"


def test_a_running_crawl_takes_answers_up(start: Start, scrapy: Scrapy, demo_proxy: str, tmp_path: Path) -> None:
    slow = ("-s", "DOWNLOAD_DELAY=1", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1", "-s", "PAGE_BUDGET=0")
    crawl = start(*of_topic(TOPIC, *slow), proxy=demo_proxy)
    try:
        kept = _wait(lambda: rows(tmp_path, KEPT) if (tmp_path / "harvest.db").exists() else [])
        assert scrapy("label", TOPIC, kept[0][0], "no").returncode == 0
        query = f"SELECT outcome FROM judgements JOIN pages ON pages.id = page_id WHERE pages.url = '{kept[0][0]}'"
        assert _wait(lambda: [row for row in rows(tmp_path, query) if row == ("off-topic",)])
        assert crawl.poll() is None
    finally:
        crawl.terminate()
        crawl.communicate(timeout=60)


def test_a_wished_precision_sets_the_threshold(scrapy: Scrapy, demo_proxy: str, tmp_path: Path) -> None:
    file = tmp_path / "topics" / "wished.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f'name = "wished"\nextends = "{TOPIC}"\nprecision = 0.6\n', encoding="utf-8")
    assert scrapy(*of_topic("wished", "-s", "PAGE_BUDGET=90"), proxy=demo_proxy).returncode == 0
    kept = [url for (url,) in rows(tmp_path, KEPT)]
    asked = kept[:25]
    assert len(asked) == 25
    said = "".join(f"{url},{'no' if number % 3 else 'yes'}\n" for number, url in enumerate(asked))
    file.with_name("said.csv").write_text(f"url,answer\n{said}", encoding="utf-8")
    assert scrapy("label", "wished", "--import", str(file.with_name("said.csv"))).returncode == 0
    assert scrapy("rejudge", "wished").returncode == 0
    ((threshold,),) = rows(tmp_path, "SELECT threshold FROM topics")
    first = rows(tmp_path, VERDICTS)
    assert isinstance(threshold, float) and threshold != 0.3
    with_text = {url for (url,) in rows(tmp_path, "SELECT url FROM pages WHERE body IS NOT NULL")}
    others = [(what, similarity_of(near)) for url, what, near in first if url in with_text.difference(asked)]
    assert others and all((outcome == "kept") == (similarity >= threshold) for outcome, similarity in others)
    assert scrapy("rejudge", "wished").returncode == 0
    assert scrapy(*of_topic("wished", "-s", "PAGE_BUDGET=90"), proxy=demo_proxy).returncode == 0
    assert rows(tmp_path, VERDICTS) == first, "a restart judges as before"


def _wait(look: Callable[[], list[tuple[str, ...]]]) -> list[tuple[str, ...]]:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        try:
            if found := look():
                return found
        except Exception:  # the tables are not made yet
            found = []
        time.sleep(0.2)
    raise AssertionError("nothing came")
