"""The way to the content, on one page and over pages of a template (papers.md 6.2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.papers.outline import Outline
from crawler.extract.papers.tree_path.tree_path import (
    READING,
    PathTemplates,
    Step,
    follow,
    pruned_text,
    steps,
    tree_path,
)
from crawler.html.page import Page

SENTENCE = "雨停以后，院子里的孩子们又跑了出来，踩着水洼追一只皮球。"
MENU = "<title>雨</title><div class=menu><a href=/>首页</a><ul><li>新闻</li></ul></div><h1>雨</h1>"
MARKUP = "<div> </div> <p> <ul> <li> <table><tr><td> 甲乙丙 丁。"
PIECES = st.sampled_from([*MARKUP.split(), "<a href=x>", "</a>", "<div id=a>"])


def page(text: str, note: str = "编者的话，供参考。") -> str:
    return f"{MENU}<div id=main><h2>小标题</h2><p>{text}</p><p>{SENTENCE}</p></div><div id=note>{note}</div>"


def test_noise_nodes_are_left_out_while_the_way_is_sought() -> None:
    outline = Outline.of(Page(page(SENTENCE)), READING)
    text = pruned_text(outline)
    menu = next(place for place, node in enumerate(outline.nodes) if node.element.get("class") == "menu")
    assert text[menu] == 0
    assert text[0] == 1 + 2 * len(SENTENCE) + len("编者的话，供参考。")


def test_headings_stay_in_the_text() -> None:
    assert tree_path(Page(page(SENTENCE))).body == f"小标题\n{SENTENCE}\n{SENTENCE}"


def test_pages_of_a_template_are_read_by_its_way() -> None:
    templates = PathTemplates.learn([Page(page(SENTENCE)), Page(page(SENTENCE * 2))], seed=1)
    ((_, way),) = templates.clusters
    assert way[-1] == Step(("div", (("id", "main"),)), 0)
    found = templates(Page(page("短。", note=SENTENCE * 9)))
    assert found.body == f"小标题\n短。\n{SENTENCE}"


@pytest.mark.parametrize("markup", [f"<table><tr><td>{SENTENCE}</td></tr></table>", ""])
def test_a_page_of_no_template_is_read_by_itself(markup: str) -> None:
    templates = PathTemplates.learn([Page(page(SENTENCE))], seed=1)
    assert templates(Page(markup)).body == tree_path(Page(markup)).body


@given(pieces=st.lists(PIECES, max_size=30))
def test_the_way_to_a_node_leads_to_it(pieces: list[str]) -> None:
    outline = Outline.of(Page("".join(pieces)), READING)
    for node in range(len(outline.nodes)):
        assert follow(outline, list(steps(outline, node))) == node
