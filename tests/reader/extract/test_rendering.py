import pytest
from hypothesis import given, strategies as st

from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import block_table
from crawler.reader.extract.rendering import Rendering
from crawler.reader.html.page import Page

GRID = "<table><tr><th>月份<th>班次<th>备注</tr><tr><td>三月<td><td>停|航</tr><tr><td>四月<td>8 班</tr></table>"
# Cells that reach over two columns, two rows, and to the end of the table's body.
SPANS = (
    "<table><thead><tr><th>渡口<th colspan=2>班次</thead><tbody>"
    "<tr><td rowspan=2>上游<td>早<td>8</tr><tr><td>晚<td>6</tr>"
    "<tr><td rowspan=9>下游<td>早<td>4</tr><tr><td>晚<td>2</tr></tbody><tbody><tr><td>合计<td>全天<td>20</tr></table>"
)
SPANS_TEXT = "渡口\t班次\n上游\t早\t8\n\t晚\t6\n下游\t早\t4\n\t晚\t2\n合计\t全天\t20"
SPANS_MARKDOWN = """
| 渡口 | 班次 |  |
| --- | --- | --- |
| 上游 | 早 | 8 |
|  | 晚 | 6 |
| 下游 | 早 | 4 |
|  | 晚 | 2 |
| 合计 | 全天 | 20 |
""".strip()
CODE = "<pre><code>if a:\n    b = 1\n\n    c</code></pre>"


def rendering(markup: str) -> tuple[Rendering, list[int]]:
    table = block_table(read_blocks(Page(markup)), "")
    return Rendering(table), list(range(len(table.owners)))


@pytest.mark.parametrize(
    ("markup", "text", "markdown"),
    [
        ("<p>一 二</p><p>b  c</p>", "一二\nb c", "一二\n\nb c"),
        ("<h2>题</h2><p>文", "题\n文", "## 题\n\n文"),
        ("<p>春眠<br>不觉晓</p>", "春眠\n不觉晓", "春眠  \n不觉晓"),
        (
            f"<p>表</p>{GRID}<p>完",
            "表\n月份\t班次\t备注\n三月\t\t停|航\n四月\t8 班\n完",
            "表\n\n| 月份 | 班次 | 备注 |\n| --- | --- | --- |\n| 三月 |  | 停\\|航 |\n| 四月 | 8 班 |  |\n\n完",
        ),
        (SPANS, SPANS_TEXT, SPANS_MARKDOWN),
        ("<pre class='brush: py;'>a</pre>", "a", "```py\na\n```"),
        ("<pre><p>问</p><p>答</p></pre>", "问\n答", "问\n\n答"),
        (CODE, "if a:\n    b = 1\n\n    c", "```\nif a:\n    b = 1\n\n    c\n```"),
        ("<pre>```\nx</pre>", "```\nx", "````\n```\nx\n````"),
        (
            "<ul><li>甲<li>乙<ol><li>丙</ol></ul><p>丁",
            "甲\n乙\n丙\n丁",
            "- 甲\n- 乙\n    1. 丙\n\n丁",
        ),
        ("<ul><li><p>甲</p><p>续</p></ul>", "甲\n续", "- 甲\n\n    续"),
        ("<blockquote><p>引</p></blockquote>", "引", "> 引"),
        ("<p># 不是题</p><p>1. 不是项</p><p>-5 度", "# 不是题\n1. 不是项\n-5 度", "\\# 不是题\n\n1\\. 不是项\n\n-5 度"),
    ],
)
def test_written(markup: str, text: str, markdown: str) -> None:
    writer, rows = rendering(markup)
    assert writer.text(rows) == text
    assert writer.markdown(rows) == markdown


TAGS = [
    "<ul>",
    "<li>",
    "</ul>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<pre>",
    "</pre>",
    "<h1>",
    "</h1>",
    "<p>",
    "字",
    "x|",
]


@given(st.lists(st.sampled_from(TAGS), max_size=30))
def test_nothing_is_lost(pieces: list[str]) -> None:
    markup = "".join(pieces) + "<p>末"
    writer, rows = rendering(markup)
    letters = "".join(writer.table.blocks.texts)
    for written in (writer.text(rows), writer.markdown(rows)):
        assert written.count("字") == letters.count("字")
        assert written.count("x") == letters.count("x")
