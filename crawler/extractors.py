"""The body extractors by name, and the interface of them all: they take a page and give an Extraction."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol, cast

from crawler.errors import SettingError
from crawler.messages import _
from crawler.plugins import offered, plugin
from crawler.reader.extract.best import Best, best, best_markdown
from crawler.reader.extract.model import load_model
from crawler.reader.html.page import Page
from crawler.reader.papers.decay import decay
from crawler.reader.papers.density_svm import density_svm
from crawler.reader.papers.fused.fused import fused
from crawler.reader.papers.plain import plain
from crawler.reader.papers.pso import pso, pso_published
from crawler.reader.papers.segmentation import segmentation
from crawler.reader.papers.tree_path import tree_path
from crawler.records import Extraction


class Extractor(Protocol):
    """An extractor leaves the page alone, never raises, and gives the same answer for the same page. For a page without
    a body it gives an empty body and a reason."""

    def __call__(self, page: Page, /) -> Extraction: ...


EXTRACTORS: dict[str, Extractor] = {
    "best": best,
    "best-markdown": best_markdown,
    "plain": plain,
    "density-svm": density_svm,
    "segmentation": segmentation,
    "pso": pso,
    "pso-published": pso_published,
    "tree-path": tree_path,
    "decay": decay,
    "fused": fused,
}


MEDIA = ("links", "images")  # what `best` also finds in a body, on wish
GROUP = "zhuti.extractors"


def extractor(name: str, media: Collection[str] = ()) -> Extractor:
    """Returns the extractor of that name: of EXTRACTORS, at that import path, or of the entry points of GROUP. For any
    other name it raises SettingError with the list of names. `media`: which of MEDIA it also finds; it raises
    SettingError if it cannot."""
    if media:
        if name not in ("best", "best-markdown"):
            raise SettingError(_("links and images need EXTRACTOR=best; {name_of} finds none", name_of=name))
        return Best(load_model(), name == "best-markdown", **{each: each in media for each in MEDIA})
    if name in EXTRACTORS:
        return EXTRACTORS[name]
    own = plugin("EXTRACTOR", name, GROUP)
    if own is None:
        known = ", ".join(sorted([*EXTRACTORS, *offered(GROUP)]))
        raise SettingError(_("unknown extractor {name!r}; use one of {known}", name=name, known=known))
    if not callable(own):
        raise SettingError(_("EXTRACTOR={name} is not a function Page -> Extraction", name=name))
    return cast(Extractor, own)
