"""A topic learned and a page judged by it, once in the process that all warm commands are forks of: with that the
project's models are loaded. How a command loads them itself, test_installed.py and all cold commands show."""

from __future__ import annotations

from zhuti import extract, judge

judge(extract("<h1>渡口</h1><p>渡船每天清晨从东岸开往西岸，船夫等到最后一位客人上船才解缆。</p>" * 3), "java")
