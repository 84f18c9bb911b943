"""The rankings of the link graph as scorers."""

import numpy as np
import pytest

from crawler.rank.graph import sparse
from crawler.rank.pagerank import DAMPING, LEAST_VALUE, pagerank
from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers.papers.context_graph import ContextGraph
from crawler.scorers.papers.ranked import RANK_EVERY, Ranked
from crawler.scorers.papers.topology import BlockHits, BlockRank, Hits, PageRank, SiteRank


def page(url: str, *targets: str, nearness: float = 0.5, depth: int = 0, path: str = "") -> JudgedPage:
    outlinks = tuple(Outlink(Link(target, "词" * 5, tag_path=path), 0.0) for target in targets)
    return JudgedPage(url, nearness, nearness >= 0.3, 0.0, depth, 0, outlinks)


def test_worked_example_d3_of_hits() -> None:
    scorer = Hits()
    scorer.observe(page("1", "2", "3"))
    scorer.observe(page("2", "3"))
    authorities = scorer.rank()
    assert authorities[scorer._id("3")] > authorities[scorer._id("2")] > authorities[scorer._id("1")]
    assert np.linalg.norm(authorities) == pytest.approx(1.0)


def test_docrank_shares_the_rank_of_its_site() -> None:
    scorer = SiteRank()
    scorer.observe(page("http://a.example/", "http://a.example/1", "http://b.example/"))
    values = scorer.rank()
    of_site = values[scorer._id("http://a.example/")] + values[scorer._id("http://a.example/1")]
    assert of_site == pytest.approx(0.15)  # nobody links to it
    assert values[scorer._id("http://b.example/")] == pytest.approx(0.15 + 0.85 * 0.15)


def test_a_block_shares_by_its_size() -> None:
    scorer = BlockRank()
    outlinks = (
        Outlink(Link("a", "字" * 30, tag_path="x", position=0.0), 0.0),
        Outlink(Link("b", "字" * 30, tag_path="x", position=0.5), 0.0),
        Outlink(Link("c", "字" * 20, tag_path="y", position=1.0), 0.0),
    )
    weights = dict(scorer.links(JudgedPage("p", 0.0, False, 0.0, 0, 0, outlinks)))
    assert sum(weights.values()) == pytest.approx(1.0)
    assert weights["a"] == weights["b"] == pytest.approx(0.5 * (60 / 0.35) / (60 / 0.35 + 20 / 0.6))


def test_worked_example_d6_of_blocks() -> None:
    """Two pages of two and one blocks. The ranks of blocks by W_b = Z X, handed to pages by Z, are those by W_p."""
    x, z = np.array([[0.75, 0.25, 0], [0, 0, 1]]), np.array([[0, 1], [0.5, 0.5], [1, 0]])
    by_page, by_block = x @ z, z @ x
    assert by_page == pytest.approx(np.array([[0.125, 0.875], [1, 0]]))
    assert by_block == pytest.approx(np.array([[0, 0, 1], [0.375, 0.125, 0.5], [0.75, 0.25, 0]]))
    sources, targets = np.nonzero(by_page)
    pages = pagerank(sparse(2, targets, sources, by_page[sources, targets]))
    blocks = np.linalg.solve(np.eye(3) - DAMPING * by_block.T, LEAST_VALUE * x.sum(axis=0))
    assert LEAST_VALUE + DAMPING * blocks @ z == pytest.approx(pages)


@pytest.mark.parametrize("make", [PageRank, SiteRank, BlockRank, BlockHits, Hits])
def test_a_url_that_many_pages_link_to_comes_first(make: type[Ranked]) -> None:
    scorer = make()
    told: dict[str, float] = {}
    for n in range(RANK_EVERY):
        told |= scorer.observe(page(f"http://h{n}.example/", "http://star.example/", f"http://h{n}.example/x"))
    told |= scorer.refresh()
    assert max(told, key=lambda url: told[url]) == "http://star.example/"


def test_context_graph_knows_the_way_by_the_words_on_it() -> None:
    scorer = ContextGraph()
    for n in range(100):
        host = f"http://h{n}.example"
        way, away = Link(f"{host}/y", "目录 归档"), Link(f"{host}/z", "广告 商城")
        scorer.observe(JudgedPage(f"{host}/", 0.0, False, 0.0, 0, 0, (Outlink(way, 0.0),)))
        scorer.observe(JudgedPage(f"{host}/z", 0.0, False, 0.0, 0, 0, (Outlink(away, 0.0),)))
        scorer.observe(JudgedPage(f"{host}/y", 0.9, True, 0.0, 0, 0, ()))
    near = Link("http://new.example/a", "目录 归档")
    far = Link("http://new.example/b", "广告 商城")
    told = dict(scorer.observe(JudgedPage("http://new.example/1", 0.0, False, 0.0, 0, 0, (Outlink(near, 0.0),))))
    told |= scorer.observe(JudgedPage("http://new.example/2", 0.0, False, 0.0, 0, 0, (Outlink(far, 0.0),)))
    assert told[near.url] > told[far.url]


def test_context_graph_takes_the_shorter_way() -> None:
    """Test D4 of papers.md 6.1.3: T=0, Y=1, X=2; a page with links both to T and to Y gets layer 1."""
    scorer = ContextGraph()
    scorer.observe(page("X", "Y", nearness=0.0))
    scorer.observe(page("Y", "T", nearness=0.0))
    scorer.observe(page("Z", "T", "Y", nearness=0.0))
    scorer.observe(page("T", nearness=1.0))
    assert scorer._layers() == {"T": 0, "Y": 1, "Z": 1, "X": 2}
