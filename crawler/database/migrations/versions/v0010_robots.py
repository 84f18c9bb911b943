"""How many requests of a run were for robots.txt and the like."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("runs", sa.Column("robots", sa.Integer, nullable=False, server_default="0"))
