"""kill -9 at any moment: what was committed is there, what was not is fetched again, nothing twice."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import text

PAGES = 300  # of a web in which page n links to 2n and 2n + 1
KILLS = 6

CRAWLER = """
import sys, time
from crawler.database.database import Database
from crawler.frontier.frontier import Frontier
from crawler.records import Analysis, Extraction, JudgedPage, Judgement, Link, Outcome, Outlink, Visit
from crawler.scorers.base import LinkScorer
from crawler.store.shared_store import store_for

class All(LinkScorer):
    name = "all"
    def observe(self, page):
        return {outlink.link.url: outlink.relevance for outlink in page.outlinks}

def address(n):
    return f"https://h{n % 7}.example/{n}"

url, pages = sys.argv[1], int(sys.argv[2])
database = Database(url)
frontier = Frontier(database, "t")
harvest = store_for(database)(database, frontier, All())
harvest.restore()
frontier.seed([address(1)])
print("open", flush=True)
while claims := frontier.claim(4, time.time()):
    visits = []
    for claim in claims:
        n = int(claim.url.rsplit("/", 1)[1])
        links = tuple(Outlink(Link(address(m)), 1 / m) for m in (2 * n, 2 * n + 1) if m <= pages)
        analysis = Analysis(Extraction(str(n), f"page {n}" * 200), Judgement(0.5, True), links)
        visits.append(Visit(claim, Outcome.KEPT, time.time(), 200, analysis=analysis))
    harvest.commit(visits)
print("done", flush=True)
"""


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_killed_crawls_store_every_page_once(crawl, tmp_path: Path) -> None:
    crawl.database.close()
    chance = random.Random(20261121)
    command = [sys.executable, "-c", CRAWLER, crawl.url, str(PAGES)]
    for _ in range(KILLS):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"open\n"
            time.sleep(chance.uniform(0, 0.06))
            process.send_signal(signal.SIGKILL)
        crawl.open()
        with crawl.database.transaction() as connection:
            assert connection.execute(text("PRAGMA integrity_check")).scalars().all() == ["ok"]
            parents = "SELECT count(*) FROM urls c JOIN urls p ON p.id = c.via WHERE p.state <> 2"
            assert connection.execute(text(parents)).scalar_one() == 0
        crawl.database.close()
    subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=60)
    crawl.open()
    with crawl.database.transaction() as connection:
        stored = connection.execute(text("SELECT title FROM pages WHERE body IS NOT NULL")).scalars().all()
        fetched = connection.execute(text("SELECT count(*) FROM fetches")).scalar_one()
    assert sorted(map(int, stored)) == list(range(1, PAGES + 1))
    assert fetched == PAGES
    assert crawl.frontier.counts().done == PAGES
