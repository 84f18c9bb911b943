import logging
from pathlib import Path

import pytest

from crawler.errors import TopicError
from crawler.records import Extraction
from crawler.topic.files import Topic
from crawler.topic.learn import (
    COHERENCE,
    DILUTION,
    LEARNED_SHARE,
    LEARNED_TERMS,
    MIN_COHERENCE,
    Background,
    Description,
    learn_vector,
)

TOPICS = Path(__file__).parents[2] / "topics"


def page(body: str, title: str = "", subjects: tuple[str, ...] = ()) -> Description:
    return Description(Extraction(title=title, body=body), subjects)


TEA = [
    page("绿茶不发酵，冲泡时水温宜低，龙井与碧螺春都是绿茶中的名品，茶汤清亮。", "绿茶的冲泡"),
    page("红茶全发酵，冲泡用沸水，茶汤红亮，滋味醇厚，祁门红茶是名品。", "红茶"),
    page("乌龙茶半发酵，铁观音和大红袍都是名品，冲泡用沸水，茶汤金黄，滋味回甘。"),
]
STRANGER = page("数据库索引用平衡树组织，查询优化器据此选择执行计划，事务保证隔离级别。", "数据库索引")


def test_learned_terms_are_scaled_to_one() -> None:
    weights = learn_vector({}, pages=TEA).vector.weights
    assert max(weights.values()) == pytest.approx(1.0)
    assert min(weights.values()) > 0
    assert weights["冲泡"] > weights["金黄"]


def test_keywords_stand_over_learned_terms() -> None:
    weights = learn_vector({"茶汤": 0.2, "Black Tea": 0.9}, pages=TEA).vector.weights
    assert weights["茶汤"] == 0.2
    assert weights["black tea"] == 0.9
    assert max(w for term, w in weights.items() if term not in ("茶汤", "black tea")) <= LEARNED_SHARE


def test_neither_a_long_page_nor_one_of_a_few_words_decides() -> None:
    long, short = page("天文台" * 200 + "望远镜" * 200), page("星图")
    for stranger in (long, short):
        weights = learn_vector({}, pages=[*TEA, stranger]).vector.weights
        assert weights["冲泡"] > max(weights.get(term, 0.0) for term in ("天文台", "望远镜", "星图"))


def test_what_pages_share_counts_more_than_what_one_repeats() -> None:
    often = [page("铁壶" * 8 + "茶汤" * 2), page("茶汤" * 2 + "银针" * 2)]
    level = Background(100, {"铁壶": 5, "茶汤": 5, "银针": 5})
    weights = learn_vector({}, pages=often, background=level).vector.weights
    assert weights["茶汤"] > weights["铁壶"] > weights["银针"]


def test_common_words_of_the_background_count_less() -> None:
    background = Background(1000, {"方法": 900, "茶汤": 3})
    weights = learn_vector({}, pages=[page("方法茶汤方法茶汤")], background=background).vector.weights
    assert weights["方法"] < 0.01 < weights["茶汤"] == 1.0


def test_the_tags_of_a_page_are_words_of_the_topic() -> None:
    tagged = [page(TEA[0].extraction.body, subjects=("茶道",)), *TEA[1:]]
    weights = learn_vector({}, pages=tagged).vector.weights
    assert weights["茶道"] > weights["龙井"]  # both stand on that page alone
    assert "茶道" not in learn_vector({}, pages=TEA).vector.weights


def test_the_number_of_terms_is_limited() -> None:
    many = page(" ".join(f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400)))
    assert len(learn_vector({}, pages=[many]).vector.weights) == LEARNED_TERMS


def test_pages_are_held_against_the_others() -> None:
    learned = learn_vector({}, pages=[*TEA, STRANGER])
    assert len(learned.fits) == 4
    assert min(learned.fits[:3]) > 0.3 > learned.fits[3]


def test_the_unit_is_assumed_of_less_than_two_pages() -> None:
    assert learn_vector({"茶": 1.0}).vector.unit == COHERENCE
    assert learn_vector({"茶": 1.0}, pages=TEA[:1]).vector.unit == COHERENCE
    assert learn_vector({}, pages=TEA[:1]).vector.unit == MIN_COHERENCE
    assert learn_vector({}, pages=TEA[:1]).fits == ()


def test_the_unit_is_the_coherence_of_the_pages() -> None:
    found = learn_vector({}, pages=[page(tea.extraction.body) for tea in TEA])
    written = learn_vector({}, texts=[tea.extraction.body for tea in TEA])
    assert 0 < found.vector.unit < 1
    assert written.vector.weights == pytest.approx(found.vector.weights)
    assert written.vector.unit == pytest.approx(DILUTION * found.vector.unit)  # texts are thicker than pages


def test_pages_that_share_nothing_do_not_open_the_index_file() -> None:
    assert learn_vector({}, pages=[TEA[0], STRANGER]).vector.unit == MIN_COHERENCE


def test_a_page_without_words_changes_nothing() -> None:
    with_empty = learn_vector({}, pages=[*TEA, page("……")])
    assert with_empty.vector.weights == pytest.approx(learn_vector({}, pages=TEA).vector.weights)
    assert with_empty.vector.unit == pytest.approx(learn_vector({}, pages=TEA).vector.unit)
    assert with_empty.fits[-1] == 0.0


def test_a_misfit_is_logged_with_its_words(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        Topic.from_seeds("tea", ["https://a.example/"], tmp_path).learn([*TEA, STRANGER])
    assert [record.getMessage() for record in caplog.records if "数据库索引" in record.getMessage()]
    assert len(caplog.records) == 1


@pytest.mark.parametrize("pages", [[], [page("")], [page("。。。", "的")]])
def test_nothing_to_learn_is_an_error(tmp_path: Path, pages: list[Description]) -> None:
    with pytest.raises(TopicError, match=r"the pages of topic 'tea' contain no words.*give keywords"):
        Topic.from_seeds("tea", ["https://a.example/"], tmp_path).learn(pages)
