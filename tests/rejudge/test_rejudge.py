"""A harvest judged again: for another topic, for an edited one, from the archive and from stored bodies."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from crawler.labels.judge_again import judge_again
from crawler.reader.html.page import Page
from crawler.records import similarity_of
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from tests.conftest import LOOPBACK, ROOT, SEEDS, Scrapy, of_topic, through
from tests.steps.conftest import documents
from tests.stored import count, fetched, rows
from tests.warm import Command
from zhuti import judge, steps

TOPIC = "machine-learning"
CUT_OFF = re.compile(r"Warning: \S+\.warc\.gz: is (damaged or )?cut off")  # as the cut falls
OTHER = """
title = "容器与部署"
texts = ["容器把应用和它的依赖打包成镜像，部署到集群，由编排系统调度、伸缩和滚动更新。"]
threshold = 0.01
[keywords]
"容器" = 1.0
"镜像" = 0.9
"部署" = 0.8
"集群" = 0.8
"编排" = 0.7
"""
KEPT = "SELECT pages.url FROM judgements JOIN pages ON pages.id = page_id WHERE outcome = 'kept' ORDER BY 1"
VERDICTS = "SELECT pages.url, outcome, nearness FROM judgements JOIN pages ON pages.id = page_id ORDER BY 1"
JUDGED = """
SELECT pages.url, outcome, round(nearness, 9) FROM judgements
JOIN topics ON topics.id = topic_id JOIN pages ON pages.id = page_id WHERE topics.name = '{}' ORDER BY 1
"""


@pytest.fixture(scope="module")
def crawled(demo_proxy: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a harvest of 60 pages and its archive."""
    folder = tmp_path_factory.mktemp("crawled")
    places = {"STORE_URL": f"sqlite:///{folder / 'harvest.db'}", "WARC_DIR": folder / "warc"}
    options = [part for name, value in places.items() for part in ("-s", f"{name}={value}")]
    crawl = Command([*of_topic(TOPIC, *options, "-s", "PAGE_BUDGET=60")], through(demo_proxy), ROOT, folder)
    _, told = crawl.communicate()
    assert crawl.returncode == 0, told
    return folder


@pytest.fixture
def harvest(crawled: Path, tmp_path: Path, topics: Path) -> Path:
    """That harvest in a folder of this test, beside the file of another topic."""
    shutil.copytree(crawled, tmp_path, dirs_exist_ok=True)
    (topics / "containers.toml").write_text(OTHER, encoding="utf-8")
    return tmp_path


def test_from_the_archive(scrapy: Scrapy, harvest: Path, topics: Path) -> None:
    before = rows(harvest, JUDGED.format(TOPIC))
    again = scrapy("rejudge", TOPIC, "--from-warc", str(harvest / "warc"))
    assert again.returncode == 0, again.stderr
    judged = {url: (outcome, similarity) for url, outcome, similarity in rows(harvest, JUDGED.format(TOPIC))}
    for url, outcome, similarity in before:
        assert judged[url][1] == similarity, "the same page, the same topic, the same judgement"
        assert (judged[url][0] == "off-topic") == (outcome == "off-topic")
    assert fetched(harvest) == 60, "nothing counts as fetched"

    other = scrapy("rejudge", "containers", "--from-warc", str(harvest / "warc"))
    assert other.returncode == 0, other.stderr
    found = rows(harvest, JUDGED.format("containers"))
    kept = [url for url, outcome, _ in found if outcome == "kept"]
    assert f"{len(found)} pages judged for containers: {len(kept)} kept" in other.stdout
    assert {url for url, _, _ in found} == set(judged)
    assert 0 < len(kept) < len(found)
    waiting = "SELECT sum(waiting), sum(done) FROM queues JOIN topics ON topics.id = topic_id WHERE name = 'containers'"
    [(waits, done)] = rows(harvest, waiting)
    assert int(str(waits)) > 0, "a crawl of the new topic goes on from their outlinks"
    assert done == len(found)

    once_more = scrapy("rejudge", "containers", "--from-warc", str(harvest / "warc"))
    assert once_more.stdout == other.stdout
    assert rows(harvest, JUDGED.format("containers")) == found
    assert rows(harvest, waiting) == [(waits, done)]

    corpus = harvest / "corpus.jsonl"
    assert scrapy("export", "containers", str(corpus)).returncode == 0
    assert {json.loads(line)["url"] for line in corpus.read_text(encoding="utf-8").splitlines()} == set(kept)


