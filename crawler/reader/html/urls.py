"""One form for each address (papers.md 4.5), and what an address says about its document (4.4)."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import idna
from w3lib.url import safe_url_string

if TYPE_CHECKING:
    from tldextract import TLDExtract

MAX_URL = 2083  # characters; longer ones are traps or data (Scrapy's URLLENGTH_LIMIT)
MAX_HOST, MAX_LABEL = 253, 63  # characters
CACHED_URLS = 8192  # addresses outside of the fast path, mostly a site's navigation; about 4 MB
CACHED_HOSTS = 20_000  # whose registered domain is remembered
DEFAULT_PORTS = {"http": 80, "https": 443}
UNRESERVED = frozenset(string.ascii_letters + string.digits + "-._~")  # RFC 3986 section 2.3
STRIPPED = "".join(map(chr, range(0x21)))  # what browsers strip around an address: C0 controls and blanks

# An address that is canonical as it stands, as most absolute links are: only non-ASCII bytes escaped, no dot segment.
CANONICAL = re.compile(
    r"https?://[a-z0-9-]++(?:\.[a-z0-9-]++)++(?:/(?!\.)(?:[A-Za-z0-9_.~,+=@:-]++|%[89A-F][0-9A-F])*+)++"
    r"(?:\?(?:[A-Za-z0-9_.~,+=@:/&-]++|%[89A-F][0-9A-F])++)?"
)
SITE = re.compile(r"https?://[a-z0-9.-]+(?=/)")  # without a port or the like
PLAIN_HOST = re.compile(r"https?://([a-z0-9.-]+)(?:/|$)")  # what most addresses have: asked for every link seen
HOST = re.compile(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\]")
SESSION = re.compile(r";(?:jsession|php(?:sess)?)id=[^/?#;]*|/\([A-Z]\([0-9a-z]{10,}\)\)(?=/)", re.IGNORECASE)
# Parameters that name a visit or an advertisement and no document. `sid`, `from`, `source` and `ref` name documents on
# some sites: of these a session's hexadecimal digits alone are known, what else changes nothing is learned by host
# (discovery.same_pages). Of 2,190 labelled pages 458 have such links, 3,622 in all.
UNTOLD = re.compile(
    r"(?<=[?&])(?:amp;)*(?:utm_\w+|spm|fbclid|[gy]clid|msclkid|igshid|mc_[ce]id|_ga|hm(?:sr|pl|cu|kw|ci)"
    r"|phpsessid|jsessionid|oscsid|zenid|cfid|cftoken|aspsessionid\w*|sid(?==[0-9a-f]{32}(?:[&#]|$))|_(?==\d{10}))"
    r"=[^&#]*(?:&|(?=#|$))",
    re.IGNORECASE,
)
# An escape. One behind a percent sign that begins none stays as it is: decoded, the two might become another one.
ESCAPE = re.compile(r"(%[0-9A-Fa-f]?(?=%))?%([0-9A-Fa-f]{2})")
LINE_BREAKS = str.maketrans("", "", "\t\r\n")

# File name endings of what is not a page. Endings of pages cannot be listed: /v1.2, /posts/node.js
# and a title with a dot in it are pages (so .js, .net, .io, .ai, .go and .py are left out).
NOT_HTML_ENDINGS = """
    bmp drw dxf eps gif heic ico jpe jpeg jpg mng pct pcx png psd psp pst svg svgz tif tiff webp avif
    aac aif aiff amr ape flac m4a mid midi mp3 ogg opus wav wma
    3g2 3gp asf avi f4v flv m3u8 m4v mkv mov mp4 mpe mpeg mpg ogv qt rm rmvb swf vob webm wmv
    azw3 caj chm csv djvu doc docm docx epub ics mobi mpp ods odp odt pdf pot potx pps ppsx ppt pptm pptx rtf
    sxc sxi sxw tex vsd vsdx wps xls xlsm xlsx xltx xmind
    7z apk appimage bin bz2 cab crx deb dll dmg exe gz iso img ipa jar lz4 lzh msi msu pkg rar rpm sit sitx swp
    tar tbz tgz torrent war whl xpi xz zip zst eot otf ttf woff woff2
    atom bak bib cfg conf crt css dat db diff ini ipynb json jsonl less lock log map markdown md mdx patch pem
    plist rdf rss scss sha1 sha256 sig sql sqlite srt toml tsv txt webmanifest wsdl xml xsd xsl yaml yml
