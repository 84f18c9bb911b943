"""The arguments of a benchmark on a recorded, labelled web."""

from __future__ import annotations

import argparse
from pathlib import Path

from lab.links.labels import Labels


def add_web(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("web", type=Path, help="a folder HOST/path/...")
    parser.add_argument("labels", type=Path, help="a JSON line a page: url, kind, topics")
    parser.add_argument("--aliases", type=Path)
    parser.add_argument("--names", nargs="*", default=[], metavar="LABEL=TOPIC", help="labels that are named otherwise")


def read_labels(args: argparse.Namespace) -> Labels:
    return Labels.load(args.labels, dict(name.split("=", 1) for name in args.names))
