"""Every page of a host: its articles, and the pages of links that lead to them, laid out in the style of the host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from zhuti.demo.web.around import Around, DemoWeb
from zhuti.demo.web.articles import random_for
from zhuti.demo.web.groups import ArticleGroup, everything, groups, is_draft
from zhuti.demo.web.layouts import LAYOUTS
from zhuti.demo.web.markup import anchor, items, row
from zhuti.demo.web.model import DRAFTS, Article, DemoLink, DemoPage, Host, SiteStyle, address
from zhuti.demo.web.plan import BEHIND_TAGS, ML, PORTAL, outlets

LATEST = 12  # articles on a home page
SUMMARY = 40  # characters of an article's text on a home page
SEARCHES = 5  # result pages, which robots.txt forbids
SPECIALS = 3  # links from a tag page to articles that are behind it only


def laid_out(host: Host, around: Around, title: str, main: str) -> str:
    return LAYOUTS[host.style].frame(host, around, title, main)


def article_pages(web: DemoWeb, host: Host) -> Iterator[DemoPage]:
    for article in web.articles[host.name]:
        around = web.around(host, article)
        markup = laid_out(host, around, article.title, LAYOUTS[host.style].article(host, article, around))
        kind = "thread" if host.style is SiteStyle.FORUM else "article"
        body = "\n".join(article.paragraphs)
        yield DemoPage(
            host.name, article.path, kind, markup, article.title, article.topic, article.published, article.author, body
        )


def listing_pages(web: DemoWeb, host: Host) -> Iterator[DemoPage]:
    """Home, all articles, tags or boards."""
    articles = web.articles[host.name]
    yield _home(web, host)
    for group in [everything(host, articles), *groups(host, articles)]:
        for number, members in group.pages():
            yield _listing(web, host, group, number, members)
    drafts = [article for article in articles if is_draft(article)]
    if drafts:
        main = f"<h1>草稿箱</h1><ul>{items(DemoLink(draft.url, draft.title) for draft in drafts)}</ul>"
        yield plain_page(web, host, DRAFTS, "list", "草稿箱", main)


def search_pages(web: DemoWeb, host: Host) -> Iterator[DemoPage]:
    paths = ["/search/", *(f"/search/{number}.html" for number in range(2, SEARCHES + 1))]
    for path, following in zip(paths, [*paths[1:], "/"], strict=True):
        found = random_for("search", path).sample(web.articles[host.name], 8)
        links = [DemoLink(article.url, article.title) for article in found]
        main = f"<h1>搜索结果</h1><ul>{items([*links, DemoLink(address(host.name, following), '继续')])}</ul>"
        yield plain_page(web, host, path, "list", "搜索结果", main)


def plain_page(web: DemoWeb, host: Host, path: str, kind: str, title: str, main: str) -> DemoPage:
    """A page that is about nothing, in its host's layout."""
    return DemoPage(host.name, path, kind, laid_out(host, web.frame(host, path), title, main), title)


def _home(web: DemoWeb, host: Host) -> DemoPage:
    articles = web.articles[host.name]
    latest = everything(host, articles).articles[:LATEST]
    group_links = [group.link() for group in groups(host, articles)]
    drafts = [DemoLink(address(host.name, DRAFTS), "草稿箱")] if host.drafts else []
    gates = row([*group_links, *drafts, *outlets(host)], " ")
    main = f"<h1>{escape(host.title)}</h1>\n<div>{gates}</div>\n{_summaries(latest)}"
    return plain_page(web, host, "/", "home", host.title, main)


def _summaries(articles: Iterable[Article]) -> str:
    return "\n".join(
        f"<div class='item'><h3>{anchor(DemoLink(article.url, article.title))}</h3>"
        f"<p>{escape(article.paragraphs[0][:SUMMARY])}…… {article.published}</p></div>"
        for article in articles
    )


def _listing(web: DemoWeb, host: Host, group: ArticleGroup, number: int, members: tuple[Article, ...]) -> DemoPage:
    title = group.name if number == 1 else f"{group.name} 第 {number} 页"
    entries = "".join(
        f"<li>{anchor(DemoLink(article.url, article.title))} <span>{article.published}</span></li>\n"
        for article in members
    )
    last = max(page for page, _ in group.pages())
    steps = [
        group.link(page, text) for page, text in ((number - 1, "上一页"), (number + 1, "下一页")) if 0 < page <= last
    ]
    special = _special(web, host, group, number)
    main = f"<h1>{title}</h1>\n<ul class='list'>\n{entries}</ul>\n{special}<div class='page'>{row(steps)}</div>"
    around: Around = web.frame(host, group.path(number))
    return DemoPage(host.name, group.path(number), group.kind, laid_out(host, around, title, main), title)


def _special(web: DemoWeb, host: Host, group: ArticleGroup, number: int) -> str:
    """The portal's tag pages of machine learning are the only way to another host's articles."""
    hidden = [article for article in web.articles[BEHIND_TAGS] if article.topic == ML]
    if host.name != PORTAL or group.kind != "tag" or group.articles[0].topic != ML:
        return ""
    chosen = random_for("special", group.name, number).sample(hidden, SPECIALS)
    links = [DemoLink(address(BEHIND_TAGS, "/"), web.hosts[BEHIND_TAGS].title)]
    links += [DemoLink(article.url, article.title) for article in chosen]
    return f"<h3>专题</h3><ul>{items(links)}</ul>\n"
