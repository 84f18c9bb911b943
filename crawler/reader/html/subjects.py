"""What a page says that it is about: keywords, tags and categories that its author declares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lxml.html import HtmlElement

from crawler.reader.html.page import Page

MAX_LENGTH = 40  # characters of one subject; longer is a sentence
MOST_SUBJECTS = 15  # subjects of one source; more links of the kind are the site's cloud of tags
LEVELS = 4  # the link and the elements around it whose class or property may call it a tag
# Class of an element that shows other posts or all tags of the site. Of 1,047 labelled pages 24 have a box of similar
# posts, two of them with the page's own tags in it. In widgets and clouds of 3,500 posts: 33 wrong tags, 9 right ones.
OTHERS = re.compile(
    r"(?:^|[^a-z])(?:related|recommended|similar|siblings?|prev[-_]?next"
    r"|widgets?|sidebar|recent|(?:tag)?cloud)(?:[^a-z]|$)"
)
# What links to all tags or posts are called, perhaps with their number: 206 of these posts have one, one as its tag.
ALL = re.compile(r"(?:tags?|categor(?:y|ies)|archives?|posts?|标签|分类|归档|日志|文章)\s*\d*", re.IGNORECASE)
ASIDES, OWN = ("nav", "aside"), ("article", "main")  # whose links are the site's; the page's own

ITEM = frozenset({"keywords", "about", "articlesection"})  # properties of schema.org
WORDS = r"(?:tags?|categor(?:y|ies)|taxonomy|keywords?|topics?)"
CLASS = re.compile(rf"(?:^|[^a-z]){WORDS}(?:[^a-z]|$)")
ADDRESS = re.compile(rf"/{WORDS}/[^/?#]", re.IGNORECASE)  # of the page of one tag


def subjects(page: Page, text: str = "") -> tuple[str, ...]:
    """Returns the subjects as written, each once, at most 2 * MOST_SUBJECTS. Meta keywords count only if alone, and
    those alone that are in the text: many sites, and intruders, set the same ones on all pages. `text`: the page's
    title and body; "": what its lines say."""
    declared = page.declared
    if found := _clean(_clean([*declared.tags, *declared.ld_tags])[:MOST_SUBJECTS] + _links(page.tree)):
        return tuple(found)
    keywords = _clean(declared.keywords)[:MOST_SUBJECTS]
    said = (text or "\n".join([declared.title, *(line.raw for line in page.layout.lines)])).lower() if keywords else ""
    return tuple(keyword for keyword in keywords if keyword.lower() in said)


def _links(tree: HtmlElement) -> list[str]:
    """Returns the texts of links that are marked as tags; if there are too many, only those inside of the article.
    Where none is marked, of links that lead from the article to the page of a tag."""
    marked: dict[str, bool] = {}  # by class attribute
    links = list(tree.iter("a"))
    texts = list(_outside_menus(link for link in links if _is_tag(link, marked))) or [
        (text, is_own)
        for text, is_own in _outside_menus(link for link in links if ADDRESS.search(link.get("href") or ""))
        if is_own
    ]
    found = _clean(text for text, _ in texts)
    if len(found) > MOST_SUBJECTS:
        found = _clean(text for text, is_own in texts if is_own)
    return found if len(found) <= MOST_SUBJECTS else []


def _outside_menus(links: Iterable[HtmlElement]) -> Iterator[tuple[str, bool]]:
    """The text of each link, and whether it is in the article."""
    for link in links:
        text = "".join(link.itertext()).strip()
        if not text or len(text) > 2 * MAX_LENGTH:
            continue
        if next(link.iterancestors(ASIDES), None) is None and not _is_of_others(link):
            yield text, next(link.iterancestors(OWN), None) is not None


def _is_of_others(link: HtmlElement) -> bool:
    """Whether it is in a box of other posts; what holds the page's own heading is not."""
    return any(
        OTHERS.search(box.get("class", "").lower()) and box.find(".//h1") is None for box in link.iterancestors()
    )


def _is_tag(link: HtmlElement, marked: dict[str, bool]) -> bool:
    rel = link.get("rel")
    if rel and "tag" in rel.lower().split():
        return True
    element = link
    for _ in range(LEVELS):
        item = element.get("itemprop")
        if item and not ITEM.isdisjoint(item.lower().split()):
            return True
        name = element.get("class")
        if name:
            known = marked.get(name)
            if known is None:
                known = marked[name] = CLASS.search(name.lower()) is not None
            if known:
                return True
        element = element.getparent()
        if element is None:
            break
    return False


def _clean(texts: Iterable[str]) -> list[str]:
    """Collapses blanks, removes the sign of a tag, and keeps each text once."""
    found: dict[str, None] = {}
    for text in texts:
        text = " ".join(text.split()).lstrip("#").strip()
        if text and len(text) <= MAX_LENGTH and not ALL.fullmatch(text):
            found[text] = None
    return list(found)
