import pytest
from hypothesis import given, strategies as st

from crawler.reader.html.links import AROUND_TOKENS, MAX_ADDRESSES, MAX_LINKS, is_noise, links
from crawler.reader.html.page import Page
from crawler.records import Link

PAGE = "http://a.cn/dir/page.html"


def found(markup: str, url: str = PAGE) -> list[Link]:
    return links(Page(markup, url))


def only(markup: str) -> Link:
    (link,) = found(markup)
    return link


def test_more_links_than_a_page_has() -> None:
    many = "".join(f"<a href={n}.html>第{n}篇</a> " for n in range(MAX_LINKS + 9))
    assert [link.url[-9:] for link in found(many)][-1] == f"{MAX_LINKS - 1}.html"
    long = f"<base href='http://a.cn/{'x' * 1900}/'>{many}"
    assert 0 < sum(len(link.url) for link in found(long)) <= MAX_ADDRESSES


def test_a_link_and_all_that_is_said_of_it() -> None:
    link = only(
        "<div><ul><li>关于栈的<b>一篇</b>文章："
        "<a rel='Nofollow  external' title='栈' href='../s?x=1#k'>栈 <i>与</i>队列</a>，"
        "写于去年</li><li>别的</li></ul></div>"
    )
    assert link == Link(
        url="http://a.cn/s?x=1",
        anchor="栈 与队列",
        title="栈",
        around="关于栈的一篇文章： ，写于去年",
        tag_path="html/body/div/ul/li/a",
        rel="nofollow external",
        position=0.0,
        noise=False,
    )


@pytest.mark.parametrize(
    "markup",
    [
        "",
        "<a>x</a>",
        "<a href=''>x</a>",
        "<a href='#top'>x</a>",
        "<a href='page.html#k'>self</a>",
        "<a href='mailto:a@b.cn'>x</a>",
        "<a href='javascript:void(0)'>x</a>",
        "<a href='a.pdf'>x</a>",
        "<a href='http://[/'>x</a>",
        "<img src='a.html'>",
        "<script>document.write('<a href=x.html>x</a>')</script>",
        "<!-- <a href='x.html'>x</a> -->",
    ],
)
def test_no_link(markup: str) -> None:
    assert found(markup) == []


@pytest.mark.parametrize(
    ("markup", "url"),
    [
        ("<a href='b'>x</a>", "http://a.cn/dir/b"),
        ("<map><area href='b' alt='图'></map>", "http://a.cn/dir/b"),
        ("<iframe src='b'>none</iframe>", "http://a.cn/dir/b"),
        ("<frameset><frame src='b'></frameset>", "http://a.cn/dir/b"),
        ("<head><base href='http://b.cn/x/'></head><a href='c'>x</a>", "http://b.cn/x/c"),
        ("<base href='/x/'><a href='c'>x</a>", "http://a.cn/x/c"),
        ("<html><body></body></html><a href='b'>late</a>", "http://a.cn/dir/b"),
        ("<h2><a href='b'><div>card</div></a></h2>", "http://a.cn/dir/b"),
        ("<a href='posts/node.js'>x</a>", "http://a.cn/dir/posts/node.js"),
    ],
)
def test_followed(markup: str, url: str) -> None:
    assert only(markup).url == url


def test_one_record_per_address_joins_what_its_links_say() -> None:
    page = (
        "<div><a href='/p/中'><img alt='封面'></a></div><h2><a href='/p/%e4%b8%ad#more'>快速排序的实现</a></h2>"
        "<p>平均情况下很快。<a href='/p/中'>更多</a></p><a href='/q'>q</a>"
    )
    first, second = found(page)
    assert first.anchor == "快速排序的实现"
    assert first.title == "封面"
    assert first.around == "平均情况下很快。"
    assert first.tag_path == "html/body/div/a"
    assert not first.noise
    assert (first.position, second.position) == (0.0, 1.0)


def test_around_is_cut_on_both_sides() -> None:
    link = only(f"<p>{'前' * 100} <a href='b'>锚</a> {'word ' * 50}</p>")
    assert link.around == "前" * 2 * AROUND_TOKENS + " " + " ".join(["word"] * AROUND_TOKENS)


def test_around_stays_in_the_block() -> None:
    assert only("<div>外面<p>里面<br>这里<a href='b'>锚</a></p>外面</div>").around == "里面 这里"


@pytest.mark.parametrize(
    ("anchor", "noise"),
    [
        ("首页", True),
        ("首頁", True),
        ("更多 >>", True),
        ("登录/注册", True),
        ("首 页", True),
        ("Log In", True),
        ("Contact us", True),
        ("上一页", True),
        ("下一页", False),
        ("下一页 »", False),
        ("Older posts", False),
        ("Next", False),
        ("2", False),
        ("»", False),
        ("", False),
        ("首页设计的要点", False),
        ("更多关于树的算法", False),
        ("版权" * 100, False),
    ],
)
def test_noise(anchor: str, noise: bool) -> None:
    assert is_noise(anchor) is noise
    assert [link.noise for link in found(f"<a href='b'>{anchor}</a>")] == [noise]


PIECES = st.sampled_from(
    [
        "<a href='x'>",
        "<a href=y>",
        "</a>",
        "<div>",
        "</div>",
        "<p>",
        "<iframe src=z>",
        "</iframe>",
        "<map>",
        "<area href=w>",
        "文字",
        "<b>",
        "<!--",
        "-->",
        "<svg><a href=v>",
        "</svg>",
        "<br>",
    ]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=40))
def test_each_target_once_in_order(pieces: list[str]) -> None:
    result = found("".join(pieces))
    assert len({link.url for link in result}) == len(result)
    positions = [link.position for link in result]
    assert positions == sorted(positions)
    assert all(0 <= position <= 1 for position in positions)


def test_deep_page() -> None:
    assert only("<div>" * 5000 + "<a href='b'>深</a>" + "</div>" * 5000).anchor == "深"


def test_links_that_are_never_closed() -> None:
    result = found("".join(f"<a href='{number}'><div>第{number}个" for number in range(500)))
    assert len(result) == 500
    assert all(f"第{number}个" in link.anchor for number, link in enumerate(result))
    assert max(link.tag_path.count("/") for link in result) < 100
