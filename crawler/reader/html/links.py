"""The links of a page with their extended metadata (papers.md 4.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, repeat

from lxml.html import HtmlElement

from crawler.reader.html.blocks import Line, LinkSpan
from crawler.reader.html.page import REFRESH, Page
from crawler.reader.html.pdf import is_pdf_address
from crawler.reader.html.urls import canonical, html_extension
from crawler.reader.text.fold import fold
from crawler.records import Link

MOST_ADDRESSES = 200  # addresses of a page
MOST_SCRIPT = 100_000  # characters of a script that are looked at
ADDRESS = r"((?:https?:/)?/(?!/)[^'\"<>\s\\]{1,500}|[\w./-]{1,200}\.(?:html?|aspx?|php|jsp)(?:\?[^'\"<>\s\\]{0,300})?)"
QUOTED = re.compile(rf"['\"]{ADDRESS}['\"]")
SENDS_ON = re.compile(
    rf"\blocation(?:\.href)?\s*=\s*['\"]{ADDRESS}['\"]|\blocation\.(?:replace|assign)\(\s*['\"]{ADDRESS}['\"]"
)
BY_SCRIPT = ("onclick", "onload", "data-href", "href")


def script_links(page: Page) -> Iterator[tuple[str, str]]:
    """Addresses that a page without any link gives to its scripts, with the element's text: of a front page that only
    sends on, of a list whose entries are followed by scripts. They are guessed, so they are asked for only where there
    is nothing else to follow."""
    yield from islice(_links(page), MOST_ADDRESSES)


def _links(page: Page) -> Iterator[tuple[str, str]]:
    for element in page.tree.iter():
        if not isinstance(element.tag, str):
            continue
        if element.tag == "script":
            for found in SENDS_ON.finditer((element.text or "")[:MOST_SCRIPT]):
                yield found[1] or found[2], ""
        elif element.tag == "meta" and (element.get("http-equiv") or "").lower() == "refresh":
            if sent := REFRESH.match(element.get("content") or ""):
                yield sent[2] or sent[3] or sent[4], ""
        else:
            for address in _of_attributes(element):
                yield address, " ".join("".join(element.itertext()).split())


def _of_attributes(element: HtmlElement) -> Iterator[str]:
    for name in BY_SCRIPT:
        value = element.get(name) or ""
        if not value or (name == "href" and not value.lower().startswith("javascript:")):
            continue
        if name.startswith("data-"):
            value = f"'{value}'"
        for found in QUOTED.finditer(value[:MOST_SCRIPT]):
            yield found[1]


AROUND_TOKENS = 20  # tokens before and as many after a link (papers.md 4.4)
WINDOW = 400  # characters looked at on each side; 20 tokens of any language are shorter
MAX_ANCHOR = 300  # characters; a link around a whole article is not a description of its target
MAX_TITLE = 200  # characters
MAX_PARTS = 50  # elements in a link among which an image is looked for: links that are never closed hold the page
MOST_OF_ONE = 20  # links to one address that are read; a page may repeat one a million times
MAX_LINKS = 5000  # addresses of a page; the later ones in the document are left out
MAX_ADDRESSES = 500_000  # characters of them all: a long `base` makes every short link a long address
MAX_FOREIGN = 50_000  # characters of hosts in other letters than a to z: to write them as IDN takes 5 us a character
FOREIGN_HOST = re.compile(r"\s*(?:https?:)?//(?=[^/?#]*[^\x00-\x7f])[^/?#]*", re.IGNORECASE)
CACHED_ANCHORS = 8192  # anchors known to be navigation or none: most repeat on every page of a site
MAX_NOISE = 40  # characters of the longest anchor that can be navigation
MAX_NOISE_WORDS = 4

HAN = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af"
# A token is a word or up to two Chinese characters, which is the mean length of a Chinese word.
FIRST_TOKENS = re.compile(rf"(?:[\W_]*(?:[^\W_{HAN}]++|[{HAN}]{{1,2}}+)){{0,{AROUND_TOKENS}}}+")

# Noise lexicon of papers.md 2.4 without its next page: the way to older posts is followed and ranked like any link.
NOISE_WORDS = """
    首页 主页 回首页 返回首页 搜索 声明 免责声明 版权 版权声明 帮助 登录 登陆 注册 退出 导航
    上一页 上页 更多 返回 顶部 返回顶部 回到顶部
    关于 关于我 关于我们 关于本站 联系 联系我们 广告 广告服务 招聘 加入我们 友情链接 友链 网站地图 站点地图
    收藏 加入收藏 设为首页 举报 分享 打印 字号 大 中 小 客户端 订阅 备案 备案号
    隐私政策 服务条款 留言 留言板 投稿 回复 评论 点赞
    icp rss atom home index about login logout register signin signup search contact help more top back
    share print subscribe sitemap copyright all rights reserved privacy policy terms links friends feed
    in us log sign up prev previous
