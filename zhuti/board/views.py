"""The pages of the board: each is a query and a template."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from html import escape
from operator import attrgetter
from typing import Any, TypeVar

from lxml.etree import strip_elements
from lxml.html import HTMLParser, document_fromstring, tostring
from scrapy.settings import BaseSettings
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from crawler.archive.places import archive_at
from crawler.clock import wall_time
from crawler.database.database import readable
from crawler.errors import ArchiveError, TopicError
from crawler.frontier.steering import steering
from crawler.labels.drift import last_drifts, noted_drift
from crawler.labels.labels import Answer, counting, every
from crawler.labels.ranked import answered, ranked
from crawler.labels.threshold import proposed, threshold
from crawler.messages import _, ngettext, spoken
from crawler.questions.runs import NEWEST, Run, run_named, runs_of
from crawler.questions.totals import totals
from crawler.reader.extract.best import best_markdown
from crawler.reader.html.page import Page
from crawler.reader.text.printable import printable
from crawler.reader.text.robots_groups import TDMREP, by_signals, by_tdmrep, own_group, robots_text
from crawler.reasons import NONE, ReasonError
from crawler.records import WarcPlace
from crawler.runs.due import scheduled
from crawler.store.names import topic_id_of, topic_ids
from crawler.tell.summary import rows_of
from crawler.topic.file_writer import learned_topic
from crawler.topic.files import Topic, title_of, topic_names
from crawler.topic.judge import page_judge
from zhuti.archive.reader import page_markup, response_at
from zhuti.board import facts
from zhuti.board.board import Board
from zhuti.board.facts import side_files_of
from zhuti.board.map import hosts_map
from zhuti.board.page_list import MOST_SKIPPED, PAGE, number_in
from zhuti.label.expected import expected, lacks_answers_near
from zhuti.label.questions import candidates, questions, sizes
from zhuti.label.session import lines_of, told_of_proposal
from zhuti.news.charts import bars, curve
from zhuti.news.news import newest, news_of
from zhuti.news.news_output import ENTRIES, feed
from zhuti.news.run_facts import facts_of
from zhuti.news.run_report import as_html
from zhuti.seeding.new_hosts import new_hosts
from zhuti.topics.topic_list import COLUMNS, topic_drifts, topic_rows
from zhuti.why.explanation import look_up
from zhuti.why.why_text import Waits, facts_text, forms, is_forbidden

LOOK_AGAIN = 10.0  # seconds after which it is looked again which runs are under way and when the next are due
WORDS = 120  # of a topic
NEWS = 20  # items of each kind
PARAGRAPHS = 400  # of a body
LONGEST = 200_000  # characters of one that is rendered
LOG_LINES = 40
LISTS = re.compile(
    r"^[^\n]* \[scrapy\.[^\n]*:\n[{\[].*?[}\]]\n", re.MULTILINE | re.DOTALL
)  # settings, components, stats
BEST = 10  # waiting URLs
EXAMPLES = 5  # pages on each side of the threshold
T = TypeVar("T")


def topics(
    board: Board, request: Request, _topic: str, form: Mapping[str, str] | None = None, wrong: str = ""
) -> Response:
    """`form`: of a topic that could not be begun, and what is `wrong` with it."""
    found, errors = scheduled(board.folder)
    named = {topic.name: topic for topic in found}
    with board.reading() as (database, connection):
        key = ("topics", spoken(), wall_time() // LOOK_AGAIN, *named)
        rows = board.remembered(connection, key, lambda: list(topic_rows(database, named, wall_time())))
        begun = sorted({*topic_names(board.folder)} - {*topic_ids(connection), *named})
        notes = [*map(str, errors), *topic_drifts(database)]
    said = {"wrong": wrong} if wrong else {}
    return board.html(
        request, "topics.html", columns=COLUMNS, rows=rows, notes=notes, begun=begun, form=form or {}, **said
    )


def watch(board: Board, request: Request, topic: str) -> Response:
    file = _file_of(board, topic)
    log = "\n".join(LISTS.sub("", board.actions.log(topic)).splitlines()[-LOG_LINES:])
    with board.reading() as (database, connection):
        if (file is not None or board.actions.is_running_here(topic)) and topic not in topic_ids(connection):
            written = getattr(file, "path", board.folder / f"{topic}.toml")
            return board.html(request, "not_begun.html", file=file, written=written, log=log)
        topic_id = topic_id_of(connection, topic)
        runs = board.remembered(connection, ("run", topic_id), lambda: runs_of(connection, topic_id, 1))
        report = board.remembered(connection, ("totals", topic_id), lambda: totals(database, topic))
        latest = facts.latest(connection, topic_id)
        waiting = facts.best_waiting(connection, topic_id, BEST)
        steers = steering(connection, topic_id).steers
    ended = runs[0].ended if runs else NONE
    about = file if isinstance(file, Topic) else Topic(topic, board.folder / f"{topic}.toml")
    minutes = [f"{datetime.fromtimestamp(at, UTC):%H:%M}" for at, _, _ in latest.speed]
    charts = {
        "harvest": curve(_("share on topic"), latest.curve),
        "speed": bars(
            minutes, {_("kept"): [bar[1] for bar in latest.speed], _("not kept"): [bar[2] for bar in latest.speed]}
        ),
    }
    values = {"run": runs[0] if runs else None, "latest": latest, "waiting": waiting, "steers": steers}
    rows = list(rows_of(report, board.settings, about, ended))
    return board.html(
        request, "watch.html", charts=charts, budget_left=_left(runs), rows=rows, file=file, log=log, **values
    )


def _file_of(board: Board, topic: str) -> Topic | TopicError | None:
    """What its file says, or what is wrong with it; None where it has none."""
    try:
        return Topic.load(topic, board.folder)
    except TopicError as error:
        return error if topic in topic_names(board.folder) else None


def log(board: Board, request: Request, topic: str) -> Response:
    """The log of the last run that a board has started."""
    return PlainTextResponse("\n".join(map(printable, board.actions.log(topic).splitlines())))


def _left(runs: Sequence[Run]) -> int | None:
    """Requests of the run's budget that are left; None without a budget."""
    return max(0, runs[0].budget - runs[0].requests) if runs and runs[0].budget else None


