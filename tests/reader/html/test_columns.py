from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from crawler.reader.html.columns import MAX_COLUMNS, places_of
from crawler.reader.html.tree import parse


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ("<tr><td>a<td>b<tr><th>c<td>d", [0, 1, 0, 1]),
        ("<tr><td colspan=2>a<td>b<tr><td>c<td>d<td>e", [0, 2, 0, 1, 2]),
        ("<tr><td rowspan=2>a<td>b<tr><td>c<tr><td>d", [0, 1, 1, 0]),
        ("<tr><td>a<td rowspan=3>b<td>c<tr><td>d<td>e<tr><td>f<td>g<tr><td>h<td>i", [0, 1, 2, 0, 2, 0, 2, 0, 1]),
        ("<tr><td rowspan=2 colspan=2>a<td>b<tr><td>c", [0, 2, 2]),
        ("<tr><td colspan=0>a<td rowspan=x>b<td colspan=-1>c<tr><td>d", [0, 1, 2, 0]),
        ("<tr><td colspan=99999999999>a<td>b<tr><td>c", [0, MAX_COLUMNS - 1, 0]),
        ("<tr><td colspan=２>a<td>b", [0, 1]),
    ],
)
def test_columns(rows: str, columns: list[int]) -> None:
    tree = parse(f"<table><tbody>{rows}</table>")
    places = places_of(next(tree.iter("tbody")))
    assert [places[cell].column for cell in tree.iter("td", "th")] == columns


def test_columns_beyond_a_rows_own_cells() -> None:
    tree = parse("<table><tbody><tr><td rowspan=2>a<td>b<td colspan=2>c<tr><td>d<td>e<td>f</table>")
    places = places_of(next(tree.iter("tbody")))
    assert [places[cell].beyond for cell in tree.iter("td")] == [0, 0, 1, 1, 1, 1]


SPAN = st.integers(-2, 200)


@given(st.lists(st.lists(st.tuples(SPAN, SPAN), max_size=6), max_size=6))
def test_cells_of_a_row_stand_one_behind_the_other(rows: list[list[tuple[int, int]]]) -> None:
    cells = ("".join(f"<td colspan={wide} rowspan={high}>x" for wide, high in row) for row in rows)
    tree = parse("<table><tbody>" + "".join(f"<tr>{row}" for row in cells) + "</table>")
    for group in tree.iter("tbody"):
        places = places_of(group)
        for row in group:
            columns = [places[cell].column for cell in row]
            assert all(one < other or other == MAX_COLUMNS - 1 for one, other in pairwise(columns))
