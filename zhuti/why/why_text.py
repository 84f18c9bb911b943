"""What `zhuti why` says about a URL: the facts of `explanation.py`, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from scrapy.settings import BaseSettings
from sqlalchemy import Connection

from crawler.clock import wall_time
from crawler.database.database import Database
from crawler.errors import SeedError, TopicError
from crawler.frontier.claimable import AHEAD
from crawler.frontier.frontier import UNPROVEN_EVERY
from crawler.frontier.politeness import MAX_HOST_FAILURES, MAX_TRIES
from crawler.frontier.steering import Action, Steer
from crawler.labels.judge_again import SAME
from crawler.labels.labels import Label, Who, answers
from crawler.messages import _, ngettext, translated
from crawler.reader.html.urls import canonical
from crawler.reader.text.printable import legible, padded, printable
from crawler.reasons import Code, Reason, clause
from crawler.records import Outcome, UrlState, similarity_of
from crawler.scorers.base import Part
from crawler.store.revisits import Worth, worths
from crawler.store.sources import sources
from crawler.tell.progress import progress_bar
from crawler.topic.file_writer import known_topic
from crawler.topic.files import Topic
from zhuti.why.explanation import JudgedToday, Known, ParentPage, Pending, Verdict, judged_today, look_up, parents
from zhuti.why.score_history import ScoreChange, main_changes, score_changes, times

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
    patience: float  # PATIENCE

    @classmethod
    def of(cls, settings: BaseSettings) -> Self:
        return cls(wall_time(), settings.getfloat("DOWNLOAD_DELAY"), settings.getfloat("PATIENCE"))


def explain(address: str, topic: str | None, settings: BaseSettings, *, quick: bool) -> Iterator[str]:
    """Yields pieces of text as they are found, for each topic that knows the URL, or only for the named one. `quick`
    leaves out the scores and the worth of another visit. Raises CrawlerError."""
    waits = Waits.of(settings)
    with Database(settings["STORE_URL"], readonly=True) as database:
        for number, known in enumerate(look_up(database, forms(address), topic)):
            with database.transaction(shared=True) as connection:
                said = answers(connection, known.topic_id, known.url)
            yield "\n" * bool(number) + facts_text(known, waits, said, forbidden=is_forbidden(known, settings))
            with database.transaction(shared=True) as connection, progress_bar(_("links")) as progress:
                found = parents(connection, known.topic_id, known.url, progress)
            yield parents_text(found)
            if quick:
                continue
            with database.transaction(shared=True) as connection, progress_bar(_("log")) as progress:
                changes = score_changes(connection, known, settings["LINK_SCORER"], progress)
                when = times(connection, [change.fetch_id for change in changes])
                worth = worths(sources(connection, known.topic_id), waits.now).get(known.id)
                judged = _judged(connection, known, settings)
            if known.judged is not None and judged is not None:
                yield judged_text(known.judged, judged)
            if worth is not None:
                yield revisit_text(worth)
            yield scores_text(known, changes, when)


def forms(address: str) -> list[str]:
    """The canonical URLs that the address may mean, the likeliest first: what a browser shows may have been found under
    the other scheme. Raises SeedError."""
    scheme, rest = address.rpartition("://")[::2]
    tried = [address] if scheme.lower() not in ("", "http", "https") else []
    tried += [f"{one}://{rest}" for one in ("http", "https")[:: 1 if scheme.lower() == "http" else -1] if not tried]
    found = [form for form in map(canonical, tried) if form is not None]
    if not found or not (scheme or "." in rest):
        raise SeedError(
            _("{address!r} is not an http(s) address; write it as in a browser's address bar"), address=address
        )
    return found


def is_forbidden(known: Known, settings: BaseSettings) -> bool:
    """Whether the topic's file, if it can be read, excludes the URL's host today."""
    topic = _topic(known, settings)
    return topic is not None and not topic.allows(known.url)


def _judged(connection: Connection, known: Known, settings: BaseSettings) -> JudgedToday | None:
    topic = _topic(known, settings) if known.judged and not settings["PAGE_JUDGE"] else None
    return None if topic is None else judged_today(connection, known.topic_id, topic, known.url)


def _topic(known: Known, settings: BaseSettings) -> Topic | None:
    try:
        return known_topic(known.topic, Path(settings["TOPICS_DIR"]))
    except TopicError:
        return None


def told_of(consent: str) -> str:
    """The ledger's entry in one line: the day, each file with its digest or status, and what it says."""
    said = json.loads(consent)
    named = [f"{name} {mark}" for each in ("files", "headers", "metas") for name, mark in said.get(each, {}).items()]
    return "; ".join([str(said.get("day")), *named, *said.get("forbids", []), *filter(None, [said.get("licence")])])