def fate(board: Board, url: str, topic: str) -> str:
    """What became of the URL and why, as `why --quick` tells it. Raises CrawlerError."""
    settings, waits = board.settings, Waits.of(board.settings)
    with readable(settings["STORE_URL"]) as database:
        found = look_up(database, forms(url), topic)
    return "\n".join(facts_text(known, waits, (), forbidden=is_forbidden(known, settings)) for known in found)


def page(board: Board, request: Request, topic: str) -> Response:
    url = request.query_params.get("url", "")
    why = fate(board, url, topic)
    with board.reading_of(topic) as (connection, topic_id):
        found = facts.page_of(connection, topic_id, url)
        answer = counting(every(connection, topic_id)).get(url)
    lines = found.body.split("\n")[:PARAGRAPHS] if found else []
    markup, _missing = _archived(found.row, board.settings) if found else (None, "")
    body = ""
    with suppress(ReasonError):  # it takes too much
        body = board.aside(best_markdown, Page(markup, url)).body if markup else ""
    values = {"page": found, "lines": lines, "archived": markup is not None, "rendered": rendered(body) if body else ""}
    return board.html(request, "page.html", url=url, why=why.split("\n"), answer=answer, **values)


def rendered(body: str) -> str:
    """Markdown as HTML, safe to be shown: of the page's own HTML there is only the text, and its pictures, which would
    ask strangers, are told by their words."""
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    made.add_render_rule("image", lambda _self, tokens, n, _options, _env: f"[{escape(tokens[n].content)}]")
    return str(made.render(body[:LONGEST]))


def original_of(board: Board, request: Request, topic: str) -> Response:
    with board.reading_of(topic) as (connection, topic_id):
        row = facts.row_of(connection, topic_id, request.query_params.get("url", ""))
    return original_response(row, board.settings)


