"""Articles behind which a site appends other stories in full, composed of labelled pages: does the body end in time?

    python -m lab.extraction.streams DIR... [--pages 200] [--seed 1]

DIR: folders of labelled pages (`lab.extraction.labelled`). Into the page of a short Chinese article, behind the element
of its body or the one around that, go the bodies of eight articles of other pages, as elements, each as a card with a
headline and a date in one of nine forms. The label stays. Printed: mean body F1 and the share lost (below .5), of the
pages as they were and with the streams, by form. What the model was trained on is not left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from html import escape
from pathlib import Path
from random import Random
from statistics import mean

from lxml import html
from lxml.html import HtmlElement

from crawler.extract.default.best import best
from crawler.html.page import Page
from lab.extraction.labelled import LabelledPage, labelled_pages
from lab.extraction.scores import LOST, bag, tokens

SHORT = 700  # characters of an article that gets a stream
STORIES = 8
ENDS = 40  # characters by which a body's first and last line are found again
TIGHT = 1.5  # an element with more text than this times the body is not the body's
# Of a card: headline and date. A headline without a link or a date is what articles have inside.
FORMS = {
    "h2, link, date": "<h2><a href='/x{n}'>{title}</a></h2><p class='time'>{day}</p>",
    "h3, link, source and date": "<h3 class='t'><a href='/x{n}'>{title}</a></h3><div>来源：晨报 {day}</div>",
    "h4 in a link": "<a href='/x{n}'><h4>{title}</h4></a><span class='date'>{day}</span>",
    "h1, date": "<h1>{title}</h1><div class='info'>{day}</div>",
    "div, link, date": "<div class='tit'><a href='/x{n}'>{title}</a></div><em>{day}</em>",
    "h2, link, no date": "<h2><a href='/x{n}'>{title}</a></h2>",
    "date, h3, link": "<p class='time'>{day}</p><h3><a href='/x{n}'>{title}</a></h3>",
    "date, h3, no link": "<p class='time'>{day}</p><h3>{title}</h3>",
    "link, no date": "<a href='/x{n}'><strong>{title}</strong></a>",
}


@dataclass(frozen=True, slots=True)
class Article:
    label: LabelledPage
    tree: HtmlElement
    body: HtmlElement


def articles(folders: Sequence[Path]) -> Iterator[Article]:
    """The Chinese ones whose body is the text of one element."""
    for label in labelled_pages(*folders):
        if label.language == "zh" and label.kind in ("", "article") and label.body:
            tree = html.document_fromstring(label.markup())
            body = _element_of(tree, label.body)
            if body is not None and len(body.text_content()) <= TIGHT * len(label.body) + 200:
                yield Article(label, tree, body)


def _plain(text: str) -> str:
    return "".join(text.split())


def _element_of(tree: HtmlElement, body: str) -> HtmlElement | None:
    """The smallest element around the body's first and last line."""
    lines = [_plain(line) for line in body.split("\n") if len(_plain(line)) > ENDS // 2]
    if len(lines) < 2:
        return None
    ends = [lines[0][:ENDS], lines[-1][:ENDS]]
    around = [element for element in tree.iter("*") if all(end in _plain(element.text_content()) for end in ends)]
    inner = around[-1] if around else None
    return None if inner is None or inner.tag in ("html", "body") else inner


def composed(article: Article, others: Sequence[Article], form: str, random: Random) -> str:
    mark = {"data-mark": "1"}
    article.body.attrib.update(mark)
    tree = deepcopy(article.tree)
    del article.body.attrib["data-mark"]
    place = tree.xpath("//*[@data-mark]")[0]
    del place.attrib["data-mark"]
    if random.random() < 0.5 and place.getparent().tag not in ("body", "tr"):
        place = place.getparent()
    stream = html.fragment_fromstring("<div class='more-list'></div>")
    for n, other in enumerate(others):
        day = f"2024-0{random.randint(1, 9)}-1{random.randint(0, 9)} 10:0{random.randint(0, 9)}"
        title = escape(other.label.title or "其他报道")
        card = html.fragment_fromstring(f"<div class='card'>{form.format(n=n, title=title, day=day)}</div>")
        story = deepcopy(other.body)
        story.tail = None
        card.append(story)
        stream.append(card)
    place.addnext(stream)
    return str(html.tostring(tree, encoding="unicode"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random, pool = Random(args.seed), list(articles(args.folders))
    short = [article for article in pool if len(article.label.body or "") <= SHORT]
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in FORMS}
    for number in range(args.pages):
        article, name = random.choice(short), list(FORMS)[number % len(FORMS)]
        others = random.sample([other for other in pool if other.label.group != article.label.group], STORIES)
        truth, url = tokens(article.label.body), article.label.url
        plain = best(Page(article.label.markup(), url)).body
        behind = best(Page(composed(article, others, FORMS[name], random), url)).body
        found[name].append((bag(truth, tokens(plain))[2], bag(truth, tokens(behind))[2]))
    print(f"{len(pool)} articles, {len(short)} of them short\n")
    print("| form | as it was | with a stream | lost |\n|---|---|---|---|")
    for name, scores in [*found.items(), ("mean", [score for own in found.values() for score in own])]:
        before, after = zip(*scores, strict=True)
        print(f"| {name} | {mean(before):.3f} | {mean(after):.3f} | {mean(score < LOST for score in after):.3f} |")


if __name__ == "__main__":
    main()