def test_from_stored_bodies(scrapy: Scrapy, harvest: Path, topics: Path) -> None:
    bodies = count(harvest, "pages WHERE body IS NOT NULL")
    result = scrapy("rejudge", "containers")
    assert result.returncode == 0, result.stderr
    assert len(rows(harvest, JUDGED.format("containers"))) == bodies

    file = topics / f"{TOPIC}.toml"
    strict = file.read_text(encoding="utf-8")
    strict = "\n".join(line for line in strict.split("\n") if not line.startswith("threshold"))
    file.write_text("threshold = 0.93\n" + strict, encoding="utf-8")
    result = scrapy("rejudge", TOPIC)
    assert result.returncode == 0, result.stderr
    kept = [nearness for _, outcome, nearness in rows(harvest, JUDGED.format(TOPIC)) if outcome == "kept"]
    assert 0 < len(kept) < int(str(bodies))
    assert min(similarity_of(float(str(nearness))) for nearness in kept) >= 0.93
    assert count(harvest, "pages WHERE body IS NOT NULL") == bodies, "for the other topic"


def test_extract_and_a_truncated_archive(scrapy: Scrapy, harvest: Path) -> None:
    (path,) = sorted((harvest / "warc").glob("*.warc.gz"))
    whole = scrapy("extract", str(path), "--jsonl")
    assert whole.returncode == 0, whole.stderr
    pages = [json.loads(line) for line in whole.stdout.splitlines()]
    bodies = {page["id"]: page["body"] for page in pages}
    assert {url for (url,) in rows(harvest, "SELECT url FROM pages")} <= set(bodies)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    part = scrapy("extract", str(path), "--jsonl")
    assert part.returncode == 0
    assert part.stdout == "".join(f"{line}\n" for line in whole.stdout.splitlines()[: part.stdout.count("\n")])
    assert CUT_OFF.search(part.stderr)
    again = scrapy("rejudge", "containers", "--from-warc", str(path))
    assert again.returncode == 0, again.stderr
    assert CUT_OFF.search(again.stderr)


MISTAKES = [
    (("rejudge",), "give TOPIC|FILE.toml"),
    (("rejudge", "no-such-topic"), "unknown topic 'no-such-topic'"),
    (("rejudge", TOPIC, "--from-warc", "/nowhere/at/all"), "contains no WARC file"),
    (("rejudge", TOPIC, "--from-warc", "crawler"), "contains no WARC file"),
    (("extract", "setup.warc.gz"), "cannot be read"),
]


@pytest.mark.parametrize(("arguments", "words"), MISTAKES)
def test_mistakes(scrapy: Scrapy, arguments: tuple[str, ...], words: str) -> None:
    result = scrapy(*arguments)
    assert result.returncode != 0
    assert words in result.stdout + result.stderr
    assert "Traceback" not in result.stderr


