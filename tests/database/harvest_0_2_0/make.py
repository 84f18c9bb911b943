"""How the kept harvest was made, once, by version 0.2.0 (schema 0019): `python -m tests.database.harvest_0_2_0.make`.

It runs crawls of a small web of our own, on loopback, which changes from run to run: redirects, robots.txt, duplicates,
moves, index files, drops, pages that are gone, failures, answers of a person. Beside the database it records what that
version told of it, in English and in Chinese. Run it with no other version: what it writes is there to be opened.
"""

from __future__ import annotations

import json
import lzma
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from crawler import messages
from lab.replay.background import serve_in_thread

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
DAY = 86400
WORDS = "月季绣球兰花牡丹种盆土水肥根叶芽枝修剪春夏秋冬晴雨"
SPORT = "球赛门将射门观众教练裁判替补联赛主队客队角球任意球半场比分"
HOST = "http://a-garden.example"


def text(n: int, letters: str = WORDS, length: int = 220) -> str:
    """Of a post: no two are alike enough to repeat one another."""
    return (
        "，".join("".join(random.Random(n + part).choices(letters, k=11)) for part in range(0, length * 9, 99)) + "。"
    )


def post(title: str, n: int, more: str = "", head: str = "", letters: str = WORDS, around: str = "") -> str:
    return (
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title>{head}</head><body><p>{around}</p>"
        f'<article><h1>{title}</h1><p>{text(n, letters)}{more}</p></article><a href="/">首页</a></body></html>'
    )


def home(names: list[str], head: str = "") -> str:
    links = "".join(f'<li><a href="/{name}">阳台园艺 {name}</a></li>' for name in names)
    return f"<html><head><meta charset=utf-8><title>首页</title>{head}</head><body><ul>{links}</ul></body></html>"


NAMES = """1.html 2.html 3.html 4.html 5.html 6.html copy.html near.html sport.html english.html secret.html old.html
loop mail chain missing.html broken data noindex.html noai.html empty.html login.html gone.html shell.html parked.html
drift.html move.html around.html bytes.html person.html refresh.html"""
HEAD = '<link rel="alternate" type="application/atom+xml" href="/atom.xml"><link rel="sitemap" href="/sitemap.xml">'
ENGLISH = "Gardening on a balcony asks for good soil, much light and little water in winter. " * 12
PAGES = {
    "index.html": home(NAMES.split(), HEAD),
    **{f"{n}.html": post(f"阳台园艺之{n}", 1000 * n) for n in range(1, 7)},
    "copy.html": post("阳台园艺之1", 1000),
    "near.html": post("阳台园艺之2", 2000, "又及。"),
    "sport.html": post("联赛第三轮", 9000, letters=SPORT),
    "english.html": post("Balcony", 0).replace(text(0), ENGLISH),
    "secret.html": post("园艺秘密", 11000),
    "noindex.html": post("园艺之外", 12000, head='<meta name="robots" content="noindex">'),
    "noai.html": post("园艺与模型", 13000, head='<meta name="robots" content="noai">'),
    "empty.html": "<html><head><meta charset=utf-8><title>空</title></head><body></body></html>",
    "login.html": "<html><head><meta charset=utf-8><title>用户登录</title></head><body><h1>用户登录</h1>"
    "<form><input name=user><input type=password></form></body></html>",
    "gone.html": "<html><head><meta charset=utf-8><title>404 Not Found</title></head><body><h1>页面不存在</h1></body>",
    "shell.html": "<html><head><meta charset=utf-8><title>应用</title></head><body><noscript>You need to enable"
    " JavaScript to run this app.</noscript><div id=root></div><script src=/app.js></script></body></html>",
    "parked.html": "<html><head><meta charset=utf-8><title>Domain for sale</title></head><body><h1>This domain is for"
    " sale</h1></body></html>",
    "drift.html": post("园艺随笔", 14000),
    "move.html": post("园艺搬家", 15000),
    "around.html": post("园艺四周", 16000),
    "bytes.html": post("园艺字节", 17000),
    "person.html": post("园艺与人", 18000),
    "refresh.html": '<html><head><meta http-equiv="refresh" content="0; url=/3.html"></head></html>',
    "data": "园艺",
    "robots.txt": "User-agent: *\nDisallow: /secret.html\nSitemap: http://a-garden.example/sitemap.xml\n",
    "sitemap.xml": "<urlset><url><loc>http://a-garden.example/mapped.html</loc></url></urlset>",
    "mapped.html": post("园艺地图", 19000),
    "atom.xml": post("不是订阅", 20000),
    "feed.xml": "<rss><channel></channel></rss>",
}
RULES: dict[str, dict[str, object]] = {
    "old.html": {"status": 301, "location": f"{HOST}/1.html"},
    "loop": {"status": 301, "location": f"{HOST}/loop"},
    "mail": {"status": 301, "location": "mailto:a@garden.example"},
    "chain": {"status": 302, "location": "http://nowhere.example/"},
    "broken": {"status": 500},
    "data": {"content_type": "application/octet-stream"},
}
LATER = {  # what another version of the web has in the place
    "drift.html": post("球赛随笔", 24000, letters=SPORT),
    "move.html": None,
    "moved.html": post("园艺搬家", 15000),
    "around.html": post("园艺四周", 16000, around="又到了新的一天"),
    "4.html": post("阳台园艺之4", 4000, "冬天要搬进室内，免得受冻，少浇水，多晒太阳，别施肥，等到春天再换盆换土。" * 3),
    "5.html": None,
    "index.html": home([*NAMES.split(), "moved.html"], HEAD),
}
TOPIC = (
    f'title = "园艺"\nlanguage = "zh"\nthreshold = 0.3\ntexts = ["""{text(1)}{text(2)}"""]\n[keywords]\n"园艺" = 1.0\n'
)


