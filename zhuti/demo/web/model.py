"""The words of the generator: hosts as planned, articles as written, pages as saved."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import quote


class SiteStyle(StrEnum):
    NEWS = "news"
    BLOG = "blog"
    FORUM = "forum"
    TABLE = "table"  # as pages were laid out about 2005


@dataclass(frozen=True, slots=True)
class Host:
    name: str
    title: str
    style: SiteStyle
    articles: dict[str, int]  # topic -> how many
    friends: tuple[str, ...] = ()  # hosts it links to
    encoding: str = "utf-8"  # of the bytes
    declared: str = "utf-8"  # in <meta>
    content_type: str | None = None  # header; None: what the file's ending says
    ends_early: bool = False  # </html> is before <body>
    first_year: int = 2017
    drafts: dict[str, int] = field(default_factory=dict)  # articles behind DRAFTS, which robots.txt forbids
    robots: str = ""


DRAFTS = "/drafts/"


@dataclass(frozen=True, slots=True)
class Subject:
    slug: str
    name: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Article:
    host: str
    path: str
    topic: str
    subject: Subject
    title: str
    author: str
    published: str  # YYYY-MM-DD
    paragraphs: tuple[str, ...]  # of a thread: the posts
    writers: tuple[str, ...] = ()  # of a thread: who wrote each post

    @property
    def url(self) -> str:
        return address(self.host, self.path)


@dataclass(frozen=True, slots=True)
class DemoLink:
    url: str
    text: str


@dataclass(frozen=True, slots=True)
class DemoPage:
    """A page and the truth about it."""

    host: str
    path: str  # not percent-encoded; "/" at its end stands for index.html in it
    kind: str
    markup: str
    title: str = ""
    topic: str = ""  # "" for pages that are about nothing
    published: str = ""
    author: str = ""
    body: str = ""
    copy_of: str = ""  # address of the page whose text it repeats

    @property
    def url(self) -> str:
        return address(self.host, self.path)


def address(host: str, path: str) -> str:
    return f"http://{host}{quote(path)}"
