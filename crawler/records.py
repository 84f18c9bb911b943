"""The words of the project, read first: the plain values that travel between the rooms.

Seen       what is remembered of the last answer of a URL
Claim      a URL on loan from the frontier, about to be fetched
Link       an outlink as the page shows it: address, anchor, text around, tag path
Outlink    a Link and how relevant its words are to the topic
Extraction what a reader sees of a page: title, body, time
Judgement  how near the page is to the topic
Analysis   all that is computed of one page
WarcPlace  where an archive holds a response
Visit      the result of a Claim: the item that travels from the spider to the database
JudgedPage what a link scorer learns of a Visit
Ended      what it learns of one that gave no page to judge
Progress   how far a crawl is
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Set as AbstractSet
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum, StrEnum
from operator import attrgetter
from typing import TypeVar

from crawler.messages import N_
from crawler.reasons import NONE, Code, Reason

MOST_FRESH = 6 * 3600.0  # seconds
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seen:
    """What is remembered of an answer, so that the next one can be told from it (RFC 9110, 13.1)."""

    etag: str = ""  # as it came
    last_modified: str = ""  # as it came
    content: bytes = b""  # a hash of its bytes
    expires_at: float | None = None  # until when its host calls it fresh, seconds since the epoch


def fresh_until(now: float, *promised: float | None) -> float | None:
    """The latest of these times, but at most MOST_FRESH from now: many sites promise a year for whatever they serve.
    None when all have passed."""
    until = max((time for time in promised if time is not None), default=now)
    return min(until, now + MOST_FRESH) if until > now else None


@dataclass(frozen=True, slots=True)
class Claim:
    """A URL leased from the frontier."""

    id: int  # row of the frontier
    url: str  # canonical form, html.urls
    score: float  # the link scorer's value when it was claimed; higher is better
    depth: int = 0  # links from the nearest seed, a redirect counts none
    distance: int = 0  # off-topic pages in a row on the way here (tunnelling); 0 below an on-topic page or a seed
    hops: int = 0  # redirects in a row that led here
    tries: int = 0  # failed fetches so far
    index_kind: str = ""  # discovery.index_files.Kind of what is expected there; "": a page
    seen: Seen | None = None  # of a URL that was visited before; None: of a new one


def quickly_pickled(cls: type[T]) -> type[T]:
    """A dataclass that is pickled by its values in order. Between the processes of a crawl links are what there is most
    of, and the way of frozen dataclasses with slots takes three times as long."""
    values = attrgetter(*(field.name for field in fields(cls)))  # type: ignore[arg-type]  # of a dataclass
    cls.__reduce__ = lambda self: (cls, values(self))  # type: ignore[method-assign]
    return cls


@quickly_pickled
@dataclass(frozen=True, slots=True)
class Link:
    """An outlink with its extended metadata (papers.md 4.4)."""

    url: str  # canonical form
    anchor: str = ""  # visible text of the link
    title: str = ""  # title attribute of the link, alt and title of its images
    around: str = ""  # text before and after it in the nearest block, AROUND_TOKENS tokens on each side
    tag_path: str = ""  # "html/body/div/ul/li/a", no indices
    rel: str = ""  # rel attribute, lower case, blank separated
    position: float = 0.0  # place among the page's links in document order, 0 first, 1 last
    noise: bool = False  # navigation by its words (papers.md 4.4, noise links): not counted by IPageRank
    subjects: tuple[str, ...] = ()  # categories and tags of its target, where an index file names them (discovery)
    updated: float | None = None  # when its target last changed or was published, seconds since the epoch, likewise
    index_kind: str = ""  # discovery.index_files.Kind of the target; "": a page


@quickly_pickled
@dataclass(frozen=True, slots=True)
class Outlink:
    """A Link as the topic sees it. Relevances are means of r(t) in [0, 1] (papers.md 4.7)."""

    link: Link
    relevance: float = 0.0  # over all of the metadata M(url): anchor, title, around, words of the URL (formula 9.2)
    anchor_relevance: float = 0.0  # over anchor and title only
    own_relevance: float = 0.0  # over anchor, title and words of the URL: all but the text around
    nearness: float | None = None  # of the target, by the text that an index file holds of it; None: it holds none


class PageKind(StrEnum):
    """What a page is to a reader. A LIST of other pages has no body."""

    ARTICLE = N_("article")
    THREAD = N_("thread")  # several people write: a forum's thread, a question and its answers
    LIST = N_("list")
    PRODUCT = N_("product")
    OTHER = N_("other")  # a service, a form, a page without text ...

    @classmethod
    def _missing_(cls, value: object) -> PageKind | None:
        return FORMER_KINDS.get(str(value))


FORMER_KINDS = {"forum": PageKind.THREAD, "empty": PageKind.OTHER}  # names in older harvests


@dataclass(frozen=True, slots=True)
class Post:
    """What one person wrote in a thread."""

    text: str  # without what it quotes
    author: str = ""  # "" where the page does not tell
    published: str | None = None  # ISO 8601
    floor: int = 0  # its number in the thread as the page gives it; where it gives none, its place from 1
    quote: str = ""  # what it quotes of others


@dataclass(frozen=True, slots=True)
class BodyLink:
    """A link in a body."""

    url: str  # canonical form
    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in a body."""

    url: str  # canonical form
    caption: str = ""  # what is written below it, or else in its place


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a reader sees of a page. Never an exception: a page without a body says why."""

    title: str = ""
    body: str = ""  # paragraphs separated by line breaks
    published: str | None = None  # ISO 8601 date or date and time, with the zone where the page gives it
    author: str = ""
    kind: PageKind = PageKind.ARTICLE
    reason: Reason = NONE  # why the body is empty; an extractor may give it in words of its own
    posts: tuple[Post, ...] = ()  # of a thread whose posts can be told apart; their texts and quotes are the body
    links: tuple[BodyLink, ...] = ()  # of the body, each once; only where they were asked for
    images: tuple[Image, ...] = ()  # likewise
    published_from: str = ""  # where the time stood: "meta", "json-ld", "text: 发布于 2024-03-05"; "" if nobody says
    knows_lists: bool = False  # whether the extractor tells lists from posts; others take teasers of posts for a body

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", Reason.of(self.reason))

    @property
    def is_post(self) -> bool:
        """Whether the page is read for itself: it has a body, and is not a list of others."""
        return bool(self.body) and self.kind is not PageKind.LIST


# A post as near as the usual threshold, .3, has a chance of .3, so that both are read alike. The third power: fitted to
# posts with the topic left out it was 2.8 to 3.2 (lab/notes/ended.md).
EVEN_ODDS = 0.3**3 * 0.7 / 0.3  # third power of the nearness at which the chance is one half


def similarity_of(nearness: float) -> float:
    """What users see of a nearness: the chance, which rises as it does and never reaches 1. `schema.SIMILARITY` is the
    same in SQL, to the last digit."""
    cube = nearness * nearness * nearness
    return cube / (cube + EVEN_ODDS)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The page against the topic (papers.md 9.6)."""

    nearness: float  # >= 0: the cosine in units of the topic's own coherence, topic.vector
    on_topic: bool
    text_relevance: float = 0.0  # mean r(t) over the page's words: avgT(u) of formula 9.3, in [0, 1]
    reason: Reason = NONE  # why the page is not kept; a judge may give it in words of its own

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", Reason.of(self.reason))

    @property
    def similarity(self) -> float:
        """The chance that the page, if it is a post, is on the topic; in [0, 1)."""
        return similarity_of(self.nearness)


