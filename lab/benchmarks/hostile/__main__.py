"""What the web can do to a crawl, case by case: tried, survived, lost.

    python -m lab.benchmarks.hostile [pages servers addresses files traps] [--only WORD]

Hostile pages and servers are each crawled beside a good host of 300 pages, through one server on loopback that answers
for both. A case is survived when the crawl ends in order within 60 s with all good pages, no process of it takes more
than 1 GB, and the good host is fetched from at least half as fast as alone. Archives, robots.txts and index files are
read by a process of their own, with the same limits. Disguised addresses are links of one crawl, and survived when
nothing was asked of a server on 127.0.0.1. A trap (lab/benchmarks/traps.py) is survived when it takes at most 10 % of
500 pages.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from lab.benchmarks import traps
from lab.benchmarks.hostile.addresses import DISGUISES
from lab.benchmarks.hostile.files import CASES
from lab.benchmarks.hostile.pages import MORE, PAGES
from lab.benchmarks.hostile.servers import SERVERS, Server, answer, once, say
from lab.benchmarks.replayed import LOOPBACK, SCRAPY

SECONDS = 60.0
MEGABYTES = 1024
SPEED = 0.5  # of the good host alone
GOOD = 300  # pages of the good host: alone some seconds, more than one hostile page may take
BAD = ("http://bad.example/a", "http://bad.example/b")
SETTINGS = (
    "DOWNLOAD_TIMEOUT=10",
    "RETRY_TIMES=1",
    "LINK_SCORER=bfs",
    "INDEX_FILES=False",
    "CONTACT=hostile@benchmark.test",
)
LOOK_EVERY = 0.1  # seconds


class Result(NamedTuple):
    lost: str  # why it was not survived; "" if it was
    seconds: float
    megabytes: float  # of the largest process
    speed: float = 0.0  # good pages a second


class Proxy:
    """Answers for the good host, and for all others as the server under test."""

    def __init__(self) -> None:
        self.server: Server = once(lambda: answer())
        self.times: list[float] = []  # when good pages were asked for

    def handle(self, handler: socketserver.BaseRequestHandler) -> None:
        words = handler.request.recv(65536).split(b" ", 2)
        if len(words) < 3:
            return
        parts = urlsplit(words[1].decode("latin-1"))
        if parts.hostname != "good.example":
            say(handler.request, self.server, parts.path)
            return
        number = int("0" + re.sub(r"\D", "", parts.path))
        if parts.path == "/robots.txt" or number >= GOOD:
            body = answer(b"", status="404 Not Found")
        else:
            self.times.append(time.monotonic())
            links = (f"/{next_}.html" for next_ in range(4 * number + 1, 4 * number + 5) if next_ < GOOD)
            body = answer(traps.on_topic(f"good{number}", *links).bytes())
        handler.request.sendall(body)


@contextmanager
def serving(proxy: Proxy) -> Iterator[str]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            proxy.handle(self)

    class Listening(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True
        request_queue_size = 100

        def handle_error(self, *_: object) -> None:
            """The other side may go away."""

    with Listening(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_address[1]}"
        listening.shutdown()


def largest(group: int) -> float:
    """Megabytes that the largest process of the group has had at the most."""
    most = 0.0
    for process in (path for path in Path("/proc").iterdir() if path.name.isdecimal()):
        try:
            if os.getpgid(int(process.name)) == group:
                found = re.search(r"VmHWM:\s+(\d+)", (process / "status").read_text())
                most = max(most, int(found[1]) / 1024 if found else 0.0)
        except OSError:  # it has ended
            continue
    return most


def watched(command: list[str], environment: dict[str, str]) -> tuple[int, str, float, float]:
    """Exit status, what was printed, seconds and megabytes of a command that is ended after twice its time."""
    began, most = time.monotonic(), 0.0
    with tempfile.TemporaryFile("w+", errors="replace") as out:
        process = subprocess.Popen(
            command, cwd=traps.ROOT, env=environment, stdout=out, stderr=out, start_new_session=True
        )
        while process.poll() is None and time.monotonic() - began < 2 * SECONDS:
            time.sleep(LOOK_EVERY)
            most = max(most, largest(process.pid))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        out.seek(0)
        return status, out.read(), time.monotonic() - began, most


def crawl(proxy: Proxy, url: str, server: Server | None) -> Result:
    """A crawl of the good host, beside a server or alone."""
    proxy.times.clear()
    proxy.server = server or proxy.server
    seeds = ",".join(["http://good.example/", *(BAD if server else ())])
    with tempfile.TemporaryDirectory() as folder:
        values = [f"STORE_URL=sqlite:///{folder}/harvest.db", f"PAGE_BUDGET={2 * GOOD}", *SETTINGS]
        options = [part for value in values for part in ("-s", value)]
        command = [*SCRAPY, "crawl", "topic", "-a", f"topic={traps.TOPIC}", "-a", f"seeds={seeds}", *LOOPBACK, *options]
        environment = {**os.environ, "http_proxy": url, "https_proxy": url, "no_proxy": ""}
        status, said, seconds, most = watched(command, environment)
    good = len(set(proxy.times))
    speed = good / (proxy.times[-1] - proxy.times[0]) if good > 1 else 0.0
    lost = f"exit {status}: {said.strip()[-300:]}" if status else "a traceback" if "Traceback" in said else ""
    if lost == "a traceback":
        lost += f": {said[said.rindex('Traceback') :][-300:]}"
    lost = lost or (f"{good} good pages" if good < GOOD else "")
    return limited(Result(lost, seconds, most, speed))


def limited(found: Result) -> Result:
    """With what it has lost by time and memory."""
    if found.seconds > SECONDS:
        return found._replace(lost=f"{found.seconds:.0f} s; {found.lost}")
    if found.megabytes > MEGABYTES:
        return found._replace(lost=f"{found.megabytes:.0f} MB; {found.lost}")
    return found


def beside_a_good_host(servers: dict[str, Callable[[], Server]]) -> Iterator[tuple[str, Result]]:
    proxy = Proxy()
    with serving(proxy) as url:
        alone = crawl(proxy, url, None).speed
        for name, make in servers.items():
            found = crawl(proxy, url, make())
            if not found.lost and found.speed < SPEED * alone:
                alone = crawl(proxy, url, None).speed  # the machine may have got slower
            if not found.lost and found.speed < SPEED * alone:
                found = found._replace(lost=f"{found.speed:.1f} good pages a second, alone {alone:.1f}")
            yield name, found


def page_server(make: Callable[[], str]) -> Server:
    body = answer(f"<html><head><meta charset=utf-8></head>{make()}".encode("utf-8", "surrogatepass"))
    missing = answer(b"", status="404 Not Found")
    return lambda path: iter([body if path in ("/a", "/b", *MORE) else missing])


def pages() -> Iterator[tuple[str, Result]]:
    return beside_a_good_host({name: lambda make=make: page_server(make) for name, make in PAGES.items()})  # type: ignore[misc]


def servers() -> Iterator[tuple[str, Result]]:
    return beside_a_good_host({name: lambda server=server: server for name, server in SERVERS.items()})  # type: ignore[misc]


def files() -> Iterator[tuple[str, Result]]:
    for name, case in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "case"
            path.write_bytes(case.make())
            command = [sys.executable, "-m", "lab.benchmarks.hostile.files", case.kind, str(path)]
            status, said, seconds, most = watched(command, {**os.environ, "TMPDIR": folder})
            left = sorted(found.name for found in Path(folder).iterdir())
        last = said.strip().splitlines()[-1:] or ["nothing"]
        told = json.loads(last[0])[0] if status == 0 else f"exit {status}: {last[0][:100]}"
        lost = "" if status == 0 and told.startswith(case.answer) else told
        lost = lost or ("" if left == ["case"] else f"it left {left}")
        yield name, limited(Result(lost, seconds, most))


def addresses() -> Iterator[tuple[str, Result]]:
    """All disguises in one crawl, as links and as targets of redirects."""
    asked: list[str] = []

    def inner(path: str) -> Iterator[bytes]:
        asked.append(path)
        return iter([answer()])

    with listening("127.0.0.1", inner) as port:
        forms = [f"{url.removesuffix('/').removesuffix(':80')}:{port}/{n}" for n, url in enumerate(DISGUISES)]

        def outer(path: str) -> Iterator[bytes]:
            if path == "/robots.txt":
                return iter([answer(b"", status="404 Not Found")])
            if path.startswith("/to"):
                return iter([answer(b"", f"Location: {forms[int(path[3:])]}", status="302 Found")])
            links = [*forms, *(f"/to{n}" for n in range(len(forms)))]
            return iter([answer(traps.on_topic("addresses", *links).bytes())])

        with listening("127.0.0.2", outer) as own, tempfile.TemporaryDirectory() as folder:
            values = [f"STORE_URL=sqlite:///{folder}/harvest.db", "ALLOW_ADDRESSES=127.0.0.2/32", *SETTINGS]
            options = [part for value in values for part in ("-s", value)]
            seeds = f"seeds=http://127.0.0.2:{own}/"
            command = [*SCRAPY, "crawl", "topic", "-a", f"topic={traps.TOPIC}", "-a", seeds, *LOOPBACK, *options]
            environment = {**os.environ, "http_proxy": "", "https_proxy": "", "no_proxy": "*"}
            status, _, seconds, most = watched(command, environment)
    for number, url in enumerate(DISGUISES):
        reached = f"/{number}" in asked or (number == 0 and "/robots.txt" in asked)
        lost = "it was asked" if reached else f"exit {status}" if status else ""
        yield url, limited(Result(lost, seconds, most))


@contextmanager
def listening(address: str, server: Server) -> Iterator[int]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            words = self.request.recv(65536).split(b" ", 2)
            say(self.request, server, words[1].decode("latin-1") if len(words) > 1 else "/")

    class Listening(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Listening((address, 0), Handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found.server_address[1]
        found.shutdown()


def trapped() -> Iterator[tuple[str, Result]]:
    for name, trap in traps.TRAPS.items():
        with tempfile.TemporaryDirectory() as folder:
            found = traps.crawl(trap, 500, Path(folder), [])
        lost = f"{found.share:.1%} of the requests" if found.share > traps.ENOUGH else ""
        yield name, Result(lost, found.seconds, 0.0)


GROUPS = {"pages": pages, "servers": servers, "addresses": addresses, "files": files, "traps": trapped}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []], help="all without one")
    parser.add_argument("--only", default="", help="cases whose names contain this")
    args = parser.parse_args()
    for table in (PAGES, SERVERS, CASES, traps.TRAPS):
        for name in [name for name in table if args.only not in name]:
            del table[name]
    rows = []
    for group in args.groups or GROUPS:
        tried, lost, slowest, most = 0, 0, 0.0, 0.0
        for name, found in GROUPS[group]():
            tried, lost = tried + 1, lost + bool(found.lost)
            slowest, most = max(slowest, found.seconds), max(most, found.megabytes)
            told = f"LOST: {found.lost}" if found.lost else "survived"
            print(
                f"{group}: {name}: {told} ({found.seconds:.1f} s, {found.megabytes:.0f} MB, {found.speed:.1f} good/s)",
                flush=True,
            )
        rows.append(f"| {group} | {tried} | {tried - lost} | {lost} | {slowest:.0f} s | {most:.0f} MB |")
    print("\n| | tried | survived | lost | slowest | largest process |\n|---|---|---|---|---|---|")
    print("\n".join(rows))
    sys.exit(int(any(" 0 |" not in row.split("| ", 4)[4] for row in rows)))


if __name__ == "__main__":
    main()
