import numpy as np
import pytest

from crawler.extract.default.blocks import read_blocks
from crawler.extract.default.comments import HEADING, without_comments
from crawler.extract.default.features import block_table
from crawler.html.page import Page

TEXT = "渡口的船每天早上六点开，冬天晚一个钟头，遇到大雾就停在对岸，等雾散了再过来接人，船票一直是两块钱。"


@pytest.mark.parametrize(
    ("line", "heads"),
    [
        ("评论", True),
        ("网友评论", True),
        ("全部评论(12)", True),
        ("3条评论", True),
        ("留言列表 (42)", True),
        ("发表评论：", True),
        ("Comments", True),
        ("12 comments", True),
        ("Leave a Reply", True),
        ("3 thoughts on “The old ferry”", True),
        ("Join the conversation", True),
        ("评论员观察", False),
        ("Comment", False),  # a column's head, or a button
        ("Response", False),
        ("The conversation", False),
        ("本报评论部", False),
    ],
)
def test_headings(line: str, heads: bool) -> None:
    assert bool(HEADING.fullmatch(line)) is heads


@pytest.mark.parametrize(
    ("markup", "kept"),
    [
        (f"<p>{TEXT}</p><p>{TEXT}！</p><h3>评论</h3><p>写得好</p><p>{TEXT}？</p>", 2),
        (f"<h1>渡口</h1><span>评论</span><p>{TEXT}</p><p>{TEXT}！</p>", 4),  # a counter over the text
        (f"<p>{TEXT}</p><p>{TEXT}！</p>", 2),
    ],
)
def test_an_article_ends_where_its_comments_begin(markup: str, kept: int) -> None:
    table = block_table(read_blocks(Page(markup)), "")
    taken = np.ones(len(table.owners), np.bool_)
    found = without_comments(table, taken)
    assert found.tolist() == [row < kept for row in range(len(taken))]
    assert taken.all()  # what was given is left alone
