"""Reasons of older databases, which held English sentences until schema 0020, as codes and values.

The table is what stood in those versions: it stays as it is when a sentence of `reasons.Code` is reworded.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Iterator
from functools import lru_cache

from sqlalchemy import Connection, Text, select, type_coerce

from crawler.database.schema import fetches, judgements, runs
from crawler.database.statements import Many
from crawler.reasons import Code, Reason, stored

SENTENCES = {
    Code.BOTH: "{first}; {second}",
    Code.NO_SUCH_HOST: "the host's name cannot be resolved",
    Code.REFUSED: "the host refused the connection",
    Code.TIMEOUT: "no answer within DOWNLOAD_TIMEOUT",
    Code.TOO_LARGE: "larger than DOWNLOAD_MAXSIZE",
    Code.ENCODINGS: "too many Content-Encodings",
    Code.COMPRESSED_PARTS: "its compressed data has too many parts",
    Code.STATUS: "status {status}",
    Code.NOT_HTML: "not an HTML page",
    Code.REDIRECT: "redirects to {url}",
    Code.REDIRECT_AWAY: "redirects to something other than an http(s) address: {location!r}",
    Code.REDIRECT_TO_ITSELF: "redirects to itself",
    Code.REDIRECTS: "more than {max_redirects} redirects in a row",
    Code.ROBOTS: "Forbidden by robots.txt",
    Code.ROBOTS_STATUS: "robots.txt could not be fetched: status {status}",
    Code.ROBOTS_SLOW: "robots.txt could not be read in time",
    Code.OTHER_HOST: "the topic's hosts do not allow this address",
    Code.NOT_PUBLIC: "its address is not public ({address}); ALLOW_ADDRESSES can allow it",
    Code.DENIED: "its address ({address}) is in the topic's denied_hosts",
    Code.IGNORED: "ignored by a middleware",
    Code.LOST: "a pipeline or middleware dropped the page without an error",
    Code.COMPONENT: "a pipeline or middleware failed on it: {error}",
    Code.LATE: "another fetch of its URL was committed first",
    Code.NOT_MODIFIED: "not modified",
    Code.SAME_BYTES: "its content is byte for byte the same",
    Code.SAME_TEXT: "its text is the same",
    Code.SAME_BUT_AROUND: "only what stands around its text is different",
    Code.NOT_RENDERED: "its scripts were not run",
    Code.GONE: "not found on {gone_after} visits",
    Code.OFF_TOPIC_AGAIN: "two visits in a row found it off topic",
    Code.NO_TEXT: "The page has no text.",
    Code.NO_OWN_TEXT: "The page has no text of its own.",
    Code.NO_BODY: "No text of the page is its body.",
    Code.LINKS: "The page is a list of links.",
    Code.SAYS_GONE: "The page says that it is not there.",
    Code.LOGIN: "The page asks for a password.",
    Code.SCRIPTS: "The page needs JavaScript.",
    Code.CHECK: "The page asks whether a person reads it.",
    Code.PARKED: "The domain is for sale or parked.",
    Code.CONSENT: "The page asks for consent to cookies.",
    Code.LISTS: "it lists other pages",
    Code.NO_BODY_TEXT: "the page has no body text",
    Code.LANGUAGE: "its language is {found}; the topic accepts {wanted}",
    Code.SIMILARITY: "similarity {similarity:.3f} is below the threshold {threshold:g}",
    Code.PERSON: "a person says that it is not on the topic",
    Code.FORBIDDEN_TO_KEEP: "its publisher forbids keeping it ({forbids})",
    Code.KEPT_ALTHOUGH: "although its publisher says {forbids}",
    Code.RENDERED: "its scripts were run",
    Code.RENDERED_AND: "its scripts were run: {reason}",
    Code.WORD_FOR_WORD: "repeats the text of a kept page",
    Code.NEARLY: "is nearly the same as a kept page",
    Code.SAME_ADDRESS: "is a kept page under another address",
    Code.MOVED: "has moved to another address of its site",
    Code.DIED: "the analysis process died: it ran out of memory or was killed",
    Code.SLOW_DOMAIN: "the analysis of other pages of its domain took too long",
    Code.SLOW_SHARE: "the analysis took longer than the share of its domain allows",
    Code.SLOW: "the analysis took longer than ANALYSE_TIMEOUT",
    Code.MEMORY: "the analysis needed more memory than ANALYSE_MEMORY",
    Code.ANALYSIS: "the analysis failed: {kind}: {error}",
    Code.PDF_NO_TEXT: "the PDF has no text; it may be a scan",
    Code.PDF_EXTRA: "PDF documents need pypdfium2; pip install 'zhuti[pdf]'",
    Code.PDF_UNPACKS: "a part of the PDF unpacks to more than {most_bytes:,} bytes",
    Code.PDF_PASSWORD: "the PDF asks for a password",
    Code.PDF_DAMAGED: "the PDF cannot be read: it is damaged or cut off",
    Code.NO_INDEX_FILE: "not an index file: {found}",
    Code.TOO_LONG: "it is longer than {max_bytes:,} bytes",
    Code.TAKES_LONG: "reading it takes more than {max_seconds:g} seconds",
    Code.MANY_PAGES: "it lists more than {max_entries:,} pages",
    Code.MANY_FILES: "it names more than {max_index_files:,} index files",
    Code.MANY_NAMES: "it has more than {max_names:,} different elements",
    Code.DEEP: "its elements nest deeper than {max_depth}",
    Code.ROOT: "its root element <{name}> belongs to no known index file",
    Code.EMPTY: "it is empty",
    Code.BINARY: "it is a binary file",
    Code.UNKNOWN: "it is not a sitemap, feed or search index",
    Code.HTML: "it is an HTML page",
    Code.GZIP_CUT: "its gzip data is incomplete",
    Code.GZIP_DAMAGED: "its gzip data is damaged",
    Code.JSON_DAMAGED: "it is incomplete or damaged JSON",
    Code.XML_DAMAGED: "it is damaged XML",
    Code.XML_CUT: "it ends in the middle of an entry",
    Code.NO_SEARCH: "it describes no search whose answers can be read",
    Code.LISTS_NOTHING: "it lists no pages",
    Code.LISTS_NOTHING_NAMED: "it lists no pages with an address and a title",
    Code.LISTS_NOTHING_ALLOWED: "it lists no pages that the topic's hosts allow",
    Code.FINISHED: "finished",
    Code.FINISHED_FOR_NOW: "finished; the next URL is due in {wait:.1f} hours",
    Code.BUDGET: "budget spent",
    Code.TARGET: "PAGE_TARGET={target} reached",
    Code.STOP_BELOW: "the harvest rate fell below STOP_BELOW={stop_below:g}: {last_rate:.3f} in the last pages,"
    " {next_rate:.3f} expected of the next {next}",
    Code.STOPPED: "stopped",
    Code.FAILED: "failed",
    Code.KILLED: "killed",
}
HOLDING = {  # fields that hold another sentence
    (Code.COMPONENT, "error"),
    (Code.NO_INDEX_FILE, "found"),
    (Code.RENDERED_AND, "reason"),
    (Code.BOTH, "first"),
    (Code.BOTH, "second"),
}
FIELD = re.compile(r"\{(\w+)([^{}]*)\}")
AT_ONCE = 5_000  # rows in memory
CACHED = 10_000  # sentences
COLUMNS = ((fetches, "id", "reason"), (judgements, "url_id", "reason"), (runs, "id", "ended"))

_WHOLE = {sentence: code for code, sentence in SENTENCES.items() if "{" not in sentence}
_FORMS = [  # those with most words of their own first
    (code, sentence, re.compile("(.+?)".join(map(re.escape, FIELD.sub("\0", sentence).split("\0"))), re.DOTALL))
    for code, sentence in sorted(SENTENCES.items(), key=lambda item: -len(FIELD.sub("", item[1])))
    if "{" in sentence
]


def bring_over(connection: Connection) -> None:
    """Rewrites the sentences of the database."""
    for table, key, name in COLUMNS:
        row_id, text = table.c[key], type_coerce(table.c[name], Text)
        some, since = select(row_id, text).where(text != "").order_by(row_id).limit(AT_ONCE), 0
        put = Many.update(table, key, name)
        while rows := connection.execute(some.where(row_id > since)).all():
            since = rows[-1][0]
            put.run(connection, [(row, _stored(sentence)) for row, sentence in rows])


@lru_cache(CACHED)
def _stored(sentence: str) -> str:
    return stored(reason_in(sentence))


def reason_in(sentence: str) -> Reason:
    """What an older version meant. A sentence that none has made stays in words."""
    return next(_readings(sentence), Reason.of(sentence))


def _readings(sentence: str) -> Iterator[Reason]:
    if sentence in _WHOLE:
        yield Reason(_WHOLE[sentence])
    for code, form, pattern in _FORMS:
        if match := pattern.fullmatch(sentence):
            said = dict(zip(FIELD.findall(form), match.groups(), strict=True))
            try:
                values = {name: _value(said[name, how], how) for name, how in said}
            except (ValueError, SyntaxError):
                continue
            if form.format(**values) == sentence:
                held = {name: reason_in(str(value)) for name, value in values.items() if (code, name) in HOLDING}
                if code is not Code.BOTH or Code.TEXT not in {part.code for part in held.values()}:
                    yield Reason(code, **values | held)


def _value(said: str, how: str) -> str | int | float:
    """From how a field was formatted."""
    if how == "!r":
        return str(literal_eval(said))
    if how == ":,":
        return int(said.replace(",", ""))
    return float(said) if how else int(said) if said.isdecimal() else said
