"""The report of a run: one HTML file that needs no network."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from scrapy.settings import BaseSettings

from crawler.database.database import Database
from crawler.labels.drift import Drift, noted_drift
from crawler.messages import _
from crawler.questions.runs import NEWEST, run_named
from crawler.topic.files import title_of
from zhuti.news.charts import bars, curve
from zhuti.news.run_facts import BINS, Facts, facts_of
from zhuti.news.templates import templates
from zhuti.whole_file import whole_file

TEMPLATE = "report.html"
KEPT = 30  # newest reports of a topic
HOUR, MINUTE = 3600.0, 60.0  # seconds


def write_report(database: Database, topic: str, settings: BaseSettings, run: str = NEWEST) -> Path:
    """Writes REPORTS_DIR/TOPIC/RUN.html of the run of that number, or of the newest. Raises StoreError, ExportError."""
    with database.transaction(shared=True) as connection:
        topic_id, found = run_named(connection, topic, run)
        facts = facts_of(connection, topic, topic_id, found)
        drift = noted_drift(connection, found.id)
    path = Path(settings["REPORTS_DIR"]) / topic / f"{found.id}.html"
    with whole_file(path) as partial:
        partial.parent.mkdir(parents=True, exist_ok=True)
        page = as_html(facts, title_of(topic, Path(settings["TOPICS_DIR"])), drift)
        partial.write_text(page, encoding="utf-8", errors="replace")
    _remove_old(path.parent, path)
    return path


def _remove_old(folder: Path, written: Path) -> None:
    """Leaves the newest reports. What is not called like a report stays."""
    numbers = sorted(int(found.stem) for found in folder.glob("*.html") if found.stem.isdecimal())
    for number in numbers[:-KEPT]:
        if (old := folder / f"{number}.html") != written:
            old.unlink(missing_ok=True)


def as_html(facts: Facts, title: str, drift: Drift | None = None) -> str:
    """The page under this title. What others wrote is escaped, and no script would run: its policy forbids them."""
    shares = [f"{place / BINS:.2f}" for place in range(BINS)]
    charts = {
        "harvest": curve(_("share on topic"), facts.curve),
        "speed": _speed(facts),
        "similarity": bars(shares, {_("kept"): facts.kept_by_similarity, _("not kept"): facts.other_by_similarity}),
        "trend": bars([str(run.id) for run in facts.runs], {_("new pages"): [run.new for run in facts.runs]}),
    }
    return (
        templates(Path(__file__).parent)
        .get_template(TEMPLATE)
        .render(facts=facts, title=title, news=facts.news, run=facts.news.run, charts=charts, drift=drift)
    )


def _speed(facts: Facts) -> str:
    """Requests in each step of time."""
    form = "%m-%d" if facts.step > HOUR else "%H:%M" if facts.step >= MINUTE else "%H:%M:%S"
    labels = [f"{datetime.fromtimestamp(start, UTC):{form}}" for start, _, _ in facts.speed]
    new, again = ([bar[kind] for bar in facts.speed] for kind in (1, 2))
    return bars(labels, {_("first visits"): new, _("revisits"): again})
