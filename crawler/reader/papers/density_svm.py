"""System A: support vector machines over text densities, for blocks and for the paragraphs in them (papers.md 2).

All ratios are [D-high]: their formula images are lost, the prose states each. The tag lists are lost too; readings:

- containers (register 1, [D-mid]): the recommended list; `p` is none, or no block would have paragraphs.
- blocks (register 2): each text belongs to its nearest container, so that blocks are disjoint.
- paragraphs: parted by every border of a block element and by `br`. They have three features.
- words: those left after the stop words, as the project's segmenter tells no classes.
- machines (register 3 to 7): gamma = 1 / (2 sigma^2); ordinary min-max; R = 0 is noise.

References: Zhou Yanping, Li Jinpeng, Song Qunbao 2019, Computer Applications and Software 36(10), formulas (1) to (8).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler.reader.html.page import Page
from crawler.reader.papers.answer import Headline, answer
from crawler.reader.papers.model_files import TrainedExtractor, trained
from crawler.reader.papers.outline import NO_TEXT, Cleaning, Floats, Outline, tags
from crawler.reader.papers.svm import Svm
from crawler.reader.text.measures import punct
from crawler.reader.text.tokens import Tokenizer
from crawler.records import Extraction

BLOCK_C, BLOCK_SIGMA = 3.0, 1.6  # papers.md 2.6
PARAGRAPH_C, PARAGRAPH_SIGMA = 2.0, 1.2  # papers.md 2.8
BLOCK_FEATURES, PARAGRAPH_FEATURES = 5, 3
CLEANING = Cleaning(  # papers.md 2.2 step 1
    dropped=NO_TEXT | tags("iframe object embed svg input select button")
)
CONTAINERS = tags("""
    div table tbody tr td th ul ol li dl dt dd form center section article main aside header footer nav blockquote
    pre fieldset body html
""")
NOISE_WORDS = tags("""
    首页 搜索 声明 版权 帮助 登录 注册 导航 上一页 下一页 更多 返回 顶部 关于我们 联系我们 广告 招聘 友情链接 网站地图
    收藏 举报 分享 打印 字号 客户端 订阅 备案 icp copyright login home
""")
NOISE = NOISE_WORDS | {"all rights reserved"}  # words of menus and footers (papers.md 2.4 (2))
DECORATION = tags("strong b i h1 h2 u em h3 h4 h5 h6 font mark")  # papers.md 2.4 (4), and `span` with a style
COUNTS = 9  # HLL AL NWC AWC SCL LC ALC NS ANS


@dataclass(frozen=True, slots=True)
class DensitySvm(TrainedExtractor):
    """Both trained machines."""

    model = "density-svm"

    block: Svm  # M1
    paragraph: Svm  # M2

    def __call__(self, page: Page) -> Extraction:
        outline = Outline.of(page, CLEANING)
        return answer(Headline.of(page), outline, self.body(outline))

    def body(self, outline: Outline) -> list[int]:
        """Returns the numbers of the body's leaves, ascending."""
        table = text_blocks(outline)
        kept = [block for block, value in enumerate(self.block.decide(table.features)) if value > 0]
        inner = [inner_paragraphs(outline, table.leaves[block]) for block in kept]
        return sorted(number for group in self._body_paragraphs(inner) for number in group)

    def _body_paragraphs(self, inner: list[InnerParagraphs]) -> list[list[int]]:
        """Returns the leaves of each paragraph that is body. One call decides on the paragraphs of all blocks."""
        if not inner:
            return []
        values = self.paragraph.decide(np.vstack([block.features for block in inner]))
        groups = [leaves for block in inner for leaves in block.leaves]
        return [leaves for leaves, value in zip(groups, values, strict=True) if value > 0]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DensitySvm:
        block = Svm.from_json(data["block"], BLOCK_FEATURES)
        return cls(block, Svm.from_json(data["paragraph"], PARAGRAPH_FEATURES))


def density_svm(page: Page) -> Extraction:
    """Extracts with the model that came with the project. An Extractor."""
    return trained(DensitySvm)(page)


@cache
def noise_tokenizer() -> Tokenizer:
    """Makes a tokenizer that knows the noise words: otherwise it would drop most of them as stop words."""
    return Tokenizer(sorted(NOISE))


