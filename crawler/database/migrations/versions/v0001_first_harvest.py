"""The frontier and the store of the first harvest."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    _frontier()
    _store()


def _frontier() -> None:
    op.create_table(
        "topics",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
    )
    op.create_table(
        "hosts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("next_due", sa.Double, nullable=False, server_default="0"),
        sa.Column("rest_until", sa.Double, nullable=False, server_default="0"),
        sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
    )
    op.create_table(
        "queues",
        sa.Column("topic_id", sa.Integer, sa.ForeignKey("topics.id"), primary_key=True),
        sa.Column("host_id", sa.Integer, sa.ForeignKey("hosts.id"), primary_key=True),
        sa.Column("best_score", sa.Double),
        sa.Column("best_id", sa.Integer),
        sa.Column("served_at", sa.Double, nullable=False),
        sa.Column("waiting", sa.Integer, nullable=False, server_default="0"),
        sa.Column("done", sa.Integer, nullable=False, server_default="0"),
    )
    _partial("queues_best", "queues", ["topic_id", sa.text("best_score DESC"), "best_id"], "best_id IS NOT NULL")
    _partial("queues_served", "queues", ["topic_id", "served_at", "host_id"], "best_id IS NOT NULL")
    op.create_table(
        "urls",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("topic_id", sa.Integer, sa.ForeignKey("topics.id"), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("host_id", sa.Integer, sa.ForeignKey("hosts.id"), nullable=False),
        sa.Column("state", sa.SmallInteger, nullable=False),
        sa.Column("score", sa.Double, nullable=False),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("distance", sa.Integer, nullable=False),
        sa.Column("hops", sa.SmallInteger, nullable=False),
        sa.Column("tries", sa.SmallInteger, nullable=False),
        sa.Column("not_before", sa.Double),
        sa.Column("lease_until", sa.Double),
        sa.Column("worker", sa.Text),
        sa.Column("found_at", sa.Double, nullable=False),
        sa.Column("via", sa.Integer),
        sa.UniqueConstraint("topic_id", "url", name="urls_topic_url"),
    )
    _partial("urls_waiting", "urls", ["topic_id", "host_id", sa.text("score DESC"), "id"], "state = 0")
    _partial("urls_in_flight", "urls", ["host_id", "lease_until"], "state = 1")
    _partial("urls_leases", "urls", ["topic_id", "lease_until"], "state = 1")
    _partial("urls_deferred", "urls", ["topic_id", "not_before"], "state = 3")


def _store() -> None:
    op.create_table(
        "pages",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("url", sa.Text, nullable=False, unique=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary),
        sa.Column("digest", sa.LargeBinary),
        sa.Column("published", sa.Text),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("status", sa.SmallInteger, nullable=False),
        sa.Column("fetched_at", sa.Double, nullable=False),
    )
    _partial("pages_digest", "pages", ["digest"], "digest IS NOT NULL")
    op.create_table(
        "fetches",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("topic_id", sa.Integer, sa.ForeignKey("topics.id"), nullable=False),
        sa.Column("url_id", sa.Integer, sa.ForeignKey("urls.id"), nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("counted", sa.Boolean, nullable=False),
        sa.Column("status", sa.SmallInteger, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_index("fetches_topic", "fetches", ["topic_id", "counted"])
    op.create_table(
        "judgements",
        sa.Column("url_id", sa.Integer, sa.ForeignKey("urls.id"), primary_key=True, autoincrement=False),
        sa.Column("fetch_id", sa.Integer, sa.ForeignKey("fetches.id"), nullable=False),
        sa.Column("topic_id", sa.Integer, sa.ForeignKey("topics.id"), nullable=False),
        sa.Column("page_id", sa.Integer, sa.ForeignKey("pages.id"), nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("duplicate_of", sa.Integer, sa.ForeignKey("pages.id")),
        sa.Column("similarity", sa.Double, nullable=False),
        sa.Column("text_relevance", sa.Double, nullable=False),
        sa.Column("on_topic", sa.Boolean, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_index("judgements_page", "judgements", ["page_id", "topic_id"])
    op.create_table(
        "links",
        sa.Column("url_id", sa.Integer, sa.ForeignKey("urls.id"), primary_key=True, autoincrement=False),
        sa.Column("packed", sa.LargeBinary, nullable=False),
    )


def _partial(name: str, table: str, columns: list[str | sa.TextClause], where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)
