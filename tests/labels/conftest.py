"""A topic of two words."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.topic.files import Topic


@pytest.fixture
def topic(tmp_path: Path) -> Topic:
    path = tmp_path / "spiders.toml"
    path.write_text('keywords = ["爬虫", "网页"]\n', encoding="utf-8")
    return Topic.load(path).learn()
