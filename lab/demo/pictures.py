"""Makes the pictures of the README: python -m lab.demo.pictures

What `make crawl` prints, and the report of a run, in English and in Chinese; drawn by a Chromium on the PATH. Chinese
needs the font Noto Sans Mono CJK SC.
"""

from __future__ import annotations

import html
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from lab.demo import ROOT, WEB
from lab.demo.documents import Shell, at_home
from lab.replay.background import serve_in_thread
from zhuti.demo.web.build import build

PICTURES = ROOT / "docs" / "pictures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--hide-scrollbars")
COLOURS = 32  # of a picture, which then takes a third of the bytes
COLUMNS = 130  # of the terminal
LINE = 18  # pixels
REPORT = 1240, 1130  # pixels: the figures and the first four charts
# A Chinese character takes two columns: 1.204 em, twice the width of a letter of DejaVu Sans Mono.
TERMINAL = """<meta charset="utf-8"><style>
@font-face {{ font-family: wide; src: local("Noto Sans Mono CJK SC"); size-adjust: 120.4% }}
body {{ margin: 0; background: #1e2227 }}
pre {{ margin: 0; padding: {line}px; color: #dfe3e8; font: 13px/{line}px "DejaVu Sans Mono", wide }}
</style><pre>$ make crawl
{text}</pre>"""
SEEDS = '["http://portal.example/", "http://deepforum.example/", "http://campus-bbs.example/"]'
SCHEDULE = '\n[schedule]\nevery = "1d"\n'
QUICK = "printf 'DOWNLOAD_DELAY = 0\\nCONCURRENT_REQUESTS_PER_DOMAIN = 8\\nLOG_LEVEL = \"WARNING\"\\n' >> settings.py"


def take(page: Path, picture: Path, size: tuple[int, int]) -> None:
    """A picture of the page in a window of that size."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"Pictures need a browser: install one of {', '.join(BROWSERS)}")
    window = f"--window-size={size[0]},{size[1]}"
    command = [browser, "--headless", *OPTIONS, window, f"--screenshot={picture}", str(page)]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    Image.open(picture).convert("P", palette=Image.Palette.ADAPTIVE, colors=COLOURS).save(picture, optimize=True)


def crawl(language: str, folder: Path) -> None:
    """The terminal after `make crawl`."""
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "ZHUTI_LANG": language}
    done = subprocess.run([sys.executable, "-m", "lab.demo.run"], cwd=ROOT, env=environment, capture_output=True)
    lines = [at_home(line, ROOT.parent) for line in done.stdout.decode().splitlines()]
    page = folder / "terminal.html"
    page.write_text(TERMINAL.format(line=LINE, text=html.escape("\n".join(lines))), encoding="utf-8")
    take(page, PICTURES / f"crawl.{language}.png", (COLUMNS * 8 + 2 * LINE, (len(lines) + 3) * LINE))


def report(language: str, folder: Path) -> None:
    """The report of a first run."""
    with serve_in_thread(WEB) as replay:
        shell = Shell(folder, replay.proxy, language)
        print(shell.run("zhuti init mine && cd mine"))
        topic = (ROOT / "topics" / "machine-learning.toml").read_text(encoding="utf-8")
        (shell.folder / "topics" / "machine-learning.toml").write_text(f"seeds = {SEEDS}\n{topic}{SCHEDULE}", "utf-8")
        print(shell.run(QUICK), shell.run("zhuti harvest -s PAGE_BUDGET=150"))
    take(shell.folder / "reports" / "machine-learning" / "1.html", PICTURES / f"report.{language}.png", REPORT)


if __name__ == "__main__":
    build(WEB)
    PICTURES.mkdir(exist_ok=True)
    for language in ("en", "zh"):
        with tempfile.TemporaryDirectory() as folder:
            crawl(language, Path(folder).resolve())
            report(language, Path(folder).resolve())
