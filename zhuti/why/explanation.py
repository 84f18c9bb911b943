"""What the database knows about one URL: where it was found, which judged pages link to it, its fetches, how it was
judged, or what it waits for; and what a stored page's similarity is made of: its words, what they mean for this topic,
what answers taught."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from sqlalchemy import Connection, Row, func, or_, select
from sqlalchemy.sql.expression import ColumnElement

from crawler.clock import wall_time
from crawler.database.database import Database
from crawler.database.schema import (
    IS_LEASED,
    IS_WAITING,
    SIMILARITY,
    WAS_REDIRECTED,
    fetches,
    hosts,
    judgements,
    links,
    pages,
    queues,
    urls,
)
from crawler.database.statements import count
from crawler.errors import StoreError
from crawler.frontier.claimable import AHEAD, Allowance, worth_a_page
from crawler.frontier.new_urls import id_of, netloc
from crawler.frontier.steering import Steer, steering
from crawler.labels.lessons import described, taught
from crawler.messages import N_, _
from crawler.reader.text.tokens import Tokenizer
from crawler.reasons import Reason
from crawler.records import Extraction, Outcome, Outlink, UrlState, similarity_of
from crawler.scorers.base import Part, link_to
from crawler.store.compression import reader
from crawler.store.fetch_log import Scoring, scorings_of
from crawler.store.names import topic_id_of, topic_ids
from crawler.topic.calibration import Calibration, Evidence, log_odds
from crawler.topic.files import Topic
from crawler.topic.learn import weighed_page

BATCH = 200  # pages in memory at a time
NEAREST = 3  # neighbours of an unknown URL that are looked at on each side


@dataclass(frozen=True, slots=True)
class PastFetch:
    id: int
    at: float  # seconds since the epoch
    outcome: Outcome
    status: int  # HTTP, 0 without an answer
    seconds: float
    reason: Reason

    @property
    def ends(self) -> bool:
        """Whether this was the URL's last fetch."""
        return self.outcome is not Outcome.RETRY


@dataclass(frozen=True, slots=True)
class Verdict:
    outcome: Outcome  # kept, off-topic or duplicate
    similarity: float
    on_topic: bool
    reason: Reason
    title: str
    repeats: str  # URL of the kept page it repeats, "" when none
    published: str  # ISO 8601, with the place where the page tells it; "" when it does not
    keywords: tuple[str, ...]  # of a body that is stored
    consent: str  # what its site said of its use when it was fetched, JSON; "": nothing is known


@dataclass(frozen=True, slots=True)
class Pending:
    """What a URL that is not done waits for. Times in seconds since the epoch."""

    waiting: int  # URLs of the topic that may be claimed now
    better: int  # of these, how many come before this one
    better_on_host: int  # of those, how many are on the same host
    worth_less: bool  # than those for which a crawl with PATIENCE leaves its places free
    proven: bool  # whether the topic has kept a page of the host, or a seed lies there
    under_way: int  # fetches of the host at this moment, over all topics
    next_due: float  # when politeness allows the next fetch of the host
    rest_until: float  # when a host that failed is tried again
    failures: int  # failures of the host in a row
    given_ups: int  # times that it was given up, since it has answered last
    not_before: float | None  # when the URL may be tried again after a failed fetch
    lease_until: float | None  # when the claim of a URL that is being fetched ends
    worker: str  # who fetches it, "" if nobody does


@dataclass(frozen=True, slots=True)
class Known:
    """What one topic knows about a URL. Times in seconds since the epoch."""

    id: int
    url: str
    topic: str
    topic_id: int
    state: UrlState
    score: float  # now, or when it was claimed
    depth: int  # links from the nearest seed
    distance: int  # off-topic pages in a row on the way
    hops: int  # redirects in a row that led here
    tries: int  # failed fetches
    found_at: float
    via: str  # the page that it was first found on, "" for a seed
    fetches: tuple[PastFetch, ...]
    judged: Verdict | None
    leads_to: str  # where a redirect led, "" when none
    pending: Pending | None  # None when it is done
    scorings: tuple[Scoring, ...]
    newest_fetch: int  # last id in the topic's log, 0 when it is empty
    steer: Steer | None  # what people have said about it, where it is not done


def look_up(database: Database, forms: Sequence[str], topic: str | None) -> list[Known]:
    """Returns what each topic, or only the named one, knows about a URL. `forms` are canonical forms of the URL; the
    first one that some topic has seen counts.

    Raises StoreError: unknown topic, or a URL that no topic has seen.
    """
    with database.transaction(shared=True) as connection:
        wanted = {topic: topic_id_of(connection, topic)} if topic is not None else topic_ids(connection)
        for url in forms:
            ours = [(name, _row(connection, topic_id, url)) for name, topic_id in wanted.items()]
            if seen := [_known(connection, name, row) for name, row in ours if row is not None]:
                return seen
        raise StoreError(_unknown(connection, forms[0], topic, list(wanted.values())))


