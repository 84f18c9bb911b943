"""The columns of a lake: those of every page, those of a harvest's pages, and those that the steps add. Any may be
absent; who reads several folders goes by the names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.document import FOUND
from crawler.errors import LakeError
from crawler.mistakes import needs

if TYPE_CHECKING:
    import pyarrow


def page_columns() -> list[tuple[str, pyarrow.DataType]]:
    """What is known of a page, whoever fetched it. Raises LakeError where pyarrow is not installed."""
    with needs("lake", LakeError):
        import pyarrow
    text, binary = pyarrow.string(), pyarrow.binary()
    return [
        ("url", text),  # canonical
        ("body", text),
        ("fetched_at", pyarrow.float64()),  # seconds since the epoch
        *((name, pyarrow.float64() if "float" in str(each.type) else text) for name, each in FOUND.items()),
        ("host", text),
        ("canonical", text),  # the address it calls its own, when that is another one
        ("signature", binary),  # text.minhash of the body; none for a short one
        ("digest", binary),  # store.duplicates.digest of the body
        ("warc_file", text),
        ("warc_offset", pyarrow.int64()),
    ]


def harvest_schema() -> pyarrow.Schema:
    """Schema of the kept pages of a harvest, with the trace of each: where it was found, and why it was kept."""
    columns = page_columns()  # which tells whether pyarrow is there
    import pyarrow

    text, number = pyarrow.string(), pyarrow.int64()
    trace = [
        ("topic", text),
        ("similarity", pyarrow.float64()),  # in [0, 1)
        ("parent", text),  # the page that first linked to it; none for a seed
        ("depth", number),  # links from the nearest seed
        ("distance", number),  # off-topic pages in a row on the way
        ("score", pyarrow.float64()),  # the link scorer's last value, before it was fetched
        ("reason", text),  # what its publisher says against keeping it
        ("label", text),  # what was answered about it
        ("run", number),  # that stored it
        ("fetch", number),  # row of the fetch log that stored it; a page that changes comes again with a higher one
    ]
    return pyarrow.schema([*columns, *trace])


def judged_schema() -> pyarrow.Schema:
    """Schema of what the steps of `zhuti.steps` write."""
    import pyarrow

    text, number, share, flag = pyarrow.string(), pyarrow.int64(), pyarrow.float64(), pyarrow.bool_()
    judgement = [("topic", text), ("similarity", share), ("kept", flag), ("reason", text)]
    added = [
        ("reason", text),  # why it has no body
        ("subjects", pyarrow.list_(text)),  # its author's tags
        ("forbids", pyarrow.list_(text)),  # by its publisher
        ("judgements", pyarrow.list_(pyarrow.struct(judgement))),
        ("personal", pyarrow.struct([(kind, number) for kind in ("mail", "identity", "card", "phone")])),
        ("quality", pyarrow.struct([(n, share) for n in ("repeated_lines", "repeated_characters", "ended_lines")])),
        ("characters", number),
        ("tokens", number),
    ]
    return pyarrow.schema([*page_columns(), *added])
