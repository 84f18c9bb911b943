"""PDF documents of many sorts, each read by a process of its own: python -m lab.benchmarks.pdf

Twelve sorts with five documents each, made here. Of each sort it prints how many gave their text (nine tenths of its
characters, in order or not), how many said why not, and the most seconds of CPU and megabytes of memory of one.
A document that gives neither text nor a reason, or another text than it has, is wrong.
"""

from __future__ import annotations

import resource
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path
from random import Random
from time import process_time

import reportlab
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from crawler.reader.extract.best import best
from crawler.reader.html.page import Page
from crawler.reader.html.pdf import PdfError, markup
from crawler.reader.text.tokens import Tokenizer

OF_A_SORT = 5
SONG = "STSong-Light"  # not embedded, as in many documents of Chinese offices
VERA = "Vera"  # embedded, with numbers for its letters that only its map explains
CHINESE = "渡口 船夫 天亮 乘客 茶馆 灯笼 河水 石阶 货郎 雨伞 集市 炊烟 木桨 柳树 通知 规定 管理 办法 单位 部门"
LATIN = "ferry river bank dawn keeper lantern stone market rain boat harbour letter winter road bridge"
WIDTH = 32  # characters of a line
LINES = 40  # of a page
NEEDED = 0.9  # of the characters that must be found,
BEGINNING = 0.1  # or else, of a document that takes too long, these and no others


@dataclass(frozen=True)
class Made:
    sort: str
    content: bytes
    text: str  # "": there is none to be had, and the reader must say why


def prose(random: Random, characters: int, said: str = CHINESE, blank: str = "") -> str:
    words, found = said.split(), ""
    while len(found) < characters:
        found += blank.join(random.choices(words, k=9)) + ("，" if not blank else ", ")
        found += blank.join(random.choices(words, k=7)) + ("。" if not blank else ". ")
    return found


def written(
    text: str,
    font: str = SONG,
    columns: int = 1,
    title: str = "",
    lock: StandardEncryption | None = None,
    turn: int = 0,
) -> bytes:
    out = BytesIO()
    canvas = Canvas(out, encrypt=lock, pageCompression=1)
    canvas.setTitle(title)
    width = (WIDTH if font == SONG else 2 * WIDTH) // columns
    lines = [text[start : start + width] for start in range(0, len(text), width)]
    for start in range(0, len(lines), LINES * columns):
        canvas.setPageRotation(turn)
        canvas.setFont(font, 10)
        for place, line in enumerate(lines[start : start + LINES * columns]):
            column, row = divmod(place, LINES)
            canvas.drawString(60 + 250 * column, 800 - 18 * row, line)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def scan(random: Random) -> bytes:
    out = BytesIO()
    canvas = Canvas(out)
    for _ in range(3):
        canvas.drawImage(ImageReader(Image.effect_noise((600, 800), random.random() * 100)), 0, 0, 600, 800)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def bomb(random: Random) -> bytes:
    """A page whose content unpacks to 400 MB of blanks."""
    packed = zlib.compressobj(9)
    stream = b"".join(packed.compress(b" " * (1 << 20)) for _ in range(400 + random.randrange(9))) + packed.flush()
    head = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    head += b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj\n"
    head += b"4 0 obj<</Length %d/Filter/FlateDecode>>stream\n" % len(stream) + stream
    return head + b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF"


def sorts() -> dict[str, Callable[[Random], tuple[bytes, str]]]:
    """By name: how a document of it is made, and its text."""

    def text(random: Random) -> str:
        return prose(random, 3000)

    def plainly(make: Callable[[str], bytes]) -> Callable[[Random], tuple[bytes, str]]:
        return lambda random: (lambda said: (make(said), said))(text(random))

    def latin(random: Random) -> tuple[bytes, str]:
        said = prose(random, 3000, LATIN, " ")
        return written(said, VERA).replace(b"/ToUnicode", b"/ToNothing"), said

    return {
        "font that is not embedded": plainly(written),
        "two columns": plainly(lambda said: written(said, columns=2)),
        "embedded font without a map": latin,
        "scan": lambda random: (scan(random), ""),
        "title in GBK": plainly(lambda said: written(said, title="TITLE").replace(b"(TITLE)", b"(\xb6\xc9\xbf\xda)")),
        "password": lambda random: (written(text(random), lock=StandardEncryption("secret")), ""),
        "locked against copies only": plainly(
            lambda said: written(said, lock=StandardEncryption("", "owner", canCopy=0))
        ),
        "500 pages": lambda random: (lambda said: (written(said), said))(prose(random, 500 * WIDTH * LINES)),
        "cut off": lambda random: (written(text(random))[: random.randrange(300, 900)], ""),
        "noise": lambda random: (b"%PDF-1.7\n" + random.randbytes(200_000), ""),
        "turned pages": plainly(lambda said: written(said, turn=90)),
        "content of 400 MB": lambda random: (bomb(random), ""),
    }


def made() -> Iterator[Made]:
    pdfmetrics.registerFont(UnicodeCIDFont(SONG))
    vera = Path(reportlab.__file__).with_name("fonts") / "Vera.ttf"
    pdfmetrics.registerFont(TTFont(VERA, str(vera), asciiReadable=0))
    for sort, make in sorts().items():
        for number in range(OF_A_SORT):
            yield Made(sort, *make(Random(f"{sort} {number}")))


def warm_up() -> None:
    """What every analysis process has in memory before its first document."""
    Tokenizer({})
    best(Page("<p>x</p>"))


def look(one: Made) -> tuple[str, float, float]:
    """The outcome, CPU seconds of reading and extraction, and megabytes of the process that reads."""
    began = process_time()
    try:
        found = Counter("".join(best(Page(markup(one.content))).body.split()))
        wanted = Counter("".join(one.text.split()))
        share = sum((found & wanted).values()) / max(1, sum(wanted.values()))
        outcome = "text" if one.text and share >= NEEDED else f"wrong ({share:.2f})"
        if one.text and NEEDED > share > BEGINNING and found <= wanted:
            outcome = "its beginning"
    except PdfError as error:
        outcome = f"why not: {error}"
    reader = resource.getrusage(resource.RUSAGE_CHILDREN)
    return outcome, process_time() - began + reader.ru_utime + reader.ru_stime, reader.ru_maxrss / 1024


def main() -> None:
    print("| sort | outcomes of five | longest, s | most memory, MB |\n|---|---|---|---|")
    rows: dict[str, list[tuple[str, float, float]]] = {}
    for one in made():
        # A process for each: what one has taken is not the next one's.
        with ProcessPoolExecutor(1, get_context("forkserver"), warm_up) as process:
            rows.setdefault(one.sort, []).append(process.submit(look, one).result())
    for sort, found in rows.items():
        outcomes = Counter(outcome for outcome, _, _ in found)
        told = "; ".join(f"{number} {outcome}" for outcome, number in outcomes.items())
        print(f"| {sort} | {told} | {max(row[1] for row in found):.2f} | {max(row[2] for row in found):.0f} |")


if __name__ == "__main__":
    main()
