"""The topics of most tests learned, and a page judged by them, once in the process that all warm commands are forks of:
the models are loaded then, and the topics' dictionaries, which take most of the time of a small crawl. How a command
loads them itself, test_installed.py and all cold commands show."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

from crawler.frontier import politeness
from crawler.reader.text import segmenters
from crawler.runs import harvester
from tests.warm import Forked
from zhuti import extract, judge

for name in ("with_rjieba", "with_jieba"):  # a process of its own would keep two
    setattr(segmenters, name, cache(getattr(segmenters, name).__wrapped__))
page = extract("<h1>渡口</h1><p>渡船每天清晨从东岸开往西岸，船夫等到最后一位客人上船才解缆。</p>" * 3)
for topic in ("java", "machine-learning"):
    judge(page, topic)

# Whole crawls show that hosts that fail are left alone, tests of politeness show for how long.
for name in ("HOST_REST", "URL_REST"):
    setattr(politeness, name, getattr(politeness, name) / 20)
ours: Any = harvester  # its runs need not start Python
ours.PROCESSES = ours.SPAWNED = SimpleNamespace(Process=Forked, set_forkserver_preload=list)
