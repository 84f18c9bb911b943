"""The contract of every extractor."""

import pytest
from hypothesis import given, strategies as st
from lxml import etree

from crawler.errors import SettingError
from crawler.extractors import EXTRACTORS, Extractor, extractor
from crawler.reader.html.page import Page
from crawler.records import PageKind

SENTENCE = "五月一日到五日放假，请各单位安排好值班人员，并在节前检查门窗和电源。"
ARTICLE = (
    "<html><head><title>放假通知 - 某站</title></head><body><div><a href='/'>首页</a> <a href='/n'>新闻</a></div>"
    f"<div><h1>放假通知</h1><p>2015-11-08</p><p>{SENTENCE}{SENTENCE}</p><p>{SENTENCE}</p></div>"
    "<ul><li><a href='/1'>别的通知</a></li><li><a href='/2'>更早的通知</a></li></ul></body></html>"
)
DEEP = "<div>" * 5000 + f"<p>{SENTENCE}</p>" + "</div>" * 5000
TAGS = "<div> </div> <p> <table><tr><td> </table> <pre> </a> <h1> <br> <!-- --> <title> </body> <frameset>"
PIECES = st.sampled_from([*TAGS.split(), "<a href=x>", "<font size=x>", "<time datetime=y>", SENTENCE, "2015-11-08"])

every_extractor = pytest.mark.parametrize("extract", EXTRACTORS.values(), ids=EXTRACTORS.keys())


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(SettingError, match=r"unknown extractor 'fancy'.*plain"):
        extractor("fancy")


@every_extractor
def test_an_article(extract: Extractor) -> None:
    found = extract(Page(ARTICLE, "http://a.cn/1"))
    assert found.title == "放假通知"
    assert found.published == "2015-11-08"
    assert found.kind is PageKind.ARTICLE
    assert not found.reason
    assert found.body.replace("\n\n", "\n") == f"{SENTENCE}{SENTENCE}\n{SENTENCE}"


@every_extractor
def test_leaves_the_page_alone(extract: Extractor) -> None:
    page = Page(ARTICLE, "http://a.cn/1")
    before = etree.tostring(page.tree)
    extract(page)
    assert etree.tostring(page.tree) == before


@every_extractor
@pytest.mark.parametrize("markup", ["", "<script>var x = 1</script>", "<p> </p>", "<frameset><frame src=a></frameset>"])
def test_an_empty_page_says_why(extract: Extractor, markup: str) -> None:
    found = extract(Page(markup))
    assert found.body == ""
    assert found.kind is PageKind.OTHER
    assert str(found.reason).endswith(".")


@every_extractor
def test_a_page_of_links_has_no_body(extract: Extractor) -> None:
    found = extract(Page("".join(f"<li><a href='{n}'>第{n}篇关于排序的文章</a></li>" for n in range(30))))
    assert found.body == ""
    assert found.kind is PageKind.LIST
    assert found.reason


@every_extractor
def test_five_thousand_nested_divs(extract: Extractor) -> None:
    assert extract(Page(DEEP)).body == SENTENCE


@every_extractor
@given(pieces=st.lists(PIECES | st.text(max_size=4), max_size=30))
def test_never_raises_and_is_deterministic(extract: Extractor, pieces: list[str]) -> None:
    markup = "".join(pieces)
    first = extract(Page(markup, "http://a.cn/"))
    assert first == extract(Page(markup, "http://a.cn/"))
    assert bool(first.body) != bool(first.reason)


@every_extractor
def test_its_own_output_stays(extract: Extractor) -> None:
    """papers.md 11: extraction is idempotent on its own plain output wrapped in `<p>`."""
    body = extract(Page(ARTICLE)).body
    again = extract(Page("".join(f"<p>{line}</p>" for line in body.splitlines()))).body
    assert again == body
