"""Reasons of older databases, which held English sentences until schema 0020, as codes and values.

Who rewords a sentence of `reasons.Code` puts the former one into REWORDED.
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

REWORDED = {  # since: the sentences that stood in those versions
    Code.SAME_BUT_AROUND: "only what stands around its text is different",
    Code.NO_BODY: "No text of the page is its body.",
    Code.CHECK: "The page asks whether a person reads it.",
}
SENTENCES = {code: code.sentence for code in Code if code is not Code.TEXT} | REWORDED
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
    """A field's value, read back from how it was formatted."""
    if how == "!r":
        return str(literal_eval(said))
    if how == ":,":
        return int(said.replace(",", ""))
    return float(said) if how else int(said) if said.isdecimal() else said
