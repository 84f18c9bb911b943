"""A user's mistakes: one sentence with the remedy on stderr, an exit status that is not 0, no traceback."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from scrapy.cmdline import execute

from lab.replay.background import serve_in_thread
from tests.commands.conftest import BODIES, fill as harvest
from tests.conftest import LOOPBACK, ROOT, Scrapy
from tests.crawls import Crawl
from tests.warm import CONTEXT, limit_files

pytestmark = pytest.mark.slow
HOST = "http://a.example"


def fill(folder: Path) -> None:
    """The files that the cases name."""
    (folder / "none.txt").write_text("# nothing\n", encoding="utf-8")
    (folder / "seeds.txt").write_text("http://a.example/\nftp://b.example/\n", encoding="utf-8")
    (folder / "broken.toml").write_text("keywords = {", encoding="utf-8")
    (folder / "wordless.toml").write_text("texts = ['的 了 。']\nseeds = ['http://a.example/']", encoding="utf-8")
    (folder / "good.toml").write_text("keywords = { '网络' = 1.0 }", encoding="utf-8")
    (folder / "no.db").write_bytes(b"this is not a database, only text " * 100)
    (folder / "picture.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (folder / "text.html").write_text("no tag at all", encoding="utf-8")
    (folder / "page.html").write_text("<p>一页</p>", encoding="utf-8")
    (folder / "mine.jsonl").write_text("mine", encoding="utf-8")
    (folder / "graph.gexf").write_text("mine", encoding="utf-8")
    for name, text in WHOLE.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    for name, line in LINES.items():
        (folder / f"{name}.toml").write_text(f"{line}\nkeywords = ['网络']\n", encoding="utf-8")
    crawl = Crawl(f"sqlite:///{folder / 't.db'}", "spiders")
    harvest(crawl, BODIES)
    crawl.database.close()
    newer = sqlite3.connect(folder / "newer.db")
    newer.execute("CREATE TABLE alembic_version (version_num TEXT NOT NULL)")
    newer.execute("INSERT INTO alembic_version VALUES ('9999')")
    newer.commit()
    newer.close()


WHOLE = {  # topic files, from the first line to the last
    "below": "[keywords]\n'网络' = 1.0\nthreshold = 0.6\n",
    "below2": "[keywords]\n'网络' = 1.0\nseeds = ['http://a.example/']\n",
    "comma": 'keywords = ["前端"，"组件"]\n',
    "quotes": "keywords = [“前端”]\n",
    "colon": 'keywords：["前端"]\n',
    "equals": 'keywords ＝ ["前端"]\n',
    "bracket": 'keywords = ["前端"]\n［schedule］\n',
    "extends": 'extends = "cooking"\n',
}
LINES = {  # topic files with a mistake
    "key": "titel = '茶'",
    "threshold": "threshold = 7",
    "language": "language = 'Chinese'",
    "hosts": "allowed_hosts = ['https://a.example/tea']",
    "seed": "seeds = ['a.example']",
    "fenced": "allowed_hosts = ['b.example']\nseeds = ['http://a.example/']",
    "pages": "pages = ['../secret.html']",
    "weight": "texts = []",
    "dictionary": "dictionaries = ['broken.toml']",
    "no dictionary": "dictionaries = ['absent.txt']",
    "budget": "budget = 'all'",
}
CRAWL = ("crawl", "topic", "-a")
JAVA = (*CRAWL, "topic=java", "-a", "seeds=http://a.example/", "-s")
EXPORT = ("export", "spiders")
CASES = {
    "no seeds and no topic": (("crawl", "topic"), "seeds"),
    "no such spider": (("crawl", "tpoic"), "zhuti crawl topic"),
    "unknown topic": ((*CRAWL, "topic=cooking"), "machine-learning"),
    "no topic file": ((*CRAWL, "topic={}/absent.toml"), "absent.toml"),
    "malformed TOML": ((*CRAWL, "topic={}/broken.toml"), "broken.toml"),
    "empty topic vector": ((*CRAWL, "topic={}/wordless.toml"), "keywords"),
    "topic without seeds": ((*CRAWL, "topic={}/good.toml"), "-a seeds"),
    "seed that is not a URL": ((*CRAWL, "seeds={}/seeds.txt"), "line 2"),
    "no such seed file": ((*CRAWL, "seeds={}/absent.txt"), "absent.txt"),
    "empty seed file": ((*CRAWL, "seeds={}/none.txt"), "none.txt"),
    "no database": ((*CRAWL, "seeds=http://a.example/", "-s", "STORE_URL=sqlite:///{}/no.db"), "no.db"),
    "newer schema": ((*CRAWL, "seeds=http://a.example/", "-s", "STORE_URL=sqlite:///{}/newer.db"), "newer"),
    "database of another kind": ((*CRAWL, "seeds=http://a.example/", "-s", "STORE_URL=nosuch:///x"), "STORE_URL"),
    "unknown scorer": ((*CRAWL, "seeds=http://a.example/", "-s", "LINK_SCORER=best"), "ipagerank-rwb"),
    "unknown extractor": ((*CRAWL, "seeds=http://a.example/", "-s", "EXTRACTOR=none"), "plain"),
    "misspelt argument": ((*CRAWL, "seed=http://a.example/"), "takes topic, seeds, words, about and name"),
    "setting that is not a number": ((*CRAWL, "topic=java", "-s", "PAGE_BUDGET=few"), "PAGE_BUDGET=few"),
    "misspelt setting": ((*CRAWL, "topic=java", "-s", "PAGE_BUGET=5"), "did you mean PAGE_BUDGET?"),
    "misspelt setting of another command": (("store", "stats", "-s", "STORE_ULR=x"), "did you mean STORE_URL?"),
    "misspelt setting of Scrapy's": ((*CRAWL, "topic=java", "-s", "DOWNLOAD_DEALY=5"), "did you mean DOWNLOAD_DELAY?"),
    "budget below nothing": ((*CRAWL, "topic=java", "-s", "PAGE_BUDGET=-1"), "a whole number from 0 on"),
    "rate above one": ((*CRAWL, "topic=java", "-s", "STOP_BELOW=2"), "a number from 0 to 1"),
    "rate without a value": ((*CRAWL, "topic=java", "-s", "STOP_BELOW=nan"), "STOP_BELOW=nan"),
    "endless delay": (("why", HOST, "-s", "DOWNLOAD_DELAY=inf"), "DOWNLOAD_DELAY=inf"),
    "export before any crawl": (("export", "java", "{}/c.jsonl", "-s", "STORE_URL=sqlite:///{}/n.db"), "start a crawl"),
    "topics of no harvest": (("topics", "-s", "STORE_URL=sqlite:///{}/misspelt.db"), "start a crawl or set STORE_URL"),
    "picture": (("extract", "{}/picture.html"), "picture.html"),
    "text without tags": (("extract", "{}/text.html"), "text.html"),
    "absent page": (("extract", "{}/absent.html"), "absent.html"),
    "a topic's name that is a path": ((*CRAWL, "topic=../java"), "give the path of a .toml file"),
    "unknown key": ((*CRAWL, "topic={}/key.toml"), "'titel' is not a key"),
    "threshold out of range": ((*CRAWL, "topic={}/threshold.toml"), "from 0 to 1"),
    "language in words": ((*CRAWL, "topic={}/language.toml"), 'ISO 639 code such as "zh"'),
    "address for a host": ((*CRAWL, "topic={}/hosts.toml"), "bare name such as 'a.example'"),
    "seed of a topic that is not a URL": ((*CRAWL, "topic={}/seed.toml"), "'seeds', entry 1"),
    "seeds that the topic forbids": ((*CRAWL, "topic={}/fenced.toml"), "allow their hosts"),
    "page outside the folder": ((*CRAWL, "topic={}/pages.toml"), "copy it there"),
    "dictionary with a bad line": ((*CRAWL, "topic={}/dictionary.toml"), "broken.toml, line 1"),
    "absent dictionary": ((*CRAWL, "topic={}/no dictionary.toml"), "absent.txt; give a path relative to"),
    "empty list": ((*CRAWL, "topic={}/weight.toml"), "'texts' is empty"),
    "budget in words": ((*CRAWL, "topic={}/budget.toml"), "whole number of pages"),
    "two names": ((*CRAWL, "topic=java", "-a", "name=mine"), "leave it out"),
    "two spiders": (("crawl", "topic", "java"), "give topic [-a topic=NAME|FILE.toml]"),
    "unknown option": ((*CRAWL, "topic=java", "--budget"), "--budget"),
    "argument without a value": ((*CRAWL, "topic"), "NAME=VALUE"),
    "target in words": ((*JAVA, "PAGE_TARGET=many"), "PAGE_TARGET=many"),
    "kinds of index files": ((*JAVA, "INDEX_FILES=maps"), "sitemap"),
    "networks": ((*JAVA, "ALLOW_ADDRESSES=home"), "ALLOW_ADDRESSES"),
    "statuses": ((*JAVA, "RETRY_HTTP_CODES=bad"), "like 500,503"),
    "unknown page judge": ((*JAVA, "PAGE_JUDGE=strict"), "import path"),
    "archive in a file": ((*JAVA, "WARC_DIR={}/mine.jsonl"), "mine.jsonl"),
    "compression": ((*JAVA, "WARC_DIR={}/warc", "-s", "WARC_COMPRESSION=rar"), "WARC_COMPRESSION"),
    "database in no folder": ((*JAVA, "STORE_URL=sqlite:////proc/none/x.db"), "may write to"),
    "feed of no format": ((*CRAWL, "topic=java", "-o", "{}/items.doc"), "doc"),
    "export over a foreign file": ((*EXPORT, "{}/mine.jsonl"), "--overwrite"),
    "graph over a foreign file": ((*EXPORT, "{}/graph.gexf"), "--overwrite"),
    "export of no format": ((*EXPORT, "{}/corpus.docx"), ".parquet"),
    "export to the standard output": ((*EXPORT, "-"), "the name - does not tell the format"),
    "export into no folder": ((*EXPORT, "{}/absent/corpus.jsonl"), "folder you may write to"),
    "export of an unknown topic": (("export", "cooking", "{}/corpus.jsonl"), "this database has"),
    "export of an unknown field": (
        (*EXPORT, "{}/corpus.csv", "--fields", "colour"),
        "--fields: 'colour' is unknown; choose from url",
    ),
    "export by a day in words": ((*EXPORT, "{}/corpus.csv", "--since", "yesterday"), "2026-01-31"),
    "export without a file": (EXPORT, "give the topic first, then the file"),
    "file before the topic": (("export", "{}/corpus.jsonl", "java"), "then the file: zhuti export java"),
    "misspelt licence": ((*EXPORT, "{}/corpus.jsonl", "--licence", "ccby"), "did you mean cc-by?"),
    "BOM in no CSV": ((*EXPORT, "{}/corpus.jsonl", "--bom"), "give a .csv"),
    "search for nothing": (("search",), "give WORDS"),
    "search in an unknown topic": (("search", "茶", "--topic", "cooking"), "cooking"),
    "unknown task": (("store", "shrink"), "stats|vacuum"),
    "forget nothing": (("store", "forget"), "--host H"),
    "forget by an age in words": (("store", "forget", "--older-than", "long"), "90d"),
    "why of no URL": (("why", "ftp://a.example/"), "http(s) address"),
    "why of a word": (("why", "not-a-url"), "browser's address bar"),
    "seeds of words without a source": (("seeds", "find", "茶叶"), "--from"),
    "why of an unknown URL": (("why", "https://a.example/9"), "the closest known one"),
    "rejudge of no archive": (("rejudge", "java", "--from-warc", "{}"), "contains no WARC file"),
    "words of an unknown topic": (("topic", "show", "cooking"), "unknown"),
    "topic over a file": (("topic", "show", "java", "--save", "{}/good.toml"), "exists"),
    "project in a full folder": (("init", "{}"), "give a new folder"),
    "page from nobody": (("extract", "http://127.0.0.1:9/"), "could not be fetched"),
    "extractor that raises": ((*JAVA, "EXTRACTOR=tests.crawl.broken_parts.raises"), "(RuntimeError: no model)"),
    "extractor that returns a text": ((*JAVA, "EXTRACTOR=tests.crawl.broken_parts.text"), "returns str"),
    "extractor that returns nothing": ((*JAVA, "EXTRACTOR=tests.crawl.broken_parts.nothing"), "returns NoneType"),
    "extractor that raises, topic from seeds": (
        (*CRAWL, "seeds=http://a.example/", "-s", "EXTRACTOR=tests.crawl.broken_parts.raises"),
        "fails on a small test page",
    ),
    "switch that is neither on nor off": (("why", HOST, "-s", "REVISIT=yes"), "give True or False"),
    "Scrapy's switch": ((*JAVA, "HTTPPROXY_ENABLED=maybe"), "HTTPPROXY_ENABLED=maybe"),
    "robots.txt neither obeyed nor not": ((*JAVA, "ROBOTSTXT_OBEY=search"), "ROBOTSTXT_OBEY=search"),
    "level of the log": ((*JAVA, "LOG_LEVEL=INF"), "CRITICAL, ERROR, WARNING, INFO, DEBUG"),
    "level of the log of a command": (("topics", "-s", "LOG_LEVEL=INF"), "LOG_LEVEL=INF"),
    "form of the log": ((*JAVA, "LOG_FORMAT=%(nope)s"), "LOG_FORMAT=%(nope)s"),
    "dates that run backward": ((*EXPORT, "{}/c.jsonl", "--since", "2026-10-01", "--until", "2020-01-01"), "exchange"),
    "misspelt host": ((*EXPORT, "{}/c.jsonl", "--host", "a.exmaple"), "did you mean a.example"),
    "language in words, export": ((*EXPORT, "{}/c.jsonl", "--language", "chinese"), "none of chinese"),
    "kind that there is none of": ((*EXPORT, "{}/c.jsonl", "--kind", "product"), "none of product"),
    "similarity that no page has": ((*EXPORT, "{}/c.jsonl", "--min-similarity", "1"), "highest similarity"),
    "bodies that no page has": ((*EXPORT, "{}/c.jsonl", "--min-length", "1000000"), "all filters together"),
    "key below the words": ((*CRAWL, "topic={}/below.toml"), "move it above [keywords]"),
    "seeds below the words": ((*CRAWL, "topic={}/below2.toml"), "'seeds' stands below [keywords]"),
    "Chinese comma": ((*CRAWL, "topic={}/comma.toml"), "， is a Chinese mark; write ,"),
    "Chinese quotes": ((*CRAWL, "topic={}/quotes.toml"), "“ is a Chinese mark"),
    "Chinese colon": ((*CRAWL, "topic={}/colon.toml"), "： is a Chinese mark; write :"),
    "Chinese equals sign": ((*CRAWL, "topic={}/equals.toml"), "＝ is a Chinese mark; write ="),
    "Chinese bracket": ((*CRAWL, "topic={}/bracket.toml"), "［ is a Chinese mark"),
    "Chinese comma, then no seed": (
        (*CRAWL, "seeds=https://a.example/，ftp://b.example/"),
        "not an http",
    ),
    "extends an unknown topic": ((*CRAWL, "topic={}/extends.toml"), "use the name of a bundled topic"),
    "schedule of no time": (("harvest", "java", "--every", "daily"), "write a time such as"),
    "schedule without a topic": (("harvest", "--every", "1d"), "give one topic or none"),
    "schedule of several topics": (("harvest", "java", "security", "--every", "1d"), "zhuti harvest java security by"),
    "schedule of an unknown topic": (("harvest", "cooking", "--every", "1d"), "unknown topic 'cooking'"),
    "setting in small letters": ((*CRAWL, "topic=java", "-s", "page_budget=5"), "did you mean PAGE_BUDGET?"),
    "time of Scrapy's in words": ((*JAVA, "CLOSESPIDER_TIMEOUT=1h"), "CLOSESPIDER_TIMEOUT=1h"),
    "time for names in words": ((*JAVA, "DNS_TIMEOUT=long"), "DNS_TIMEOUT=long"),
    "pipeline that is not there": ((*JAVA, 'ITEM_PIPELINES={"no.such.Pipeline": 1}'), "No module named 'no'"),
    "add-on that is not there": ((*JAVA, 'ADDONS={"no.such.Addon": 1}'), "ADDONS: no.such.Addon cannot be loaded"),
    "another scheduler": ((*JAVA, "SCHEDULER=scrapy.core.scheduler.Scheduler"), "FrontierScheduler"),
    "another reactor": ((*JAVA, "TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor"), "AsyncioSelector"),
    "scheduler that is not there": ((*JAVA, "SCHEDULER=no.such"), "correct its path"),
    "log in no folder": ((*JAVA, "LOG_FILE={}/absent/log.txt"), "set LOG_FILE to a place"),
    "forget a page": (("store", "forget", "--host", f"{HOST}/1"), "give a whole host: a.example"),
    "forget a misspelt host": (("store", "forget", "--host", "a.exmaple"), "did you mean a.example?"),
    "forget every host": (("store", "forget", "--host", "*"), "knows no host *"),
    "port beyond all": (("serve", "--port", "99999"), "from 1 to 65535"),
    "address of another machine": (("serve", "--address", "192.0.2.1"), "ZHUTI_PASSWORD"),
}


class Call(NamedTuple):
    """A command and what it says; run in a process that is forked from one which has imported everything."""

    arguments: tuple[str, ...]
    folder: Path
    file_size: int = 0  # bytes beyond which no file may grow: a full disk; 0: any

    def run(self) -> tuple[int, str]:
        """Returns the exit status and what was written to stderr."""
        process = CONTEXT.Process(target=self._work)
        process.start()
        process.join(60)
        assert process.exitcode is not None, "it hangs"
        return process.exitcode, (self.folder / "stderr").read_text(encoding="utf-8")

    def _work(self) -> None:
        os.chdir(ROOT)
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        for name in ("http_proxy", "https_proxy"):
            os.environ.pop(name, None)
        name, *rest = self.arguments
        store = (
            [] if any("STORE_URL=" in argument for argument in rest) else [f"STORE_URL=sqlite:///{self.folder}/t.db"]
        )
        settings = [part for setting in (*store, f"TOPICS_DIR={self.folder}") for part in ("-s", setting)]
        sys.argv = ["scrapy", name, *settings, *rest]
        if self.file_size:
            limit_files(self.file_size)
        execute(sys.argv)


def told(stderr: str) -> list[str]:
    """The sentences about mistakes: ours, and those that argparse writes below the usage."""
    return [line for line in stderr.splitlines() if line.startswith("Error: ") or ": error: " in line]


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    fill(folder)
    return folder


def contents(folder: Path) -> dict[str, object]:
    """The user's own files, and the pages of the harvest."""
    files = [path for path in sorted(folder.iterdir()) if path.suffix in (".toml", ".txt", ".html", ".jsonl", ".gexf")]
    database = sqlite3.connect(folder / "t.db")
    pages = database.execute("SELECT url, body FROM pages").fetchall()
    database.close()
    return {"pages": pages} | {path.name: path.read_bytes() for path in files}


