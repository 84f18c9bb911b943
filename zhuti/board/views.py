"""The pages of the board: each is a query and a template."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse

from crawler.clock import wall_time
from crawler.database.database import readable
from crawler.errors import TopicError
from crawler.frontier.steering import steering
from crawler.labels.drift import last_drifts, noted_drift
from crawler.labels.expected import expected, lacks_answers_near
from crawler.labels.judge_again import is_judged
from crawler.labels.labels import Answer, counting, every
from crawler.labels.lessons import described
from crawler.labels.preview import preview
from crawler.labels.questions import questions
from crawler.labels.ranked import answered, candidates, ranked, sizes
from crawler.labels.threshold import proposed, threshold
from crawler.messages import N_, _, spoken
from crawler.options import segmenter
from crawler.questions.explanation import look_up
from crawler.questions.new_hosts import new_hosts
from crawler.questions.news import newest, news_of
from crawler.questions.run_facts import facts_of
from crawler.questions.runs import NEWEST, Run, run_named, runs_of
from crawler.questions.totals import totals
from crawler.reasons import NONE
from crawler.records import Outcome, PageKind
from crawler.runs.due import scheduled
from crawler.store.names import topic_id_of, topic_ids
from crawler.tell.charts import bars, curve
from crawler.tell.label_session import lines_of, told_of_proposal
from crawler.tell.news_output import ENTRIES, feed
from crawler.tell.run_report import as_html
from crawler.tell.summary import rows_of
from crawler.tell.topic_list import COLUMNS, topic_drifts, topic_rows
from crawler.tell.why_text import Waits, facts_text, forms, is_forbidden
from crawler.text.printable import printable
from crawler.topic.file_writer import learned_topic
from crawler.topic.files import Topic, title_of, topic_names
from crawler.topic.judge import page_judge
from zhuti.board import facts, original
from zhuti.board.board import SAID, Board
from zhuti.board.map import hosts_map
from zhuti.board.wishes import wishes

PAGE = 50  # rows of a list
MOST = 1_000_000  # rows that a list leaves out
WAITING, FAILED = N_("waiting"), N_("came to nothing")
LARGEST = 2.0**63  # what a database counts to
OTHERS = (WAITING, FAILED)  # states of URLs without a verdict
LOOK_AGAIN = 10.0  # seconds after which it is looked again which runs are under way and when the next are due
WORDS = 120  # of a topic
NEWS = 100  # items of each kind
AT_ONCE = 500  # pages of an export, in a transaction and in memory
EXPORTED = ("url", "title", "published", "kind", "language", "similarity")  # of each
PARAGRAPHS = 400  # of a body
LOG_LINES = 40
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
    log = "\n".join(board.actions.log(topic).splitlines()[-LOG_LINES:])
    with board.reading() as (database, connection):
        if file is not None and topic not in topic_ids(connection):
            written = getattr(file, "path", board.folder / f"{topic}.toml")
            return board.html(request, "not_begun.html", file=file, written=written, log=log)
        topic_id = topic_id_of(connection, topic)
        runs = board.remembered(connection, ("run", topic_id), lambda: runs_of(connection, topic_id, 1))
        report = board.remembered(connection, ("totals", topic_id), lambda: totals(database, topic))
        latest = facts.latest(connection, topic_id)
        waiting = facts.best_waiting(connection, topic_id, PAGE)
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
    """Of the last run that a board has started."""
    return PlainTextResponse("\n".join(map(printable, board.actions.log(topic).splitlines())))


def _left(runs: Sequence[Run]) -> int | None:
    """Requests of the run's budget that are left; None without a budget."""
    return max(0, runs[0].budget - runs[0].requests) if runs and runs[0].budget else None


def _number(text: str, otherwise: float) -> float:
    try:
        found = float(text)
    except ValueError:
        return otherwise
    return found if abs(found) < LARGEST else otherwise


def _wanted(request: Request) -> facts.Filter:
    said = request.query_params
    outcome = said.get("outcome", Outcome.KEPT.value)
    return facts.Filter(
        outcome if outcome in facts.JUDGED else Outcome.KEPT.value,
        said.get("host", "").strip().lower(),
        said.get("kind", "") if said.get("kind") in list(PageKind) else "",
        said.get("language", ""),
        _number(said.get("least", ""), 0.0),
        _number(said.get("most", ""), 1.0),
    )


def _filter(board: Board, request: Request, topic: str) -> facts.Filter:
    """What the request asks for. Raises StoreError."""
    wanted, words = _wanted(request), request.query_params.get("q", "").strip()
    return replace(wanted, urls=found_by_words(board, topic, words)) if words else wanted


