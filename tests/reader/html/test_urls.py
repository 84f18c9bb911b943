import pytest
from hypothesis import example, given, settings, strategies as st

from crawler.reader.html.urls import MAX_URL, canonical, host, html_extension

BASE = "http://A.com:80/x/y.html"

CANONICAL_TESTS = [
    # papers.md 4.5, test C2
    ("../z/./p.htm#k", "http://a.com/z/p.htm"),
    ("//b.cn", "http://b.cn/"),
    ("?q=1", "http://a.com/x/y.html?q=1"),
    # parts of an address
    ("", "http://a.com/x/y.html"),
    ("#top", "http://a.com/x/y.html"),
    ("HTTPS://B.CN:443", "https://b.cn/"),
    ("https://b.cn:80/", "https://b.cn:80/"),
    ("http://b.cn./x", "http://b.cn/x"),
    ("http://user:word@b.cn/", "http://b.cn/"),
    ("http://[::1]:8080/a", "http://[::1]:8080/a"),
    ("http://127.0.0.1:8900/a", "http://127.0.0.1:8900/a"),
    ("http://localhost/a", "http://localhost/a"),
    ("http://b.cn/a/./b/../../c/..", "http://b.cn/"),
    ("http://b.cn/../../a", "http://b.cn/a"),
    ("http://b.cn//a//b", "http://b.cn//a//b"),
    ("http://b.cn/%2e%2e/a", "http://b.cn/a"),
    ("http://b.cn/...", "http://b.cn/..."),
    ("http://b.cn/a;jsessionid=1F?x=1", "http://b.cn/a?x=1"),
    ("http://b.cn/?b=2&a=1", "http://b.cn/?b=2&a=1"),
    ("http://b.cn/?", "http://b.cn/"),
    (" \n/a\tb ", "http://a.com/ab"),
    ("\\a\\b", "http://a.com/a/b"),
    # escapes
    ("http://b.cn/%7euser/%e4%b8%ad", "http://b.cn/~user/%E4%B8%AD"),
    ("http://b.cn/中文/第 一.html", "http://b.cn/%E4%B8%AD%E6%96%87/%E7%AC%AC%20%E4%B8%80.html"),
    ("http://b.cn/%E4%B8%AD%E6%96%87/%E7%AC%AC%20%E4%B8%80.html", None),
    ("http://b.cn/?q=中&r=a b", "http://b.cn/?q=%E4%B8%AD&r=a%20b"),
    ("http://b.cn/100%", "http://b.cn/100%"),
    ("http://b.cn/%%341", "http://b.cn/%%341"),
    ("http://b.cn/%4%31", "http://b.cn/%4%31"),
    ("http://b.cn/s.asp?tag=%u6811%u7684&p=%41", "http://b.cn/s.asp?tag=%u6811%u7684&p=A"),
    ("http://b.cn/a%2Fb", "http://b.cn/a%2Fb"),
    ("http://b.cn/<a|b>", "http://b.cn/%3Ca%7Cb%3E"),
    ("http://例子.中国/路", "http://xn--fsqu00a.xn--fiqs8s/%E8%B7%AF"),
    ("http://Straße.example:81/ß", "http://xn--strae-oqa.example:81/%C3%9F"),
    ("http://u@☃.example/", "http://xn--n3h.example/"),
    # marks of advertisements
    ("http://b.cn/a?id=7&utm_source=x#c1", "http://b.cn/a?id=7"),
    ("http://b.cn/a?utm_source=x#c1", "http://b.cn/a"),
    ("http://b.cn/a?utm_source=x&id=7#c1", "http://b.cn/a?id=7"),
    ("http://b.cn/a?id=7&amp;utm_source=x", "http://b.cn/a?id=7"),
]

BROKEN = [
    "mailto:a@b.cn",
    "javascript:void(0)",
    "data:text/html,x",
    "ftp://b.cn/",
    "tel:123",
    "http://",
    "http:///a",
    "http://b.cn:99999/",
    "http://b.cn:x/",
    "http://[::1/",
    "http://b c/",
    "http://%00/",
    "http://b.cn/" + "a" * MAX_URL,
    "http://b.cn/" + "中" * MAX_URL,
    "http://" + "中" * 80 + ".cn/",
]


@pytest.mark.parametrize(("url", "expected"), CANONICAL_TESTS)
def test_canonical(url: str, expected: str | None) -> None:
    assert canonical(url, BASE) == (expected or url)


@pytest.mark.parametrize("url", BROKEN)
def test_broken_or_foreign_addresses_have_none(url: str) -> None:
    assert canonical(url, BASE) is None


@pytest.mark.parametrize(
    "base", ["http://a.cn/b/c?d", "http://a.cn", "http://a.cn?d", "http://a.cn:80/", "http://u.v@a.cn/", "HTTP://A.CN/"]
)
def test_paths_from_the_root_of_a_site(base: str) -> None:
    assert canonical("/x//y?z=1", base) == "http://a.cn/x//y?z=1"


def test_paths_from_the_root_keep_the_port() -> None:
    assert canonical("/x", "http://a.cn:8080/b") == "http://a.cn:8080/x"


@pytest.mark.parametrize("url", ["", "a.html", "/a", "b.cn/a", "#k"])
def test_relative_without_base(url: str) -> None:
    assert canonical(url) is None


