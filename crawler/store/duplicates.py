"""Pages that repeat a kept one: word for word, nearly, or as the same page under another address.

    kept = KeptPages(connection, topic_id)
    kept.look_up(prints)                # what the database holds that these may repeat
    if (first := kept.first(print)) ... # in order of arrival
    else: kept.add(print)

A page repeats one kept page of its topic, the one it resembles most. Nothing is kept in memory between transactions, so
that many workers may share one database.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from operator import itemgetter

from sqlalchemy import Connection, delete

from crawler.database.schema import bands
from crawler.database.statements import Many, Query, chunks
from crawler.reader.html.urls import domain, host
from crawler.reader.text.minhash import band_keys, candidates, resemblance
from crawler.reasons import Code, Reason
from crawler.records import Outcome, Visit

DIGEST_SIZE = 16  # bytes: two of a billion different bodies share one with a chance of 1e-21
# Least resemblance of a near-duplicate, in [0, 1]. Chosen on other pages than those counted in lab/notes/ended.md.
NEAR = 0.5
# The same for a page that names the other as its canonical address, or names the same one. Not 0: sites name their
# section's list, or the first page of a series, as the address of every page of it.
NEAR_BY_ADDRESS = 0.3
MAX_CANDIDATES = 200  # kept pages a new one is compared with: sites whose pages are mostly alike have thousands


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a page that is to be kept is compared by."""

    url: str
    digest: bytes
    signature: bytes
    canonical: str  # the address it calls its own; "" when that is `url`

    @property
    def address(self) -> str:
        return self.canonical or self.url


@dataclass(frozen=True, slots=True)
class First:
    """The kept page that a new one repeats."""

    digest: bytes
    reason: Reason


_KEPT = f"""
SELECT pages.id, pages.url, pages.digest, pages.signature, pages.canonical, pages.gone_at
FROM pages JOIN judgements ON judgements.page_id = pages.id
WHERE judgements.topic_id = :topic AND judgements.outcome = '{Outcome.KEPT.value}'
"""
_REPEATED = Query(f"""
{_KEPT} AND (pages.digest = :digest OR pages.url = :canonical OR pages.canonical = :address)
UNION ALL SELECT * FROM (
    {_KEPT} AND pages.id IN (SELECT page_id FROM bands WHERE band IN :bands)
    ORDER BY pages.id LIMIT {MAX_CANDIDATES}
) AS alike
""")
_ADD_BANDS = Many.into(bands, "band", "page_id")


def digest(body: str) -> bytes:
    """A hash of the body without white space and letter case: texts that differ only in these are the same."""
    plain = "".join(body.split()).casefold()
    return blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=DIGEST_SIZE).digest()


def fingerprint(visit: Visit) -> Fingerprint | None:
    """The fingerprint of a page that is to be kept; None for any other visit."""
    if visit.outcome is not Outcome.KEPT:
        return None
    if visit.analysis is None:
        raise ValueError(f"a visit cannot be kept without its analysis: {visit.claim.url}")
    says = visit.analysis
    return Fingerprint(visit.claim.url, digest(says.extraction.body), says.signature, says.canonical)


class KeptPages:
    """The kept pages of one topic that new pages may repeat, in one transaction: those of the database that were looked
    up, and those of the batch itself."""

    def __init__(self, connection: Connection, topic_id: int) -> None:
        self._connection = connection
        self._topic = topic_id
        self._by_digest: dict[bytes, Fingerprint] = {}
        self.ids: dict[bytes, int] = {}  # rows of those in the database, by digest

    def look_up(self, prints: Iterable[Fingerprint]) -> None:
        """Finds the pages of the database that these may repeat."""
        for item in prints:
            same = {"digest": item.digest, "canonical": item.canonical, "address": item.address}
            rows = _REPEATED.rows(self._connection, topic=self._topic, bands=band_keys(item.signature), **same)
            for page_id, url, value, signature, canonical, gone_at in sorted(rows, key=itemgetter(0)):
                if gone_at is not None and domain(host(url)) != domain(host(item.url)):  # it stands for what is gone
                    continue
                if value not in self.ids:  # most candidates of a batch are those of several of its pages
                    self.ids[value] = page_id
                    self.add(Fingerprint(url, value, signature or b"", canonical or ""))

    def add(self, mark: Fingerprint) -> None:
        """Adds a page that others may repeat. Of several with one text only the first counts."""
        self._by_digest.setdefault(mark.digest, mark)

    def first(self, mark: Fingerprint) -> First | None:
        """The page that `mark` repeats; never the page of its own URL."""
        same = self._by_digest.get(mark.digest)
        if same is not None and same.url != mark.url:
            return First(same.digest, Reason(Code.WORD_FOR_WORD))
        others = [item for item in self._by_digest.values() if item.url != mark.url]
        signed = [item for item in others if item.signature]
        alike = zip(candidates(mark.signature, [item.signature for item in signed]).tolist(), signed, strict=True)
        named = [item for item in others if mark.address in (item.url, item.canonical)]
        also = ((resemblance(mark.signature, item.signature), item) for item in named)
        return _best(alike, NEAR, Code.NEARLY) or _best(also, NEAR_BY_ADDRESS, Code.SAME_ADDRESS)


def _best(others: Iterable[tuple[float, Fingerprint]], least: float, code: Code) -> First | None:
    """The page that resembles most; of several, the first."""
    share, first = max(others, key=lambda pair: pair[0], default=(0.0, None))
    return First(first.digest, Reason(code)) if first is not None and share >= least else None


def remember(connection: Connection, kept: Iterable[tuple[int, bytes]]) -> None:
    """Stores the bands of pages that are stored: (row, signature)."""
    _ADD_BANDS.run(connection, [(key, page_id) for page_id, signature in kept for key in band_keys(signature)])


def remove_bands(connection: Connection, ids: Sequence[int]) -> None:
    """Removes the bands of these rows: their signatures are about to change."""
    for chunk in chunks(ids):
        connection.execute(delete(bands).where(bands.c.page_id.in_(chunk)))
