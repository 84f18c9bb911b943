"""The features by which one linear model tells what kind of page it is."""

from __future__ import annotations

import math
import re

import numpy as np

from crawler.reader.extract.blocks import Rows
from crawler.reader.extract.characters import Numbers
from crawler.reader.extract.feature_table import H1, H4
from crawler.reader.extract.features import BlockTable
from crawler.reader.extract.selection import MAX_TOKENS, select

URL_FORUM = re.compile(
    r"bbs|forum|thread|topic|viewtopic|/t/|/p/\d|tieba|question|zhidao|wenda|guba|tiezi|community|discuss|ask\b|/(?:faq|qa|q)/",
    re.I,
)
URL_LIST = re.compile(
    r"/(?:tags?|category|categories|archives?|page|list|search|index)(?:[/._?-]|$)|^https?://[^/]+/$", re.I
)
# A home page, and those that go on with it. A host without a path is not a page's address: fetched ones have a slash.
HOME = re.compile(r"^https?://[^/]+/(?:(?:index|default)\.\w+|page/\d+(?:\.html?)?/?)?$", re.I)
# Addresses at which hardly any text is: of 11,969 posts of 43 hosts none.
LISTING = re.compile(
    r"/(?:tags?|categor(?:y|ies))(?:/|$)|/archives?(?:/(?:19|20)\d\d(?:/\d\d?)?)?/?$|/page/\d+(?:\.html?)?/?$", re.I
)
# Tags, categories, months, and boards of forums by what the usual programs call them. Not every /page/8/, for a long
# text may be on several; nor /archives/2019, which may be a post's number.
LISTED = re.compile(
    r"/(?:tags?|categor(?:y|ies))(?:/|$)|/archives?(?:/(?:19|20)\d\d/\d\d?)?/?$|/(?:blog|posts?)/page/\d+/?$"
    r"|/(?:forum|board)-[\w-]*\d+\.\w+$|/(?:forumdisplay|viewforum)\.php|[?&]mod=forumdisplay\b",
    re.I,
)
# Threads and questions by what hosts and the usual programs call them. Not every `topic`: magazines have them too.
THREAD = re.compile(
    r"^https?://(?:bbs|forums?|tieba|zhidao|wenda|guba|ask|community|discuss)\d*\."
    r"|/(?:view|show|read)?threads?[-./_?]|thread\.php|/(?:view|show)topic|/topic[-/]?\d|/questions?/|/t/\d"
    r"|/(?:forums?|bbs|tieba|board|community|discussions?)/|[?&]tid=\d",
    re.I,
)
# Types of schema.org that a page gives to itself. Of 24,199 pages of recorded sites without threads none has one.
VOCABULARY = "schema.org"
DISCUSSION = ('DiscussionForumPosting"', 'QAPage"')
QUESTION = 'schema.org/Question"'  # in microdata; several are questions that are often asked
# A link from a teaser to its text.
READ_ON = re.compile(
    r"\W*(?:(?:继续|繼續)?(?:阅读|閱讀)(?:全文|更多)?|(?:查看|展开|展開)全文"
    r"|(?:read|continue)(?: more| on| reading)?|more)\W*",
    re.I,
)
TITLE_LIST = re.compile(
    r"标签|分类|归档|存档|列表|目录|搜索|第\s*\d+\s*页|\b(?:tags?|categor(?:y|ies)|archives?|search|page \d+)\b", re.I
)
# In titles. No numbers of pages: a long text has them too.
ARCHIVED = re.compile(r"标签|分类|归档|存档|\b(?:tags?|categor(?:y|ies)|archives?)\b", re.I)
LINKED = 0.8  # share of link text of a heading, or of an entry of a list
MIN_ENTRY = 6  # characters of an entry
TITLE_FORUM = re.compile(r"论坛|社区|贴吧|BBS|讨论|问答|帖子|知道|forum|communit|thread|discuss|boards?\b|q&a", re.I)


def is_discussion(markup: str) -> bool:
    """Whether a page calls itself a thread or a question, in JSON-LD or microdata."""
    return VOCABULARY in markup and (any(name in markup for name in DISCUSSION) or markup.count(QUESTION) == 1)


def page_features(table: BlockTable, chance: Numbers, url: str) -> Numbers:
    """Returns the features, shape (features,). `chance` is the first model's probability of each block."""
    size, tokens, number = table.letters.size, table.letters.tokens, len(chance)
    taken, promised = select(chance, tokens)
    rows = np.flatnonzero(taken)
    weights = np.clip(tokens, 0.3, MAX_TOKENS)
    chosen = weights[rows]
    all_size, weight, own = float(size.sum()), float(weights.sum()), float(chosen.sum())
    shares = np.zeros((2, number), np.float32)  # of each block on the page, and of each selected one by its weight
    shares[0], shares[1, rows] = 1 / number, chosen / own
    values = [
        promised, math.log1p(number), math.log1p(weight), math.log1p(own), own / weight, len(rows) / number,
        float(table.link.sum()) / max(all_size, 1), float(table.letters.cjk.sum()) / max(all_size, 1),
        *(shares @ table.matrix[:, table.words]).ravel().tolist(),
        *_span(table, rows),
        *(bool(pattern.search(url)) for pattern in (URL_FORUM, URL_LIST)),
        *(bool(pattern.search(table.title)) for pattern in (TITLE_FORUM, TITLE_LIST)),
    ]  # fmt: skip
    return np.array(values, np.float32)


def _span(table: BlockTable, rows: Rows) -> list[float]:
    """Describes how the selected blocks are spread, and the links and headings from the first of them to the last:
    lists have many that are both."""
    size, number = table.letters.size, len(table.letters.size)
    first, last = int(rows[0]), int(rows[-1])
    span = slice(first, last + 1)
    linked = table.link > LINKED * size
    heading = (table.codes >= H1) & (table.codes <= H4)
    entry = linked & heading
    entries = np.count_nonzero(entry)
    counts = (entries, np.count_nonzero(heading) - entries, np.count_nonzero(entry[span]))
    inside = size[span]
    chosen = size[rows]
    return [
        first / number, last / number, 1 - len(rows) / len(inside), float(chosen.max() / chosen.sum()),
        *map(math.log1p, counts), math.log1p(np.count_nonzero(linked[span] & (inside >= MIN_ENTRY))),
        float(inside[linked[span]].sum() / inside.sum()), float(table.stamps[span].mean()),
    ]  # fmt: skip