@dataclass(frozen=True, slots=True, eq=False)
class TextBlocks:
    """The blocks of a page that have text."""

    nodes: NDArray[np.intp]  # shape (n,): the container of each
    features: Floats  # shape (n, 5): LD, ND, PD, DD, RD
    leaves: list[list[int]]  # numbers of each block's leaves, ascending


@dataclass(frozen=True, slots=True, eq=False)
class InnerParagraphs:
    """The paragraphs of one block."""

    features: Floats  # shape (n, 3): PTD, PPD, PRD
    leaves: list[list[int]]


def densities(counts: Floats) -> Floats:
    """Formulas (1) to (5): LD = HLL/AL, ND = NWC/AWC, PD = SCL/ACL, DD = LC/ALC, RD = NS/ANS; 0 for nothing of
    nothing. Counts of shape (n, 9): HLL AL NWC AWC SCL LC ALC NS ANS (ACL is AL); densities of shape (n, 5), in [0, 1].
    """
    hll, al, nwc, awc, scl, lc, alc, ns, ans = counts.T
    return np.stack([_ratio(hll, al), _ratio(nwc, awc), _ratio(scl, al), _ratio(lc, alc), _ratio(ns, ans)], axis=1)


def _ratio(part: Floats, whole: Floats) -> Floats:
    ratio: Floats = np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
    return ratio


def region_density(first: int, last: int, paragraphs: int) -> float:
    """Returns PRD, formula (8): the mean of the first and last ordinal (from 1) over the number of paragraphs, in (0,
    1]."""
    return (first + last) / (2 * paragraphs)


def text_blocks(outline: Outline) -> TextBlocks:
    """Returns the text blocks in order of their containers."""
    around = _containers(outline)
    counts = _counts(outline, around)
    inside: dict[int, list[int]] = {}
    for number, leaf in enumerate(outline.leaves):
        inside.setdefault(int(around[leaf.node]), []).append(number)
    chosen = np.array(sorted(inside), dtype=np.intp)
    return TextBlocks(chosen, densities(counts[chosen]), [inside[int(node)] for node in chosen])


def _containers(outline: Outline) -> NDArray[np.intp]:
    """Returns for each node the nearest container around its text, shape (nodes,)."""
    around = np.zeros(len(outline.nodes), dtype=np.intp)
    for place, node in enumerate(outline.nodes):
        around[place] = place if node.tag in CONTAINERS or node.parent < 0 else around[node.parent]
    return around


def _counts(outline: Outline, around: NDArray[np.intp]) -> Floats:
    """Returns the counts of `densities` for each container and what is nearest to it, shape (nodes, 9)."""
    counts = np.zeros((len(outline.nodes), COUNTS))
    words = noise_tokenizer()
    for leaf in outline.leaves:
        row = counts[around[leaf.node]]
        found = words.tokens(leaf.raw)
        row[0] += leaf.size if leaf.linked else 0
        row[1] += leaf.size
        row[2] += sum(map(NOISE.__contains__, found))
        row[3] += len(found)
        row[4] += punct(leaf.raw, outline.mode)
    for place, node in enumerate(outline.nodes):
        if around[place] != place:
            row = counts[around[place]]
            row[5] += node.tag in DECORATION or (node.tag == "span" and node.element.get("style") is not None)
            row[6] += 1
    counts[:, 7] = np.arange(1, len(outline.nodes) + 1)
    counts[:, 8] = len(outline.nodes)
    return counts


def inner_paragraphs(outline: Outline, leaves: list[int]) -> InnerParagraphs:
    """Returns the paragraphs of one block and their densities."""
    lines: dict[int, list[int]] = {}
    for number in leaves:
        lines.setdefault(outline.leaves[number].line, []).append(number)
    groups = list(lines.values())
    chars = np.array([sum(outline.leaves[number].size for number in group) for group in groups], dtype=np.float64)
    marks = [sum(punct(outline.leaves[number].raw, outline.mode) for number in group) for group in groups]
    features = np.zeros((len(groups), 3))
    if groups:
        features[:, 0] = chars / chars.sum()
        features[:, 1] = np.array(marks) / chars
        features[:, 2] = [region_density(place, place, len(groups)) for place in range(1, len(groups) + 1)]
    return InnerParagraphs(features, groups)
