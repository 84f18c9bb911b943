import pytest

from crawler.reader.extract.author import find_author
from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import block_table
from crawler.reader.html.page import Page

BODY = "村里的老渡口在今年春天重新开放，第一班船坐了四十多个人，其中一半是来看热闹的孩子。"


def author(markup: str) -> str:
    """Of a page whose body is BODY; `markup` stands above it, or below it behind "|"."""
    above, _, below = markup.partition("|BODY|")
    page = Page(f"{above}<p>{BODY}</p>{below}")
    blocks, declared = read_blocks(page), page.declared
    table = block_table(blocks, declared.title)
    row = blocks.texts.index(BODY)
    return find_author(table, declared, row, row)


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
        ("<p>2019-03-08 来源：某报作者：林一舟责任编辑：何水</p>", "林一舟"),
        ("<p>作者：某报记者林一舟 来源：某报</p>", "林一舟"),
        ("<p>作者：linyi92</p>", "linyi92"),
        ("<p>记者 林一舟 某地报道</p>", "林一舟"),
        ("<p>◎ 記者林一舟／台北報導</p>", "林一舟"),
        ("<p>2019-03-08 某報 林一舟／台北報導</p>", "林一舟"),
        ("<p>（某社記者林一舟台北11日電）昨夜下雨。</p>", "林一舟"),
        ("<p>某报讯（记者 林一舟 通讯员 何水）昨夜下雨。</p>", "林一舟"),
        ("<p>Posted by linyi on 2019-03-08</p>", "linyi"),
        # below
        ("|BODY|<p>[作者: 林一舟 责任编辑: 何水]</p>", "林一舟"),
        ("|BODY|<p>□ 本报记者 林一舟</p>", "林一舟"),
        ("|BODY|<p>新华社记者 林一舟 摄</p>", ""),
        # the site, or a number, in place of a person
        ("<meta name=author content=某某网><p>作者：林一舟</p>", "林一舟"),
        ("<meta name=author content=某某网><p>2019-03-08</p>", "某某网"),
        ("<meta name=author content=104363>", ""),
        ("<meta name=author content='&lt;author>林一舟&lt;/author>'>", "林一舟"),
        ("<meta name=author content=林一舟><p>作者：何水</p>", "林一舟"),
        # no names
        ("<p>作者：网络整理</p>", ""),
        ("<p>来源: 作者: 手机版</p>", ""),
        ("<p>记者9日从某局获悉，渡口重开。</p>", ""),
        ("<p>By the way, it rains.</p>", ""),
        ("<p>By hand on paper</p>", ""),
        ("<p>作者：</p>", ""),
        ("<p>本文作者认为渡口应当重开</p>", ""),
        (f"<p>{'作者的话很长，' * 30}作者：林一舟</p>", ""),
    ],
)
def test_author(markup: str, expected: str) -> None:
    assert author(markup) == expected
