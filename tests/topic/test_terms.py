import pytest

from crawler.reader.text.tokens import Tokenizer
from crawler.records import Extraction
from crawler.topic.vector import TITLE_FACTOR, page_terms, with_subjects

PAGE = Extraction(title="神经网络 入门", body="神经网络 神经网络 神经网络 神经网络 训练")


def test_a_title_word_counts_as_three() -> None:
    terms = page_terms(Tokenizer(["神经网络"]), PAGE)
    frequencies = {term: terms.body[term] + TITLE_FACTOR * terms.title[term] for term in terms.title | terms.body}
    assert frequencies == {"神经网络": 7, "训练": 1, "入门": 3}


def test_damped_takes_roots_of_title_and_body_apart() -> None:
    assert page_terms(Tokenizer(["神经网络"]), PAGE).damped() == pytest.approx(
        {"神经网络": 2 + 3, "训练": 1, "入门": 3}
    )


def test_total_counts_every_token() -> None:
    assert page_terms(Tokenizer(["神经网络"]), PAGE).total == 7
    assert page_terms(Tokenizer(), Extraction()).total == 0


def test_subjects_weigh_as_much_as_all_the_rest() -> None:
    assert with_subjects({"训练": 3.0, "入门": 4.0}, {"入门", "网络", "图论", "算法"}) == pytest.approx(
        {"训练": 3, "入门": 4 + 2.5, "网络": 2.5, "图论": 2.5, "算法": 2.5}
    )
    assert with_subjects({}, {"图论"}) == {"图论": 1.0}
    assert with_subjects({"训练": 3.0}, set()) == {"训练": 3.0}
