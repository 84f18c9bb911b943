"""System B: page segmentation by tag-path clustering (papers.md 3).

One page alone: thresholds by K-means on its own clusters. Several pages of a site: `SiteTemplate.learn` averages the
thresholds and remembers the sections their bodies stand in, so that later pages are read by path.

Bn is read as "bounded" here: the three readings were tried on labelled pages, as papers.md 3.3 asks, and it was best.
The text of a body cluster is that of the elements its leaves stand in, so that links inside of a paragraph stay. With
`merge_siblings` leaves between its first and last, outside of links, belong to it too.

References: Hou Mingyan, Yang Tianqi 2011, Microcomputer & Its Applications (5):54-56; Liu Yunfeng 2010.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crawler.extract.papers.answer import Headline, answer
from crawler.extract.papers.outline import NO_TEXT, Cleaning, Outline, tags
from crawler.extract.papers.segmentation.clusters import CUT_LAMBDA, BnMode, Cluster, Thresholds, body_cluster, clusters
from crawler.extract.papers.segmentation.path_template import SECTIONS, Piece, frequent, path_map
from crawler.extract.papers.segmentation.thresholds import frequency_threshold, mean_thresholds, page_thresholds
from crawler.html.page import Page
from crawler.records import Extraction

MIN_SHARE = 0.5  # of a page's own text in the sections of its template; sites have several templates
CLEANING = Cleaning(  # papers.md 3.2; a form loses its fields and its tag, as many old sites put all of a page in one
    dropped=NO_TEXT | tags("iframe object embed input select textarea button applet map"),
    unwrapped=tags("font b i u strong em span big small center a abbr form"),
)


@dataclass(frozen=True, slots=True)
class Segmentation:
    """One page by itself. An Extractor."""

    bn_mode: BnMode = "bounded"
    cut_lambda: float = CUT_LAMBDA
    merge_siblings: bool = True

    def __call__(self, page: Page) -> Extraction:
        outline = Outline.of(page, CLEANING)
        return answer(Headline.of(page), outline, self.body(outline))

    def body(self, page: Outline, thresholds: Thresholds | None = None) -> list[int]:
        """Numbers of the body's leaves, ascending. Thresholds of the page itself unless given."""
        best = self.boundary(page, thresholds)
        return frequent(path_map(self.pieces(page, best))) if best else []

    def boundary(self, page: Outline, thresholds: Thresholds | None = None) -> Cluster | None:
        """SegBoundary, the body's cluster; None on a hub page."""
        found = clusters(page, self.bn_mode)
        if not found:
            return None
        return body_cluster(page, found, thresholds or page_thresholds(found), self.bn_mode, self.cut_lambda)

    def pieces(self, page: Outline, best: Cluster) -> Iterator[Piece]:
        """The cluster's text, each chunk followed by the section it stands in."""
        sections = section_paths(page)
        for number in self._members(page, best):
            yield Piece(leaves=(number,))
            yield Piece(path=sections[page.leaves[number].node])

    def _members(self, page: Outline, best: Cluster) -> list[int]:
        """The text of the elements that the cluster's leaves stand in, but not of tables and divs inside of them."""
        parents = {page.leaves[number].node for number in best.numbers}
        within: list[bool] = []
        for place, node in enumerate(page.nodes):
            goes_on = node.parent >= 0 and node.tag not in SECTIONS and within[node.parent]
            within.append(place in parents or goes_on)
        first, last = best.numbers[0], best.numbers[-1]
        return [
            number
            for number, leaf in enumerate(page.leaves)
            if within[leaf.node] or (self.merge_siblings and first <= number <= last and not leaf.linked)
        ]


def section_paths(page: Outline) -> list[str]:
    """For each node the tag path of the nearest table or div around its text, of the root if there is none."""
    names: dict[int, str] = {}
    paths: list[str] = []
    for node in page.nodes:
        if node.parent >= 0 and node.tag not in SECTIONS:
            paths.append(paths[node.parent])
            continue
        if node.path not in names:
            names[node.path] = page.path(node.path)
        paths.append(names[node.path])
    return paths


@dataclass(frozen=True, slots=True)
class SiteTemplate:
    """What several pages of one site have in common. An Extractor for further pages of the site."""

    thresholds: Thresholds
    paths: frozenset[str]  # of the sections that bodies stand in
    rules: Segmentation

    @classmethod
    def learn(cls, samples: Sequence[Page], rules: Segmentation | None = None) -> SiteTemplate:
        """From sample pages, at least one with text; ValueError without."""
        rules = rules or Segmentation()
        pages = [page for page in (Outline.of(sample, CLEANING) for sample in samples) if page.leaves]
        if not pages:
            raise ValueError("no sample page has text")
        thresholds = mean_thresholds([page_thresholds(clusters(page, rules.bn_mode)) for page in pages])
        frequencies: dict[str, int] = {}
        for page in pages:
            best = rules.boundary(page, thresholds)
            for path, entry in path_map(rules.pieces(page, best)).items() if best else ():
                frequencies[path] = frequencies.get(path, 0) + entry.frequency
        least = frequency_threshold(list(frequencies.values())) if frequencies else 0.0
        return cls(thresholds, frozenset(path for path, count in frequencies.items() if count >= least), rules)

    def __call__(self, page: Page) -> Extraction:
        outline = Outline.of(page, CLEANING)
        return answer(Headline.of(page), outline, self.body(outline))

    def body(self, page: Outline) -> list[int]:
        """Leaves under the template's paths, outside of links that fill their paragraph.

        A page with less than MIN_SHARE of its own text there has another template, and is read by itself.
        """
        sections = section_paths(page)
        under = [number for number, leaf in enumerate(page.leaves) if sections[leaf.node] in self.paths]
        own = sum(leaf.size for leaf in page.leaves if not leaf.linked)
        if sum(page.leaves[number].size for number in under if not page.leaves[number].linked) < MIN_SHARE * own:
            return self.rules.body(page)
        linked = {page.leaves[number].line for number in under}
        linked -= {page.leaves[number].line for number in under if not page.leaves[number].linked}
        return [number for number in under if page.leaves[number].line not in linked]


segmentation = Segmentation()
