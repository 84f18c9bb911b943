"""What `scrapy why` says about a URL: the facts of `store/why/`, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scrapy.settings import BaseSettings

from crawler.cli.progress import progress_bar
from crawler.cli.terminal import printable
from crawler.clock import wall_time
from crawler.database.database import Database
from crawler.database.schema import UrlState
from crawler.errors import SeedError, TopicError
from crawler.frontier.politeness import MAX_HOST_FAILURES, MAX_TRIES
from crawler.html.urls import canonical
from crawler.records import Outcome
from crawler.scorers.base import Part
from crawler.store.why.facts import Known, Pending, look_up
from crawler.store.why.parents import ParentPage, parents
from crawler.store.why.score_history import ScoreChange, main_changes, score_changes, times
from crawler.topic.files import Topic

PARENTS_SHOWN = 10
CHANGES_SHOWN = 8
EVIDENCE_SHOWN = 6  # the strongest evidence for each summand of a score
DRIFT = 0.01  # a larger difference between the crawl's last score and the one learned again is mentioned
LEAST_SHOWN = 5e-4  # smaller values would read 0.000
SEED_SCORE_SHOWN = 1e5  # only a seed scores more (frontier.SEED_SCORE), or what a seed redirects to


@dataclass(frozen=True, slots=True)
class Waits:
    """What a crawl waits for, besides better URLs."""

    now: float  # seconds since the epoch
    delay: float  # DOWNLOAD_DELAY, seconds
    hosts_at_once: int  # HOSTS_AT_ONCE, 0: all


def explain(address: str, topic: str | None, settings: BaseSettings, *, quick: bool) -> Iterator[str]:
    """Yields pieces of text as they are found, for each topic that knows the URL, or only for the named one. `quick`
    leaves out the scores. Raises CrawlerError."""
    waits = Waits(wall_time(), settings.getfloat("DOWNLOAD_DELAY"), settings.getint("HOSTS_AT_ONCE"))
    with Database(settings["STORE_URL"], readonly=True) as database:
        for number, known in enumerate(look_up(database, _forms(address), topic)):
            yield "\n" * bool(number) + facts_text(known, waits, forbidden=_is_forbidden(known, settings))
            with database.transaction(shared=True) as connection, progress_bar("links") as progress:
                found = parents(connection, known.topic_id, known.url, progress)
            yield parents_text(found)
            if quick:
                continue
            with database.transaction(shared=True) as connection, progress_bar("log") as progress:
                changes = score_changes(connection, known, settings["LINK_SCORER"], progress)
                when = times(connection, [change.fetch_id for change in changes])
            yield scores_text(known, changes, when)


def _forms(address: str) -> list[str]:
    """The canonical URLs that the address may mean, the likeliest first: what a browser shows may have been found under
    the other scheme. Raises SeedError."""
    scheme, _, rest = address.rpartition("://")
    tried = [address] if scheme.lower() not in ("", "http", "https") else []
    tried += [f"{one}://{rest}" for one in ("http", "https")[:: 1 if scheme.lower() == "http" else -1] if not tried]
    forms = [form for form in map(canonical, tried) if form is not None]
    if not forms:
        raise SeedError(f"{address!r} is not an http(s) address; write it as in a browser's address line")
    return forms


def _is_forbidden(known: Known, settings: BaseSettings) -> bool:
    """Whether the topic's file, if it can be read, excludes the URL's host today."""
    try:
        return not Topic.load(known.topic, Path(settings["TOPICS_DIR"])).allows(known.url)
    except TopicError:
        return False


def facts_text(known: Known, waits: Waits, *, forbidden: bool) -> str:
    """What became of the URL, where it was found, its fetches."""
    lines = [f"{known.url}", f"topic {known.topic}: {_fate(known, waits)}"]
    if forbidden:
        lines.append(_row("", "the topic's file does not allow this host"))
    lines += [_row("found", f"{_time(known.found_at)} {_found(known)}"), _row("", _way(known))]
    if known.judged and known.judged.keywords:
        lines.append(_row("keywords", printable(", ".join(known.judged.keywords))))
    for fetch in known.fetches:
        answer = f"status {fetch.status}" if fetch.status else "no answer"
        reason = f", {printable(fetch.reason)}" if fetch.reason else ""
        lines.append(_row("fetched", f"{_time(fetch.at)} {answer}, {fetch.seconds:.2f} s: {fetch.outcome}{reason}"))
    return "\n".join(lines)


def _fate(known: Known, waits: Waits) -> str:
    """What became of the URL and why, in one sentence."""
    if known.pending is not None:
        return _waiting(known, known.pending, waits)
    judged = known.judged
    if judged is not None:
        if judged.outcome is Outcome.DOOR:
            return "opened: no page, but a file that lists pages"
        similarity = f"similarity {judged.similarity:.3f}"
        if judged.outcome is Outcome.KEPT:
            return f"kept, {similarity}: {printable(judged.title)!r}"
        if judged.outcome is Outcome.DUPLICATE:
            first = judged.repeats or "a page that was forgotten since"
            return f"not stored again, {similarity}: it {printable(judged.reason)}, {first}"
        return f"dropped, {similarity}: {printable(judged.reason) or 'off topic'}"
    last = next((fetch for fetch in reversed(known.fetches) if fetch.ends), None)
    if last is None:
        return "given up before it was fetched, by `scrapy store forget`"
    if last.outcome is Outcome.REDIRECT:
        return f"no page: it {printable(last.reason) or f'redirects to {known.leads_to}'}"
    if last.outcome in (Outcome.KEPT, Outcome.OFF_TOPIC, Outcome.DUPLICATE):
        return f"was judged ({last.outcome}) and removed later, by `scrapy store forget`"
    return f"given up ({last.outcome}): {printable(last.reason)}"


def _waiting(known: Known, pending: Pending, waits: Waits) -> str:
    if known.state is UrlState.LEASED:
        return (
            f"being fetched: claimed by worker {pending.worker or 'unknown'} until {_time(pending.lease_until or 0.0)}"
        )
    if known.state is UrlState.DEFERRED:
        reason = known.fetches[-1].reason if known.fetches else "a failed fetch"
        until = f"until {_time(pending.not_before or 0.0)}"
        return f"waits {until}: {known.tries} of {MAX_TRIES} fetches have failed, {printable(reason)}"
    before = f"{pending.better:,} of {pending.waiting:,} waiting URLs come before it"
    return "; ".join([f"waits: {before}, {pending.better_on_host:,} on its host", *_host(pending, waits)])


def _host(pending: Pending, waits: Waits) -> Iterator[str]:
    """What holds the host back."""
    if pending.failures >= MAX_HOST_FAILURES:
        yield f"its host was given up after {pending.failures} failures in a row, the next start tries it again"
    elif pending.rest_until > waits.now:
        yield f"its host rests until {_time(pending.rest_until)} after {pending.failures} failures in a row"
    if pending.next_due > waits.now:
        yield f"its host is not due before {_time(pending.next_due)} (DOWNLOAD_DELAY={waits.delay:g})"
    if pending.under_way:
        yield f"{pending.under_way} URLs of its host are being fetched"
    if waits.hosts_at_once and pending.better_hosts >= waits.hosts_at_once:
        yield (
            f"{pending.better_hosts} hosts have better URLs than its host's best, and the crawl works on the best"
            f" {waits.hosts_at_once} at a time (HOSTS_AT_ONCE)"
        )


def _found(known: Known) -> str:
    if not known.via:
        return "as a seed"
    return f"{'by a redirect from' if known.hops else 'on'} {known.via}"


def _way(known: Known) -> str:
    depth = "links" if known.depth != 1 else "link"
    return f"{known.depth} {depth} from the nearest seed, {known.distance} off-topic pages in a row on the way"


def _link(parent: ParentPage) -> str:
    link, outlink = parent.outlink.link, parent.outlink
    anchor = printable(link.anchor) or "(no text)"
    words = f"its words {outlink.own_relevance:.3f}"
    if parent.outcome is Outcome.DOOR:
        text = "" if outlink.similarity is None else f"; by its text there similarity {outlink.similarity:.3f}"
        return f"{anchor!r} in the {link.tag_path or 'door'} {parent.url} ({words}{text})"
    if link.noise:
        words += ", navigation"
    return f"{anchor!r} on {parent.url} ({words}; page {parent.outcome}, similarity {parent.similarity:.3f})"


def parents_text(pages: Sequence[ParentPage]) -> str:
    if not pages:
        return _row("linked by", "no judged page")
    lines = [_row("linked by", f"{len(pages):,} judged {'page' if len(pages) == 1 else 'pages'}, best first:")]
    lines += [_row("", f"{_time(parent.fetched_at)} {_link(parent)}") for parent in pages[:PARENTS_SHOWN]]
    if len(pages) > PARENTS_SHOWN:
        lines.append(_row("", f"and {len(pages) - PARENTS_SHOWN:,} more"))
    return "\n".join(lines)


def scores_text(known: Known, changes: Sequence[ScoreChange], when: Mapping[int, float]) -> str:
    """`when`: the times of the fetches."""
    moment = "in the queue" if known.pending is not None else "when it was claimed"
    is_seed = known.score > SEED_SCORE_SHOWN
    score = "that of a seed, before all links," if is_seed else f"{known.score:.4f}"
    first = _row("score", f"{score} {moment}")
    if not changes:
        return first if is_seed else f"{first}; no link of a judged page has scored it"
    lines = [first]
    if not is_seed and abs(changes[-1].score - known.score) > DRIFT:
        lines.append(_row("", "the log learned again gives another: the program has changed, or batches were others"))
    main = main_changes(changes, CHANGES_SHOWN)
    count = f"{len(main)} of {len(changes)}" if len(main) < len(changes) else f"{len(changes)}"
    note = "" if known.scorings else " (LINK_SCORER; the harvest is too old to know its own)"
    by = f"by {changes[-1].scorer}{note}"
    lines.append(_row("scores", f"{count}, one after the other, {by}, from the crawl's log learned again:"))
    for number, change in enumerate(main):
        cause = f"by {change.page}" if change.page else "computed again"
        at = _time(when[change.fetch_id]) if change.fetch_id in when else ""
        lines.append(_row("", f"{change.score:.4f}  {at} {cause}"))
        if number in (0, len(main) - 1):
            lines += [_row("", line) for line in _parts(change.parts)]
    return "\n".join(lines)


def _parts(parts: Sequence[Part]) -> Iterator[str]:
    """Each summand of a score, with the strongest evidence for it."""
    for summand in (part for part in parts if not part.of):
        yield f"  {summand.value:+.4f}  {summand.name}"
        evidence = sorted((part for part in parts if part.of == summand.name), key=lambda part: -abs(part.value))
        shown = [part for part in evidence[:EVIDENCE_SHOWN] if abs(part.value) >= LEAST_SHOWN]
        if shown:
            yield "             " + ", ".join(f"{part.name} {part.value:+.3f}" for part in shown)


def _row(name: str, text: str) -> str:
    return f"{name:<10}{text}"


def _time(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"
