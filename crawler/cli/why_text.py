"""What `scrapy why` says, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from crawler.cli.terminal import printable
from crawler.database.schema import UrlState
from crawler.frontier.politeness import MAX_HOST_FAILURES, MAX_TRIES
from crawler.records import Outcome
from crawler.scorers.base import Part
from crawler.store.why.facts import Known, Place
from crawler.store.why.parents import Parent
from crawler.store.why.score_history import Change, main_changes

PARENTS_SHOWN = 10
CHANGES_SHOWN = 8
EVIDENCE_SHOWN = 6  # strongest, of each summand of a score
DRIFT = 0.01  # between the crawl's last score and that of its log learned again, above which it is said
LEAST_SHOWN = 5e-4  # smaller parts would read 0.000
SEED_SCORE_SHOWN = 1e5  # a score above it is that of a seed: frontier.SEED_SCORE, or what its redirect inherits


@dataclass(frozen=True, slots=True)
class Waits:
    """How the crawl waits."""

    now: float  # seconds since the epoch
    delay: float  # DOWNLOAD_DELAY, seconds
    hosts_at_once: int  # HOSTS_AT_ONCE, 0: all


def as_text(known: Known, waits: Waits, forbidden: bool) -> str:
    """The verdict, where it was found, its fetches. `forbidden`: by the hosts of the topic's file as it is today."""
    lines = [f"{known.url}", f"topic {known.topic}: {verdict(known, waits)}"]
    if forbidden:
        lines.append("          the topic's file does not allow this host")
    lines += [_row("found", f"{_time(known.found_at)} {_found(known)}"), _row("", _way(known))]
    for fetch in known.fetches:
        answer = f"status {fetch.status}" if fetch.status else "no answer"
        reason = f", {printable(fetch.reason)}" if fetch.reason else ""
        lines.append(_row("fetched", f"{_time(fetch.at)} {answer}, {fetch.seconds:.2f} s: {fetch.outcome}{reason}"))
    return "\n".join(lines)


def verdict(known: Known, waits: Waits) -> str:
    """What came of it, and why, in a sentence."""
    if known.place is not None:
        return _waiting(known, known.place, waits)
    judged = known.judged
    if judged is not None:
        similarity = f"similarity {judged.similarity:.3f}"
        if judged.outcome is Outcome.KEPT:
            return f"kept, {similarity}: {printable(judged.title)!r}"
        if judged.outcome is Outcome.DUPLICATE:
            return (
                f"not stored again, {similarity}: it {printable(judged.reason)}, {judged.repeats or 'forgotten since'}"
            )
        return f"dropped, {similarity}: {printable(judged.reason) or 'off topic'}"
    last = next((fetch for fetch in reversed(known.fetches) if fetch.ends), None)
    if last is None:
        return "given up before it was fetched, by `scrapy store forget`"
    if last.outcome is Outcome.REDIRECT:
        return f"no page: it {printable(last.reason) or f'redirects to {known.leads_to}'}"
    if last.outcome in (Outcome.KEPT, Outcome.OFF_TOPIC, Outcome.DUPLICATE):
        return f"was judged ({last.outcome}) and removed since, by `scrapy store forget`"
    return f"given up ({last.outcome}): {printable(last.reason)}"


def _waiting(known: Known, place: Place, waits: Waits) -> str:
    if known.state is UrlState.LEASED:
        return f"being fetched: lent to worker {place.worker or 'unknown'} until {_time(place.lease_until or 0.0)}"
    if known.state is UrlState.DEFERRED:
        reason = known.fetches[-1].reason if known.fetches else "a failed fetch"
        until = f"until {_time(place.not_before or 0.0)}"
        return f"waits {until}: fetched {known.tries} of {MAX_TRIES} times in vain, {printable(reason)}"
    ahead = f"{place.better:,} of {place.waiting:,} waiting URLs come before it, {place.better_on_host:,} on its host"
    return "; ".join([f"waits: {ahead}", *_host(place, waits)])


