import pytest

from crawler.reader.extract.author import find_author
from crawler.reader.extract.blocks import read_blocks
from crawler.reader.html.page import Page

BODY = "村里的老渡口在今年春天重新开放，第一班船坐了四十多个人，其中一半是来看热闹的孩子。"


def author(markup: str) -> str:
    """Of a page whose body is BODY; `markup` stands above it, or below it behind "|"."""
    above, _, below = markup.partition("|BODY|")
    page = Page(f"{above}<p>{BODY}</p>{below}")
    texts = read_blocks(page).texts
    row = texts.index(BODY)
    return find_author(texts, page, row, row)


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
        ("<p>By Lin Yizhou December 22, 2019</p>", "Lin Yizhou"),
        ("<p>文丨某某网特约评论员 林一舟</p>", "林一舟"),
        ("<p>作者：Anna Weber 译者：林一舟</p>", "Anna Weber"),
        ("<p>2019-03-08 来源：某报 作者：林 舟</p>", "林舟"),
        ("|BODY|<p>作者 林一舟 何水</p>", "林一舟"),
        ("|BODY|<p>文 林一舟</p>", "林一舟"),
        ("<p>文 化</p>", ""),
        ("<p>8 marca 2019, 9:30 Autor: Anna Weber</p>", "Anna Weber"),
        ("<p>Authors: Anna Weber and Lin Yizhou</p>", "Anna Weber"),
        (f"<p>By Lin Yizhou</p>{'<p>share</p>' * 18}", "Lin Yizhou"),
        (f"<p>By Lin Yizhou</p>{'<p>share</p>' * 20}", ""),
        ("<p>记者林一舟 何水 嘉义报道</p>", "林一舟"),
        ("<p>某网讯 记者林一舟报道：昨夜下雨。</p>", "林一舟"),
        ("<p>（林一舟報導）</p>", "林一舟"),
        # below
        ("|BODY|<p>[作者: 林一舟 责任编辑: 何水]</p>", "林一舟"),
        ("|BODY|<p>□ 本报记者 林一舟</p>", "林一舟"),
        ("|BODY|<p>新华社记者 林一舟 摄</p>", ""),
        # the site, or a number, in place of a person
        ("<meta name=author content=某某网><p>作者：林一舟</p>", "林一舟"),
        ("<meta name=author content=某某网><p>2019-03-08</p>", "某某网"),
        ("<meta name=author content=104363>", ""),
        ("<meta name=author content=www.example.cn>", ""),
        ("<meta name=author content=林一舟><p>作者：何水</p>", "何水"),
        # an editor is not the author, and may be both
        ("<meta name=author content=林一舟>|BODY|<p>责任编辑：何水、林一舟</p>", ""),
        ("<meta name=author content=某网林一舟>|BODY|<p>（编辑：林一舟）</p>", ""),
        ("<meta name=author content=林一舟><p>某报记者 林一舟</p>|BODY|<p>责任编辑：林一舟</p>", "林一舟"),
        # marked: above the text or right behind it; elsewhere by microdata, if they name one
        ("<div class=post-author>by <a href=/u/7>linyi</a> 2019-03-08</div>", "linyi"),
        ("<p><span class='author vcard'>Opinion by Lin Yizhou</span></p>", "Lin Yizhou"),
        ("|BODY|<p>赞</p><p><a rel=author href=/u/7>linyi</a></p>", "linyi"),
        ("|BODY|<p>1</p><p>2</p><p>3</p><p>4</p><p class=author>某书 的作者</p>", ""),
        (
            "|BODY|<p>1</p><p>2</p><p>3</p><p>4</p><div itemprop=author><p itemprop=name>linyi</p><p>自述</p></div>",
            "linyi",
        ),
        ("<div class=authors-list><p>何水</p><p>与本文无关</p></div>", ""),
        ("<meta name=author content=林一舟><p class=author>何水</p>", "林一舟"),
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
