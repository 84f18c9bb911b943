"""The table at the end of a crawl: what was harvested, where it is, what to do next."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from rich.console import Console
from rich.table import Table
from rich.text import Text
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from crawler.database.database import hidden
from crawler.messages import _
from crawler.questions.totals import DOUBTFUL, IndexFileYield, Totals
from crawler.reader.text.printable import legible, megabytes, printable
from crawler.reasons import Code, Reason, told
from crawler.tell.outlook import still_waiting
from crawler.topic.files import Topic

HOSTS_SHOWN = 5
REASONS_SHOWN = 3
SEEDS_SHOWN = 5
WORDS_SHOWN = 8
MANY, FEW = 0.1, 5  # share of the kept pages, and number, from which on doubtful ones are told
UNANALYSED = (Code.SLOW, Code.SLOW_SHARE, Code.SLOW_DOMAIN, Code.DIED, Code.MEMORY)
WIDE = 1_000  # columns of what no terminal shows


def print_summary(report: Totals, settings: BaseSettings, topic: Topic, ended: Reason) -> None:
    """`ended`: why the crawl has ended; NONE when an error ended it, which tells itself what to do next."""
    table = Table(title=_text(_("Harvest of {topic}", topic=report.topic)), show_header=False, title_justify="left")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")  # a path is whole, to be copied
    for name, value in rows_of(report, settings, topic, ended):
        table.add_row(name, _text(value))
    is_narrow = sys.stdout.isatty() or "COLUMNS" in os.environ
    Console(width=None if is_narrow else WIDE).print(table)
    if ended:  # in one line, to be copied
        step = _("Next: {step}", step=next_step(report, settings, topic))
        Console(soft_wrap=True).print(step, highlight=False, markup=False)


def _text(value: str) -> Text:
    """Text that a server wrote: rich must not read markup in it, the terminal no control characters."""
    return Text(printable(value))


def rows_of(report: Totals, settings: BaseSettings, topic: Topic, ended: Reason) -> Iterator[tuple[str, str]]:
    """Name and value of each row; "" for a name that was told before. The board shows the same."""
    if topic.vector is not None and not (topic.keywords or topic.texts or topic.members):
        words = ", ".join(topic.vector.heaviest(WORDS_SHOWN))
        command = f"zhuti topic show {topic.name}"
        yield _("learned words"), _("{words} (all: {command})", words=words, command=command)
    yield from _this_run(report)
    yield _("pages fetched"), str(report.fetched)
    on_topic = {"kept": report.kept, "mean_similarity": report.mean_similarity}
    yield _("on topic"), _("{kept} (mean similarity {mean_similarity:.2f})", **on_topic)
    if report.doubtful >= max(FEW, MANY * report.kept):
        few = {"count": report.doubtful, "least": DOUBTFUL, "topic": report.topic}
        text = _(
            "{count} of them are below {least:g}, where most errors are: zhuti label {topic}, or export with"
            " --min-similarity {least:g}",
            **few,
        )
        yield "", text
    if report.further_pages:
        of_them = {"pages": report.further_pages, "posts": report.continued}
        yield _("further pages"), _("{pages} of them, of {posts} threads and articles (FURTHER_PAGES)", **of_them)
    yield _("harvest rate"), f"{report.harvest_rate:.3f}"
    yield _("off topic"), str(report.off_topic)
    yield _("duplicates"), str(report.duplicates)
    if report.unjudged:
        yield _("not judged"), _("{count}, which only lead elsewhere or could not be analysed", count=report.unjudged)
    yield _("still waiting"), still_waiting(report.waiting, report.outlook)
    if report.index_files.opened:
        yield _("index files"), index_files(report.index_files)
    for place, host in enumerate(report.best_hosts[:HOSTS_SHOWN]):
        gave = _("{host}  {kept} of {judged}", host=legible(host.host), kept=host.kept, judged=host.judged)
        yield "" if place else _("best hosts"), gave
    yield from _counted(_("given up"), report.failures)
    yield from _failed_seeds(report.failed_seeds)
    if ended:
        spent = ended.code is Code.BUDGET and not settings.getbool("REVISIT")
        again = f"zhuti harvest {topic.name} --every 1d"
        more = _("{ended}; `{command}` continues with what is new", ended=told(ended), command=again)
        yield _("ended"), more if spent and topic.path.exists() else told(ended)
    yield _("corpus"), hidden(settings["STORE_URL"])


def _this_run(report: Totals) -> Iterator[tuple[str, str]]:
    """What it has brought, where there were others, and what it has asked for."""
    if report.run is None:
        return
    name, run = _("this run"), report.run
    if run.fetched != report.fetched:
        yield name, _("{fetched} pages fetched, {new} new on topic when they came", fetched=run.fetched, new=run.new)
        name = ""
    of_them = {"requests": run.requests, "index_files": report.index_requests}
    yield name, _("{requests} requests, {index_files} of them for index files", **of_them)
    yield "", _("{robots} more for robots.txt, tdmrep.json and ai.txt", robots=run.robots)
    if report.waited >= 1:
        yield "", _("{seconds:.0f} seconds waited for better pages of busy hosts (PATIENCE)", seconds=report.waited)


def _counted(name: str, reasons: Sequence[tuple[Reason, int]]) -> Iterator[tuple[str, str]]:
    """The most frequent reasons, each with its number."""
    for place, (reason, count) in enumerate(reasons[:REASONS_SHOWN]):
        yield "" if place else name, f"{count}  {told(reason)}"
    if rest := sum(count for _reason, count in reasons[REASONS_SHOWN:]):
        yield "", _("{count}  for other reasons", count=rest)


def _failed_seeds(failed: Sequence[tuple[str, Reason]]) -> Iterator[tuple[str, str]]:
    for place, (url, reason) in enumerate(failed[:SEEDS_SHOWN]):
        yield "" if place else _("seeds without a page"), f"{legible(url)}  {told(reason)}"
    if len(failed) > SEEDS_SHOWN:
        yield "", _("and {more} more", more=len(failed) - SEEDS_SHOWN)


def index_files(found: IndexFileYield) -> str:
    named = {"size": megabytes(found.bytes), **asdict(found)}
    return _("{opened} read ({size}); they list {listed} new URLs, {kept} of them kept", **named)


def next_step(report: Totals, settings: BaseSettings, topic: Topic) -> str:
    """What the user most likely wants to do now."""
    budget = settings.getint("PAGE_BUDGET")
    if settings.getbool("REVISIT"):
        return command_of(["news", report.topic], settings)
    if report.kept:
        if topic.members:  # each has a harvest of its own
            first = topic.members[0].name
            return command_of(["export", first, f"{first}.jsonl"], settings)
        return command_of(["export", report.topic, "corpus.jsonl"], settings)
    if any(reason.code in UNANALYSED for reason, _count in report.failures[:1]) or (
        report.failed_seeds and all(reason.code in UNANALYSED for _url, reason in report.failed_seeds)
    ):
        return _(
            "nothing on topic: pages could not be analysed on this machine; run the same command with"
            " -s ANALYSE_TIMEOUT={seconds:g} -s ANALYSE_PROCESSES=1, when it is less busy",
            seconds=3 * settings.getfloat("ANALYSE_TIMEOUT"),
        )
    if report.waiting and budget and report.fetched >= budget:
        return _(
            "nothing on topic yet: crawl again with -s PAGE_BUDGET={budget}, or try seeds closer to the topic",
            budget=2 * budget,
        )
    if not report.waiting and topic.allowed_hosts:
        return _("nothing on topic, and 'allowed_hosts' in {path} allows no other host: add hosts", path=topic.path)
    if report.failures and report.failures[0][0].code is Code.ROBOTS and report.failures[0][1] > report.off_topic:
        return _("nothing on topic: robots.txt forbids most of the pages found; try other seeds")
    if report.waiting:
        return _("nothing on topic yet: run the same command to continue, or try seeds closer to the topic")
    return _("nothing on topic: try other seeds, or lower 'threshold' in the topic file")


def command_of(words: list[str], settings: BaseSettings) -> str:
    """A command for the shell: it names the database where this command line did; never with its password."""
    store, command = settings["STORE_URL"], ["zhuti", *words]
    if (settings.getpriority("STORE_URL") or 0) < SETTINGS_PRIORITIES["cmdline"]:
        return shlex.join(command)
    if hidden(store) == store:
        return shlex.join([*command, "-s", f"STORE_URL={store}"])
    return _("{command}, with the -s STORE_URL=... of this command", command=shlex.join(command))
