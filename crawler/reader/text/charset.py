"""From bytes to text, if they are text. What a page says about its own encoding is believed only if the bytes agree."""

from __future__ import annotations

import codecs
import re
from itertools import islice

from resiliparse.parse.encoding import detect_encoding
from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

FALLBACK = "utf-8"
MAX_META = 4096  # bytes searched for a declaration
SAMPLE = 4000  # Chinese characters looked at to judge a reading
MIN_SAMPLE = 20  # with fewer Chinese characters a reading is not judged
MIN_COMMON = 0.04  # share of common characters; Chinese text has 0.2 to 0.4, a wrong reading below 0.02
MAX_BROKEN = 0.02  # share of bytes outside ASCII that may be damaged in a page that is still UTF-8

# Python's codecs for bytes, host names and its own source text: no page is written in them.
NOT_FOR_TEXT_NAMES = """
    base64 bz2 hex quopri rot-13 uu zlib idna punycode undefined unicode-escape raw-unicode-escape
"""
NOT_FOR_TEXT = frozenset(NOT_FOR_TEXT_NAMES.split())
WIDE = ("utf-16", "utf-32")
BEYOND_ASCII = bytes(range(0x80, 0x100))
SEVEN_BIT = frozenset(["iso2022_jp", "iso2022_jp_2", "iso2022_jp_ext", "iso2022_kr", "hz"])

# The most frequent characters, Simplified and Traditional: a quarter of any Chinese text.
COMMON = frozenset(
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都"
    "然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长分日月站网页新闻首版权理数据机电工"
    "這來國個說們為時會對後開點與於過麼還發當無問間關體學經網頁聞權數據機電"
)
HAN = re.compile("[\u3400-\u9fff\ue000-\uf8ff]")  # with private use, where wrong readings end up
SNIFFED = 1024  # first bytes in which a NUL gives a binary file away
UTF16_OR_32 = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")  # byte order marks of text that has NULs
_PAGE = re.compile(  # whatever follows
    rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?(?:\s|<\?xml[^>]*>|<!--(?:[^-]|-(?!->))*-->)*"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|div|table|h1|p|center|font|br|a)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(
    rb"%PDF-|GIF8|\x89PNG|\xff\xd8\xff|RIFF....WEBP|PK\x03\x04|Rar!|7z\xbc\xaf|\x1f\x8b|\xd0\xcf\x11\xe0|ID3|wOF[F2]"
    rb"|(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>|<!--(?:[^-]|-(?!->))*-->|<!DOCTYPE\s+(?!html)[^>]*>|\s)*"
    rb"<(?:[\w.-]+:)?(?:rss|feed|rdf|urlset|sitemapindex|svg|opml|kml|plist)\b",
    re.IGNORECASE | re.DOTALL,
)
_TEXT = bytes([0, *b"\t\n\f\r", *range(0x20, 0x100)])  # what text has, and NUL
_TAG = re.compile(rb"<[!/a-zA-Z]")


def decode(body: bytes, declared: str | None = None) -> tuple[str, str]:
    """Returns the text of a page and the name of the encoding (Python's) in which it was read. Never raises.

    It asks in this order: byte order mark; UTF-8 if it decodes strictly; `declared` (charset of the HTTP header), then
    the page's own declaration, each if it decodes strictly and reads as language; resiliparse's detector. A last
    character that is cut in two is not an error: the page may have been cut at a size limit.
    """
    mark, rest = read_bom(body)
    if mark:
        return body[len(rest or b"") :].decode(mark, "replace"), mark
    wide = _wide(body)
    if wide:
        return body.decode(wide, "replace"), wide
    if body.isascii():
        escaped = next((name for name in _named(body, declared) if name in SEVEN_BIT), None)
        text = _strict(body, escaped or "ascii")
        return (body.decode("ascii"), "utf-8") if text is None or not escaped else (text, escaped)
    text = _strict(body, "utf-8")
    return (text, "utf-8") if text is not None else _legacy(body, _named(body, declared))


