"""Charts are well-formed, hold every line and name, and keep within their frame."""

from xml.etree import ElementTree

import pytest

from lab.links.chart import HEIGHT, WIDTH, Line, line_chart

SVG = "{http://www.w3.org/2000/svg}"


def drawn(lines: list[Line]) -> ElementTree.Element:
    return ElementTree.fromstring(line_chart("A <title> & more", "pages", lines))


@pytest.mark.parametrize("count", [1, 2, 18, 30])
def test_every_line_and_its_name(count: int) -> None:
    lines = [Line(f"policy <{n}>", (10, 20, 1000), (0.0, 0.5, n / 40)) for n in range(count)]
    tree = drawn(lines)
    assert len(tree.findall(f"{SVG}polyline")) == count
    texts = [text.text or "" for text in tree.findall(f"{SVG}text")]
    assert "A <title> & more" in texts
    assert sum(text.startswith("policy <") for text in texts) == count
    strokes = {(line.get("stroke"), line.get("stroke-dasharray")) for line in tree.findall(f"{SVG}polyline")}
    assert len(strokes) == min(count, 28)


@pytest.mark.parametrize("rates", [(0.0, 0.0), (1.0, 1.0), (1e-4, 3e-4), (0.31, 0.97)])
@pytest.mark.parametrize("end", [2, 7, 100, 1000, 123_456])
def test_within_the_frame(rates: tuple[float, float], end: int) -> None:
    tree = drawn([Line("a", (1, end), rates), Line("b", (1, end), rates)])
    points = [point.split(",") for line in tree.findall(f"{SVG}polyline") for point in line.get("points", "").split()]
    assert all(0 <= float(x) <= WIDTH and 0 <= float(y) <= HEIGHT for x, y in points)
    places = [(float(text.get("x", 0)), float(text.get("y", 0))) for text in tree.findall(f"{SVG}text")]
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in places)
    assert len(places) == len(set(places))
