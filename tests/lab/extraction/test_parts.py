from pathlib import Path

import pytest

pytest.importorskip("rapidfuzz")

from lab.extraction.labelled import LabelledPage
from lab.extraction.parts import Cell, measured, similarity, tables_of

PROSE = "渡口的船每天开八班，船工把时刻写在木牌上，风大的日子就在旁边添一行小字，请大家改走上游的桥。"
GRID = "<table><tr><th>月份<th>班次</tr><tr><td>三月<td>8</tr><tr><td>四月<td>6 | 4</tr></table>"
PAGE = (
    f"<title>木牌</title><h1>木牌</h1><div class=content><p>{PROSE}</p><p>{PROSE[20:]}</p>"
    f"<pre class='brush: py'>row(boat)\nrest()</pre>{GRID}<p>{PROSE[9:]}</p></div><pre>elsewhere</pre>"
)


def test_what_is_kept_of_a_page(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(PAGE, encoding="utf-8")
    body = f"{PROSE}\n{PROSE[20:]}\nrow(boat)\nrest()\n月份 班次 三月 8 四月 6 4\n{PROSE[9:]}"
    label = LabelledPage("zh/a/1", "a", "zh", "article", "", body, "木牌", None, path)
    found = measured(label)
    assert found is not None
    assert (found.code, found.named, found.tables) == (1.0, (1, 1), [1.0])


ROWS = [[Cell("a"), Cell("b")], [Cell("c"), Cell("d")]]


@pytest.mark.parametrize(
    ("found", "teds"),
    [
        (ROWS, 1.0),
        (ROWS[:1], 1 - 3 / 7),  # a row and its two cells
        ([ROWS[0], [Cell("c"), Cell("x")]], 1 - 1 / 7),
        ([ROWS[0], [Cell("c"), Cell("d", columns=2)]], 1 - 1 / 7),
        ([[Cell("a"), Cell("b"), Cell("e")], ROWS[1]], 1 - 1 / 8),
    ],
)
def test_tables_are_as_alike_as_their_trees(found: list[list[Cell]], teds: float) -> None:
    assert similarity(ROWS, found) == pytest.approx(teds)


def test_tables_of_markdown() -> None:
    written = "文\n\n| a | b |\n| --- | --- |\n| c\\|c |  |\n\n> | d | e |\n> | --- | --- |"
    assert tables_of(written) == [[[Cell("a"), Cell("b")], [Cell("c|c"), Cell("")]], [[Cell("d"), Cell("e")]]]
