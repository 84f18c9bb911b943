"""A harvest that version 0.2.0 has made (schema 0019), opened by this one: it tells what that version told of it, in
English and in Chinese. The program that made it ran with that version alone (`git show
799067ce:tests/database/harvest_0_2_0/make.py`): crawls of a small web that changes from run to run, with redirects,
robots.txt, duplicates, moves, index files, drops, pages that are gone, failures, and answers of a person."""

from __future__ import annotations

import json
import lzma
import re
import sqlite3
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from scrapy.utils.project import get_project_settings
from sqlalchemy import select, text

from crawler.database.database import Database
from crawler.database.former_reasons import FIELD, HOLDING, REWORDED, SENTENCES, reason_in
from crawler.database.schema import fetches, judgements, runs
from crawler.frontier.frontier import Frontier
from crawler.messages import speaking
from crawler.questions.runs import runs_of
from crawler.questions.totals import totals
from crawler.reasons import Code, Reason, clause, read, stored, told
from crawler.store.names import topic_id_of
from tests.conftest import Scrapy
from zhuti.corpus.export import rows_of
from zhuti.news.run_facts import facts_of
from zhuti.why.why_text import explain

HERE = Path(__file__).parent / "harvest_0_2_0"
GONE = "http://a-garden.example/5.html"  # a page that exports had until 0.3
TOLD: dict[str, Any] = json.loads(lzma.decompress((HERE / "told.json.xz").read_bytes()))


@pytest.fixture
def harvest(tmp_path: Path) -> str:
    """Its address, brought to this version."""
    dump = lzma.decompress((HERE / "harvest.sql.xz").read_bytes()).decode()
    with sqlite3.connect(tmp_path / "harvest.db") as database:
        database.executescript(dump)
    url = f"sqlite:///{tmp_path / 'harvest.db'}"
    Database(url).close()
    return url


def facts(url: str, topic: str, language: str, told: Callable[[Any], str]) -> dict[str, Any]:
    """What the end table, the report and lakes tell. `told`: a reason in words."""
    with speaking(language), Database(url, readonly=True) as database:
        whole = totals(database, topic)
        with database.transaction(shared=True) as connection:
            topic_id = topic_id_of(connection, topic)
            runs = runs_of(connection, topic_id)
            kept = [[row["url"], row["reason"]] for rows in rows_of(connection, topic_id, topic) for row in rows]
            errors = [
                [(told(said), n) for said, n in facts_of(connection, topic, topic_id, run).errors] for run in runs
            ]
        return {
            "failures": [(told(said), n) for said, n in whole.failures],
            "failed seeds": [(seed, told(said)) for seed, said in whole.failed_seeds],
            "runs": [told(run.ended) for run in runs],
            "whole runs": [run.is_whole for run in runs],
            "errors": errors,
            "lake": kept,
        }


def test_no_reason_is_left_in_words(harvest: str) -> None:
    codes: set[Code] = set()
    with Database(harvest) as database, database.transaction() as connection:
        for column in (fetches.c.reason, judgements.c.reason, runs.c.ended):
            codes |= {reason.code for reason in connection.execute(select(column)).scalars()}
    assert Code.TEXT not in codes and len(codes) > 30


@pytest.mark.parametrize("language", ["en", "zh"])
def test_why_tells_the_same(harvest: str, language: str, tmp_path: Path) -> None:
    """But that a reason behind other words is a clause now, that the kind of an index file is always named,
    and off-topic pages on the way only where there are any."""
    settings = get_project_settings()
    settings.setdict({"STORE_URL": harvest, "TOPICS_DIR": str(tmp_path)})
    with speaking(language):
        since = {told(Reason(code)): clause(Reason(code)) for code in Code if code.clause != code.sentence}
        since |= {"in the index file": "in the sitemap", "见于索引文件": "见于站点地图"}
        since |= {"; 0 off-topic pages in a row before it": "", "；之前连续 0 个不切题网页": ""}
        since |= {"1 off-topic pages in a row before it": "1 off-topic page before it"}
        for url, before in TOLD["why"][language].items():
            for sentence, words in since.items():
                before = before.replace(sentence, words)
            assert "\n".join(explain(url, None, settings, quick=True)).split() == before.split(), url


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("topic", ["garden", "few"])
def test_the_end_table_reports_and_lakes_tell_the_same(harvest: str, topic: str, language: str) -> None:
    """Of several reasons that are as frequent, any may be first. A page that had moved was missing in the lake then,
    and one that is gone was in it."""
    now, before = facts(harvest, topic, language, told), deepcopy(TOLD[f"facts {topic} {language}"])
    if topic == "garden":
        before["lake"].insert(-1, ["http://a-garden.example/moved.html", ""])
        before["lake"] = [row for row in before["lake"] if row[0] != GONE]
    for each in (now, before):
        each["failures"] = sorted(map(tuple, each["failures"]))
        each["failed seeds"] = sorted(map(tuple, each["failed seeds"]))
        each["errors"] = [sorted(map(tuple, errors)) for errors in each["errors"]]
    assert now == before


