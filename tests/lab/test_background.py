from collections import Counter
from pathlib import Path

import pytest

from crawler.errors import ModelError
from crawler.topic.embeddings import load_embeddings
from crawler.topic.learn import Background, load_background
from lab.background import MOST, count_words, draw_posts, embed, train_background
from lab.links.labels import Labels
from lab.links.recorded import RecordedWeb

HOSTS = 5
TEXT = "果园今年收了两千斤梨，比去年多了三成，果农说是因为春天没有倒春寒，收梨的人从八月做到九月。"


def web(folder: Path, hosts: int) -> tuple[RecordedWeb, Labels]:
    rows = []
    for number in range(hosts):
        path = folder / f"web/site{number}.example/1.html"
        path.parent.mkdir(parents=True)
        own = "独家收成" if number == 0 else ""
        path.write_text(f"<title>收梨</title><h1>收梨</h1><p>{TEXT}{own}</p><p>{TEXT}</p>", encoding="utf-8")
        for kind, name in (("post", "1.html"), ("tag", "2.html")):
            rows.append(f'{{"url": "http://site{number}.example/{name}", "kind": "{kind}", "topics": []}}\n')
    labels = folder / "labels.jsonl"
    labels.write_text("".join(rows), encoding="utf-8")
    return RecordedWeb.open(folder / "web"), Labels.load(labels, {})


def test_words_of_several_hosts_are_counted(tmp_path: Path) -> None:
    path, beside, card = train_background(*web(tmp_path, HOSTS), tmp_path / "background.json")
    background = load_background(path)
    assert background.pages == HOSTS
    assert background.counts["果园"] == HOSTS
    assert "独家" not in background.counts  # of one host alone
    assert set(load_embeddings(beside).rows) == set(background.counts)
    assert "5 posts of 5 hosts" in card.read_text(encoding="utf-8")


def test_too_few_hosts_are_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="record the posts of at least 5 hosts"):
        train_background(*web(tmp_path, HOSTS - 1), tmp_path / "background.json")
    assert not (tmp_path / "background.json").exists()


def test_no_host_has_more_say_than_its_share() -> None:
    urls = [f"http://big.example/{n}" for n in range(MOST + 50)] + ["http://small.example/1"]
    chosen = draw_posts(urls)
    assert len(chosen["big.example"]) == len(set(chosen["big.example"])) == MOST
    assert chosen["small.example"] == ["http://small.example/1"]
    assert draw_posts(reversed(urls)) == chosen


def test_a_page_counts_a_word_once() -> None:
    words = {f"h{n}.example": [frozenset({"everywhere"}), frozenset({"everywhere", "here"})] for n in range(4)}
    words["h4.example"] = [frozenset({"everywhere"})]
    background = count_words(words)
    assert (background.pages, dict(background.counts)) == (9, {"everywhere": 9})


def test_words_of_the_same_pages_point_the_same_way() -> None:
    """Pear and plum never meet; both stand beside the orchard."""
    meetings = [("orchard", "pear"), ("orchard", "plum"), ("server", "disk"), ("server", "kernel"), ("disk", "kernel")]
    pages = [frozenset(words) for words in meetings * 5]
    found = embed(pages, Background(len(pages), Counter(word for page in pages for word in page)), dimensions=2)
    pear, plum, disk = (found.direction({word: 1.0}) for word in ("pear", "plum", "disk"))
    assert pear is not None
    assert plum is not None
    assert disk is not None
    assert pear @ plum > 0.9 > 0.1 > pear @ disk
    assert found.direction({"cloud": 1.0}) is None
