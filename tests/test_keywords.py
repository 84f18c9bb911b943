"""Example D10 of papers.md 6.5."""

import networkx as nx
import pytest

from crawler.reader.html.page import Page
from crawler.records import Extraction
from zhuti.keywords import COUNT, MAX_WORDS, closeness, keywords, network, ranked, sentences

BODY = "排序算法比较元素。快速排序选取基准元素，归并排序合并子序列。稳定的排序算法保持相等元素的次序。"


def test_d10_a_path() -> None:
    graph: nx.Graph[str] = nx.Graph()
    graph.add_edges_from([("a", "b"), ("b", "c")], weight=1.0, distance=1.0)
    assert nx.betweenness_centrality(graph, weight="distance", normalized=False) == {"a": 0, "b": 1, "c": 0}
    assert closeness(graph) == pytest.approx({"a": 2 / 3, "b": 1, "c": 2 / 3})
    assert dict(ranked(graph)) == {"a": 0, "b": 1, "c": 0}


def test_closeness_counts_the_component_only() -> None:
    graph: nx.Graph[str] = nx.Graph()
    graph.add_edge("a", "b", distance=0.5)
    graph.add_node("c")
    assert closeness(graph) == pytest.approx({"a": 2 * 2 / 3, "b": 2 * 2 / 3, "c": 0})


def test_edges_join_words_two_apart() -> None:
    graph = network([[("甲", 1.0), ("乙", 2.0), ("丙", 2.0), ("丁", 1.0)], [("乙", 3.0), ("丙", 3.0)]])
    weights = {frozenset(pair): weight for *pair, weight in graph.edges.data("weight")}
    assert weights == {
        frozenset("甲乙"): 1.0,
        frozenset("乙丙"): 5.0,
        frozenset("丙丁"): 1.0,
        frozenset("甲丙"): 1.0,
        frozenset("乙丁"): 1.0,
    }
    assert graph.edges["乙", "丙"]["distance"] == pytest.approx(1 / 5)


def test_sentences_do_not_touch() -> None:
    page = Page("<p>排序。<b>合并</b>序列</p><p>别处</p>")
    found = sentences(Extraction(title="算法", body="排序。合并序列"), page)
    assert [[word for word, _ in sentence] for sentence in found] == [["算法"], ["排序"], ["合并", "序列"]]
    assert found[2] == [("合并", 2.0), ("序列", 1.0)]


def test_the_words_of_a_page() -> None:
    story = Extraction(title="排序算法", body=BODY)
    found = ranked(network(sentences(story, Page(f"<p>{BODY}</p>"))))
    assert found[0][0] == "排序"
    assert all(0 <= score <= 1 for _, score in found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert keywords(story) == [word for word, _ in found[:COUNT]]
    assert keywords(Extraction(), Page("")) == []


def test_of_a_long_text_the_most_frequent_words() -> None:
    words = [f"{one}{other}x" for one in "abcdefghijkl" for other in "abcdefghijkl"]
    found = network([[(word, 1.0) for word in words + words[:MAX_WORDS]]])
    assert set(found) == set(words[:MAX_WORDS])
