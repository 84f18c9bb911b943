"""Traps beside good pages: how many of a crawl's requests does each take?

    python -m lab.benchmarks.traps [NAME ...] [--budget 500] [-s NAME=VALUE ...]

Each trap is crawled by itself: `zhuti crawl topic` as a user runs it, through a proxy on loopback that makes up every
host's pages. Beside the trap stand 600 good pages, on topic, on six hosts that link to one another and, from every
page, into the trap. A request counts as tried when it goes to a host of the trap. Printed of each trap: requests,
tried, share, good pages, seconds, and how the crawl ended. `platform` is not a trap, but 200 users of one registered
domain that is on no list, as good as the others: what it loses is what traps cost a benign web.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from crawler.reader.text.robots_groups import AI_TXT, TDMREP
from crawler.topic.files import Topic
from lab.benchmarks.replayed import LOOPBACK, SCRAPY
from lab.replay.wire import VIA

ROOT = Path(__file__).parents[2]
TOPIC = "machine-learning"
GOOD_HOSTS, GOOD_PAGES = 6, 100
ENOUGH = 0.10  # of the requests: what a trap may take
NO_PAGES = ("/robots.txt", TDMREP, AI_TXT)  # asked for once a host
SENTENCES = 14  # of a page
USERS = 200  # of the platform
COSTLY = 70_000  # short paragraphs, some .9 s of processor time
VERBS = ["训练", "评估", "比较", "改进", "推导", "实现", "解释", "测试", "简化", "调整"]
THINGS = re.findall(r"\S+", "文本 图像 语音 点击 气象 病历 地图 传感器 论文 日志 交通 电网 音乐 棋谱")
OTHER = re.findall(r"\S+", "潮汐 码头 瓷器 邮票 山茶 竹林 集市 渡船 灯塔 石桥 茶馆 老街 雨伞 风筝 木屋 麦田")
KEYWORDS = [word for word in Topic.load(TOPIC, ROOT / "topics").keywords if not word.isascii()]


def text(name: str, words: list[str] = KEYWORDS) -> str:
    """A text of its own for each name: no two have a sentence in common."""
    random = Random(zlib.crc32(name.encode()))
    pick = random.choice

    def sentence() -> str:
        first = f"为了{pick(VERBS)}{pick(words)}，我们用{pick(words)}处理第{random.randrange(9999)}份数据"
        second = f"再按{pick(words)}的办法{pick(VERBS)}{pick(THINGS)}，{pick(words)}因此{pick(VERBS)}了{pick(words)}"
        return f"{first}，{second}。"

    return "".join(f"<p>{sentence()}</p>" for _ in range(SENTENCES))


class Page(NamedTuple):
    title: str
    body: str  # markup
    links: tuple[str, ...] = ()
    status: int = 200
    location: str = ""
    seconds: float = 0.0  # before the answer
    xml: str = ""  # in place of a page

    def bytes(self) -> bytes:
        if self.xml:
            return self.xml.encode()
        links = "".join(f'<li><a href="{link}">{anchor(link)}</a></li>' for link in self.links)
        head = f"<head><meta charset=utf-8><title>{self.title}</title></head>"
        main = f"<h1>{self.title}</h1><article>{self.body}</article><ul>{links}</ul>"
        return f"<html>{head}<body>{main}</body></html>".encode()


def anchor(link: str) -> str:
    return f"{KEYWORDS[zlib.crc32(link.encode()) % len(KEYWORDS)]}笔记"


def on_topic(name: str, *links: str) -> Page:
    return Page(f"{anchor(name)} {zlib.crc32(name.encode()) % 9973}", text(name), links)


def good(host: str, path: str, entry: str) -> Page:
    """Page 0 is the front page. Each links to four others of its host, to one of the next host, and into the trap."""
    number, at = int(re.sub(r"\D", "", path) or 0), int(host[4])
    if number >= GOOD_PAGES:
        return Page("没有这一页", "", status=404)
    near = [f"/post/{(4 * number + step) % GOOD_PAGES}.html" for step in range(1, 5)]
    return on_topic(f"{host}{path}", *near, f"http://good{(at + 1) % GOOD_HOSTS}.example/post/{number}.html", entry)


Query = dict[str, list[str]]
Trap = Callable[[str, str, Query], Page]


def number_in(text: str) -> int:
    return int(re.sub(r"\D", "", text)[-8:] or 0)


def calendar(host: str, path: str, query: Query) -> Page:
    month = number_in("".join(query.get("month", [])))
    days = "".join(f"<td>{day}</td>" for day in range(1, 31))
    links = [f"/calendar?month={month + step}" for step in (-1, 1, 2, 12)]
    return Page(f"日历 {month}", f"<table><tr>{days}</tr></table>", tuple(links))


def sessions(host: str, path: str, query: Query) -> Page:
    """Twelve posts; each answer hands out new session ids."""
    old = "".join(query.get("s", []))
    fresh = [f"/post/{n}.html?s={zlib.crc32(f'{old}{path}{n}'.encode()):08x}" for n in range(12)]
    return on_topic(path if path != "/" else "/post/0.html", *fresh)


def facets(host: str, path: str, query: Query) -> Page:
    """A shop: every filter may be added to every list, in any order."""
    chosen = "&".join(f"{name}={value[0]}" for name, value in query.items())
    more = [f"/list?{chosen}&f{n}={n * len(query) % 7}".replace("?&", "?") for n in range(8)]
    return Page(f"列表 {chosen}", "".join(f"<li>{word}</li>" for word in OTHER), tuple(more))


def soft_404(host: str, path: str, query: Query) -> Page:
    links = [f"/archive/{zlib.crc32(f'{path}{n}'.encode())}.html" for n in range(8)]
    return Page(
        "没有找到",
        "<p>您访问的页面不存在，可能已被删除，或者地址有误。请返回首页，或者查看下面的推荐。</p>" * 3,
        tuple(links),
    )


def endless_path(host: str, path: str, query: Query) -> Page:
    """Relative links that are resolved against a folder which is none."""
    base = path.rstrip("/")
    return on_topic("endless", *(f"{base}/{name}/" for name in ("notes", "docs", "more")))


def mirrors(host: str, path: str, query: Query) -> Page:
    """The good hosts once more, on eight hosts."""
    number, at = number_in(path) % GOOD_PAGES, number_in(host)
    source = f"good{at % GOOD_HOSTS}.example/post/{number}.html"
    near = [f"/post/{(4 * number + step) % GOOD_PAGES}.html" for step in range(1, 5)]
    return on_topic(source, *near, f"http://mirror{(at + 1) % 8}.trap.example/post/{number}.html")


def wildcard(host: str, path: str, query: Query) -> Page:
    """Every name is a host, and all say the same."""
    return on_topic("wildcard", *(f"http://{zlib.crc32(f'{host}{n}'.encode()):x}.trap.example/" for n in range(6)))


def wildcard_unique(host: str, path: str, query: Query) -> Page:
    """Every name is a host, and each says something of its own, on the topic."""
    return on_topic(host, *(f"http://{zlib.crc32(f'{host}{n}'.encode()):x}.trap.example/" for n in range(6)))


def slow_wildcard(host: str, path: str, query: Query) -> Page:
    """The first page names 150 hosts; each of their pages is off the topic and takes the analysis .9 s."""
    if host.startswith("www"):
        return Page("目录", text(host, OTHER), tuple(f"http://h{n}.trap.example/" for n in range(150)))
    costly = "".join(f"<p>茶馆老街{n}，雨伞风筝。" for n in range(COSTLY))
    return Page(anchor(host), text(host, OTHER) + costly, (f"http://h{number_in(host) + 1}.trap.example/",))


def login_wall(host: str, path: str, query: Query) -> Page:
    if path == "/login":
        form = "<form><input name=user><input name=password></form><p>请先登录，登录后可以查看全部内容。</p>"
        return Page("登录", form * 4, tuple(f"/t/{zlib.crc32(f'{query}{n}'.encode())}" for n in range(8)))
    return Page("", "", status=302, location=f"/login?next={path}")


def link_farm(host: str, path: str, query: Query) -> Page:
    """Made for the topic: anchors and titles promise it, the text is a list of its words and the same advertisement."""
    links = tuple(
        f"http://farm{zlib.crc32(f'{path}{n}'.encode()) % 40}.trap.example/{path.strip('/')[:20]}{n}.html"
        for n in range(15)
    )
    words = Random(zlib.crc32(path.encode())).sample(KEYWORDS, 12)
    return Page(
        f"{words[0]}大全", f"<p>{'、'.join(words)}，报名热线，名师授课，限时优惠，马上咨询客服领取资料。</p>" * 6, links
    )


def listed_farm(host: str, path: str, query: Query) -> Page:
    """The same, and each of its hosts has a sitemap of 300 pages."""
    if path == "/sitemap.xml":
        rows = "".join(f"<url><loc>http://{host}/{n}.html</loc></url>" for n in range(300))
        return Page("", "", xml=f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>')
    return (
        Page("", "", status=404) if path.endswith((".xml", ".json", ".rss", "/feed")) else link_farm(host, path, query)
    )


def parked(host: str, path: str, query: Query) -> Page:
    """A domain for sale, whose every page leads to ten more."""
    links = tuple(f"/{zlib.crc32(f'{path}{n}'.encode()):x}.html" for n in range(10))
    return Page(f"{host} 域名出售", "<p>本域名可以出售或出租，联系我们。</p>", links)


def honeypot(host: str, path: str, query: Query) -> Page:
    """Links that no reader sees lead on for ever, to pages of random words."""
    links = tuple(f"/hidden/{zlib.crc32(f'{path}{n}'.encode())}" for n in range(6))
    return Page("目录", text(path, OTHER), links)


def tar_pit(host: str, path: str, query: Query) -> Page:
    """Good pages without end, each of which takes its time."""
    links = [f"http://pit{n + len(path)}.trap.example/{zlib.crc32(f'{host}{path}{n}'.encode())}.html" for n in range(8)]
    return on_topic(f"{host}{path}", *links)._replace(seconds=8.0)


def free_users(host: str, path: str, query: Query) -> Page:
    """Users of a platform that is a public suffix, each a site of its own; texts of the topic's words."""
    links = [f"http://u{zlib.crc32(f'{host}{path}{n}'.encode()):x}.github.io/{n}.html" for n in range(8)]
    return Page(anchor(host), text(f"{host}{path}", KEYWORDS), tuple(links))