def test_one_crawl_for_several_topics(scrapy: Scrapy, demo_proxy: str, tmp_path: Path) -> None:
    """A crawl, for only its end makes the topics' own harvests: each is judged as if it had been crawled alone."""
    both = f"{TOPIC}+java"
    crawl = scrapy(
        "harvest", TOPIC, "java", "-a", f"seeds={SEEDS}", *LOOPBACK, "-s", "PAGE_BUDGET=40", proxy=demo_proxy
    )
    assert crawl.returncode == 0, crawl.stderr
    fetched = rows(
        tmp_path, "SELECT name, sum(counted) FROM fetches JOIN topics ON topics.id = topic_id GROUP BY 1 ORDER BY 1"
    )
    assert fetched == [("java", 0), (TOPIC, 0), (both, 40)]
    joint = {
        url: similarity_of(near) for url, outcome, near in rows(tmp_path, JUDGED.format(both)) if outcome == "kept"
    }
    own = {name: rows(tmp_path, JUDGED.format(name)) for name in (TOPIC, "java")}
    kept = [{url for url, outcome, _ in found if outcome == "kept"} for found in own.values()]
    assert all(kept)
    assert kept[0] | kept[1] == joint.keys()
    best = {
        url: max(similarity_of(near) for found in own.values() for at, _, near in found if at == url) for url in joint
    }
    assert best == joint
    for name, pages in zip(own, kept, strict=True):
        assert f"judged for {name}: {len(pages)} kept" in crawl.stdout
    again = scrapy("rejudge", TOPIC)
    assert again.returncode == 0, again.stderr
    assert rows(tmp_path, JUDGED.format(TOPIC)) == own[TOPIC]
    more = scrapy("harvest", TOPIC, "java", *LOOPBACK, "-s", "PAGE_BUDGET=45", proxy=demo_proxy)
    told = [int(number) for number in re.findall(r"(\d+) pages judged for", more.stdout)]
    assert len(told) == 2 and max(told) <= 5, "what was judged already is not judged again"


def similarities(folder: Path) -> dict[str, float]:
    """Of all pages that are stored with a text."""
    query = "SELECT url, nearness FROM judgements JOIN pages ON pages.id = page_id WHERE body IS NOT NULL"
    return {str(url): similarity_of(float(str(nearness))) for url, nearness in rows(folder, query)}


def test_whoever_judges_a_page_judges_it_by_the_same_text(scrapy: Scrapy, harvest: Path, topics: Path) -> None:
    """One page, one topic, one similarity, to the last digit."""
    crawled = similarities(harvest)
    assert len(crawled) > 20

    assert scrapy("label", TOPIC, min(crawled), "unsure").returncode == 0  # an answer that changes no weight
    topic = Topic.load(str(topics / f"{TOPIC}.toml")).learn()
    database = f"sqlite:///{harvest / 'harvest.db'}"
    done = judge_again(database, 1, topic, Judge)
    assert done is not None
    assert (done.judged, done.changed) == (len(crawled), 0)
    assert similarities(harvest) == crawled

    assert scrapy("rejudge", TOPIC).returncode == 0
    assert similarities(harvest) == crawled
    assert scrapy("rejudge", TOPIC, "--from-warc", str(harvest / "warc")).returncode == 0
    assert similarities(harvest) == crawled

    (archive,) = (harvest / "warc").glob("*.warc.gz")
    told = scrapy("extract", str(archive), "--topic", TOPIC, "--jsonl")
    assert told.returncode == 0, told.stderr
    extracted = {page["id"]: page["similarity"] for page in map(json.loads, told.stdout.splitlines())}
    assert {url: extracted[url] for url in crawled} == crawled

    pages = documents(steps.Warc(str(harvest / "warc")))
    by_library = {url: judge(Page(pages[url].page.markup, url), topic).similarity for url in crawled}  # type: ignore[attr-defined]
    assert by_library == crawled
    look, weigh = steps.Extract(), steps.Judge([topic], everything=True)
    assert all(look.look(pages[url]) and weigh.look(pages[url]) for url in crawled)
    assert {url: pages[url].metadata["judgements"][0]["similarity"] for url in crawled} == crawled


def test_rejudge_takes_answers_up(scrapy: Scrapy, harvest: Path) -> None:
    (no,), (yes,), *_ = rows(harvest, KEPT)
    assert scrapy("label", TOPIC, no, "no").returncode == 0
    assert scrapy("label", TOPIC, yes, "yes").returncode == 0
    assert scrapy("rejudge", TOPIC).returncode == 0
    first = rows(harvest, VERDICTS)
    outcomes = {url: outcome for url, outcome, _ in first}
    assert (outcomes[no], outcomes[yes]) == ("off-topic", "kept")
    assert scrapy("rejudge", TOPIC).returncode == 0
    assert rows(harvest, VERDICTS) == first, "to the last digit"
    assert count(harvest, "labels") == 2