def listed(board: Board, request: Request, topic: str) -> list[Any]:
    """The pages that the request asks for. Raises StoreError."""
    wanted = _filter(board, request, topic)
    before = int(_number(request.query_params.get("before", ""), 0))
    with board.reading() as (_database, connection):
        return list(facts.pages_of(connection, topic_id_of(connection, topic), wanted, before, PAGE))


def found_by_words(board: Board, topic: str, words: str) -> tuple[str, ...]:
    """URLs, the best first. The index is brought up to date before. Raises StoreError."""
    from zhuti.search.place import open_index

    index = open_index(board.settings["STORE_URL"], Path(board.settings["SEARCH_DIR"]))
    from zhuti.search.query import search, update  # Tantivy, which `open_index` has found

    with readable(board.settings["STORE_URL"]) as database:
        update(database, index)
        return tuple(hit.url for hit in search(database, index, words, topic=topic, limit=PAGE))


def exported(board: Board, request: Request, topic: str) -> Response:
    """All that the list of pages would show, as JSON Lines with the bodies."""
    wanted = _filter(board, request, topic)
    with board.reading() as (_database, connection):
        topic_id = topic_id_of(connection, topic)

    def lines() -> Iterator[str]:
        before, is_more = 0, True
        while is_more:  # a transaction each, so that none is open for long
            with board.reading() as (_database, connection):
                rows = facts.pages_of(connection, topic_id, wanted, before, AT_ONCE)
                found = described(connection, topic_id, [row.url for row in rows])
                bodies = {url: page.extraction.body for url, page in found}
            for row in rows:
                told = {name: getattr(row, name) for name in EXPORTED}
                yield json.dumps(told | {"body": bodies.get(row.url, "")}, ensure_ascii=False) + "\n"
                before = row.url_id
            is_more = len(rows) == AT_ONCE

    headers = {"Content-Disposition": "attachment; filename=pages.jsonl"}
    return StreamingResponse(lines(), media_type="application/jsonl", headers=headers)


def pages(board: Board, request: Request, topic: str) -> Response:
    asked = request.query_params
    if asked.get("outcome") in OTHERS:
        return _not_judged(board, request, topic)
    wanted, order = _filter(board, request, topic), asked.get("order", "")
    start = min(MOST, max(0, int(_number(asked.get("start", ""), 0))))
    with board.reading() as (_database, connection):
        topic_id = topic_id_of(connection, topic)
        before = int(_number(asked.get("before", ""), 0))
        rows = facts.pages_of(connection, topic_id, wanted, before, PAGE, facts.ORDERS.get(order, facts.NEWEST), start)
        openings = [facts.opening_of(connection, row) for row in rows]
        key = ("number", topic_id, *asdict(wanted).values())
        number = board.remembered(connection, key, lambda: facts.number_of(connection, topic_id, wanted))
        facets = board.remembered(connection, ("facets", *key), lambda: facts.facets_of(connection, topic_id, wanted))
        answers = {url: label.answer for url, label in counting(every(connection, topic_id)).items()}
    said = {key: value for key, value in request.query_params.items() if key not in (*SAID, "before")}
    by_place = order in facts.ORDERS and facts.ORDERS[order] is not facts.NEWEST
    following = {"start": start + PAGE} if by_place else {"before": rows[-1].url_id if rows else 0}
    more = f"?{urlencode(said | following)}" if len(rows) == PAGE and not said.get("q") else ""
    return board.html(
        request,
        "pages.html",
        rows=list(zip(rows, openings, strict=True)),
        number=number,
        facets={name: facet for name, facet in facets.items() if len(facet) > 1},
        answers=answers,
        orders=list(facts.ORDERS),
        narrowed={
            name: urlencode({key: value for key, value in said.items() if key not in (name, "start")})
            for name in facets
        },
        said=said,
        more=more,
        export=f"/t/{quote(topic, safe='')}/pages.jsonl?{urlencode(said)}",
        kinds=list(PageKind),
        outcomes=[*facts.JUDGED, *OTHERS],
    )


def _not_judged(board: Board, request: Request, topic: str) -> Response:
    """URLs that wait, or that came to nothing."""
    start = min(MOST, max(0, int(_number(request.query_params.get("start", ""), 0))))
    outcome = request.query_params["outcome"]
    with board.reading() as (_database, connection):
        find = facts.waiting_of if outcome == WAITING else facts.given_up
        rows = find(connection, topic_id_of(connection, topic), start, PAGE)
    more = f"?{urlencode({'outcome': outcome, 'start': start + PAGE})}" if len(rows) == PAGE else ""
    return board.html(request, "urls.html", rows=rows, more=more, outcome=outcome, outcomes=[*facts.JUDGED, *OTHERS])


