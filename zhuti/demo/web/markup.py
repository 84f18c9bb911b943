"""Pieces of markup that all layouts use."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from zhuti.demo.web.model import Article, DemoLink, Host


def anchor(link: DemoLink, attributes: str = "") -> str:
    return f'<a href="{escape(link.url)}"{attributes}>{escape(link.text)}</a>'


def items(links: Iterable[DemoLink]) -> str:
    return "".join(f"<li>{anchor(link)}</li>\n" for link in links)


def row(links: Iterable[DemoLink], separator: str = " | ") -> str:
    return separator.join(anchor(link) for link in links)


def paragraphs(article: Article, inline: tuple[DemoLink, ...]) -> list[str]:
    """The markup of each paragraph. A link is in the first paragraph that has its words and no other link."""
    left = list(inline)
    markups = []
    for text in article.paragraphs:
        markup = escape(text)
        link = next((link for link in left if link.text in text), None)
        if link is not None:
            left.remove(link)
            markup = markup.replace(link.text, anchor(link), 1)
        markups.append(markup)
    return markups


def meta_charset(host: Host) -> str:
    return f'<meta http-equiv="Content-Type" content="text/html; charset={host.declared}">'


def day_in_words(published: str) -> str:
    year, month, day = published.split("-")
    return f"{year}年{int(month)}月{int(day)}日"
