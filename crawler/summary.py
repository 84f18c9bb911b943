"""The table at the end of a crawl: what was harvested, where it is, what to do next."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from scrapy.settings import BaseSettings

from crawler.frontier.database import hidden
from crawler.settings import STORE_URL as DEFAULT_STORE
from crawler.store.report import Report

HOSTS_SHOWN = 5
REASONS_SHOWN = 3


def print_summary(report: Report, settings: BaseSettings) -> None:
    table = Table(title=f"Harvest of {report.topic}", show_header=False, title_justify="left")
    table.add_row("pages fetched", str(report.fetched))
    table.add_row("on topic", f"{report.kept} (mean similarity {report.mean_similarity:.2f})")
    table.add_row("harvest rate", f"{report.harvest_rate:.3f}")
    table.add_row("off topic", str(report.off_topic))
    table.add_row("duplicates", str(report.duplicates))
    table.add_row("still waiting", str(report.waiting))
    for host in report.best_hosts[:HOSTS_SHOWN]:
        table.add_row(
            "best hosts" if host is report.best_hosts[0] else "", f"{host.host}  {host.kept} of {host.judged}"
        )
    for reason, count in report.failures[:REASONS_SHOWN]:
        table.add_row("given up" if reason == report.failures[0][0] else "", f"{count}  {reason}")
    table.add_row("corpus", hidden(settings["STORE_URL"]))
    table.add_row("next", next_step(report, settings))
    Console(soft_wrap=True).print(table)


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
