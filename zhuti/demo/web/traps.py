"""Pages that cost a crawler its budget and hold nothing: a calendar that hardly ends, and a host of adverts;
and files that are not pages of the truth: robots.txt, a sitemap, stubs, binaries."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass

from zhuti.demo.web.around import DemoWeb
from zhuti.demo.web.articles import random_for
from zhuti.demo.web.groups import is_draft
from zhuti.demo.web.markup import anchor, items, row
from zhuti.demo.web.model import DemoLink, DemoPage, Host, address
from zhuti.demo.web.pages import plain_page
from zhuti.demo.web.plan import AD_PAGES, ADS, ATTIC, CALENDAR, CALENDAR_YEARS, ISLAND, STUB_HOST, STUB_PATH, TUNNEL
from zhuti.demo.web.words import Common


def advert_pages(common: Common) -> Iterator[DemoPage]:
    yield DemoPage(ADS, "/", "ad", _advert("优惠大全", "".join(common.ad_sentences), range(1, 9)), "优惠大全")
    for number in range(1, AD_PAGES + 1):
        random = random_for(ADS, number)
        title = f"{random.choice(common.ad_titles)}第{number}期"
        text = "".join(random.sample(common.ad_sentences, 3))
        others = sorted(random.sample(range(1, AD_PAGES + 1), 3))
        yield DemoPage(ADS, f"/ad/{number}.html", "ad", _advert(title, text, others), title)


def _advert(title: str, text: str, others: range | list[int]) -> str:
    links = items(DemoLink(address(ADS, f"/ad/{number}.html"), f"更多优惠 {number}") for number in others)
    head = f"<head><meta charset=utf-8><title>{title}</title></head>"
    return f"<html>{head}<body><h1>{title}</h1><p>{text}</p><ul>{links}</ul></body></html>"


def calendar_pages(web: DemoWeb) -> Iterator[DemoPage]:
    host = web.hosts[CALENDAR]
    for year in CALENDAR_YEARS:
        for month in range(1, 13):
            title = f"{year}年{month}月黄历"
            yield plain_page(web, host, _path(year, month), "calendar", title, _month(year, month))


def _month(year: int, month: int) -> str:
    days = "".join(f"<td>{day}</td>" for day in range(1, monthrange(year, month)[1] + 1))
    steps = [(year, month - 1, "上月"), (year, month + 1, "下月"), (year - 1, month, "去年"), (year + 1, month, "明年")]
    beside = [_link(*_carried(y, m), text) for y, m, text in steps if _carried(y, m)[0] in CALENDAR_YEARS]
    months = [_link(year, other, f"{other}月") for other in range(1, 13)]
    return f"<h1>{year}年{month}月</h1>{row(beside)}<table><tr>{days}</tr></table>{row(months, ' ')}"


def _carried(year: int, month: int) -> tuple[int, int]:
    return year + (month - 1) // 12, (month - 1) % 12 + 1


def _path(year: int, month: int) -> str:
    return f"/calendar/{year}-{month:02d}.html"


def _link(year: int, month: int, text: str) -> DemoLink:
    return DemoLink(address(CALENDAR, _path(year, month)), text)


_FRIENDS = "/friends.html"
_VISIT = "/visit.html"


def about_page(web: DemoWeb, host: Host) -> DemoPage:
    text = (
        f"<h1>关于{host.title}</h1><p>{host.title}创办于 {host.first_year} 年,由几位朋友业余维护。来信请写明事由。</p>"
    )
    if host.name == TUNNEL:
        text += f"<p>这些年认识了不少{anchor(DemoLink(address(TUNNEL, _FRIENDS), '有趣的朋友'))},他们各有各的天地。</p>"
    return plain_page(web, host, "/about.html", "about", f"关于{host.title}", text)


def tunnel_pages(web: DemoWeb) -> Iterator[DemoPage]:
    """TUNNEL's about page leads here, and these to ISLAND."""
    host = web.hosts[TUNNEL]
    friends = [
        DemoLink(address(TUNNEL, _VISIT), "拜访老李"),
        DemoLink(address("kitchen-letters.example", "/"), "厨房里的来信"),
    ]
    main = f"<h1>朋友们</h1><p>按认识的先后排列。</p><ul>{items(friends)}</ul>"
    yield plain_page(web, host, _FRIENDS, "about", "朋友们", main)
    island = anchor(DemoLink(address(ISLAND, "/"), "他的主页"))
    main = f"<h1>拜访老李</h1><p>老李退休以后搬到了山脚下,种菜养鸡,晚上写写东西,都放在{island}上。</p>"
    yield plain_page(web, host, _VISIT, "about", "拜访老李", main)


NOISE = 4096  # bytes of a binary file


@dataclass(frozen=True, slots=True)
class RawFile:
    host: str
    path: str
    content: bytes


def raw_files(web: DemoWeb) -> Iterator[RawFile]:
    for host in web.hosts.values():
        if host.robots:
            yield RawFile(host.name, "/robots.txt", host.robots.encode())
        if "Sitemap:" in host.robots:
            yield RawFile(host.name, "/sitemap.xml", _sitemap(web, host.name))
    yield RawFile(STUB_HOST, STUB_PATH, _stub(web.articles[STUB_HOST][-1].url))
    yield RawFile(ATTIC, "/refresh.html", _stub(address(ATTIC, "/early.html")))
    random = random_for(ATTIC)
    yield RawFile(ATTIC, "/binary.html", random.randbytes(NOISE))
    yield RawFile(ATTIC, "/manual.pdf", b"%PDF-1.4\n" + random.randbytes(NOISE))


def _stub(target: str) -> bytes:
    head = f'<head><meta charset=utf-8><meta http-equiv="refresh" content="0; url={target}"></head>'
    return f"<html>{head}<body>正在跳转……</body></html>".encode()


def _sitemap(web: DemoWeb, host: str) -> bytes:
    places = "".join(
        f"<url><loc>{article.url}</loc></url>\n" for article in web.articles[host] if not is_draft(article)
    )
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{places}</urlset>\n'.encode()
