"""Whole pipelines over archives: what comes out, that `rejudge` says the same, and that they go on where they were."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import fsspec
import pytest
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.pipeline.readers.parquet import ParquetReader
from pyarrow import parquet as files

from crawler.errors import SettingError, TopicError
from crawler.reader.html.page import Page
from crawler.records import Extraction, PageKind, similarity_of
from crawler.settings import DOWNLOAD_MAXSIZE
from tests.conftest import Scrapy
from tests.steps.conftest import documents, write_warc, write_wet
from tests.stored import rows
from zhuti import steps
from zhuti.steps import Extract, Judge, Lake, Prefilter, Unrepeated, Warc, parquet

TOPICS = ("machine-learning", "java")
BODY = "<p>绿茶要用八十度左右的水，乌龙茶与普洱茶要用沸水，洗茶、高冲、低斟、分杯，各有次序。</p>" * 4
REFRESH = b'<meta http-equiv="refresh" content="0; url=https://b.example/">'


def run(out: Path, *pipeline: object, tasks: int = 2, workers: int = 1) -> None:
    LocalPipelineExecutor(
        [*pipeline, parquet(str(out / "lake"))], tasks=tasks, workers=workers, logging_dir=str(out / "logs")
    ).run()


def written(out: Path) -> dict[str, dict[str, Any]]:
    found = [row for path in sorted((out / "lake").glob("*.parquet")) for row in files.read_table(path).to_pylist()]
    return {row["url"]: row for row in found}


def test_an_archive_that_nobody_of_us_fetched(tmp_path: Path) -> None:
    page = f"<title>泡茶 - 茶站</title><h1>泡茶</h1>{BODY}".encode()
    told = {"https://a.example/tea": page, "https://a.example/moved": REFRESH, "ftp://a.example/": page}
    write_warc(tmp_path / "cc" / "1.warc.gz", told)
    write_warc(tmp_path / "cc" / "1.warc.gz", {"https://a.example/gone": page}, status="404 Not Found")
    write_warc(tmp_path / "cc" / "1.warc.gz", {"https://a.example/p.png": b"\x89PNG"}, [("Content-Type", "image/png")])
    gbk = page.decode().replace("茶站", "旧站").encode("gbk")
    write_warc(tmp_path / "cc" / "2.warc.gz", {"https://A.example:443/old": gbk}, [("Content-Type", "text/html")])
    no = [("Content-Type", "text/html"), ("X-Robots-Tag", "noindex")]
    write_warc(tmp_path / "cc" / "2.warc.gz", {"https://a.example/no": page}, no)
    write_wet(tmp_path / "cc" / "3.warc.wet.gz", {"https://a.example/wet": "泡茶\n" + "茶要沸水，洗茶高冲低斟。" * 9})
    (tmp_path / "cc" / "notes.txt").write_text("not a WARC file")
    found = documents(Warc(str(tmp_path / "cc")))
    assert sorted(url.partition("example/")[2] for url in found) == ["no", "old", "tea", "wet"]
    assert all(Extract().look(document) for document in found.values())
    tea, old, wet = (found[f"https://a.example/{name}"] for name in ("tea", "old", "wet"))
    assert (tea.metadata["title"], tea.metadata["host"], tea.metadata["language"]) == ("泡茶", "a.example", "zh")
    assert tea.text == old.text != ""
    assert tea.metadata["digest"] == old.metadata["digest"]
    assert wet.text.startswith("泡茶\n茶要沸水")
    assert (wet.metadata["language"], wet.metadata["fetched_at"]) == ("zh", 1714979289.0)
    assert found["https://a.example/no"].metadata["forbids"] == ["noindex"]
    assert tea.metadata["warc_file"] == "1.warc.gz"


def hostile(page: Page) -> Extraction:
    """An extractor that two pages hold up."""
    while "endless" in page.url:
        pass
    if "large" in page.url:
        bytearray(1 << 40)
    return Extraction("茶", "一段正文", kind=PageKind.ARTICLE)


def test_a_page_that_takes_too_much_is_left_out(tmp_path: Path) -> None:
    pages = {f"https://a.example/{name}": BODY.encode() for name in ("tea", "endless", "large", "cup")}
    write_warc(tmp_path / "cc" / "1.warc.gz", pages)
    step = Extract(f"{__name__}.hostile", seconds=0.5)
    found = list(step.run(documents(Warc(str(tmp_path / "cc"))).values()))
    assert [(each.id.rpartition("/")[2], each.text) for each in found] == [("tea", "一段正文"), ("cup", "一段正文")]


def archive_of(web: Path, folder: Path) -> Path:
    """Some of the demo web's pages, of all hosts, in two files."""
    paths = sorted(web.glob("*.example/**/*.html"))[::20]
    pages = [(f"http://{path.relative_to(web)}", path.read_bytes()) for path in paths]
    for number in (0, 1):
        write_warc(folder / f"{number}.warc.gz", dict(pages[number::2]))
    return folder


