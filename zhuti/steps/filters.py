"""Which pages go on, and how much text there is."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from datatrove.data import Document

from crawler.reader.text.measures import ASCII_PUNCT, HAN, ZH_PUNCT, char_len, language
from crawler.reader.text.minhash import token_count
from zhuti.corpus.personal import masked_page
from zhuti.quality.model import bundled
from zhuti.steps.step import Step

ENDS = (ZH_PUNCT | ASCII_PUNCT) - frozenset("，、,《〈【「『“‘（(")  # marks that end a line of prose


class Language(Step):
    """Lets pages of these languages go on: ISO 639-1 codes. `unknown`: also pages with too little text to tell."""

    name = "Language"

    def __init__(self, *codes: str, unknown: bool = False) -> None:
        super().__init__()
        self.codes = frozenset(codes) | ({""} if unknown else frozenset())

    def look(self, document: Document) -> bool:
        if "language" not in document.metadata:
            document.metadata["language"] = language(document.text)
        return (document.metadata["language"] or "") in self.codes


class Quality(Step):
    """Lets prose go on; `quality` holds the shares that it went by. The limits are those of English corpora. FineWeb 2
    fitted its own to Chinese and came to nearly the same: .287 and .106 (Penedo et al. 2025, arXiv 2506.20920, its
    cmn_Hani.yml).

    Args:
        repeated_lines: most lines that are there already, of all (Rae et al. 2021, arXiv 2112.11446, table A1). Of a
            Chinese text only lines with a Chinese character count, here and below: programs repeat their lines.
        repeated_characters: most characters in such lines, of all (the same).
        ended_lines: least lines that end with a mark, of all (Penedo et al. 2024, arXiv 2406.17557, 3.6).
        length: least characters without blanks.
    """

    name = "Quality"

    def __init__(
        self,
        repeated_lines: float = 0.3,
        repeated_characters: float = 0.2,
        ended_lines: float = 0.12,
        length: int = 0,
    ) -> None:
        super().__init__()
        self.repeated_lines, self.repeated_characters = repeated_lines, repeated_characters
        self.ended_lines, self.length = ended_lines, length

    def look(self, document: Document) -> bool:
        lines = [line for text in document.text.splitlines() if (line := text.strip())]
        if not lines:
            return False
        chinese = (document.metadata.get("language") or language(document.text)) == "zh"
        prose = [line for line in lines if HAN.search(line)] if chinese else lines
        again = {line: times - 1 for line, times in Counter(prose).items() if times > 1}
        repeated = sum(again.values()) / max(1, len(prose))
        characters = sum(len(line) * times for line, times in again.items()) / max(1, sum(map(len, prose)))
        ended = sum(line[-1] in ENDS for line in lines) / len(lines)
        told = {"repeated_lines": repeated, "repeated_characters": characters, "ended_lines": ended}
        document.metadata["quality"] = told
        if repeated > self.repeated_lines or characters > self.repeated_characters:
            return False
        return ended >= self.ended_lines and char_len(document.text) >= self.length


class Graded(Step):
    """Lets texts go on from which a reader can learn; `grade` holds how much, in [0, 1].

    Args:
        least: of such a grade, at least.
    """

    name = "Graded"

    def __init__(self, least: float = 0.0) -> None:
        super().__init__()
        self.least = least

    def look(self, document: Document) -> bool:
        grade = bundled().of(str(document.metadata.get("title") or ""), document.text)
        document.metadata["grade"] = round(grade, 3)
        return grade >= self.least


class Counts(Step):
    """Counts `characters`, blanks left out, and `tokens`: Chinese characters, and words of other scripts. The tokens of
    one model count datatrove's TokensCounter."""

    name = "Counts"

    def look(self, document: Document) -> bool:
        found = {"characters": char_len(document.text), "tokens": token_count(document.text)}
        document.metadata |= found
        for name, number in found.items():
            self.stat_update(name, value=number, unit="doc")
        return True


class Unrepeated(Step):
    """Leaves out the pages that repeat an earlier one, as `zhuti.lake.duplicates` has found.

    Args:
        found: the Parquet file that it wrote. Its addresses are in memory, some 150 bytes each.
    """

    name = "Unrepeated"

    def __init__(self, found: str) -> None:
        super().__init__()
        self.found = found

    @cached_property
    def _repeating(self) -> frozenset[str]:
        import fsspec
        from pyarrow import parquet

        with fsspec.open(self.found) as file:
            return frozenset(parquet.read_table(file, columns=["url"])["url"].to_pylist())

    def look(self, document: Document) -> bool:
        return document.id not in self._repeating


class PersonalData(Step):
    """Counts mail addresses, telephone, identity and card numbers as `personal`, and masks them in text and title.

    Args:
        mask: whether what is found is replaced by its kind, as in `[phone]`; else it is only counted.
    """

    name = "PersonalData"

    def __init__(self, mask: bool = True) -> None:
        super().__init__()
        self.mask = mask

    def look(self, document: Document) -> bool:
        said = document.metadata
        title, text, said["personal"] = masked_page(said.get("title") or "", document.text)
        for kind, number in said["personal"].items():
            self.stat_update(kind, value=number, unit="doc")
        if self.mask:
            document.text = text
            if title:
                said["title"] = title
        return True
