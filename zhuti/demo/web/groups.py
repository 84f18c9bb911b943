"""Listings: which articles stand together on tag pages, boards and lists, and under which address."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from zhuti.demo.web.model import DRAFTS, Article, DemoLink, Host, SiteStyle, address
from zhuti.demo.web.words import load_words

PER_PAGE = 10  # articles


@dataclass(frozen=True, slots=True)
class ArticleGroup:
    """Articles under one name, newest first."""

    host: str
    kind: str  # "tag" or "list"
    name: str
    first_path: str
    later_path: str  # with a place for the page's number
    articles: tuple[Article, ...]

    def path(self, number: int) -> str:
        return self.first_path if number == 1 else self.later_path.format(number)

    def link(self, number: int = 1, text: str = "") -> DemoLink:
        return DemoLink(address(self.host, self.path(number)), text or self.name)

    def pages(self) -> Iterator[tuple[int, tuple[Article, ...]]]:
        """Page numbers from 1 and the articles on each."""
        for start in range(0, max(len(self.articles), 1), PER_PAGE):
            yield start // PER_PAGE + 1, self.articles[start : start + PER_PAGE]


def everything(host: Host, articles: list[Article]) -> ArticleGroup:
    paths = {
        SiteStyle.NEWS: ("/list/", "/list/{}.html"),
        SiteStyle.BLOG: ("/page/1/", "/page/{}/"),
        SiteStyle.FORUM: ("/forum-1.html", "/forum-{}.html"),
        SiteStyle.TABLE: ("/doc/index.html", "/doc/index{}.htm"),
    }
    return ArticleGroup(host.name, "list", "全部文章", *paths[host.style], _newest_first(articles))


def groups(host: Host, articles: list[Article]) -> list[ArticleGroup]:
    """Tags are subjects; a forum has a board for each topic; pages of 2005 have neither."""
    if host.style is SiteStyle.TABLE:
        return []
    if host.style is SiteStyle.FORUM:
        return [_board(host, topic, articles) for topic in host.articles]
    subjects = {article.subject.slug: article.subject for article in articles if not is_draft(article)}
    return [_tag(host, slug, subjects[slug].name, articles) for slug in sorted(subjects)]


def is_draft(article: Article) -> bool:
    return article.path.startswith(DRAFTS)


def _board(host: Host, topic: str, articles: list[Article]) -> ArticleGroup:
    members = [article for article in articles if article.topic == topic]
    name = load_words(topic).chinese
    return ArticleGroup(
        host.name, "list", name, f"/board-{topic}-1.html", f"/board-{topic}-{{}}.html", _newest_first(members)
    )


def _tag(host: Host, slug: str, name: str, articles: list[Article]) -> ArticleGroup:
    members = _newest_first([article for article in articles if article.subject.slug == slug])
    if host.style is SiteStyle.BLOG:
        return ArticleGroup(host.name, "tag", name, f"/tags/{name}/", f"/tags/{name}/{{}}/", members)
    return ArticleGroup(host.name, "tag", name, f"/tag/{slug}/", f"/tag/{slug}/{{}}.html", members)


def _newest_first(articles: list[Article]) -> tuple[Article, ...]:
    return tuple(article for article in reversed(articles) if not is_draft(article))
