"""Politeness: what a host's robots.txt asks for. The bands of a page, to be forgotten without a look at all of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("hosts", sa.Column("crawl_delay", sa.Double, nullable=False, server_default="0"))
    op.create_index("bands_page", "bands", ["page_id"])
