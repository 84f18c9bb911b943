"""A user's mistakes: one sentence with the remedy on stderr, an exit status that is not 0, no traceback."""

from __future__ import annotations

import socket
import sqlite3
from pathlib import Path

import pytest

from lab.replay.background import serve_in_thread
from tests.conftest import LOOPBACK, Scrapy

HOST = "http://a.example"


def fill(folder: Path) -> None:
    """The files that the cases name."""
    (folder / "none.txt").write_text("# nothing\n", encoding="utf-8")
    (folder / "seeds.txt").write_text("http://a.example/\nftp://b.example/\n", encoding="utf-8")
    (folder / "broken.toml").write_text("keywords = {", encoding="utf-8")
    (folder / "wordless.toml").write_text("texts = ['的 了 。']\nseeds = ['http://a.example/']", encoding="utf-8")
    (folder / "good.toml").write_text("keywords = { '网络' = 1.0 }", encoding="utf-8")
    (folder / "no.db").write_bytes(b"this is no database, only text " * 100)
    (folder / "picture.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (folder / "text.html").write_text("no tag at all", encoding="utf-8")
    (folder / "page.html").write_text("<p>一页</p>", encoding="utf-8")
    (folder / "web.tar.zst").write_bytes(b"no archive")
    newer = sqlite3.connect(folder / "newer.db")
    newer.execute("CREATE TABLE alembic_version (version_num TEXT NOT NULL)")
    newer.execute("INSERT INTO alembic_version VALUES ('9999')")
    newer.commit()
    newer.close()


CRAWL = ("crawl", "topic", "-a")
CASES = {
    "no seeds and no topic": (("crawl", "topic"), "seeds"),
    "no such spider": (("crawl", "tpoic"), "scrapy crawl topic"),
    "unknown topic": ((*CRAWL, "topic=cooking"), "machine-learning"),
    "no such topic file": ((*CRAWL, "topic={}/absent.toml"), "absent.toml"),
    "malformed TOML": ((*CRAWL, "topic={}/broken.toml"), "broken.toml"),
    "empty topic vector": ((*CRAWL, "topic={}/wordless.toml"), "keywords"),
    "topic without seeds": ((*CRAWL, "topic={}/good.toml"), "-a seeds"),
    "seed that is no URL": ((*CRAWL, "seeds={}/seeds.txt"), "line 2"),
    "no such seed file": ((*CRAWL, "seeds={}/absent.txt"), "absent.txt"),
    "empty seed file": ((*CRAWL, "seeds={}/none.txt"), "none.txt"),
    "no database": ((*CRAWL, "seeds=http://a.example/", "-s", "STORE_URL=sqlite:///{}/no.db"), "no.db"),
    "newer schema": ((*CRAWL, "seeds=http://a.example/", "-s", "STORE_URL=sqlite:///{}/newer.db"), "newer"),
    "database of another kind": ((*CRAWL, "seeds=http://a.example/", "-s", "STORE_URL=nosuch:///x"), "STORE_URL"),
    "unknown scorer": ((*CRAWL, "seeds=http://a.example/", "-s", "LINK_SCORER=best"), "ipagerank-rwb"),
    "unknown extractor": ((*CRAWL, "seeds=http://a.example/", "-s", "EXTRACTOR=none"), "plain"),
    "misspelt argument": ((*CRAWL, "seed=http://a.example/"), "takes topic, seeds and name"),
    "setting that is no number": ((*CRAWL, "topic=java", "-s", "HOSTS_AT_ONCE=few"), "HOSTS_AT_ONCE=few"),
    "misspelt setting": ((*CRAWL, "topic=java", "-s", "PAGE_BUGET=5"), "did you mean PAGE_BUDGET?"),
    "misspelt setting of another command": (("store", "stats", "-s", "STORE_ULR=x"), "did you mean STORE_URL?"),
    "misspelt setting of Scrapy's": ((*CRAWL, "topic=java", "-s", "DOWNLOAD_DEALY=5"), "did you mean DOWNLOAD_DELAY?"),
    "topic spider without a crawl": (("parse", f"{HOST}/", "--spider=topic", "-a", "topic=java"), "scrapy extract"),
    "topic spider without a crawl, fetch": (("fetch", f"{HOST}/", "--spider=topic"), "leave --spider out"),
    "topic spider without a crawl, shell": (("shell", f"{HOST}/", "--spider=topic"), "leave --spider out"),
    "budget below nothing": ((*CRAWL, "topic=java", "-s", "PAGE_BUDGET=-1"), "a whole number from 0 on"),
    "rate above one": ((*CRAWL, "topic=java", "-s", "STOP_BELOW=2"), "a number from 0 to 1"),
    "rate without a value": ((*CRAWL, "topic=java", "-s", "STOP_BELOW=nan"), "STOP_BELOW=nan"),
    "endless delay": (("why", HOST, "-s", "DOWNLOAD_DELAY=inf"), "DOWNLOAD_DELAY=inf"),
    "export before any crawl": (("export", "machine-learning", "{}/corpus.jsonl"), "crawl"),
    "picture": (("extract", "{}/picture.html"), "picture.html"),
    "text without tags": (("extract", "{}/text.html"), "text.html"),
    "absent page": (("extract", "{}/absent.html"), "absent.html"),
    "replay of nothing": (("replay", "{}/absent"), "absent"),
    "replay of no archive": (("replay", "{}/web.tar.zst"), "web.tar.zst"),
}


@pytest.mark.parametrize("case", CASES)
def test_mistake(case: str, scrapy: Scrapy, tmp_path: Path) -> None:
    fill(tmp_path)
    arguments, words = CASES[case]
    done = scrapy(*(argument.replace("{}", str(tmp_path)) for argument in arguments))
    assert done.returncode != 0
    told = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert len(told) == 1, done.stderr
    assert words in told[0]
    assert "Traceback" not in done.stderr


def test_one_bad_page_does_not_hide_the_others(scrapy: Scrapy, tmp_path: Path) -> None:
    fill(tmp_path)
    done = scrapy("extract", "--jsonl", str(tmp_path / "text.html"), str(tmp_path / "page.html"))
    assert done.returncode != 0
    assert '"id": "page"' in done.stdout
    assert "text.html" in done.stderr


def test_seeds_that_all_fail(scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "web" / "a.example").mkdir(parents=True)
    (tmp_path / "web" / "a.example" / "index.html").write_text("", encoding="utf-8")
    seeds = f"seeds={HOST}/gone.html,http://nowhere.example/"
    for topic in (("-a", "topic=java"), ()):
        with serve_in_thread(tmp_path / "web") as replay:
            done = scrapy("crawl", "topic", *topic, "-a", seeds, *LOOPBACK, proxy=replay.proxy)
        assert done.returncode != 0
        [told] = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
        assert f"{HOST}/gone.html: status 404" in told
        assert "http://nowhere.example/: robots.txt cannot be had: status 502" in told


def test_port_in_use(scrapy: Scrapy, demo_web: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = scrapy("replay", str(demo_web), "--port", str(taken.getsockname()[1]))
    assert done.returncode != 0
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("target", ["absent/corpus.jsonl", "corpus.docx"])
def test_export_to_where_it_cannot_go(target: str, scrapy: Scrapy, demo_proxy: str, tmp_path: Path) -> None:
    arguments = ("-a", "topic=java", "-a", "seeds=http://portal.example/", *LOOPBACK, "-s", "PAGE_BUDGET=3")
    assert scrapy("crawl", "topic", *arguments, proxy=demo_proxy).returncode == 0
    done = scrapy("export", "java", str(tmp_path / target))
    assert done.returncode != 0
    [told] = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert target.split("/")[-1] in told
    assert not (tmp_path / target).exists()


def test_full_disk_stops_in_order_and_resumes(scrapy: Scrapy, demo_proxy: str, tmp_path: Path) -> None:
    """A database that may not grow, then may again."""
    arguments = ("-a", "topic=java", "-a", "seeds=http://portal.example/", *LOOPBACK, "-s", "PAGE_BUDGET=60")
    done = scrapy("crawl", "topic", *arguments, proxy=demo_proxy, file_size=400_000)
    assert done.returncode != 0, done.stderr
    [told] = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert "harvest.db" in told
    assert "Traceback" not in done.stderr
    again = scrapy("crawl", "topic", *arguments, proxy=demo_proxy)
    assert again.returncode == 0, again.stderr
    database = sqlite3.connect(tmp_path / "harvest.db")
    assert database.execute("SELECT sum(counted) FROM fetches").fetchone() == (60,)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
