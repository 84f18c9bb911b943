"""What a page declares about itself: title, meta tags, JSON-LD, `time` elements, its own address; and what its
publisher forbids, in its meta tags or its headers (X-Robots-Tag, TDM-Reservation): `noindex` (it is not to be kept),
`nofollow` (its links are not to be followed), `noai` (it is not to train machines) and `tdm-reservation` (text and data
mining is reserved: article 4 of the EU's directive 2019/790, in the form of the W3C's TDM Reservation Protocol). No
other module reads these."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import NamedTuple

from lxml.html import HtmlElement

from crawler.clock import wall_time
from crawler.reader.text.robots_groups import TRAINING, reserves

CRAWLER = "zhuti"  # the name under which rules for this crawler alone are written
ROBOTS_NAMES = frozenset({"robots", CRAWLER})  # of meta tags
NOINDEX = "noindex"
NOFOLLOW = "nofollow"
NOAI = "noai"
TDM = "tdm-reservation"  # the name of the meta tag and of the header; "1" reserves
TDM_POLICY = "tdm-policy"
X_ROBOTS = "x-robots-tag"
FOR_ROBOTS = frozenset({NOINDEX, NOFOLLOW})  # obeyed by ROBOTS_TAGS_OBEY
RSL = "rsl"  # a licence in the form of Really Simple Licensing, of the site or the page
USAGE = "usage"  # a use that is not training, by Content-Usage or Content-Signal
FOR_MINING = frozenset({NOAI, TDM, RSL, USAGE})  # obeyed by MINING_TAGS_OBEY
RULES = {NOINDEX: {NOINDEX}, NOFOLLOW: {NOFOLLOW}, "none": {NOINDEX, NOFOLLOW}, NOAI: {NOAI}}
RULE_BREAK = re.compile(r"[\s,;，；、。]+")
QUOTES = "\"'“”‘’「」＂＇"  # that some write around names and rules
# "otherbot: noindex" is meant for another crawler, and so is what follows up to the next name; "max-snippet: 20" for
# all. A header may name several (Google's documentation of X-Robots-Tag).
FOR_ONE = re.compile(r"(?:^|(?<=[,;，；]))\s*(?!unavailable_after|max-)([\w-]+)\s*[:：]")
UNAVAILABLE = re.compile(r"unavailable_after\s*[:：]\s*([^;；]{1,60})")
SIGNALS = frozenset({"content-signal", "content-usage"})  # headers: Cloudflare's; the IETF's draft of aipref
LICENCE_RELS = frozenset({"license", "licence"})  # of a link
MAX_SCRIPT = 200_000  # characters of a JSON-LD block
MAX_SCRIPTS = 600_000  # characters of all JSON-LD blocks of a page: 20 whole blocks of lists without end take 4 s
MAX_VALUES = 1_000  # of a JSON-LD block
MAX_TITLE = 300  # characters of a title that are looked at
MAX_CONTENT = 5000  # characters of a meta tag
MAX_TIMES = 500  # `time` elements; lists of news have hundreds
MAX_TIME = 100  # characters of a declared time that are looked at
MAX_AUTHORS = 3  # of a JSON-LD block
# JSON-LD is searched, not parsed: much of it is broken, and half of a broken block still tells its title and its date.
# The length of a list is limited: to look for the end of each of many lists up to the script's end takes its square.
LD_VALUE = re.compile(
    r'"(headline|datePublished|keywords|articleSection|license)"\s*:\s*("(?:[^"\\]|\\.)*"|\[[^\]]{0,5000}\])'
)
# Blanks and bracket are one set of characters: as two, a run of blanks could be divided between them in many ways.
LD_AUTHOR = re.compile(r'"author"\s*:[\s\[]*(?:"([^"\\]+)"|\{[^{}]*?"name"\s*:\s*"([^"\\]+)")')
TAG_NAMES = frozenset({"article:tag", "article:section"})  # of the Open Graph protocol
KEYWORD_NAMES = frozenset({"keywords", "news_keywords"})
BREAK = re.compile(r"[,，;；、|]")  # between keywords in one text


def forbidden_by_meta(content: str) -> set[str]:
    """Reads the content of a robots meta tag: some of NOINDEX, NOFOLLOW and NOAI."""
    said = content.lower()
    found = {rule for word in RULE_BREAK.split(said) for rule in RULES.get(word.strip(QUOTES), ())}
    return found | {NOINDEX for date in UNAVAILABLE.findall(said) if _is_past(date)}


def _is_past(written: str) -> bool:
    """Whether a date of `unavailable_after` lies behind us: ISO 8601, or as in mails (RFC 822, 850), and more may
    follow it. A date that cannot be read forbids nothing."""
    for parse in (lambda text: datetime.fromisoformat(text.upper()), parsedate_to_datetime):
        for text in (written.strip(), written.split(",")[0].strip()):
            with suppress(ValueError, OverflowError):
                return parse(text).timestamp() < wall_time()
    return False


def forbidden_by_headers(headers: Iterable[tuple[str, str]], use: str = TRAINING) -> frozenset[str]:
    """Reads all headers, as (name, value): some of NOINDEX, NOFOLLOW, NOAI, TDM and USAGE."""
    found: set[str] = set()
    for name, value in headers:
        if name.lower() == TDM and value.strip() == "1":
            found.add(TDM)
        if name.lower() in SIGNALS and reserves(value, use):
            found.add(by_use(use))
        if name.lower() == X_ROBOTS:
            for agent, rules in _by_agent(value):
                found |= forbidden_by_meta(rules) if agent in ("", CRAWLER) else set()
    return frozenset(found)


def by_use(use: str) -> str:
    """The name under which preferences reserve from this use."""
    return NOAI if use == TRAINING else USAGE


def _by_agent(value: str) -> Iterator[tuple[str, str]]:
    """The rules of an X-Robots-Tag, by the agent that they are meant for; "": all."""
    first, *named = FOR_ONE.split(value)
    yield "", first
    yield from ((agent.lower(), rules) for agent, rules in zip(named[::2], named[1::2], strict=True))


class LdText(NamedTuple):
    """A date of JSON-LD, as the page writes it."""

    text: str
    depth: int  # objects around it; inner ones are of a picture or of what is written about


class Stamp(NamedTuple):
    """A time in an element of its own, as the page writes it."""

    text: str
    marks: str  # class and itemprop of the element, in lower case
    tag: str  # "time", or "abbr" with the time in its title
    pubdate: bool  # whether it is marked as the page's own


@dataclass(slots=True)
class Declared:
    """What a page declares; a field is empty where the page says nothing. Dates are not parsed, and authors may be
    addresses."""

    title: str = ""  # of the head, blanks collapsed
    metas: dict[str, str] = field(default_factory=dict)  # the first by name, property or itemprop in lower case
    tags: list[str] = field(default_factory=list)  # of meta tags: article:tag and article:section
    keywords: list[str] = field(default_factory=list)  # of meta tags, many of them the whole site's
    headlines: list[str] = field(default_factory=list)  # of JSON-LD
    dates: list[LdText] = field(default_factory=list)  # datePublished of JSON-LD
    authors: list[str] = field(default_factory=list)  # of JSON-LD
    licences: list[str] = field(default_factory=list)  # of JSON-LD, those of pictures left out; `link rel=license`
    ld_tags: list[str] = field(default_factory=list)  # keywords and articleSection of JSON-LD
    times: list[Stamp] = field(default_factory=list)
    canonical: str = ""  # `link rel=canonical`, as written
    base: str = ""  # href of `base`, as written
    forbids: set[str] = field(default_factory=set)  # by meta tags for crawlers
    ld_read: int = 0  # characters of JSON-LD that were looked at


def read_declared(tree: HtmlElement) -> Declared:
    """Reads everything in one pass over the tree."""
    declared = Declared()
    for element in tree.iter(*_READERS):
        _READERS[element.tag](declared, element)
    return declared


def _title(declared: Declared, element: HtmlElement) -> None:
    """Takes the first title that has text and is not the title of a drawing."""
    parent = element.getparent()
    if not declared.title and (parent is None or parent.tag != "svg"):
        declared.title = " ".join("".join(element.itertext()).split())[:MAX_TITLE]


def _meta(declared: Declared, element: HtmlElement) -> None:
    content = element.get("content")
    name = element.get("property") or element.get("name") or element.get("itemprop")
    if not name or not content or content.isspace():
        return
    if (element.get("name") or name).strip(QUOTES).strip().lower() in ROBOTS_NAMES:  # whatever else it is called
        declared.forbids |= forbidden_by_meta(content[:MAX_CONTENT])
    name, content = name.strip().lower(), " ".join(content[:MAX_CONTENT].split())
    declared.metas.setdefault(name, content)
    if name in TAG_NAMES:
        declared.tags.append(content)
    elif name == TDM and content == "1":
        declared.forbids.add(TDM)
    elif name in KEYWORD_NAMES:
        declared.keywords += BREAK.split(content)


def _script(declared: Declared, element: HtmlElement) -> None:
    if not is_json_ld(element):
        return
    script = (element.text or "")[: min(MAX_SCRIPT, MAX_SCRIPTS - declared.ld_read)]
    declared.ld_read += len(script)
    depth = at = 0
    for match in islice(LD_VALUE.finditer(script), MAX_VALUES):
        depth += script.count("{", at, match.start()) - script.count("}", at, match.start())
        at = match.start()
        name, literal = match.groups()
        is_list, texts = literal[0] == "[", texts_of(literal)
        if name in ("keywords", "articleSection"):
            declared.ld_tags += texts if is_list else [part for text in texts for part in BREAK.split(text)]
        elif name == "headline" and not is_list:
            declared.headlines += texts
        elif name == "license":
            if "ImageObject" not in script[script.rfind("{", 0, at) : script.find("}", at)]:
                declared.licences += [text[:MAX_TITLE] for text in texts]
        elif not is_list:
            declared.dates += [LdText(text[:MAX_TIME], depth) for text in texts]
    declared.authors += [first or second for first, second in LD_AUTHOR.findall(script)[:MAX_AUTHORS]]


def is_json_ld(script: HtmlElement) -> bool:
    return "ld+json" in (script.get("type") or "").lower()


def _time(declared: Declared, element: HtmlElement) -> None:
    get, tag = element.get, element.tag
    text = get("datetime") or (get("title") if tag == "abbr" else "")
    if text and len(declared.times) < MAX_TIMES:
        marks = f"{get('class') or ''} {get('itemprop') or ''}".lower()
        declared.times.append(Stamp(text[:MAX_TIME], marks, tag, get("pubdate") is not None))


def _link(declared: Declared, element: HtmlElement) -> None:
    rel, href = (element.get("rel") or "").lower().split(), element.get("href") or ""
    if not declared.canonical and "canonical" in rel:
        declared.canonical = href
    if LICENCE_RELS.intersection(rel) and "rsl" not in (element.get("type") or ""):
        declared.licences.append(href.strip()[:MAX_TITLE])


def _base(declared: Declared, element: HtmlElement) -> None:
    declared.base = declared.base or element.get("href") or ""


_READERS = {
    "title": _title,
    "meta": _meta,
    "script": _script,
    "time": _time,
    "abbr": _time,
    "link": _link,
    "base": _base,
}


def texts_of(literal: str) -> list[str]:
    """Returns the text of a JSON string, or the texts of a JSON array; entries of other types are left out.

    The list is empty for broken JSON and for arrays that are nested deeper than Python can read. NUL and halves of
    surrogate pairs are removed: scripts that cut a text in the middle of an emoji leave them behind, and no file and no
    database accepts them.
    """
    try:
        value = json.loads(literal, strict=False)
    except (ValueError, RecursionError):
        return []
    entries = value if isinstance(value, list) else [value]
    return [_encodable(entry) for entry in entries if isinstance(entry, str)]


def _encodable(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "ignore").decode()
