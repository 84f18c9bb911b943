import numpy as np
import pytest

from crawler.reader.extract.article_end import HEADING, without_asides, without_comments, without_notes
from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import block_table
from crawler.reader.html.page import Page

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
        ("[查看跟帖]我要跟帖 0人参与 0条评论", True),
        ("User Comments", True),
        ("Please Add Comments", True),
        ("| 13 Comment(s)", True),
        ("Comments are now closed for this story", True),
        ("Dodaj komentarz", True),
        ("Komentarze (25)", True),
        ("3 Komentar", True),
        ("Оставить комментарий *", True),
        ("Yorumlar ve Emojiler Aşağıda", True),
        ("举报", True),
        ("林一舟 @ 2005-06-10 05:42:56 (290) 4 条评论 发表评论 >>>", True),
        ("游客可以发表评论", False),
        ("Komentarz dnia prof. Nowaka", False),
        ("The comments came as the minister left", False),
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
        (f"<p>{TEXT}</p><p>{TEXT}！</p><table><tr><th>目录<th>评论</tr><tr><td>/etc<td>设置</tr></table>", 6),
    ],
)
def test_an_article_ends_where_its_comments_begin(markup: str, kept: int) -> None:
    table = block_table(read_blocks(Page(markup)), "")
    taken = np.ones(len(table.owners), np.bool_)
    found = without_comments(table, taken)
    assert found.tolist() == [row < kept for row in range(len(taken))]
    assert taken.all()  # what was given is left alone


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        ([TEXT, TEXT + "！", "（责任编辑：何舟）"], 2),
        ([TEXT, TEXT + "！", "责编 何舟", "声明：本文只代表作者。"], 2),
        ([TEXT * 2, "① 凡本网注明来源的作品，" + TEXT, TEXT + "？", TEXT + "！"], 1),
        ([TEXT, "凡本网注明来源的作品，" + TEXT], 2),  # nothing is above that could be an article
        ([TEXT, TEXT + "！", "编辑部的灯亮了一夜，第二天一早，船就开了。"], 3),
        (["来源：渡口日报", TEXT, TEXT + "！"], 3),
        ([TEXT, TEXT + "；", "相关新闻：", TEXT * 5], 4),  # too much follows
        ([TEXT, TEXT + "！", TEXT + "？", "相关新闻", "渡口又停了"], 3),
        (["版权所有"], 1),
        *(
            ([TEXT, TEXT + "！", line], 2)
            for line in (
                "关注渡口日报微信公众号，每天一条河上的消息",
                "爆料热线：010-12345678",
                "投稿邮箱 ferry@a.example",
                "本文仅代表作者观点，不代表本报立场",
                "以上内容不构成投资建议",
                "本文系渡口日报独家稿件，未经许可不得转载",
                "下载渡口新闻APP",
                "感谢您的阅读！",
            )
        ),
        ([TEXT, TEXT + "！", "关注河水的人说，新闻里的水位比昨天高了两寸。"], 3),
    ],
)
def test_notes_are_not_of_the_article(lines: list[str], kept: int) -> None:
    table = block_table(read_blocks(Page("".join(f"<p>{line}</p>" for line in lines))), "")
    found = without_notes(table, np.ones(len(lines), np.bool_))
    first = int(lines[0].startswith("来源"))
    assert found.tolist() == [first <= row < kept for row in range(len(lines))]


@pytest.mark.parametrize(
    ("markup", "kept"),
    [
        (f"<p>{TEXT}</p><aside><p>{TEXT[:20]}</p></aside>", [0]),
        (f"<aside><p>{TEXT}</p></aside><p>{TEXT[:20]}</p>", [0, 1]),
    ],
)
def test_asides_are_not_a_part_of_an_article_unless_they_are_most_of_it(markup: str, kept: list[int]) -> None:
    table = block_table(read_blocks(Page(markup)), "")
    taken = np.ones(len(table.owners), np.bool_)
    assert np.flatnonzero(without_asides(table, taken)).tolist() == kept