def write(folder: Path, changed: Mapping[str, str | None] = {}) -> Path:
    for name, content in (PAGES | dict(changed)).items():
        path = folder / "a-garden.example" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_text(content, encoding="utf-8")
    rules = {f"{HOST}/{name}": rule for name, rule in RULES.items()}
    (folder / "_replay.json").write_text(json.dumps(rules), encoding="utf-8")
    return folder


class Maker:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.topics = folder / "topics"
        self.topics.mkdir()
        (self.topics / "garden.toml").write_text(TOPIC, encoding="utf-8")
        (self.topics / "few.toml").write_text(TOPIC.replace('园艺"\nl', '园艺少"\nl'), encoding="utf-8")

    def run(self, *arguments: str, proxy: str = "", language: str = "en", kill: bool = False) -> str:
        environ = {**os.environ, "http_proxy": proxy, "https_proxy": proxy, "no_proxy": "", "ZHUTI_LANG": language}
        command = [sys.executable, "-m", "scrapy", arguments[0]]
        command += ["-s", f"STORE_URL=sqlite:///{self.folder / 'harvest.db'}", "-s", f"TOPICS_DIR={self.topics}"]
        process = subprocess.Popen(
            [*command, *arguments[1:]], cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if kill:
            while not self.rows("SELECT id FROM fetches WHERE run_id = (SELECT id FROM runs WHERE ended_at IS NULL)"):
                time.sleep(0.1)
            process.kill()
        out, err = process.communicate(timeout=300)
        print(arguments, process.returncode, err[-600:] if process.returncode else "")
        return out

    def rows(self, query: str) -> list[tuple[object, ...]]:
        database = sqlite3.connect(self.folder / "harvest.db")
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def crawl(
        self, day: float, *more: str, topic: str = "garden", seeds: str = f"{HOST}/,http://nowhere.example/seed",
        kill: bool = False,
    ) -> None:  # fmt: skip
        web = self.folder / "web"
        settings = ["DOWNLOAD_DELAY=0", "RETRY_TIMES=1", "ANALYSE_PROCESSES=1", "ALLOW_ADDRESSES=127.0.0.0/8"]
        settings += ["LOG_LEVEL=ERROR", "LINK_SCORER=bfs", f"CLOCK={day * DAY:.0f}", *more]
        options = [part for setting in settings for part in ("-s", setting)]
        with serve_in_thread(web, delay=0.3 if kill else 0.0) as replay:
            named = "-a", f"topic={topic}", "-a", f"seeds={seeds}"
            self.run("crawl", "topic", *named, *options, proxy=replay.proxy, kill=kill)


def make(folder: Path) -> Maker:
    maker = Maker(folder)
    write(folder / "web")
    maker.crawl(0, "PAGE_BUDGET=4")
    maker.crawl(0.1, "PAGE_BUDGET=0")
    few = f"{HOST}/noindex.html,{HOST}/noai.html"
    tags = "MINING_TAGS_OBEY=False", "ROBOTS_TAGS_OBEY=False", "INDEX_FILES=False"
    maker.crawl(0.2, "PAGE_TARGET=1", *tags, topic="few", seeds=few)
    maker.crawl(0.3, "PAGE_TARGET=2", *tags, topic="few", seeds=few)
    answers = folder / "answers.jsonl"
    answers.write_text(json.dumps({"url": f"{HOST}/person.html", "answer": "no"}) + "\n", encoding="utf-8")
    maker.run("label", "garden", "--import", str(answers))
    maker.run("rejudge", "garden")
    for day in (20, 40, 60, 80):
        write(folder / "web", LATER)
        maker.crawl(day, "REVISIT=True", "PAGE_BUDGET=0")
    maker.crawl(100, "REVISIT=True", "PAGE_BUDGET=0", kill=True)
    maker.crawl(101, "REVISIT=True", "PAGE_BUDGET=0", "RUN_BUDGET=3")
    return maker


def record(maker: Maker) -> dict[str, object]:
    """What 0.2.0 tells of the harvest."""
    from tests.database.test_kept_harvest import facts  # in that version its modules had other names

    urls = [str(url) for (url,) in maker.rows("SELECT DISTINCT url FROM urls ORDER BY url")]
    why = {spoken: {url: maker.run("why", url, "--quick", language=spoken) for url in urls} for spoken in ("en", "zh")}
    told: dict[str, object] = {"why": why}
    for topic in ("garden", "few"):
        target = maker.folder / f"{topic}.jsonl"
        maker.run("export", topic, str(target))
        told[f"export {topic}"] = target.read_text(encoding="utf-8")
        [card] = target.parent.glob(f"{target.name}*.md")
        told[f"card {topic}"] = card.read_text(encoding="utf-8")
        for spoken in ("en", "zh"):
            told[f"news {topic} {spoken}"] = maker.run("news", topic, language=spoken)
            url = f"sqlite:///{maker.folder / 'harvest.db'}"
            told[f"facts {topic} {spoken}"] = facts(url, topic, spoken, vars(messages)["shown"])  # 0.2.0 has it
    for spoken in ("en", "zh"):
        told[f"topics {spoken}"] = maker.run("topics", language=spoken)
    return told


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        maker = make(Path(name))
        database = sqlite3.connect(maker.folder / "harvest.db")
        version = database.execute("SELECT version_num FROM alembic_version").fetchone()
        assert version == ("0019",), version
        dump = "\n".join(database.iterdump())
        told = record(maker)
        database.close()
    (HERE / "harvest.sql.xz").write_bytes(lzma.compress(dump.encode(), preset=9))
    (HERE / "told.json.xz").write_bytes(lzma.compress(json.dumps(told, ensure_ascii=False).encode(), preset=9))


if __name__ == "__main__":
    main()
