import pytest

from crawler.reader.html.page import Page
from crawler.reader.papers.title import body_line, cut_title, find_title, looks

BODY = "五月一日到五日放假，请各单位安排好值班人员，并在节前检查门窗和电源。" * 4
# papers.md 4.6, test C3
HOLIDAY = f"<div>首页 新闻 通知</div><center><h1>关于五一旅游的通知</h1></center><p>2002-04-01</p><p>{BODY}</p>"


def test_papers_example_c3() -> None:
    page = Page(HOLIDAY)
    lines = page.layout.lines
    assert len(lines[0].text) == 8
    assert body_line(lines) == 3
    assert find_title(page).place == 1
    assert find_title(page).text == "关于五一旅游的通知"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("", ""),
        ("<p>短</p>", ""),
        ("<title>排序算法_某某网</title>", "排序算法"),
        ("<meta property='og:title' content='排序算法'>", "排序算法"),
        (f"<title>排序算法 - 某站</title><div>导航</div><div>排序算法</div><p>{BODY}</p>", "排序算法"),
        (f"<title>某站</title><h1>某站</h1><h2>排序算法</h2><p>{BODY}</p>", "某站"),
        (f"<p>{BODY}</p><h1>写在后面的标题</h1>", "写在后面的标题"),
        (f"<font size=5 color=red><b>排序算法</b></font><p>{BODY}</p>", "排序算法"),
        (f"<p style='font-size:24px;text-align:center'>排序算法</p><p>作者</p><p>{BODY}</p>", "排序算法"),
        (
            f"<title>快速排序的原理：从零开始的说明</title><h1>快速排序的原理</h1><h1>从零开始的说明</h1><p>{BODY}</p>",
            "快速排序的原理从零开始的说明",
        ),
        (f"<title>Sorting by hand</title><h2>Sorting</h2><h2>by hand</h2><p>{BODY}</p>", "Sorting by hand"),
    ],
)
def test_title(markup: str, expected: str) -> None:
    assert find_title(Page(markup)).text == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", ""),
        ("排序", "排序"),
        ("排序_教程_某站", "排序"),
        ("排序 | 某站", "排序"),
        ("排序 - 某站", "排序"),
        ("排序-某站", "排序"),
        ("K-means 与 x-y 图", "K-means 与 x-y 图"),
        ("_某站", "某站"),
    ],
)
def test_cut_title(head: str, expected: str) -> None:
    assert cut_title(head) == expected


@pytest.mark.parametrize(
    ("markup", "score"),
    [
        ("<p>x</p>", 0),
        ("<h1>x</h1>", 3),
        ("<h3>x</h3>", 2),
        ("<h5>x</h5>", 0),
        ("<p><font size=7>x</font></p>", 3),
        ("<p><font size='+1'>x</font></p>", 1),
        ("<p><font size='-1'>x</font></p>", -1),
        ("<p><font size=' +1 '>x</font></p>", 1),
        ("<p><font size='++1'>x</font></p>", 0),
        (f"<p><font size={'9' * 5000}>x</font></p>", 0),
        ("<p><big>x</big></p>", 1),
        ("<p style='font-size: 32px'>x</p>", 3),
        ("<p style='font-size: 1.2.3px'>x</p>", 0),
        ("<p align=center><font color=red><b>x</b></font></p>", 4),
        ("<div style='text-align:center; color:red'><p><span style='font-weight:700'>x</span></p></div>", 4),
    ],
)
def test_looks(markup: str, score: float) -> None:
    (line,) = Page(markup).layout.lines
    assert looks(line).score == pytest.approx(score)
