"""Elements that a page hides from its readers: by the `hidden` attribute, by their own style, or by a rule of a `style`
element that names one class or id. So are noise against copying and instructions to language models."""

from __future__ import annotations

import re
from functools import lru_cache

from lxml import etree
from lxml.html import HtmlElement

MAX_SHEET = 500_000  # characters of a page's `style` elements that are read
END = r"\s*(?:!|;|$)"
ZERO = r"\s*:\s*(?:0+(?:\.0*)?|\.0+)(?:px|pt|r?em|ex|%|v[wh])?" + END
FAR = r"-\s*(?:[5-9]\d\d|\d{4,}|1\d\d(?=%|v)|[3-9]\d(?=em|rem))"  # out of the window, whatever its size
NO_SIZE = re.compile(rf"(?<![\w-])font-size{ZERO}", re.IGNORECASE)
# Of declarations that hide, one suffices; a box of no size hides what flows over, one that is moved away needs a place.
HIDES = re.compile(
    rf"(?<![\w-])(?:display\s*:\s*none|(?:content-)?visibility\s*:\s*(?:hidden|collapse)"
    rf"|(?:font-size|opacity|zoom){ZERO}|(?:text-indent|margin-(?:left|top))\s*:\s*{FAR}"
    rf"|transform\s*:(?:[^;t]|t(?!ransform))*?(?:scale[XY]?\(\s*0\s*[,)]|translate[XY3d]*\(\s*{FAR})"
    rf"|clip\s*:\s*rect\(\s*(?:0(?:px)?(?:[\s,]+0(?:px)?){{1,3}}|1(?:px)?(?:[\s,]+[01](?:px)?){{1,3}})\s*\)"
    rf"|clip-path\s*:\s*(?:inset\(\s*(?:[5-9]\d|100)%|(?:circle|ellipse)\(\s*0))",
    re.IGNORECASE,
)
SMALL = re.compile(rf"(?<![\w-])(?:max-)?(?:height|width)\s*:\s*(?:0+(?:\.0+)?|1px)(?:px|r?em|%)?{END}", re.IGNORECASE)
CUT = re.compile(r"(?<![\w-])overflow(?:-[xy])?\s*:\s*(?:hidden|clip)", re.IGNORECASE)
AWAY = re.compile(rf"(?<![\w-])(?:left|top|right|bottom)\s*:\s*{FAR}", re.IGNORECASE)
PLACED = re.compile(r"(?<![\w-])position\s*:\s*(?:absolute|fixed)", re.IGNORECASE)
SETS = re.compile(r"display|visibility|opacity|height|width|font-size|clip|left|top|indent|transform", re.IGNORECASE)
COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
BRACE = re.compile(r"([{}])")
NAME, ONE_NAME = re.compile(r"[.#]([\w-]+)"), re.compile(r"[a-zA-Z]{0,10}([.#][\w-]+)")
# What a reader opens: it has the name of a tab or the like, or a control leads to it.
PANES = re.compile(r"tab|pane|accord|toggle|collaps|faq|answer|expand|spoiler|fold", re.IGNORECASE)
OPENERS = "//@aria-controls | //@data-target | //@data-bs-target | //a[starts-with(@href, '#')]/@href"
NOT_TEXT = ("html", "body", "img", "input", "script", "style", "svg", "video", "iframe", "template", "noscript")


def hidden_elements(tree: HtmlElement) -> frozenset[HtmlElement]:
    """Returns the outermost hidden elements, and some of those in them, but not what a reader opens."""
    found = set(tree.iterfind(".//*[@hidden]"))
    rules = _rules("".join(element.text or "" for element in tree.iter("style"))[:MAX_SHEET])
    for element in tree.iter(etree.Element):
        style = element.get("style") or ""
        if style and hides(style):
            names, told = [""], {"": _is_of_no_size(style)}
        elif rules and not SETS.search(style):
            names, told = [*(f".{name}" for name in (element.get("class") or "").split())], rules
            names.append(f"#{(element.get('id') or '').strip()}")
        else:
            continue
        # Size zero closes the gaps between parts that have sizes of their own.
        if any(name in told and not (len(element) and told[name]) for name in names):
            found.add(element)
    opens = {name.strip("#") for name in tree.xpath(OPENERS)} if found else ()
    shown = {each for each in found if each.get("role") == "tabpanel" or each.get("id") in opens}
    shown.update(each for each in found if each.tag in NOT_TEXT or PANES.search(each.get("class") or ""))
    return frozenset(found - shown)


def _is_of_no_size(style: str) -> bool:
    """Whether a style that hides does so by the size of its letters alone."""
    return bool(NO_SIZE.search(style)) and not hides(NO_SIZE.sub("", style))


def hides(style: str) -> bool:
    """Whether declarations of CSS hide an element."""
    return _hides(style) if len(style) < 1000 else _hides.__wrapped__(style)


@lru_cache(maxsize=4096)  # pages of a site repeat its styles
def _hides(style: str) -> bool:
    away, cut = AWAY.search(style) and PLACED.search(style), SMALL.search(style) and CUT.search(style)
    return bool(HIDES.search(style) or away or cut)


@lru_cache(maxsize=16)  # of MAX_SHEET
def _rules(sheet: str) -> dict[str, bool]:
    """Returns the classes and ids with their signs that rules hide, and whether by no size alone. A rule in another one
    depends on the window. A name that any other rule may show again is left out."""
    hiding: dict[str, bool] = {}
    shown: set[str] = set()
    around: list[str] = []  # selectors of the open rules
    parts = BRACE.split(COMMENT.sub("", sheet))
    for before, brace in zip(parts[::2], parts[1::2], strict=False):  # no brace behind the last one
        if brace == "{":
            around.append(before.rpartition(";")[2])
        elif around:
            selectors = around.pop().split(",")
            if not around and hides(before):
                names = (ONE_NAME.fullmatch(each.strip()) for each in selectors)
                hiding |= dict.fromkeys((name[1] for name in names if name), _is_of_no_size(before))
            elif SETS.search(before) and not hides(before):
                shown.update(name for each in selectors for name in NAME.findall(each))
    return {name: told for name, told in hiding.items() if name[1:] not in shown}
