"""The labels of a recorded web: which posts are on which topic, by their authors' tags and categories alone."""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from lab.web.pages import INDEX, Described

TOPICS = Path(__file__).with_name("topics.toml")
# Names of these topics in topics/.
NAMES = {
    "algo": "algorithms",
    "life": "life-essays",
    "math": "mathematics",
    "ml": "machine-learning",
    "ops": "cloud-ops",
}
SHARE_OF_TAXONOMY = 0.3  # of a host's tag pages: what more of them link to is their frame
LEAST_PAGES = 3  # of them
WHOLE_CLOUD = 30  # tags of one post: more are the site's own cloud
EVERYWHERE = 0.9  # share of a host's posts: a tag that stands on more says nothing
LEAST_POSTS = 20  # of such a host
LONGEST, MOST_COMMAS = 40, 2  # of a tag

Topics = Mapping[str, re.Pattern[str]]


def topics() -> Topics:
    patterns = tomllib.loads(TOPICS.read_text(encoding="utf-8"))
    return {name: re.compile(pattern) for name, pattern in patterns.items()}


def labels(host: str, pages: Sequence[Described], names: Collection[str], of: Topics) -> list[dict[str, object]]:
    """A row for each page of one host that has a document, in order. `names`: the host's names."""
    posts = [page for page in pages if page.kind == "post"]
    _from_taxonomies(pages, names)
    for page in pages:
        page.tags = [tag for tag in page.tags if len(tag) <= LONGEST and tag.count(",") <= MOST_COMMAS]
        if len(page.tags) + len(page.cats) > WHOLE_CLOUD:
            page.tags, page.cats = [], []
    if len(posts) >= LEAST_POSTS:
        counts = Counter(tag for post in posts for tag in {*post.tags, *post.cats})
        site = {tag for tag, count in counts.items() if count > EVERYWHERE * len(posts)}
        for post in posts:
            post.tags, post.cats = ([tag for tag in tags if tag not in site] for tags in (post.tags, post.cats))
    return [
        {
            "url": page.url,
            "host": host,
            "kind": page.kind,
            "title": page.title,
            "tags": page.tags,
            "cats": page.cats,
            "topics": sorted(_topics(page.tags + page.cats, of)) if page.kind == "post" else [],
        }
        for page in pages
        if page.kind != "empty"
    ]


def _topics(tags: Iterable[str], of: Topics) -> set[str]:
    return {name for tag in tags for name, pattern in of.items() if pattern.search(tag.lower().strip())}


def _from_taxonomies(pages: Sequence[Described], names: Collection[str]) -> None:
    """Gives a post without tags of its own those of the tag pages that list it."""
    at = {page.path: page for page in pages}
    found = [(page, match) for page in pages if (match := page.taxonomy)]
    listed = [_linked(page, at, names) for page, _ in found]
    counts = Counter(number for posts in listed for number in posts)
    most = max(LEAST_PAGES, len(found) * SHARE_OF_TAXONOMY)
    tags: dict[int, list[str]] = defaultdict(list)
    cats: dict[int, list[str]] = defaultdict(list)
    without: dict[int, Described] = {}
    for (_, match), posts in zip(found, listed, strict=True):
        is_category = match[1].lower().startswith("cat")
        parts = match[2].split("/")
        own = [part for part in (parts if is_category else parts[-1:]) if part != "page" and not part.isdigit()]
        for number, post in posts.items():
            if post.kind == "post" and not post.tags and not post.cats and counts[number] <= most:
                (cats if is_category else tags)[number] += own
                without[number] = post
    for number, post in without.items():
        post.tags, post.cats = list(dict.fromkeys(tags[number])), list(dict.fromkeys(cats[number]))


def _linked(page: Described, at: Mapping[str, Described], names: Collection[str]) -> dict[int, Described]:
    """The other pages of the host that this one links to."""
    pages = (_page(link, at, names) for link in page.links)
    return {id(other): other for other in pages if other is not None and other is not page}


def _page(link: tuple[str, str], at: Mapping[str, Described], names: Collection[str]) -> Described | None:
    """The page of this host behind a link, as GitHub Pages finds it."""
    host, path = link
    if host not in names:
        return None
    path = re.sub("/+", "/", unquote(path) or "/")
    path = path.removesuffix(INDEX) if path.endswith(f"/{INDEX}") else path
    return at.get(path) or at.get(f"{path}/") or at.get(f"{path}.html")