def _row(connection: Connection, topic_id: int, url: str) -> Row[tuple[object, ...]] | None:
    return connection.execute(select(urls).where(urls.c.id == id_of(connection, topic_id, url))).first()


def _unknown(connection: Connection, url: str, topic: str | None, topic_ids: list[int]) -> str:
    """The sentence for it, with the known URL of its host that begins most like it."""
    near: set[str] = set()
    for topic_id in topic_ids:
        of_topic = select(urls.c.url).where(urls.c.topic_id == topic_id).limit(NEAREST)
        near.update(connection.execute(of_topic.where(urls.c.url < url).order_by(urls.c.url.desc())).scalars())
        near.update(connection.execute(of_topic.where(urls.c.url > url).order_by(urls.c.url)).scalars())
    host = netloc(url)
    best = sorted((other for other in near if netloc(other) == host), key=lambda other: (-_alike(url, other), other))
    where = _("topic {topic!r}", topic=topic) if topic is not None else _("any topic")
    hint = _("the closest known one is {best}", best=best[0]) if best else _("no URL of {host} is known", host=host)
    return _(
        "{url} is unknown to {where}: no fetched page links to it, or the link was filtered out; {hint}",
        url=url,
        where=where,
        hint=hint,
    )


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _known(connection: Connection, topic: str, row: Row[tuple[object, ...]]) -> Known:
    state = UrlState(row.state)
    newest = select(func.coalesce(func.max(fetches.c.id), 0)).where(fetches.c.topic_id == row.topic_id)
    same = ("id", "url", "topic_id", "score", "depth", "distance", "hops", "tries", "found_at")
    return Known(
        **{name: getattr(row, name) for name in same},
        topic=topic,
        state=state,
        via=_url(connection, urls.c.id == row.via) if row.via is not None else "",
        fetches=_fetches(connection, row.id),
        judged=_judged(connection, row.id),
        leads_to=_url(connection, (urls.c.topic_id == row.topic_id) & (urls.c.via == row.id) & WAS_REDIRECTED),
        pending=_pending(connection, row) if state is not UrlState.DONE else None,
        scorings=tuple(scorings_of(connection, row.topic_id)),
        newest_fetch=connection.execute(newest).scalar_one(),
        steer=steering(connection, row.topic_id).of(row.url) if state is not UrlState.DONE else None,
    )


def _url(connection: Connection, condition: ColumnElement[bool]) -> str:
    return connection.execute(select(urls.c.url).where(condition).limit(1)).scalar() or ""


def _fetches(connection: Connection, url_id: int) -> tuple[PastFetch, ...]:
    log = fetches.c
    query = select(log.id, log.at, log.outcome, log.status, log.seconds, log.reason).where(log.url_id == url_id)
    rows = connection.execute(query.order_by(log.id))
    return tuple(PastFetch(fetch_id, at, Outcome(outcome), *rest) for fetch_id, at, outcome, *rest in rows)


def _judged(connection: Connection, url_id: int) -> Verdict | None:
    says, first = judgements.c, pages.alias("first")
    query = (
        select(says.outcome, SIMILARITY, says.on_topic, says.reason, pages, first.c.url.label("repeats"))
        .join_from(judgements, pages, pages.c.id == says.page_id)
        .outerjoin(first, first.c.id == says.duplicate_of)
        .where(says.url_id == url_id)
    )
    row = connection.execute(query).first()
    if row is None:
        return None
    words = _keywords(connection, row.title, row.body) if row.body is not None else ()
    published = f"{row.published} ({row.published_from})" if row.published_from else row.published or ""
    judged = (Outcome(row.outcome), row.similarity, row.on_topic, row.reason, row.title)
    return Verdict(*judged, repeats=row.repeats or "", published=published, keywords=words, consent=row.consent or "")


def _keywords(connection: Connection, title: str, body: bytes) -> tuple[str, ...]:
    from zhuti.keywords import keywords  # networkx: not for every import of this module

    return tuple(keywords(Extraction(title, reader(connection).unpack_text(body))))


