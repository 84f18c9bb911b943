"""Which hosts there are, what they write about and whom they link to. The one file to change the shape of the web."""

from __future__ import annotations

from zhuti.demo.web.model import DRAFTS, DemoLink, Host, SiteStyle, address

ML, SECURITY, JAVA, LIFE = "machine-learning", "security", "java", "life-essays"
PORTAL = "portal.example"
ISLAND = "old-lab.example"  # machine learning, reached by a tunnel only: TUNNEL, then pages about nothing
TUNNEL = "slow-days.example"
BEHIND_TAGS = "translators.example"  # machine learning, reached from the portal's tag pages only
CALENDAR = "calendar-club.example"
CALENDAR_YEARS = range(1995, 2025)
ADS = "ads.example"
AD_PAGES = 20
ATTIC = "attic.example"  # broken pages of every kind
MIRROR = "mirror.example"
MIRRORED = ("modelcraft.example", "sec-daily.example")  # hosts whose first texts it repeats
MIRRORED_EACH = 5
UNKNOWN_HOST = "vanished.example"  # linked to, not there

HOSTS = (
    Host(
        PORTAL,
        "万象门户",
        SiteStyle.NEWS,
        {ML: 12, SECURITY: 14, JAVA: 14, LIFE: 16},
        ("sec-daily.example", "java-garden.example", "kitchen-letters.example", "ai-notes.example"),
        robots="User-agent: *\nDisallow: /search/\n",
    ),
    Host(
        "deepforum.example",
        "深谈技术论坛",
        SiteStyle.FORUM,
        {ML: 18, JAVA: 14, SECURITY: 12},
        ("java-garden.example", "modelcraft.example", "safe-lab.example"),
    ),
    Host(
        "campus-bbs.example",
        "青藤校园论坛",
        SiteStyle.FORUM,
        {LIFE: 22, JAVA: 10, ML: 6},
        ("slow-days.example", CALENDAR, "enterprise-java.example", ATTIC),
    ),
    Host(
        "ai-notes.example",
        "智能笔记",
        SiteStyle.BLOG,
        {ML: 34, LIFE: 6},
        ("modelcraft.example", "deepforum.example", "closed.example"),
        drafts={ML: 5},
        robots=f"User-agent: *\nDisallow: {DRAFTS}\n\nUser-agent: greedybot\nDisallow: /\n",
    ),
    Host("modelcraft.example", "模型工坊", SiteStyle.NEWS, {ML: 26, JAVA: 4}, ("ai-notes.example", MIRROR)),
    Host(BEHIND_TAGS, "译文社", SiteStyle.NEWS, {ML: 12, LIFE: 4}, ("ai-notes.example",)),
    Host(ISLAND, "老李的实验室主页", SiteStyle.TABLE, {ML: 20}, ("modelcraft.example",), first_year=2004),
    Host(
        "sec-daily.example",
        "安全日报",
        SiteStyle.NEWS,
        {SECURITY: 38},
        ("safe-lab.example", "bug-museum.example", MIRROR),
        drafts={SECURITY: 4},
        robots=f"User-agent: *\nDisallow: {DRAFTS}\nSitemap: http://sec-daily.example/sitemap.xml\n",
    ),
    Host(
        "safe-lab.example",
        "安全实验室",
        SiteStyle.BLOG,
        {SECURITY: 26, ML: 4},
        ("sec-daily.example", "bug-museum.example"),
        encoding="gb18030",
        declared="gbk",
        content_type="text/html",
    ),
    Host(
        "bug-museum.example",
        "缺陷博物馆",
        SiteStyle.BLOG,
        {SECURITY: 16, JAVA: 12},
        ("java-garden.example", "safe-lab.example"),
        ends_early=True,
    ),
    Host(
        "java-garden.example", "爪哇花园", SiteStyle.BLOG, {JAVA: 34}, ("enterprise-java.example", "bug-museum.example")
    ),
    Host(
        "enterprise-java.example",
        "企业开发资料库",
        SiteStyle.TABLE,
        {JAVA: 24},
        ("java-garden.example",),
        encoding="gb18030",
        declared="utf-8",  # and that is wrong
        content_type="text/html; charset=utf-8",
        first_year=2004,
    ),
    Host("kitchen-letters.example", "厨房来信", SiteStyle.BLOG, {LIFE: 36}, ("slow-days.example", CALENDAR)),
    Host(TUNNEL, "慢日子", SiteStyle.BLOG, {LIFE: 26}, ("kitchen-letters.example",)),
    Host(CALENDAR, "黄历俱乐部", SiteStyle.TABLE, {LIFE: 12}, ("kitchen-letters.example",), first_year=2005),
    Host("closed.example", "闭门札记", SiteStyle.BLOG, {ML: 6}, robots="User-agent: *\nDisallow: /\n"),
)


GATES = 12  # addresses of the portal that lead to other hosts
CHAIN_HOST = "ai-notes.example"
CHAIN = 3  # redirects in a row
STUB_HOST = "java-garden.example"
STUB_PATH = "/latest.html"
ALIASES = {CHAIN_HOST: "notes-of-ai.example", STUB_HOST: "java-garden-old.example"}
_CALENDAR_FRIENDS = (CALENDAR, "campus-bbs.example", "kitchen-letters.example")


def outlets(host: Host) -> list[DemoLink]:
    links = []
    if host.name == PORTAL:
        links += [DemoLink(address(PORTAL, f"/go/{number}"), f"推荐站点 {number}") for number in range(1, GATES + 1)]
    if host.name == "deepforum.example":
        links.append(DemoLink(address(ALIASES[CHAIN_HOST], "/"), "智能笔记(旧址)"))
        links.append(DemoLink(chain_step(0), "置顶文章"))
    if host.name == "enterprise-java.example":
        links.append(DemoLink(address(ALIASES[STUB_HOST], "/"), "爪哇花园(旧址)"))
    if host.name == STUB_HOST:
        links.append(DemoLink(address(STUB_HOST, STUB_PATH), "最新一篇"))
    if host.name in _CALENDAR_FRIENDS:
        links.append(DemoLink(address(CALENDAR, f"/calendar/{CALENDAR_YEARS[-1]}-12.html"), "万年历"))
    return links


def chain_step(number: int) -> str:
    return address(CHAIN_HOST, f"/old/{number}.html")
