"""WARC_DIR in whole crawls: every response is in the archive, every page row names its own, also after kill -9."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from crawler.records import WarcPlace, similarity_of
from tests.conftest import Scrapy, Start, of_topic
from tests.stored import rows
from tests.warm import Command
from zhuti.archive.reader import WarcFile, response_at, warc_files

TOPIC = "machine-learning"
KILLS = 4


def archived(folder: Path) -> None:
    """Every page row names the record of its response."""
    places = rows(folder, "SELECT url, warc_file, warc_offset FROM pages")
    assert places
    for url, file, offset in places:
        stored = response_at(folder / "warc", WarcPlace(str(file), int(str(offset)), ""))
        assert (stored.url, stored.status) == (url, 200)


def test_a_crawl_and_its_archive(scrapy: Scrapy, demo_proxy: str, tmp_path: Path) -> None:
    settings = ("-s", "PAGE_BUDGET=40", "-s", f"WARC_DIR={tmp_path / 'warc'}", "-s", "WARC_SIZE=50000")
    crawl = scrapy(*of_topic(TOPIC, *settings), proxy=demo_proxy)
    assert crawl.returncode == 0, crawl.stderr
    archived(tmp_path)
    paths = warc_files(tmp_path / "warc")
    assert len(paths) > 1
    responses = [one for path in paths for one in WarcFile(path).responses()]
    assert any(one.url.endswith("/robots.txt") for one in responses)
    fetched = {
        url for (url,) in rows(tmp_path, "SELECT url FROM fetches JOIN urls ON urls.id = url_id WHERE status > 0")
    }
    assert fetched <= {one.url for one in responses}
    notes: dict[str, str] = {}
    for path in paths:
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "metadata":
                    about = record.rec_headers.get_header("WARC-Refers-To")
                    notes[about] = record.content_stream().read().decode()
    near = dict(rows(tmp_path, "SELECT url, nearness FROM judgements JOIN pages ON pages.id = page_id"))
    for one in responses:
        if one.place.id in notes:
            assert f"similarity: {similarity_of(float(str(near[one.url]))):.6f}\r\n" in notes[one.place.id]
    assert len(notes) == len(near)


def test_killed_crawls_leave_an_archive_that_is_read(
    start: Start, scrapy: Scrapy, demo_proxy: str, tmp_path: Path
) -> None:
    chance = random.Random(3)
    archive = ("-s", f"WARC_DIR={tmp_path / 'warc'}")
    for _ in range(KILLS):
        process = start(*of_topic(TOPIC, "-s", "PAGE_BUDGET=0", *archive), proxy=demo_proxy)
        grows(tmp_path / "warc", process)
        time.sleep(chance.uniform(0, 0.5))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert all(list(WarcFile(path).responses()) is not None for path in warc_files(tmp_path / "warc"))
    [(count,)] = rows(tmp_path, "SELECT coalesce(sum(counted), 0) FROM fetches")
    last = scrapy(*of_topic(TOPIC, "-s", f"PAGE_BUDGET={int(str(count)) + 10}", *archive), proxy=demo_proxy)
    assert last.returncode == 0, last.stderr
    archived(tmp_path)
    files = [WarcFile(path) for path in warc_files(tmp_path / "warc")]
    assert all(list(file.responses()) is not None and not file.torn for file in files), "torn tails were cut off"
    assert not list((tmp_path / "warc").glob("*.open"))


def grows(folder: Path, process: Command) -> None:
    """Waits until something of this process is in the archive."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if any(path.stat().st_size > 5000 for path in folder.glob(f"*-{process.pid}-*.gz")):
            return
        time.sleep(0.05)
    pytest.fail("nothing was archived")


def test_an_archive_that_cannot_be_written(scrapy: Scrapy, demo_proxy: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    crawl = scrapy(*of_topic(TOPIC, "-s", f"WARC_DIR={tmp_path / 'file'}"), proxy=demo_proxy)
    assert crawl.returncode == 2
    assert "Error: cannot write to the archive" in crawl.stderr
    assert "Traceback" not in crawl.stderr