SEGMENTS = st.sampled_from(
    [
        "a",
        "B",
        ".",
        "..",
        "%2e",
        "%2E%2e",
        "",
        "中文",
        "%e4%b8%ad",
        "%",
        "%%3",
        "%41",
        "a b",
        "\\",
        "?",
        "#",
        "&=",
        ":",
        "@",
        "[",
        "]",
        ";jsessionid=1",
    ]
)


@given(
    st.lists(SEGMENTS, max_size=8),
    st.sampled_from(["http://B.cn", "https://例子.cn:443", "//c.cn:8080/", "", "/", "?", "http:"]),
)
@example(["%", "%3", "41"], "http://B.cn/")
@settings(max_examples=50)
def test_canonical_settles_at_once(segments: list[str], start: str) -> None:
    for separator in ("", "/"):
        once = canonical(start + "/" * bool(separator) + separator.join(segments), BASE)
        if once is not None:
            assert canonical(once) == once
            assert canonical(once, "http://elsewhere.cn/x") == once


@given(st.text())
def test_canonical_never_raises(url: str) -> None:
    once = canonical("http://" + url)
    assert once is None or canonical(once) == once
    assert canonical(url, BASE) is None or canonical(url, BASE) == canonical(canonical(url, BASE) or "")


EXTENSION_TESTS = [
    ("http://b.cn", True),
    ("http://b.cn/", True),
    ("http://b.zip", True),
    ("http://b.cn/a", True),
    ("http://b.cn/a.html", True),
    ("http://b.cn/a.SHTML", True),
    ("http://b.cn/a.php?x=a.jpg", True),
    ("http://b.cn/a.aspx#b.zip", True),
    ("http://b.cn/index.do", True),
    ("http://b.cn/x.cgi", True),
    ("http://b.cn/v1.2/", True),
    ("http://b.cn/v1.2", True),
    ("http://b.cn/posts/node.js", True),
    ("http://b.cn/posts/ASP.NET", True),
    ("http://b.cn/%E7%AC%AC1.%E7%AB%A0", True),
    ("http://b.cn/a.zip/", True),
    ("http://b.cn/a.JPG", False),
    ("http://b.cn/a.pdf", False),
    ("http://b.cn/a.zip?x=1", False),
    ("http://b.cn/a.tar.gz", False),
    ("http://b.cn/atom.xml", False),
    ("http://b.cn/robots.txt", False),
    ("http://b.cn/README.md", False),
]


@pytest.mark.parametrize(("url", "expected"), EXTENSION_TESTS)
def test_html_extension(url: str, expected: bool) -> None:
    assert html_extension(url) is expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://A.com:80/x", "a.com"),
        ("http://u@b.cn/", "b.cn"),
        ("http://[::1]:80/", "::1"),
        ("x", ""),
        ("http://[/", ""),
    ],
)
def test_host(url: str, expected: str) -> None:
    assert host(url) == expected


TOLD_FOR_NOTHING = [
    ("http://a.cn/x?utm_source=1&id=3", "http://a.cn/x?id=3"),
    ("http://a.cn/x?id=3&UTM_Medium=mail&spm=a.1.b", "http://a.cn/x?id=3"),
    ("http://a.cn/x?fbclid=1#f", "http://a.cn/x"),
    ("http://a.cn/list.php?PHPSESSID=8f1&page=2", "http://a.cn/list.php?page=2"),
    ("http://a.cn/(S(abcdefghij12345))/x.aspx", "http://a.cn/x.aspx"),
    ("http://a.cn/x;jsessionid=1F?a=1", "http://a.cn/x?a=1"),
    ("http://a.cn/x?sid=0123456789abcdef0123456789abcdef&t=5", "http://a.cn/x?t=5"),
    ("http://a.cn/x?_=1650000000000", "http://a.cn/x"),
    ("http://a.cn/x?sid=12&from=story&source=3", "http://a.cn/x?sid=12&from=story&source=3"),  # they name documents
    ("http://a.cn/x?kutm_source=1&_=2", "http://a.cn/x?kutm_source=1&_=2"),
]


@pytest.mark.parametrize(("url", "expected"), TOLD_FOR_NOTHING)
def test_what_names_a_visit_and_no_document(url: str, expected: str) -> None:
    assert canonical(url) == expected
    assert canonical(expected) == expected


@pytest.mark.parametrize(
    ("url", "encoding", "expected"),
    [
        ("/s.asp?tag=森林", "gb18030", "http://a.cn/s.asp?tag=%C9%AD%C1%D6"),
        ("/s.asp?tag=森林", "big5", "http://a.cn/s.asp?tag=%B4%CB%AAL"),
        ("/s.asp?tag=森林", "utf-8", "http://a.cn/s.asp?tag=%E6%A3%AE%E6%9E%97"),
        ("/文章/1.html", "gb18030", "http://a.cn/%E6%96%87%E7%AB%A0/1.html"),  # a path is in UTF-8 everywhere
        ("/s?q=\U0001f600", "big5", "http://a.cn/s?q=%F0%9F%98%80"),  # which the encoding has not
    ],
)
def test_a_query_is_in_the_encoding_of_its_page(url: str, encoding: str, expected: str) -> None:
    assert canonical(url, "http://a.cn/", encoding) == expected
