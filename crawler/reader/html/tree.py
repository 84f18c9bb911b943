"""From markup to a tree, whatever the markup is (papers.md 1.2, 4.2). A page is parsed once; nothing changes its tree.

Line numbers beside programs are not part of the page's text. Highlighters put them into a table cell beside the
program, or before each of its lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from crawler.reader.html import formulas, stamps
from crawler.reader.html.invisible import drop_invisible, has_invisible

# Class names: Discuz's boxes, the two generations of SyntaxHighlighter, and the tables of GitHub and its likes.
BOX = frozenset(["blockcode", "dp-highlighter", "syntaxhighlighter"])
TABLE = frozenset(["js-file-line-container", "code-table", "rouge-line-table", "hljs-ln"])
LINES = frozenset(["container"])  # SyntaxHighlighter's lines, beside its numbers
LINE = frozenset(["line", "code-line", "view-line", "src-line", "CodeMirror-line"])  # an element for each line
VERSES = "line-block"  # of Sphinx, whose lines are those of a poem or an address
MIN_LINES = 2
NUMBERS = frozenset(["gutter"])
KEPT = ("pre", "textarea")
GAPS = ("ol", "table", "tbody", "tr", "div")  # elements in which blanks between two lines mean nothing


def mark_programs(tree: HtmlElement, gone: str) -> None:
    """Makes programs that a page shows without it `pre`: a list or a table of lines, an element for each line, `code`
    with line breaks. `gone` becomes the name of what is beside them: line numbers, and the button that copies
    them."""
    for element in list(tree.iter("div", "table", "code")):
        program = _program(element, gone)
        if program is not None and next(program.iterancestors(KEPT), None) is None:
            _close_gaps(program)
            program.tag = "pre"


def _program(element: HtmlElement, gone: str) -> HtmlElement | None:
    """Returns the element that holds the lines of a program and nothing else, if this one is such a program's: what
    holds it, or its first line."""
    if element.tag == "code":
        return element if next(element.iter("br"), None) is not None else None
    names = element.get("class", "").split()
    if not LINE.isdisjoint(names) and element.getprevious() is None and _is_lines(element.getparent()):
        return element.getparent()
    if element.tag == "table" and not TABLE.isdisjoint(names):
        return element
    if BOX.isdisjoint(names) or next(element.iter("pre"), None) is not None:
        return None
    for part in list(element.iter("td", "em")):  # no program has a word in `em`: it is Discuz's button
        if part.tag == "em" or _named(part, NUMBERS):
            part.tag = gone
    lines = [each for each in element.iter("div") if _named(each, LINES)]
    return lines[0] if lines else next(element.iter("ol"), None)


def _is_lines(element: HtmlElement) -> bool:
    if element.tag != "div" or len(element) < MIN_LINES or VERSES in element.get("class", ""):
        return False
    return all(child.tag == "div" and _named(child, LINE) for child in element)


def _named(element: HtmlElement, names: frozenset[str]) -> bool:
    return not names.isdisjoint(element.get("class", "").split())


def _close_gaps(program: HtmlElement) -> None:
    for element in program.iter(*GAPS):
        if element.text and element.text.isspace() and len(element):
            element.text = None
        for child in element:
            if child.tail and child.tail.isspace() and "\xa0" not in child.tail:
                child.tail = None


# All elements have one class: lxml.html looks the class up by tag name, which costs a fifth of walking a page.
ELEMENT_CLASS = etree.ElementDefaultClassLookup(element=HtmlElement)
MAX_DEPTH = 1000  # elements; libxml2 throws away the rest of a page that nests deeper than 2,048
# Elements of forms and media that are never closed hold the rest of the page; others hold less text in blocks.
CONTROLS = ("button", "select", "option", "object", "video", "audio", "canvas", "svg", "datalist")
IN_NO_CONTROL = ("p", "h1", "h2", "h3", "h4", "article", "main", "section", "footer", "table", "div", "li")
MAX_CONTROL = 400  # characters
GONE = "zhuti-gone"  # name of an element that is to be removed: `drop_tag` joins texts, and raises ValueError where one
# of them holds a control character
EMPTY_PAGE = b"<html><body></body></html>"

# The parser drops everything after the first end of the document, and many sites end it early. So these tags are
# removed: the parser ends an open body with the page. Inside of scripts and comments they have no meaning either.
DOCUMENT_END = re.compile(rb"</(?:[bB][oO][dD][yY]|[hH][tT][mM][lL])\s*>")  # in bytes twice as fast as in text
# What a page says to readers without frames is markup, as in `noscript`; to the parser it is text.
WITHOUT = re.compile(rb"<(/?)no(?:frames|embed)(?=[\s/>])", re.IGNORECASE)
SHADOW = re.compile(rb"<template(?=\s[^<>]*\bshadowrootmode\b)", re.IGNORECASE)  # browsers show what is in it
# A title that is never closed would hold the whole page.
TITLE_END = re.compile(rb"</[tT][iI][tT][lL][eE]")
TITLE = re.compile(rb"<[tT][iI][tT][lL][eE](?:\s[^>]*)?>")
TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)[^>]*>")
# Elements that only group or decorate. Below MAX_DEPTH they are removed, and their contents stay. Links, scripts and
# everything with a meaning of its own stay.
WRAPPER_TAGS = """
    div span font b i u em strong small big center section article main blockquote ul ol dl li dd dt p
    table tbody tr td th label form sub sup ins del s code pre tt nav aside header footer fieldset
