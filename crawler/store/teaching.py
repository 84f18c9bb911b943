"""How far a link scorer and what is stored agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Teaching:
    """What the scorer of a crawl has learned and told, where that is not, or perhaps not, in the database."""

    begun: bool = False  # whether it follows the log: that of a worker which has led
    kept: int = 0  # the last fetch that a kept state of it has learned
    ahead: dict[int, Mapping[str, float]] = field(default_factory=dict)  # what it told of pages that may not be stored
    untold: dict[str, float] = field(default_factory=dict)  # re-computed scores that are not yet written
    unsure: bool = False  # whether the last commit was stored is unknown, or it was not
    outdated: bool = False  # pages were judged again that it had learned as they were before
    forgotten: int = 0  # scorer_states.forgotten, when it learned the log

    def stored(self) -> None:
        """All that was learned and told is in the database."""
        self.unsure = False
        self.ahead.clear()
        self.untold.clear()

    def may_be_kept(self, forgotten: int) -> bool:
        """Whether no lesson is missing, and none has changed since. `forgotten`: scorer_states.forgotten, now."""
        return not (self.unsure or self.outdated) and forgotten == self.forgotten
