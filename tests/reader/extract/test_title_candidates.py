import numpy as np
import pytest

from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import BlockTable, block_table
from crawler.reader.extract.title_candidates import body_start, key_of, plain_title, title_candidates
from crawler.reader.extract.title_features import NAMES, body_shares, title_matrix
from crawler.reader.html.declared import Declared
from crawler.reader.html.page import Page

BODY = "村里的老渡口在今年春天重新开放，第一班船坐了四十多个人，其中一半是来看热闹的孩子。"


def read(markup: str) -> tuple[BlockTable, Declared, int]:
    page = Page(f"{markup}<p>{BODY}</p><p>{BODY}</p>")
    blocks, declared = read_blocks(page), page.declared
    table = block_table(blocks, declared.title)
    return table, declared, blocks.texts.index(BODY)


def texts(markup: str) -> set[str]:
    return {candidate.text for candidate in title_candidates(*read(markup))}


@pytest.mark.parametrize(
    ("markup", "expected", "absent"),
    [
        # all runs of parts of the head's title (papers.md 7.3); the marks between them may belong to the title
        (
            "<title>老渡口重开_第二篇 - 某某网</title>",
            {"老渡口重开", "老渡口重开_第二篇", "第二篇 - 某某网", "老渡口重开_第二篇 - 某某网"},
            set(),
        ),
        ("<title>老渡口重开--某某地方网站</title>", {"老渡口重开", "某某地方网站"}, set()),
        ("<title>K-means 与 x-y 图</title>", {"K-means 与 x-y 图"}, {"K"}),
        # what is declared
        ("<meta property=og:title content=老渡口重新开放>", {"老渡口重新开放"}, set()),
        ('<script type=application/ld+json>{"headline": "老渡口重新开放"}</script>', {"老渡口重新开放"}, set()),
        # blocks before the body, with what names the title taken off
        ("<div>主题：老渡口重开</div><div>2019-03-08</div>", {"老渡口重开"}, {"主题：老渡口重开"}),
        # ways to the page and links of menus are none
        ("<div>首页 > 新闻 > 正文</div><div><a href=/>图片</a></div><b>老渡口重开</b>", {"老渡口重开"}, {"图片"}),
        ("<div>您的位置：首页 > 新闻</div>", set(), {"您的位置：首页 > 新闻"}),
        # nor is what boards write over a post
        (
            "<p>发信人: lin (林), 信区: Dukou</p><p>标　题: 老渡口春天重开</p>",
            {"老渡口春天重开"},
            {"发信人: lin (林), 信区: Dukou"},
        ),
        ("<p>[精华区] 版主：林一舟</p><p>老渡口春天重开</p>", {"老渡口春天重开"}, {"[精华区] 版主：林一舟"}),
        # two blocks that the head knows as one title are one
        (
            "<title>老渡口春天重开第一班船坐满_某某网</title><h1>老渡口春天重开</h1><h2>第一班船坐满</h2>",
            {"老渡口春天重开第一班船坐满"},
            {"老渡口春天重开"},
        ),
        (
            "<title>老渡口春天重开——第一班船坐满_某某网</title><p>老渡口春天重开</p><p>——第一班船坐满</p>",
            {"老渡口春天重开——第一班船坐满"},
            {"老渡口春天重开"},
        ),
        # but not title and site
        ("<title>老渡口春天重开_某某网</title><h1>老渡口春天重开</h1><p>某某网</p>", {"老渡口春天重开"}, set()),
        # a head that nothing shows is not a title where a heading shows a part of it, or when it is short
        ("<title>某某日报—A1版—老渡口春天重开</title><h1>老渡口春天重开</h1>", {"老渡口春天重开"}, {"某某日报"}),
        ("<title>显示</title><p>老渡口春天重开</p>", {"老渡口春天重开"}, {"显示"}),
        ("<title>渡口</title>", {"渡口"}, {BODY}),
        # nor one that came with an editor or a template
        ("<title>新闻中心详情</title><p>老渡口春天重开</p>", {"老渡口春天重开"}, {"新闻中心详情"}),
        ("<title>Document</title><p>老渡口春天重开</p>", {"老渡口春天重开"}, {"Document"}),
        ("<title>老渡口重开详情</title><p>公告</p>", {"老渡口重开详情"}, set()),
        # a head of which the page shows a short link alone names section and site
        (
            "<title>最新资讯 - 某某渡口公司</title><a href=/>最新资讯</a><p>老渡口春天重开</p>",
            {"老渡口春天重开"},
            {"最新资讯", "某某渡口公司", "最新资讯 - 某某渡口公司"},
        ),
        # but not where nothing else is shown, or where the link is long or the page's heading, or the text says it too
        ("<title>最新资讯</title><div><a href=/>最新资讯</a></div>", {"最新资讯"}, set()),
        ("<title>老渡口春天重开</title><div><a href=/>老渡口春天重开</a></div><p>公告</p>", {"老渡口春天重开"}, set()),
        ("<title>渡口重开</title><h4><a href=/>渡口重开</a></h4><p>公告</p>", {"渡口重开"}, set()),
        ("<title>渡口重开</title><a href=/>渡口重开</a><div>渡口重开</div><p>公告</p>", {"渡口重开"}, set()),
        # a sentence is a title in a heading alone, a date nowhere
        ("<h3>老渡口春天重开。</h3><p>第一班船坐满。</p>", {"老渡口春天重开。"}, {"第一班船坐满。"}),
        (
            "<h2>2019-03-08 09:15</h2><p>发布时间：2019年3月8日</p>",
            set(),
            {"2019-03-08 09:15", "发布时间：2019年3月8日"},
        ),
    ],
)
def test_candidates(markup: str, expected: set[str], absent: set[str]) -> None:
    found = texts(markup)
    assert expected <= found
    assert not absent & found


