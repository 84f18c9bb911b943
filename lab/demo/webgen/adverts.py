"""The host that every banner leads to."""

from __future__ import annotations

from collections.abc import Iterator

from lab.demo.webgen.articles import random_for
from lab.demo.webgen.markup import items
from lab.demo.webgen.model import Link, Page, address
from lab.demo.webgen.plan import AD_PAGES, ADS
from lab.demo.webgen.words import Common


def advert_pages(common: Common) -> Iterator[Page]:
    yield Page(ADS, "/", "ad", _markup("优惠大全", "".join(common.ad_sentences), range(1, 9)), "优惠大全")
    for number in range(1, AD_PAGES + 1):
        random = random_for(ADS, number)
        title = f"{random.choice(common.ad_titles)}第{number}期"
        text = "".join(random.sample(common.ad_sentences, 3))
        others = sorted(random.sample(range(1, AD_PAGES + 1), 3))
        yield Page(ADS, f"/ad/{number}.html", "ad", _markup(title, text, others), title)


def _markup(title: str, text: str, others: range | list[int]) -> str:
    links = items(Link(address(ADS, f"/ad/{number}.html"), f"更多优惠 {number}") for number in others)
    head = f"<head><meta charset=utf-8><title>{title}</title></head>"
    return f"<html>{head}<body><h1>{title}</h1><p>{text}</p><ul>{links}</ul></body></html>"
