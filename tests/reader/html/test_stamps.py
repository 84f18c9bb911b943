"""Times that are shown in words and told in attributes."""

from __future__ import annotations

import pytest

from crawler.reader.html.page import Page


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<span title='2024-05-02 10:20:30'>3&nbsp;天前</span>", "2024-05-02 10:20:30"),
        ("<span title='2024-5-2 10:20'>昨天&nbsp;10:20</span>", "2024-5-2 10:20"),
        ("<span title='2024-5-2 10:20'>半小时前</span>", "2024-5-2 10:20"),
        ("<em title='2024-05-02T10:20:30Z'>2 hours ago</em>", "2024-05-02T10:20:30Z"),
        ("<i data-time=1714616430></i>", "2024-05-02T10:20:30+08:00"),
        ("<i data-timestamp=1714616430000>刚刚</i>", "2024-05-02T10:20:30+08:00"),
        ("<span title='2024-05-02 10:20:30'>老渡口停航</span>", "老渡口停航"),
        ("<span title='老渡口'>3 天前</span>", "3 天前"),
        ("<span>3 天前</span>", "3 天前"),
    ],
)
def test_times(markup: str, expected: str) -> None:
    assert Page(f"<p>船 {markup}</p>").layout.lines[0].text.replace("\xa0", " ") == f"船 {expected}"


def test_seconds_on_a_foreign_page() -> None:
    told = [Page(f"<p>boat <i data-time=1714616430>{words}</i>").layout.lines[0].text for words in ("2 days ago", "")]
    assert told == ["boat 2024-05-02T02:20:30+00:00", "boat"]
