import pytest

from crawler.reader.html.page import read_markup
from crawler.reader.text.charset import looks_like_html


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", True),
        (b" \n", True),
        (b"<!DOCTYPE html><p>a", True),
        (b"text <b>bold</b>", True),
        (b"<html>\0<body>a\0b", True),  # NULs in a page
        (b"\0\0 <HTML><body>a", True),
        ("<p>页</p>".encode("utf-16"), True),
        (b"\0" * 500, False),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR <b>", False),
        (b"%PDF-1.4 \0<a", False),
        (b"plain text, 1 < 2", False),
        (b"<picture-of-bytes\0\0", False),
    ],
)
def test_html(content: bytes, expected: bool) -> None:
    assert looks_like_html(content) is expected


PAGE = b"<!DOCTYPE html><title>a</title><p>b"
XHTML = b'<?xml version="1.0"?><!-- x --><html xmlns="http://www.w3.org/1999/xhtml"><p>b</p></html>'
FEED = b'<?xml version="1.0"?><rss version="2.0"><channel/></rss>'
IMAGE, PDF, TEXT = b"\x89PNG\r\n\x1a\n\0\0<p>", b"%PDF-1.4 <p>", b"plain text"
OCTETS = "application/octet-stream"


@pytest.mark.parametrize(
    ("media_type", "name", "content", "expected"),
    [  # what wins where type, extension and bytes disagree
        ("text/html", "a.html", PAGE, True),
        ("text/html", "a.html", TEXT, True),  # the type
        ("text/html", "a.jpg", PAGE, True),
        ("text/html", "a.html", IMAGE, False),  # the bytes
        ("text/html", "a.html", PDF, False),
        ("text/html", "a.html", FEED, False),
        ("text/html", "a.html", PAGE[:20] + b"\0" + PAGE[20:], True),
        ("text/html", "a.html", b"\0" + PAGE, True),
        ("text/html", "a.html", b"Notice\0: x" + PAGE, True),
        ("text/html", "a.html", b"\0" * 9 + b"\x01\x02<p>", False),
        ("text/html", "a.html", PAGE.decode().encode("utf-16-le"), True),
        ("text/html charset=utf-8", "a.html", PAGE, True),
        ("TEXT/HTML;charset=utf-8", "a", PAGE, True),
        ("application/xhtml+xml", "a", XHTML, True),
        ("application/vnd.wap.xhtml+xml", "a", XHTML, True),
        ("", "a.html", PAGE, True),
        ("html", "a.html", PAGE, True),  # no type at all
        ("", "a.jpg", PAGE, False),  # the extension
        ("", "a.html", IMAGE, False),
        (OCTETS, "a.html", PAGE, True),  # a type that says nothing: extension and bytes
        (OCTETS, "a/", b"\xef\xbb\xbf\n" + PAGE, True),
        (OCTETS, "a.html", TEXT, False),
        (OCTETS, "a.zip", PAGE, False),
        (OCTETS, "a.html", IMAGE, False),
        ("binary/octet-stream", "a", PAGE, True),
        ("text/xml", "a", XHTML, True),
        ("application/xml", "a", FEED, False),
        ("text/plain", "a.html", PAGE, False),  # browsers show its source
        ("image/png", "a.html", PAGE, False),
        ("application/json", "a.html", PAGE, False),
    ],
)
def test_what_wins(media_type: str, name: str, content: bytes, expected: bool) -> None:
    assert (read_markup(content, media_type, f"http://a.example/{name}") is not None) is expected
