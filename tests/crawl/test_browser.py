"""What Chromium makes of pages, hostile ones among them: it has no network, little time and little memory."""

from __future__ import annotations

import asyncio
import shutil
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest

from crawler.crawl import browser
from crawler.crawl.browser import Answer, BrowserGone, Chromium
from crawler.errors import SettingError

T = TypeVar("T")
LONG = 100.0  # seconds, of a machine that is busy with other work
URL = "https://a.example/post"

pytest.importorskip("playwright", reason="pip install zhuti[render]")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not any(map(shutil.which, browser.NAMES)), reason="apt-get install chromium"),
]


@pytest.fixture(autouse=True)
def no_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """No page here is lost because the machine is slow."""
    for name in ("SETTLING", "READING", "CLOSING"):
        monkeypatch.setattr(browser, name, LONG)


def run(job: Callable[[Chromium], Awaitable[T]]) -> T:
    async def whole() -> T:
        chromium = await Chromium.launch("", "Zhuti")
        try:
            return await job(chromium)
        finally:
            await chromium.close()

    return asyncio.run(whole())


class Site:
    """What there is for scripts, and what was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def get(self, url: str, headers: Mapping[str, str]) -> Answer | None:
        self.asked.append(url)
        return Answer(200, {"content-type": "text/plain"}, b"from the site")


FILLS = "document.querySelector('#app').append"
FETCHES = "fetch('/api').then(got => got.text()).then"
REFUSED = """<p>a<img src=/i.png><video src=/v></video><iframe src=/f></iframe><link rel=icon href=/i><script>
fetch('/p', {method: 'POST', body: '1'}).catch(() => 0)
navigator.sendBeacon('/b')
new EventSource('/e')
alert(1)
onbeforeunload = () => 'stay'
const link = document.createElement('a')
link.href = '/file'
link.download = 'file'
link.click()
</script>"""
PAGES = {  # name: markup, what its content must have, what must be asked for
    "fetch": (f"<div id=app></div><script>{FETCHES}(text => {FILLS}(text))</script>", ">from the site<", ["/api"]),
    "style": (
        "<div id=app></div><script>let l = document.createElement('link'); l.rel = 'stylesheet'; l.href = '/s.css'\n"
        f"l.onload = () => {FILLS}('styled'); document.head.append(l)</script>",
        ">styled<",
        [],
    ),
    "leaves": ("<title>t</title><script>location = '/zh/'</script>", '<a href="https://a.example/zh/">', []),
    "data": ('<script type="application/ld+json">{"a": 1}</script><noscript>no</noscript><p>b', '{"a": 1}', []),
    "replaces": ("<p>a<script>Element.prototype.cloneNode = null; document.write('<p>more')</script>", "more", []),
    "refused": (REFUSED, "<p>a<img", []),
    "windows": ("<p>a<script>for (let i = 0; i < 50; i++) window.open('/w' + i)</script>", "<p>a", []),
}
ENDLESS = {  # whose content may be lost
    "loops": "<p>a<script>location.reload(); setInterval(() => location = '/' + Math.random(), 9)</script>",
    "floods": "<p>a<script>for (let i = 0; i < 300; i++) fetch('/f' + i)</script>",
    "spins": "<p>a<script>while (true) {}</script>",
}


async def opened(chromium: Chromium, pages: Mapping[str, str]) -> dict[str, tuple[str, list[str]]]:
    """The content of each, and what it asked for."""
    found = {}
    turns = asyncio.Semaphore(2)

    async def one(name: str) -> None:
        site = Site()
        async with turns:
            found[name] = await chromium.content(URL, pages[name], site.get), site.asked

    await asyncio.gather(*map(one, pages))
    return found


def test_what_pages_make() -> None:
    pages = {name: markup for name, (markup, *_) in PAGES.items()}
    for name, (content, asked) in run(lambda chromium: opened(chromium, pages)).items():
        _, wanted, requests = PAGES[name]
        assert wanted in content, name
        assert asked == [f"https://a.example{path}" for path in requests], name
        assert "<script>" not in content and "<noscript>" not in content, name


def test_pages_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "MOST_ASKED", 100)

    async def job(chromium: Chromium) -> None:
        with monkeypatch.context() as hasty:
            hasty.setattr(browser, "SETTLING", 0.5)
            hasty.setattr(browser, "READING", 0.5)
            for name, (_, asked) in (await opened(chromium, ENDLESS)).items():
                assert len(asked) <= browser.MOST_REQUESTS, name
        after = await opened(chromium, {"after": "<p>a"})
        assert "<p>a" in after["after"][0], "the others did no harm"

    run(job)


@pytest.fixture
def private() -> Iterator[tuple[int, list[str]]]:
    """A port of this machine, and what reached it: connections and datagrams."""
    reached: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        port: int = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        udp.settimeout(30)

        def connections() -> None:
            while True:
                try:
                    tcp.accept()[0].close()
                except OSError:
                    return
                reached.append("connection")

        def datagrams() -> None:
            while True:
                data = udp.recv(99)
                if data == b"end":
                    return
                reached.append("datagram")

        threads = [threading.Thread(target=each, daemon=True) for each in (connections, datagrams)]
        for thread in threads:
            thread.start()
        yield port, reached
        udp.sendto(b"end", ("127.0.0.1", port))
        tcp.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()


class Patient(browser._Opened):
    """Stays until the page has done all that it does, and then for a while: WebRTC takes its time."""

    async def _settle(self, page: Any) -> None:
        await super()._settle(page)
        while not self._leads_to:
            await asyncio.sleep(0.1)
        await asyncio.sleep(2)


REACHING = """<body><img src=http://{at}/img><iframe src=http://{at}/frame></iframe><p>done<script>
const tried = [
    () => fetch("http://{at}/fetch", {{mode: "no-cors"}}).catch(() => 0),
    () => new WebSocket("ws://{at}/ws"),
    () => navigator.sendBeacon("http://{at}/beacon"),
    () => new EventSource("http://{at}/events"),
    () => navigator.serviceWorker.register("/worker.js").catch(() => 0),
    () => new Worker(URL.createObjectURL(new Blob(["fetch('http://{at}/worker').catch(() => 0)"]))),
    () => new WebTransport("https://{at}/transport").ready.catch(() => 0),
    () => document.head.append(Object.assign(document.createElement("link"), {{rel: "preconnect", href: "http://{at}"}})),
    () => {{
        const servers = [{{urls: "stun:{at}"}}, {{urls: "turn:{at}", username: "a", credential: "b"}}]
        const peer = new RTCPeerConnection({{iceServers: servers}})
        peer.createDataChannel("x")
        peer.createOffer().then(offer => peer.setLocalDescription(offer))
    }},
    () => open("http://{at}/window"),
    () => setTimeout(() => location = "http://{at}/navigation", 800),
]
for (const way of tried) try {{ way() }} catch (error) {{}}
setTimeout(() => fetch("/late").then(() => 0), 400)
</script>"""


def test_no_private_address_is_reached(private: tuple[int, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page may fetch goes to the crawl, which refuses such addresses; all else goes nowhere."""
    port, reached = private
    site = Site()
    monkeypatch.setattr(browser, "_Opened", Patient)

    async def job(chromium: Chromium) -> str:
        return await chromium.content("http://a.example/", REACHING.format(at=f"127.0.0.1:{port}"), site.get)

    assert "done" in run(job)
    assert reached == []
    assert "http://a.example/late" in site.asked
    refused_by_the_crawl = {f"http://127.0.0.1:{port}/{name}" for name in ("fetch", "worker")}
    assert set(site.asked) <= {"http://a.example/late", *refused_by_the_crawl}


