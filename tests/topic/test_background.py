import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from crawler.errors import ModelError
from crawler.topic.learn import BACKGROUND, Background, load_background
from lab.background import save

COUNTS = {"方法": 90, "茶汤": 3}


@pytest.mark.parametrize(("common", "rare"), [("方法", "算法"), ("学习", "神经网络"), ("return", "kubernetes")])
def test_rare_words_weigh_more(common: str, rare: str) -> None:
    background = load_background()
    assert 0 < background.idf(common) < background.idf(rare) < background.idf("祁门红茶")


@given(st.integers(1, 10_000), st.data())
def test_idf_is_positive_and_falls_with_the_pages(pages: int, data: st.DataObject) -> None:
    one, more = sorted(data.draw(st.tuples(st.integers(1, pages), st.integers(1, pages))))
    background = Background(pages, {"one": one, "more": more})
    assert background.idf("unknown") >= background.idf("one") >= background.idf("more") > 0


def test_it_is_kept_in_a_file(tmp_path: Path) -> None:
    save(Background(100, COUNTS), tmp_path / "background.json")
    assert load_background(tmp_path / "background.json") == Background(100, COUNTS)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "[]",
        '{"version": 1, "pages": 2}',
        '{"version": 0, "pages": 100, "terms": {}}',
        '{"version": 1, "pages": 2, "terms": {"a": 3}}',
        '{"version": 1, "pages": 2, "terms": {"a": 0}}',
        '{"version": 1, "pages": 2, "terms": ["a"]}',
    ],
)
def test_a_broken_file_is_told_in_a_sentence(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "background.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=r"background.json is not a model .*python -m lab train background"):
        load_background(path)


def test_the_one_that_comes_with_the_project_is_counted_on_many_pages() -> None:
    record = json.loads(BACKGROUND.read_text(encoding="utf-8"))
    assert record["pages"] > 1000
    assert min(record["terms"].values()) >= 5
