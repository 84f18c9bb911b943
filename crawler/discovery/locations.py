"""Where index files are: what robots.txt and pages declare, and the places where most sites have theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from urllib.parse import urlencode

from lxml.html import HtmlElement

from crawler.discovery.index_files import FoundBy, IndexFile, Kind
from crawler.reader.html.urls import canonical, host

MAX_SCRIPT = 200_000  # characters of a script that are searched
MAX_ADDRESS = 500  # characters
MOST_DECLARED = 50  # index files that one page or robots.txt declares
SITEMAP = re.compile(r"^[ \t]*sitemap[ \t]*:[ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)  # sitemaps.org

FEED_TYPES = re.compile(r"application/(?:rss|atom|rdf|feed)\+(?:xml|json)")
WORDPRESS_API = "https://api.w.org/"  # rel of the link to it
TELLING = frozenset([WORDPRESS_API, "sitemap", "search", "alternate"])  # rels of the links to index files
WORDPRESS_POSTS = "wp/v2/posts?per_page=100"  # the most that it gives at once
COMMENTS = re.compile(r"comment|评论|留言", re.IGNORECASE)  # in the address or title of a feed

ENDINGS = ("xml", "txt", "gz", "json", "atom", "rss", "rdf", "feed")
# What a file's name promises. By the last part of the path.
NAMES = (
    (Kind.SITEMAP, re.compile(r"/[\w-]*site-?map[\w-]*\.(?:xml|txt)(?:\.gz)?$", re.IGNORECASE)),
    (Kind.FEED, re.compile(r"/(?:(?:atom|rss2?|feed|index)\.(?:xml|rdf)|feed\.json)$", re.IGNORECASE)),
    (Kind.FEED, re.compile(r"(?<!/tag)(?<!/tags)/(?:atom|rss|feed)/?$", re.IGNORECASE)),
    (Kind.SEARCH_INDEX, re.compile(r"/(?:[\w-]*search[\w-]*|content|index|posts|lunr)\.(?:xml|json)$", re.IGNORECASE)),
)
# A file's address in a script: {"path": "search.xml"}, loadInsight({contentUrl: "/content.json"}).
IN_SCRIPT = re.compile(r"""["'`]((?:https?:/)?/?(?:[\w.~%:-]{0,80}/){0,8}[\w.-]{0,60}\.(?:xml|json))["'`?]""")
# The site's root there: root: '/blog/', "ROOT_URL": "/".
ROOT = re.compile(r"""root(?:_?url)?["']?\s*[:=]\s*["']((?:https?:/)?/[^"'\s]{0,200})["']""", re.IGNORECASE)

# The address from which a list goes on by script, in an attribute, a form, or a script up to its number; and the
# number. Of 4,667 recorded and labelled pages five have one, and one more had a menu of such before this bound.
COUNTED = r"(?:page|p|pn|paged|page_?(?:no|num|index)|cur(?:rent)?_?page|offset|start|skip)"
COUNTER = re.compile(rf"([?&]{COUNTED}=|/page/)(\d{{1,6}})(?=[/?&#]|$)", re.IGNORECASE)
IN_STEPS = re.compile(r"offset|start|skip", re.IGNORECASE)  # counts entries, not pages
TO_COUNT = re.compile(
    rf"""["'`]((?:https?:/)?/[^"'`\s<>$]{{0,200}}[?&]{COUNTED}=)(?:["']\s*\+|\$\{{)[^"'`]{{0,60}}""", re.IGNORECASE
)
ASKS_FOR_MORE = re.compile(r"more|scroll|infinite|next|加载|更多|下一页", re.IGNORECASE)
MOST_TEXT = 100  # characters of an element that asks for more

# Where static sites, WordPress and others have theirs, in the order of how often it is there, as
# lab/notes/ended.md counts on a recorded web; the others behind, and what lists nothing new: of 13 hosts with a
# baidusitemap.xml 11 have a sitemap.xml.
USUAL = (
    ("sitemap.xml", Kind.SITEMAP),
    ("atom.xml", Kind.FEED),
    ("search.xml", Kind.SEARCH_INDEX),
    ("index.xml", Kind.FEED),
    ("content.json", Kind.SEARCH_INDEX),
    ("search.json", Kind.SEARCH_INDEX),
    ("local-search.xml", Kind.SEARCH_INDEX),
    ("index.json", Kind.SEARCH_INDEX),
    ("rss.xml", Kind.FEED),
    ("feed/", Kind.FEED),
    ("feed.xml", Kind.FEED),
    ("sitemap_index.xml", Kind.SITEMAP),
    ("sitemap-index.xml", Kind.SITEMAP),
    ("baidusitemap.xml", Kind.SITEMAP),
    (f"wp-json/{WORDPRESS_POSTS}", Kind.WORDPRESS),
)


def declared_in_robots(text: str, address: str) -> tuple[IndexFile, ...]:
    """The sitemaps that the robots.txt at `address` names, each once."""
    named = islice(SITEMAP.finditer(text), MOST_DECLARED)
    found = (canonical(line[1], address) for line in named)
    return tuple(IndexFile(url, Kind.SITEMAP, FoundBy.ROBOTS) for url in dict.fromkeys(found) if url)


def declared_in_page(tree: HtmlElement, url: str) -> tuple[IndexFile, ...]:
    """The index files that the page at `url` names, each once: in link elements (of any host), in links to its own
    host, and in its scripts. Feeds of comments are left out: their entries are not pages."""
    index_files: dict[str, IndexFile] = {}
    for index_file in (*_link_elements(tree, url), *_links(tree, url), *_scripts(tree, url), *_more(tree, url)):
        if len(index_files) < MOST_DECLARED:
            index_files.setdefault(index_file.url, index_file)
    return tuple(index_files.values())


def site_root(tree: HtmlElement, url: str) -> str:
    """The root of the site that the page at `url` belongs to, as its scripts or its link to "home" say, else the root
    of the host. A site may be a folder of its host: https://user.example/blog/."""
    top = canonical("/", url) or url
    for script in _texts(tree):
        if (found := ROOT.search(script)) and (root := _folder_above(found[1], url)):
            return root
    for link in tree.iter("link", "a"):
        if "home" in _rel(link) and (root := _folder_above(link.get("href") or "", url)):
            return root
    return top


def usual_places(root: str) -> tuple[IndexFile, ...]:
    """Where index files of the site at `root`, which ends with a slash, are to be looked for, the likeliest first."""
    return tuple(IndexFile(root + name, kind, FoundBy.GUESS) for name, kind in USUAL)


def kind_by_name(url: str) -> Kind | None:
    """What the name of the file promises."""
    path = url.partition("?")[0].partition("//")[2]
    return next((kind for kind, name in NAMES if name.search(path)), None)


def _link_elements(tree: HtmlElement, url: str) -> Iterator[IndexFile]:
    for link in tree.iter("link"):
        rel, href = _rel(link), link.get("href")
        if not href or TELLING.isdisjoint(rel) or (address := canonical(href, url)) is None:
            continue
        if WORDPRESS_API in rel:
            posts = WORDPRESS_POSTS.replace("?", "&") if "?" in address else WORDPRESS_POSTS  # /?rest_route=/
            yield IndexFile(address + posts, Kind.WORDPRESS, FoundBy.PAGE)
        elif "sitemap" in rel:
            yield IndexFile(address, Kind.SITEMAP, FoundBy.PAGE)
        elif "search" in rel and "opensearch" in (link.get("type") or ""):
            yield IndexFile(address, Kind.OPENSEARCH, FoundBy.PAGE)
        elif "alternate" in rel and not COMMENTS.search(f"{address} {link.get('title')}"):
            kind = _alternate(link.get("type") or "", address)
            if kind:
                yield IndexFile(address, kind, FoundBy.PAGE)


def _alternate(media: str, address: str) -> Kind | None:
    """What another form of the page is. Without a type, or as plain JSON or XML, its name decides."""
    if FEED_TYPES.match(media.strip().lower()):
        return Kind.FEED
    return kind_by_name(address) if media in ("", "application/json", "application/xml", "text/xml") else None


def _links(tree: HtmlElement, url: str) -> Iterator[IndexFile]:
    for link in tree.iter("a"):
        href = (link.get("href") or "").rstrip("/")
        if not href.endswith(ENDINGS):
            continue
        address = canonical(link.get("href") or "", url)
        kind = kind_by_name(address) if address and host(address) == host(url) else None
        if address and kind and not COMMENTS.search(address):
            yield IndexFile(address, kind, FoundBy.PAGE)


def _scripts(tree: HtmlElement, url: str) -> Iterator[IndexFile]:
    """Search indexes. A name without a slash is one at the site's root, wherever the page is."""
    root = ""
    for script in _texts(tree):
        for found in IN_SCRIPT.finditer(script):
            if kind_by_name(f"//x/{found[1]}") is Kind.SEARCH_INDEX:
                root = root or site_root(tree, url)
                address = canonical(found[1], root)
                if address:
                    yield IndexFile(address, Kind.SEARCH_INDEX, FoundBy.SCRIPT)


def _more(tree: HtmlElement, url: str) -> Iterator[IndexFile]:
    """What a list of its own host loads by script."""
    for element in tree.iter("a", "button", "div", "span", "li", "ul", "section", "main", "p", "nav"):
        for name, value in element.items():
            if name.startswith(("data", "hx-get")) and len(value) < MAX_ADDRESS and COUNTER.search(value):
                about = f"{name} {element.get('class')} {element.get('id')} {''.join(element.itertext())[:MOST_TEXT]}"
                address = canonical(value, url) if ASKS_FOR_MORE.search(about) else None
                if address and host(address) == host(url):
                    yield IndexFile(address, Kind.MORE, FoundBy.PAGE)
    for form in tree.iter("form"):
        asked = [(each.get("name") or "", each.get("value") or "") for each in form.iter("input")]
        if (form.get("method") or "get").lower() == "get" and ASKS_FOR_MORE.search(
            "".join(form.itertext())[:MOST_TEXT]
        ):
            address = canonical(f"?{urlencode(asked)}", canonical(form.get("action") or "", url) or url)
            if address and COUNTER.search(address) and host(address) == host(url):
                yield IndexFile(address, Kind.MORE, FoundBy.PAGE)
    for script in _texts(tree):
        for found in TO_COUNT.finditer(script) if ASKS_FOR_MORE.search(script) else ():
            address = canonical(f"{found[1]}2", url) if not IN_STEPS.search(found[1]) else None
            if address and host(address) == host(url):
                yield IndexFile(address, Kind.MORE, FoundBy.SCRIPT)


def following(address: str, listed: int) -> IndexFile | None:
    """What a list loads next, after this many entries."""

    def counted(found: re.Match[str]) -> str:
        return f"{found[1]}{int(found[2]) + (listed if IN_STEPS.search(found[1]) else 1)}"

    onward = COUNTER.sub(counted, address, count=1)
    return IndexFile(onward, Kind.MORE, FoundBy.INDEX_FILE) if listed and onward != address else None


def _texts(tree: HtmlElement) -> Iterator[str]:
    """The scripts in the page, with slashes as they are meant."""
    for script in tree.iter("script"):
        if script.text:
            yield script.text[:MAX_SCRIPT].replace("\\/", "/")


def _rel(element: HtmlElement) -> list[str]:
    return (element.get("rel") or "").lower().split()


def _folder_above(root: str, url: str) -> str | None:
    """Canonical address of `root` if it is a folder of this site in which the page lies."""
    address = canonical(root if root.endswith("/") else f"{root}/", url)
    return address if address and url.startswith(address) else None