NOT_JUDGED = Judgement(0.0, False)


class Outcome(StrEnum):
    """How a Claim ended. Only RETRY leaves the URL waiting. CHANGED, UNCHANGED, GONE and DROPPED are of URLs visited
    before."""

    KEPT = N_("kept")  # on topic, body stored
    OFF_TOPIC = N_("off-topic")  # judged and dropped, outlinks may be followed
    CHANGED = N_("changed")  # a kept page with another text, which is kept beside the old one
    UNCHANGED = N_("unchanged")  # as it was, by its host's word, its bytes or its text
    GONE = N_("gone")  # a page that was there; not asked for any more
    DROPPED = N_("dropped")  # a kept page that two visits in a row found off topic; its text stays, but is kept no more
    DUPLICATE = N_("duplicate")  # repeats a stored page
    INDEX_FILE = N_("index-file")  # no page, but a file that lists pages: its entries are its outlinks
    REDIRECT = N_("redirect")  # one outlink: the target
    NOT_HTML = N_("not-html")
    FORBIDDEN = N_("forbidden")  # by robots.txt, or the topic's hosts
    FAILED = N_("failed")  # given up, reason says why
    RETRY = N_("retry")  # failed, will be tried again


JUDGED = tuple(each.value for each in (Outcome.KEPT, Outcome.OFF_TOPIC, Outcome.DUPLICATE))  # pages, read and judged
GIVEN_UP = tuple(each.value for each in (Outcome.NOT_HTML, Outcome.FORBIDDEN, Outcome.FAILED))  # no page, and no retry


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that is computed of one page, as one job. In a crawl three parts take it over in turn: the spider middleware
    the links, the extraction pipeline what the page says, the relevance pipeline how near page and links are to the
    topic."""

    extraction: Extraction = Extraction()
    judgement: Judgement = NOT_JUDGED
    outlinks: tuple[Outlink, ...] = ()  # each target once, the page itself left out
    language: str = ""  # "zh", "en", ... by the text, "" unknown
    post: float = 1.0  # likeness to a post, in [0, 1], by the extractor, else html.post_likeness
    signature: bytes = b""  # of the body, text.minhash: how much it has in common with others; b"" too short to tell
    canonical: str = ""  # the address that the page calls its own, when that is another one of its site
    subjects: tuple[str, ...] = ()  # its author's tags, html.subjects
    licence: str = ""  # under what terms it may be used, as it says, html.licences
    licence_scope: str = ""
    licence_note: str = ""
    consent: str = ""  # of a kept page: what its site said of its use when it was fetched, JSON
    forbids: frozenset[str] = frozenset()  # by its publisher: "noindex", "nofollow", "noai" ..., html.declared
    metas: Mapping[str, str] = field(default_factory=dict)  # of its use, as written
    waived: frozenset[str] = frozenset()  # those of them that the user does not obey
    is_shell: bool = False  # whether scripts make what the page shows, html.shell
    rests_until: float | None = None  # an index file, until when it asks not to be read again, seconds since the epoch
    reader: str = ""  # which program read it, analyse.reader_of
    shown: str = ""  # if it was visited before, all text that the page holds, of scripts too, up to a bound

    @property
    def follows(self) -> bool:
        """Whether its links may be followed."""
        return "nofollow" not in self.forbids - self.waived

    @property
    def refused(self) -> frozenset[str]:
        """Why its publisher lets nobody keep it, of what the user obeys."""
        return self.forbids - self.waived - {"nofollow"}

    def verdict(self) -> tuple[Outcome, Reason]:
        """Whether a judged page is kept, by its own content, and why not; duplicates and people's answers may overrule
        it later. A page without a body may be a hub of the topic, but is not kept."""
        if self.extraction.kind is PageKind.LIST:
            return Outcome.OFF_TOPIC, self.extraction.reason or Reason(Code.LISTS)
        if not self.extraction.body:
            return Outcome.OFF_TOPIC, self.extraction.reason
        if self.refused:
            return Outcome.OFF_TOPIC, refusal(self.refused)
        if not self.judgement.on_topic:
            return Outcome.OFF_TOPIC, self.judgement.reason
        forbids = ", ".join(sorted(self.forbids - {"nofollow"}))
        return Outcome.KEPT, Reason(Code.KEPT_ALTHOUGH, forbids=forbids) if forbids else NONE

    def final_judgement(self) -> Judgement:
        """The judgement with the verdict: on topic is what a crawl would keep, but for repetitions."""
        outcome, reason = self.verdict()
        return replace(self.judgement, on_topic=outcome is Outcome.KEPT, reason=reason)


def refusal(names: AbstractSet[str]) -> Reason:
    return Reason(Code.FORBIDDEN_TO_KEEP, forbids=", ".join(sorted(names)))


@dataclass(frozen=True, slots=True)
class WarcPlace:
    """Where an archive holds a response."""

    file: str  # name in the archive's folder
    offset: int  # bytes: the start of the record's gzip member or zstd frame
    id: str  # WARC-Record-ID, "<urn:uuid:...>"


@dataclass(frozen=True, slots=True)
class Visit:
    """The result of one Claim: the spider makes it, the parts of the crawl add what they find, and the store commits it
    in one transaction with its outlinks."""

    claim: Claim
    outcome: Outcome
    fetched_at: float  # seconds since the epoch
    status: int = 0  # HTTP status, 0 without an answer
    reason: Reason = NONE  # why it is not KEPT, or what its publisher says against that
    seconds: float = 0.0  # download latency
    size: int = 0  # bytes of the body as received
    analysis: Analysis | None = None  # of a judged page (KEPT, OFF_TOPIC, DUPLICATE), or of an index file
    target: str = ""  # canonical URL a REDIRECT leads to
    asks: tuple[str, ...] = ()  # canonical URLs that are to be asked for now, whatever became of them before
    retry_after: float | None = None  # seconds the server asked us to wait
    place: WarcPlace | None = None  # of the response, when responses are archived
    sent: bool = True  # False: no request was made, because robots.txt forbids it or cannot be had
    fetched: bool = True  # False: judged again from what is stored, nobody was asked
    content: bytes | None = None  # of a page or index file that is not yet read
    encoding: str = ""  # of a page's content
    job: Awaitable[Analysis] | None = None  # a process of the pool analyses the page; until it is judged
    told: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # what its site said: the ledger of consent
    forbids: frozenset[str] = frozenset()  # by the answer's headers and the site's files
    seen: Seen = Seen()  # of the answer
    costly: bool = False  # whether its analysis took too long or ended its process
    rendered: bool = False  # whether its analysis is of what its scripts made

    @property
    def counts_for_budget(self) -> bool:
        """PAGE_BUDGET counts HTML pages fetched with status 200, also those that only refresh to another page or could
        not be analysed; a page that was fetched before counts no more, one that is tried again counts at the end."""
        is_page = self.status == 200 and not self.claim.index_kind
        ends = self.outcome not in (Outcome.NOT_HTML, Outcome.RETRY)
        return self.fetched and is_page and ends and self.claim.seen is None


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """What a link scorer learns of a page."""

    url: str
    nearness: float  # Judgement.nearness, at most 1
    on_topic: bool
    text_relevance: float  # avgT, in [0, 1]
    depth: int
    distance: int  # off-topic pages in a row before this one
    outlinks: tuple[Outlink, ...]
    post: float = 1.0  # likeness to a post, in [0, 1]; a list of posts or a home page is far from one
    index_kind: str = ""  # discovery.index_files.Kind; "": a page
    again: bool = False  # learned before: its outlinks are the new ones, all else is known
    repeats: bool = False  # whether it says what a kept page said before


@dataclass(frozen=True, slots=True)
class Ended:
    """What a link scorer learns of a URL that gave no page to judge."""

    url: str
    outcome: Outcome  # REDIRECT, NOT_HTML, FORBIDDEN or FAILED
    target: str = ""  # canonical, where a redirect leads

    @property
    def leads_nowhere(self) -> bool:
        """A redirect leads to its target, which is learned by itself."""
        return self.outcome is not Outcome.REDIRECT


class UrlState(IntEnum):
    """Where a URL is. WAITING -> LEASED -> DONE, with a turn through DEFERRED for each failed fetch."""

    WAITING = 0  # may be claimed
    LEASED = 1  # on loan until lease_until
    DONE = 2  # fetched, or given up
    DEFERRED = 3  # waits for not_before, then WAITING again
    BLOCKED = 4  # set aside by a person (frontier.steering), WAITING again when that is undone


@dataclass(slots=True)
class Progress:
    """What the crawl of this topic has done in its whole life in this database."""

    budget: int  # pages that may be fetched, 0 without end
    fetched: int = 0
    run_budget: int = 0  # requests that this run may make, 0 without end
    asked: int = 0  # requests of this run; counted where it has a budget
    side_budget: int = 0  # requests for robots.txt and the like that this worker may make, 0 without end
    side: int = 0  # those that it has made
    index_files: int = 0  # that this worker has read in this run
    kept: int = 0
    waiting: int = 0
    ended: Reason = NONE  # why the rest is not fetched; NONE while it is

    @property
    def may_ask_hosts(self) -> bool:
        """Whether the robots.txt of one more host may be asked for."""
        return not self.side_budget or self.side < self.side_budget

    @property
    def left(self) -> float:
        if self.ended:
            return 0.0
        pages = self.budget - self.fetched if self.budget else float("inf")
        return min(pages, self.run_budget - self.asked) if self.run_budget else pages
