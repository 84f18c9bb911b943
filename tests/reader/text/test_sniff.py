import pytest

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
