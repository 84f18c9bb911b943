"""The stages of an export, in their order."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from crawler.document import Document
from crawler.errors import ExportError
from crawler.messages import _
from crawler.plugins import STAGES, offered, plugin
from crawler.store.names import topic_id_of
from zhuti.export.chunks import Chunks
from zhuti.export.corpus import Shape
from zhuti.export.decontaminate import Decontaminate
from zhuti.export.field_stages import HarmfulPages, Interleaved, Licences, PersonalData, QualityPages
from zhuti.export.joined import Joined, places
from zhuti.export.report import Report
from zhuti.export.selection import TRACE
from zhuti.export.stage import Stage, in_a_row

DROP, MASK = "drop", "mask"  # choices of --harmful and --personal


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the stages are made of."""

    opts: argparse.Namespace
    target: Path
    connection: Connection | None  # to the harvest; None where a lock does without
    topic: str
    has_markdown: bool  # whether the bodies are in Markdown
    media: list[str]  # of `links` and `images`, those asked for
    report: Report | None


def shape_of(wishes: Wishes, rejects: Callable[[Document, str, str], None] | None = None) -> Shape:
    """`rejects`: gets what each stage leaves out. Raises ExportError, SettingError."""
    pages, parts = list(_of_pages(wishes)), list(_of_parts(wishes))
    for stage in (*pages, *parts):
        stage.rejects = rejects
    has_trace = "trace" in wishes.opts.more
    return in_a_row(pages, parts, [*(TRACE if has_trace else ()), *wishes.media], has_trace)


def _of_pages(wishes: Wishes) -> Iterator[Stage]:
    """The stages that whole pages go through: first which pages stay, then what becomes of them, then the report."""
    opts = wishes.opts
    if "pages" in opts.more and wishes.connection is not None:
        topic_id = topic_id_of(wishes.connection, wishes.topic, ExportError)
        yield Joined(places(wishes.connection, topic_id), opts.min_similarity)
    if opts.licence:
        yield Licences(opts.licence, wishes.target)
    if opts.decontaminate:
        yield Decontaminate(opts.decontaminate, wishes.target)
    if opts.quality is not None:
        yield QualityPages(opts.quality)
    if opts.harmful:
        yield HarmfulPages(drop=opts.harmful == DROP)
    if opts.personal:
        yield PersonalData(mask=opts.personal == MASK)
    yield from map(_of_a_package, opts.stage)
    if "images" in wishes.media and wishes.has_markdown:
        yield Interleaved()
    if wishes.report:
        yield wishes.report


def _of_parts(wishes: Wishes) -> Iterator[Stage]:
    """The stages behind them, which pieces go through, too."""
    if wishes.opts.chunks:
        yield Chunks(wishes.opts.chunks, wishes.has_markdown)


def _of_a_package(name: str) -> Stage:
    made = plugin(STAGES, name, STAGES)
    if made is None:
        known = ", ".join(offered(STAGES)) or "-"
        raise ExportError(_("unknown stage {name!r}; installed packages offer {known}"), name=name, known=known)
    stage: Stage = made()
    return stage
