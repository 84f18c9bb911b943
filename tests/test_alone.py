"""A crawl needs nothing of `zhuti/`: board, corpus, search and the other parts stand on the crawler. And each library
that README names does in it what README says."""

from __future__ import annotations

import ast
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
calls = dict.fromkeys(("networkx", "scikit-learn", "jieba"), 0)
def traced(library, owner, name):
    real = getattr(owner, name)
    def call(*args, **kwargs):
        calls[library] += 1
        return real(*args, **kwargs)
    setattr(owner, name, call)
import networkx, sklearn.linear_model
from crawler.reader.text import segmenters
traced("networkx", networkx, "to_scipy_sparse_array")
traced("scikit-learn", sklearn.linear_model.LogisticRegression, "fit")
traced("jieba", segmenters, "cutter")
process = AsyncCrawlerProcess(settings)
process.crawl("topic", topic="machine-learning", seeds=sys.argv[1])
process.start()
print(calls)
"""


def test_a_crawl_without_the_parts(tmp_path: Path, demo_proxy: str) -> None:
    for name in ("crawler", "topics", "models"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.learned.json"))
    shutil.copy(ROOT / "scrapy.cfg", tmp_path)
    settings = [setting for setting in LOOPBACK if setting != "-s"]
    seeds = str(ROOT / "zhuti" / "demo" / "seeds.txt")
    command = [sys.executable, "-c", CRAWL, seeds, "PAGE_BUDGET=30", *settings]
    done = subprocess.run(command, cwd=tmp_path, env=through(demo_proxy), capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    kept = count(tmp_path / "data", "judgements WHERE outcome = 'kept'")
    assert kept > 5
    calls = ast.literal_eval(done.stdout.splitlines()[-1])
    assert calls["networkx"] > kept / 100, "IPageRank ranks the link graph as it grows"
    assert calls["scikit-learn"] > 0, "the judge is calibrated"
    assert calls["jieba"] > 0, "words are cut by jieba's dictionary"
