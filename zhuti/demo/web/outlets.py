"""Links on home pages that lead out by odd ways: through redirects, stubs, old names, into the calendar."""

from __future__ import annotations

from zhuti.demo.web.model import DemoLink, Host, address
from zhuti.demo.web.plan import CALENDAR, CALENDAR_YEARS, PORTAL

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
