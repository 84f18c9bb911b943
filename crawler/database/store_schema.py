"""The store's tables, on the frontier's MetaData: one database, one transaction.

    fetches     every fetch, in the order of commit: the log of the crawl, from which a link scorer is taught again
    pages       one row per canonical URL that was judged; the body only where some topic kept it
    bands       which pages may be near-duplicates of a text
    judgements  what a topic thinks of a page
    links       the outlinks of a judged page, packed (store.packing), one row per page: a row per link costs several
                times the bytes
    bases       outlinks of a page, upon which those of later pages of its host are packed (store.packing.bases)
    removals    when pages were forgotten: search indexes that are older are made anew
    scorings    which link scorer scored a topic's URLs, and since which fetch: a row when it changes

Times are seconds since the epoch.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    text,
)

from crawler.database.schema import metadata

pages = Table(
    "pages",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("url", Text, nullable=False, unique=True),  # canonical
    Column("title", Text, nullable=False),
    Column("body", LargeBinary),  # UTF-8, zstd; NULL unless kept
    Column("digest", LargeBinary),  # store.duplicates.digest of the body; NULL unless kept
    Column("published", Text),  # ISO 8601
    Column("language", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("kind", Text, nullable=False),  # records.PageKind
    Column("status", SmallInteger, nullable=False),
    Column("fetched_at", Double, nullable=False),
    Column("signature", LargeBinary),  # text.minhash of the body; NULL unless kept and long enough
    # The address the page calls its own, when that is another one of its site; NULL unless kept.
    Column("canonical", Text),
    Column("warc_file", Text),  # the archive's record of the response; NULL when it was not archived
    Column("warc_offset", BigInteger),
)
HAS_DIGEST = text("digest IS NOT NULL")
Index("pages_digest", pages.c.digest, sqlite_where=HAS_DIGEST, postgresql_where=HAS_DIGEST)
HAS_CANONICAL = text("canonical IS NOT NULL")
Index("pages_canonical", pages.c.canonical, sqlite_where=HAS_CANONICAL, postgresql_where=HAS_CANONICAL)

# The pages whose signatures have a band (text.minhash.band_keys): those of pages.signature, no others.
bands = Table(
    "bands",
    metadata,
    Column("band", Integer, primary_key=True, autoincrement=False),
    Column("page_id", Integer, ForeignKey("pages.id"), primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,  # the primary key is the whole of it
)
Index("bands_page", bands.c.page_id)  # to forget a page

fetches = Table(
    "fetches",
    metadata,
    Column("id", Integer, primary_key=True),  # order of commit
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("url_id", Integer, ForeignKey("urls.id"), nullable=False),
    Column("at", Double, nullable=False),
    Column("outcome", Text, nullable=False),  # records.Outcome
    Column("counted", Boolean, nullable=False),  # towards PAGE_BUDGET
    Column("status", SmallInteger, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("size", Integer, nullable=False),  # bytes received
    Column("reason", Text, nullable=False),
)
Index("fetches_topic", fetches.c.topic_id, fetches.c.counted)

judgements = Table(
    "judgements",
    metadata,
    Column("url_id", Integer, ForeignKey("urls.id"), primary_key=True, autoincrement=False),
    Column("fetch_id", Integer, ForeignKey("fetches.id"), nullable=False),  # the fetch that was judged
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("page_id", Integer, ForeignKey("pages.id"), nullable=False),
    Column("outcome", Text, nullable=False),  # kept, off-topic or duplicate
    Column("duplicate_of", Integer, ForeignKey("pages.id")),  # the page that was kept first
    Column("similarity", Double, nullable=False),
    Column("text_relevance", Double, nullable=False),
    Column("on_topic", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
)
Index("judgements_page", judgements.c.page_id, judgements.c.topic_id)

links = Table(
    "links",
    metadata,
    Column("url_id", Integer, ForeignKey("urls.id"), primary_key=True, autoincrement=False),
    Column("packed", LargeBinary, nullable=False),
)

bases = Table(
    "bases",
    metadata,
    Column("fetch_id", Integer, ForeignKey("fetches.id"), primary_key=True, autoincrement=False),  # of the page
    Column("host", Text, nullable=False),
    Column("live", Boolean, nullable=False),  # whether new values may be packed upon it
    Column("content", LargeBinary, nullable=False),  # the page's outlinks, packed alone
)
Index("bases_host", bases.c.host)

removals = Table(
    "removals",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("pages", Integer, nullable=False),  # at most: another topic may want some of them
)

scorings = Table(
    "scorings",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("since", Integer, nullable=False),  # the newest fetch when it began, 0 before the first
    Column("at", Double, nullable=False),
    Column("scorer", Text, nullable=False),  # scorers.registry
)
