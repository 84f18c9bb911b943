"""Texts that are at several addresses: redirects, stubs, copies on another host."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

from zhuti.demo.web.around import DemoWeb
from zhuti.demo.web.articles import random_for
from zhuti.demo.web.markup import items
from zhuti.demo.web.model import Article, DemoLink, DemoPage, Host, SiteStyle, address
from zhuti.demo.web.pages import article_pages, plain_page
from zhuti.demo.web.plan import ATTIC, CHAIN, CHAIN_HOST, GATES, MIRROR, MIRRORED, MIRRORED_EACH, ML, PORTAL, chain_step

Rules = dict[str, dict[str, object]]


def mirror_pages(web: DemoWeb) -> Iterator[DemoPage]:
    links: list[DemoLink] = []
    for name in MIRRORED:
        for page in islice(article_pages(web, web.hosts[name]), MIRRORED_EACH):
            copy = _copy(page, len(links) + 1)
            links.append(DemoLink(copy.url, copy.title))
            yield copy
    host = Host(MIRROR, "镜像站", SiteStyle.BLOG, {}, MIRRORED)
    main = f"<h1>{host.title}</h1><ul>{items(links)}</ul>"
    yield plain_page(web, host, "/", "home", host.title, main)


def redirects(web: DemoWeb) -> Rules:
    """The portal counts clicks on its way out; old addresses lead to new ones, step by step."""
    articles = [article for name in web.hosts[PORTAL].friends for article in web.articles[name][-10:]]
    chosen = random_for("gates").sample(articles, GATES)
    rules: Rules = {
        address(PORTAL, f"/go/{number}"): {"status": 302, "location": article.url}
        for number, article in enumerate(chosen, start=1)
    }
    target = next(article for article in web.articles[CHAIN_HOST] if article.topic == ML)
    steps = [*(chain_step(number) for number in range(CHAIN)), target.url]
    rules |= {step: {"status": 301, "location": following} for step, following in pairwise(steps)}
    return rules


def _copy(page: DemoPage, number: int) -> DemoPage:
    note = f'<p>转载自 <a href="{page.url}">原文</a></p></body>'
    markup = page.markup.replace("</body>", note)
    path = f"/copy/{number}.html"
    return DemoPage(
        MIRROR, path, "mirror", markup, page.title, page.topic, page.published, page.author, page.body, page.url
    )


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
