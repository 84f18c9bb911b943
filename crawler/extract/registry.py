"""The body extractors by name."""

from __future__ import annotations

from crawler.errors import SettingError
from crawler.extract.base import Extractor
from crawler.extract.default.best import best
from crawler.extract.papers.decay import decay
from crawler.extract.papers.density_svm.density_svm import density_svm
from crawler.extract.papers.fused.fused import fused
from crawler.extract.papers.pso.pso import pso, pso_published
from crawler.extract.papers.segmentation.segmentation import segmentation
from crawler.extract.papers.tree_path.tree_path import tree_path
from crawler.extract.plain import plain

EXTRACTORS: dict[str, Extractor] = {
    "best": best,
    "plain": plain,
    "density-svm": density_svm,
    "segmentation": segmentation,
    "pso": pso,
    "pso-published": pso_published,
    "tree-path": tree_path,
    "decay": decay,
    "fused": fused,
}


def extractor(name: str) -> Extractor:
    """The extractor of that name. Raises SettingError with the list of names for any other."""
    try:
        return EXTRACTORS[name]
    except KeyError:
        known = ", ".join(sorted(EXTRACTORS))
        raise SettingError(f"there is no extractor {name!r}; use one of {known}") from None
