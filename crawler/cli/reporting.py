"""The report of a run: one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from scrapy.settings import BaseSettings

from crawler.cli.charts import bars, curve
from crawler.cli.progress import duration
from crawler.cli.sizes import megabytes
from crawler.cli.terminal import legible, minute
from crawler.database.database import Database
from crawler.messages import LANGUAGE, _, shown
from crawler.store.export.whole import whole_file
from crawler.store.run_facts import BINS, Facts, facts_of
from crawler.store.run_list import NEWEST, run_named

TEMPLATE = "report.html"
HOUR = 3600.0  # seconds


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
    charts = {
        "harvest": curve(_("share on topic"), facts.curve),
        "speed": _speed(facts),
        "similarity": _similarity(facts.kept_by_similarity, facts.other_by_similarity),
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


def _similarity(kept: Sequence[int], other: Sequence[int]) -> str:
    return bars([f"{place / BINS:.2f}" for place in range(BINS)], {_("kept"): kept, _("not kept"): other})
