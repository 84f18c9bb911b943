"""A layout for every style."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.demo.webgen.around import Around
from lab.demo.webgen.layouts import blog, forum, news, table
from lab.demo.webgen.model import Article, Host, Style


@dataclass(frozen=True, slots=True)
class Layout:
    frame: Callable[[Host, Around, str, str], str]  # host, around, title, main part -> the page
    article: Callable[[Host, Article, Around], str]  # -> the main part


LAYOUTS = {
    Style.NEWS: Layout(news.frame, news.article),
    Style.BLOG: Layout(blog.frame, blog.article),
    Style.FORUM: Layout(forum.frame, forum.article),
    Style.TABLE: Layout(table.frame, table.article),
}


def laid_out(host: Host, around: Around, title: str, main: str) -> str:
    return LAYOUTS[host.style].frame(host, around, title, main)
