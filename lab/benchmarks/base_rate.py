"""What the share on topic of a harvest says of each of its pages: python -m lab.benchmarks.base_rate WEB LABELS.jsonl
--harvests FOLDER [--aliases FILE] [--map LABEL=TOPIC ...]

FOLDER/TOPIC/harvest.db are harvests of the recorded web, crawled to a budget. A topic is calibrated by pages of which
few are on it; of those that a crawl fetches many are. The chances of a harvest's labelled posts are moved to its own
share, which they tell themselves (EM: Saerens, Latinne and Decaestecker 2002), by each of DAMPED parts of the whole
way. Printed: share on topic, F1 at the usual threshold as it is and by each part, with tags and with tags hidden.
Nothing is fitted.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score
from sqlalchemy import select

from crawler.database.database import existing
from crawler.database.schema import judgements, urls
from crawler.extractors import extractor
from crawler.reader.html.page import Page
from crawler.reader.html.subjects import subjects
from crawler.reader.text.tokens import Tokenizer
from crawler.records import PageKind
from crawler.topic.calibration import Calibration
from crawler.topic.files import THETA_PAGE, Topic
from crawler.topic.vector import TopicVector, page_terms, subject_terms, weighed
from crawler.topic.yardstick import load_yardstick
from lab.benchmarks.replayed import add_web, read_labels
from lab.links.labels import POST, Labels
from lab.links.recorded import RecordedWeb

Floats = NDArray[np.float64]
DAMPED = (0.25, 0.5, 1.0)
ROUNDS = 100
LEAST = 1e-4  # share on topic


def chances(odds: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0)))


def moved(odds: Floats, usual: float, part: float) -> Floats:
    """The log odds, moved by a part of the difference between the log odds of these pages' own share on topic and those
    of the `usual` share."""
    shift = 0.0
    for _ in range(ROUNDS):
        share = float(np.clip(chances(odds + shift).mean(), LEAST, 1.0 - LEAST))
        shift = part * (np.log(share / (1.0 - share)) - np.log(usual / (1.0 - usual)))
    return odds + shift


def judged(
    web: RecordedWeb, labels: Labels, addresses: list[str], topic: Topic, vector: TopicVector, calibration: Calibration
) -> Iterator[tuple[float, float, str]]:
    """Log odds of each labelled post with a body, with its tags and without; and its address."""
    tokenizer, extract = Tokenizer(topic.keywords, topic.lexicon), extractor("best")
    for url in addresses:
        label = labels.of(url)
        reply = web.fetch(url)
        if label is None or label.kind != POST or not reply.is_page or reply.target:
            continue
        page = Page(reply.markup, url)
        extraction = extract(page)
        if extraction.body and extraction.kind is not PageKind.LIST:
            terms, tags = page_terms(tokenizer, extraction), subject_terms(tokenizer, subjects(page))
            evidence = (vector.evidence(weighed(terms, some)) for some in (tags, set[str]()))
            with_tags, without = (calibration.log_odds(one) for one in evidence)
            yield with_tags, without, url


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--harvests", type=Path, required=True)
    args = parser.parse_args()
    labels, web = read_labels(args), RecordedWeb.open(args.web, args.aliases)
    posts = len(load_yardstick().lengths)
    parts = ", ".join(f"{part:g}" for part in DAMPED)
    print(f"share on topic; F1 as it is, moved by {parts} of the way: with tags; tags hidden")
    rows = []
    for folder in sorted(path for path in args.harvests.iterdir() if (path / "harvest.db").exists()):
        topic = Topic.load(folder.name).learn()
        vector = topic.vector
        assert vector is not None
        assert vector.calibration is not None
        with (
            existing(f"sqlite:///{folder / 'harvest.db'}") as database,
            database.transaction(shared=True) as connection,
        ):
            query = (
                select(urls.c.url).join(judgements, judgements.c.url_id == urls.c.id).order_by(judgements.c.fetch_id)
            )
            addresses = [row.url for row in connection.execute(query)]
        *odds, known = zip(*judged(web, labels, addresses, topic, vector, vector.calibration), strict=True)
        true = np.array([(label := labels.of(url)) is not None and label.is_harvest(folder.name) for url in known])
        usual, row = vector.calibration.examples / posts, [float(true.mean())]
        for found in map(np.array, odds):
            shown = [found, *(moved(found, usual, part) for part in DAMPED)]
            row += [float(f1_score(true, chances(one) >= THETA_PAGE)) for one in shown]
        rows.append(row)
        print(f"{folder.name:<18}", " ".join(f"{value:.3f}" for value in row), flush=True)
    print(f"{'mean':<18}", " ".join(f"{value:.3f}" for value in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
