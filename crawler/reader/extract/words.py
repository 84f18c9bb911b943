"""Words that give a block away, in class and id names and in the text itself."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from lxml.html import HtmlElement

MAX_NAME = 200  # characters of a class attribute that are looked at

# Groups of words in class and id names. A group's number is its bit in a mask. Words with underscores must stand alone.
NAME_WORDS = {
    "content": "content article art_ entry story main body text detail neirong zhengwen zoom postbody",
    "post": "post thread message floor reply topic pcb t_f t_msgfont bbs lzl postbody",
    "comment": "comment cmt pinglun disqus liuyan discuss respond review",
    "menu": "nav menu crumb breadcrumb tab toolbar channel dropdown skip",
    "foot": "foot copyright copy bottom beian legal disclaim cookie privacy consent",
    "side": "side aside right left widget rail column col-",
    "related": "relat recom recommend more hot rank xiangguan tuijian other next prev list popular latest trending",
    "share": "share social weixin wechat weibo qrcode like follow subscri newsletter jiathis",
    "advert": "_ad_ _ads_ advert gg_ guanggao sponsor promo banner outbrain taboola",
    "info": "author byline date time info meta source laiyuan editor pub credit avatar profile user member sign",
    "head": "head logo top title subtitle",
    "form": "form login search input signup register vote rating score",
    "dialog": "modal popup dialog overlay",
    "tags": "tag keyword label categor breadcrumb badge",
    "pages": "page pager paging pagination _fy_",
    "media": "video image img photo pic caption gallery slide player figure album thumb",
    "quote": "quot code _pre_ highlight cite",
    "hidden": "hide hidden display-none d-none sr-only visually invisible",
}
GROUPS = tuple(NAME_WORDS)
HIDDEN = 1 << GROUPS.index("hidden")
HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def _name_bits() -> dict[str, int]:
    bits: dict[str, int] = {}
    for bit, words in enumerate(NAME_WORDS.values()):
        for word in words.split():
            bits[word.strip("_") if word[0] == "_" else word] = bits.get(word, 0) | 1 << bit
    return bits


_NAME_BITS = _name_bits()
_ALONE = {word.strip("_") for words in NAME_WORDS.values() for word in words.split() if word[0] == "_"}


def _name_pattern() -> re.Pattern[str]:
    """Makes a pattern of all words, longest first, gathered by their first letter: four times as fast as a plain list
    of words."""
    letters: dict[str, list[str]] = {}
    for word in sorted(_NAME_BITS, key=len, reverse=True):
        letters.setdefault(word[0], []).append(re.escape(word[1:]) + ("(?![a-z])" if word in _ALONE else ""))
    return re.compile("|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in letters.items()))


_NAME = _name_pattern()

# Groups of words in the text of a block. Chinese words have two characters, others the first four letters of a word.
TEXT_WORDS = {
    "byline": """作者 来源 責任 责任 责编 编辑 记者 撰文 原标 发布 发表 来自 原文 通讯 摄影 校对 post writ upda
        publ edit sour auth repo""",
    "rights": """版权 备案 许可 公安 声明 转载 免责 侵权 不代 未经 授权 法律 违法 举报 copy righ term priv disc
        cook lice ICP备 京公""",
    "menu": """首页 导航 更多 上一 下一 返回 顶部 登录 注册 收藏 打印 字号 字体 关闭 搜索 客户 订阅 关注 扫一
        二维 设为 帮助 联系 网站 home logi logo sign subs news menu sear view clic next prev skip back cont abou
        help""",
    "related": """相关 推荐 热门 热点 排行 精彩 猜你 延伸 大家 最新 阅读 文章 新闻 专题 频道 rela reco popu tren
        more also late feat top""",
    "share": """分享 微信 微博 朋友 点赞 浏览 阅读 下载 复制 链接 扫码 空间 shar twee face twit what link pint
        foll like view emai prin""",
    "comment": "评论 留言 网友 回复 跟帖 沙发 板凳 我来 热评 参与 点评 comm repl resp leav revi",
    "forum": """楼主 只看 楼层 积分 帖子 精华 在线 威望 金币 主题 好友 等级 经验 注册 贴吧 发帖 join post regi
        memb seni juni mode quot perm than topi thre #0 #1 #2 #3 #4 #5 #6 #7 #8 #9 0楼 1楼 2楼 3楼 4楼 5楼 6楼
        7楼 8楼 9楼""",
    "tags": "标签 关键 分类 栏目 所属 tags tag: file cate keyw topi unde",
    "edited": "最后 本帖 编辑 last edit modi",
    "advert": "广告 推广 赞助 优惠 购买 免费 点击 咨询 热线 adve spon prom ads",
    "time": """分钟 小时 天前 昨天 前天 刚刚 ago mins hour days janu febr marc apri june july augu sept octo
        nove dece jan feb mar apr jun jul aug sep oct nov dec""",
    "lead": "摘要 导读 導讀 核心 提要 导语 概要 简介 编者 按： abst summ",
    "end": "（完 完） 【完 责编 [责 （责 (责 （编 (编 本文 特此 编辑 原标 点击 end)",
}
TEXTS = tuple(TEXT_WORDS)
GRAM_BITS = 16  # of the tables below; two grams in one place are rare and harmless


def gram(first: int, second: int, third: int = 0, fourth: int = 0) -> int:
    """Returns the place of a gram of two or four code points in a table of 2**GRAM_BITS."""
    number = (first * 31 + second) * 31 + third
    return (number * 31 + fourth) & ((1 << GRAM_BITS) - 1)


def name_mask(name: str) -> int:
    """Returns the groups whose words a class or id name has, a bit each."""
    return _known_mask(name[:MAX_NAME]) if name else 0


@lru_cache(maxsize=50_000)
def _known_mask(name: str) -> int:
    mask = 0
    for word in _NAME.findall(name.lower()):
        mask |= _NAME_BITS[word]
    return mask


# What holds what a post, a question or an answer says, by the usual programs: Discuz, vBulletin, PHPWind, NGA, SMF by
# ids; WeCenter, phpBB, SegmentFault, Discourse by names with another around them. Who wrote and buttons stand outside.
MESSAGE_ID = re.compile(r"(?:postmessage_|post_message_|read_|postcontent|msg_)\d+")
MARKED = {
    "markitup-box": {"aw-question-detail", "aw-item"},
    "content": {"postbody"},
    "fmt": {"answer", "question"},
    "post": {"crawler-post", "topic-body"},
}
MESSAGES = frozenset(
    """t_msgfont t_f tpc_content bbWrapper messageText js-post-body comment-copy d_post_content Post-body cooked
    bbp-reply-content bbp-topic-content RichContent-inner QuestionRichText topic-richtext""".split()  # noqa: SIM905
)
SCHEMA = re.compile(r"schema\.org/(?:Question|Answer|DiscussionForumPosting)$")


def is_message(element: HtmlElement, names: str, own: str) -> bool:
    """Returns whether an element with these classes and this id holds a message."""
    classes = names.split()
    if (own and MESSAGE_ID.fullmatch(own)) or not MESSAGES.isdisjoint(classes):
        around = element.getparent()
        return around is None or "signature" not in (around.get("class") or "")
    for name in MARKED.keys() & classes:
        around = islice(element.iterancestors(), 4)
        if any(not MARKED[name].isdisjoint((each.get("class") or "").split()) for each in around):
            return True
    if element.get("itemprop") not in ("text", "articleBody"):
        return False
    scope = next((each for each in element.iterancestors() if each.get("itemscope") is not None), None)
    return scope is not None and SCHEMA.search((scope.get("itemtype") or "").strip()) is not None
