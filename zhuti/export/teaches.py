"""What a corpus teaches: bits per character of held-out texts under a small language model that has read it.

The model is PPM (Cleary and Witten 1984, doi:10.1109/TCOM.1984.1096090; variant H of Shkarin 2002), which predicts each
byte from the ones before it and learns from every byte that it sees, also of the held-out texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from crawler.errors import ExportError
from crawler.messages import _
from crawler.mistakes import needs

PAGES = 100  # between two points of the curve
MOST = 1_000  # pages that are read, the first ones: each point reads all of them again
LENGTH = 5_000  # characters of a page or a held-out text
HELD_OUT = 300_000  # characters of all held-out texts
ORDER = 9  # bytes that the next one is predicted from: three Chinese characters
MEMORY = 256 << 20  # bytes; a model of MOST pages takes 100 MB


def curve(texts: Sequence[str], held_out: Iterable[str]) -> Iterator[tuple[int, float]]:
    """Yields (pages, bits per character of the held-out texts) without a page, after each PAGES of the first MOST, and
    after the last of them. The bits are > 0; fewer mean that the pages say more of what the held-out texts say.

    Raises ExportError when the package is missing or nothing is held out.
    """
    asked = "\n".join(text[:LENGTH] for text in held_out)[:HELD_OUT]
    if not asked:
        raise ExportError(_("the test sets have no text; give a file of --decontaminate that has some"))
    last = min(len(texts), MOST)
    for pages in sorted({*range(0, last, PAGES), last}):
        yield pages, bits("\n".join(text[:LENGTH] for text in texts[:pages]), asked)


def bits(read: str, asked: str) -> float:
    """Bits per character of `asked`, which is not empty, after `read`. Raises ExportError without the package."""
    with needs("corpus", ExportError):
        from pyppmd import Ppmd7Encoder
    encoder = Ppmd7Encoder(ORDER, MEMORY)
    encoder.encode(read.encode("utf-8", "replace"))
    written = encoder.encode(asked.encode("utf-8", "replace")) + encoder.flush()
    return 8 * len(written) / len(asked)
