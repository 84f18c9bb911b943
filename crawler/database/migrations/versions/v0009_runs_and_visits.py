"""A harvest that is repeated: its runs, what is remembered of each visit, older texts of a page, and its end."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("topic_id", sa.Integer, sa.ForeignKey("topics.id"), nullable=False),
        sa.Column("started_at", sa.Double, nullable=False),
        sa.Column("ended_at", sa.Double),
        sa.Column("budget", sa.Integer, nullable=False),
        sa.Column("ended", sa.Text, nullable=False),
    )
    op.create_index("runs_topic", "runs", ["topic_id", "id"])
    # SQLite cannot add a foreign key to a table otherwise.
    op.execute("ALTER TABLE fetches ADD COLUMN run_id INTEGER REFERENCES runs (id)")
    op.create_index("fetches_run", "fetches", ["run_id"], sqlite_where=RUNS, postgresql_where=RUNS)
    op.add_column("urls", sa.Column("pinned", sa.Boolean))
    op.add_column("pages", sa.Column("gone_at", sa.Double))
    op.create_table(
        "visits",
        sa.Column("url_id", sa.Integer, sa.ForeignKey("urls.id"), primary_key=True, autoincrement=False),
        sa.Column("first_at", sa.Double, nullable=False),
        sa.Column("visited_at", sa.Double, nullable=False),
        sa.Column("etag", sa.Text),
        sa.Column("last_modified", sa.Text),
        sa.Column("content", sa.LargeBinary),
        sa.Column("content_at", sa.Double, nullable=False),
        sa.Column("digest", sa.LargeBinary),
        sa.Column("visits", sa.Integer, nullable=False),
        sa.Column("watched", sa.Double, nullable=False),
        sa.Column("found", sa.Double, nullable=False),
        sa.Column("changed", sa.Double, nullable=False),
        sa.Column("told_at", sa.Double),
        sa.Column("told", sa.Boolean, nullable=False),
        sa.Column("heeded", sa.SmallInteger, nullable=False),
        sa.Column("proved", sa.SmallInteger, nullable=False),
        sa.Column("expires_at", sa.Double),
        sa.Column("missing", sa.SmallInteger, nullable=False),
        sa.Column("missing_since", sa.Double),
    )
    op.execute(VISITED)
    op.create_table(
        "versions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("page_id", sa.Integer, sa.ForeignKey("pages.id"), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("fetched_at", sa.Double, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
    )
    op.create_index("versions_page", "versions", ["page_id", "id"])


# What was judged before can be visited again.
VISITED = """
INSERT INTO visits
    (url_id, first_at, visited_at, content_at, digest, visits, watched, found, changed, told, heeded, proved, missing)
SELECT j.url_id, f.at, f.at, f.at, CASE WHEN j.outcome = 'kept' THEN p.digest END, 1, 0, 0, 0, FALSE, 0, 0, 0
FROM judgements j JOIN fetches f ON f.id = j.fetch_id JOIN pages p ON p.id = j.page_id
"""
RUNS = sa.text("run_id IS NOT NULL")
