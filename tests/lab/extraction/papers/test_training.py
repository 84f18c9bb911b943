"""Labels by text, splits by site, and training of all of the papers' models on pages of our own."""

import json
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from crawler.reader.html.page import Page
from crawler.reader.papers.density_svm import DensitySvm
from crawler.reader.papers.fused.fused import Fused
from crawler.reader.papers.pso import Pso
from crawler.reader.papers.svm import Svm
from lab.extraction.labelled import labelled_pages
from lab.extraction.papers.card import papers_card
from lab.extraction.papers.fit import fit_svm
from lab.extraction.papers.labels import Gold
from lab.extraction.papers.saving import svm_json
from lab.extraction.papers.split import capped, owner, parts
from lab.extraction.papers.train import leave_sites_out, train_papers
from lab.extraction.papers.train_pso import train_pso

SENTENCES = (
    "清晨的集市刚刚开张，卖豆腐的老人把木桶放下，擦了擦汗。",
    "渡船靠岸时，对面山上的雾还没有散，只听见有人在唱歌。",
    "他在图书馆借了三本旧书，其中一本夹着一张发黄的车票。",
    "工程队连夜修好了水管，居民们第二天一早就用上了自来水。",
    "比赛到了最后一分钟，双方仍然打成平手，看台上鸦雀无声。",
)
MENU = "".join(f"<li><a href=/{number}>栏目{number}</a></li>" for number in range(12))


def labelled(number: int) -> tuple[str, str]:
    """Markup and body of a page of our own."""
    body = [SENTENCES[(number + shift) % len(SENTENCES)] * (1 + shift % 2) for shift in range(4)]
    text = "".join(f"<p>{line}</p>" for line in body)
    foot = "<div class=foot>版权声明 联系我们<br>客服电话</div>"
    return f"<title>第{number}篇</title><ul>{MENU}</ul><div class=story>{text}</div>{foot}", "\n".join(body)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "zh" / "own" / "html").mkdir(parents=True)
    rows = []
    for number in range(12):
        markup, body = labelled(number)
        (folder / "zh" / "own" / "html" / f"{number}.html").write_text(markup, "utf-8")
        rows.append({"id": str(number), "site": f"s{number % 4}.com", "body": body})
    (folder / "zh" / "own" / "truth.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return folder


def test_training_writes_models_that_read_a_new_page(pages: Path, tmp_path: Path) -> None:
    *written, card = train_papers(labelled_pages(pages), tmp_path, folds=0)
    assert [path.name for path in written] == ["density-svm.json", "pso.json", "fused.json"]
    assert "on 12 pages of 4 sites (zh/own 12), at most" in card.read_text("utf-8")
    markup, body = labelled(99)
    kinds: tuple[Any, ...] = (DensitySvm, Pso, Fused)
    for kind, path in zip(kinds, written, strict=True):
        assert kind.load(path)(Page(markup)).body == body


def test_training_again_gives_the_same_models(pages: Path, tmp_path: Path) -> None:
    one, other = (train_papers(labelled_pages(pages), tmp_path / name, folds=0) for name in ("one", "other"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


def test_the_card_has_scores_of_sites_left_out(pages: Path, tmp_path: Path) -> None:
    found = leave_sites_out(labelled_pages(pages), partial(train_pso, generations=20), seed=1, count=2)
    assert found["article"].pages == 12
    assert found["article"].f1 is not None
    assert "| pso | article | 12 | " in papers_card(labelled_pages(pages), 1, date(2020, 1, 2), {"pso": found})


def test_no_owner_on_both_sides(pages: Path) -> None:
    found = labelled_pages(pages)
    split = parts(found, 3, seed=1)
    owners = [{owner(page.site) for page in part} for part in split]
    assert sum(map(len, split)) == len(found)
    assert sum(map(len, owners)) == len(set().union(*owners))


def test_a_site_gives_so_many_pages(pages: Path) -> None:
    found = capped(labelled_pages(pages), 2, seed=1)
    assert len(found) == 8
    assert found == capped(labelled_pages(pages), 2, seed=1)


@pytest.mark.parametrize(
    ("site", "expected"),
    [("news.example.com.cn", "example"), ("example", "example"), ("WWW.Example.org", "example"), ("com", "com")],
)
def test_owner(site: str, expected: str) -> None:
    assert owner(site) == expected


def test_shares_of_gold_text() -> None:
    gold = Gold.of("清晨的集市刚刚开张，卖豆腐的老人把木桶放下。")
    assert gold.share("清晨的集市 刚刚开张，卖豆腐的老人") == 1
    assert gold.share("清晨的集市刚刚开张" + "甲" * 9) == 0.5
    assert gold.share("木桶") == 1
    assert gold.share("") == 0


def test_a_short_text_needs_a_neighbour() -> None:
    gold = Gold.of("清晨的集市刚刚开张，卖豆腐的老人把木桶放下。")
    long = "卖豆腐的老人把木桶放下。"
    assert gold.labels(["木桶", "甲", "乙", "丙", "木桶", long], 0.6) == [False, False, False, False, True, True]


@given(text=st.text(alphabet="甲乙丙丁 ", max_size=40), gold=st.text(alphabet="甲乙丙丁 ", max_size=40))
def test_a_share_is_a_share(text: str, gold: str) -> None:
    assert 0 <= Gold.of(gold).share(text) <= 1
    if len("".join(text.split())) > 0:
        assert Gold.of(text).share(text) == 1


def test_a_machine_that_saw_one_label_always_says_it() -> None:
    machine = fit_svm(np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([True, True]), 1.0, 1.0)
    again = Svm.from_json(svm_json(machine), features=2)
    assert (again.decide(np.array([[5.0, -5.0]])) > 0).all()
