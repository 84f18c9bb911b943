"""What the answers would change is what judging again changes."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from crawler.database.database import Database
from crawler.database.schema import judgements, pages
from crawler.labels.judge_again import JudgingAgain, until_done
from crawler.labels.labels import Answer, Label, add
from crawler.labels.ranked import ranked
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from tests.commands.conftest import fill
from tests.crawls import Crawl
from zhuti.label.preview import preview

ABOUT = {f"https://a.example/{n}": (f"第{n}页", f"爬虫沿着链接访问网页，第{n}次。") for n in range(6)}
OTHER = {f"https://b.example/{n}": (f"第{n}壶", f"绿茶要用八十度的水冲泡，第{n}壶。") for n in range(6)}


def outcomes(database: Database) -> dict[str, str]:
    query = select(pages.c.url, judgements.c.outcome).join_from(judgements, pages, pages.c.id == judgements.c.page_id)
    with database.transaction() as connection:
        return dict(connection.execute(query).all())  # type: ignore[arg-type]


def test_what_goes_and_comes(database_url: str, tmp_path: Path) -> None:
    crawl = Crawl(database_url, "spiders")
    fill(crawl, ABOUT | OTHER)  # all of them are kept
    path = tmp_path / "spiders.toml"
    path.write_text('keywords = ["爬虫", "网页"]\n', encoding="utf-8")
    topic = Topic.load(path).learn()
    until_done(crawl.database, 1, JudgingAgain(topic, Judge))
    before = outcomes(crawl.database)
    assert {url for url, outcome in before.items() if outcome == "kept"} == set(ABOUT)
    said = [Label(url, Answer.NO, 1.0) for url in list(ABOUT)[:1]] + [Label(url, Answer.YES, 1.0) for url in OTHER][:1]
    with crawl.database.transaction() as connection:
        add(connection, 1, said)
        found = preview(connection, 1, topic, Judge, ranked(connection, 1))
    until_done(crawl.database, 1, JudgingAgain(topic, Judge))
    after = outcomes(crawl.database)
    assert {change.url for change in found.goes} == {url for url in before if before[url] != after[url] != "kept"}
    known = {page for page in before if before[page] != after[page] == "kept"}
    assert {change.url for change in found.comes} <= known, "pages too far from the topic are not looked at"
    assert found.goes and found.judged >= len(ABOUT)
    crawl.database.close()