def label(board: Board, request: Request, topic: str) -> Response:
    learned = learned_topic(topic, board.folder)
    with board.reading_of(topic) as (connection, topic_id):
        answers = counting(every(connection, topic_id))
        least = threshold(connection, topic_id, learned)
        near = sorted(
            candidates(connection, topic_id, least, _since_judged(board, connection, topic_id, ranked)),
            key=attrgetter("similarity"),
        )
        asked = questions(near, least, len(answers))
        judged = _since_judged(board, connection, topic_id, sizes)
        said = answered(connection, topic_id)
        better = proposed(connection, topic_id, learned)
        found = facts.page_of(connection, topic_id, asked[0].candidate.url) if asked else None
    judge = page_judge(board.settings["PAGE_JUDGE"])(learned)
    first, telling = lines_of(found.body, judge) if found else ([], [])
    values: dict[str, Any] = {
        "question": asked[0] if asked else None,
        "left": len(asked),
        "expected": expected(judged, said),
        "lacks_near": lacks_answers_near(judged, said),
        "better": told_of_proposal(better) if better is not None else "",
        "first": first,
        "telling": telling,
        "counts": {answer: sum(one.answer is answer for one in answers.values()) for answer in Answer},
        "kept": sum(size for (_, is_kept), size in judged.items() if is_kept),
        "dropped": sum(size for (_, is_kept), size in judged.items() if not is_kept),
        "above": [page for page in near if page.similarity >= least][:EXAMPLES],
        "below": [page for page in near if page.similarity < least][: -EXAMPLES - 1 : -1],
    }
    return board.html(request, "label.html", threshold=least, **values)


def _since_judged(board: Board, connection: Connection, topic_id: int, make: Callable[[Connection, int], T]) -> T:
    """What `make` finds, until the stored pages are judged again: answers alone do not change it."""
    key = (make.__name__, topic_id)
    return board.remembered(connection, key, lambda: make(connection, topic_id), answers=False)


def hosts(board: Board, request: Request, topic: str) -> Response:
    offset = int(number_in(request.query_params.get("offset", ""), 0))
    with board.reading_of(topic) as (connection, topic_id):
        first = max(0, offset)
        rows = board.remembered(
            connection, ("hosts", topic_id, first), lambda: facts.hosts_of(connection, topic_id, first, PAGE)
        )
        steers = steering(connection, topic_id)
        agent = board.settings["ROBOTSTXT_USER_AGENT"] or board.settings["USER_AGENT"]
        wished = wishes(connection, [row.name for row in rows], agent)
    blocked = {row.name for row in rows if steers.blocks(row.home)}
    more = f"?offset={offset + PAGE}" if len(rows) == PAGE else ""
    return board.html(request, "hosts.html", rows=rows, blocked=blocked, wished=wished, now=wall_time(), more=more)


def topic_words(board: Board, request: Request, topic: str) -> Response:
    learned = learned_topic(topic, board.folder)
    vector = learned.vector
    words = [(word, vector.relevance(word)) for word in vector.heaviest(WORDS)] if vector else []
    with board.reading_of(topic) as (connection, topic_id):
        proposed = board.remembered(
            connection, ("seeds", topic_id, learned.seeds), lambda: new_hosts(connection, topic_id, learned.seeds)
        )
        drift = last_drifts(connection).get(topic)
        least = threshold(connection, topic_id, learned)
    return board.html(
        request, "topic.html", found=learned, words=words, proposed=proposed[:PAGE], drift=drift, least=least
    )


def news(board: Board, request: Request, topic: str) -> Response:
    with board.reading() as (_database, connection):
        wanted = request.query_params.get("run", NEWEST)
        topic_id, run = board.remembered(
            connection, ("named", topic, wanted), lambda: run_named(connection, topic, wanted)
        )
        start = min(MOST_SKIPPED, max(0, int(number_in(request.query_params.get("start", ""), 0))))
        key = ("news", topic, run.id, start)
        found = board.remembered(connection, key, lambda: news_of(connection, topic, topic_id, run, start + NEWS))
        runs = board.remembered(connection, ("runs", topic_id), lambda: runs_of(connection, topic_id, PAGE))
    more = max(found.counts) > start + NEWS
    return board.html(request, "news.html", news=found, run=run, runs=runs, start=start, size=NEWS, more=more)


