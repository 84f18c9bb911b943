import pytest

from crawler.reader.extract.author import find_author
from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import block_table
from crawler.reader.html.page import Page

BODY = "村里的老渡口在今年春天重新开放，第一班船坐了四十多个人，其中一半是来看热闹的孩子。"


def author(markup: str) -> str:
    page = Page(f"{markup}<p>{BODY}</p>")
    blocks, declared = read_blocks(page), page.declared
    table = block_table(blocks, declared.title)
    return find_author(table, declared, blocks.texts.index(BODY))


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("", ""),
        # declared
        ("<meta name=author content='林一舟'>", "林一舟"),
        ("<meta property=article:author content='https://example.cn/u/7'><p>作者：林一舟</p>", "林一舟"),
        ("<meta name=author content=admin>", ""),
        (
            f"<meta name=author content='{'某某网报道本地新闻和生活消息，' * 4}'>",
            "",
        ),
        (
            '<script type=application/ld+json>{"author": {"@type": "Person", "name": "Lin Yizhou"}}</script>',
            "Lin Yizhou",
        ),
        ('<script type=application/ld+json>{"author": ["林一舟", "何水"]}</script>', "林一舟"),
        # printed
        ("<p>2019-03-08 来源：某报 作者：林一舟</p>", "林一舟"),
        ("<p>作者：林一舟 编辑：何水</p>", "林一舟"),
        ("<p>作者：林一舟来源：某报</p>", "林一舟"),
        ("<p>文/林一舟</p>", "林一舟"),
        ("<p>记者：阿卜杜·克里木 2019年</p>", "阿卜杜·克里木"),
        ("<p>文章作者: 林一舟</p>", "林一舟"),
        ("<p>某报记者 林一舟 责任编辑：何水</p>", "林一舟"),
        ("<p>责任编辑：何水 来源：某报</p>", ""),
        ("<p>Posted by 林一舟 on 2019-03-08</p>", "林一舟"),
        ("<p>By Lin Yizhou</p>", "Lin Yizhou"),
        ("<p>Posted by: Anna van Dyk | May 2019</p>", "Anna van Dyk"),
        # no names
        ("<p>By the way, it rains.</p>", ""),
        ("<p>作者：</p>", ""),
        ("<p>本文作者认为渡口应当重开</p>", ""),
        (f"<p>{'作者的话很长，' * 30}作者：林一舟</p>", ""),
    ],
)
def test_author(markup: str, expected: str) -> None:
    assert author(markup) == expected
