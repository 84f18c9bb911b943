from pathlib import Path

import pytest

from crawler.errors import SeedError
from crawler.topic.seeds import read_seeds

LISTS = [
    ("https://a.example/", ["https://a.example/"]),
    ("https://a.example", ["https://a.example/"]),
    ("https://a.example/, http://b.example/x ,", ["https://a.example/", "http://b.example/x"]),
    ("HTTP://A.example:80/x/../y#top,http://a.example/y", ["http://a.example/y"]),
]

FILES = [
    ("https://a.example/\nhttp://b.example/\n", ["https://a.example/", "http://b.example/"]),
    ("\ufeffhttps://a.example/\r\n\r\nhttp://b.example/", ["https://a.example/", "http://b.example/"]),
    ("# 种子\nhttps://a.example/x#part  # the list\n   # more\n\t\n", ["https://a.example/x"]),
    ("https://a.example/\nhttps://a.example/#again\n", ["https://a.example/"]),
]

BAD_LISTS = [
    ("", "no URL given"),
    ("  ", "no URL given"),
    ("ftp://a.example/", "seeds: entry 1: 'ftp://a.example/' is not an http"),
    ("https://a.example/,b.example", "seeds: entry 2: 'b.example' is not an http"),
    ("https://", "seeds: entry 1: 'https://' is not an http"),
    ("a.example", "cannot read the seed file"),
    ("missing/seeds.txt", "missing/seeds.txt: cannot read the seed file"),
    ("\0", "cannot read the seed file"),
    ("x" * 5000, "cannot read the seed file"),
]

BAD_FILES = [
    (b"", "contains no URL"),
    (b"# nothing\n\n", "contains no URL"),
    (b"https://a.example/\n\nwww.b.example\n", "line 3: 'www.b.example' is not an http"),
    ("https://a.example/数学".encode("gb18030"), "not UTF-8 text"),
]


@pytest.mark.parametrize(("text", "expected"), LISTS)
def test_a_list_of_urls(text: str, expected: list[str]) -> None:
    assert list(read_seeds(text)) == expected


@pytest.mark.parametrize(("content", "expected"), FILES)
def test_a_file_of_urls(tmp_path: Path, content: str, expected: list[str]) -> None:
    path = tmp_path / "seeds.txt"
    path.write_text(content, encoding="utf-8", newline="")
    assert list(read_seeds(str(path))) == expected


@pytest.mark.parametrize(("text", "message"), BAD_LISTS)
def test_a_bad_list_is_named(text: str, message: str) -> None:
    with pytest.raises(SeedError, match=message):
        read_seeds(text)


@pytest.mark.parametrize(("content", "message"), BAD_FILES)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "seeds.txt"
    path.write_bytes(content)
    with pytest.raises(SeedError, match=message) as caught:
        read_seeds(str(path))
    assert str(path) in str(caught.value)


def test_a_directory_is_no_seed_file(tmp_path: Path) -> None:
    with pytest.raises(SeedError, match="cannot read the seed file"):
        read_seeds(str(tmp_path))


@pytest.mark.parametrize(
    "written",
    [
        "https://a.example/，https://b.example/",
        "https://a.example/； https://b.example/",
        "https：//a.example/、https：//b.example/",
        ["https://a.example/", "https://b.example/"],
    ],
)
def test_chinese_marks_and_lists(written: str | list[str]) -> None:
    assert read_seeds(written) == ("https://a.example/", "https://b.example/")


def test_a_chinese_comma_within_an_address_stays() -> None:
    assert read_seeds("https://a.example/茶，水") == ("https://a.example/%E8%8C%B6%EF%BC%8C%E6%B0%B4",)


def test_notes_behind_an_address_of_a_file(tmp_path: Path) -> None:
    lines = ["http://a.example/1.html\t甲站", "http://b.example/1.html 乙站", "http://c.example/1.html,丙站"]
    path = tmp_path / "seeds.txt"
    path.write_text("\n".join([*lines, "http://d.example/1,2.html"]), encoding="utf-8")
    found = [f"http://{name}.example/1.html" for name in "abc"]
    assert read_seeds(str(path)) == (*found, "http://d.example/1,2.html")
