"""The tables of a harvest. What an older one lacks of them is added by migrate.py.

The frontier's:

    topics --< queues >-- hosts      one queue per topic and host: how many URLs wait, and which of them is the best
       |         |
       '---------'--< urls           one row per topic and canonical URL, from first sight to the end

Politeness belongs to the host and is shared by all topics. What is in flight on a host is counted, not stored: a
counter would drift when a process dies.

The store's:

    fetches     every fetch, in the order of commit: the log of the crawl, from which a link scorer is taught again
    pages       one row per canonical URL that was judged; the body where some topic kept it, and of some others
    bands       which pages may be near-duplicates of a text
    judgements  what a topic thinks of a page
    links       the outlinks of a judged page, packed (store.compression), one row per page: a row per link costs
                several times the bytes
    bases       outlinks of a page, upon which those of later pages of its host are packed (store.compression)
    removals    when pages were forgotten: older search indexes are rebuilt
    scorings    which link scorer scored a topic's URLs, and since which fetch: a row when it changes
    runs        the crawls of a topic, one after the other; every fetch belongs to one
    visits      what is remembered of the visits to a URL, to decide when the next one pays: one row per URL
    versions    what a kept page said before its text was changed
    scorer_states  what a link scorer had learned at the end of a run (store.scorer_states), one row per topic
    side_files  robots.txt and the like, until they expire (store.side_files)
    arrivals    visits that workers have handed to the one that leads (store.arrivals), until they have their answer
    steers      what people block and boost (frontier.steering)
    labels      what a person, or a model, says of a page: whether it belongs to the topic. By URL, so that it outlasts
                the page

Times are seconds since the epoch.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Dialect,
    ForeignKey,
    Index,
    MetaData,
    Table,
    TextClause,
    UniqueConstraint,
    cast,
    false,
    or_,
    text,
    type_coerce,
)
from sqlalchemy.types import BigInteger, Boolean, Double, Integer, LargeBinary, SmallInteger, Text, TypeDecorator

from crawler.document import FOUND
from crawler.reasons import Code, Reason, read, stored
from crawler.records import EVEN_ODDS, UrlState

metadata = MetaData()


OPEN = (int(UrlState.WAITING), int(UrlState.DEFERRED))  # still to be fetched and in nobody's hands

# Partial indexes are used only where a query repeats their condition word for word: not as a bound parameter.
IS_WAITING = text(f"state = {int(UrlState.WAITING)}")
IS_LEASED = text(f"state = {int(UrlState.LEASED)}")
IS_DEFERRED = text(f"state = {int(UrlState.DEFERRED)}")


def _partial(name: str, condition: TextClause, *columns: ColumnElement[Any]) -> None:
    """An index of the rows that fulfil the condition."""
    Index(name, *columns, sqlite_where=condition, postgresql_where=condition)


class Reasons(TypeDecorator[Reason]):
    """A reason as `reasons.stored` writes it. Statements that are text (statements.py) write and read it by
    themselves."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Reason | None, dialect: Dialect) -> str | None:
        return None if value is None else stored(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Reason | None:
        return None if value is None else read(value)


def has_code(column: ColumnElement[Reason], *codes: Code) -> ColumnElement[bool]:
    """Whether a reason has one of these codes, whose sentences have fields."""
    return or_(*(type_coerce(column, Text).startswith(f"{code.value} ") for code in codes))


topics = Table(
    "topics",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("graded", Text),  # the state of its labels by which the stored pages were judged last; NULL: by none
    Column("threshold", Double),  # in place of the topic file's: what the precision asked for needs (labels.threshold)
)

hosts = Table(
    "hosts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),  # as in the URL: with the port when it is not the scheme's own
    Column("next_due", Double, nullable=False, server_default="0"),  # politeness: not before this time
    Column("rest_until", Double, nullable=False, server_default="0"),  # back-off: cleared by a success
    Column("failures", Integer, nullable=False, server_default="0"),  # in a row
    Column("crawl_delay", Double, nullable=False, server_default="0"),  # seconds, by its robots.txt
    # Times that it was given up (frontier.politeness), since it has answered last.
    Column("given_ups", SmallInteger, nullable=False, server_default="0"),
)

queues = Table(
    "queues",
    metadata,
    Column("topic_id", Integer, ForeignKey("topics.id"), primary_key=True),
    Column("host_id", Integer, ForeignKey("hosts.id"), primary_key=True),
    Column("best_score", Double),  # of the WAITING rows; NULL when there is none
    Column("best_id", Integer),  # the row a claim of this host would take
    Column("served_at", Double, nullable=False),  # last claim, or when the first URL of the host was found
    Column("waiting", Integer, nullable=False, server_default="0"),  # rows WAITING or DEFERRED
    Column("done", Integer, nullable=False, server_default="0"),  # rows DONE
    # Whether the topic has kept a page of the host, or a seed lies there (frontier.claimable).
    Column("proven", Boolean, nullable=False, server_default=false()),
)
HAS_BEST = text("best_id IS NOT NULL")
_partial("queues_best", HAS_BEST, queues.c.topic_id, queues.c.best_score.desc(), queues.c.best_id)
_partial(
    "queues_proven",
    text("best_id IS NOT NULL AND proven"),
    queues.c.topic_id,
    queues.c.best_score.desc(),
    queues.c.best_id,
)
_partial("queues_served", HAS_BEST, queues.c.topic_id, queues.c.served_at, queues.c.host_id)

urls = Table(  # wide columns first: PostgreSQL aligns numbers, and gaps took 8 bytes a row
    "urls",
    metadata,
    Column("id", Integer, primary_key=True),  # first come, first served among equal scores
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("score", Double, nullable=False),
    Column("found_at", Double, nullable=False),
    Column("not_before", Double),  # of a DEFERRED row
    Column("lease_until", Double),  # of a LEASED row
    Column("host_id", Integer, ForeignKey("hosts.id"), nullable=False),
    Column("depth", Integer, nullable=False),  # links from the nearest seed
    Column("distance", Integer, nullable=False),  # off-topic pages in a row on the way here
    Column("via", Integer),  # the row of the page that first linked here; NULL for a seed
    Column("state", SmallInteger, nullable=False),  # UrlState
    Column("hops", SmallInteger, nullable=False),  # redirects in a row that led here
    Column("tries", SmallInteger, nullable=False),  # failed fetches
    Column("pinned", Boolean),  # its score is the worth of a visit now (store.visits), which no link scorer changes
    Column("url", Text, nullable=False),  # canonical
    Column("worker", Text),  # of a LEASED row: who holds it
    Column("index_kind", Text),  # kind of the index file that is expected there; NULL: a page
    # The row of the first page of the thread or article that it goes on with, where it was to be fetched for that.
    Column("further_of", Integer),
    UniqueConstraint("topic_id", "url", name="urls_topic_url").ddl_if(dialect="sqlite"),  # else: address_key.py
)
_partial("urls_waiting", IS_WAITING, urls.c.topic_id, urls.c.host_id, urls.c.score.desc(), urls.c.id)
_partial("urls_in_flight", IS_LEASED, urls.c.host_id, urls.c.lease_until)
_partial("urls_leases", IS_LEASED, urls.c.topic_id, urls.c.lease_until)
WAS_REDIRECTED = text("hops > 0")
_partial("urls_redirected", WAS_REDIRECTED, urls.c.via)
_partial("urls_deferred", IS_DEFERRED, urls.c.topic_id, urls.c.not_before)
_partial("urls_pinned", text("pinned"), urls.c.topic_id)

FIRST_FOUND = ("title", "published", "language", "author", "kind")  # those of document.FOUND that are in the table
TYPES = {"str": Text, "str | None": Text, "float | None": Double}  # by annotation

pages = Table(
    "pages",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("url", Text, nullable=False, unique=True),  # canonical
    Column("title", Text, nullable=False),
    # UTF-8, zstd; NULL unless kept; of pages that were dropped also those of store.sampled_texts and further_pages.
    Column("body", LargeBinary),
    Column("digest", LargeBinary),  # store.duplicates.digest of the body; NULL unless kept
    Column("published", Text),  # ISO 8601
    Column("language", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("kind", Text, nullable=False),  # records.PageKind
    Column("status", SmallInteger, nullable=False),
    Column("fetched_at", Double, nullable=False),
    Column("signature", LargeBinary),  # text.minhash of the body; NULL unless kept and long enough
    # The address the page calls its own, when that is another one of its site; NULL unless kept.
    Column("canonical", Text),
    Column("warc_file", Text),  # the archive's record of the response; NULL when it was not archived
    Column("warc_offset", BigInteger),
    Column("gone_at", Double),  # since when its host has it no more; NULL: it is there, as far as we know
    Column("reader", Text),  # analyse.reader_of, that of the body; NULL: unknown
    Column("moved_from", Text),  # its address before its site renamed it; NULL: it has always been here
    Column("moved_at", Double),  # when that was found
    *(Column(name, TYPES[str(each.type)]) for name, each in FOUND.items() if name not in FIRST_FOUND),
)
_partial("pages_digest", text("digest IS NOT NULL"), pages.c.digest)
_partial("pages_canonical", text("canonical IS NOT NULL"), pages.c.canonical)

versions = Table(
    "versions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("page_id", Integer, ForeignKey("pages.id"), nullable=False),
    Column("title", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),  # as in `pages`
    Column("digest", LargeBinary, nullable=False),
    Column("fetched_at", Double, nullable=False),  # when this text was first seen
    Column("until", Double, nullable=False),  # when another one was seen in its place
)
Index("versions_page", versions.c.page_id, versions.c.id)

# The pages whose signatures have a band (text.minhash.band_keys): those of pages.signature, no others.
bands = Table(
    "bands",
    metadata,
    Column("band", Integer, primary_key=True, autoincrement=False),
    Column("page_id", Integer, ForeignKey("pages.id"), primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,  # the primary key is the whole of it
)
Index("bands_page", bands.c.page_id)  # to forget a page

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("started_at", Double, nullable=False),
    Column("ended_at", Double),  # NULL: it runs, or was killed
    Column("budget", Integer, nullable=False),  # RUN_BUDGET: requests; 0: no limit
    Column("ended", Reasons, nullable=False),  # why; NONE while it runs
    Column("robots", Integer, nullable=False, server_default="0"),  # requests for robots.txt and the like
    Column("drift", Text),  # what was found at its end (labels.drift), JSON; NULL: none
)
Index("runs_topic", runs.c.topic_id, runs.c.id)

fetches = Table(
    "fetches",
    metadata,
    Column("id", Integer, primary_key=True),  # order of commit
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("url_id", Integer, ForeignKey("urls.id"), nullable=False),
    Column("at", Double, nullable=False),
    Column("outcome", Text, nullable=False),  # records.Outcome
    Column("counted", Boolean, nullable=False),  # towards PAGE_BUDGET
    Column("sent", Boolean),  # whether a request was made; NULL in older harvests
    Column("status", SmallInteger, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("size", Integer, nullable=False),  # bytes received
    Column("reason", Reasons, nullable=False),
    Column("run_id", Integer, ForeignKey("runs.id")),  # NULL: before there were runs
)
WAS_SENT = text("COALESCE(fetches.sent, fetches.outcome <> 'forbidden')")  # what counts as a request, everywhere
Index("fetches_topic", fetches.c.topic_id, fetches.c.counted)
# Fetched pages that were judged are counted; rows of them that are not, and of no run, are of `rejudge`.
WAS_FETCHED = text(
    "(fetches.run_id IS NOT NULL OR fetches.counted OR fetches.outcome NOT IN ('kept', 'off-topic', 'duplicate'))"
)
_partial("fetches_run", text("run_id IS NOT NULL"), fetches.c.run_id)

# Counts of found and changed, and the time they were counted in, fade with the same half-life (store.visits): what a
# URL did lately tells more.
visits = Table(
    "visits",
    metadata,
    Column("url_id", Integer, ForeignKey("urls.id"), primary_key=True, autoincrement=False),
    Column("first_at", Double, nullable=False),
    Column("visited_at", Double, nullable=False),  # the last time, whatever came of it
    Column("etag", Text),  # of the answer that was read last, as it came
    Column("last_modified", Text),  # likewise
    Column("content", LargeBinary),  # a hash of the bytes that were read last
    Column("content_at", Double, nullable=False),  # when these bytes were first seen
    Column("digest", LargeBinary),  # of the body that was read last, as in `pages`; NULL without a body
    Column("visits", Integer, nullable=False),
    Column("watched", Double, nullable=False),  # days between visits
    Column("found", Double, nullable=False),  # new pages on topic to which it led, without those of the first visit
    Column("changed", Double, nullable=False),  # visits that found another text
    Column("told_at", Double),  # the newest change of which an index file has told, by the index file's own dates
    Column("told", Boolean, nullable=False),  # whether one has told of a newer change since the last visit
    Column("heeded", SmallInteger, nullable=False),  # visits after an index file had told of a change
    Column("proved", SmallInteger, nullable=False),  # of them those that found another text
    Column("expires_at", Double),  # until when its host calls the last answer fresh
    Column("missing", SmallInteger, nullable=False),  # answers 404 or 410 in a row
    Column("missing_since", Double),  # the first of them
    # Visits in a row, of a page that is or was kept, that found it off topic; and when the first of them was.
    Column("strayed", SmallInteger, nullable=False, server_default="0"),
    Column("strayed_since", Double),
)

judgements = Table(
    "judgements",
    metadata,
    Column("url_id", Integer, ForeignKey("urls.id"), primary_key=True, autoincrement=False),
    Column("fetch_id", Integer, ForeignKey("fetches.id"), nullable=False),  # the fetch that was judged
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("page_id", Integer, ForeignKey("pages.id"), nullable=False),
    Column("outcome", Text, nullable=False),  # kept, off-topic or duplicate
    Column("duplicate_of", Integer, ForeignKey("pages.id")),  # the page that was kept first
    Column("nearness", Double, nullable=False),  # Judgement.nearness; at most 1 in older harvests, until a rejudge
    Column("text_relevance", Double, nullable=False),
    Column("on_topic", Boolean, nullable=False),
    Column("reason", Reasons, nullable=False),
)
Index("judgements_page", judgements.c.page_id, judgements.c.topic_id)
_partial("judgements_duplicates", text("duplicate_of IS NOT NULL"), judgements.c.duplicate_of)
_CUBE = judgements.c.nearness * judgements.c.nearness * judgements.c.nearness
SIMILARITY = (_CUBE / (_CUBE + EVEN_ODDS)).label("similarity")  # records.similarity_of: as users see it
_FINE = 1_000_000  # parts into which a similarity is cut: whole numbers divide alike on both engines


def similarity_bin(bins: int) -> ColumnElement[int]:
    """Which of so many equal parts of [0, 1) a similarity lies in; `bins` itself where PostgreSQL rounds it up to 1."""
    return cast(SIMILARITY * _FINE, BigInteger) // (_FINE // bins)


links = Table(
    "links",
    metadata,
    Column("url_id", Integer, ForeignKey("urls.id"), primary_key=True, autoincrement=False),
    Column("packed", LargeBinary, nullable=False),
)

bases = Table(
    "bases",
    metadata,
    Column("fetch_id", Integer, ForeignKey("fetches.id"), primary_key=True, autoincrement=False),  # of the page
    Column("host", Text, nullable=False),
    Column("live", Boolean, nullable=False),  # whether new values may be packed upon it
    Column("content", LargeBinary, nullable=False),  # the page's outlinks, packed alone
)
Index("bases_host", bases.c.host)

removals = Table(
    "removals",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("pages", Integer, nullable=False),  # at most: another topic may want some of them
)

scorings = Table(
    "scorings",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("since", Integer, nullable=False),  # the newest fetch when it began, 0 before the first
    Column("at", Double, nullable=False),
    Column("scorer", Text, nullable=False),  # scorers.registry
)

# Every answer is kept; of several to one URL the last one counts.
labels = Table(
    "labels",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("url", Text, nullable=False),  # canonical; it need not have been fetched
    Column("answer", Text, nullable=False),  # labels.labels.Answer
    Column("who", Text, nullable=False),  # labels.labels.Who
    Column("at", Double, nullable=False),
    Column("version", Text),  # a hash of the text that was looked at; NULL: the page was not stored then
)
Index("labels_topic", labels.c.topic_id, labels.c.url)

model_answers = Table(
    "model_answers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("model", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("version", Text, nullable=False),  # a hash of the text that was asked about
    Column("answer", Text, nullable=False),  # labels.labels.Answer
    Column("prompt", Text, nullable=False),  # without the page
    Column("text", Text, nullable=False),  # the answer as it came
    Column("at", Double, nullable=False),
)
Index("model_answers_topic", model_answers.c.topic_id, model_answers.c.url)

steers = Table(
    "steers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("pattern", Text, nullable=False),  # frontier.steering.Steer
    Column("action", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("who", Text, nullable=False),
)
Index("steers_topic", steers.c.topic_id, steers.c.id)
_partial("urls_blocked", text(f"state = {int(UrlState.BLOCKED)}"), urls.c.topic_id)

scorer_states = Table(
    "scorer_states",
    metadata,
    Column("topic_id", Integer, ForeignKey("topics.id"), primary_key=True, autoincrement=False),
    Column("scorer", Text, nullable=False),  # scorers.registry
    Column("version", Text, nullable=False),  # scorers.state.VERSION
    Column("since", Integer, nullable=False),  # the last fetch that it has learned
    Column("lessons", Text, nullable=False),  # sums over the judgements that it has learned
    Column("state", LargeBinary, nullable=False),  # scorers.state
)

side_files = Table(
    "side_files",
    metadata,
    Column("host", Text, primary_key=True),  # with the port, as in `hosts`
    Column("path", Text, primary_key=True),
    Column("url", Text, nullable=False),  # where redirects led
    Column("status", SmallInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),  # zstd
    Column("expires_at", Double, nullable=False),
)

arrivals = Table(
    "arrivals",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("worker", Text, nullable=False),  # frontier.fleet
    Column("url_id", Integer, ForeignKey("urls.id"), nullable=False),
    Column("at", Double, nullable=False),  # when it was fetched
    Column("visit", LargeBinary, nullable=False),  # zstd of store.arrivals' form
    Column("outcome", Text),  # records.Outcome, how it was stored; NULL: not yet
    UniqueConstraint("url_id", "at", name="arrivals_visit"),
)
_partial("arrivals_waiting", text("outcome IS NULL"), arrivals.c.topic_id, arrivals.c.id)