def many_domains(host: str, path: str, query: Query) -> Page:
    """Ever new domains; the links promise the topic, the pages are about something else."""
    links = [f"http://www.d{zlib.crc32(f'{host}{path}{n}'.encode()):x}.example/" for n in range(8)]
    return Page("目录", text(f"{host}{path}", OTHER), tuple(links))


def many_entries(host: str, path: str, query: Query) -> Page:
    """The same, and each good page links to a domain of its own there."""
    return many_domains(host, path, query)


def wordy_domains(host: str, path: str, query: Query) -> Page:
    """The same, and the pages hold words of the topic, too few to be on it."""
    page = many_domains(host, path, query)
    words = Random(zlib.crc32(host.encode())).sample(KEYWORDS, 3)
    return page._replace(body=f"{page.body}<p>{'、'.join(words)}</p>")


def maze(host: str, path: str, query: Query) -> Page:
    """Ten redirects before each page, which is about something else."""
    place, _, step = path.strip("/").partition("-")
    if int(step or 10) < 10:
        return Page("", "", status=302, location=f"/{place}-{int(step) + 1}")
    return Page("目录", text(path, OTHER), tuple(f"/{zlib.crc32(f'{path}{n}'.encode()):x}-0" for n in range(8)))


def thief(host: str, path: str, query: Query) -> Page:
    """The good pages' texts, all on one host."""
    number = number_in(path) % (GOOD_HOSTS * GOOD_PAGES)
    stolen = f"good{number // GOOD_PAGES}.example/post/{number % GOOD_PAGES}.html"
    return on_topic(stolen, *(f"/post/{(number * 3 + step) % (GOOD_HOSTS * GOOD_PAGES)}.html" for step in range(1, 9)))


