"""Watches a crawl: warns when it finds nothing on its topic, and ends it when the rest is not worth fetching."""

from __future__ import annotations

import logging

from crawler.database.database import Database
from crawler.messages import _
from crawler.questions.forecast import NEXT, outlook_of
from crawler.reasons import NONE, Code, Reason

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

    def reached(self, kept: int) -> Reason:
        """Why the crawl ends, NONE while pages are wanted."""
        return Reason(Code.TARGET, target=self._target) if 0 < self._target <= kept else NONE

    def look(self, fetched: int, kept: int) -> Reason:
        """Why the crawl ends, NONE while it continues. `fetched`, `kept`: pages so far, as the budget counts them."""
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
            return NONE
        self._looked = fetched
        with self._database.transaction(shared=True) as connection:
            expected = outlook_of(connection, self._topic_id)
        if not expected.is_below(self._stop_below):
            return NONE
        rates = {"last_rate": round(expected.last_rate, 3), "next_rate": round(expected.next_rate, 3)}
        return Reason(Code.STOP_BELOW, stop_below=self._stop_below, next=NEXT, **rates)
