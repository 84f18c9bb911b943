"""Personal data in texts."""

from __future__ import annotations

from datatrove.data import Document

from zhuti.corpus.personal import masked_page
from zhuti.steps.step import Step


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
