"""Broken pages of every kind, as the web has them, on one host."""

from __future__ import annotations

from collections.abc import Iterator

from zhuti.demo.web.markup import items
from zhuti.demo.web.model import Article, DemoLink, DemoPage, address
from zhuti.demo.web.plan import ATTIC

DEEP = 5000  # nested elements
_NAMES = ("empty", "binary", "deep", "unclosed", "early", "refresh", "error", "gone", "loop-1", "missing")
_HEAD = "<head><meta charset=utf-8><title>阁楼</title>"

# Addresses without a file: status, and where they lead.
ATTIC_RULES: dict[str, dict[str, object]] = {
    address(ATTIC, "/error.html"): {"status": 500},
    address(ATTIC, "/gone.html"): {"status": 410},
    address(ATTIC, "/loop-1.html"): {"status": 302, "location": address(ATTIC, "/loop-2.html")},
    address(ATTIC, "/loop-2.html"): {"status": 302, "location": address(ATTIC, "/loop-1.html")},
}


def attic_pages(sample: Article) -> Iterator[DemoPage]:
    """`sample` lends its text to pages whose text must be found in spite of their markup."""
    links = [DemoLink(address(ATTIC, f"/{name}.html"), f"旧页面 {name}") for name in _NAMES]
    links.append(DemoLink(address(ATTIC, "/manual.pdf"), "手册"))
    main = f"<html>{_HEAD}</head><body><h1>阁楼</h1><ul>{items(links)}</ul></body></html>"
    yield DemoPage(ATTIC, "/", "home", main, "阁楼")
    yield DemoPage(ATTIC, "/empty.html", "empty", "")
    body = "\n".join(sample.paragraphs)
    for path, markup in _broken(sample):
        yield DemoPage(ATTIC, path, "broken", markup, "阁楼", sample.topic, body=body, copy_of=sample.url)


def _broken(sample: Article) -> Iterator[tuple[str, str]]:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in sample.paragraphs)
    back = "<a href='/'>返回</a>"
    yield "/early.html", f"<html>{_HEAD}</head></html><body>{text}{back}</body>"
    yield "/unclosed.html", f"<html>{_HEAD}<body><div><table><td><b>{text.replace('</p>', '')}{back[:-4]}"
    yield "/deep.html", f"<html>{_HEAD}</head><body>{'<div>' * DEEP}{text}{back}"
