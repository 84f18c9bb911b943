"""A trap: thirty years of months, each linked with many others, with nothing in them."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator

from lab.demo.webgen.around import Web
from lab.demo.webgen.listings import plain_page
from lab.demo.webgen.markup import row
from lab.demo.webgen.model import Link, Page, address
from lab.demo.webgen.plan import CALENDAR, CALENDAR_YEARS


def calendar_pages(web: Web) -> Iterator[Page]:
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


def _link(year: int, month: int, text: str) -> Link:
    return Link(address(CALENDAR, _path(year, month)), text)