def platform(host: str, path: str, query: Query) -> Page:
    """Three posts of one of USERS, who links to two others."""
    user, number = number_in(host), number_in(path)
    if host.startswith("www") or number > 2 or user >= USERS:
        return Page("没有这一页", "", status=404)
    others = [f"http://user{(user * step + step) % USERS}.trap.example/" for step in (3, 7)]
    return on_topic(f"{host}{number}", *(f"/post/{n}.html" for n in range(3) if n != number), *others)


TRAPS: dict[str, Trap] = {
    "calendar": calendar,
    "sessions": sessions,
    "facets": facets,
    "soft-404": soft_404,
    "endless-path": endless_path,
    "mirrors": mirrors,
    "wildcard": wildcard,
    "wildcard-unique": wildcard_unique,
    "slow-wildcard": slow_wildcard,
    "login-wall": login_wall,
    "link-farm": link_farm,
    "listed-farm": listed_farm,
    "parked": parked,
    "honeypot": honeypot,
    "tar-pit": tar_pit,
    "free-users": free_users,
    "many-domains": many_domains,
    "many-entries": many_entries,
    "wordy-domains": wordy_domains,
    "maze": maze,
    "thief": thief,
}
BENIGN: dict[str, Trap] = {"platform": platform}


def entry_of(trap: Trap, page: str) -> str:
    """Where a good page links into the trap."""
    number = zlib.crc32(page.encode())
    if trap in (many_entries, wordy_domains):
        return f"http://www.e{number:x}.example/"
    name = f"pit{number % 20}" if trap is tar_pit else f"user{number % USERS}" if trap is platform else "www"
    return f"http://{name}.trap.example/"


