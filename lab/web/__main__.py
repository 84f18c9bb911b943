"""A benchmark of topic crawling that anybody can run: `python -m lab.web build [MANIFEST] DIR` makes the recorded web
again, `python -m lab.web run DIR` measures crawlers on it, `python -m lab.web teaches DIR` what they fetched."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from crawler.errors import CrawlerError
from lab.web import run, teaches
from lab.web.build import LABELS, PAGES, build
from lab.web.labels import NAMES
from lab.web.manifest import MANIFEST, read


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.web", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("build", help="clone the repositories of a manifest and label their pages")
    making.add_argument(
        "manifest", type=Path, nargs="?", default=MANIFEST, help="by default the 43 hosts of this study"
    )
    making.add_argument("folder", type=Path, help="where the web is written; what it has is not fetched again")
    measuring = commands.add_parser("run", help="crawl a recorded web, and count", description=run.__doc__)
    run.add_arguments(measuring)
    learning = commands.add_parser("teaches", help="what fetched pages teach", description=teaches.__doc__)
    teaches.add_arguments(learning)
    args = parser.parse_args()
    try:
        if args.command == "build":
            _build(args.manifest, args.folder)
        else:
            _measure(args, run.run if args.command == "run" else teaches.teaches)
    except CrawlerError as error:
        sys.exit(str(error))


def _build(manifest: Path, folder: Path) -> None:
    hosts, others = read(manifest), 0
    for built in build(hosts, folder):
        others += bool(built.differs)
        differs = f"; its {' and '.join(built.differs)} differ from the manifest's" if built.differs else ""
        print(f"{built.host.name}: {built.pages} pages{differs}", flush=True)
    print(f"{len(hosts)} hosts in {folder / PAGES}, labels in {folder / LABELS}; {others} hosts differ")


def _measure(args: argparse.Namespace, measure: Callable[[argparse.Namespace], None]) -> None:
    if args.labels is None:  # a folder that `build` made
        args.labels, args.aliases, args.map = (
            args.web / LABELS,
            args.web / "aliases.json",
            [f"{a}={b}" for a, b in NAMES.items()],
        )
        args.web = args.web / PAGES
    measure(args)


if __name__ == "__main__":
    main()
