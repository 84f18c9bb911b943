import numpy as np
import pytest

from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import BlockTable, block_table
from crawler.reader.extract.structure import data_tables, with_parts, with_siblings
from crawler.reader.html.page import Page

ONE = "渡口在村子的东头，每天清早有一班船，坐得下十二个人。"
TWO = "到了腊月，河面结冰，船就停了，要等到开春以后才有第二班。"
GRID = "<table><tr><th>月份<th>班次</tr><tr><td>三月<td>6</tr><tr><td>四月<td>8</tr></table>"


def table_of(markup: str) -> BlockTable:
    return block_table(read_blocks(Page(markup)), "")


def completed(markup: str, *chosen: str, tables: bool = True) -> list[str]:
    table = table_of(markup)
    taken = np.array([text in chosen for text in table.blocks.texts])
    whole = with_parts(table, taken, tables)
    return [text for text, own in zip(table.blocks.texts, whole, strict=True) if own]


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("<pre>a = 1\n  b</pre>", ["a = 1\n  b"]),
        ("<figure><table><tr><td class=code><pre>SELECT 1;</pre></table></figure>", ["SELECT 1;"]),
        (GRID, ["月份", "班次", "三月", "6", "四月", "8"]),
        ("<h3>开船</h3>", ["开船"]),
        # what is not a part of a text
        ("<pre><a href=/1>一</a> <a href=/2>二</a></pre>", []),
        ("<h3>相关阅读</h3><p>别的文章</p>", []),
        ("<table><tr><td><a href=/1>一</a><td><a href=/2>二</a></tr><tr><td><a href=/3>三</a><td>四</tr></table>", []),
        (f"<table><tr><td>{ONE * 9}<td>侧栏</tr><tr><td>页脚<td>备案</tr></table>", []),
    ],
)
def test_parts_of_a_body(between: str, expected: list[str]) -> None:
    markup = f"<div><p>{ONE}</p>{between}<p>{TWO}</p></div>"
    assert completed(markup, ONE, TWO) == [ONE, *expected, TWO]


def test_a_program_ends_a_post_but_one_of_the_page_does_not() -> None:
    inside, outside = "<pre>make all</pre>", "<pre>counter 12</pre>"
    markup = f"<body><div><p>{ONE}</p><p>{TWO}</p>{inside}</div><div>{outside}</div>"
    assert completed(markup, ONE, TWO) == [ONE, TWO, "make all"]


def test_a_table_in_a_thread_may_be_a_post() -> None:
    assert completed(f"<div><p>{ONE}</p>{GRID}<p>{TWO}</p></div>", ONE, TWO, tables=False) == [ONE, TWO]


@pytest.mark.parametrize(
    ("markup", "number"),
    [
        (GRID, 1),
        (f"<table><tr><td>{GRID}<td>侧栏</tr></table>", 1),  # the inner one alone
        ("<table><tr><td>一</tr><tr><td>二</tr></table>", 0),
        ("<table><tr><td>一<td>二</tr></table>", 0),
        ("", 0),
    ],
)
def test_tables_with_data(markup: str, number: int) -> None:
    table = table_of(f"<p>{ONE}</p>{markup}")
    assert len(data_tables(table, 0, len(table.owners))) == number


@pytest.mark.parametrize(
    ("markup", "chances", "kept"),
    [
        ("<div><p>一<p>二<p>三</div>", [0.9, 0.1, 0.06], [True, True, True]),
        ("<div><p>一<p>二<p>三</div>", [0.9, 0.01, 0.9], [True, False, False]),
        ("<div><p>一<p><a href=/>二</a><p>三</div>", [0.9, 0.1, 0.1], [True, False, False]),
        ("<p>一<br>二<br>三</p>", [0.9, 0.1, 0.1], [True, True, True]),
        ("<div>一</div><div>二</div><p>三</p>", [0.9, 0.1, 0.1], [True, False, False]),
    ],
)
def test_paragraphs_go_together(markup: str, chances: list[float], kept: list[bool]) -> None:
    taken = np.array([True, False, False])
    assert with_siblings(table_of(markup), taken, np.array(chances, np.float32)).tolist() == kept
