"""A crawl needs nothing of `zhuti/`: board, corpus, search and the other parts stand on the crawler."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import LOOPBACK, ROOT, through
from tests.stored import count

CRAWL = """
import sys
sys.modules["zhuti"] = None  # whoever imports it fails
from scrapy.cmdline import execute
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.project import get_project_settings
settings = get_project_settings()
for setting in sys.argv[2:]:
    settings.set(*setting.split("=", 1), priority="cmdline")
process = AsyncCrawlerProcess(settings)
process.crawl("topic", topic="machine-learning", seeds=sys.argv[1])
process.start()
"""


def test_a_crawl_without_the_parts(tmp_path: Path, demo_proxy: str) -> None:
    for name in ("crawler", "topics", "models"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "scrapy.cfg", tmp_path)
    settings = [setting for setting in LOOPBACK if setting != "-s"]
    seeds = str(ROOT / "zhuti" / "demo" / "seeds.txt")
    command = [sys.executable, "-c", CRAWL, seeds, "PAGE_BUDGET=30", *settings]
    done = subprocess.run(command, cwd=tmp_path, env=through(demo_proxy), capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert count(tmp_path / "data", "judgements WHERE outcome = 'kept'") > 5