def test_equal_texts_are_one_candidate_with_all_its_sources() -> None:
    markup = (
        "<title>老渡口重新开放 - 某某网</title><meta property=og:title content='老渡口重新开放！'>"
        "<h1>老渡口 重新开放</h1><div>记者 林一舟</div>"
    )
    table, declared, start = read(markup)
    (candidate,) = (each for each in title_candidates(table, declared, start) if each.key == "老渡口重新开放")
    assert candidate.text == "老渡口 重新开放"  # as a reader sees it
    assert candidate.flags == {"head", "first_part", "og", "h1"}
    assert candidate.rows == [0]


def test_lesser_headings_are_headings() -> None:
    table, declared, start = read("<h5>老渡口重新开放</h5>")
    assert [each.flags for each in title_candidates(table, declared, start)] == [{"h3"}]


def test_a_badge_in_its_block_does_not_hide_a_title() -> None:
    table, declared, start = read("<title>老渡口春天重新开放</title><h2><i>原创</i>老渡口春天重新开放</h2>")
    (candidate,) = (each for each in title_candidates(table, declared, start) if each.text == "老渡口春天重新开放")
    assert "badge" in candidate.flags
    assert candidate.rows == [0]


@pytest.mark.parametrize(("text", "key"), [("A b-C！", "abc"), ("老渡口 (上)", "老渡口上"), ("—", ""), ("x_1", "x1")])
def test_keys(text: str, key: str) -> None:
    assert key_of(text) == key


@pytest.mark.parametrize(
    ("heading", "plain"),
    [
        ("<h1>老渡口重新开放</h1>", "老渡口重新开放"),
        ("<h1>老渡口 重新开放</h1><h2>别的</h2>", "老渡口 重新开放"),
        ("<h1>某某网</h1>", None),  # the head begins with another part
        ("<h1><a href=/>老渡口重新开放</a></h1>", None),
        ("<h1>某某网</h1><h1>老渡口重新开放</h1>", "老渡口重新开放"),
        ("<h1>老渡口重新开放</h1><h1>老渡口重新开放 - 某某网</h1>", None),
        ("<p>老渡口重新开放</p>", None),
    ],
)
def test_the_only_h1_that_the_head_begins_with_is_plain(heading: str, plain: str | None) -> None:
    table, declared, start = read(f"<title>老渡口重新开放 - 某某网</title>{heading}")
    found = plain_title(table, title_candidates(table, declared, start))
    assert (found and found.text) == plain


def test_features_have_their_names() -> None:
    table, declared, start = read(
        "<title>老渡口重新开放 - 某某网</title><h1>老渡口重新开放</h1><p>2019-03-08 09:15</p>"
    )
    candidates = title_candidates(table, declared, start)
    taken = np.arange(len(table.letters.size)) >= start
    matrix = title_matrix(table, declared, "https://www.example.cn/1", taken, start, candidates)
    assert matrix.shape == (len(candidates), len(NAMES))
    row = next(place for place, each in enumerate(candidates) if each.key == "老渡口重新开放")
    of = dict(zip(NAMES, matrix[row].tolist(), strict=True))
    assert of["h1"] == of["shown"] == of["date_follows"] == of["only_h1"] == 1
    assert of["sources"] == 2
    assert of["site_name"] == of["linked"] == of["crumbs"] == 0


def test_words_of_the_body() -> None:
    table, _, start = read("<h1>老渡口重新开放</h1>")
    taken = np.arange(len(table.letters.size)) >= start
    shares = body_shares(table, taken, start, ["老渡口", "某某网", "A", "老渡口某某网"])
    assert shares.tolist() == pytest.approx([1, 0, 0, 2 / 5])
    assert body_shares(table, ~taken & False, start, ["老渡口"]).tolist() == [0]


@pytest.mark.parametrize(("tokens", "start"), [("短 句", 0), (f"短 {BODY}", 1), ("", 1)])
def test_where_the_body_starts(tokens: str, start: int) -> None:
    """At its first sentence; without one at its first block; without a body in the middle of the page."""
    lines = tokens.split() or ["a", "b", "c"]
    table = block_table(read_blocks(Page("".join(f"<p>{line}</p>" for line in lines))), "")
    taken = np.full(len(lines), bool(tokens))
    assert body_start(table, taken) == start