def facts_text(known: Known, waits: Waits, said: Sequence[Label], *, forbidden: bool) -> str:
    """What became of the URL, where it was found, its fetches, and what was `said` of it."""
    fate = _("topic {topic}: {fate}", topic=printable(known.topic), fate=_fate(known, waits))
    lines = [legible(known.url), fate]
    if legible(known.url) != known.url:
        lines.insert(1, known.url)
    if forbidden:
        lines.append(_row("", _("the topic's file does not allow this host")))
    lines += [_row(_("found"), f"{_time(known.found_at)} {_found(known)}"), _row("", _way(known))]
    if known.judged and known.judged.published:
        lines.append(_row(_("published"), printable(known.judged.published)))
    if known.judged and known.judged.keywords:
        lines.append(_row(_("keywords"), printable(", ".join(known.judged.keywords))))
    if known.judged and known.judged.consent:
        lines.append(_row(_("consent"), printable(told_of(known.judged.consent))))
    for fetch in known.fetches:
        answer = _("status {status}", status=fetch.status) if fetch.status else _("no answer")
        why = _(", {reason}", reason=_why(fetch.reason)) if fetch.reason else ""
        what = translated(fetch.outcome) + why
        took = _("{answer}, {seconds:.2f} s: {what}", answer=answer, seconds=fetch.seconds, what=what)
        lines.append(_row(_("fetched"), f"{_time(fetch.at)} {took}"))
    for label in said:
        told = _("a model: {answer}") if label.who is Who.MODEL else _("a person: {answer}")
        lines.append(_row(_("label"), f"{_time(label.at)} {told.format(answer=translated(label.answer))}"))
    return "\n".join(lines)


def _fate(known: Known, waits: Waits) -> str:
    """What became of the URL and why, in one sentence."""
    if known.pending is not None:
        return _waiting(known, known.pending, waits)
    judged = known.judged
    if judged is not None:
        if judged.outcome is Outcome.INDEX_FILE:
            return _("read as an index file: it lists pages and is not a page itself")
        named = {"similarity": judged.similarity, "reason": _why(judged.reason) or _("off topic")}
        if judged.outcome is Outcome.KEPT:
            return _("kept, similarity {similarity:.3f}: {title!r}", title=printable(judged.title), **named)
        if judged.outcome is Outcome.DUPLICATE:
            first = legible(judged.repeats) if judged.repeats else _("a page that was removed later")
            return _("a duplicate, similarity {similarity:.3f}: it {reason}, {first}", first=first, **named)
        return _("dropped, similarity {similarity:.3f}: {reason}", **named)
    last = next((fetch for fetch in reversed(known.fetches) if fetch.ends), None)
    if last is None:
        return _("removed by `zhuti store forget` before it was fetched")
    if last.outcome is Outcome.REDIRECT:
        return _("not a page: it {reason}", reason=_why(last.reason or Reason(Code.REDIRECT, url=known.leads_to)))
    if last.outcome in (Outcome.KEPT, Outcome.OFF_TOPIC, Outcome.DUPLICATE):
        return _("judged ({outcome}), later removed by `zhuti store forget`", outcome=translated(last.outcome))
    return _("given up ({outcome}): {reason}", outcome=translated(last.outcome), reason=_why(last.reason))