@pytest.mark.parametrize("case", CASES)
def test_mistake(case: str, mistaken: Path) -> None:
    """One sentence, exit status 2, no traceback, and all files are as they were."""
    arguments, words = CASES[case]
    before = contents(mistaken)
    status, stderr = Call(tuple(argument.replace("{}", str(mistaken)) for argument in arguments), mistaken).run()
    assert status == 2, stderr
    [sentence] = told(stderr)
    assert words in sentence
    assert "Traceback" not in stderr
    assert contents(mistaken) == before, "nothing is lost, and nothing half done"


def test_full_disk_while_a_file_is_written(mistaken: Path) -> None:
    """Nothing half done stays."""
    before = contents(mistaken)
    save = ("topic", "show", "java", "--save", f"{mistaken}/saved.toml")
    status, stderr = Call(save, mistaken, file_size=2000).run()
    assert status == 2
    [sentence] = told(stderr)
    assert "make room on the disk" in sentence
    assert contents(mistaken) == before
    assert not list(mistaken.glob(".saved*"))


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
        assert "http://nowhere.example/: robots.txt could not be fetched: status 502" in told


def test_the_topic_spider_works_only_in_a_crawl(scrapy: Scrapy) -> None:
    done = scrapy("fetch", f"{HOST}/", "--spider=topic")
    assert done.returncode == 1
    assert "the topic spider works only in a crawl; leave out --spider" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("target", ["absent/corpus.jsonl", "corpus.docx"])
def test_export_to_where_it_cannot_go(target: str, scrapy: Scrapy, demo_proxy: str, tmp_path: Path) -> None:
    arguments = (
        "-a",
        "topic=machine-learning",
        "-a",
        "seeds=http://ai-notes.example/",
        *LOOPBACK,
        "-s",
        "PAGE_BUDGET=20",
    )
    assert scrapy("crawl", "topic", *arguments, proxy=demo_proxy).returncode == 0
    done = scrapy("export", "machine-learning", str(tmp_path / target))
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
