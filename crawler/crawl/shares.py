"""Which registered domain has taken how much of the analysis, so that none takes it all: rules on plain numbers, used
by the threads of the pool.

- A domain is dear when it has taken more than SHARE of all seconds, and a page of it takes more than DEAR times as long
  as one of the others. While others wait, its pages have HURRIED_TIMES what the others take, at least HURRIED seconds.
- A page that takes too long, or ends its process, is worth COSTLY misses. A domain with more than MOST_MISSES of them,
  less the pages that were analysed, is refused: its pages fail at once.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

from crawler.bounded_dict import BoundedDict
from crawler.frontier.politeness import MOST_MISSES, HostRecord

SHARE = 0.2  # of all seconds of analysis; own choice
DEAR = 4.0  # times the mean of the others' pages; own choice
HURRIED = 2.0  # seconds; the dearest pages of lab/benchmarks/hostile take as long
HURRIED_TIMES = 10.0  # times the same; own choice
FORGOTTEN = 600.0  # seconds of analysis after which all counts are halved: what was long ago counts little
NO_RECORD = HostRecord()


@dataclass(slots=True)
class _Taken:
    seconds: float = 0.0
    pages: float = 0.0
    record: HostRecord = NO_RECORD

    @property
    def mean(self) -> float:
        return self.seconds / self.pages if self.pages else 0.0


class Shares:
    def __init__(self) -> None:
        self._all = _Taken()
        self._domains: BoundedDict[str, _Taken] = BoundedDict()
        self._waiting: Counter[str] = Counter()  # jobs that are not done, by domain
        self._lock = threading.Lock()

    def wait(self, domain: str) -> None:
        """A job is given; `done` ends it."""
        with self._lock:
            self._waiting[domain] += 1

    def done(self, domain: str) -> None:
        with self._lock:
            self._waiting[domain] -= 1
            if not self._waiting[domain]:
                del self._waiting[domain]

    def patience(self, domain: str, seconds: float) -> float:
        """How long a page of the domain may take now, where `seconds` is what any page may; 0.0 for not at all."""
        with self._lock:
            its = self._domains.get(domain)
            if its is None:
                return seconds
            if its.record.debt > MOST_MISSES:
                return 0.0
            others = _Taken(self._all.seconds - its.seconds, self._all.pages - its.pages)
            alone = len(self._waiting) <= (domain in self._waiting)
            if alone or its.seconds <= SHARE * self._all.seconds or its.mean <= DEAR * others.mean:
                return seconds
            return min(seconds, max(HURRIED, HURRIED_TIMES * others.mean))

    def took(self, domain: str, seconds: float, costly: bool) -> None:
        """A page of the domain took so long. `costly`: too long, or it ended its process."""
        with self._lock:
            its = self._domains.made(domain, _Taken)
            its.record = its.record.with_one(200, costly)
            for taken in (its, self._all):
                taken.seconds += seconds
                taken.pages += 1
            if self._all.seconds > FORGOTTEN:
                for taken in (*self._domains.values(), self._all):
                    taken.seconds /= 2
                    taken.pages /= 2
