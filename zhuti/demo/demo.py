"""The demo: a project with a topic and seeds, the demo web beside it, and a crawl of the one for the other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

from crawler.bundled import TOPICS
from crawler.errors import SettingError
from crawler.mistakes import at_path
from crawler.reader.text.printable import printable
from crawler.runs.harvester import PROGRAM
from zhuti.demo.proxy import served
from zhuti.init.command import make_project

TOPIC = "machine-learning"
BUDGET = 250  # pages, of more than 700 that can be reached
WEB = ".demo-web"  # folder in the project; tells that it is one of ours, too
CORPUS = "corpus.jsonl"
PAGES_SHOWN = 3  # pages of the corpus that are printed
SEEDS = Path(__file__).with_name("seeds.txt")
ARCHIVE = Path(__file__).with_name("web.tar.xz")  # lab/README.md tells how to change it
TRUTH = "truth.jsonl"  # a line for each page of the web: what it is about, its title, time, author and body
OF_OTHERS = ("STORE_URL", "SCRAPY_SETTINGS_MODULE", "SCRAPY_PROJECT")  # variables that would name another project
SETTINGS = f"""
# The demo web is served by this machine: nobody else is asked for anything.
CONTACT = "https://zhuti.example/demo"
PAGE_BUDGET = {BUDGET}
DOWNLOAD_DELAY = 0
CONCURRENT_REQUESTS_PER_DOMAIN = 8
WARC_DIR = str(HERE / "data" / "warc")  # so that the board shows pages as they were fetched
"""


def unpack(folder: Path) -> int:
    """Writes the demo web into the folder, HOST/path, with what the proxy reads beside it. Returns how many pages there
    are. What was in the folder before stays."""
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            if content := archive.extractfile(member):  # None: a folder
                file = folder / member.name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.read())
    return (folder / TRUTH).read_bytes().count(b"\n")


class Demo:
    def __init__(self, folder: Path) -> None:
        """Makes the project, or takes the one of an earlier demo. Raises SettingError for a folder that holds something
        else."""
        self.folder = folder.resolve()
        if not (self.folder / WEB).is_dir():
            make_project(self.folder)
            with (self.folder / "settings.py").open("a", encoding="utf-8") as settings:
                settings.write(SETTINGS)
            self._write_topic()
        self.pages = unpack(self.folder / WEB)

    def _write_topic(self) -> None:
        seeds = [line for line in SEEDS.read_text(encoding="utf-8").split("\n") if line.startswith("http")]
        bundled = (TOPICS / f"{TOPIC}.toml").read_text(encoding="utf-8")
        file = self.folder / "topics" / f"{TOPIC}.toml"
        file.write_text(f"seeds = {json.dumps(seeds)}\n{bundled}", encoding="utf-8")

    def crawl(self) -> int:
        """Crawls from the beginning. Returns the exit status."""
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        with served(self.folder / WEB) as proxy:
            status = self._zhuti("crawl", "topic", "-a", f"topic={TOPIC}", "-s", "LOG_LEVEL=WARNING", proxy=proxy)
        return status or self._zhuti("export", TOPIC, CORPUS)

    def _zhuti(self, *arguments: str, proxy: str = "") -> int:
        """A command as one would type it in the project. The demo's harvest is its own, whatever STORE_URL says."""
        kept = {name: value for name, value in os.environ.items() if name not in OF_OTHERS}
        through = {"http_proxy": proxy, "https_proxy": proxy, "no_proxy": ""} if proxy else {}
        return subprocess.run([*PROGRAM, *arguments], cwd=self.folder, env=kept | through).returncode

    def shown(self) -> list[str]:
        """The pages most similar to the topic, each as two lines."""
        with at_path(CORPUS, SettingError):
            lines = (self.folder / CORPUS).read_text(encoding="utf-8").splitlines()
        pages = sorted(map(json.loads, lines), key=lambda page: -page["similarity"])[:PAGES_SHOWN]
        return [
            printable(line)
            for page in pages
            for line in (f"  {page['similarity']:.2f}  {page['title']}  {page['url']}", f"        {page['body'][:60]}…")
        ]
