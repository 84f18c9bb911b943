"""What the labels of a recorded web are made of: of each page its kind, its title, and the tags and categories that its
author gave it. The text of a page says nothing here.

The rules are those by which the first recorded web was labelled; another rule would be another benchmark.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urljoin, urlsplit

import lxml.etree
import lxml.html

INDEX = "index.html"
SAFE = "/%:@!$&'()*+,;=~-._"  # of an address's path, left as it is
CLIMBS = 7  # elements around a link that may say that it is a tag of the page, or of others
MOST_TAGS = 25  # links of one page
LONGEST_TAG, LONGEST_TITLE = 40, 80  # characters
HUB = re.compile(
    r"/(tags?|categor(y|ies)|topics?|series|authors?|years?)(/|\.html|$)|/page/?\d+/?$|/page\d*/|/archives?/?$"
    r"|/archives?\.html$|/archives/(\d{4}/)?(\d{1,2}/)?(page/\d+/)?$|^/\d{4}/(\d{1,2}/)?(\d{1,2}/)?$|^/$"
    r"|/(about|links?|friends?|search|404|guestbook|comments|timeline|message|contact|home|index|linked|friendlink"
    r"|donate|sitemap|resume|me|gallery|photos?|movies?|music|books?|tools|projects?)(/|\.html)?$",
    re.IGNORECASE,
)
TAXONOMY = re.compile(r"/(tags?|categor(?:y|ies))/(.+?)/?(?:page/\d+/?)?(?:\.html)?$", re.IGNORECASE)
TAG_ADDRESS = re.compile(r"/(tags?|categor(?:y|ies))/([^?#]+)", re.IGNORECASE)
OF_THE_PAGE = re.compile(
    r"(post|article|entry|page|blog)[-_]*(header|meta|tag|categor|info|footer|bottom|subtitle)|tag-?list|article-tag"
    r"|post-tag|level-item|post_meta|tags|categor|meta|breadcrumb",
    re.IGNORECASE,
)
OF_OTHERS = re.compile(
    r"(sidebar|widget|tagcloud|tag-cloud|aside|card-|related|recommend|pagination|post-nav|menu|navbar|toc)",
    re.IGNORECASE,
)
DATED = re.compile(r"^(/blog)?/\d{4}/\d{1,2}/(\d{1,2}/)?[^/]+")
NUMBERED = re.compile(r"/page/\d+")
POSTED = re.compile(r"^/(posts?|p|blog)/[^/]+/?")
ORNAMENT = re.compile(r"^[#\s]+|\s*\(\d+\)\s*$|[,，、]$")  # around a tag's name: "# Java (12)"
NO_PAGE = ("#", "javascript:", "mailto:", "tel:", "data:")


@dataclass(slots=True)
class Described:
    """One page. The lists are empty for a page that is no post."""

    path: str  # with index.html left out
    url: str = ""
    kind: str = "empty"  # no document at all; post, tag, archive, paging, home or other
    title: str = ""
    tags: list[str] = field(default_factory=list)
    cats: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)  # of a taxonomy's page: host and path as they are linked

    @property
    def taxonomy(self) -> re.Match[str] | None:
        return TAXONOMY.search(unquote(self.path)) if self.kind not in ("post", "empty") else None


def address(host: str, path: str) -> str:
    return f"http://{host}{quote(path.removesuffix(INDEX) if path.endswith('/' + INDEX) else path, safe=SAFE)}"


def described(content: bytes, host: str, path: str, names: Collection[str]) -> Described:
    """`path` begins with a slash and is the file's; `names`: the host's own name and its others."""
    page = Described(path.removesuffix(INDEX) if path.endswith("/" + INDEX) else path, address(host, path))
    document = _document(content)
    if document is None:
        return page
    page.title = " ".join((document.findtext(".//title") or "").split())
    declared = _Declared(document)
    base = document.find(".//base")
    href = base.get("href") if base is not None else None
    links = list(_links(document, urljoin(page.url, href) if href else page.url))
    tags = [found for link in links if (found := _tag(link, names)) is not None]
    page.kind = _kind(unquote(page.path), document, declared, bool(tags))
    page.cats, page.tags = declared.sections, declared.tags
    for is_category, name in tags[:MOST_TAGS] if page.kind == "post" else ():
        (page.cats if is_category else page.tags).append(name)
    page.tags, page.cats = (list(dict.fromkeys(filter(None, names))) for names in (page.tags, page.cats))
    if page.taxonomy:
        page.links = [(link.host, link.path) for link in links]
    return page


def _document(content: bytes) -> lxml.html.HtmlElement | None:
    """None where there is none. libxml2 drops what follows an early </html>, so both ends are taken out."""
    for encoding in ("utf-8", "gb18030"):
        try:
            text = content.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    else:
        text = content.decode("utf-8", "replace")
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text).replace("\x00", "")
    text = re.sub(r"</(html|body)\s*>", "", text, flags=re.IGNORECASE)
    try:
        return lxml.html.document_fromstring(text) if text.strip() else None
    except (lxml.etree.LxmlError, ValueError):
        return None


class _Declared:
    """What the head says."""

    def __init__(self, document: lxml.html.HtmlElement) -> None:
        self.tags: list[str] = []
        self.sections: list[str] = []
        self.type = self.generator = self.refresh = ""
        for meta in document.iter("meta"):
            name, content = (
                (meta.get("property") or meta.get("name") or "").lower(),
                (meta.get("content") or "").strip(),
            )
            if name == "article:tag":
                self.tags.append(content)
            elif name == "article:section":
                self.sections = [content] if content else []
            elif name == "og:type":
                self.type = content.lower()
            elif name == "generator":
                self.generator = content.lower()
            elif name not in ("og:title", "keywords") and (meta.get("http-equiv") or "").lower() == "refresh":
                self.refresh = content.lower()


@dataclass(frozen=True, slots=True)
class _Link:
    element: lxml.html.HtmlElement
    host: str
    path: str


def _links(document: lxml.html.HtmlElement, base: str) -> Iterator[_Link]:
    for element in document.iter("a", "area", "link"):
        href = (element.get("href") or "").strip()
        if element.tag == "link" and (element.get("rel") or "").lower() not in ("next", "prev"):
            continue
        if not href or href.startswith(NO_PAGE):
            continue
        try:
            parts = urlsplit(urljoin(base, href))
            if parts.scheme in ("http", "https") and parts.hostname:
                yield _Link(element, parts.hostname.lower(), parts.path)
        except ValueError:
            continue


def _tag(link: _Link, names: Collection[str]) -> tuple[bool, str] | None:
    """Whether it is a category, and its name, where the link names a tag of the page itself."""
    element, rel = link.element, set((link.element.get("rel") or "").lower().split())
    found = TAG_ADDRESS.search(link.path)
    is_good = bool(rel & {"tag", "category"})
    if element.tag != "a" or link.host not in names or not (is_good or found):
        return None
    around = element
    for _ in range(CLIMBS):
        marks = f"{around.get('class') or ''} {around.get('id') or ''}"
        if around.tag in ("nav", "aside") or OF_OTHERS.search(marks):
            return None
        is_good = is_good or bool(OF_THE_PAGE.search(marks))
        around = around.getparent()
        if around is None or around.tag in ("body", "html"):
            break
    text = _text(element)
    if not is_good or len(_shown(element, text)) >= LONGEST_TAG:
        return None
    name = ORNAMENT.sub("", text).strip()
    is_category = bool(found and found[1].lower().startswith("cat"))
    is_category = is_category or "categor" in ((element.get("itemprop") or "") + (element.get("class") or "")).lower()
    return (is_category, name) if name else None


def _shown(element: lxml.html.HtmlElement, text: str) -> str:
    shown: str = text or element.get("title") or element.get("aria-label") or ""
    if not shown and (image := element.find(".//img")) is not None:
        shown = image.get("alt") or ""
    return shown[:LONGEST_TITLE]


def _text(element: lxml.html.HtmlElement) -> str:
    return " ".join(str(element.xpath("string()")).split())


def _kind(path: str, document: lxml.html.HtmlElement, declared: _Declared, has_tags: bool) -> str:
    is_post = declared.type in ("article", "blog") or has_tags or len(document.findall(".//article")) <= 1
    if declared.type == "website" and "hexo" in declared.generator and not has_tags:
        is_post = is_post and bool(DATED.search(path) or POSTED.search(path))
    is_dated = DATED.search(path) and not NUMBERED.search(path) and "/archives/" not in path
    is_hub = HUB.search(path) and not (is_dated and has_tags)
    is_stub = "url=" in declared.refresh
    if is_post and not is_hub and not is_stub:
        return "post"
    if path == "/":
        return "home"
    if TAXONOMY.search(path):
        return "tag"
    if re.search(r"archive|^/\d{4}/", path):
        return "archive"
    return "paging" if re.search(r"/page/?\d+", path) else "other"