@pytest.mark.parametrize(
    ("allowed", "is_read"),
    [({}, False), ({"access-control-allow-origin": "https://b.example"}, False)]
    + [({"access-control-allow-origin": who}, True) for who in ("*", "https://a.example")],
)
def test_other_sites_are_read_where_they_allow_it(allowed: dict[str, str], is_read: bool) -> None:
    asked: list[str] = []

    async def get(url: str, headers: Mapping[str, str]) -> Answer:
        asked.append(url)
        return Answer(200, {"content-type": "text/plain", **allowed}, b"secret")

    markup = """<p>a<script>
    fetch("https://inside.example/").then(got => got.text())
        .then(text => fetch("/said?" + text)).catch(() => fetch("/refused"))
    </script>"""
    run(lambda chromium: chromium.content(URL, markup, get))
    assert asked[1:] == ["https://a.example/" + ("said?secret" if is_read else "refused")]


def test_chromium_that_has_ended() -> None:
    async def job(chromium: Chromium) -> None:
        await chromium._browser.close()
        with pytest.raises(BrowserGone):
            await chromium.content(URL, "<p>a", Site().get)

    run(job)


@pytest.mark.parametrize("program", ["no-such-browser", "/bin/false"])
def test_chromium_that_does_not_start(program: str) -> None:
    with pytest.raises(SettingError, match="RENDER_BROWSER"):
        asyncio.run(Chromium.launch(program, "Zhuti"))


def test_the_environment_stays_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MODEL_KEY", "secret")
    told = tmp_path / "told"
    program = tmp_path / "chromium"
    program.write_text(f"#!/bin/sh\n(env; ulimit -d) > {told}\n")
    program.chmod(0o755)
    with pytest.raises(SettingError):
        asyncio.run(Chromium.launch(str(program), "Zhuti"))
    assert "secret" not in told.read_text()
    assert told.read_text().endswith("\n1500000\n")