def report(board: Board, request: Request, topic: str) -> Response:
    wanted = request.query_params.get("run", NEWEST)

    def make() -> str:
        topic_id, run = run_named(connection, topic, wanted)
        return as_html(
            facts_of(connection, topic, topic_id, run), title_of(topic, board.folder), noted_drift(connection, run.id)
        )

    with board.reading() as (_database, connection):
        written = board.remembered(connection, ("report", topic, wanted, spoken()), make)
    policy = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}
    return HTMLResponse(written, headers=policy)


def atom(board: Board, request: Request, topic: str) -> Response:
    with board.reading_of(topic) as (connection, topic_id):
        items = newest(connection, topic_id, ENTRIES)
    return Response(feed(topic, title_of(topic, board.folder), items, "feed"), media_type="application/atom+xml")


def queue(board: Board, request: Request, topic: str) -> Response:
    with board.reading_of(topic) as (connection, topic_id):
        rows = facts.waiting_of(connection, topic_id)
    lines = "".join(f"{row.score:.6f}\t{row.url}\n" for row in rows)
    return PlainTextResponse(lines, headers={"Content-Disposition": "attachment; filename=queue.tsv"})


def host_map(board: Board, request: Request, topic: str) -> Response:
    with board.reading_of(topic) as (connection, topic_id):
        picture = board.remembered(connection, ("map", topic_id), lambda: hosts_map(connection, topic_id))
    return board.html(request, "map.html", picture=picture)


def wishes(connection: Connection, hosts: Sequence[str], agent: str) -> dict[str, str]:
    """What publishers wish, in words, by host: of the robots.txt, tdmrep.json and ai.txt that the harvest still has;
    none of hosts that wish nothing. `agent`: the crawler's name."""
    found: dict[str, list[str]] = {}
    for host, path, body in side_files_of(connection, hosts):
        found.setdefault(host, []).extend(_told(path, body, agent))
    return {host: " · ".join(told) for host, told in found.items() if told}


def _told(path: str, body: bytes, agent: str) -> Iterator[str]:
    if path == TDMREP:
        if by_tdmrep(body):
            yield _("tdmrep.json reserves mining")
        return
    group = own_group(robots_text(body), agent)
    if closed := _closed(group):
        name = path.rpartition("/")[2]
        is_all = "/" in closed
        number = _("the whole site") if is_all else ngettext("{count} place", "{count} places", len(closed))
        yield _("{name} closes {number}", name=name, number=number)
    if by_signals(group):
        yield _("robots.txt reserves training")


def _closed(group: str) -> set[str]:
    lines = (line.partition(":") for line in group.splitlines())
    return {value.strip() for name, _colon, value in lines if name.strip().lower() == "disallow"} - {""}


VISITS = ("iframe", "frame", "object", "embed", "link", "base")
# No scripts, forms, pictures or frames; an opaque origin, so that nothing of the board can be read.
POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"


def original_response(row: Any, settings: BaseSettings) -> Response:
    """The page as its server sent it, from the archive: shown where nothing of it can act. `row`: of `pages`, or None.
    What is not archived is told as text."""
    markup, missing = _archived(row, settings)
    if markup is None:
        return PlainTextResponse(missing, headers={"Content-Security-Policy": POLICY})
    return HTMLResponse(_without_visits(markup), headers={"Content-Security-Policy": POLICY})


def _archived(row: Any, settings: BaseSettings) -> tuple[str | None, str]:
    """The page's markup, or None and why."""
    missing = _("This page was not archived: set WARC_DIR before a crawl.")
    if row is None or row.warc_file is None:
        return None, missing
    try:
        stored = response_at(archive_at(settings["WARC_DIR"] or "."), WarcPlace(row.warc_file, row.warc_offset, ""))
    except ArchiveError as error:
        return None, str(error)
    return page_markup(stored), missing


def _without_visits(markup: str) -> str:
    """The markup without what makes a browser look up or reach strangers: no policy forbids all of that."""
    tree = document_fromstring(markup.encode("utf-8", "replace"), parser=HTMLParser(encoding="utf-8"))
    strip_elements(tree, *VISITS, with_tail=False)
    for meta in tree.iter("meta"):
        if "http-equiv" in meta.attrib:
            meta.attrib.clear()
    return f"<!doctype html>{tostring(tree, encoding='unicode')}"
