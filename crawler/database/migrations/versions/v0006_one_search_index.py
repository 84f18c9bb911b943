"""The search index lies outside of the database: a table that tells indexes when pages were removed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "removals",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("pages", sa.Integer, nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        for table in ("search_documents", "search_about"):
            op.execute(f"DROP TABLE IF EXISTS {table}")
