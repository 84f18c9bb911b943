"""A recorded web whose sites can be searched, which no recording can: for trials of a crawler that asks them.

Every other host says so by an OpenSearch description, the others by a form on each page. The search knows the posts of
the host, and not its lists: those in whose title or text all words of the query stand, titles first, PER_PAGE at a
time. Posts are told by their looks. They are read once, into a SQLite file.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterator
from html import escape
from pathlib import Path
from urllib.parse import parse_qs, quote
from zlib import crc32

from crawler.reader.extract.own_text import own_text
from crawler.reader.html.page import Page
from crawler.reader.html.post_likeness import likeness_to_post
from crawler.reader.papers.title import find_title
from crawler.reader.text.charset import decode
from lab.errors import ReplayError
from zhuti.demo.recorded.base import HTML, Answer
from zhuti.demo.recorded.files import INDEX, FileWeb, type_of

SEARCH = "/-search"  # path of the results; no recorded site has it
DESCRIPTION = "/-opensearch.xml"
PER_PAGE = 10
POST = 0.5  # likeness from which on a page is a post
LONGEST = 200  # characters of a result's text that are shown
HEAD, BODY = re.compile(rb"</head>", re.IGNORECASE), re.compile(rb"<body[^>]*>", re.IGNORECASE)
LINK = f'<link rel="search" type="application/opensearchdescription+xml" href="{DESCRIPTION}">'.encode()
FORM = f'<form role="search" action="{SEARCH}"><input type="search" name="q"></form>'.encode()
SCHEMA = """
CREATE TABLE posts (host TEXT, target TEXT, title TEXT, text TEXT);
CREATE INDEX by_host ON posts (host);
"""


class SearchableWeb:
    """A recording (`base.Recording`) with searches."""

    def __init__(self, web: FileWeb, file: Path) -> None:
        """`file`: where the posts are, or are to be written. Raises ReplayError."""
        self._web = web
        try:
            if not file.exists():
                _write(web, file)
            self._posts = sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True, check_same_thread=False)
            self._posts.execute("SELECT host, target, title, text FROM posts LIMIT 0")
        except (sqlite3.Error, OSError) as error:
            raise ReplayError(f"{file}: cannot be used ({error}); give --search another file") from error

    @property
    def hosts(self) -> Collection[str]:
        return self._web.hosts

    @property
    def pages(self) -> int:
        return self._web.pages

    @property
    def aliases(self) -> bytes | None:
        return self._web.aliases

    def find(self, scheme: str, host: str, target: str) -> Answer | None:
        path, _, query = target.partition("?")
        if scheme == "http" and path == SEARCH:
            return self._results(host, parse_qs(query))
        if scheme == "http" and path == DESCRIPTION:
            return Answer(200, (("Content-Type", "application/opensearchdescription+xml"),), _description(host))
        answer = self._web.find(scheme, host, target)
        is_page = answer is not None and "text/html" in dict(answer.headers).get("Content-Type", "")
        return Answer(answer.status, answer.headers, _searchable(host, answer.body)) if answer and is_page else answer

    def close(self) -> None:
        self._posts.close()
        self._web.close()

    def _results(self, host: str, query: dict[str, list[str]]) -> Answer:
        words, page = query.get("q", [""])[0].lower().split(), int(query.get("page", ["1"])[0])
        found = [row for row in self._of(host) if words and all(word in f"{row[1]} {row[2]}".lower() for word in words)]
        found.sort(key=lambda row: -sum(word in row[1].lower() for word in words))
        shown = found[(page - 1) * PER_PAGE : page * PER_PAGE]
        items = "".join(
            f'<article><h2><a href="{escape(target)}">{escape(title)}</a></h2><p>{escape(text[:LONGEST])}</p></article>'
            for target, title, text in shown
        )
        onward = f"{SEARCH}?q={quote(' '.join(words))}&amp;page={page + 1}"
        more = f'<a rel="next" href="{onward}">下一页</a>' if len(found) > page * PER_PAGE else ""
        text = f'<nav><a href="/">首页</a></nav><main><h1>{len(found)}</h1>{items}{more}</main>'
        markup = f"<!DOCTYPE html><html><head><title>搜索</title></head><body>{text}</body></html>"
        return Answer(200, (("Content-Type", HTML),), markup.encode())

    def _of(self, host: str) -> list[tuple[str, str, str]]:
        return self._posts.execute("SELECT target, title, text FROM posts WHERE host = ?", (host,)).fetchall()


def _searchable(host: str, markup: bytes) -> bytes:
    """The page, which says where its site is searched."""
    if crc32(host.encode()) % 2:
        return HEAD.sub(lambda end: LINK + end[0], markup, count=1)
    return BODY.sub(lambda start: start[0] + FORM, markup, count=1)


def _description(host: str) -> bytes:
    template = f"http://{host}{SEARCH}?q={{searchTerms}}&amp;page={{startPage?}}"
    name = "http://a9.com/-/spec/opensearch/1.1/"
    markup = f'<OpenSearchDescription xmlns="{name}"><Url type="text/html" template="{template}"/>'
    return f"{markup}</OpenSearchDescription>".encode()


def _write(web: FileWeb, file: Path) -> None:
    partial = file.with_name(f"{file.name}.partial")
    partial.unlink(missing_ok=True)
    with sqlite3.connect(partial) as connection:
        connection.executescript(SCHEMA)
        connection.executemany("INSERT INTO posts VALUES (?, ?, ?, ?)", _posts(web))
    connection.close()
    partial.rename(file)


def _posts(web: FileWeb) -> Iterator[tuple[str, str, str, str]]:
    for host, target in _html_pages(web):
        answer = web.find("http", host, target)
        if answer is None or answer.status != 200:
            continue
        page = Page(decode(answer.body, None)[0], f"http://{host}{target}")
        if likeness_to_post(page) >= POST:
            title = find_title(page).text
            yield host, target, title or target, own_text(page, title)


def _html_pages(web: FileWeb) -> Iterator[tuple[str, str]]:
    """Host and target of each file that is served as HTML."""
    for name in sorted(web._blobs.names()):
        host, slash, path = name.partition("/")
        if host in web.hosts and slash and type_of(name) == HTML:
            folder, _, file = path.rpartition("/")
            target = f"/{folder}/" if folder and file == INDEX else "/" if path == INDEX else f"/{path}"
            yield host, quote(target, errors="surrogateescape")
