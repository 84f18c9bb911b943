"""The data that come with the program: trained models, topic files.

In a wheel they lie inside the package, in a checkout (also an editable install) beside it; setup.py maps the one to the
other. They are only read: what a user's crawl learns is kept in a folder of the user's.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _folder(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


MODELS = _folder("models")
TOPICS = _folder("topics")
EXAMPLE = TOPICS / "example.toml"  # explains every key
