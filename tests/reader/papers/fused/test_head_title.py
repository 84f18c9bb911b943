"""Examples E1, E1b and E2 of papers.md 7.3."""

import pytest

from crawler.reader.html.page import Page
from crawler.reader.papers.fused.fused import fused
from crawler.reader.papers.fused.head_title import _split, head_title
from crawler.reader.papers.outline import Leaf

E1 = "交通部：让专车推动传统出租车改革 | 出租车 | 专车_新浪财经_新浪网"
E1_NODES = ["/新浪财经", "/出租车", "/专车", "交通部：让专车推动传统出租车改革", "正文说的是别的事。"]
E1B, E1B_NODES = "第3季_大结局_爱奇艺", ["第3季_大结局", "/爱奇艺"]
E2, E2_NODES = "广州日报—2015年11月8日—A1：头版版—习近平同马英九会面", ["习近平同马英九会面"]


def nodes(texts: list[str]) -> list[Leaf]:
    """A text with a slash before it is a link."""
    return [Leaf(text.removeprefix("/"), 0, line, text.startswith("/"), len(text)) for line, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("title", "texts", "expected"),
    [
        (E1, E1_NODES, "交通部：让专车推动传统出租车改革"),
        (E1B, E1B_NODES, "第3季_大结局"),
        (E2, E2_NODES, "习近平同马英九会面"),
        # a list of related news repeats the title as a link
        ("渡口重开_某某网", ["/渡口重开", "渡口重开", "/某某网"], "渡口重开"),
        # one head, none, English ones, all removed
        ("渡口重开", [], "渡口重开"),
        ("", ["渡口"], ""),
        ("Ferry reopens | Some Daily Newspaper", ["/Some Daily Newspaper", "Ferry reopens"], "Ferry reopens"),
        ("渡口重开_某某网", ["/渡口重开", "/某某网"], "渡口重开"),
    ],
)
def test_titles(title: str, texts: list[str], expected: str) -> None:
    assert head_title(title, nodes(texts)) == expected


def test_e1_share() -> None:
    heads = _split(E1)
    assert [head.size for head in heads] == [16, 3, 2, 4, 3]
    assert heads[0].size / sum(head.size for head in heads) == pytest.approx(0.5714, abs=1e-4)


def test_separators() -> None:
    assert [head.text for head in _split("第3季_大结局：上")] == ["第3季", "大结局：上"]


def test_system_e_takes_it() -> None:
    body = "".join(f"<p>村里的老渡口在今年春天重新开放，第{number}班船坐了四十多个人。</p>" for number in range(9))
    page = f"<title>{E1B}</title><a href=/>爱奇艺</a><h1>第3季_大结局</h1><div class=text>{body}</div>"
    assert fused(Page(page)).title == "第3季_大结局"
