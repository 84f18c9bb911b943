"""Under what terms a page may be used, as it says itself: by links to licences, rel=license, meta tags, JSON-LD, and in
words, Chinese and English.

A statement counts if it is about the page or its site. One about a picture, a font or the site's design is about that
alone, and one within the body may be what the body is about: it needs a subject ("this post", "本文") or rel=license.
Nothing is concluded from silence, nor from a copyright sign. Two statements that differ are both told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml.html import HtmlElement

from crawler.reader.html.blocks import Line
from crawler.reader.html.declared import LICENCE_RELS as REL
from crawler.reader.html.page import Page

PAGE, SITE = "page", "site"  # scopes
METAS = ("license", "licence", "dcterms.license", "dc.rights", "dcterms.rights", "copyright", "rights")
RESERVED = "all rights reserved"
NO_REPRINT = "no reprint"  # without permission
WITH_SOURCE = "reprint with source"
NONCOMMERCIAL = "noncommercial reprint with source"
REPRINTED = "reprinted from elsewhere"  # so that a site's own licence says nothing of it
LONGEST_STATEMENT = 300  # characters of a line that states a licence; a longer one is prose that may be about one
NOTE = 200  # characters of it that are kept

DEED = re.compile(
    r"(?:https?:)?//(?:[\w-]+\.)?creativecommons\.org/(?:licen[sc]es/(?P<kind>[a-z-]+)(?:/(?P<version>\d\.\d))?"
    r"|publicdomain/(?P<public>zero|mark)(?:/(?P<edition>\d\.\d))?)",
    re.I,
)
PUBLIC = {"zero": "CC0", "mark": "Public Domain Mark"}
# One of these is in every line that says something of the kind.
SIGN = re.compile(
    r"[Cc][Cc][ _-]?(?:[Bb][Yy]|0)|BY-|[Cc]reative|署名|姓名標示|[Rr]eserved|RESERVED|版[权權]|保留[所一全]|[转轉]"
)
_DASH = r"[\s_–—‑－·、-]*"
CODES = re.compile(
    rf"(?<![\w/=])(?:CC{_DASH}BY(?P<cc>(?:{_DASH}(?:NC|ND|SA))*)|BY(?P<by>(?:[–—‑-](?:NC|ND|SA))+))(?![A-Za-z])"
    r"[\s-]*(?P<version>[1-4]\.[05])?|(?<![\w/=非])CC[ -]?(?P<zero>0)(?![A-Za-z\d_.])(?:\s*(?P<edition>1\.0))?",
    re.I,
)
ENGLISH = re.compile(
    rf"Creative\s+Commons\W{{0,3}}Attribution(?P<parts>(?:{_DASH}(?:Non-?Commercial|No-?Deriv(?:ative)?s?(?:\s+Works)?"
    rf"|Share-?Alike))*)\W*(?P<version>[1-4]\.[05])?",
    re.I,
)
CHINESE = re.compile(
    rf"(?:署名|姓名[标標]示)(?P<parts>(?:{_DASH}(?:非商[业業]性?(?:使用)?|非商用|相同方式[共分]享|禁止(?:演[绎繹]|改作|衍生)))*)"
    r"[\s(（-]*(?P<version>[1-4]\.[05])?"
)
OF_CHINESE = re.compile(r"知[识識]共享|[创創]用|[创創]作共[用享]|许可|協議|协议|[1-4]\.[05]|CC")  # beside a bare 署名
PARTS = {"NC": r"NC|non-?comm|非商", "ND": r"ND|no-?deriv|禁止", "SA": r"SA|share-?alike|相同"}

THINGS = re.compile(
    r"[图圖]片|照片|[图圖]源|[插题題配][图圖]|封面|[头頭][图圖]|壁[纸紙]|[图圖][标標]|字[体體]|主[题題]|模板|素材|音[乐樂]|[视視][频頻]"
    r"|photo|picture|image|\bicon|\bfont|\blogo|\btheme|template|\bdesign|artwork|illustration|music|video|dataset"
    r"|source code|unsplash|pexels|pixabay",
    re.I,
)
SUBJECT = re.compile(
    r"(?P<site>[本此][站网網]|本[博网網][客站誌志]|[所全][有部]文章|[全站][站内內]|博客(?:内容|文章)|除特[别別][声聲]明|本[论論][坛壇]"
    r"|this (?:web ?)?(?:site|blog|wiki)|all (?:posts|articles|content|text)|blog content|except (?:where|as)"
    r"|documentation|content (?:on|of|is|follows))"
    r"|(?P<page>[本此原][文篇]|[本此][作页頁][品面]|文章.{0,4}(?:采用|採用|版[权權])|作品采用"
    r"|(?:this|the) (?:work|post|page|article|entry|text|document|tutorial|book)|unless otherwise)",
    re.I,
)
OF_THINGS = re.compile(r"本[站博].{0,3}(?:[图圖]片|照片|[图圖][标標]|主[题題]|字[体體])")
ALL_RESERVED = re.compile(r"all rights? reserved|版[权權]所有(?![者人])|保留(?:所有|一切|全部)[权權]利", re.I)
COMMERCIAL = re.compile(
    r"非商[业業用]性?[转轉][载載]|禁止.{0,4}商[业業用].{0,4}[转轉][载載]|(?<!非)商[业業用]性?[转轉][载載].{0,4}[联聯][系繫絡络]"
)
FORBIDDEN = re.compile(
    r"(?<![^\W文章站客均])(?:禁止|[谢謝][绝絕]|[请請]勿|不得|[严嚴]禁|拒[绝絕]|不[许許允])[^，。,;；商]{0,6}[转轉][载載](?!的)"
    r"|未[经經][^。;；]{0,14}(?:[许許]可|授[权權]|允[许許]|同意)[^。;；]{0,8}[转轉][载載]"
    r"|[转轉][载載].{0,6}(?:[联聯][系繫絡络]|授[权權]|[经經].{0,6}(?:同意|[许許]可))"
)
SOURCE = re.compile(r"[转轉][载載](?![自于於])[^。;；]{0,14}(?:[注註]明|[标標]明|附上|[带帶]上|保留)")
OTHERS = re.compile(r"^\W{0,4}(?:本文|原文|文章)?[转轉](?:[载載]?自|[载載]\s*[:：]\s*http)")
OF_OTHERS = re.compile(r"^\W{0,4}[转轉][载載]?(?:\s*[:：-]|\s*[\]】)）])")  # of a title, which other pages may list
OF_ANOTHER = ("figure", "figcaption", "picture", "pre", "template")  # elements of pictures and programs
QUOTATIONS = ("blockquote", "q")  # what they allow, somebody else does
OF_VISITORS = re.compile(  # class, id
    r"(?:^|\s)(?:[\w-]*(?:comments?|commentlist|repl(?:y|ies)|guestbook|reviews?)(?:[-_]?(?:list|body|content|text|area|item"
    r"|box|wrap|wrapper|section|thread|main|inner|\d+))*|disqus_thread|gitalk|valine|twikoo|waline|utterances|giscus"
    r"|pinglun|liuyan|留言|评论)(?=\s|$)",
    re.I,
)
UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])", re.I
)
QUOTED = re.compile(r"[“「『\"][^“”「」『』\"]*[”」』\"]")
FOOTER = re.compile(r"(?:^|[\s_-])(?:site|page|main|blog)?-?footer(?:$|[\s_-])|^colophon$", re.I)  # class, id
OWN_FOOTER = re.compile(r"article|post|entry", re.I)


@dataclass(frozen=True, slots=True)
class Licence:
    """What a page says; empty where it says nothing."""

    name: str = (
        ""  # "CC BY-SA 4.0", the address of another licence, or NO_REPRINT and the like; "; " parts those that differ
    )
    scope: str = ""  # PAGE or SITE: what the first is about
    note: str = ""  # the page's own words


NONE = Licence()


def licence_of(page: Page, body: str) -> Licence:
    """What the page says of its use. `body`: what was extracted of it."""
    found: dict[str, Licence] = {}
    for each in (*_declared(page), *_shown(page, body)):
        found.setdefault(each.name, each)
    names = agreed(list(found))
    if not names:
        return NONE
    notes = dict.fromkeys(found[name].note for name in names)
    return Licence("; ".join(names), found[names[0]].scope, " | ".join(note for note in notes if note))


def agreed(names: list[str]) -> list[str]:
    """The names but those that another says more exactly: a licence without its version, and what it asks for."""
    kept = [name for name in names if not any(other.startswith(f"{name} ") for other in names)]
    open_ones = [name for name in kept if name.startswith("CC ")]
    asked = {WITH_SOURCE} if open_ones or NONCOMMERCIAL in kept or NO_REPRINT in kept else set()
    if open_ones and all("-NC" in name for name in open_ones):
        asked.add(NONCOMMERCIAL)
    if RESERVED in kept and NO_REPRINT in kept:  # one and the same
        asked.add(RESERVED)
    return [name for name in kept if name not in asked]


def named(url: str, rel: str = "") -> str:
    """The licence that a link names, "" when it names none."""
    deed = DEED.match(url)
    if deed is None:
        is_address = url.startswith(("http://", "https://")) and "creativecommons.org" not in url
        return url if is_address and REL.intersection(rel.lower().split()) else ""
    if deed["public"]:
        return f"{PUBLIC[deed['public'].lower()]} {deed['edition'] or '1.0'}"
    parts = deed["kind"].upper().strip("-")
    return _cc(parts, deed["version"]) if "BY" in parts or deed["version"] else ""


def in_words(text: str) -> list[str]:
    """The licences of Creative Commons that a text names."""
    found = []
    for match in CODES.finditer(text):
        if match["zero"]:
            found.append("CC0 1.0")
        else:
            found.append(_cc("BY" + (match["cc"] or match["by"] or ""), match["version"]))
    found += [_cc("BY" + match["parts"], match["version"]) for match in ENGLISH.finditer(text)]
    for match in CHINESE.finditer(text):
        if match["parts"] or OF_CHINESE.search(text):
            found.append(_cc("BY" + match["parts"], match["version"]))
    return found


def _cc(parts: str, version: str | None) -> str:
    """ "CC BY-NC-SA 4.0" of any way to write it, in the order of today: once it was BY-ND-NC."""
    kind = "-".join(["BY"] * ("BY" in parts) + [code for code, form in PARTS.items() if re.search(form, parts, re.I)])
    return f"CC {kind} {version}" if version else f"CC {kind}"


def _declared(page: Page) -> Iterator[Licence]:
    """Yields the licences that the head declares."""
    declared = page.declared
    texts = [declared.metas[name] for name in METAS if name in declared.metas]
    texts += declared.licences
    for text in texts:
        name = named(text, "license")
        for each in [name] if name else [*in_words(text), *_terms(text)]:
            yield Licence(each, PAGE, text[:NOTE])


def _shown(page: Page, body: str) -> Iterator[Licence]:
    """Yields the licences that the page shows to a reader."""
    if OF_OTHERS.search(page.declared.title):
        yield Licence(REPRINTED, PAGE, page.declared.title[:NOTE])
    has_links = "creativecommons" in page.markup or "licen" in page.markup
    for line in page.layout.lines:
        text = line.text
        if len(text) > LONGEST_STATEMENT:
            continue
        text = QUOTED.sub(_without_statement, text)
        marked, deeds = _linked(line) if has_links and line.links else ((), ())
        if not (marked or deeds or SIGN.search(text)):
            continue
        subject = SUBJECT.search(text)
        if OF_THINGS.search(text) or (THINGS.search(text) and not subject) or _is_of_another(line):
            continue
        in_body = bool(line.text) and line.text in body
        if OTHERS.search(text):
            yield Licence(REPRINTED, PAGE, text[:NOTE])
        names = [*marked]
        if line.block.tag in QUOTATIONS or next(line.block.iterancestors(QUOTATIONS), None) is not None:
            names = []
        elif not in_body or subject:
            names += [*deeds, *in_words(text)]
        names += _terms(text, in_body)
        scope = SITE if (subject and subject["site"]) or (not subject and _in_footer(line.block)) else PAGE
        yield from (Licence(name, scope, text[:NOTE]) for name in dict.fromkeys(names))


def _linked(line: Line) -> tuple[list[str], list[str]]:
    """The licences that its links are marked to name, and the deeds to which others lead."""
    linked = [(span.element.get("href") or "", span.element.get("rel") or "") for span in line.links]
    marked = [name for url, rel in linked if REL.intersection(rel.lower().split()) and (name := named(url, rel))]
    return marked, [name for url, _ in linked if "creativecommons" in url and (name := named(url))]


def _terms(text: str, in_body: bool = False) -> Iterator[str]:
    """Other terms, in words. Programs that bodies show say, too, that all rights are reserved."""
    if COMMERCIAL.search(text):
        yield NONCOMMERCIAL
    elif FORBIDDEN.search(text):
        yield NO_REPRINT
    elif SOURCE.search(text):
        yield WITH_SOURCE
    if not in_body and ALL_RESERVED.search(text):
        yield RESERVED


def _without_statement(quoted: re.Match[str]) -> str:
    """The words of somebody else about their own work; a licence's name in quotation marks stays."""
    return "" if SUBJECT.search(quoted[0]) else quoted[0]


def _is_of_another(line: Line) -> bool:
    """Whether the line is of a picture, a program or a quotation, a visitor's, or not to be seen."""
    inner = [span.element for span in line.links]
    return any(_is_apart(element) for start in (line.block, *inner) for element in (start, *start.iterancestors()))


def _is_apart(element: HtmlElement) -> bool:
    if element.tag in OF_ANOTHER or element.get("hidden") is not None or UNSEEN.search(element.get("style") or ""):
        return True
    look = f"{element.get('class') or ''} {element.get('id') or ''}"
    return element.tag not in ("html", "body") and OF_VISITORS.search(look) is not None


def _in_footer(block: HtmlElement) -> bool:
    for element in (block, *block.iterancestors()):
        look = f"{element.get('class') or ''} {element.get('id') or ''}"
        if (element.tag == "footer" or FOOTER.search(look)) and not OWN_FOOTER.search(look):
            return next(element.iterancestors("article"), None) is None
    return False
