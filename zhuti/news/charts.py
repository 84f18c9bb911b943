"""Charts as SVG without scripts: a curve, and bars upon one another."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import pygal
from markupsafe import Markup
from pygal.style import Style

# Pygal finds its maps by an import hook of a kind that Python no longer calls; it would warn at each later import.
sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, pygal.PluginImportFixer)]
POINTS = 300  # of a curve, at most
LEAST_BARS = 12  # bars of a chart, with empty places
LABELS = 8  # of an x axis, at most
LINES = 5  # of a y axis, at most
INK, FAINT, LINE = "#1f2933", "#7b8794", "#e4e7eb"
STYLE = Style(
    background="transparent",
    plot_background="transparent",
    foreground=FAINT,
    foreground_strong=INK,
    foreground_subtle=LINE,
    guide_stroke_color=LINE,
    guide_stroke_dasharray="0",
    major_guide_stroke_color=LINE,
    major_guide_stroke_dasharray="0",
    opacity="1",
    opacity_hover=".8",
    stroke_width="2.5",
    colors=("#2563eb", "#cbd5e1"),  # what is on topic, and the rest
    font_family="inherit",
    label_font_size=13,
    major_label_font_size=13,
    legend_font_size=13,
    tooltip_font_size=13,
    no_data_font_size=16,
)


def curve(name: str, points: Sequence[tuple[float, float]], is_share: bool = True) -> Markup:
    """A line over `points`. `is_share`: whether their second values are in [0, 1]."""
    every = -(-len(points) // POINTS) or 1
    shown = [*points[::every], *points[-1:]]
    chart = pygal.XY(**_options(height=230), show_legend=False)
    if is_share:
        chart.range, chart.y_labels = (0, 1), [0, 0.25, 0.5, 0.75, 1]
    chart.add(name, shown, show_dots=False, stroke_style={"width": 2.5})
    chart.x_labels = _round_steps(points[-1][0], LABELS) if points else []
    return _markup(chart)


def bars(labels: Sequence[str], series: Mapping[str, Sequence[float]]) -> Markup:
    """Bars that stand upon one another, the first of `series` below. Of many labels only some are written."""
    spare = max(0, LEAST_BARS - len(labels))  # or one bar would be as wide as the chart
    labels = [*labels, *[""] * spare]
    chart = pygal.StackedBar(**_options(height=230), legend_at_bottom=True, legend_box_size=11, spacing=12)
    chart.x_labels = labels
    chart.x_labels_major = labels[:: -(-len(labels) // LABELS) or 1]
    chart.show_minor_x_labels = False
    highest = max(map(sum, zip(*series.values(), strict=True)), default=0)
    chart.y_labels = _round_steps(highest, LINES)
    for name, values in series.items():
        chart.add(name, values)
    return _markup(chart)


def _options(height: int) -> dict[str, Any]:
    return {
        "style": STYLE,
        "js": (),
        "width": 520,
        "height": height,
        "margin": 4,
        "explicit_size": False,
        "disable_xml_declaration": True,
        "truncate_label": -1,
        "value_formatter": lambda value: f"{value:,.2f}".rstrip("0").rstrip("."),
    }


def _round_steps(most: float, steps: int) -> list[int]:
    """Round whole numbers from 0 to `most`, in at most this many steps."""
    sizes = (base * 10**power for power in count() for base in (1, 2, 5))
    step = next(size for size in sizes if most <= size * steps)
    return list(range(0, int(most) + 1, step))


def _markup(chart: Any) -> Markup:
    chart.add_xml_filter(_without_script)
    return Markup(chart.render(is_unicode=True))


def _without_script(root: Any) -> Any:
    for script in root.findall(".//{*}script"):
        script.getparent().remove(script)
    return root