def _waiting(known: Known, pending: Pending, waits: Waits) -> str:
    named = asdict(waits) | asdict(pending) | {"worker": pending.worker or _("unknown")}
    for name in ("lease_until", "not_before", "rest_until", "next_due"):
        named[name] = _time(named[name] or 0.0)
    if known.state is UrlState.LEASED:
        return _("being fetched by worker {worker}; its lease ends {lease_until}", **named)
    if known.state is UrlState.DEFERRED:
        named |= {"until": _("until {not_before}", **named), "tries": known.tries, "max_tries": MAX_TRIES}
        named["reason"] = _why(known.fetches[-1].reason) if known.fetches else _("a failed fetch")
        return _("waits {until}: {tries} of {max_tries} attempts failed, {reason}", **named)
    if known.steer is not None and known.steer.action is Action.BLOCK:
        return _("blocked by {pattern!r} since {at}, by {who}", **_said(known.steer))
    named["before"] = _("{better:,} of {waiting:,} waiting URLs rank before it", **named)
    first = _("waits: {before}, {better_on_host:,} on its host", **named)
    boost = [_("boosted by {pattern!r} since {at}, by {who}", **_said(known.steer))] if known.steer else []
    return "; ".join([first, *boost, *_host(pending, waits, named)])


def _why(reason: Reason) -> str:
    return printable(clause(reason))


def _said(steer: Steer) -> Mapping[str, object]:
    return {"pattern": printable(steer.pattern), "at": _time(steer.at), "who": printable(steer.who)}


def _host(pending: Pending, waits: Waits, named: Mapping[str, object]) -> Iterator[str]:
    """What holds the host back. `named`: both in words."""
    if pending.failures >= MAX_HOST_FAILURES:
        if pending.given_ups > 1 and pending.rest_until > waits.now:
            yield _("its host failed too often in a row, {given_ups} times; it rests until {rest_until}", **named)
        else:
            yield _("its host failed too often in a row and is skipped; the next start tries it again")
    elif pending.rest_until > waits.now:
        yield _("its host rests until {rest_until} after {failures} failures in a row", **named)
    if pending.next_due > waits.now:
        yield _("its host is not due before {next_due} (DOWNLOAD_DELAY={delay:g})", **named)
    if pending.under_way:
        yield _("{under_way} URLs of its host are being fetched", **named)
    if not pending.proven:
        yield _(
            "no page of its host was kept yet: such hosts share one of {every} requests while others have good URLs",
            every=UNPROVEN_EVERY,
        )
    if waits.patience > 1 and pending.worth_less:
        yield _(
            "it scores much less than the {ahead}th best URL on hosts that gave kept pages: a crawl with a page budget"
            " waits for these first (PATIENCE)",
            ahead=AHEAD,
        )


def _found(known: Known) -> str:
    if not known.via:
        return _("as a seed")
    via = legible(known.via)
    return _("by a redirect from {via}", via=via) if known.hops else _("on {via}", via=via)


def _way(known: Known) -> str:
    links = ngettext("{count} link from the nearest seed", "{count} links from the nearest seed", known.depth)
    off = ngettext("{count} off-topic page before it", "{count} off-topic pages in a row before it", known.distance)
    return f"{links}; {off}" if known.distance else links


def _link(parent: ParentPage) -> str:
    link, outlink = parent.outlink.link, parent.outlink
    named = {"anchor": printable(link.anchor) or _("(no text)"), "url": legible(parent.url)}
    words = _("relevance of its words {relevance:.3f}", relevance=outlink.own_relevance)
    if parent.outcome is Outcome.INDEX_FILE:
        if outlink.nearness is not None:
            words += _("; similarity of its text there {similarity:.3f}", similarity=similarity_of(outlink.nearness))
        return _(
            "{anchor!r} in the {index_file} {url} ({words})",
            index_file=translated(parent.index_kind),
            words=words,
            **named,
        )
    if link.noise:
        words += _(", navigation")
    more = {"words": words, "outcome": translated(parent.outcome), "similarity": parent.similarity}
    return _("{anchor!r} on {url} ({words}; page {outcome}, similarity {similarity:.3f})", **named, **more)


