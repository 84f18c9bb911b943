"""What bodies and outlinks are packed with; the values of before stay as they are, they are read without."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "bases",
        sa.Column("fetch_id", sa.Integer, sa.ForeignKey("fetches.id"), primary_key=True, autoincrement=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("live", sa.Boolean, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_index("bases_host", "bases", ["host"])
    op.create_table(
        "dictionaries",
        sa.Column("fetch_id", sa.Integer, sa.ForeignKey("fetches.id"), primary_key=True, autoincrement=False),
        sa.Column("bodies", sa.Integer, nullable=False),
        sa.Column("live", sa.Boolean, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "samples",
        sa.Column(
            "dictionary_id",
            sa.Integer,
            sa.ForeignKey("dictionaries.fetch_id"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("host", sa.Text, primary_key=True),
        sa.Column("since", sa.Double, nullable=False),
    )
