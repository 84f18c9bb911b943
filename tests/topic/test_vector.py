import math

import pytest
from hypothesis import given, strategies as st

from crawler.reader.text.tokens import Tokenizer
from crawler.records import Extraction
from crawler.topic.vector import TITLE_FACTOR, TopicVector, cosine, page_terms

TRAVEL = TopicVector({"旅游": 3, "景点": 2, "酒店": 1})  # papers.md C8
TRAVEL_PAGE = {"旅游": 5.0, "酒店": 1.0, "新闻": 4.0}

weights = st.floats(min_value=1e-6, max_value=1e6)
vectors = st.dictionaries(st.sampled_from("abcdefghij"), weights, max_size=8)


def test_example_c8_clipped() -> None:
    """As printed: of the page its topic's terms alone."""
    clipped = {term: weight for term, weight in TRAVEL_PAGE.items() if term in TRAVEL.weights}
    assert TRAVEL.by_words(clipped) == pytest.approx(0.838628, abs=1e-6)


def test_example_c8_unclipped() -> None:
    assert TRAVEL.by_words(TRAVEL_PAGE) == pytest.approx(0.659829, abs=1e-6)


def test_example_c8_from_the_text() -> None:
    page = Extraction(title="旅游", body="旅游，酒店；新闻。旅游！新闻、新闻：新闻")
    terms = page_terms(Tokenizer(["旅游", "景点", "酒店"]), page)
    frequencies = {term: terms.body[term] + TITLE_FACTOR * terms.title[term] for term in terms.title | terms.body}
    assert frequencies == TRAVEL_PAGE


def test_relevance_is_the_share_of_the_largest_weight() -> None:
    assert [TRAVEL.relevance(term) for term in ("旅游", "景点", "酒店", "新闻")] == pytest.approx([1, 2 / 3, 1 / 3, 0])


def test_nearness_is_measured_in_the_unit() -> None:
    halved = TopicVector(TRAVEL.weights, unit=0.5)
    assert halved.by_words({"酒店": 1.0}) == pytest.approx(2 * TRAVEL.by_words({"酒店": 1.0}))
    assert halved.by_words({"旅游": 1.0}) == pytest.approx(2 * TRAVEL.by_words({"旅游": 1.0}))


@pytest.mark.parametrize("page", [{}, {"新闻": 3.0}, {"旅游": 0.0}])
def test_nothing_in_common_is_zero(page: dict[str, float]) -> None:
    assert TRAVEL.by_words(page) == 0.0
    assert TopicVector({}).by_words(page) == TopicVector({}).nearness(page) == 0.0


@given(vectors, vectors)
def test_cosine_lies_in_zero_to_one_and_is_symmetric(one: dict[str, float], other: dict[str, float]) -> None:
    assert 0.0 <= cosine(one, other) <= 1.0
    assert cosine(one, other) == pytest.approx(cosine(other, one))


@given(vectors, vectors, st.floats(min_value=1e-200, max_value=1e200))
def test_cosine_does_not_change_with_scale(one: dict[str, float], other: dict[str, float], factor: float) -> None:
    scaled = {term: weight * factor for term, weight in one.items()}
    assert cosine(scaled, other) == pytest.approx(cosine(one, other))


@given(vectors)
def test_cosine_with_itself_is_one(one: dict[str, float]) -> None:
    assert cosine(one, one) == pytest.approx(1.0 if one else 0.0)


@given(vectors, st.sampled_from("abcdefghijxyz"))
def test_relevance_lies_in_zero_to_one(topic: dict[str, float], term: str) -> None:
    relevance = TopicVector(topic).relevance(term)
    assert 0.0 <= relevance <= 1.0
    assert math.isclose(relevance, 0.0) == (term not in topic)
