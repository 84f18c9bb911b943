"""Labels for parts of a page from its labelled body (papers.md 8.1): by text, not by node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WINDOW = 8  # characters a common substring must have to count; shorter texts must be in the gold text as a whole
REACH = 2  # neighbours on each side that may vouch for a short text
BLOCK_SHARE = 0.6  # of a block's characters in gold lines from which it is body (systems A and D)
NODE_SHARE = 0.8  # the same for a node (system E)


@dataclass(frozen=True, slots=True)
class Gold:
    """A page's true body."""

    text: str  # without blanks
    windows: frozenset[str]

    @classmethod
    def of(cls, body: str) -> Gold:
        text = "".join(body.split())
        return cls(text, frozenset(text[start : start + WINDOW] for start in range(len(text) - WINDOW + 1)))

    def share(self, text: str) -> float:
        """Returns the share of the characters that lie in common substrings of at least WINDOW characters, in [0, 1]. A
        shorter text is either in the body or not."""
        plain = "".join(text.split())
        if len(plain) < WINDOW:
            return float(bool(plain) and plain in self.text)
        covered, end = 0, 0
        for start in range(len(plain) - WINDOW + 1):
            if plain[start : start + WINDOW] in self.windows:
                covered += start + WINDOW - max(start, end)
                end = start + WINDOW
        return covered / len(plain)

    def labels(self, texts: Sequence[str], least: float) -> list[bool]:
        """Returns whether each of a page's texts, in document order, is body. A text shorter than WINDOW also needs a
        longer one near it that is: words of a menu may occur in any story."""
        sure = [self.share(text) >= least for text in texts]
        longer = [len("".join(text.split())) >= WINDOW for text in texts]
        return [label and (longer[place] or _vouched(place, sure, longer)) for place, label in enumerate(sure)]


def _vouched(place: int, sure: Sequence[bool], longer: Sequence[bool]) -> bool:
    near = range(max(0, place - REACH), min(len(sure), place + REACH + 1))
    return any(sure[other] and longer[other] for other in near)