@pytest.mark.usefixtures("harvest")
@pytest.mark.parametrize("topic", ["garden", "few"])
def test_exports_and_news_are_the_same(scrapy: Scrapy, topic: str, tmp_path: Path) -> None:
    target = tmp_path / f"{topic}.jsonl"
    assert scrapy("export", topic, str(target)).returncode == 0
    before = TOLD[f"export {topic}"].splitlines(keepends=True)
    assert target.read_text(encoding="utf-8") == "".join(line for line in before if GONE not in line)
    [card] = tmp_path.glob(f"{topic}.jsonl*.md")
    licences = re.compile(r"The pages belong to their authors\..*")  # in other words since 0.3
    now, before = card.read_text(encoding="utf-8"), TOLD[f"card {topic}"]
    figures = re.compile(r"[\d,.#]+ *" if topic == "garden" else r"\Z.")  # it has a page fewer
    assert figures.sub("N", licences.sub("", now)) == figures.sub("N", licences.sub("", before))
    told = [line for line in scrapy("news", topic).stdout.splitlines() if "found late" not in line]  # since 0.3
    assert told == TOLD[f"news {topic} en"].splitlines()
    assert scrapy("topics").stdout.split() == TOLD["topics en"].split()


VALUES = {"": 7, "!r": "mailto:a", ":,": 1_000, ":g": 0.25, ":.3f": 0.125, ":.1f": 2.5}
CODES = list(Code)
FORMER = json.loads((HERE.parent / "former_reasons.json").read_text(encoding="utf-8"))  # as schema 0019 had them


def test_no_sentence_of_before_is_forgotten() -> None:
    """Who rewords one puts the former one into REWORDED."""
    assert {code: SENTENCES[code] for code in CODES if code in FORMER} == FORMER


@pytest.mark.parametrize("code", [code for code in CODES if code in FORMER])
def test_every_sentence_of_before_is_its_code(code: Code) -> None:
    """And all but REWORDED are still told as they were."""
    fields = FIELD.findall(SENTENCES[code])
    values = {name: "it is empty" if (code, name) in HOLDING else VALUES[how] for name, how in fields}
    sentence = SENTENCES[code].format(**values)
    found = reason_in(sentence)
    assert (found.code, read(stored(found))) == (code, found)
    assert (str(found) == sentence) is (code not in REWORDED)


@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        ("", Code.NONE),
        ("ValueError: odd", Code.TEXT),
        ("redirects to http://a.example/status 1", Code.REDIRECT),
        ("not an index file: it is longer than 50,000,000 bytes; it is damaged XML", Code.NO_INDEX_FILE),
        ("its scripts were run: its publisher forbids keeping it (noai, noindex)", Code.RENDERED_AND),
        ("a pipeline or middleware failed on it: no answer within DOWNLOAD_TIMEOUT", Code.COMPONENT),
        ("the analysis failed: ValueError: 3: 4", Code.ANALYSIS),
        ("similarity 0.0220 is below the threshold 0.3", Code.TEXT),  # no version has written so
        ('redirects to something other than an http(s) address: "it\'s"', Code.REDIRECT_AWAY),
    ],
)
def test_sentences_that_hold_others(sentence: str, code: Code) -> None:
    found = reason_in(sentence)
    assert (found.code, str(found), read(stored(found))) == (code, sentence, found)
    assert not any(isinstance(value, Reason) and value.code is Code.TEXT for _, value in found.values)


def test_both_engines_bring_sentences_over(database_url: str) -> None:
    with Database(database_url) as database:
        Frontier(database, "t")
        with database.transaction() as connection:
            for command in (
                "INSERT INTO runs (topic_id, started_at, budget, ended) SELECT id, 0, 0, 'budget spent' FROM topics",
                "INSERT INTO runs (topic_id, started_at, budget, ended) SELECT id, 1, 0, '渡口 \"x\"' FROM topics",
                "UPDATE alembic_version SET version_num = '0019'",
            ):
                connection.execute(text(command))
    with Database(database_url) as database, database.transaction() as connection:
        found = connection.execute(select(runs.c.ended).order_by(runs.c.id)).scalars().all()
    assert found == [Reason(Code.BUDGET), Reason.of('渡口 "x"')]