"""
WRAPPERS = frozenset(WRAPPER_TAGS.split())

# libxml2 takes the square of a tag's attributes: 80,000 take it two minutes, MAX_ATTRIBUTES .2 ms. Markup is read by
# the grammar of HTML5 (13.2.5), as libxml2 reads it: a ">" in quotes ends no tag, and what looks like a tag in a
# comment or a program is none. Nothing here is given back once it is matched, and what is never closed goes to the end
# of the page; so it takes one pass, whatever the markup.
MAX_ATTRIBUTES = 200  # of a tag; the rest is left out
MAX_TAGS = 200_000  # of a page, opening and closing ones; the rest is left out. The most of 25,143 real pages: 78,384
MIN_HARMFUL = 20_000  # bytes; in fewer there are no attributes that cost half a second
ATTRIBUTE = rb"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"?+|'[^']*+'?+|[^\s>"'][^\s>]*+)?+)?+"""
ATTRIBUTES = rb"(?:" + ATTRIBUTE + rb"){0,%d}+" % MAX_ATTRIBUTES
COMMENT = rb"<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+)"
BOGUS = rb"<(?:[!?]|/(?![a-zA-Z]))[^>]*+"  # also what comes before the page: <!DOCTYPE html>
# A program within a comment within a program hides the end of the outer one.
INNER = rb"<script(?=[\s/>])(?:[^<-]++|-(?!->)|<(?!/script[\s/>]))*+(?:</script)?+"
ESCAPED = rb"<!--(?!-*>)(?:[^<-]++|-(?!->)|" + INNER + rb"|<(?!/?script[\s/>]))*+"
HOLDERS = b"style textarea title xmp iframe"
SCRIPT = rb"(?:[^<]++|" + ESCAPED + rb"|<(?!/script[\s/>]))*+"
# Elements that hold what looks like tags. They are kept as they are.
HELD = {name: rb"(?:[^<]++|<(?!/" + name + rb"[\s/>]))*+" for name in HOLDERS.split()} | {b"script": SCRIPT}
TAG_NAME = rb"/?[a-zA-Z][^\s/>]*+"
MORE = rb"(?!" + ATTRIBUTE + rb")"
# Without groups: where they are repeated, a possessive pattern of Python 3.11 raises SystemError.
HELD_WITH_FEW = b"|".join(name + rb"(?=[\s/>])" + ATTRIBUTES + MORE + held for name, held in HELD.items())
NOT_HELD = rb"(?!(?:" + b"|".join(HELD) + rb")[\s/>])"
# The usual tags come first: one that ends, and one of a few attributes in quotes.
QUOTED = rb"(?:\s++[a-zA-Z_:-]++=\"[^\"]*+\"){0,9}+"
PLAIN = rb"/[a-zA-Z][a-zA-Z0-9]*+>|" + NOT_HELD + rb"[a-zA-Z][a-zA-Z0-9]*+" + QUOTED + rb"\s*+/?>"
HARMLESS = re.compile(
    rb"(?:[^<]*+<(?:" + PLAIN + rb"|" + NOT_HELD + TAG_NAME + ATTRIBUTES + MORE + rb"|" + HELD_WITH_FEW + rb"|"
    rb"(?=[!?/])(?:" + COMMENT.removeprefix(b"<") + rb"|" + BOGUS.removeprefix(b"<") + rb")|(?![a-zA-Z!?/])))*+[^<]*+",
    re.IGNORECASE,
)
HELD_WITH_MANY = b"|".join(b"(?P<" + name + b">" + name + rb"(?=[\s/>]))" + ATTRIBUTES for name in HELD)
CONTENT = b"".join(b"(?(" + name + b")" + held + b")" for name, held in HELD.items())
TAG_AND_REST = re.compile(
    rb"(?P<kept>" + COMMENT + rb"|" + BOGUS + rb")|"
    rb"(?P<tag><(?:" + HELD_WITH_MANY + rb"|" + TAG_NAME + ATTRIBUTES + rb"))(?:" + ATTRIBUTE + rb")*+"
    rb"(?P<content>" + CONTENT + rb")",
    re.IGNORECASE,
)
LEVELS = 2  # elements from the numbers' `pre` up to their cell
PROGRAMS = ("pre", "code")
FIRST = re.compile(r"\d{1,6}", re.ASCII)  # number of a line