def test_verdicts_are_those_of_rejudge(demo_web: Path, tmp_path: Path, topics: Path, scrapy: Scrapy) -> None:
    archive = archive_of(demo_web, tmp_path / "warc")
    out = tmp_path / "out"
    run(out, Warc(str(archive)), Extract(), Judge([str(topics / f"{name}.toml") for name in TOPICS], everything=True))
    found = written(out)
    told = "SELECT url, outcome, nearness FROM judgements JOIN topics ON topics.id = topic_id JOIN pages"
    again = scrapy("rejudge", TOPICS[0], "--from-warc", str(archive))
    assert again.returncode == 0, again.stderr
    judged = rows(tmp_path, f"{told} ON pages.id = page_id WHERE topics.name = '{TOPICS[0]}'")
    ours = {url: one for url, row in found.items() for one in row["judgements"] if one["topic"] == TOPICS[0]}
    assert ours.keys() == {url for url, _, _ in judged}
    for url, outcome, nearness in judged:
        assert (ours[str(url)]["kept"], ours[str(url)]["similarity"]) == (
            outcome != "off-topic",
            similarity_of(float(str(nearness))),
        )
    assert 0 < sum(one["kept"] for one in ours.values()) < len(ours)
    assert sum(one["kept"] for row in found.values() for one in row["judgements"] if one["topic"] == TOPICS[1])


def test_a_prefilter_drops_nothing_that_is_kept(demo_web: Path, tmp_path: Path, topics: Path) -> None:
    archive = archive_of(demo_web, tmp_path / "warc")
    names = [str(topics / f"{name}.toml") for name in TOPICS]
    run(tmp_path / "all", Warc(str(archive)), Extract(), Judge(names))
    run(tmp_path / "some", Warc(str(archive)), Prefilter(names), Extract(), Judge(names))
    assert written(tmp_path / "some") == written(tmp_path / "all")
    pages = documents(Warc(str(archive)))
    prefilter = Prefilter(names)
    near = sum(prefilter.look(page) for page in pages.values())
    assert 0 < near < len(pages) / 2
    wet = write_wet(tmp_path / "wet" / "1.warc.wet.gz", {"https://a.example/wet": "茶要沸水，洗茶高冲低斟。" * 9})
    assert all(prefilter.look(text) for text in documents(Warc(str(wet.parent))).values())


def test_a_relaunched_pipeline_goes_on(tmp_path: Path) -> None:
    page = f"<title>泡茶</title><h1>泡茶</h1>{BODY}".encode()
    for number in (0, 1):
        write_warc(tmp_path / "cc" / f"{number}.warc.gz", {f"https://a.example/{number}": page})
    steps_of = [Warc(str(tmp_path / "cc")), Extract()]
    run(tmp_path / "whole", *steps_of)
    shutil.copytree(tmp_path / "whole", tmp_path / "half")
    (tmp_path / "half" / "logs" / "completions" / "00001").unlink()  # as when it is killed in the second file
    (tmp_path / "half" / "lake" / "000_00001.parquet").write_bytes(b"PAR1 half a file")
    untouched = (tmp_path / "half" / "lake" / "000_00000.parquet").stat().st_mtime_ns
    run(tmp_path / "half", *steps_of)
    assert written(tmp_path / "half") == written(tmp_path / "whole")
    assert len(written(tmp_path / "half")) == 2
    assert (tmp_path / "half" / "lake" / "000_00000.parquet").stat().st_mtime_ns == untouched


KILLED = """
import os, signal, sys
from datatrove.executor.local import LocalPipelineExecutor
from zhuti.steps import Extract, Warc, parquet

def dies(data, rank, tasks):
    for document in data:
        yield document
        if rank and "once" in sys.argv:
            os.killpg(0, signal.SIGKILL)

warc, out = sys.argv[1:3]
steps = [Warc(warc), Extract(), dies, parquet(f"{out}/lake")]
LocalPipelineExecutor(steps, tasks=2, workers=1, logging_dir=f"{out}/logs").run()
"""


