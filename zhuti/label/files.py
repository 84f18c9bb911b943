"""Labels as files: CSV and JSON Lines, for another program or another harvest."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

from crawler.errors import LabelError
from crawler.labels.labels import Answer, Label, Who
from crawler.messages import _
from crawler.mistakes import at_path
from crawler.reader.html.urls import canonical
from crawler.reader.text.charset import decode
from zhuti.whole_file import whole_file

CHINESE = {"是": Answer.YES, "否": Answer.NO, "不确定": Answer.UNSURE}
COLUMNS = ("topic", "url", "answer", "who", "at", "version")
NEEDED = ("url", "answer")
CSV, LINES = ".csv", (".jsonl", ".ndjson")


def write(path: Path, topic: str, labels: Iterable[Label]) -> int:
    """Writes them, the oldest first, and returns how many. Raises LabelError, ExportError."""
    rows = [_row(topic, label) for label in labels]
    text = StringIO()
    if _kind(path) == CSV:
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        text.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    with whole_file(path) as partial:
        partial.write_text(text.getvalue(), encoding="utf-8")
    return len(rows)


@dataclass(frozen=True, slots=True)
class Read:
    """What a file holds."""

    labels: tuple[Label, ...]
    foreign: tuple[str, ...]  # columns that labels do not have; they are not read


def read(path: Path, topic: str, now: float) -> Read:
    """The labels of a file, in any encoding that can be told. `now`: the time of labels that name none.

    Raises LabelError, naming the line, for what is not a label, and for labels of another topic."""
    with at_path(path, LabelError):
        text = _text(path.read_bytes()).removeprefix("\ufeff")
    foreign: dict[str, None] = {}
    labels = []
    for number, row in _csv_rows(path, text) if _kind(path) == CSV else _line_rows(path, text):
        foreign.update(dict.fromkeys(name for name in row if name not in COLUMNS))
        labels.append(_label(row, topic, now, _("{path}, line {number}", path=path, number=number)))
    return Read(tuple(labels), tuple(foreign))


def _text(data: bytes) -> str:
    """A table of Chinese Windows is GBK, whatever the few letters in it look like."""
    for encoding in ("utf-8", "gb18030"):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding) if b"\0" not in data else decode(data)[0]
    return decode(data)[0]


def _kind(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix == CSV or suffix in LINES:
        return suffix
    raise LabelError(_("{path}: labels are kept as .csv or .jsonl; give such a name"), path=path)


def _row(topic: str, label: Label) -> dict[str, str]:
    at = datetime.fromtimestamp(label.at, UTC).isoformat()
    values = (topic, label.url, label.answer.value, label.who.value, at, label.version)
    return dict(zip(COLUMNS, values, strict=True))


def _csv_rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    reader = csv.DictReader(StringIO(text), restkey="")
    names = [name.strip().lower() for name in reader.fieldnames or ()]
    if missing := [name for name in NEEDED if name not in names]:
        raise LabelError(
            _("{path}: the first line names no column {missing}; write a line such as: url,answer"),
            path=path,
            missing=", ".join(missing),
        )
    reader.fieldnames = names
    try:
        for row in reader:
            yield reader.line_num, {name: value for name, value in row.items() if name and isinstance(value, str)}
    except csv.Error as error:
        raise LabelError(
            _("{path}, line {number}: is not CSV ({error}); save it as CSV with commas"),
            path=path,
            number=reader.line_num,
            error=error,
        ) from error


def _line_rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or not row.keys() >= set(NEEDED):
            raise LabelError(
                _('{path}, line {number} is not a label; write {{"url": "...", "answer": "yes"}}'),
                path=path,
                number=number,
            )
        yield number, {name: str(value) for name, value in row.items() if value is not None}


def _label(row: Mapping[str, str], topic: str, now: float, place: str) -> Label:
    if row.get("topic", "").strip() not in ("", topic):
        raise LabelError(
            _("{place}: is a label of topic {other!r}, not of {topic!r}; import it there, or take the column out"),
            place=place,
            other=row["topic"],
            topic=topic,
        )
    said = row.get("answer", "").strip().lower()
    answer, who = CHINESE.get(said, said), row.get("who", "").strip().lower() or Who.PERSON.value
    if answer not in list(Answer):
        raise LabelError(
            _("{place}: the answer {answer!r} is not one of {answers}"),
            place=place,
            answer=answer,
            answers=", ".join(Answer),
        )
    if who not in list(Who):
        raise LabelError(
            _("{place}: {who!r} cannot answer; write one of {known}"),
            place=place,
            who=who,
            known=", ".join(Who),
        )
    at = _time(row.get("at", "").strip(), now, place)
    return Label(label_url(row.get("url", ""), place), Answer(answer), at, Who(who), row.get("version", "").strip())


def label_url(written: str, place: str) -> str:
    """The canonical form. Raises LabelError for what is not an address."""
    url = canonical(written.strip()) if written.strip().lower().startswith(("http://", "https://")) else None
    if url is None:
        raise LabelError(_("{place}: {url!r} is not an http(s) URL"), place=place, url=written)
    return url


def _time(written: str, now: float, place: str) -> float:
    if not written:
        return now
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        raise LabelError(
            _("{place}: {written!r} is not a time; write it as 2026-01-02T03:04:05+00:00"), place=place, written=written
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
