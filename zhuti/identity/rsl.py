"""Really Simple Licensing 1.0: what an RSL document reserves from training, in the words of a robots.txt.

A document says for addresses of a site under what licences they may be used. An address is reserved when none of its
licences permits training to everyone for no money. Who the user is and where, and whether they have paid, no crawl
knows: a licence for some users or regions, or against payment, is therefore not enough. Attribution is not a payment
here. A document that cannot be read forbids nothing.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from urllib.parse import urljoin, urlsplit

from lxml import etree
from protego import Protego
from scrapy.http import Response, TextResponse

from crawler.messages import _
from crawler.reader.html.declared import RSL
from crawler.reader.text.robots_groups import MAX_ROBOTS, TRAINING, USES

logger = logging.getLogger(__name__)

FREE = frozenset({"free", "attribution"})  # types of payment
MOST_CONTENTS = 1000  # that are read of a document
MOST = 3  # documents that are asked for, of a host or a page
# Of a page: <link rel="license" type="application/rsl+xml" href="...">, <script type="application/rsl+xml">...
LINK = re.compile(r"<link\b[^<>]{0,1000}>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
INLINE = re.compile(r"""<script\b[^<>]{0,200}?type\s*=\s*["']?application/rsl\+xml\b[^<>]{0,200}>""", re.IGNORECASE)
END = re.compile("</script", re.IGNORECASE)
FIELD = re.compile(r"<([^<>]{1,2000})>((?:\s*;[^,<]{0,500})*)")  # of a Link header
TYPE = "application/rsl+xml"
IN_ROBOTS = re.compile(r"^[ \t]*license[ \t]*:[ \t]*([^\s#]+)", re.IGNORECASE | re.MULTILINE)  # for all agents
SPACE = "https://rslstandard.org/rsl"
Get = Callable[[str], Awaitable[Response]]


async def asked(urls: Sequence[str], host: str, use: str, get: Get) -> list[str]:
    """The rules of the first MOST documents; "" for what cannot be had or read, which is told."""
    said = []
    for url in list(dict.fromkeys(urls))[:MOST]:
        body = b""
        if url.lower().startswith(("http://", "https://")):
            with suppress(Exception):  # whatever the download raises
                response = await get(url)
                body = response.body if response.status == 200 and len(response.body) <= MAX_ROBOTS else b""
        said.append(await asyncio.to_thread(rules, body, host, url, use))
    return said


async def of_robots(text: str, host: str, use: str, get: Get) -> list[str]:
    """The rules of documents that a robots.txt names. `use`: one of text.robots_groups.USES."""
    return await asked(IN_ROBOTS.findall(text), host, use, get)


async def of_page(response: Response, host: str, use: str, get: Get, known: dict[str, str]) -> list[str]:
    """The rules of documents that a page names or holds, without those that say nothing of its host. `known`: the rules
    of those that pages of its host have named, MOST at most, so that pages cannot send a crawl to ever new addresses;
    what cannot be read is told once."""
    urls, own = await asyncio.to_thread(_of_page, response, host, use)
    new = [url for url in urls if url not in known][: max(0, MOST - len(known))]
    known |= zip(new, await asked(new, host, use, get), strict=True)
    return [*filter(None, [*(known.get(url) for url in urls), *own])]


def _of_page(response: Response, host: str, use: str) -> tuple[list[str], list[str]]:
    """The addresses that it names, and the rules of the documents that are in it."""
    own = [rules(text, host, response.url, use) for text in inline(response)]
    return list(dict.fromkeys(named(response))), own


def rules(document: bytes, host: str, name: str, use: str = TRAINING) -> str:
    """The rules for a host's addresses, as robots_groups.by_tdmrep gives them; "" where it says nothing of them.

    `name`: the document's address, for the log, which tells when it is not RSL."""
    try:
        root = etree.fromstring(document, etree.XMLParser(resolve_entities=False, no_network=True))
        if etree.QName(root).localname != "rsl" and root.find(f".//{{{SPACE}}}content") is None:  # nor a feed with it
            raise ValueError
    except (etree.XMLSyntaxError, ValueError):
        logger.warning(_("the licence %s of %s cannot be read as RSL; it is ignored"), name, host)
        return ""
    lines = []
    for content in [*root.iter("{*}content")][:MOST_CONTENTS]:
        item = content.getparent()  # of a feed: what has no address of its own is of that entry
        place = item.findtext("{*}link") if item is not None and content.get("url") is None else None
        url, licences = (content.get("url") or place or "/").strip(), content.findall("{*}license")
        at = urlsplit(urljoin(f"https://{host}/", url))
        if licences and at.netloc.lower() == host.lower() and url.isprintable():
            free = not content.get("server") and any(_is_free(licence, use) for licence in licences)
            query = f"?{at.query}" if at.query else ""
            lines.append(f"{'Allow' if free else 'Disallow'}: {at.path or '/'}{query}")
    return "\n".join(["User-agent: *", *lines]) if lines else ""


def _is_free(licence: etree._Element, use: str) -> bool:
    def said(tag: str, kind: str) -> set[str]:
        found = [one.text or "" for one in licence.findall(f"{{*}}{tag}") if one.get("type") == kind]
        return {word for text in found for word in re.split(r"[\s,]+", text.lower()) if word}

    permits, prohibits = said("permits", "usage"), said("prohibits", "usage")
    for_all = all(not said("prohibits", kind) and said("permits", kind) <= {"all"} for kind in ("user", "geo"))
    payments = {(one.get("type") or "").lower() for one in licence.findall("{*}payment")}
    names = {"all", *USES[use], *(["ai-all"] if use.startswith("ai-") else [])}
    return (not permits or bool(permits & names)) and not prohibits & names and for_all and payments <= FREE


def named(response: Response) -> Iterator[str]:
    """The addresses of documents that a page names: in its Link headers, in its links."""
    found = [pair for field in response.headers.getlist("Link") for pair in FIELD.findall(field.decode("latin-1"))]
    if isinstance(response, TextResponse):
        found += [("", link) for link in LINK.findall(response.text)]
    for url, parameters in found:
        said = {key.lower(): "".join(value) for key, *value in ATTRIBUTE.findall(parameters)}
        rel, kind = said.get("rel", "").lower().split(), said.get("type", "").lower().split(";")[0].strip()
        href = (url or said.get("href", "")).strip()
        if "license" in rel and kind == TYPE and href:
            yield urljoin(response.url, href)


def inline(response: Response) -> list[bytes]:
    """The documents that are in a page."""
    return documents(response.text if isinstance(response, TextResponse) else "")


def documents(markup: str) -> list[bytes]:
    """The first MOST."""
    begins = [match.end() for match in islice(INLINE.finditer(markup), MOST)]
    return [markup[begin : end.start()].strip().encode() for begin in begins if (end := END.search(markup, begin))]


def reserved(markup: str, url: str) -> frozenset[str]:
    """RSL where a document that is in an archived page reserves it. Those that it names are not asked for."""
    said = [rules(one, urlsplit(url).netloc, url) for one in documents(markup)] if TYPE in markup else []
    return frozenset({RSL} if any(one and not Protego.parse(one).can_fetch(url, "*") for one in said) else ())
