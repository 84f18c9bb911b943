"""`zhuti rejudge TOPIC --meaning`: a model is asked what the doubtful pages mean, and the harvest is judged by it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scrapy.settings import BaseSettings
from sqlalchemy import select

from crawler.database.database import Database, existing
from crawler.database.schema import judgements, links, pages
from crawler.errors import SettingError
from crawler.labels.judge_again import JudgingAgain, until_done
from crawler.labels.lessons import description, taught
from crawler.labels.ranked import KEPT, OFF_TOPIC
from crawler.messages import _
from crawler.options import segmenter
from crawler.store.compression import reader
from crawler.store.names import topic_id_of
from crawler.tell.progress import progress_bar
from crawler.topic.file_writer import learned_topic
from crawler.topic.judge import Judge
from zhuti.meaning.combined import Meaning, MeaningJudge, is_doubtful, shown
from zhuti.meaning.embedders import Embedder, embedder
from zhuti.meaning.kept import keep, kept, version_of

AT_ONCE = 200  # pages read in one transaction
ASKED = 16  # texts in one question

_PAGES = (
    select(pages.c.id, pages.c.title, pages.c.body, links.c.packed)
    .join_from(pages, judgements, judgements.c.page_id == pages.c.id)
    .outerjoin(links, links.c.url_id == judgements.c.url_id)
    .where(pages.c.body.is_not(None), judgements.c.outcome.in_([KEPT, OFF_TOPIC]))
    .order_by(pages.c.id)
    .limit(AT_ONCE)
)


def rejudge(name: str, settings: BaseSettings) -> str:
    """Returns a sentence. Raises CrawlerError; the vectors that came before an error are kept."""
    if settings["PAGE_JUDGE"]:
        raise SettingError(_("--meaning cannot be used with PAGE_JUDGE: that judge decides by itself"))
    topic = learned_topic(name, Path(settings["TOPICS_DIR"]), segmenter(settings))
    if topic.vector is None:
        raise SettingError(_("topic '{name}' has no words yet; crawl it first, then judge by meaning"), name=name)
    model = embedder(settings)
    try:
        with existing(settings["STORE_URL"]) as database:
            with database.transaction(shared=True) as connection:
                topic_id = topic_id_of(connection, topic.name)
                judge, vectors = Judge(taught(connection, topic_id, topic)), kept(connection, topic_id, model.name)
            meaning = Meaning.learned(topic, model)
            asked = _ask(database, model, [*_doubtful(database, topic_id, judge, vectors)])
            with database.transaction(shared=True) as connection:
                vectors = kept(connection, topic_id, model.name)
            judge_of = partial(MeaningJudge, meaning=meaning, vectors=vectors)
            done = until_done(database, topic_id, JudgingAgain(topic, judge_of))
    finally:
        model.close()
    return _(
        "{judged} pages judged for {name}, {asked} new ones shown to {model}: {changed} verdicts changed",
        judged=done.judged,
        name=topic.name,
        asked=asked,
        model=model.name,
        changed=done.changed,
    )


@dataclass(frozen=True, slots=True)
class _Page:
    id: int
    text: str


def _doubtful(database: Database, topic_id: int, judge: Judge, known: Container[str]) -> Iterator[_Page]:
    """Pages about which their words leave a doubt, and whose vectors are not kept."""
    since = 0
    while True:
        with database.transaction(shared=True) as connection:
            query = _PAGES.where(judgements.c.topic_id == topic_id, pages.c.id > since)
            rows = connection.execute(query).all()
            codec = reader(connection)
            found = [(row.id, description(codec, row)) for row in rows]
        for page_id, page in found:
            text = shown(page.extraction.title, page.extraction.body)
            by_words = judge.judge(page.extraction, page.subjects)
            if is_doubtful(by_words, page.subjects) and version_of(text) not in known:
                yield _Page(page_id, text)
        if len(rows) < AT_ONCE:
            return
        since = rows[-1].id


def _ask(database: Database, model: Embedder, wanted: list[_Page]) -> int:
    """Keeps the vectors of these pages as they come. Returns their number."""
    with progress_bar(_("pages shown to {model}", model=model.name)) as progress:
        for n in range(0, len(wanted), ASKED):
            some = wanted[n : n + ASKED]
            rows = model.vectors([page.text for page in some])
            with database.transaction() as connection:
                found = [(page.id, version_of(page.text), row) for page, row in zip(some, rows, strict=True)]
                keep(connection, model.name, found)
            progress(n + len(some), len(wanted))
    return len(wanted)
