"""Scrapy's own ways to run a spider, as its users know them: other projects, scripts, feeds, single commands."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.pipelines import ITEM_FIELDS
from tests.conftest import LOOPBACK, ROOT, Scrapy
from tests.warm import Command


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=100
    )


def cold(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "-m", "scrapy", *arguments)


Warm = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def warm(tmp_path_factory: pytest.TempPathFactory) -> Warm:
    """`scrapy ARGUMENTS` in a folder, in a process that has imported everything. Of each project one test starts Python
    anew, as a user does."""

    def run_warm(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        process = Command([*arguments], os.environ, folder, tmp_path_factory.mktemp("output"))
        out, err = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode or 0, out, err)

    return run_warm


def items(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "examples" / "addon", tmp_path / "shop"))


def test_addon_in_another_project(shop: Path, site: str) -> None:
    ours = ("crawl", "topic", "-a", "topic=java", "-a", f"seeds={site}", *LOOPBACK, "-o", "java.jsonl")
    crawl = cold(shop, *ours)
    assert crawl.returncode == 0, crawl.stderr
    assert "ERROR" not in crawl.stderr
    assert "harvest rate" in crawl.stdout
    assert {item["title"] for item in items(shop / "java.jsonl")} == {"JAVA 笔记 0", "JAVA 笔记 1"}
    other = cold(shop, "crawl", "titles", "-a", f"url={site}", "-o", "titles.jsonl")
    assert "ERROR" not in other.stderr
    assert items(shop / "titles.jsonl") == [{"title": "JAVA"}]
    export = run(shop, "-c", "from crawler.main import main; main()", "export", "java", "corpus.jsonl")
    assert export.returncode == 0, export.stderr
    assert len(items(shop / "corpus.jsonl")) == 2
    wrong = cold(shop, *ours, "-s", "RUN_BUDGET=x")
    assert (wrong.returncode, "Traceback" in wrong.stderr) == (1, False)


@pytest.mark.parametrize("wrong", ["EXTRACTOR=nope", "RUN_BUDGET=x", "LINK_SCORER=nope"])
def test_a_mistake_in_another_project_is_a_sentence(wrong: str, shop: Path, warm: Warm) -> None:
    crawl = warm(shop, "crawl", "topic", "-a", "topic=java", "-a", "seeds=http://a.example/", "-s", wrong)
    assert crawl.returncode == 1
    assert wrong.split("=")[1] in crawl.stderr.splitlines()[-1]
    assert "Traceback" not in crawl.stderr


def test_two_spiders_in_one_process(site: str, tmp_path: Path) -> None:
    script = (ROOT / "examples" / "script.py").read_text(encoding="utf-8")
    here = '"ANALYSE_PROCESSES": 1, "ALLOW_ADDRESSES": "127.0.0.0/8", "DOWNLOAD_DELAY": 0'
    mine = script.replace('"ANALYSE_PROCESSES": 1', here)
    (tmp_path / "script.py").write_text(mine, encoding="utf-8")
    done = run(tmp_path, "script.py", site)
    assert done.returncode == 0
    assert "ERROR" not in done.stderr
    assert "Traceback" not in done.stderr
    assert len(items(tmp_path / "java.jsonl")) == 2
    assert (tmp_path / "data" / "security.db").is_file()


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "xml"])
def test_feeds(ending: str, scrapy: Scrapy, site: str, tmp_path: Path) -> None:
    """Kept pages are items with the fields of an export."""
    feed, log = tmp_path / f"items.{ending}", tmp_path / "log.txt"
    arguments = ("-a", "topic=java", "-a", f"seeds={site}", *LOOPBACK, "-O", str(feed), "-s", f"LOG_FILE={log}")
    done = scrapy("crawl", "topic", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "ERROR" not in log.read_text(encoding="utf-8")
    content = feed.read_text(encoding="utf-8")
    if ending == "jsonl":
        assert scrapy("export", "java", str(tmp_path / "x.jsonl"), "--fields", ",".join(ITEM_FIELDS)).returncode == 0
        assert sorted(items(feed), key=str) == sorted(items(tmp_path / "x.jsonl"), key=str)
    found = {"csv": lambda: list(csv.DictReader(content.splitlines())), "json": lambda: json.loads(content)}
    if ending in found:
        assert [list(item) for item in found[ending]()] == [list(ITEM_FIELDS)] * 2
    assert content.count("Java 笔记") == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("fetch", "{}0.html"), "<h1>Java 笔记 0</h1>"),
        (("shell", "{}", "-c", "response.css('title::text').get()"), "Java"),
        (("list",), "topic"),
        (("check",), ""),
        (("settings", "--get", "PAGE_BUDGET"), "1000"),
    ],
)
def test_scrapys_own_commands(arguments: tuple[str, ...], told: str, scrapy: Scrapy, site: str) -> None:
    done = scrapy(*(argument.replace("{}", site) for argument in arguments))
    assert done.returncode == 0, done.stderr
    assert told in done.stdout
    assert "Traceback" not in done.stderr


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "examples" / "parts", tmp_path / "parts"))


TEA = (
    "<meta charset=utf-8><title>泡茶</title><h1>泡茶</h1>"
    + "<p>绿茶要用八十度左右的水，乌龙茶与普洱茶要用沸水，洗茶、高冲、低斟、分杯。</p>" * 3
)


@pytest.fixture
def mixed_site(site: str, tmp_path: Path) -> str:
    """Two posts about Java, one about tea, and a sitemap of them."""
    folder = tmp_path / "site"
    (folder / "tea.html").write_text(TEA, encoding="utf-8")
    index = (folder / "index.html").read_text(encoding="utf-8")
    (folder / "index.html").write_text(f"{index}<a href=/tea.html>泡茶</a>", encoding="utf-8")
    places = "".join(f"<url><loc>{site}{name}</loc></url>" for name in ("0.html", "1.html", "tea.html"))
    entries = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'
    (folder / "sitemap.xml").write_text(entries, encoding="utf-8")
    return site


def crawled(start: Warm, parts: Path, spider: str, url: str, *more: str) -> list[dict[str, object]]:
    done = start(parts, "crawl", spider, "-a", f"url={url}", "-o", "items.jsonl", *more)
    assert done.returncode == 0, done.stderr
    assert "ERROR" not in done.stderr, done.stderr
    return items(parts / "items.jsonl")


JAVA = {"Java 笔记 0", "Java 笔记 1"}


def test_parts_behind_a_crawl_spider(parts: Path, mixed_site: str) -> None:
    found = crawled(cold, parts, "rules", mixed_site)
    assert {item["title"] for item in found} == JAVA
    assert all(item["kind"] == "article" and item["on_topic"] for item in found)


def test_parts_behind_a_sitemap_spider(parts: Path, mixed_site: str, warm: Warm) -> None:
    assert {item["title"] for item in crawled(warm, parts, "sitemap", f"{mixed_site}sitemap.xml")} == JAVA


def test_parts_that_mark_items_of_a_class(parts: Path, mixed_site: str, warm: Warm) -> None:
    found = {str(item["anchor"]): item for item in crawled(warm, parts, "marked", mixed_site)}
    assert found.keys() == {*JAVA, "泡茶"}
    assert [found[name]["on_topic"] for name in ("Java 笔记 0", "Java 笔记 1", "泡茶")] == [True, True, False]
    assert found["泡茶"]["similarity"] < 0.3 <= found["Java 笔记 0"]["similarity"]
    assert found["泡茶"]["title"] == "泡茶"


def test_priorities_of_a_link_scorer(parts: Path, mixed_site: str, warm: Warm) -> None:
    """The link to tea stands first, and is fetched last."""
    index = parts.parent / "site" / "index.html"
    markup = index.read_text(encoding="utf-8")
    index.write_text(markup.replace("<title>", "<a href=/tea.html>泡茶</a><title>"), encoding="utf-8")
    found = crawled(warm, parts, "best-first", mixed_site, "-s", "ZHUTI_OFF_TOPIC=mark")
    assert [str(item["url"]).rpartition("/")[2] for item in found][-1] == "tea.html"


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("ZHUTI_TOPIC=", "set ZHUTI_TOPIC to a topic's name or file"),
        ("ZHUTI_TOPIC=jvaa", "jvaa"),
        ("ZHUTI_OFF_TOPIC=x", "ZHUTI_OFF_TOPIC is 'x'; give drop or mark"),
        ("EXTRACTOR=nope", "unknown extractor 'nope'"),
    ],
)
def test_a_mistake_in_the_settings_of_the_parts(
    setting: str, told: str, parts: Path, mixed_site: str, warm: Warm
) -> None:
    done = warm(parts, "crawl", "sitemap", "-a", f"url={mixed_site}sitemap.xml", "-s", setting)
    assert done.returncode == 1
    assert told in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