def parse(markup: str) -> HtmlElement:
    """Returns the `html` element of a page. Never raises: an empty page gives an empty body, and broken markup gives
    what it can.

    Text behind an early `</html>` is kept. If a tree is too deep for the parser, its depth is cut, but not its text.
    Line numbers beside programs are left out, and programs are `pre` whatever the page makes of them. Formulas are told
    in TeX, times that are told in words as times, and invisible characters are left out. Callers must not change the
    tree, and must walk it with iterators: it may be too deep for recursion.
    """
    root, whole = _parse(markup)
    if not whole:
        root, whole = _parse(_flattened(markup))
    if root is None:
        root, whole = _parse(EMPTY_PAGE.decode())
    assert root is not None
    _open_controls(root)
    mark_programs(root, GONE)
    drop_gutters(root)
    formulas.tell_formulas(root)
    if stamps.has_times(markup):
        stamps.tell_times(root, markup)
    if has_invisible(markup):
        drop_invisible(root)
    return root


def _open_controls(root: HtmlElement) -> None:
    """Removes the controls that the parser made the home of text, and leaves the text."""
    held: dict[HtmlElement, tuple[int, bool]] = {}  # by control: characters, and whether there is a block
    for control in reversed(list(root.iter(CONTROLS))):  # the inner ones first, so that each element is seen once
        characters, has_block = _held(control, held) if len(control) else (len(control.text or ""), False)
        held[control] = characters, has_block
        if has_block and characters > MAX_CONTROL:
            control.tag = GONE
    etree.strip_tags(root, GONE)


def _held(control: HtmlElement, inner: Mapping[HtmlElement, tuple[int, bool]]) -> tuple[int, bool]:
    """The characters that a control holds, or some more than MAX_CONTROL, and whether it holds a block."""
    characters, has_block = len(control.text or ""), False
    walker = etree.iterwalk(control, events=("start",))
    next(walker)
    for _, element in walker:
        if element in inner:
            more, with_block = inner[element]
            walker.skip_subtree()
        else:
            more, with_block = len(element.text or ""), element.tag in IN_NO_CONTROL
        characters += more + len(element.tail or "")
        has_block = has_block or with_block
        if has_block and characters > MAX_CONTROL:
            break
    return characters, has_block


def _parse(markup: str) -> tuple[HtmlElement | None, bool]:
    """Returns the tree, if there is one, and whether the parser read to the end."""
    # Given as bytes: lxml refuses a str with an XML encoding declaration, and a stated encoding overrides the page's.
    data = DOCUMENT_END.sub(b"", markup.encode("utf-8", "replace").replace(b"\0", b""))
    data = _trimmed(WITHOUT.sub(rb"<\1noscript", SHADOW.sub(b"<div", data)))
    if TITLE_END.search(data) is None:
        data = _with_title_closed(data)
    # Comments in a row take lxml's iterwalk the square of their number. Without them the texts on both sides are one.
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, collect_ids=False, remove_comments=True, remove_pis=True
    )
    parser.set_element_class_lookup(ELEMENT_CLASS)
    try:
        root = etree.fromstring(data, parser)
    except etree.LxmlError:  # "Document is empty"
        return None, True
    last = parser.error_log.last_error
    whole = last is None or last.type != etree.ErrorTypes.ERR_RESOURCE_LIMIT
    return (root if root is not None and root.tag == "html" else None), whole


