"""Runs the migrations on the connection that database.migrate lends; the `alembic` command is not used."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
