"""The examples of docs/api.md run as they stand, in a folder with what they name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import indent
from zlib import crc32

import pytest

import zhuti
from crawler.errors import ExportError, SettingError, StoreError, TopicError
from crawler.reasons import stored
from crawler.store.fetch_log import ONE_OF
from tests.conftest import LOOPBACK, ROOT, Scrapy
from tests.stored import count, rows
from zhuti import Harvest, Reason, Topic, extract, judge, language

EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.DOTALL)
POST = (
    "<title>泡茶 - 茶站</title><h1>泡茶</h1>"
    + "<p>绿茶要用八十度左右的水，乌龙茶与普洱茶要用沸水，洗茶、高冲、低斟、分杯。</p>" * 3
)


def test_examples(scrapy: Scrapy, site: str, tmp_path: Path) -> None:
    crawl = scrapy("crawl", "topic", "-a", "topic=java", "-a", f"seeds={site}", *LOOPBACK)
    assert crawl.returncode == 0, crawl.stderr
    (tmp_path / "data").mkdir()
    shutil.move(tmp_path / "harvest.db", tmp_path / "data" / "harvest.db")
    shutil.copy(tmp_path / "site" / "0.html", tmp_path / "page.html")
    cells = [example for example in EXAMPLES if "await" in example or "startRunning" in example]
    notebook = indent("".join(cells), "    ")
    notebook = (
        f'async def main():\n{notebook}\nif __name__ == "__main__":\n    import asyncio\n    asyncio.run(main())\n'
    )
    examples = [*(example for example in EXAMPLES if example not in cells), notebook]
    assert (len(cells), len(examples)) == (2, 6)
    for number, example in enumerate(examples):
        script = tmp_path / f"example{number}.py"
        settings = (
            f'{{"ANALYSE_PROCESSES": 1, "STORE_URL": "sqlite:///{tmp_path}/new.db", "ALLOW_ADDRESSES": "127.0.0.0/8", '
            '"DOWNLOAD_DELAY": 0, '
        )
        script.write_text(example.replace('https://a.example/"', f'{site}"').replace('({"', f'({settings}"'), "utf-8")
        done = subprocess.run(
            [sys.executable, script], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        assert "Java" in done.stdout or "similarity" in example or number >= 3
    assert len((tmp_path / "java.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_all_that_others_need_is_in_zhuti() -> None:
    """Programs, plug-ins and documents import nothing from `crawler`."""
    assert [name for name in zhuti.__all__ if not getattr(zhuti, name).__doc__] == []
    written = [*EXAMPLES, *(path.read_text("utf-8") for path in (ROOT / "examples").rglob("*.py"))]
    assert [text for text in written if re.search(r"^\s*(from|import) crawler", text, re.MULTILINE)] == []


def test_links_and_images_on_wish() -> None:
    page = POST + "<p>洗茶之后<a href=/cha>再看茶汤</a>。<img src=/cup.jpg alt=茶杯></p>" + POST[POST.index("<p>") :]
    found = extract(page, "https://a.example/1.html", links=True, images=True)
    assert [(link.url, link.text) for link in found.links] == [("https://a.example/cha", "再看茶汤")]
    assert [(image.url, image.caption) for image in found.images] == [("https://a.example/cup.jpg", "茶杯")]
    assert extract(page, "https://a.example/1.html") == replace(found, links=(), images=())
    with pytest.raises(SettingError, match="links and images need EXTRACTOR=best"):
        extract(page, extractor="plain", links=True)


def test_a_plug_in_loads_no_database_and_no_graph() -> None:
    """Processes of analysis import plug-ins, which import zhuti."""
    loaded = "import sys, zhuti; print(*({'sqlalchemy', 'networkx', 'scrapy', 'twisted'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")


@pytest.mark.parametrize("html", [POST, f"<meta charset=gbk>{POST}".encode("gb18030")], ids=["text", "bytes"])
def test_extract(html: str | bytes) -> None:
    page = extract(html, "https://a.example/1.html")
    assert page.title == "泡茶"
    assert page.body.startswith("绿茶要用")
    assert language(page.body) == "zh"
    assert extract("").reason
    with pytest.raises(SettingError, match="use one of"):
        extract(html, extractor="none")


def test_judge(tmp_path: Path) -> None:
    near = judge("泛型在编译期擦除，注解与反射是 Java 许多框架的基础，用 Maven 管理依赖。", "java")
    assert near.on_topic
    assert near.similarity > judge(extract(POST), "java").similarity
    with pytest.raises(TopicError, match="start a crawl"):
        judge("茶", Topic.from_seeds("tea", ["https://a.example/"], tmp_path))
    with pytest.raises(TopicError, match="unknown"):
        judge("茶", "tea-of-nobody")


def test_no_harvest(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no harvest"):
        Harvest(f"sqlite:///{tmp_path / 'none.db'}")


def test_scorer_and_extractor_of_ones_own(
    cold_scrapy: Scrapy, site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "examples"))
    own = ("-s", "LINK_SCORER=own.ShortAddresses", "-s", "EXTRACTOR=own.paragraphs")
    crawl = cold_scrapy("crawl", "topic", "-a", "topic=java", "-a", f"seeds={site}", *LOOPBACK, *own)
    assert crawl.returncode == 0, crawl.stderr
    assert count(tmp_path, "pages WHERE body IS NOT NULL") == 2
    why = cold_scrapy("why", f"{site}0.html", *own)
    assert "by own.ShortAddresses" in why.stdout
    with Harvest(f"sqlite:///{tmp_path / 'harvest.db'}") as harvest:
        assert harvest.topics == ["java"]
        assert len(list(harvest.pages("java", min_similarity=0.1))) == 2
        with pytest.raises(ExportError, match="no harvest of topic"):
            list(harvest.pages("tea"))


def test_page_judge_of_ones_own(
    cold_scrapy: Scrapy, site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the name under which an installed package offers it."""
    package = tmp_path / "packages" / "own-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n", encoding="utf-8")
    offers = "[zhuti.judges]\nfirst = own:NoFirstParts\n[zhuti.scorers]\nshort = own:ShortAddresses\n"
    offers += "[zhuti.extractors]\nparagraphs = own:paragraphs\n"
    (package / "entry_points.txt").write_text(offers, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{package.parent}{os.pathsep}{ROOT / 'examples'}")
    own = ("-s", "PAGE_JUDGE=first", "-s", "LINK_SCORER=short", "-s", "EXTRACTOR=paragraphs")
    crawl = cold_scrapy("crawl", "topic", "-a", "topic=java", "-a", f"seeds={site}", *LOOPBACK, *own)
    assert crawl.returncode == 0, crawl.stderr
    reasons = "SELECT reason FROM judgements j JOIN urls u ON u.id = j.url_id WHERE u.url LIKE '%0.html'"
    assert rows(tmp_path, reasons) == [(stored(Reason.of("it is a first part")),)]
    sampled = (
        crc32(f"{site}0.html".encode()) % ONE_OF == 0
    )  # by the port: then its text is stored though it was dropped
    assert count(tmp_path, "pages WHERE body IS NOT NULL") == 1 + sampled
    assert rows(tmp_path, "SELECT scorer FROM scorings") == [("short",)]
    again = cold_scrapy("rejudge", "java", "-s", "PAGE_JUDGE=first")
    assert f"{1 + sampled} pages judged for java: 1 kept" in again.stdout
    assert f"{2 - sampled} dropped pages could not be judged again" in again.stdout


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("LINK_SCORER=nowhere.Mine", "cannot be imported"),
        ("LINK_SCORER=collections.Counter", "is not a subclass of"),
        ("PAGE_JUDGE=strict", "unknown page judge 'strict'"),
        ("PAGE_JUDGE=collections.Counter", "is not a subclass of"),
        ("EXTRACTOR=os.nothing", "cannot be imported"),
        ("EXTRACTOR=sys.version", "is not a function"),
    ],
)
def test_what_cannot_be_one(setting: str, words: str, scrapy: Scrapy) -> None:
    crawl = scrapy("crawl", "topic", "-a", "topic=java", "-a", "seeds=http://a.example/", "-s", setting)
    assert crawl.returncode == 2
    [told] = [line for line in crawl.stderr.splitlines() if line.startswith("Error: ")]
    assert words in told
