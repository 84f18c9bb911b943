"""When a crawl leaves places free for the good pages of hosts that are busy or rest, and when it takes what is due.

Waiting saves pages and costs time. It is decided for a spell of some seconds at a time: the crawl waits as long as its
pages have come, on the whole, at least at 1/PATIENCE of the pace of the spells in which it did not wait. So hosts that
fall silent while all wait for them cost no more than that."""

from __future__ import annotations

from crawler.frontier.claimable import EVERY_HOST

SPELL = 5.0  # seconds, and two delays of a host; own choice
FIRST = 20  # pages that tell how fast they come without waiting; own choice
EXPLORE_EVERY = 16  # claims, one of which may go to a host of which nothing was kept, whatever it scores; own choice


class Patience:
    """`times`: how many times longer the crawl may take than without waiting (PATIENCE); 1: it never waits."""

    def __init__(self, times: float, delay: float) -> None:
        self._times = times
        self._length = SPELL + 2 * delay
        self.seconds = 0.0  # in which it left all free places empty, though URLs were due
        self._since: float | None = None  # when it last began to
        self._first = (0.0, 0)  # when it began, and how many pages were left then
        self._spell: tuple[float, int] | None = None  # likewise the spell
        self._hasty = True  # whether it does not wait in this spell
        self._pages, self._time = 0, 0.0  # of the spells without waiting
        self.claims = 0  # since one was free of the bound

    @property
    def until(self) -> float:
        """When the spell ends."""
        return self._spell[0] + self._length if self._spell else EVERY_HOST

    def waits(self, now: float, left: int) -> bool:
        """Whether what is due may be passed over now. `left`: pages of the budget; 0: there is none to be saved."""
        if self._times <= 1 or left <= 0:
            return False
        if self._spell is None:
            self._spell = self._first = now, left
        began, before = self._spell
        if not 0 <= now - began < self._length:
            if self._hasty:
                self._pages += before - left
                self._time += now - began
            self._spell = now, left
            pace = self._pages / self._time if self._time > 0 else 0.0
            come = (self._first[1] - left) * self._times
            self._hasty = self._pages < FIRST or come < pace * (now - self._first[0])
        return not self._hasty

    def note(self, now: float, claimed: int, passed: bool) -> None:
        """Counts a claim. `passed`: whether something due was passed over."""
        if self._since is not None:
            self.seconds += max(0.0, now - self._since)
        self._since = now if passed and not claimed else None
        self.claims += claimed