def _trimmed(data: bytes) -> bytes:
    """The markup without what would kill the parser."""
    if len(data) > MAX_TAGS and data.count(b"<") > MAX_TAGS:  # a page of fewer bytes has fewer tags
        data = data[: next(islice(re.finditer(b"<", data), MAX_TAGS, None)).start()]
    if len(data) < MIN_HARMFUL or HARMLESS.fullmatch(data):
        return data
    return TAG_AND_REST.sub(lambda found: found["kept"] or found["tag"] + found["content"], data)


def _with_title_closed(data: bytes) -> bytes:
    """Returns the markup with its first title ended at the next tag."""
    # No tag ends behind the last ">", but the pattern would look for an end from each place that may begin one.
    opened = TITLE.search(data, 0, data.rfind(b">") + 1)
    if opened is None:
        return data
    end = data.find(b"<", opened.end())
    return data[:end] + b"</title>" + data[end:] if end >= 0 else data + b"</title>"


def _flattened(markup: str) -> str:
    """Returns the markup without the wrappers that are nested deeper than MAX_DEPTH."""
    depth = 0
    end = markup.rfind(">") + 1  # behind it no tag can end, see _with_title_closed

    def flatten(match: re.Match[str]) -> str:
        nonlocal depth
        if match[2].lower() not in WRAPPERS:
            return match[0]
        if not match[1]:
            depth += 1
            return match[0] if depth <= MAX_DEPTH else " "
        depth -= 1
        kept = match[0] if depth < MAX_DEPTH else " "
        depth = max(depth, 0)
        return kept

    return TAG.sub(flatten, markup[:end]) + markup[end:]


def drop_gutters(tree: HtmlElement) -> None:
    """Removes line numbers from the tree: a cell that holds nothing but consecutive numbers in a `pre`, before a cell
    with a `pre` or `code`; and the elements of one kind that number every line of a `pre`. Nearly every blog about
    programming has one or the other."""
    seen: set[HtmlElement] = set()  # a cell may hold thousands of programs: it is looked at once
    for pre in list(tree.iter("pre")):
        cell = _cell(pre)
        if cell is not None and cell not in seen:
            seen.add(cell)
            if _is_gutter(cell):
                cell.tag = GONE
                continue
        if next(pre.iterancestors("pre"), None) is None:  # others are looked at with the outer one
            for number in _line_heads(pre):
                number.tag = GONE
    etree.strip_elements(tree, GONE, with_tail=False)


def _line_heads(pre: HtmlElement) -> list[HtmlElement]:
    """Returns the elements of one tag, class and style that begin every line of a program with its number, or an empty
    list."""
    first = next((text.strip() for text in pre.itertext() if not text.isspace()), "")
    head = next((element for element in pre.iterdescendants() if (element.text or "").strip() == first), None)
    if head is None or not FIRST.fullmatch(first):
        return []
    look = head.get("class"), head.get("style")
    alike = [each for each in pre.iterdescendants(head.tag) if (each.get("class"), each.get("style")) == look]
    # Without children: those that hold one another would be read again and again.
    heads = [element for element in alike if len(element) == 0 and FIRST.fullmatch((element.text or "").strip())]
    numbers = [(element.text or "").strip() for element in heads]
    lines = _text(pre).split("\n")
    opened = len(lines) == len(heads) > 1 and all(map(str.startswith, map(str.lstrip, lines), numbers))
    return heads if opened and _counts(numbers) else []


def _text(element: HtmlElement) -> str:
    return "".join(element.itertext()).strip()


def _cell(pre: HtmlElement) -> HtmlElement | None:
    """Returns the table cell around a `pre`, if it is near enough."""
    element = pre
    for _ in range(LEVELS):
        parent = element.getparent()
        if parent is None:
            return None
        element = parent
        if element.tag == "td":
            return element
    return None


def _is_gutter(cell: HtmlElement) -> bool:
    """Returns whether a cell holds consecutive numbers alone and is beside a cell with a program."""
    beside = cell.getnext()
    if beside is None or next(beside.iter(*PROGRAMS), None) is None:
        return False
    return _counts(" ".join(cell.itertext()).split())


def _counts(words: list[str]) -> bool:
    """Returns whether each number follows on the one before. A single number must be 1."""
    if not words or not FIRST.fullmatch(words[0]):
        return False
    first = int(words[0])
    return words == [str(number) for number in range(first, first + len(words))] and (len(words) > 1 or first == 1)
