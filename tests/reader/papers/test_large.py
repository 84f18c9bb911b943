"""Ten megabytes and thousands of levels: the papers' extractors take time in step with the page."""

import pytest
from lxml.html import HtmlElement

from crawler.extractors import EXTRACTORS
from crawler.reader.html.page import Page

SENTENCE = "今年的雨水比往年来得早，河边的柳树已经发了新芽，大家都说是个好年景。"
NAMES = ["density-svm", "segmentation", "pso", "pso-published", "tree-path", "decay", "fused"]


@pytest.fixture(scope="module")
def large() -> HtmlElement:
    return Page(f"<div class=c><p>{SENTENCE}</p>" * 80_000)


@pytest.mark.parametrize("name", NAMES)
def test_ten_megabytes_of_open_divs(name: str, large: HtmlElement) -> None:
    found = EXTRACTORS[name](large)
    assert found.body.startswith(SENTENCE)
    assert set(found.body) - {"\n", " "} == set(SENTENCE)
