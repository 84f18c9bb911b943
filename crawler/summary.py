"""The table at the end of a crawl: what was harvested, where it is, what to do next."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from scrapy.settings import BaseSettings

from crawler.frontier.database import hidden
from crawler.scorers.forecast import LEAST_FETCHES
from crawler.settings import STORE_URL as DEFAULT_STORE
from crawler.store.outlook import NEXT
from crawler.store.report import Report

HOSTS_SHOWN = 5
REASONS_SHOWN = 3


def print_summary(report: Report, settings: BaseSettings, ended: str = "") -> None:
    """`ended`: why, when the crawl ended by itself."""
    table = Table(title=f"Harvest of {report.topic}", show_header=False, title_justify="left")
    table.add_row("pages fetched", str(report.fetched))
    table.add_row("on topic", f"{report.kept} (mean similarity {report.mean_similarity:.2f})")
    table.add_row("harvest rate", f"{report.harvest_rate:.3f}")
    table.add_row("off topic", str(report.off_topic))
    table.add_row("duplicates", str(report.duplicates))
    table.add_row("still waiting", waiting(report))
    for host in report.best_hosts[:HOSTS_SHOWN]:
        table.add_row(
            "best hosts" if host is report.best_hosts[0] else "", f"{host.host}  {host.kept} of {host.judged}"
        )
    for reason, count in report.failures[:REASONS_SHOWN]:
        table.add_row("given up" if reason == report.failures[0][0] else "", f"{count}  {reason}")
    if ended:
        table.add_row("ended", ended)
    table.add_row("corpus", hidden(settings["STORE_URL"]))
    console = Console(soft_wrap=True)
    console.print(table)
    console.print(f"Next: {next_step(report, settings)}", highlight=False, markup=False)  # whole, to be copied


def waiting(report: Report) -> str:
    """How many URLs, and what is expected of them."""
    outlook = report.outlook
    if not report.waiting or outlook.fetches < LEAST_FETCHES:
        return str(report.waiting)
    return f"{report.waiting}, about {outlook.left:.0f} on topic; the next {NEXT} at a rate of {outlook.next_rate:.2f}"


def next_step(report: Report, settings: BaseSettings) -> str:
    """The command that a user most likely wants now."""
    store = settings["STORE_URL"]
    where = "" if store == DEFAULT_STORE else f" -s STORE_URL={hidden(store)}"
    budget = settings.getint("PAGE_BUDGET")
    if report.kept:
        return f"scrapy export {report.topic} corpus.jsonl{where}"
    if report.waiting and budget and report.fetched >= budget:
        return f"nothing on topic yet: the same command with -s PAGE_BUDGET={2 * budget}, or seeds nearer to the topic"
    return "nothing on topic: try other seeds, or lower 'threshold' in the topic file"
