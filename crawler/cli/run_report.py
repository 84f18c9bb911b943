"""The report of a run: one HTML file that needs no network."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pygal
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pygal.style import Style
from scrapy.settings import BaseSettings

from crawler.cli.progress import duration
from crawler.database.database import Database
from crawler.messages import LANGUAGE, _, shown
from crawler.store.export.atomic import whole_file
from crawler.store.run_facts import BINS, Facts, facts_of
from crawler.store.runs import NEWEST, run_named
from crawler.text.printable import legible, megabytes, minute

TEMPLATE = "report.html"
HOUR = 3600.0  # seconds

# Pygal finds its maps by an import hook of a kind that Python no longer calls; it would warn at each later import.
sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, pygal.PluginImportFixer)]
POINTS = 300  # of a curve, at most
LEAST = 12  # bars of a chart, with empty places
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


def write_report(database: Database, topic: str, settings: BaseSettings, run: str = NEWEST) -> Path:
    """Writes REPORTS_DIR/TOPIC/RUN.html of the run of that number, or of the newest. Raises StoreError, ExportError."""
    with database.transaction(shared=True) as connection:
        topic_id, found = run_named(connection, topic, run)
        facts = facts_of(connection, topic, topic_id, found)
    path = Path(settings["REPORTS_DIR"]) / topic / f"{found.id}.html"
    with whole_file(path) as partial:
        partial.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(as_html(facts), encoding="utf-8", errors="replace")
    return path


def as_html(facts: Facts) -> str:
    """The page. What others wrote is escaped, and no script would run: its policy forbids them."""
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "time": minute,
        "duration": duration,
        "megabytes": megabytes,
        "shown": shown,
        "legible": legible,
    }
    templates.globals |= {"_": _, "language": LANGUAGE}
    shares = [f"{place / BINS:.2f}" for place in range(BINS)]
    charts = {
        "harvest": curve(_("share on topic"), facts.curve),
        "speed": _speed(facts),
        "similarity": bars(shares, {_("kept"): facts.kept_by_similarity, _("not kept"): facts.other_by_similarity}),
        "trend": bars([str(run.id) for run in facts.runs], {_("new pages"): [run.new for run in facts.runs]}),
    }
    return templates.get_template(TEMPLATE).render(facts=facts, news=facts.news, run=facts.news.run, charts=charts)


def _speed(facts: Facts) -> str:
    """Requests per hour."""
    form = "%m-%d" if facts.step > HOUR else "%H:%M"
    labels = [f"{datetime.fromtimestamp(start, UTC):{form}}" for start, _, _ in facts.speed]
    hourly = HOUR / facts.step
    new, again = ([bar[kind] * hourly for bar in facts.speed] for kind in (1, 2))
    return bars(labels, {_("first visits"): new, _("revisits"): again})


def curve(name: str, points: Sequence[tuple[float, float]]) -> Markup:
    """A line over `points`, whose second values are in [0, 1]."""
    every = -(-len(points) // POINTS) or 1
    shown = [*points[::every], *points[-1:]]
    chart = pygal.XY(**_options(height=230), show_legend=False, range=(0, 1), y_labels=[0, 0.25, 0.5, 0.75, 1])
    chart.add(name, shown, show_dots=False, stroke_style={"width": 2.5})
    chart.x_labels = _round_steps(points[-1][0], LABELS) if points else []
    return _markup(chart)


def bars(labels: Sequence[str], series: Mapping[str, Sequence[float]]) -> Markup:
    """Bars that stand upon one another, the first of `series` below. Of many labels only some are written."""
    spare = max(0, LEAST - len(labels))  # or one bar would be as wide as the chart
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