def test_a_pipeline_that_is_killed_goes_on(tmp_path: Path) -> None:
    page = f"<title>泡茶</title><h1>泡茶</h1>{BODY}".encode()
    for number in (0, 1):
        pages = {f"https://a.example/{number}/{place}": page for place in range(3)}
        write_warc(tmp_path / "cc" / f"{number}.warc.gz", pages)
    run(tmp_path / "whole", Warc(str(tmp_path / "cc")), Extract())
    command = [sys.executable, "-c", KILLED, str(tmp_path / "cc"), str(tmp_path / "killed")]
    died = subprocess.run([*command, "once"], capture_output=True, check=False, start_new_session=True)
    assert died.returncode == -signal.SIGKILL
    half = tmp_path / "killed" / "lake" / "000_00001.parquet"
    assert half.exists()
    assert sorted(documents(Lake(str(half.parent)))) == sorted(f"https://a.example/0/{place}" for place in range(3))
    subprocess.run(command, capture_output=True, check=True)
    assert written(tmp_path / "killed") == written(tmp_path / "whole")


def test_processes_and_a_lake_as_source(tmp_path: Path) -> None:
    page = f"<title>泡茶</title><h1>泡茶</h1>{BODY}".encode()
    write_warc(tmp_path / "cc" / "0.warc.gz", {f"https://a.example/{number}": page for number in range(4)})
    run(tmp_path / "one", Warc(str(tmp_path / "cc")), Extract(), tasks=2, workers=2)
    first = written(tmp_path / "one")
    repeating = {"url": ["https://a.example/3"], "repeats": ["https://a.example/0"]}
    import pyarrow

    files.write_table(pyarrow.table(repeating), tmp_path / "duplicates.parquet")
    run(tmp_path / "two", Lake(str(tmp_path / "one" / "lake")), Unrepeated(str(tmp_path / "duplicates.parquet")))
    again = written(tmp_path / "two")
    assert sorted(first) == [f"https://a.example/{number}" for number in range(4)]
    assert sorted(again) == [f"https://a.example/{number}" for number in range(3)]
    assert again["https://a.example/1"] == first["https://a.example/1"]
    assert isinstance(Lake(str(tmp_path)), ParquetReader)


def test_what_is_cut_off_or_too_large_is_told(tmp_path: Path) -> None:
    page = f"<title>泡茶</title><h1>泡茶</h1>{BODY}".encode()
    write_wet(tmp_path / "cc" / "2.warc.wet.gz", {"https://a.example/large": " " * (DOWNLOAD_MAXSIZE + 1)})
    path = write_warc(tmp_path / "cc" / "0.warc.gz", {f"https://a.example/{number}": page for number in range(3)})
    path.write_bytes(path.read_bytes()[:-700])
    (tmp_path / "cc" / "1.warc.gz").write_bytes(gzip.compress(b"no WARC file at all"))
    told: list[str] = []
    from loguru import logger

    logger.add(lambda message: told.append(str(message)), level="WARNING")
    assert sorted(documents(Warc(str(tmp_path / "cc")))) == ["https://a.example/0", "https://a.example/1"]
    assert "cut off" in told[0]
    assert "is not a WARC file" in told[1]
    assert "https://a.example/large has more than" in told[2]


def test_in_memory(tmp_path: Path) -> None:
    """A folder need not be of this machine."""
    page = f"<title>泡茶</title><h1>泡茶</h1>{BODY}".encode()
    path = write_warc(tmp_path / "0.warc.gz", {"https://a.example/": page})
    with fsspec.open("memory://cc/0.warc.gz", "wb") as file:
        file.write(path.read_bytes())
    assert list(documents(Warc("memory://cc"))) == ["https://a.example/"]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Extract("no-such"), SettingError, "no-such"),
        (lambda: Judge(["no-such"]), TopicError, "unknown topic"),
        (lambda: Judge(["java"], by="no.such"), SettingError, "no.such"),
    ],
)
def test_mistakes_before_anything_starts(make: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


def test_all_steps_are_described() -> None:
    assert [name for name in steps.__all__ if not getattr(steps, name).__doc__] == []
    assert json.dumps(steps.__all__)
