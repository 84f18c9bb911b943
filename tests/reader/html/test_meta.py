import pytest
from hypothesis import given, strategies as st

from crawler.reader.html.page import Page, meta_refresh, other_address

PAGE = "http://a.cn/dir/page.html"


@pytest.mark.parametrize(
    ("markup", "target"),
    [
        ('<meta http-equiv="refresh" content="0; url=../b.html">', "http://a.cn/b.html"),
        ("<META HTTP-EQUIV=Refresh CONTENT='3;URL=http://B.cn'>", "http://b.cn/"),
        ('<meta http-equiv="refresh" content="600; url=b.html">', None),
        ('<meta http-equiv="refresh" content="60; url=b.html">', "http://a.cn/dir/b.html"),
        ('<base href="/c/"><meta http-equiv="refresh" content="0; url=b.html">', "http://a.cn/c/b.html"),
        (" " * 4096 + '<meta http-equiv="refresh" content="0; url=b.html">', None),  # behind what Scrapy searches
        ('<noscript><meta http-equiv="refresh" content="0; url=b.html"></noscript>', None),
        ('<meta http-equiv="refresh" content="0; url=http://[b/">', None),
        ('<meta http-equiv="refresh" content="5">', None),
        ('<meta http-equiv="refresh" content="5; url=page.html">', None),
        ('<!-- <meta http-equiv="refresh" content="0; url=b.html"> -->', None),
        ('<meta http-equiv="refresh" content="0; url=javascript:x()">', None),
        ("<p>no refresh</p>", None),
        ("", None),
    ],
)
def test_meta_refresh(markup: str, target: str | None) -> None:
    assert meta_refresh(markup, PAGE) == target


def test_how_long_a_meta_refresh_may_wait() -> None:
    page = '<meta http-equiv="refresh" content="60; url=b.html">'
    assert meta_refresh(page, PAGE, slowest=59) is None
    assert meta_refresh(page.replace("60", "0"), PAGE, slowest=-1) is None


@given(st.text(max_size=20))
def test_meta_refresh_never_raises(target: str) -> None:
    meta_refresh(f'<meta http-equiv="refresh" content="0; url={target}">', PAGE)


WITH_QUERY = "https://www.a.example/x?b=1"
OTHERS = [
    ("https://www.a.example/x", "https://www.a.example/x"),
    ("http://www.a.example/x?b=1", "http://www.a.example/x?b=1"),
    ("https://m.a.example/x", "https://m.a.example/x"),
    ("https://a.example/x", "https://a.example/x"),
    ("/y", "https://www.a.example/y"),
    ("https://www.a.example/x?b=1", ""),  # itself
    ("https://www.a.example/", ""),  # the front page: not believed
    ("https://www.a.example", ""),
    ("https://b.example/x", ""),  # another site
    ("https://b.a.example/x", ""),
    ("javascript:void(0)", ""),
    ("", ""),
]


@pytest.mark.parametrize(("href", "address"), OTHERS)
def test_other_address(href: str, address: str) -> None:
    markup = f'<head><link rel="canonical" href="{href}"></head><body>x</body>'
    assert other_address(Page(markup, WITH_QUERY)) == address
