"""Near-duplicates: signatures, their bands, canonical addresses. Archive: which record holds a page's response."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("pages", sa.Column("signature", sa.LargeBinary))
    op.add_column("pages", sa.Column("canonical", sa.Text))
    op.add_column("pages", sa.Column("warc_file", sa.Text))
    op.add_column("pages", sa.Column("warc_offset", sa.BigInteger))
    condition = sa.text("canonical IS NOT NULL")
    op.create_index("pages_canonical", "pages", ["canonical"], sqlite_where=condition, postgresql_where=condition)
    op.create_table(
        "bands",
        sa.Column("band", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("page_id", sa.Integer, sa.ForeignKey("pages.id"), primary_key=True, autoincrement=False),
        sqlite_with_rowid=False,
    )
