"""What kind of page it is, by what is on it: features of a page for one linear model."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from crawler.extract.features import Page
from crawler.extract.letters import Numbers
from crawler.extract.selection import MAX_TOKENS, select

URL_FORUM = re.compile(
    r"bbs|forum|thread|topic|viewtopic|/t/|/p/\d|tieba|question|zhidao|wenda|guba|tiezi|community|discuss|ask\b|/(?:faq|qa|q)/",
    re.I,
)
URL_LIST = re.compile(
    r"/(?:tags?|category|categories|archives?|page|list|search|index)(?:[/._?-]|$)|^https?://[^/]+/?$", re.I
)
TITLE_LIST = re.compile(
    r"标签|分类|归档|存档|列表|目录|搜索|第\s*\d+\s*页|\b(?:tags?|categor(?:y|ies)|archives?|search|page \d+)\b", re.I
)
LINKED = 0.8  # share of link text of a heading, or of an entry of a list
MIN_ENTRY = 6  # characters of an entry
HEADINGS = ("h1", "h2", "h3", "h4")
TITLE_FORUM = re.compile(r"论坛|社区|贴吧|BBS|讨论|问答|帖子|知道|forum|communit|thread|discuss|boards?\b|q&a", re.I)


def page_features(page: Page, chance: Numbers, url: str) -> Numbers:
    """Shape (features,). `chance` is the first model's probability of each block."""
    letters, blocks = page.letters, page.blocks
    number = len(chance)
    size = np.clip(letters.tokens, 0.3, MAX_TOKENS)
    taken, promised = select(chance, letters.tokens)
    values: list[float] = [
        promised,
        float(np.log1p(number)),
        float(np.log1p(size.sum())),
        float(np.log1p(size[taken].sum())),
    ]
    link = np.minimum(np.array(blocks.link_chars), letters.size)
    values += [float(link.sum() / max(letters.size.sum(), 1)), float(size[taken].sum() / size.sum())]
    values += [float(taken.mean()), float(letters.cjk.sum() / max(letters.size.sum(), 1))]
    weights = size[taken] / size[taken].sum()
    chosen = page.matrix[taken]
    texts, names = page.matrix[:, page.texts], page.matrix[:, page.names]
    values += [*texts.mean(axis=0).tolist(), *chosen[:, page.texts].mean(axis=0).tolist()]
    values += [*names.mean(axis=0).tolist(), *(weights @ chosen[:, page.names]).tolist()]
    named = blocks.kinds[page.owners[taken]].tolist()
    values += [len(set(named)) / max(len(named), 1), *_spread(taken, size)]
    values += [float(bool(pattern.search(url))) for pattern in (URL_FORUM, URL_LIST)]
    values += [float(bool(pattern.search(page.title))) for pattern in (TITLE_FORUM, TITLE_LIST)]
    values += [float(page.title_row >= 0), *_entries(page, taken)]
    return np.array(values, np.float32)


def _entries(page: Page, taken: NDArray[np.bool_]) -> list[float]:
    """Links and headings, on the page and from the first selected block to the last: lists have many that are both."""
    blocks, size = page.blocks, page.letters.size
    rows = np.flatnonzero(taken)
    linked = np.array(blocks.link_chars) > LINKED * size
    tags = np.array([tag in HEADINGS for tag in blocks.tags])[page.owners]
    span = slice(int(rows[0]), int(rows[-1]) + 1)
    texts = size[span].sum()
    return [
        *(float(np.log1p(flags.sum())) for flags in (tags & linked, tags & ~linked, (tags & linked)[span])),
        float(np.log1p((linked & (size >= MIN_ENTRY))[span].sum())),
        float(size[span][linked[span]].sum() / texts),
        float(page.letters.tokens[taken].max() / max(page.letters.tokens[taken].sum(), 1)),
        float(np.log1p(page.letters.tokens[taken].mean())),
        float(page.stamps[span].mean()),
    ]


def _spread(taken: NDArray[np.bool_], size: Numbers) -> list[float]:
    """How the selected text is spread: first and last place, gaps, share of the largest block."""
    rows = np.flatnonzero(taken)
    chosen = size[rows]
    return [
        float(rows[0] / len(taken)),
        float(rows[-1] / len(taken)),
        float((rows[-1] - rows[0] + 1 - len(rows)) / max(rows[-1] - rows[0] + 1, 1)),
        float(chosen.max() / chosen.sum()),
    ]
