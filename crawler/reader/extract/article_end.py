"""Where an article begins and ends: at its title, at the heading of its readers' comments, which look like its
paragraphs, and at the lines that tell of its editor, its source or its rights."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.blocks import AROUND_BITS
from crawler.reader.extract.feature_table import H1, H4
from crawler.reader.extract.features import BlockTable

# Whole lines that head the comments, or end a text. "Comment" alone does not: a column or a button may be named so.
HEADING = re.compile(
    r"(?:(?:网友|網友|全部|最新|热门|熱門|精彩|用户|文章|读者|讀者|所有|更多|发表|發表|添加|查看|我要|人参与"
    r"|[\d\s()（）\[\]条條共篇则則])*(?:评论|評論|留言|跟帖|回应|回應))+\s*(?:列表|区|區|正文|板)?[\s\d()（）条條共篇则則：:#]*"
    r"|\W*(?:view |show |read |load |all |post |add |join |leave |please |about |users?.? |readers?.? )*"
    r"(?:an? |the |your )?"
    r"(?:[\d()]+ comments?|comments|leave a (?:comment|reply)|[\d()]+ (?:responses?|replies|thoughts? on .+)"
    r"|[\d()]+ comment\(s\)|comments are (?:now )?closed|(?<=join )the conversation)"
    r"[\s\d():]*(?:on .+|to .+|for .+)?"
    r"|(?:\d+ |dodaj |twoj[ae] )?(?:komentarze?|opini[ae]|komentar)[\s\d()\[\]:]*"  # Polish, Indonesian
    r"|(?:оставить |добавить |ваши |все )?комм?ентари[ий][\s\d()\[\]:*]*"
    r"|yorumlar\b.*|举报|分享到[:：]?|.*\d:\d\d.*[发發]表[评評][论論]\W*",  # Turkish; buttons and the foot of a post
    re.IGNORECASE,
)
# How lines begin that speak of the text before or behind it. Labellers leave out nineteen of twenty.
NOTE = re.compile(
    r"[\s（(【\[〔■●◆*※—-]*(?:"
    r"(?:责任|本文|执行|网络|值班|实习|稿件|新媒体|責任)?\s*(?:编辑|責編|編輯|责编|编校|编审|校对|审核|监制|审校|主编|终审|初审|复审)"
    r"\s*(?:[:：/丨|]|\s?\S{2,4}\s*[）)\]】]?$)"
    r"|(?:作者|撰文|文章来源|稿源|来源|出处|原标题|转载自|转自|本文来[自源]|[原本]文(?:链接|地址)|文章链接)\s*[:：]"
    r"|转载请|(?:特别|免责|版权|郑重|法律|本[站网])?声明\s*[:：]|(?:免责|版权)声明|版权(?:所有|归)|未经.{0,12}(?:授权|许可|允许)"
    r"|(?:相关|延伸|推荐|更多|精彩)(?:阅读|文章|新闻|链接|专题|报道|推荐|内容)|[上下]一篇|分享到|(?:标签|关键[词字])\s*[:：]"
    r"|(?:扫|长按|微信).{0,6}(?:码|关注)|点击.{0,8}(?:原文|关注|下载|进入)|欢迎关注|©|copyright\b|all rights reserved"
    r"|(?:关注|搜索).{0,8}(?:微信|公众号|公号)|(?:投稿|爆料|报料|新闻|联系|合作|反馈|纠错|举报).{0,4}(?:邮箱|热线|电话|微信)"
    r"|(?:本文|文章|以上内容|文中观点)?(?:仅|只)(?:代表|供).{0,12}(?:观点|参考|立场)|.{0,8}不构成.{0,8}(?:建议|意见)"
    r"|本文(?:系|为|由).{0,24}(?:原创|独家|授权|首发)|下载.{0,10}(?:app|客户端)|感谢(?:您的)?(?:阅读|观看|关注)\W*$"
    r")",
    re.IGNORECASE,
)
# How a site's terms begin, which may be longer than a short article above them.
TERMS = re.compile(r"[•·*①②③\d.、\s]*凡是?(?:本[站网]|注明|来源)")
ASIDE = AROUND_BITS["aside"]
LAST_ROWS = 6  # blocks at the end of a body that may be notes
MAX_LOST = 0.3  # share of the body's tokens behind the first of them
MAX_HEADING = 60  # characters
# Tokens of the body above its comments, or below its title: a share bar over the text counts comments too.
MIN_ABOVE = 60.0


def without_teasers(table: BlockTable, taken: NDArray[np.bool_], title_row: int) -> NDArray[np.bool_]:
    """Drops what is above the article's title, where that is a heading: teasers of other stories. `title_row`: -1
    without one."""
    if title_row < 0 or not H1 <= table.codes[title_row] < H4 or table.linked[title_row]:
        return taken
    kept = taken.copy()
    kept[:title_row] = False
    return kept if table.letters.tokens[kept].sum() >= MIN_ABOVE else taken


def without_asides(table: BlockTable, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Drops what is in the `aside` elements of an article, unless it is most of it."""
    tokens = table.letters.tokens
    kept = taken & ((table.blocks.above[table.owners] & ASIDE) == 0)
    return kept if tokens[kept].sum() > tokens[taken].sum() / 2 else taken


def without_comments(table: BlockTable, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cuts the body of an article off at the line that heads its comments."""
    texts = table.blocks.texts
    above = np.cumsum(table.letters.tokens * taken)
    last = int(np.flatnonzero(taken)[-1])
    for row in np.flatnonzero((above >= MIN_ABOVE) & (table.letters.size <= MAX_HEADING)).tolist():
        if row > last:
            break
        if HEADING.fullmatch(texts[row]) and table.blocks.tags[table.owners[row]] != "th":  # a column may be called so
            kept = taken.copy()
            kept[row:] = False
            return kept
    return taken


def without_notes(table: BlockTable, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cuts the body of an article off at the first note at its end, and drops notes before it."""
    texts, tokens = table.blocks.texts, table.letters.tokens
    rows = np.flatnonzero(taken).tolist()
    kept = taken.copy()
    kept[[row for row in rows[:2] if tokens[row] <= MAX_HEADING and NOTE.match(texts[row])]] = False
    left = (1 - MAX_LOST) * float(tokens[taken].sum())
    above = np.cumsum(tokens * taken)
    for row in rows[-LAST_ROWS:]:
        before = above[row] - tokens[row]
        if (before >= left and NOTE.match(texts[row])) or (before >= MIN_ABOVE and TERMS.match(texts[row])):
            kept[row:] = False
            break
    return kept if kept.any() else taken