def _pending(connection: Connection, row: Row[tuple[object, ...]]) -> Pending:
    of_topic = urls.c.topic_id == row.topic_id
    before = or_(urls.c.score > row.score, (urls.c.score == row.score) & (urls.c.id < row.id))
    of_host = urls.c.host_id == row.host_id
    host = connection.execute(select(hosts).where(hosts.c.id == row.host_id)).one()
    queue = (queues.c.topic_id == row.topic_id) & (queues.c.host_id == row.host_id)
    proven = connection.execute(select(queues.c.proven).where(queue)).scalar()  # a stranger's database may lack the row
    return Pending(
        waiting=count(connection, of_topic, IS_WAITING),
        better=count(connection, of_topic, IS_WAITING, before),
        better_on_host=count(connection, of_topic, IS_WAITING, of_host, before),
        worth_less=row.score < worth_a_page(connection, row.topic_id, wall_time(), Allowance(pages=AHEAD)),
        proven=bool(proven),
        under_way=count(connection, of_host, IS_LEASED),
        next_due=host.next_due,
        rest_until=host.rest_until,
        failures=host.failures,
        given_ups=host.given_ups,
        not_before=row.not_before,
        lease_until=row.lease_until,
        worker=row.worker or "",
    )


@dataclass(frozen=True, slots=True)
class ParentPage:
    """A judged page that links to the URL."""

    url: str
    fetched_at: float  # seconds since the epoch
    outcome: Outcome
    index_kind: str  # discovery.index_files.Kind of an index file; "": a page
    similarity: float
    outlink: Outlink

    @property
    def worth(self) -> float:
        """The parent's worth in [0, 2]: more for a more similar page and for more relevant words of its link."""
        return self.similarity + self.outlink.own_relevance


def parents(
    connection: Connection, topic_id: int, url: str, progress: Callable[[int, int], None] = lambda done, total: None
) -> list[ParentPage]:
    """Returns all of them, the best first. It unpacks the links of every judged page, about 30 us a page."""
    codec, needle = reader(connection), json.dumps(url, ensure_ascii=False)
    total = count(connection, judgements.c.topic_id == topic_id)
    query = (
        select(urls.c.url, fetches.c.at, judgements.c.outcome, urls.c.index_kind, SIMILARITY, links.c.packed)
        .join_from(judgements, links, links.c.url_id == judgements.c.url_id)
        .join(urls, urls.c.id == judgements.c.url_id)
        .join(fetches, fetches.c.id == judgements.c.fetch_id)
        .where(judgements.c.topic_id == topic_id)
    )
    found = []
    rows = connection.execute(query, execution_options={"yield_per": BATCH})
    for done, (parent, at, outcome, kind, similarity, packed) in enumerate(rows):
        progress(done, total)
        if needle in codec.unpack_text(packed) and (outlink := link_to(url, codec.unpack_links(packed))):
            found.append(ParentPage(parent, at, Outcome(outcome), kind or "", similarity, outlink))
    return sorted(found, key=lambda parent: (-parent.worth, parent.fetched_at, parent.url))


TEXT = N_("without its tags")


@dataclass(frozen=True, slots=True)
class JudgedToday:
    """What the topic as it is today says of a page."""

    similarity: float
    plain: float  # the same by nearness alone, without calibration and answers
    examples: float  # calibration.Calibration
    parts: tuple[Part, ...]  # of the log odds of `similarity`


def judged_today(connection: Connection, topic_id: int, topic: Topic, url: str) -> JudgedToday | None:
    """The page by today's topic; None where its text is not stored, or the topic not learned or calibrated."""
    found = dict(described(connection, topic_id, [url]))
    if url not in found or topic.vector is None or (calibration := topic.vector.calibration) is None:
        return None
    vector, answers = topic.vector, taught(connection, topic_id, topic).taught
    page = weighed_page(Tokenizer(topic.keywords, topic.lexicon), found[url])
    nearness = (answers or vector).calibrated(page)
    parts = [*_parts(calibration, vector.evidence(page))]
    if answers is not None:
        rest = log_odds(nearness) - sum(part.value for part in parts if not part.of)
        parts.append(Part(N_("people's answers"), rest))
    plain = similarity_of(vector.nearness(page.whole))
    return JudgedToday(similarity_of(nearness), plain, calibration.examples, tuple(parts))


def _parts(calibration: Calibration, page: Evidence) -> Iterator[Part]:
    text = (
        (N_("any page"), calibration.base),
        (N_("words of the text"), calibration.text * page.text),
        (N_("meaning of the text"), calibration.meaning * page.meaning),
        (N_("words of the title"), calibration.title * page.title),
        (N_("share of words that are not Chinese"), calibration.latin * page.latin),
        (N_("share of different words"), calibration.variety * page.variety),
    )
    if page.all is None:
        yield from (Part(name, value) for name, value in text)
        return
    tagged = calibration.tagged
    yield Part(N_("any page with tags"), tagged.base)
    yield Part(TEXT, tagged.untagged * sum(value for _, value in text))
    yield from (Part(name, tagged.untagged * value, TEXT) for name, value in text)
    yield Part(N_("text and tags together"), tagged.all * page.all)
    yield Part(N_("words of the tags"), tagged.tags * page.tags)
    yield Part(N_("meaning of the tags"), tagged.tags_meaning * page.tags_meaning)
