"""PDF documents as pages: what is read of them, why others cannot be read, and a crawl that keeps one."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random
from zlib import compress

import pypdfium2
import pytest
from hypothesis import given, settings, strategies as st
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from crawler.reader.extract.best import best
from crawler.reader.html import pdf, pdf_text
from crawler.reader.html.page import Page
from tests.conftest import LOOPBACK, ROOT, Scrapy
from tests.stored import rows

SONG = "STSong-Light"  # not embedded: what its codes mean is known only to who has the maps of Chinese fonts
pdfmetrics.registerFont(UnicodeCIDFont(SONG))
WORDS = ["渡口", "船夫", "天亮", "乘客", "茶馆", "灯笼", "河水", "石阶", "货郎", "雨伞", "集市", "炊烟", "木桨", "柳树"]
SENTENCES = [f"{''.join(Random(n).choices(WORDS, k=14))}，第{n}天才又开船。" for n in range(60)]
WIDTH = 30  # characters of a line


def document(
    pages: Sequence[str], title: str = "渡口志", head: str = "", columns: int = 1, password: str = "", font: str = SONG
) -> bytes:
    """A page for each text, cut into lines; the last one numbered."""
    out = BytesIO()
    canvas = Canvas(out, encrypt=StandardEncryption(password) if password else None)
    canvas.setTitle(title)
    for number, text in enumerate(pages, 1):
        canvas.setFont(font, 10)
        canvas.drawString(60, 810, head)
        width = WIDTH // columns
        lines = [text[start : start + width] for start in range(0, len(text), width)]
        half = -(-len(lines) // columns)
        for place, line in enumerate(lines):
            column, row = divmod(place, half)
            canvas.drawString(60 + 260 * column, 780 - 18 * row, line)
        canvas.drawString(300, 30, f"- {number} -")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def text(*numbers: int) -> str:
    return "".join(SENTENCES[number] for number in numbers)


def read(content: bytes) -> tuple[str, str]:
    """Title and body as the default extractor gives them."""
    found = best(Page(pdf.markup(content)))
    return found.title, "".join(found.body.split())


@pytest.mark.parametrize("columns", [1, 2])
def test_lines_are_joined_and_running_heads_left_out(columns: int) -> None:
    pages = [text(*range(n, n + 12)) for n in (0, 12, 24, 36)]
    title, body = read(document(pages, head="某市公报", columns=columns))
    assert title == "渡口志"
    assert body == "".join(pages)


def test_latin_lines_are_joined_with_blanks() -> None:
    line = "The ferry does not leave the bank before dawn"
    out = BytesIO()
    canvas = Canvas(out)
    for row, end in enumerate([" and", " nor", " or", "."]):
        canvas.drawString(60, 700 - 18 * row, line + end)
    canvas.save()
    assert f"{line} and {line} nor {line} or {line}." in pdf.markup(out.getvalue())


@pytest.mark.parametrize("given", ["Microsoft Word - 通知.doc", "untitled", "", "report.pdf"])
def test_a_title_that_a_program_gave_is_none(given: str) -> None:
    assert pdf.markup(document(["关于渡口改造的通知"], title=given)).startswith(
        "<html><head><title>关于渡口改造的通知</title>"
    )


def test_a_title_in_gbk() -> None:
    content = document(["天亮才又开船。"], title="TITLE").replace(b"(TITLE)", b"(" + "渡口 3".encode("gbk") + b")")
    assert "<title>渡口 3</title>" in pdf.markup(content)
    assert "<title>Café à Nîmes</title>" in pdf.markup(document(["天亮才又开船。"], title="Café à Nîmes"))


def test_addresses_in_the_text_are_links() -> None:
    markup = pdf.markup(document(["全文见http://a.example/1?x=1&y=2，以及http://b.example/。"]))
    assert '<a href="http://a.example/1?x=1&amp;y=2">' in markup
    assert '<a href="http://b.example/">' in markup


def test_what_a_document_says_is_text() -> None:
    assert "<script>" not in pdf.markup(document(["<script>x</script>"], title="<script>", font="Helvetica"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (document([""]).replace(b"Tj", b"  "), "the PDF has no text; it may be a scan"),
        (document([text(1)], password="secret"), "the PDF asks for a password"),
        (document([text(1)])[:700], "the PDF cannot be read: it is damaged or cut off"),
        (b"%PDF-1.7\n" + Random(1).randbytes(20_000), "the PDF cannot be read: it is damaged or cut off"),
    ],
    ids=["scan", "password", "cut off", "noise"],
)
def test_why_not(content: bytes, reason: str) -> None:
    with pytest.raises(pdf.PdfError, match=reason):
        pdf.markup(content)


@settings(max_examples=20)  # a process each
@given(st.data())
def test_damaged_anywhere_it_is_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(document([text(1, 2)]))
    for place in data.draw(st.lists(st.integers(10, len(whole) - 1), max_size=30)):
        whole[place] = data.draw(st.integers(0, 255))
    try:
        assert pdf.markup(bytes(whole)).startswith("<html>")
    except pdf.PdfError as error:
        assert str(error).startswith("the PDF")


def test_a_title_that_is_no_text_is_left_out() -> None:
    whole = document([text(1, 2)], title="123456789")
    damaged = whole.replace(b"(123456789)", b"<FEFFD83D0>")  # half of a surrogate pair
    assert damaged != whole
    assert read(damaged)[1] == read(whole)[1]


def of_objects(*objects: bytes) -> bytes:
    """A document of these objects, the first its catalogue; PDFium finds them by reading the whole."""
    numbered = (b"%d 0 obj\n%b\nendobj\n" % pair for pair in enumerate(objects, 1))
    return b"%PDF-1.7\n" + b"".join(numbered) + b"trailer<</Root 1 0 R>>\n%%EOF"


def with_content(resources: bytes, content: bytes, *more: bytes, filters: bytes = b"") -> bytes:
    stream = b"<</Length %d%b>>stream\n%b\nendstream" % (len(content), filters, content)
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<<%b>>/Contents 4 0 R>>" % resources
    return of_objects(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page, stream, *more)


def form(resources: bytes, content: bytes) -> bytes:
    head = b"<</Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<<%b>>/Length %d>>" % (resources, len(content))
    return head + b"stream\n" + content + b"\nendstream"


@cache
def blanks() -> bytes:
    """Not at the import: it takes seconds."""
    return compress(b" " * 500_000_000, level=1)


HOSTILE: dict[str, Callable[[], bytes]] = {
    "a form that draws itself": lambda: with_content(
        b"/XObject<</X 5 0 R>>", b"/X Do", form(b"/XObject<</X 5 0 R>>", b"/X Do /X Do")
    ),
    "unpacks to 500 MB": lambda: with_content(b"", blanks(), filters=b"/Filter/FlateDecode"),
    "packed twice": lambda: with_content(b"", compress(blanks()), filters=b"/Filter[/FlateDecode/FlateDecode]"),
    "packed under another name": lambda: with_content(b"", blanks(), filters=b"/Filter/Flate#44ecode"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_takes_too_much(name: str) -> None:
    """PDFium takes gigabytes for it, and aborts its process; here the document alone is lost."""
    with pytest.raises(pdf.PdfError, match="takes more than 2 seconds or 400 megabytes"):
        pdf.markup(HOSTILE[name]())


@pytest.mark.parametrize("most", ["MOST_PAGES", "READ_SECONDS", "MOST_CHARACTERS"])
def test_what_is_too_long_is_cut(monkeypatch: pytest.MonkeyPatch, most: str) -> None:
    monkeypatch.setattr(pdf_text, "READ_SECONDS", float("inf"))  # this process has taken more
    with pypdfium2.PdfDocument(document([text(n) for n in range(5)])) as opened:
        assert len(list(pdf_text._pages(opened))) == 5
        monkeypatch.setattr(pdf_text, most, 0.0 if most == "READ_SECONDS" else 1)
        (first,) = pdf_text._pages(opened)
    assert first and first[0] == SENTENCES[0][0]


@pytest.mark.parametrize(
    ("content_type", "url", "expected"),
    [
        ("application/pdf", "http://a.example/get?id=1", True),
        ("application/PDF; charset=x", "http://a.example/a.pdf", True),
        ("application/octet-stream", "http://a.example/a.PDF?v=1", True),
        ("application/octet-stream", "http://a.example/a.zip", False),
        ("text/html", "http://a.example/a.pdf", False),
    ],
)
def test_may_be_pdf(content_type: str, url: str, expected: bool) -> None:
    assert pdf.may_be_pdf(content_type, url) is expected


def add_document(folder: Path) -> None:
    """To the site of two posts about Java: a document, which its list links to."""
    about = tomllib.loads((ROOT / "topics" / "java.toml").read_text(encoding="utf-8"))["texts"][2]
    (folder / "third.pdf").write_bytes(document([about.replace("\n", "")], title="Java 笔记 3"))
    (folder / "scan.pdf").write_bytes(document([""]).replace(b"Tj", b"  "))
    listed = folder / "index.html"
    links = '<a href="third.pdf">Java 笔记 3</a><a href="scan.pdf">Java 笔记 4</a>'
    listed.write_text(listed.read_text(encoding="utf-8") + links, encoding="utf-8")


@pytest.mark.parametrize("wanted", [True, False])
def test_a_crawl_keeps_documents_when_asked(site: str, scrapy: Scrapy, tmp_path: Path, wanted: bool) -> None:
    add_document(tmp_path / "site")
    arguments = ["crawl", "topic", "-a", "topic=java", "-a", f"seeds={site}", *LOOPBACK, "-s", f"PDF={wanted}"]
    done = scrapy(*arguments)
    assert done.returncode == 0, done.stderr
    outcome = "SELECT urls.url, judgements.outcome FROM judgements JOIN urls ON urls.id = judgements.url_id"
    found = {str(url).removeprefix(site): outcome for url, outcome in rows(tmp_path, outcome)}
    assert found.get("third.pdf") == ("kept" if wanted else None)
    assert "scan.pdf" not in found
    titles = {title for (title,) in rows(tmp_path, "SELECT title FROM pages")}
    assert ("Java 笔记 3" in titles) is wanted
