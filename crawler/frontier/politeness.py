"""How long a host is left alone: rules on plain values, no database.

- After every fetch: `delay` seconds (politeness), or what the host's robots.txt asks for where that is more.
- After an answer that took more than SLOW seconds: SLOW_TIMES as long as it took, at most LONGEST_SLOW_REST. The host
  has much to do, or is a tar pit; either way it holds one of the crawl's slots a fifth of the time.
- After a failure of the host (no connection, 5xx, 429): HOST_REST seconds, doubled with each failure in a row, at most
  MAX_REST. A success clears this.
- Retry-After: what the server asked for, at most MAX_RETRY_AFTER. A success does not clear this.
- After MAX_HOST_FAILURES in a row, or MOST_MISSES more answers in a row without a page than it has given pages (4xx:
  some page or sitemap lists addresses that are not there; a page that says so itself is one, one that says that the
  domain is parked is worth COSTLY of them, and so is a page whose analysis takes too long,
  for the host and for its registered domain), the host is given up: it rests GIVE_UP_REST and a crawl no
  longer waits for it, it may end. Its URLs stay waiting, nothing is lost: a crawl that is still running then tries the
  host again, and so does the next start, at once.
- A failure of a host that has never answered counts as STRANGER of them: it is asked twice, then given up, and each of
  its URLs has one try. While no host at all has answered in a crawl, and for seeds' hosts, this does not hold.
- A host that is given up again, without an answer in between, rests for a day, then two, four, at most LONGEST_REST;
  starts obey that, but for hosts of seeds. So a host that was away is missed for a day more, or for as long again as it
  was away. While no host at all has answered in a crawl, the trouble may be this machine's own, and no such rest grows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from crawler.clock import DAY

SLOW = 5.0  # seconds from the request to the answer; own choice
SLOW_TIMES = 4
LONGEST_SLOW_REST = 60.0  # seconds
HOST_REST = 2.0  # seconds of rest after the first failure; own choice: a restarting server is back in some seconds
MAX_REST = 600.0  # seconds
MOST_MISSES = 100  # own choice
COSTLY = 20  # misses that a page is worth whose analysis took too long or ended its process; own choice
MAX_HOST_FAILURES = 5  # in a row: 2 + 4 + 8 + 16 seconds of patience, so a crawl's end does not drag
STRANGER = 3  # failures that one is worth while the host has never answered; own choice
GIVE_UP_REST = 3600.0  # seconds, the first time
LONGEST_REST = 32 * DAY  # seconds, of a host that is given up for the seventh time in a row and on
MAX_RETRY_AFTER = 86_400.0  # seconds: a day; more is taken for a mistake
MAX_CRAWL_DELAY = 86_400.0  # seconds: the same
MAX_TRIES = 3  # fetches of one URL before a RETRY becomes FAILED; Scrapy's RETRY_TIMES is 2 more after the first
URL_REST = 4.0  # seconds before the second fetch of a URL, doubled for each further one
PAGES = (200, 304)
NO_PAGE = 400  # and above
TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500  # and above


@dataclass(frozen=True, slots=True)
class Manners:
    """The state of a host. Times in seconds since the epoch."""

    next_due: float = 0.0  # politeness and Retry-After
    rest_until: float = 0.0  # back-off
    failures: int = 0  # in a row
    crawl_delay: float = 0.0  # seconds, by its robots.txt
    given_ups: int = 0  # times that it was given up, since it has answered last

    @property
    def given_up(self) -> bool:
        """Whether a crawl no longer waits for the host."""
        return self.failures >= MAX_HOST_FAILURES


class HostRecord(NamedTuple):
    """How many pages and misses a host has returned; redirects count as neither."""

    pages: int = 0
    misses: int = 0  # in a row
    costly: int = 0  # pages whose analysis took too long or ended its process; none of `pages`

    @property
    def debt(self) -> int:
        """Misses less pages. Pages in between do not make a costly one undone."""
        return self.misses + COSTLY * self.costly - self.pages

    def with_one(self, status: int, costly: bool = False, parked: bool = False) -> HostRecord:
        if costly:
            return self._replace(costly=self.costly + 1)
        if parked:
            return self._replace(misses=self.misses + COSTLY)
        if status in PAGES:
            return self._replace(pages=self.pages + 1, misses=0)
        return self._replace(misses=self.misses + (NO_PAGE <= status < SERVER_ERROR))


@dataclass(frozen=True, slots=True)
class Contact:
    """What one fetch tells of a host."""

    host: str
    at: float  # when the fetch ended, seconds since the epoch
    status: int  # HTTP status, 0 without an answer; 404 of a page that says that it is not there
    retry_after: float | None = None  # seconds
    seconds: float = 0.0  # from the request to the answer
    misses: int = 0  # answers of the host in a row, this one included, without a page; less its pages
    costly: bool = False  # whether the analysis of its page took too long or ended its process
    parked: bool = False  # whether its page says that the domain is for sale
    alone: bool = False  # whether no host has answered yet in this crawl
    stranger: bool = False  # whether this host never has, though others have

    @property
    def failed(self) -> bool:
        """Whether it was the host that failed."""
        down = self.status == 0 or self.status == TOO_MANY_REQUESTS or self.status >= SERVER_ERROR
        return down or self.misses > MOST_MISSES


def after(manners: Manners, contact: Contact, delay: float) -> Manners:
    """The host after a contact. Contacts need not come in the order of time: next_due only moves forward."""
    wait = max(delay, manners.crawl_delay, min(contact.retry_after or 0.0, MAX_RETRY_AFTER))
    # Without a delay a host is due at once; writing its row after every fetch would be for nothing.
    next_due = max(manners.next_due, contact.at + wait) if wait > 0 else manners.next_due
    if not contact.failed:
        slow = min(SLOW_TIMES * contact.seconds, LONGEST_SLOW_REST) if contact.seconds > SLOW else 0.0
        return Manners(next_due, contact.at + slow if slow else 0.0, crawl_delay=manners.crawl_delay)
    if contact.at < manners.rest_until:
        # In flight when the host was sent to rest: the same trouble, not the next one.
        return replace(manners, next_due=next_due)
    failures = max(
        manners.failures + (STRANGER if contact.stranger else 1),
        MAX_HOST_FAILURES if contact.misses > MOST_MISSES else 0,
    )
    if failures < MAX_HOST_FAILURES:
        return replace(manners, next_due=next_due, rest_until=contact.at + rest(failures), failures=failures)
    given_ups = max(manners.given_ups, 1) if contact.alone else manners.given_ups + 1
    return Manners(next_due, contact.at + long_rest(given_ups), failures, manners.crawl_delay, given_ups)


def rest(failures: int) -> float:
    """Seconds of rest after this many failures of a host in a row, at least one and too few to give it up."""
    return float(min(HOST_REST * 2 ** (failures - 1), MAX_REST))


def long_rest(given_ups: int) -> float:
    """Seconds of rest of a host that is given up for the first, second ... time since it has answered last."""
    return GIVE_UP_REST if given_ups == 1 else min(DAY * 2.0 ** min(given_ups - 2, 10), LONGEST_REST)


def url_rest(tries: int) -> float:
    """Seconds until a URL that failed this many times (at least once) is fetched again."""
    return float(URL_REST * 2 ** (tries - 1))
