"""Which link scorer gave the scores: what `scrapy why` teaches again from the log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "scorings",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("topic_id", sa.Integer, sa.ForeignKey("topics.id"), nullable=False),
        sa.Column("since", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("scorer", sa.Text, nullable=False),
    )
