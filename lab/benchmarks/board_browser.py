"""The board in a browser: milliseconds until something is painted, what axe finds, and pictures of its pages.

    pip install playwright axe-playwright-python      # and Debian's chromium
    python -m lab.benchmarks.board_browser TOPIC STORE_URL [--topics DIR] [--pictures DIR]

Each page is opened ROUNDS times in English; the median of the first contentful paint is printed, and what axe calls
serious or critical, in light and dark and at the width of a phone. A page that is wider than a phone is told too.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from lab.benchmarks.replayed import SCRAPY
from lab.demo.pictures import COLOURS

ROUNDS = 10
PORT = 8398
PAGES = ("watch", "label", "changes", "pages", "hosts", "topic", "news", "map")
DESK, PHONE = {"width": 1200, "height": 900}, {"width": 390, "height": 844}
LOOKS = (("light", DESK), ("dark", DESK), ("light", PHONE))
GRAVE = ("serious", "critical")
PAINT = """() => new Promise((resolve) => new PerformanceObserver((list) => {
  const found = list.getEntriesByName("first-contentful-paint");
  if (found.length) resolve(found[0].startTime);
}).observe({type: "paint", buffered: true}))"""
WIDTH = "document.documentElement.scrollWidth"


def look(browser: Any, root: str, paths: dict[str, str], token: str) -> None:
    for name, path in paths.items():
        found, wide, times = set(), False, []
        for scheme, size in LOOKS:
            page = opened(browser, root, token, color_scheme=scheme, viewport=size)
            page.goto(root + path)
            said = Axe().run(page).response["violations"]
            found |= {f"{one['id']} ({len(one['nodes'])})" for one in said if one["impact"] in GRAVE}
            wide |= size is PHONE and page.evaluate(WIDTH) > PHONE["width"]
            page.context.close()
        page = opened(browser, root, token, viewport=DESK)
        for _ in range(ROUNDS):
            page.goto(root + path)
            times.append(page.evaluate(PAINT))
        page.context.close()
        told = f"{', '.join(sorted(found)) or 'nothing serious'}{'; wider than a phone' if wide else ''}"
        print(f"{name:<10} {statistics.median(times):>8.0f} {max(times):>8.0f} ms   {told}", flush=True)


def opened(browser: Any, root: str, token: str, **options: Any) -> Page:
    context = browser.new_context(**options)
    context.add_cookies([{"name": "zhuti", "value": token, "url": root}])
    page: Page = context.new_page()
    return page


def take(browser: Any, root: str, paths: dict[str, str], token: str, folder: Path) -> None:
    """A picture of each page in both languages."""
    folder.mkdir(parents=True, exist_ok=True)
    for language, locale in (("en", "en"), ("zh", "zh-CN")):
        page = opened(browser, root, token, locale=locale, viewport=DESK)
        for name, path in paths.items():
            picture = folder / f"{name}.{language}.png"
            page.goto(root + path)
            page.screenshot(path=picture)
            Image.open(picture).convert("P", palette=Image.Palette.ADAPTIVE, colors=COLOURS).save(
                picture, optimize=True
            )
            print(f"{picture}: {picture.stat().st_size / 1e3:.0f} KB")
        page.context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topic")
    parser.add_argument("store", help="STORE_URL")
    parser.add_argument("--topics", default="topics", help="folder of topic files")
    parser.add_argument("--page", help="URL of a kept page, to look at it as well")
    parser.add_argument("--pictures", type=Path, help="folder for pictures")
    args = parser.parse_args()
    paths = {"topics": "/", **{name: f"/t/{quote(args.topic, safe='')}/{name}" for name in PAGES}}
    if args.page:
        paths["page"] = f"/t/{quote(args.topic, safe='')}/page?url={quote(args.page, safe='')}"
    program = shutil.which("chromium") or sys.exit("Install Debian's chromium.")
    options = ["-s", f"STORE_URL={args.store}", "-s", f"TOPICS_DIR={args.topics}"]
    command = [*SCRAPY, "serve", "--port", str(PORT), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as board, sync_playwright() as player:
        assert board.stderr is not None
        token = re.findall(r"token=(\S+)", board.stderr.readline())[0]
        browser = player.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        root = f"http://127.0.0.1:{PORT}"
        try:
            if args.pictures:
                take(browser, root, paths, token, args.pictures)
            print(f"{'page':<10} {'median':>8} {'longest':>8} ms   axe")
            look(browser, root, paths, token)
        finally:
            browser.close()
            board.terminate()


if __name__ == "__main__":
    main()