"""
NOT_HTML = frozenset(NOT_HTML_ENDINGS.split())


def canonical(url: str, base: str = "", encoding: str = "utf-8") -> str | None:
    """Returns the one form of an address, or None if it is broken or does not lead to http(s).

    The address is resolved against `base`. Scheme and host are in lower case, IDN hosts in Punycode; user name, default
    port, fragment, session id and marks of advertisements are removed, and dot segments resolved. Escapes are decoded
    where RFC 3986 calls them unreserved, and are in upper case elsewhere; other characters are escaped as UTF-8. An
    empty path becomes `/`; the query keeps its order. Canonical addresses stay as they are. Two addresses with one form
    are one page.

    `encoding`: of the page that names it. Browsers write the query of a link in it, and the path in UTF-8.
    """
    if "?" in url and UNTOLD.search(url):
        url = UNTOLD.sub("", url.partition("#")[0]).rstrip("?&")
    if CANONICAL.fullmatch(url):
        return url if len(url) <= MAX_URL else None
    if url[:1] == "/" and url[1:2] != "/":  # on this site, as most links that are not whole addresses
        site = SITE.match(base)
        if site and CANONICAL.fullmatch(address := site[0] + url):
            return address if len(address) <= MAX_URL else None
    url = url.strip(STRIPPED).translate(LINE_BREAKS)
    if "\\" in url:  # read as a slash by browsers, before the query
        path, mark, query = url.partition("?")
        url = path.replace("\\", "/") + mark + query
    if base and not url[:8].lower().startswith(("http://", "https://")):
        try:
            url = urljoin(base, url)
        except ValueError:  # a bracket that opens no IPv6 address
            return None
    if CANONICAL.fullmatch(url):
        return url if len(url) <= MAX_URL else None
    return _normalized(url, encoding) if len(url) <= 2 * MAX_URL else None


def html_extension(url: str) -> bool:
    """Returns whether the ending of the file name fits an HTML page. This decides when there is no Content-Type
    header."""
    path = url.partition("#")[0].partition("?")[0].partition("//")[2].partition("/")[2]
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    return not dot or extension.lower() not in NOT_HTML


def host(url: str) -> str:
    """Returns the host name of an address in lower case, without port; "" if there is none."""
    plain = PLAIN_HOST.match(url)
    if plain is not None:
        return plain[1]
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def hosts(urls: Iterable[str]) -> set[str]:
    """Returns the host names of canonical addresses: many have one, and it is taken apart once."""
    return {host(f"http://{place}/") for place in {url.split("/", 3)[2] for url in urls}}


@lru_cache(maxsize=CACHED_HOSTS)
def domain(name: str) -> str:
    """Returns the registered domain of a host's name, "b.co.uk" of "a.b.co.uk", by the public suffix list that comes
    with tldextract. An ending that the list does not know counts as a public suffix, as the list wants it. A name that
    has no registered domain, such as an IP address or "co.uk", is its own."""
    found = _suffixes().extract_str(name)
    if found.suffix or found.ipv4 or ":" in name:
        return found.top_domain_under_public_suffix or name
    return ".".join(name.split(".")[-2:])


@lru_cache(maxsize=CACHED_HOSTS)
def registry_domain(name: str) -> str:
    """Returns what is registered at a registry, "github.io" of "me.github.io": all users of a platform have the same.
    Otherwise as `domain`."""
    return _suffixes().extract_str(name).top_domain_under_registry_suffix or domain(name)


@cache
def _suffixes() -> TLDExtract:
    """Takes a tenth of a second to import, and most commands need it not."""
    from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


@lru_cache(maxsize=CACHED_URLS)
def _normalized(url: str, encoding: str) -> str | None:
    try:
        name = urlsplit(url).hostname or ""
        if not _fits(name):
            return None
        if not name.isascii():  # before w3lib writes it, by the older rules
            url = re.sub(re.escape(name), _host_name(name), url, count=1, flags=re.IGNORECASE)
        parts = urlsplit(_ascii(url, encoding))
        scheme, name, port = parts.scheme, _host_name(parts.hostname or ""), parts.port
    except ValueError:  # no valid port, IPv6 address or host name
        return None
    if scheme not in DEFAULT_PORTS or not HOST.fullmatch(name):
        return None
    site = name if port in (None, DEFAULT_PORTS[scheme]) else f"{name}:{port}"
    path = _without_dot_segments(_escaped(SESSION.sub("", parts.path)))
    query = f"?{_escaped(parts.query)}" if parts.query else ""
    normalized = f"{scheme}://{site}{path}{query}"
    return normalized if len(normalized) <= MAX_URL else None


def _ascii(url: str, encoding: str) -> str:
    """The URL with other letters escaped, those of the query in this encoding where it has them."""
    try:
        return safe_url_string(url, encoding)
    except UnicodeEncodeError:
        return safe_url_string(url)


def _fits(name: str) -> bool:
    """Whether a host name is short enough for the DNS (RFC 1035, 2.3.4): to write a longer one as IDN takes the square
    of its length."""
    return len(name) <= MAX_HOST and max(map(len, name.split("."))) <= MAX_LABEL


def _host_name(name: str) -> str:
    """Returns the ASCII form of a host name without its final dot, with brackets around an IPv6 address."""
    if ":" in name:
        return f"[{name}]"
    if not name.isascii():
        try:  # as browsers do (UTS 46, not transitional): "ß" stays a letter
            name = idna.encode(name, uts46=True).decode("ascii")
        except idna.IDNAError:  # of a symbol, which browsers let pass
            name = name.encode("idna").decode("ascii")
    return name.rstrip(".")


def _escaped(text: str) -> str:
    """Returns a text whose escapes have one form. A percent sign that begins no escape stays, as browsers send it."""

    def one_form(match: re.Match[str]) -> str:
        stray, digits = match[1] or "", match[2]
        character = chr(int(digits, 16))
        return character if character in UNRESERVED and not stray else f"{stray}%{digits.upper()}"

    return ESCAPE.sub(one_form, text) if "%" in text else text


def _without_dot_segments(path: str) -> str:
    """Applies RFC 3986 section 5.2.4 to an absolute path. Empty segments stay."""
    if "/." not in path:
        return path or "/"
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            if kept:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
