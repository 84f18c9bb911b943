"""The table at the end of a crawl: what was harvested, where it is, what to do next."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text
from scrapy.settings import BaseSettings

from crawler.cli.sizes import megabytes
from crawler.cli.terminal import as_called, printable
from crawler.database.database import hidden
from crawler.settings import STORE_URL as DEFAULT_STORE
from crawler.store.forecast import LEAST_FETCHES
from crawler.store.outlook import NEXT
from crawler.store.report import DoorYield, Report

HOSTS_SHOWN = 5
REASONS_SHOWN = 3
SPENT = "budget spent"  # why a crawl ended


def print_summary(report: Report, settings: BaseSettings, ended: str = "") -> None:
    """`ended`: why the crawl ended by itself; "" when it did not."""
    table = Table(title=_text(f"Harvest of {report.topic}"), show_header=False, title_justify="left")
    for name, value in _rows(report, settings, ended):
        table.add_row(name, _text(value))
    console = Console(soft_wrap=True)
    console.print(table)
    console.print(
        f"Next: {as_called(next_step(report, settings))}", highlight=False, markup=False
    )  # in one line, to be copied


def _text(value: str) -> Text:
    """Text that a server wrote: rich must not read markup in it, the terminal no control characters."""
    return Text(printable(value))


def _rows(report: Report, settings: BaseSettings, ended: str) -> Iterator[tuple[str, str]]:
    yield "pages fetched", str(report.fetched)
    yield "on topic", f"{report.kept} (mean similarity {report.mean_similarity:.2f})"
    yield "harvest rate", f"{report.harvest_rate:.3f}"
    yield "off topic", str(report.off_topic)
    yield "duplicates", str(report.duplicates)
    yield "still waiting", waiting(report)
    if report.doors.opened:
        yield "doors", doors(report.doors)
    for place, host in enumerate(report.best_hosts[:HOSTS_SHOWN]):
        yield "" if place else "best hosts", f"{host.host}  {host.kept} of {host.judged}"
    for place, (reason, count) in enumerate(report.failures[:REASONS_SHOWN]):
        yield "" if place else "given up", f"{count}  {reason}"
    if ended:
        spent = ended == SPENT and not settings.getbool("REVISIT")
        yield "ended", f"{ended}; `scrapy harvest` goes on with what is new" if spent else ended
    yield "corpus", hidden(settings["STORE_URL"])


def doors(found: DoorYield) -> str:
    listed = f"{found.listed} URLs listed, {found.kept} of them kept"
    return f"{found.opened} sitemaps, feeds and search indexes ({megabytes(found.bytes)}): {listed}"


def waiting(report: Report) -> str:
    """How many URLs wait, and what is expected of them."""
    outlook = report.outlook
    if not report.waiting or outlook.fetches < LEAST_FETCHES:
        return str(report.waiting)
    return f"{report.waiting}, about {outlook.left:.0f} on topic; the next {NEXT} at a rate of {outlook.next_rate:.2f}"


def next_step(report: Report, settings: BaseSettings) -> str:
    """What the user most likely wants to do now."""
    store = settings["STORE_URL"]
    where = "" if store == DEFAULT_STORE else f" -s STORE_URL={hidden(store)}"
    budget = settings.getint("PAGE_BUDGET")
    if settings.getbool("REVISIT"):
        return f"scrapy news {report.topic}{where}"
    if report.kept:
        return f"scrapy export {report.topic} corpus.jsonl{where}"
    if report.waiting and budget and report.fetched >= budget:
        return f"nothing on topic yet: crawl again with -s PAGE_BUDGET={2 * budget}, or try seeds nearer to the topic"
    return "nothing on topic: try other seeds, or lower 'threshold' in the topic file"
