"""Pages about nothing that must be crossed, and the about pages of all hosts."""

from __future__ import annotations

from collections.abc import Iterator

from zhuti.demo.web.around import DemoWeb
from zhuti.demo.web.markup import anchor, items
from zhuti.demo.web.model import DemoLink, DemoPage, Host, address
from zhuti.demo.web.pages import plain_page
from zhuti.demo.web.plan import ISLAND, TUNNEL

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
