"""What crawls meet on the way: robots.txt, odd pages, limits of a topic; on small webs of our own."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import pytest

from crawler.middlewares import robots
from crawler.reasons import read
from lab.benchmarks.hostile.files import ROBOTS
from lab.replay.background import serve_in_thread
from tests.conftest import LOOPBACK, ROOT, Scrapy, through
from tests.stored import count
from tests.warm import Command

HOST = "http://a.example"
TEXT = "机器学习用训练数据拟合模型，神经网络用反向传播计算梯度，随机森林把许多决策树的预测合在一起。"


def own(title: str) -> str:
    """Words of this page alone, longer than what all pages share: no two are near-duplicates."""
    return "".join(f"{title}的机器学习第{ord(title[0]) * n % 9973}例，" for n in range(1, 40))


def page(title: str, *hrefs: str, text: str = TEXT) -> bytes:
    links = "".join(f'<p><a href="{href}">机器学习 {href}</a></p>' for href in hrefs)
    head = f"<head><title>{title}</title></head>"
    return f"<html>{head}<body><h1>{title}</h1><p>{own(title)}{text}</p>{links}</body></html>".encode()


def write_web(folder: Path, files: Mapping[str, bytes], rules: Mapping[str, object] | None = None) -> Path:
    """`files`: "host/path" -> content; `rules`: what a file tree cannot say, see zhuti.demo.recorded.files."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if rules:
        (folder / "_replay.json").write_text(json.dumps(rules), encoding="utf-8")
    return folder


def tree(folder: Path, pages: int, hosts: int = 5) -> list[str]:
    """Writes a web in which page n links to 2n and 2n + 1; returns the addresses, its root first."""
    names = [f"h{n % hosts}.example/{n}.html" for n in range(1, pages + 1)]
    urls = [f"http://{name}" for name in names]
    write_web(folder, {name: page(f"第{n}页", *urls[2 * n - 1 : 2 * n + 1]) for n, name in enumerate(names, 1)})
    return urls


def outcomes(folder: Path) -> dict[str, tuple[str, str]]:
    """URL -> how its last fetch ended, and why."""
    database = sqlite3.connect(folder / "harvest.db")
    try:
        query = "SELECT u.url, f.outcome, f.reason FROM fetches f JOIN urls u ON u.id = f.url_id ORDER BY f.id"
        return {url: (outcome, str(read(reason))) for url, outcome, reason in database.execute(query)}
    finally:
        database.close()


def crawl(scrapy: Scrapy, web: Path, *arguments: str, seeds: str = f"{HOST}/", topic: str = "machine-learning") -> str:
    """Crawls to the end; returns what was logged."""
    with serve_in_thread(web) as replay:
        done = scrapy(
            "crawl", "topic", "-a", f"topic={topic}", "-a", f"seeds={seeds}", *LOOPBACK, *arguments, proxy=replay.proxy
        )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr


def test_robots_txt_holds_for_all_that_wait_for_it(scrapy: Scrapy, tmp_path: Path) -> None:
    names = [f"secret/{n}.html" for n in range(6)] + [f"open/{n}.html" for n in range(6)]
    files = {f"a.example/{name}": page(name) for name in names}
    web = write_web(tmp_path / "web", {**files, "a.example/robots.txt": b"User-agent: *\nDisallow: /secret/\n"})
    crawl(scrapy, web, seeds=",".join(f"{HOST}/{name}" for name in names))
    ends = outcomes(tmp_path)
    for name in names:
        assert (ends[f"{HOST}/{name}"][0] == "forbidden") == name.startswith("secret"), name


def test_a_robots_txt_that_cannot_be_had_allows_nothing(scrapy: Scrapy, tmp_path: Path) -> None:
    files = {"a.example/1.html": page("一"), "a.example/2.html": page("二"), "b.example/3.html": page("三")}
    web = write_web(tmp_path / "web", files, {f"{HOST}/robots.txt": {"status": 503}})
    seeds = f"{HOST}/1.html,{HOST}/2.html,http://b.example/3.html,http://nowhere.example/"
    crawl(scrapy, web, "-s", "RETRY_TIMES=0", seeds=seeds)
    ends = outcomes(tmp_path)
    assert ends["http://b.example/3.html"][0] == "kept"
    assert ends[f"{HOST}/1.html"] == ("failed", "robots.txt could not be fetched: status 503")
    assert ends["http://nowhere.example/"][0] == "failed"


