import pytest
from hypothesis import given, strategies as st

from crawler.reader.extract.blocks import read_blocks
from crawler.reader.html.page import Page

TAGS = [
    "<div>",
    "</div>",
    "<p class=a>",
    "<br>",
    "<b>",
    "</b>",
    "<a href=x>",
    "</a>",
    "<pre>",
    "</pre>",
    "<td>",
    "字",
    "x ",
]


@pytest.mark.parametrize(
    ("markup", "texts"),
    [
        ("", []),
        ("<p>一</p>二", ["一", "二"]),
        ("一<br>二<br/><b>三</b>", ["一", "二", "三"]),
        ("<p>a <b>b</b> <i>c</i></p>", ["a b c"]),
        ("<p>一<!-- 不见 -->二</p>", ["一二"]),
        ("<div>一<div></div>二</div>", ["一", "二"]),
        ("<p style='Display: inline-block'>一</p><p style='float:left'>二</p><div>三</div>", ["一二", "三"]),
        ("<p style='display:inline'>一二三</p><p style='x-display:inline'>一</p>", ["一二三", "一"]),
        ("<script>x</script><p>一</p><select><option>二</select>", ["一"]),
        ("<pre>a\n  b\n</pre>", ["a\n  b"]),
        ("<table><tr><td>一<td>二</table>", ["一", "二"]),
        ("<p>一</p></body></html><p>二</p>", ["一", "二"]),
        ("<p style='display:none'>一</p>", ["一"]),
        ("一<span style='display:none'>x y</span>二", ["一二"]),
        ("一<font style='font-size:0px;color:#FFF'>x</font>二<font class=jammer>y</font><br>三", ["一二", "三"]),
        ("一<span style='display:none'><p>二</p></span>", ["一", "二"]),
        ("一<span id=b style='display:none'>二</span><span style='font-size:0.9em'>三</span>", ["一三"]),
        ("一<span id=b style='display:none'>二</span><a href='#b'>三</a>", ["一二三"]),  # a reader opens it
        ("<frameset><noframes><body><p>一</p></noframes></frameset>", ["一"]),
        ("<div><template shadowrootmode=open><p>一</p></template></div>", ["一"]),
        ("<template><p>一</p></template>二", ["二"]),
        ("<p>一<sup><a href=#1>[1]</a></sup>二<sup class=ref> [3-4] </sup>三<sup>［注2］</sup></p>", ["一二三"]),
        ("<p>3 m<sup>2</sup>，x<sup>[n+1]</sup></p>", ["3 m^2，x[n+1]"]),
        ("<h2>历史<span class=mw-editsection>[<a href=x>编辑</a>]</span></h2>", ["历史"]),
        ("<noscript><p>一</p></noscript>", ["一"]),
        ("<noscript><p>一</p></noscript><p>" + "字" * 500, ["字" * 500]),
        pytest.param("<p>一</p>" * 12_000, ["一"] * 12_000, id="a diary of many days"),
    ],
)
def test_texts(markup: str, texts: list[str]) -> None:
    assert read_blocks(Page(markup)).texts == texts


def test_columns() -> None:
    blocks = read_blocks(Page("<div class=nav><a href=/>首页</a> 与 <b>粗</b></div><div><p>正文</p></div>"))
    assert [blocks.tags[row] for row in blocks.owners] == ["div", "p"]
    columns = (blocks.link_chars, blocks.link_counts, blocks.styled_chars)
    assert [column.tolist() for column in columns] == [[2, 0], [1, 0], [1, 0]]
    assert blocks.tags == ["html", "body", "div", "div", "p"]
    assert blocks.parents.tolist() == [0, 0, 1, 1, 3]
    assert blocks.depths.tolist() == [0, 1, 2, 2, 3]
    assert (blocks.first.tolist(), blocks.last.tolist()) == ([0, 0, 0, 1, 1], [2, 2, 1, 2, 2])
    assert blocks.kinds[2] != blocks.kinds[3]
    assert blocks.paths[2] == blocks.paths[3]


@given(st.lists(st.sampled_from(TAGS), max_size=40))
def test_blocks_lie_in_their_elements(pieces: list[str]) -> None:
    blocks = read_blocks(Page("".join(pieces)))
    for place, (text, owner) in enumerate(zip(blocks.texts, blocks.owners, strict=True)):
        assert text.strip()
        row = owner
        while True:
            assert blocks.first[row] <= place < blocks.last[row]
            if not row:
                break
            assert blocks.parents[row] < row
            row = blocks.parents[row]


@pytest.mark.parametrize(("breaks", "linked"), [(4, True), (5, False)])
def test_a_link_of_many_lines_is_a_text(breaks: int, linked: bool) -> None:
    blocks = read_blocks(Page(f"<div><a href=/1>{'渡口今年重开。<br>' * breaks}</a><a href=/2>下一篇</a></div>"))
    assert (blocks.link_chars[:breaks] > 0).tolist() == [linked] * breaks
    assert blocks.link_chars[-1] == len("下一篇")


def test_readings_above_characters_are_no_text() -> None:
    word = "<ruby>渡<rp>(</rp><rt>dù</rt><rp>)</rp>口<rp>(</rp><rt>kǒu</rt><rp>)</rp></ruby>"
    page = Page(f"<p>老{word}停航</p>")
    assert read_blocks(page).texts == [line.text for line in page.layout.lines] == ["老渡口停航"]