"""
NOISE = frozenset(NOISE_WORDS.split())
WORD = re.compile(r"[^\W_]+")


@dataclass(slots=True)
class _Target:
    """What the page says about one address."""

    rel: str
    tag_path: str
    anchor: str = ""
    title: str = ""
    around: str = ""
    times: int = 0  # links to it that were read


def links(page: Page, pdf: bool = False) -> list[Link]:
    """Returns the pages that a page leads to, in document order, each address once; the first MAX_LINKS of them.

    It follows a, area, frame and iframe whose target is an http(s) address that does not end like an image, an archive
    or another document; with `pdf` it may end like a PDF. The page itself is left out. If several links lead to one
    address, the first gives place, rel and path; the anchor is the longest, title and text around are the first that
    are not empty. A card often links its picture first, then its headline, then "read more", and only together they
    tell what the target is.
    """
    own = canonical(page.url) or page.url
    targets: dict[str, _Target] = {}
    room, foreign = MAX_ADDRESSES, MAX_FOREIGN
    for line, span in chain.from_iterable(zip(repeat(line), line.links) for line in page.layout.lines):
        href = span.element.get("href") or ""
        if not href.isascii() and (name := FOREIGN_HOST.match(href)) is not None:
            foreign -= len(name[0])
            if foreign < 0:
                continue
        target = _address(span.element, page, pdf)
        if target is None or target == own:
            continue
        seen = targets.get(target)
        if seen is None and (len(targets) == MAX_LINKS or len(target) > room):
            break
        if seen is None:  # most links of a page repeat an address: nothing is made of one before this point
            seen = targets[target] = _Target(_rel(span.element), span.tag_path)
            room -= len(target)
        if seen.times == MOST_OF_ONE:
            continue
        seen.times += 1
        seen.anchor = max(seen.anchor, span.anchor, key=len)
        seen.title = seen.title or _title(span)
        seen.around = seen.around or _around(line, span)
    for element in page.tree.iter("link"):  # without a word; lists of posts have the way to the next ones there
        target = _address(element, page, pdf) if "next" in _rel(element).split() else None
        if target and target != own and len(targets) < MAX_LINKS:
            targets.setdefault(target, _Target(_rel(element), "link", title=(element.get("title") or "")[:MAX_TITLE]))
    if not targets:
        targets = _guessed(page, own)
    last = max(1, len(targets) - 1)
    return [_link(address, target, place / last) for place, (address, target) in enumerate(targets.items())]


def _guessed(page: Page, own: str) -> dict[str, _Target]:
    """What its scripts lead to, of a page that has no links."""
    found: dict[str, _Target] = {}
    for written, anchor in script_links(page):
        target = canonical(written, page.base, page.encoding)
        if target is not None and target != own and html_extension(target) and target not in found:
            found[target] = _Target("", "script", anchor)
    return found


def is_noise(anchor: str) -> bool:
    """Returns whether an anchor is navigation by its words (papers.md 4.4, noise links). An anchor without words is
    not."""
    return len(anchor) <= MAX_NOISE and _is_navigation(anchor)


@lru_cache(maxsize=CACHED_ANCHORS)
def _is_navigation(anchor: str) -> bool:
    words = WORD.findall(fold(anchor))
    if not words or len(words) > MAX_NOISE_WORDS:
        return False
    return all(word in NOISE for word in words) or "".join(words) in NOISE


def _address(element: HtmlElement, page: Page, pdf: bool) -> str | None:
    address = element.get("href") or element.get("src")
    if not address or address[0] == "#":
        return None
    target = canonical(address, page.base, page.encoding if not address.isascii() else "utf-8")
    return target if target and (html_extension(target) or (pdf and is_pdf_address(target))) else None


def _rel(element: HtmlElement) -> str:
    return " ".join((element.get("rel") or "").lower().split())


def _title(span: LinkSpan) -> str:
    """Returns title or alternative text of the link, or else of the first image in it that has one."""
    element = span.element
    title = element.get("title") or element.get("alt")
    if not title:
        for part in islice(element.iterdescendants(), MAX_PARTS):
            title = (part.get("alt") or part.get("title")) if part.tag == "img" else None
            if title:
                break
    return " ".join((title or "").split())[:MAX_TITLE]


def _around(line: Line, span: LinkSpan) -> str:
    """Returns up to AROUND_TOKENS tokens on each side of the link, within the line.

    Tokens are counted by letters, not by segmented words: to segment the text around every link costs more than to
    segment the whole page, and a word more or less hardly moves a mean.
    """
    before = line.raw[max(0, span.start - WINDOW) : span.start]
    after = line.raw[span.end : span.end + WINDOW] if span.end >= 0 else ""
    return " ".join(f"{_first_tokens(before[::-1])[::-1]} {_first_tokens(after)}".split())


def _first_tokens(text: str) -> str:
    found = FIRST_TOKENS.match(text)
    return found[0] if found else ""


def _link(address: str, target: _Target, position: float) -> Link:
    return Link(
        url=address,
        anchor=target.anchor[:MAX_ANCHOR],
        title=target.title,
        around=target.around,
        tag_path=target.tag_path,
        rel=target.rel,
        position=round(position, 4),  # finer than any page has links, and short to store
        noise=is_noise(target.anchor),
    )