def fate(board: Board, url: str, topic: str) -> str:
    """What became of the URL and why, as `why --quick` tells it. Raises CrawlerError."""
    settings, waits = board.settings, Waits.of(board.settings)
    with readable(settings["STORE_URL"]) as database:
        found = look_up(database, forms(url), topic)
    return "\n".join(facts_text(known, waits, (), forbidden=is_forbidden(known, settings)) for known in found)


def page(board: Board, request: Request, topic: str) -> Response:
    url = request.query_params.get("url", "")
    why = fate(board, url, topic)
    with board.reading() as (_database, connection):
        topic_id = topic_id_of(connection, topic)
        found = facts.page_of(connection, topic_id, url)
        answer = counting(every(connection, topic_id)).get(url)
    lines = found.body.split("\n")[:PARAGRAPHS] if found else []
    return board.html(request, "page.html", url=url, why=why.split("\n"), page=found, lines=lines, answer=answer)


def original_of(board: Board, request: Request, topic: str) -> Response:
    with board.reading() as (_database, connection):
        row = facts.row_of(connection, topic_id_of(connection, topic), request.query_params.get("url", ""))
    return original.response(row, board.settings)


def label(board: Board, request: Request, topic: str) -> Response:
    learned = learned_topic(topic, board.folder, segmenter(board.settings))
    with board.reading() as (_database, connection):
        topic_id = topic_id_of(connection, topic)
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
        is_new = not is_judged(connection, topic_id)
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
    return board.html(request, "label.html", threshold=least, is_new=is_new, **values)


def _since_judged(board: Board, connection: Connection, topic_id: int, make: Callable[[Connection, int], T]) -> T:
    """What `make` finds, until the stored pages are judged again: answers alone do not change it."""
    key = (make.__name__, topic_id)
    return board.remembered(connection, key, lambda: make(connection, topic_id), answers=False)


def changes(board: Board, request: Request, topic: str) -> Response:
    """What the answers would change."""
    learned = learned_topic(topic, board.folder, segmenter(board.settings))
    with board.reading() as (_database, connection):
        topic_id = topic_id_of(connection, topic)
        known = _since_judged(board, connection, topic_id, ranked)
        found = preview(connection, topic_id, learned, page_judge(board.settings["PAGE_JUDGE"]), known)
    return board.html(request, "changes.html", found=found)


def hosts(board: Board, request: Request, topic: str) -> Response:
    offset = int(_number(request.query_params.get("offset", ""), 0))
    with board.reading() as (_database, connection):
        topic_id = topic_id_of(connection, topic)
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
    learned = learned_topic(topic, board.folder, segmenter(board.settings))
    vector = learned.vector
    words = [(word, vector.relevance(word)) for word in vector.heaviest(WORDS)] if vector else []
    with board.reading() as (_database, connection):
        topic_id = topic_id_of(connection, topic)
        proposed = board.remembered(
            connection,
            ("seeds", topic_id, learned.seeds),
            lambda: new_hosts(connection, topic_id, learned.seeds),
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
        found = board.remembered(
            connection, ("news", topic, run.id), lambda: news_of(connection, topic, topic_id, run, NEWS)
        )
        runs = board.remembered(connection, ("runs", topic_id), lambda: runs_of(connection, topic_id, PAGE))
    return board.html(request, "news.html", news=found, run=run, runs=runs)


def report(board: Board, request: Request, topic: str) -> Response:
    wanted = request.query_params.get("run", NEWEST)

    def make() -> str:
        topic_id, run = run_named(connection, topic, wanted)
        return as_html(
            facts_of(connection, topic, topic_id, run),
            title_of(topic, board.folder),
            noted_drift(connection, run.id),
        )

    with board.reading() as (_database, connection):
        written = board.remembered(connection, ("report", topic, wanted, spoken()), make)
    policy = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}
    return HTMLResponse(written, headers=policy)


def atom(board: Board, request: Request, topic: str) -> Response:
    with board.reading() as (_database, connection):
        items = newest(connection, topic_id_of(connection, topic), ENTRIES)
    return Response(feed(topic, title_of(topic, board.folder), items, "feed"), media_type="application/atom+xml")


def queue(board: Board, request: Request, topic: str) -> Response:
    with board.reading() as (_database, connection):
        rows = facts.waiting_of(connection, topic_id_of(connection, topic))
    lines = "".join(f"{row.score:.6f}\t{row.url}\n" for row in rows)
    return PlainTextResponse(lines, headers={"Content-Disposition": "attachment; filename=queue.tsv"})


def host_map(board: Board, request: Request, topic: str) -> Response:
    with board.reading() as (_database, connection):
        topic_id = topic_id_of(connection, topic)
        picture = board.remembered(connection, ("map", topic_id), lambda: hosts_map(connection, topic_id))
    return board.html(request, "map.html", picture=picture)
