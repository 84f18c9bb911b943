"""Doors wait beside pages: which URLs of the frontier they are."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("urls", sa.Column("door", sa.Text))
