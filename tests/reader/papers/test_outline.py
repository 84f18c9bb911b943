"""Papers' view of a page: numbers, leaves, lines."""

from hypothesis import given, strategies as st
from lxml import etree

from crawler.reader.html.page import Page
from crawler.reader.papers.outline import NO_TEXT, VOID, Cleaning, Outline, tags

MARKUP = "<div> </div> <p> <b> </b> <br> <td> <span> </span> <!--x--> 甲乙 text </a>"
PIECES = st.sampled_from([*MARKUP.split(), "<a href=x>"])
INLINE = tags("b span a")


def outlined(markup: str, cleaning: Cleaning | None = None) -> Outline:
    return Outline.of(Page(markup), cleaning or Cleaning())


def texts(outline: Outline) -> list[str]:
    return [paragraph.text for paragraph in outline.paragraphs(range(len(outline.leaves)))]


def test_nodes_are_numbered_in_document_order() -> None:
    outline = outlined("<div><p>甲</p></div><p>乙</p>")
    assert [node.tag for node in outline.nodes] == ["html", "body", "div", "p", "p"]
    assert [node.last for node in outline.nodes] == [4, 4, 3, 3, 4]
    assert [outline.path(outline.nodes[leaf.node].path) for leaf in outline.leaves] == [
        "html/body/div/p",
        "html/body/p",
    ]


def test_inline_elements_do_not_end_a_paragraph_but_breaks_do() -> None:
    assert texts(outlined("<p>甲<b>乙</b>丙<br>丁</p>戊")) == ["甲乙丙", "丁", "戊"]


def test_the_blank_between_inline_elements_stays() -> None:
    assert texts(outlined("<p><i>one</i> <b>two</b>three</p>")) == ["one twothree"]


def test_unwrapped_tags_leave_their_text_to_the_element_around() -> None:
    cleaning = Cleaning(unwrapped=tags("b a"))
    outline = outlined("<p>甲<b>乙</b>丙<a>丁</a><a href=x>戊</a></p>", cleaning)
    assert [(leaf.raw, leaf.linked) for leaf in outline.leaves] == [("甲乙丙丁", False), ("戊", True)]


def test_dropped_and_hidden_elements_go_with_their_content() -> None:
    outline = outlined("<form>甲</form>乙<script>丙</script><p style='display: none'>丁</p><p hidden>戊</p>己")
    assert texts(outline) == ["甲", "乙", "己"]
    assert texts(outlined("<form>甲</form>乙", Cleaning(dropped=NO_TEXT | {"form"}))) == ["乙"]
    assert texts(outlined("<p hidden>戊</p>", Cleaning(hidden=False))) == ["戊"]


def test_void_elements_need_no_number() -> None:
    outline = outlined("<p>甲<br>乙<img></p>", Cleaning(unnumbered=VOID))
    assert [node.tag for node in outline.nodes] == ["html", "body", "p"]
    assert len(outline.leaves) == 2


def test_hard_spaces_are_counted_where_they_stand() -> None:
    outline = outlined("<div>&nbsp;&nbsp;甲<p>&#160;</p></div>")
    assert [(node.tag, count) for node, count in zip(outline.nodes, outline.spaces, strict=True) if count] == [
        ("div", 2),
        ("p", 1),
    ]


def test_linked_share_of_a_paragraph() -> None:
    outline = outlined("<p>甲乙<a href=x>丙丁</a></p>")
    assert [paragraph.linked for paragraph in outline.paragraphs([0, 1])] == [0.5]


@given(pieces=st.lists(PIECES, max_size=40))
def test_no_text_is_lost_and_subtrees_nest(pieces: list[str]) -> None:
    page = Page("".join(pieces))
    before = etree.tostring(page.tree)
    for cleaning in (Cleaning(), Cleaning(unwrapped=INLINE)):
        outline = Outline.of(page, cleaning)
        found = "".join("".join(leaf.raw.split()) for leaf in outline.leaves)
        assert found == "".join("".join(page.tree.itertext()).split())
        for place, node in enumerate(outline.nodes):
            assert place <= node.last <= outline.nodes[max(node.parent, 0)].last
        assert [leaf.line for leaf in outline.leaves] == sorted(leaf.line for leaf in outline.leaves)
    assert etree.tostring(page.tree) == before
