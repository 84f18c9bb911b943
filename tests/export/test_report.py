from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html

from crawler.document import Document
from crawler.errors import ExportError
from zhuti.export.report import SAMPLE, Report, check_place
from zhuti.export.teaches import MOST, PAGES, bits, curve

TEXT = "".join(f"渡口第{place}天的船早上{place}点开，船工{place * 7}号在岸边等。" for place in range(40))


def page(number: int, body: str = "", licence: str = "") -> Document:
    host, fetched = f"{'ab'[number % 2]}.example", "2026-01-02T03:04:05+00:00"
    text = body or f"第{number}页的正文"
    told = Document(f"https://{host}/{number}", f"第<{number}>页", text, "2024-05-06", 0.7, fetched, "zh")
    return replace(told, host=host, licence=licence)


@pytest.fixture
def report() -> Report:
    report = Report()
    pages = [page(number, licence="CC BY 4.0" if number < 3 else "") for number in range(30)]
    pages += [page(30, TEXT), page(31, TEXT + "完。"), page(32, TEXT[: len(TEXT) // 4])]
    assert list(report(pages)) == pages
    return report


def test_a_page_without_a_network(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    report.write(path, "渡口", "c.jsonl")
    text = path.read_text("utf-8")
    tree = html.document_fromstring(text)
    assert tree.xpath("//script") == []
    loads = [*tree.xpath("//@src"), *tree.xpath("//link/@href"), *re.findall(r"url\(([^)]*)\)", text)]
    assert loads == []
    assert len(tree.xpath("//ol/li")) == SAMPLE
    cards = [number.text_content() for number in tree.xpath("//*[@class='card']/b")]
    assert (cards[0], cards[2]) == ("33", "2")
    cells = [[str(cell.xpath("string()")) for cell in row] for row in tree.iter("tr")]
    rows = dict(cells)
    assert (rows["CC BY 4.0"], rows["a.example"], rows["zh"]) == ("3", "17", "33")
    assert "第&lt;" in text
    assert len(tree.xpath("//*[local-name()='svg']")) == 3


def test_near_duplicates(report: Report) -> None:
    assert report.near_duplicates() == 1
    assert Report().near_duplicates() == 0


def test_an_own_page_is_replaced_and_no_other(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    check_place(path)
    report.write(path, "渡口", "c.jsonl")
    check_place(path)
    path.write_text("<html>", encoding="utf-8")
    with pytest.raises(ExportError, match="was not written by an export"):
        check_place(path)
    with pytest.raises(ExportError, match=r"FILE\.html"):
        check_place(tmp_path / "report.pdf")


def test_what_a_corpus_teaches() -> None:
    held_out = ["早上九点开船，船工在岸边等人。", "The ferry leaves at nine."]
    near, far = [TEXT + str(number) for number in range(250)], ["股票今天收盘上涨。" * 50] * 250
    points = list(curve(near, held_out))
    assert [pages for pages, _ in points] == [0, PAGES, 2 * PAGES, 250]
    assert points[0][1] == bits("", "\n".join(held_out)) > points[1][1]
    assert points[-1][1] < list(curve(far, held_out))[-1][1] < points[0][1]
    assert [pages for pages, _ in curve(["ab"] * (MOST + 1), held_out)][-1] == MOST
    with pytest.raises(ExportError, match="no text"):
        list(curve(near, []))


def test_test_sets_are_part_of_the_page(tmp_path: Path) -> None:
    held_out = tmp_path / "held-out.txt"
    held_out.write_text("早上九点开船，船工在岸边等人。", encoding="utf-8")
    report = Report([held_out])
    list(report(page(number, TEXT) for number in range(3)))
    report.write(tmp_path / "report.html", "渡口", "c.jsonl")
    tree = html.document_fromstring((tmp_path / "report.html").read_text("utf-8"))
    assert len(tree.xpath("//*[local-name()='svg']")) == 4
