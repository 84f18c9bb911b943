"""The demo web in the laboratory: documents and pictures are made on it."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
WEB = ROOT / "build" / "demo-web"