def _host(place: Place, waits: Waits) -> list[str]:
    """What holds its host back."""
    why = []
    if place.failures >= MAX_HOST_FAILURES:
        why.append(f"its host was given up after {place.failures} failures in a row, the next start tries it again")
    elif place.rest_until > waits.now:
        why.append(f"its host rests until {_time(place.rest_until)} after {place.failures} failures in a row")
    if place.next_due > waits.now:
        why.append(f"its host is not due before {_time(place.next_due)} (DOWNLOAD_DELAY={waits.delay:g})")
    if place.under_way:
        why.append(f"{place.under_way} of its host are being fetched")
    if waits.hosts_at_once and place.better_hosts >= waits.hosts_at_once:
        why.append(
            f"{place.better_hosts} hosts have better URLs than its host's best, and the best "
            f"{waits.hosts_at_once} are worked at a time (HOSTS_AT_ONCE)"
        )
    return why


def _found(known: Known) -> str:
    if not known.via:
        return "as a seed"
    return f"{'by a redirect from' if known.hops else 'on'} {known.via}"


def _way(known: Known) -> str:
    depth = "links" if known.depth != 1 else "link"
    return f"{known.depth} {depth} from the nearest seed, {known.distance} off-topic pages in a row on the way"


def parents_text(parents: Sequence[Parent]) -> str:
    if not parents:
        return _row("linked by", "no judged page")
    lines = [_row("linked by", f"{len(parents):,} judged {'page' if len(parents) == 1 else 'pages'}, best first:")]
    for parent in parents[:PARENTS_SHOWN]:
        link = parent.outlink.link
        anchor = printable(link.anchor) or "(no text)"
        words = f"its words {parent.outlink.own_relevance:.3f}" + (", navigation" if link.noise else "")
        page = f"page {parent.outcome}, similarity {parent.similarity:.3f}"
        lines.append(_row("", f"{_time(parent.fetched_at)} {anchor!r} on {parent.url} ({words}; {page})"))
    if len(parents) > PARENTS_SHOWN:
        lines.append(_row("", f"and {len(parents) - PARENTS_SHOWN:,} more"))
    return "\n".join(lines)


def scores_text(known: Known, changes: Sequence[Change], when: Mapping[int, float], *, noted: bool) -> str:
    """`when`: times of the fetches; `noted`: whether the harvest knows which scorer scored it."""
    told = "in the queue" if known.place is not None else "when it was claimed"
    lines = [_row("score", f"{_score(known.score)} {told}")]
    if changes and known.score < SEED_SCORE_SHOWN and abs(changes[-1].score - known.score) > DRIFT:
        lines.append(_row("", "which those below do not come to: the program has changed since, or other batches came"))
    if not changes:
        return lines[0] + ("" if known.score > SEED_SCORE_SHOWN else "; no link of a judged page has scored it")
    main = main_changes(changes, CHANGES_SHOWN)
    count = f"{len(main)} of {len(changes)}" if len(main) < len(changes) else f"{len(changes)}"
    by = f"by {changes[-1].scorer}" + ("" if noted else " (LINK_SCORER; the harvest is too old to know its own)")
    lines.append(_row("scores", f"{count}, one after the other, {by}, from the crawl's log learned again:"))
    for place, change in enumerate(main):
        cause = f"by {change.page}" if change.page else "computed again"
        at = _time(when[change.fetch_id]) if change.fetch_id in when else ""
        lines.append(_row("", f"{change.score:.4f}  {at} {cause}"))
        if place in (0, len(main) - 1):
            lines += [f"          {line}" for line in parts_text(change.parts)]
    return "\n".join(lines)


def parts_text(parts: Sequence[Part]) -> list[str]:
    """The summands of a score, each with the strongest of its evidence."""
    lines = []
    for summand in (part for part in parts if not part.of):
        lines.append(f"  {summand.value:+.4f}  {summand.name}")
        evidence = sorted((part for part in parts if part.of == summand.name), key=lambda part: -abs(part.value))
        shown = [part for part in evidence[:EVIDENCE_SHOWN] if abs(part.value) >= LEAST_SHOWN]
        if shown:
            lines.append("             " + ", ".join(f"{part.name} {part.value:+.3f}" for part in shown))
    return lines


def _score(score: float) -> str:
    return "that of a seed, before all links," if score > SEED_SCORE_SHOWN else f"{score:.4f}"


def _row(name: str, text: str) -> str:
    return f"{name:<10}{text}"


def _time(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"
