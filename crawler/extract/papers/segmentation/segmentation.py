"""System B: page segmentation by tag-path clustering (papers.md 3).

One page alone: thresholds by K-means on its own clusters. Several pages of a site: `SiteTemplate.learn` averages the
thresholds and remembers the sections their bodies stand in, so that later pages are read by path.

The text of a body cluster is that of the elements its leaves stand in, so that links inside of a paragraph stay, and
the leaves between its first and last, outside of links. It is put together by the sections it stands in (3.6): the
chunk is reset after each section and stored texts are appended to (register 14); a section counts that comes at least
as often as their mean.

References: Hou Mingyan, Yang Tianqi 2011, Microcomputer & Its Applications (5):54-56; Liu Yunfeng 2010.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from crawler.extract.papers.answer import Headline, answer
from crawler.extract.papers.outline import NO_TEXT, Cleaning, Outline, tags
from crawler.extract.papers.segmentation.clusters import Cluster, Thresholds, body_cluster, clusters
from crawler.extract.papers.segmentation.thresholds import mean_thresholds, page_thresholds
from crawler.html.page import Page
from crawler.records import Extraction

SECTIONS = frozenset(["table", "div"])
MIN_SHARE = 0.5  # of a page's own text in the sections of its template; sites have several templates
CLEANING = Cleaning(  # papers.md 3.2; a form loses its fields and its tag, as many old sites put all of a page in one
    dropped=NO_TEXT | tags("iframe object embed input select textarea button applet map"),
    unwrapped=tags("font b i u strong em span big small center a abbr form"),
)


def segmentation(page: Page) -> Extraction:
    """Reads each page by itself. An Extractor."""
    outline = Outline.of(page, CLEANING)
    return answer(Headline.of(page), outline, _body(outline))


def _body(outline: Outline) -> list[int]:
    """Numbers of the body's leaves, ascending."""
    best = boundary(outline)
    return frequent(by_section(outline, best)) if best else []


def boundary(outline: Outline, thresholds: Thresholds | None = None) -> Cluster | None:
    """SegBoundary, the body's cluster, by thresholds of the page itself unless given; None on a hub page."""
    found = clusters(outline)
    return body_cluster(outline, found, thresholds or page_thresholds(found)) if found else None


def by_section(outline: Outline, best: Cluster) -> dict[str, list[int]]:
    """The leaves of a cluster's text under the tag path of the section they stand in (papers.md 3.6)."""
    sections = section_paths(outline)
    found: dict[str, list[int]] = {}
    for number in _members(outline, best):
        found.setdefault(sections[outline.leaves[number].node], []).append(number)
    return found


def frequent(sections: Mapping[str, Sequence[int]]) -> list[int]:
    """The leaves of the sections that come at least as often as the mean, ascending."""
    least = fmean(map(len, sections.values()))
    return sorted(number for leaves in sections.values() if len(leaves) >= least for number in leaves)


def _members(outline: Outline, best: Cluster) -> list[int]:
    """The text of the elements that the cluster's leaves stand in, but not of tables and divs inside of them, and what
    stands between the first and the last outside of links."""
    parents = {outline.leaves[number].node for number in best.numbers}
    within: list[bool] = []
    for place, node in enumerate(outline.nodes):
        goes_on = node.parent >= 0 and node.tag not in SECTIONS and within[node.parent]
        within.append(place in parents or goes_on)
    first, last = best.numbers[0], best.numbers[-1]
    return [
        number
        for number, leaf in enumerate(outline.leaves)
        if within[leaf.node] or (first <= number <= last and not leaf.linked)
    ]


def section_paths(outline: Outline) -> list[str]:
    """For each node the tag path of the nearest table or div around its text, of the root if there is none."""
    names: dict[int, str] = {}
    paths: list[str] = []
    for node in outline.nodes:
        if node.parent >= 0 and node.tag not in SECTIONS:
            paths.append(paths[node.parent])
            continue
        if node.path not in names:
            names[node.path] = outline.path(node.path)
        paths.append(names[node.path])
    return paths


@dataclass(frozen=True, slots=True)
class SiteTemplate:
    """What several pages of one site have in common. An Extractor for further pages of the site."""

    thresholds: Thresholds
    paths: frozenset[str]  # of the sections that bodies stand in

    @classmethod
    def learn(cls, samples: Sequence[Page]) -> SiteTemplate:
        """From sample pages, at least one with text; ValueError without."""
        outlines = [own for own in (Outline.of(sample, CLEANING) for sample in samples) if own.leaves]
        if not outlines:
            raise ValueError("no sample page has text")
        thresholds = mean_thresholds([page_thresholds(clusters(own)) for own in outlines])
        frequencies: dict[str, int] = {}
        for own in outlines:
            best = boundary(own, thresholds)
            for path, leaves in by_section(own, best).items() if best else ():
                frequencies[path] = frequencies.get(path, 0) + len(leaves)
        least = fmean(frequencies.values()) if frequencies else 0.0
        return cls(thresholds, frozenset(path for path, count in frequencies.items() if count >= least))

    def __call__(self, page: Page) -> Extraction:
        outline = Outline.of(page, CLEANING)
        return answer(Headline.of(page), outline, self.body(outline))

    def body(self, outline: Outline) -> list[int]:
        """Leaves under the template's paths, outside of links that fill their paragraph.

        A page with less than MIN_SHARE of its own text there has another template, and is read by itself.
        """
        sections = section_paths(outline)
        under = [number for number, leaf in enumerate(outline.leaves) if sections[leaf.node] in self.paths]
        own = sum(leaf.size for leaf in outline.leaves if not leaf.linked)
        if sum(outline.leaves[number].size for number in under if not outline.leaves[number].linked) < MIN_SHARE * own:
            return _body(outline)
        linked = {outline.leaves[number].line for number in under}
        linked -= {outline.leaves[number].line for number in under if not outline.leaves[number].linked}
        return [number for number in under if outline.leaves[number].line not in linked]
