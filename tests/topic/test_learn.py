import logging
from pathlib import Path

import pytest

from crawler.errors import TopicError
from crawler.records import Extraction
from crawler.topic.background import idf
from crawler.topic.files import Topic
from crawler.topic.learn import COHERENCE, DILUTION, LEARNED_SHARE, LEARNED_TERMS, MIN_COHERENCE, learn_vector

TOPICS = Path(__file__).parents[2] / "topics"
TEA = [
    Extraction(title="绿茶的冲泡", body="绿茶不发酵，冲泡时水温宜低，龙井与碧螺春都是绿茶中的名品，茶汤清亮。"),
    Extraction(title="红茶", body="红茶全发酵，冲泡用沸水，茶汤红亮，滋味醇厚，祁门红茶是名品。"),
    Extraction(body="乌龙茶半发酵，铁观音和大红袍都是名品，冲泡用沸水，茶汤金黄，滋味回甘。"),
]
STRANGER = Extraction(title="数据库索引", body="数据库索引用平衡树组织，查询优化器据此选择执行计划，事务保证隔离级别。")


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


def test_a_long_page_has_no_more_say() -> None:
    once = learn_vector({}, pages=TEA).vector.weights
    long = [TEA[0], TEA[1], Extraction(body=TEA[2].body * 50)]
    assert learn_vector({}, pages=long).vector.weights == pytest.approx(once)


def test_the_number_of_terms_is_limited() -> None:
    many = Extraction(body=" ".join(f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400)))
    assert len(learn_vector({}, pages=[many]).vector.weights) == LEARNED_TERMS


def test_pages_are_held_against_the_others() -> None:
    learned = learn_vector({}, pages=[*TEA, STRANGER])
    assert len(learned.fits) == 4
    assert min(learned.fits[:3]) > 0.3 > learned.fits[3]


def test_the_unit_is_assumed_of_less_than_two_pages() -> None:
    assert learn_vector({"茶": 1.0}).vector.unit == COHERENCE
    assert learn_vector({}, pages=TEA[:1]).vector.unit == COHERENCE
    assert learn_vector({}, pages=TEA[:1]).fits == ()


def test_the_unit_is_the_coherence_of_the_pages() -> None:
    found = learn_vector({}, pages=[Extraction(body=page.body) for page in TEA])
    written = learn_vector({}, texts=[page.body for page in TEA])
    assert 0 < found.vector.unit < 1
    assert written.vector.weights == pytest.approx(found.vector.weights)
    assert written.vector.unit == pytest.approx(DILUTION * found.vector.unit)  # texts are thicker than pages


def test_pages_that_share_nothing_do_not_open_the_door() -> None:
    assert learn_vector({}, pages=[TEA[0], STRANGER]).vector.unit == MIN_COHERENCE


def test_a_page_without_words_changes_nothing() -> None:
    with_empty = learn_vector({}, pages=[*TEA, Extraction(body="……")])
    assert with_empty.vector.weights == pytest.approx(learn_vector({}, pages=TEA).vector.weights)
    assert with_empty.vector.unit == pytest.approx(learn_vector({}, pages=TEA).vector.unit)
    assert with_empty.fits[-1] == 0.0


def test_a_misfit_is_logged_with_its_words(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        Topic.from_seeds("tea", ["https://a.example/"], tmp_path).learn([*TEA, STRANGER])
    assert [record.getMessage() for record in caplog.records if "数据库索引" in record.getMessage()]
    assert len(caplog.records) == 1


@pytest.mark.parametrize("pages", [[], [Extraction()], [Extraction(title="的", body="。。。")]])
def test_nothing_to_learn_is_an_error(tmp_path: Path, pages: list[Extraction]) -> None:
    with pytest.raises(TopicError, match=r"nothing can be learned of topic 'tea'.*give keywords"):
        Topic.from_seeds("tea", ["https://a.example/"], tmp_path).learn(pages)


@pytest.mark.parametrize(("common", "rare"), [("我们", "机器"), ("学习", "神经网络"), ("工作", "kubernetes")])
def test_rare_words_weigh_more(common: str, rare: str) -> None:
    assert 0 < idf(common) < idf(rare) < 14
