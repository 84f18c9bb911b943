import json
from pathlib import Path

import pytest

from crawler.errors import PageError
from lab.extraction.labelled import LabelledPage, labelled_pages


def write(folder: Path, lines: list[str], pages: list[str]) -> None:
    (folder / "html").mkdir(parents=True)
    (folder / "truth.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for page in pages:
        (folder / "html" / f"{page}.html").write_bytes("<p>字</p>".encode())


def test_pages_are_read(tmp_path: Path) -> None:
    label = {
        "id": "a",
        "site": "x.com",
        "kind": "forum",
        "body": "字\u2028行",
        "title": None,
        "published": None,
        "url": None,
    }
    write(tmp_path / "zh" / "one", [json.dumps(label, ensure_ascii=False), ""], ["a"])
    (page,) = labelled_pages(tmp_path)
    assert (page.id, page.language, page.kind, page.url, page.body) == ("zh/one/a", "zh", "forum", "", "字\u2028行")
    assert page.markup() == "<p>字</p>"


@pytest.mark.parametrize(
    ("site", "group"),
    [
        ("news.a.com.cn", "a"),
        ("www.a.cn", "a"),
        ("a", "a"),
        ("a.co.uk", "a"),
        ("", "zh/one/x"),
        ("b.github.io", "github"),
    ],
)
def test_sites_are_grouped_by_their_name(site: str, group: str) -> None:
    page = LabelledPage("zh/one/x", site, "zh", "article", "", None, None, None, Path("x"))
    assert page.group == group


@pytest.mark.parametrize("line", ["{", "[]", '{"site": "x"}', '{"id": "missing"}'])
def test_a_bad_label_is_named(tmp_path: Path, line: str) -> None:
    write(tmp_path / "zh" / "one", [line], [])
    with pytest.raises(PageError, match=r"truth\.jsonl:1: "):
        labelled_pages(tmp_path)


def test_labels_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "zh" / "one").mkdir(parents=True)
    (tmp_path / "zh" / "one" / "truth.jsonl").write_bytes('{"id": "渡口"}'.encode("gb18030"))
    with pytest.raises(PageError, match=r"truth\.jsonl: cannot be read .*UTF-8"):
        labelled_pages(tmp_path)


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(PageError, match="there are no labelled pages"):
        labelled_pages(tmp_path)


@pytest.mark.parametrize(
    ("folder", "lang", "language"), [("en", "zh", "en"), ("pages3", "zh", "zh"), ("pages3", None, "other")]
)
def test_the_language_is_that_of_the_folder_or_the_label(
    tmp_path: Path, folder: str, lang: str | None, language: str
) -> None:
    write(tmp_path / folder / "one", [json.dumps({"id": "a", "lang": lang})], ["a"])
    assert [page.language for page in labelled_pages(tmp_path)] == [language]
