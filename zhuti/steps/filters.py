"""Which pages go on, and how much text there is."""

from __future__ import annotations

from functools import cached_property

from datatrove.data import Document

from crawler.reader.text.measures import char_len, language
from crawler.reader.text.minhash import token_count
from zhuti.corpus.personal import masked_page
from zhuti.quality.model import bundled
from zhuti.steps.step import Step


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