def test_odd_pages_do_not_stop_a_crawl(scrapy: Scrapy, tmp_path: Path) -> None:
    odd = {
        "empty.html": b"",
        "big.html": page("大", text=TEXT * 80_000),  # 10 MB
        "deep.html": b"<div>" * 5000 + f"{own('深')}{TEXT}".encode() + b"</div>" * 5000,
        "broken.html": f"<html><body><p>{own('破')}{TEXT}".encode() + b"<table><tr><td><a href='x.html'><div",
        "mislabelled.html": page("编码").replace(b"<head>", b'<head><meta charset="iso-8859-1">'),
        "gbk.html": page("国标").decode().replace("<head>", '<head><meta charset="gb2312">').encode("gb18030"),
        "binary.html": bytes(range(256)) * 64,
        "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(200),
        "early.html": b"<html><head></head></html>" + page("早结束", "after.html"),
        "after.html": page("后来"),
        "frames.html": b'<frameset><frame src="framed.html"></frameset>',
        "framed.html": page("框架"),
        "refresh.html": b'<html><head><meta http-equiv="refresh" content="0; url=refreshed.html"></head></html>',
        "refreshed.html": page("刷新"),
        "gone.html": b"",
    }
    index = page("首页", *odd, "missing.html", "http://nowhere.example/")
    web = write_web(
        tmp_path / "web",
        {f"a.example/{name}": content for name, content in {"index.html": index, **odd}.items()},
        {f"{HOST}/gone.html": {"status": 410}},
    )
    crawl(scrapy, web)
    ends = outcomes(tmp_path)
    expected = {
        "empty.html": "off-topic",
        "binary.html": "not-html",
        "gone.html": "failed",
        "missing.html": "failed",
        "refresh.html": "redirect",
        "frames.html": "off-topic",
        **dict.fromkeys(("deep.html", "broken.html", "mislabelled.html", "gbk.html", "framed.html"), "kept"),
        **dict.fromkeys(("early.html", "after.html", "refreshed.html", "big.html"), "kept"),
    }
    for name, outcome in expected.items():
        assert ends[f"{HOST}/{name}"][0] == outcome, (name, ends[f"{HOST}/{name}"])
    assert f"{HOST}/picture.png" not in ends, "no HTML by its name: never asked for"
    for url, (outcome, reason) in ends.items():
        assert outcome == "kept" or reason, url


@pytest.mark.parametrize(("key", "fetched"), [("allowed_hosts = ['a.example']", False), ("", True)])
def test_hosts_of_a_topic(scrapy: Scrapy, tmp_path: Path, topics: Path, key: str, fetched: bool) -> None:
    topic = topics / "mine.toml"
    topic.write_text(
        f"keywords = {{ '机器学习' = 1.0, '神经网络' = 1.0 }}\nseeds = ['{HOST}/']\n{key}\n", encoding="utf-8"
    )
    files = {"a.example/index.html": page("一", "http://b.example/"), "b.example/index.html": page("二")}
    files["a.example/robots.txt"] = b"Sitemap: http://b.example/sitemap.xml\n"
    crawl(scrapy, write_web(tmp_path / "web", files), topic=str(topic))
    assert ("http://b.example/" in outcomes(tmp_path)) == fetched
    assert (count(tmp_path, "side_files WHERE host = 'b.example'") > 0) == fetched, "its robots.txt is not asked for"


def test_robots_txt_may_lie_on_a_host_that_the_topic_does_not_allow(
    scrapy: Scrapy, tmp_path: Path, topics: Path
) -> None:
    """RFC 9309, 2.3.1.2: its redirects are followed across hosts."""
    topic = topics / "mine.toml"
    topic.write_text("keywords = { '机器学习' = 1.0 }\nallowed_hosts = ['a.example']\n", encoding="utf-8")
    files = {
        "a.example/open.html": page("一"),
        "a.example/secret.html": page("二"),
        "b.example/robots.txt": b"User-agent: *\nDisallow: /secret\n",
    }
    rules = {f"{HOST}/robots.txt": {"status": 301, "location": "http://b.example/robots.txt"}}
    seeds = f"{HOST}/open.html,{HOST}/secret.html"
    crawl(scrapy, write_web(tmp_path / "web", files, rules), topic=str(topic), seeds=seeds)
    ends = outcomes(tmp_path)
    assert ends[f"{HOST}/open.html"][0] == "kept"
    assert ends[f"{HOST}/secret.html"] == ("forbidden", "Forbidden by robots.txt")


def test_page_larger_than_allowed(scrapy: Scrapy, tmp_path: Path) -> None:
    web = write_web(
        tmp_path / "web",
        {"a.example/index.html": page("一", "big.html"), "a.example/big.html": page("大", text=TEXT * 2000)},
    )
    crawl(scrapy, web, "-s", "DOWNLOAD_MAXSIZE=100000")
    assert outcomes(tmp_path)[f"{HOST}/big.html"] == ("failed", "larger than DOWNLOAD_MAXSIZE")