def parents_text(pages: Sequence[ParentPage]) -> str:
    if not pages:
        return _row(_("linked by"), _("no judged page"))
    count = ngettext("{count} judged page, best first:", "{count} judged pages, best first:", len(pages))
    lines = [_row(_("linked by"), count)]
    lines += [_row("", f"{_time(parent.fetched_at)} {_link(parent)}") for parent in pages[:PARENTS_SHOWN]]
    if len(pages) > PARENTS_SHOWN:
        lines.append(_row("", _("and {pages:,} more", pages=len(pages) - PARENTS_SHOWN)))
    return "\n".join(lines)


def revisit_text(worth: Worth) -> str:
    told = _(
        "a visit now would save an expected {new:.3f} days of delay for new pages and {right:.3f} days"
        " of outdated text",
        **worth._asdict(),
    )
    return _row(_("revisit"), told)


def judged_text(then: Verdict, today: JudgedToday) -> str:
    told = _(
        "similarity {similarity:.3f}, {plain:.3f} without calibration; calibrated by {examples:.0f} posts on the topic."
        " Its log odds:",
        **asdict(today),
    )
    lines = [_row(_("judged"), told), *(_row("", line) for line in _parts(today.parts))]
    if abs(then.similarity - today.similarity) > SAME:
        lines.append(
            _row("", _("it was judged by other words, or another calibration: `zhuti rejudge` judges it again"))
        )
    return "\n".join(lines)


def scores_text(known: Known, changes: Sequence[ScoreChange], when: Mapping[int, float]) -> str:
    """`when`: the times of the fetches."""
    is_seed = known.score > SEED_SCORE_SHOWN
    score = _("the score of a seed, above that of any link,") if is_seed else f"{known.score:.4f}"
    waits = known.pending is not None
    first = _("{score} in the queue", score=score) if waits else _("{score} when it was fetched", score=score)
    first = _row(_("score"), first)
    if not changes:
        return first if is_seed else _("{score}; no judged page links to it yet", score=first)
    lines = [first]
    if not is_seed and abs(changes[-1].score - known.score) > DRIFT:
        told = _(
            "replaying the log gives a different score: the program has changed, or pages were committed"
            " in other batches"
        )
        lines.append(_row("", told))
    main, every = main_changes(changes, CHANGES_SHOWN), len(changes)
    count = _("{main} of {changes}", main=len(main), changes=every) if len(main) < every else str(every)
    note = "" if known.scorings else _(" (LINK_SCORER of today; this older harvest did not record its own)")
    by = _("by {scorer}{note}", scorer=changes[-1].scorer, note=note)
    told = _("{count} in order, {by}, computed by replaying the crawl's log:", count=count, by=by)
    lines.append(_row(_("scores"), told))
    for number, change in enumerate(main):
        cause = _("by {page}", page=legible(change.page)) if change.page else _("recomputed")
        at = _time(when[change.fetch_id]) if change.fetch_id in when else ""
        lines.append(_row("", f"{change.score:.4f}  {at} {cause}"))
        if number in (0, len(main) - 1):
            lines += [_row("", line) for line in _parts(change.parts)]
    return "\n".join(lines)


def _parts(parts: Sequence[Part]) -> Iterator[str]:
    """Each summand of a score, with the strongest evidence for it."""
    for summand in (part for part in parts if not part.of):
        yield f"  {summand.value:+.4f}  {translated(summand.name)}"
        own = (part for part in parts if part.of == summand.name)
        evidence = sorted(own, key=lambda part: (not part.first, -abs(part.value)))
        told = [part for part in evidence[:EVIDENCE_SHOWN] if abs(part.value) >= LEAST_SHOWN]
        if told:
            yield "             " + ", ".join(f"{translated(part.name)} {part.value:+.3f}" for part in told)


def _row(name: str, text: str) -> str:
    return padded(name, 10) + text


def _time(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"
