"""Formulas as their authors wrote them, in TeX: `$...$` in a line, `$$...$$` where they stand alone.

Pages show a formula as hundreds of elements (KaTeX, MathJax), as a picture, or only once a script has run. Most keep
its source: in an annotation, an attribute, or the script element itself. MathML without a source is written as TeX; the
libraries for it on PyPI were last released in 2019 and 2024. Powers and indices in plain text get "^" and "_".
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from lxml.html import HtmlElement

from crawler.reader.html.invisible import REFUSED

SOURCES = ("annotation", "math", "script", "img", "span", "mjx-container", "sup", "sub")
TEX = re.compile(r"(?:application/x-|text/x-|math/)?(?:la)?tex\b", re.I)  # an encoding, a type
# Elements that hold a formula's source and a rendering of it, the outermost of which is the formula; what shows it
# again, or until a script has run.
HOLDER = re.compile(
    r"(?:^|\s)(?:katex(?:-display)?|mwe-math-element|ztext-math|math|MathJax(?:_Display|_SVG(?:_Display)?|_CHTML)?)"
    r"(?:\s|$)"
)
RENDERED = re.compile(
    r"(?:^|\s)(?:MathJax(?:_Preview|_Display|_SVG(?:_Display)?|_CHTML)?|MJX_Assistive_MathML)(?:\s|$)"
)
PICTURE = re.compile(r"(?:^|[\s_-])(?:tex|latex|ee_img|equation|mwe-math-fallback-image-\w+)(?:$|[\s_-])")  # classes
ADDRESS = re.compile(r"(?:/equation\?tex=|codecogs\.com/[\w./]+\?|[?&]latex=|/cgi-bin/mathtex\.cgi\?)([^&#]+)")
DELIMITED = re.compile(r"\s*(?:\$\$(.+?)\$\$|\$([^$]+)\$|\\\((.+?)\\\)|\\\[(.+?)\\\])\s*", re.S)
STYLE = re.compile(r"\{\\(?:display|text)style\s*(.*)\}", re.S)  # around each formula of an encyclopaedia
DISPLAY = re.compile(r"display|\b(?:block|true)\b")  # in a type, a class, or the attribute of that name
AROUND = frozenset(["semantics", "math", "span", "div", "mjx-container", "mjx-assistive-mml"])
LEVELS = 6  # elements around a formula, one of which is its holder
DEEPEST = 60  # elements of MathML in each other; what is deeper is written without them
TOLD = "zhuti-told"  # name of elements within a formula that is told
# Powers and indices: a number, a letter or a short sum, behind a number, a bracket, or one or two letters. Marks of
# notes are behind words, and ordinals are letters.
BASE = re.compile(r"(?:[\d)\]]|(?<![A-Za-z])[A-Za-zΑ-ω]{1,2}|(?:log|lim|max|min|sin|cos|tan))$")
LONGEST_BASE = 8  # characters of it that are looked at
RAISED = re.compile(r"[-+−]?\d{1,3}|[a-zA-Zα-ω](?:\s?[-+−]\s?\d)?")
ORDINAL = re.compile(r"\d$")
LOWERED = re.compile(r"\d{1,3}|[a-z]{1,3}(?:\s?[-+−,]\s?[\da-z]{1,2})?")
# MathML elements of two and three parts, and how TeX writes them.
PARTS = {
    "mfrac": "\\frac{{{0}}}{{{1}}}",
    "mroot": "\\sqrt[{1}]{{{0}}}",
    "msup": "{{{0}}}^{{{1}}}",
    "msub": "{{{0}}}_{{{1}}}",
    "msubsup": "{{{0}}}_{{{1}}}^{{{2}}}",
    "mover": "\\overset{{{1}}}{{{0}}}",
    "munder": "\\underset{{{1}}}{{{0}}}",
    "munderover": "{{{0}}}_{{{1}}}^{{{2}}}",
}
PLAIN = re.compile(r"^\{(.)\}(?=[_^])")  # a base that needs no braces


def tell_formulas(tree: HtmlElement) -> None:
    """Puts the source of each formula into the tree, in place of what shows it. A page without any costs less to walk
    than its markup costs to search for signs of one."""
    for element in list(tree.iter(*SOURCES)):
        if element.tag in ("sup", "sub"):
            _raise(element)
        elif element.tag in SOURCES and (source := _source(element)):
            _replace(element, source)


def _source(element: HtmlElement) -> str:
    """The TeX of which an element tells, "" if it tells of none."""
    match element.tag:
        case "annotation":
            return element.text or "" if TEX.search(element.get("encoding") or "") else ""
        case "script":
            return element.text or "" if TEX.match(element.get("type") or "") else ""
        case "img":
            return _of_picture(element)
        case "math":
            if any(TEX.search(each.get("encoding") or "") for each in element.iter("annotation")):
                return ""  # it comes next
            return element.get("alttext") or _tex(element, 0)
        case "span":
            if element.get("data-tex"):
                return element.get("data-tex") or ""
            name = element.get("class") or ""
            whole = DELIMITED.fullmatch(element.text or "") if "math" in name and not len(element) else None
            return whole[0] if whole else ""
        case _:
            return ""


def _of_picture(image: HtmlElement) -> str:
    if address := ADDRESS.search(image.get("src") or ""):
        return image.get("alt") or unquote(address[1].replace("+", " "))
    alt = image.get("alt") or ""
    return alt if PICTURE.search(image.get("class") or "") or DELIMITED.fullmatch(alt) else ""


def _replace(element: HtmlElement, source: str) -> None:
    """Makes an element, or the holder of it, a `span` with the source alone, and takes away what shows it before."""
    holder, shown = element, f"{element.get('type')} {element.get('display')} {element.get('class')}"
    for _, each in zip(range(LEVELS), element.iterancestors(), strict=False):
        if each.tag not in AROUND:
            break
        if each.tag in ("math", "mjx-container") or HOLDER.search(each.get("class") or ""):
            holder = each
            shown += f" {each.get('class')} {each.get('display')}"
    before = holder.getprevious()
    while element.tag == "script" and before is not None and not (before.tail or "").strip():
        if not RENDERED.search(before.get("class") or ""):
            break
        rendered, before = before, before.getprevious()
        _become(rendered, "")
    whole = DELIMITED.fullmatch(source)
    text = next(part for part in whole.groups() if part) if whole else source
    text = (inner[1] if (inner := STYLE.fullmatch(text.strip())) else text).strip()
    alone = DISPLAY.search(shown) or (whole and (whole[1] or whole[4]))
    mark = "$$" if alone else "$"
    if text:
        _become(holder, f"{mark}{text}{mark}")


def _become(element: HtmlElement, text: str) -> None:
    for inner in list(element.iterdescendants()):
        inner.tag = TOLD
    for child in list(element):
        element.remove(child)
    element.attrib.clear()  # by their names broken ones cannot be deleted: lxml reads names that it refuses to write
    element.tag, element.text = "span", REFUSED.sub("", text)


def _raise(element: HtmlElement) -> None:
    """Writes a power or an index of plain text as a reader sees it: n^2, H_2O."""
    own = "".join(element.itertext()).strip()
    pattern, mark = (RAISED, "^") if element.tag == "sup" else (LOWERED, "_")
    if not pattern.fullmatch(own) or next(element.iter("a"), None) is not None:
        return
    parent, before = element.getparent(), element.getprevious()
    if parent is None or element.get("id") or element.get("class"):
        return
    text = (parent.text or "") if before is None else before.tail or "".join(before.itertext())
    text = text[-LONGEST_BASE:]
    if BASE.search(text) and not (mark == "^" and own.isalpha() and ORDINAL.search(text)):
        element.text = REFUSED.sub("", mark + (element.text or "").lstrip())


def _tex(element: HtmlElement, depth: int) -> str:
    """MathML as TeX. Signs stay what they are: TeX reads them."""
    if depth > DEEPEST:
        return "".join(element.itertext())
    parts = [_tex(child, depth + 1) for child in element if isinstance(child.tag, str)]
    if element.tag in PARTS and len(parts) == PARTS[element.tag].count("{{{") + (element.tag == "mroot"):
        return PLAIN.sub(r"\1", PARTS[element.tag].format(*parts))
    match element.tag:
        case "msqrt":
            return f"\\sqrt{{{''.join(parts)}}}"
        case "mtext":
            return f"\\text{{{' '.join((element.text or '').split())}}}"
        case "mtable":
            return "\\begin{matrix}" + " \\\\ ".join(parts) + "\\end{matrix}"
        case "mtr":
            return " & ".join(parts)
        case "mfenced":
            return (element.get("open") or "(") + ",".join(parts) + (element.get("close") or ")")
        case "annotation" | "annotation-xml":
            return ""
        case _:
            return " ".join((element.text or "").split()) + "".join(parts)