def test_retries_are_the_frontiers(scrapy: Scrapy, tmp_path: Path) -> None:
    web = write_web(
        tmp_path / "web", {"a.example/index.html": page("一", "busy.html")}, {f"{HOST}/busy.html": {"status": 503}}
    )
    crawl(scrapy, web, "-s", "RETRY_TIMES=1")
    database = sqlite3.connect(tmp_path / "harvest.db")
    tries = database.execute(
        "SELECT outcome FROM fetches JOIN urls u ON u.id = url_id WHERE u.url LIKE '%busy%' ORDER BY fetches.id"
    )
    assert [outcome for (outcome,) in tries] == ["retry", "failed"]
    database.close()


def test_robots_txt_asks_for_a_delay(scrapy: Scrapy, tmp_path: Path) -> None:
    """Also of requests that were under way before robots.txt was read, and although the crawl itself has no delay."""
    files = {f"a.example/{n}.html": page(str(n)) for n in range(4)} | {"b.example/1.html": page("一")}
    web = write_web(tmp_path / "web", {**files, "a.example/robots.txt": b"User-agent: *\nCrawl-delay: 0.7\n"})
    crawl(scrapy, web, seeds=",".join(f"http://{name}" for name in files))
    database = sqlite3.connect(tmp_path / "harvest.db")
    of_host = "SELECT f.at FROM fetches f JOIN urls u ON u.id = f.url_id WHERE u.url LIKE ? ORDER BY f.at"
    times = [at for (at,) in database.execute(of_host, (f"{HOST}/%",))]
    delays = dict(database.execute("SELECT name, crawl_delay FROM hosts"))
    database.close()
    assert len(times) == 4
    assert times[-1] - times[0] > 3 * 0.6
    assert delays == {"a.example": 0.7, "b.example": 0.0}


def no_robots_age() -> None:
    robots.ROBOTS_AGE = 0.0


def test_robots_txt_is_read_again_when_it_is_old(topics: Path, tmp_path: Path) -> None:
    """Here at once: each page is asked for after the one that links to it."""
    files = {f"a.example/{n}.html": page(str(n), f"{n + 1}.html") for n in range(3)}
    web, log = write_web(tmp_path / "web", files), tmp_path / "log"
    arguments = ["crawl", "topic", "-a", "topic=machine-learning", "-a", f"seeds={HOST}/0.html", *LOOPBACK]
    arguments += ["-s", f"STORE_URL=sqlite:///{tmp_path / 'harvest.db'}", "-s", f"TOPICS_DIR={topics}"]
    with serve_in_thread(web, log=log) as replay:
        output = tmp_path / "output"
        output.mkdir()
        process = Command(arguments, through(replay.proxy), ROOT, output, before=no_robots_age)
        _, err = process.communicate()
    assert process.returncode == 0, err
    asked = [line.split("\t")[2] for line in log.read_text(encoding="utf-8").splitlines()]
    assert asked.count(f"{HOST}/robots.txt") == 4, "for three pages and one that is not there"


def test_a_long_delay_gives_the_urls_back(scrapy: Scrapy, tmp_path: Path) -> None:
    files = {f"a.example/{n}.html": page(str(n)) for n in range(3)}
    web = write_web(tmp_path / "web", {**files, "a.example/robots.txt": b"User-agent: *\nRequest-rate: 1/2s\n"})
    crawl(scrapy, web, seeds=",".join(f"http://{name}" for name in files))
    assert [outcome for outcome, _ in outcomes(tmp_path).values()] == ["kept"] * 3


def test_hostile_robots_txts(scrapy: Scrapy, tmp_path: Path) -> None:
    """Protego alone takes gigabytes for the first; the second has 16 MB."""
    names = ("agents times rules", "16 MB of rules", "a rate of 400 digits", "a delay of 300 digits")
    hosts = ("agents.example", "long.example", "rate.example", "delay.example")
    hostile = {host: str(ROBOTS[name][0]) for host, name in zip(hosts, names, strict=True)}
    files = {f"{host}/robots.txt": text.encode() for host, text in hostile.items()}
    pages = {f"{host}/{name}": page(host + name) for host in hostile for name in ("open.html", "secret1.html")}
    web = write_web(tmp_path / "web", files | pages)
    log = crawl(scrapy, web, "-s", "PAGE_BUDGET=4", seeds=",".join(f"http://{name}" for name in pages))
    ends = outcomes(tmp_path)
    for host in ("agents.example", "long.example"):
        assert ends[f"http://{host}/open.html"][0] == "kept", log
        assert ends[f"http://{host}/secret1.html"][0] == "forbidden"


def test_a_folder_of_temporary_files_with_a_long_name(
    cold_scrapy: Scrapy, site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No socket of processes can lie there."""
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    done = cold_scrapy("crawl", "topic", "-a", "topic=java", "-a", f"seeds={site}", *LOOPBACK)
    assert done.returncode == 0, done.stderr
    assert "kept" in {outcome for outcome, _ in outcomes(tmp_path).values()}
