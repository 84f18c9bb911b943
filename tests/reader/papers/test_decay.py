"""Example D9 of papers.md 6.4."""

import numpy as np
import pytest

from crawler.reader.html.page import Page
from crawler.reader.papers.decay import CLEANING, decay, lost, main_area
from crawler.reader.papers.outline import Outline

INFORMATION = {"html": 1000, "body": 1000, "outer": 950, "story": 900, "part": 300}


def test_d9_the_way_stops_before_the_great_decay() -> None:
    page = Outline.of(
        Page("<div id=outer><div id=story><div id=part>甲</div><div id=rest>乙</div></div></div>"), CLEANING
    )
    names = [node.element.get("id") or node.tag for node in page.nodes]
    information = np.array([INFORMATION.get(name, 0) for name in names])
    assert names[main_area(page, information)] == "story"


def test_d9_what_is_lost() -> None:
    assert lost(1000, 950) == pytest.approx(0.05)
    assert lost(950, 900) == pytest.approx(0.052632, abs=1e-6)
    assert lost(900, 300) == pytest.approx(0.666667, abs=1e-6)


def test_a_page_without_information_has_no_body() -> None:
    assert decay(Page("<a href=x>甲乙丙</a>")).body == ""


def test_children_of_links_are_pruned() -> None:
    text = "他把信又看了一遍，折好，放回抽屉里。" * 4
    links = "<ul><li><a href=1>相关的一篇</a></li><li><a href=2>相关的另一篇</a></li></ul>"
    assert decay(Page(f"<div><p>{text}</p><p>{text}</p>{links}</div>")).body == f"{text}\n{text}"