def _named(body: bytes, declared: str | None) -> list[str]:
    """Returns the encodings that header and page name, as Python knows them, each once."""
    names = [declared, html_body_declared_encoding(body[:MAX_META])]
    known = [text_encoding(name) for name in names if name]
    return list(dict.fromkeys(name for name in known if name))


def text_encoding(name: str | None) -> str | None:
    """Python's name of an encoding that pages are written in; None for what is not one."""
    try:
        codec = resolve_encoding(name or "")  # as browsers do: gb2312 and gbk are read as gb18030
    except ValueError:  # a NUL in the name
        return None
    return None if codec in NOT_FOR_TEXT else codec


def _legacy(body: bytes, named: list[str]) -> tuple[str, str]:
    """Reads a page that is not clean UTF-8. Returns its text and encoding."""
    readings = [(text, name) for name in named if (text := _strict(body, name)) is not None]
    for text, name in readings:
        if not _single_byte(name) and _reads_well(text):
            return text, name
    text = body.decode("utf-8", "replace")
    if text.count("\ufffd") <= MAX_BROKEN * (len(body) - len(body.translate(None, BEYOND_ASCII))):
        return text, "utf-8"
    detected = text_encoding(detect_encoding(body)) or FALLBACK
    guess = _strict(body, detected)
    if guess is not None and not _single_byte(detected) and _reads_well(guess):
        return guess, detected
    for text, name in readings:  # no better guess than the page's own
        if not name.startswith(WIDE):  # pairs of bytes are always some character: proves nothing
            return text, name
    return body.decode(detected, "replace"), detected


def _strict(body: bytes, name: str) -> str | None:
    """Returns the text, or None if the bytes are not in this encoding. A last character that is cut is left out."""
    try:
        return codecs.getincrementaldecoder(name)("strict").decode(body, False)
    except (UnicodeError, ValueError):
        return None


def _single_byte(name: str) -> bool:
    """Returns whether every byte stands for a character. Then strict decoding proves nothing."""
    return not (name.startswith(("utf", "gb", "big5", "euc", "shift", "cp9", "iso2022")) or name in ("johab", "hz"))


def _reads_well(text: str) -> bool:
    """Returns whether a text is language. A wrong reading of Chinese bytes gives characters that nobody writes."""
    han = [match[0] for match in islice(HAN.finditer(text), SAMPLE)]
    return len(han) < MIN_SAMPLE or sum(map(COMMON.__contains__, han)) >= MIN_COMMON * len(han)


def _wide(body: bytes) -> str | None:
    """Recognises UTF-16 without a mark: in markup every other byte is zero."""
    head = body[:200]
    for name, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if zeros and zeros.count(0) > 0.3 * len(zeros):
            return name
    return None


def is_binary(content: bytes) -> bool:
    """Returns whether the first SNIFFED bytes have a NUL that no byte order mark of UTF-16 or UTF-32 explains."""
    return b"\0" in content[:SNIFFED] and not content.startswith(UTF16_OR_32)


def begins_as_page(content: bytes) -> bool:
    """Returns whether the first thing is a document type or an element of HTML, whatever NUL bytes are among it."""
    return _PAGE.match(content[:SNIFFED].replace(b"\0", b"")) is not None


def is_no_page(content: bytes) -> bool:
    """Returns whether the content is something else than a page, whatever is said of it: a file of another format by
    its first bytes, or bytes with a NUL that are not markup with stray ones."""
    begin = content[:SNIFFED]
    if begins_as_page(content):
        return False
    is_markup = not begin.translate(None, _TEXT) and _TAG.search(begin) is not None
    return _OTHER.match(begin) is not None or (is_binary(content) and not is_markup)


def looks_like_html(content: bytes) -> bool:
    """Returns true for text with at least one tag, and for an empty file; false for binary files and text without
    tags."""
    if not content.strip() or begins_as_page(content):
        return True
    return not is_binary(content) and _TAG.search(content.replace(b"\0", b"")) is not None
