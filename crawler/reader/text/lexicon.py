"""Which words of its user's a topic knows beside those of jieba, when its texts are cut into words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from crawler.errors import TopicError
from crawler.messages import _
from crawler.mistakes import at_path
from crawler.reader.text.segmenters import Word

SHOWN_OF_LINE = 40  # characters of a line that is not an entry
LONGEST_ENTRY = 200  # characters of an entry; a term in Latin letters has some 60
MOST_ENTRIES = 500_000  # entries of a topic, some 7 s and 400 MB to learn; jieba's own dictionary has 349,046

# jieba's format: word, frequency, part of speech. A longer word in Latin letters at the end is a part of the word.
_LINE = re.compile(r"([^,;|，；、]+?)(?:\s+([1-9][0-9]{0,8}))?(?:\s+[A-Za-z]{1,4})?")


Lexicon = tuple[Word, ...]  # as written; given to all who cut texts of a topic, so that they cut them alike


def read_words(paths: Iterable[str]) -> Lexicon:
    """The words of user dictionaries in jieba's format, in their order. Raises TopicError, naming file and line, or
    where there are more than MOST_ENTRIES."""
    words: list[Word] = []
    for path in paths:
        words += _read(Path(path))
        if len(words) > MOST_ENTRIES:
            raise TopicError(
                _("{path}: the topic's dictionaries have more than {most:,} words; keep those of the topic"),
                path=path,
                most=MOST_ENTRIES,
            )
    return tuple(words)


def _read(path: Path) -> list[Word]:
    with at_path(path, TopicError):
        content = path.read_bytes()
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise TopicError(
            _("{path}, line {line}: the dictionary is not UTF-8 text; save it as UTF-8"), path=path, line=line
        ) from error
    return [_entry(path, number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]


def _entry(path: Path, number: int, line: str) -> Word:
    found = _LINE.fullmatch(line) if len(line) <= LONGEST_ENTRY else None
    word, frequency = found.groups() if found else ("", None)
    # Without a frequency, a part without letters is one that was written wrong: 0, -5, 3.5.
    parts = [word] if frequency else word.split()
    if not parts or not all(any(map(str.isalpha, part)) for part in parts):
        raise TopicError(
            _(
                "{path}, line {number}: {line!r} is not an entry of a dictionary; write a word, and if you like"
                " how often it occurs, from 1 to 999999999, and its part of speech, with blanks between: word 5 n"
            ),
            path=path,
            number=number,
            line=line[:SHOWN_OF_LINE],
        )
    return Word(word, int(frequency) if frequency else None)
