"""Files that are not pages of the truth: robots.txt, a sitemap, stubs, binaries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from zhuti.demo.web.around import DemoWeb
from zhuti.demo.web.articles import random_for
from zhuti.demo.web.groups import is_draft
from zhuti.demo.web.model import address
from zhuti.demo.web.outlets import STUB_HOST, STUB_PATH
from zhuti.demo.web.plan import ATTIC

NOISE = 4096  # bytes of a binary file


@dataclass(frozen=True, slots=True)
class RawFile:
    host: str
    path: str
    content: bytes


def raw_files(web: DemoWeb) -> Iterator[RawFile]:
    for host in web.hosts.values():
        if host.robots:
            yield RawFile(host.name, "/robots.txt", host.robots.encode())
        if "Sitemap:" in host.robots:
            yield RawFile(host.name, "/sitemap.xml", _sitemap(web, host.name))
    yield RawFile(STUB_HOST, STUB_PATH, _stub(web.articles[STUB_HOST][-1].url))
    yield RawFile(ATTIC, "/refresh.html", _stub(address(ATTIC, "/early.html")))
    random = random_for(ATTIC)
    yield RawFile(ATTIC, "/binary.html", random.randbytes(NOISE))
    yield RawFile(ATTIC, "/manual.pdf", b"%PDF-1.4\n" + random.randbytes(NOISE))


def _stub(target: str) -> bytes:
    head = f'<head><meta charset=utf-8><meta http-equiv="refresh" content="0; url={target}"></head>'
    return f"<html>{head}<body>正在跳转……</body></html>".encode()


def _sitemap(web: DemoWeb, host: str) -> bytes:
    places = "".join(
        f"<url><loc>{article.url}</loc></url>\n" for article in web.articles[host] if not is_draft(article)
    )
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{places}</urlset>\n'.encode()
