"""Makes the pictures of the documents from today's program: python -m lab.demo.pictures

The board over the harvest of `zhuti demo`, a kept page, a question and a list of it, where a topic is begun, and the
report of its run, in English and in Chinese;
taken by a Chromium on the PATH. Chinese needs a font such as Noto Sans CJK SC.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import uvicorn
from PIL import Image
from playwright.sync_api import sync_playwright
from scrapy.settings import Settings

from crawler.addon import complete
from crawler.crawl.browser import NAMES
from lab.demo import ROOT
from zhuti.board.access import Access
from zhuti.board.app import asgi
from zhuti.demo.demo import CORPUS, TOPIC, Demo

PICTURES = ROOT / "docs" / "pictures"
COLOURS = 64  # of a picture, which then takes a third of the bytes
SIZE = {"width": 1180, "height": 640}  # pixels
REPORT = {"width": 1240, "height": 1130}  # the figures and the first four charts


@contextmanager
def board(folder: Path) -> Iterator[tuple[str, str]]:
    """The address of a board over the demo's harvest, and its token."""
    data = folder / "data"
    places = {"TOPICS_DIR": str(folder / "topics"), "WARC_DIR": str(data / "warc")}
    settings = Settings({"STORE_URL": f"sqlite:///{data / 'harvest.db'}", **places})
    complete(settings)
    access = Access(frozenset({"127.0.0.1"}))
    with socket.create_server(("127.0.0.1", 0)) as free:
        server = uvicorn.Server(uvicorn.Config(asgi(settings, access), log_level="error", ws="none"))
        thread = threading.Thread(target=server.run, args=([free],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{free.getsockname()[1]}", access.token
        server.should_exit = True
        thread.join()


def best_page(folder: Path) -> str:
    """The address of the kept page that is most similar to the topic."""
    pages = map(json.loads, (folder / CORPUS).read_text(encoding="utf-8").splitlines())
    return str(max(pages, key=lambda page: (page["similarity"], page["url"]))["url"])


def main() -> None:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        sys.exit(f"Pictures need a browser: install one of {', '.join(NAMES)}")
    PICTURES.mkdir(exist_ok=True)
    for language, locale in (("en", "en"), ("zh", "zh-CN")):
        os.environ["ZHUTI_LANG"] = language
        with tempfile.TemporaryDirectory() as home:
            demo = Demo(Path(home) / "my-harvest")
            demo.crawl()
            topic = f"/t/{TOPIC}"
            views = {
                "board": (f"{topic}/watch", SIZE),
                "page": (f"{topic}/page?url={quote(best_page(demo.folder), safe='')}", SIZE),
                "label": (f"{topic}/label", SIZE),
                "pages": (f"{topic}/pages?order=most+similar", SIZE),
                "topics": ("/", SIZE),
                "report": (f"{topic}/report", REPORT),
            }
            with board(demo.folder) as (address, token), sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
                page = browser.new_page(locale=locale)
                page.goto(f"{address}/?token={token}")
                for name, (path, size) in views.items():
                    page.set_viewport_size(size)  # type: ignore[arg-type]
                    page.goto(address + path)
                    picture = PICTURES / f"{name}.{language}.png"
                    page.screenshot(path=picture)
                    shown = Image.open(picture).convert("P", palette=Image.Palette.ADAPTIVE, colors=COLOURS)
                    shown.save(picture, optimize=True)
                browser.close()


if __name__ == "__main__":
    main()