@contextmanager
def serving(trap: Trap) -> Iterator[tuple[str, list[str]]]:
    """The address of the proxy, and the hosts that it was asked for, robots.txt apart."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            host = parts.hostname or ""
            if parts.path in NO_PAGES:
                page = Page("", "", status=404)
            elif host.startswith("good"):
                page = good(host, parts.path, entry_of(trap, host + parts.path))
            else:
                page = trap(host, parts.path, parse_qs(parts.query))
            if parts.path not in NO_PAGES:
                asked.append(host)
            time.sleep(page.seconds)
            body = page.bytes()
            self.send_response(page.status)
            if page.location:
                self.send_header("Location", page.location)
            self.send_header("Via", VIA)
            self.send_header("Content-Type", "application/xml" if page.xml else "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


class Result(NamedTuple):
    requests: int
    tried: int
    good: int
    seconds: float
    ended: str

    @property
    def share(self) -> float:
        return self.tried / max(self.requests, 1)


def crawl(trap: Trap, budget: int, folder: Path, settings: list[str]) -> Result:
    with serving(trap) as (proxy, asked):
        values = [
            f"STORE_URL=sqlite:///{folder / 'harvest.db'}",
            f"PAGE_BUDGET={budget}",
            "INDEX_FILES=False",
            *settings,
        ]
        if trap is tar_pit:
            values.insert(0, "CONCURRENT_REQUESTS_PER_DOMAIN=1")  # the default: here it is what counts
        options = [part for value in values for part in ("-s", value)]
        arguments = ["crawl", "topic", "-a", f"topic={TOPIC}", "-a", "seeds=http://good0.example/", *LOOPBACK, *options]
        began = time.monotonic()
        with (folder / "log").open("w") as log:
            environment = {**os.environ, "http_proxy": proxy, "https_proxy": proxy, "no_proxy": ""}
            done = subprocess.run(
                [*SCRAPY, *arguments], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
        seconds = time.monotonic() - began
    ended = re.search(r"ended +│ ([^│\n]*)", done.stdout)
    wanted = sum(host.startswith("good") for host in asked)
    return Result(
        len(asked), len(asked) - wanted, wanted, seconds, ended[1].strip() if ended else f"exit {done.returncode}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*TRAPS, *BENIGN, []], help="all without a name")
    parser.add_argument("--budget", type=int, default=500, help="pages of a crawl")
    parser.add_argument("-s", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="of Scrapy")
    args = parser.parse_args()
    print(f"{'trap':<16} {'requests':>8} {'tried':>6} {'share':>6} {'good':>5} {'seconds':>8}  ended", flush=True)
    lost = False
    webs = TRAPS | BENIGN
    for name in args.names or webs:
        with tempfile.TemporaryDirectory() as folder:
            found = crawl(webs[name], args.budget, Path(folder), args.settings)
        lost = lost or (name in TRAPS and found.share > ENOUGH)
        row = (
            f"{name:<16} {found.requests:>8} {found.tried:>6} {found.share:>6.1%} {found.good:>5} {found.seconds:>8.0f}"
        )
        print(f"{row}  {found.ended}", flush=True)
    sys.exit(int(lost))


if __name__ == "__main__":
    main()
