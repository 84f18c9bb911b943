"""Watches a crawl: warns when it finds nothing on its topic, and ends it when the rest is not worth fetching."""

from __future__ import annotations

import logging
from dataclasses import asdict

from crawler.database.database import Database
from crawler.messages import N_, _
from crawler.questions.forecast import NEXT, outlook_of

NOTHING_AFTER = 50  # pages fetched without one on the topic, before a warning says so
LOOK_EVERY = 20  # pages between two looks at what is left

logger = logging.getLogger(__name__)


class StopRule:
    """Watches one run of a topic's crawl; called in the thread that talks to the database."""

    def __init__(self, database: Database, topic: str, topic_id: int, stop_below: float, target: int = 0) -> None:
        """`stop_below`: harvest rate of the rest below which the crawl ends, in [0, 1]; 0: never. `target`: pages kept
        when it ends; 0: none."""
        self._database = database
        self._topic = topic
        self._topic_id = topic_id
        self._stop_below = stop_below
        self._target = target
        self._warned = False
        self._looked: int | None = None  # pages fetched at the last look

    def reached(self, kept: int) -> str:
        """Why the crawl ends, "" while pages are wanted."""
        return N_("PAGE_TARGET={target} reached", target=self._target) if 0 < self._target <= kept else ""

    def look(self, fetched: int, kept: int) -> str:
        """Why the crawl ends, "" while it continues. `fetched`, `kept`: pages so far, as the budget counts them."""
        if not kept and fetched >= NOTHING_AFTER and not self._warned:
            self._warned = True
            hint = "" if self._stop_below else _("; -s STOP_BELOW=0.02 would end it")
            logger.warning(
                _(
                    "none of the first %d pages is on topic %s; the crawl keeps exploring%s; check that"
                    " keywords, threshold and seeds fit together"
                ),
                fetched,
                self._topic,
                hint,
            )
        if reached := self.reached(kept):
            return reached
        if not self._stop_below or (self._looked is not None and fetched - self._looked < LOOK_EVERY):
            return ""
        self._looked = fetched
        with self._database.transaction(shared=True) as connection:
            expected = outlook_of(connection, self._topic_id)
        if not expected.is_below(self._stop_below):
            return ""
        return N_(
            "the harvest rate fell below STOP_BELOW={stop_below:g}: {last_rate:.3f} in the last pages,"
            " {next_rate:.3f} expected of the next {next}",
            **{"stop_below": self._stop_below, "next": NEXT, **asdict(expected)},
        )
