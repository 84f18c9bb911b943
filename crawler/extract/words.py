"""Words that give a block away: in class and id names, and in the text itself."""

from __future__ import annotations

import re
from functools import lru_cache

MAX_NAME = 200  # characters of a class attribute that are looked at

# Groups of words in class and id names. A group's number is its bit in a mask.
NAME_GROUPS = (
    ("content", r"content|article|art_|entry|story|main|body|text|detail|neirong|zhengwen|zoom"),
    ("post", r"post|thread|message|floor|reply|topic|pcb|t_f|t_msgfont|bbs|lzl"),
    ("comment", r"comment|cmt|pinglun|disqus|liuyan|discuss|respond|review"),
    ("menu", r"nav|menu|crumb|tab|toolbar|channel|dropdown|skip"),
    ("foot", r"foot|copyright|copy|bottom|beian|legal|disclaim|cookie|privacy|consent"),
    ("side", r"side|aside|right|left|widget|rail|column|col-"),
    ("related", r"relat|recommend|recom|more|hot|rank|xiangguan|tuijian|other|next|prev|list|popular|latest|trending"),
    ("share", r"share|social|bdsharebuttonbox|weixin|wechat|weibo|qrcode|like|follow|subscri|newsletter|jiathis"),
    ("advert", r"(?<![a-z])ads?(?![a-z])|advert|gg_|guanggao|sponsor|promo|banner|outbrain|taboola"),
    ("info", r"author|byline|date|time|info|meta|source|laiyuan|editor|pub|credit|avatar|profile|user|member|sign"),
    ("head", r"head|logo|top|title|subtitle"),
    ("form", r"form|login|search|input|signup|register|modal|popup|dialog|vote|rating|score"),
    ("tags", r"tag|keyword|label|categor|breadcrumb|badge"),
    ("pages", r"pag(?:e|er|ing|ination)|(?<![a-z])fy(?![a-z])"),
    ("media", r"video|image|img|photo|pic|caption|gallery|slide|player|figure|album|thumb"),
    ("quote", r"quot|code|pre(?![a-z])|highlight|cite"),
    ("hidden", r"hid(?:e|den)|display-none|d-none|sr-only|visually|invisible"),
)
GROUPS = tuple(name for name, _ in NAME_GROUPS)
HIDDEN = 1 << GROUPS.index("hidden")
_NAMES = tuple((1 << bit, re.compile(pattern)) for bit, (_, pattern) in enumerate(NAME_GROUPS))
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

# Groups of words in the text of a block.
TEXT_GROUPS = (
    ("date", r"(?:19|20)\d\d\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}|\d{1,2}:\d\d|\d+\s*(?:分钟|小时|天|years?|months?|days?|hours?)\s*(?:前|ago)"
             r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2},? (?:19|20)\d\d"),
    ("byline", r"作者|来源|责任编辑|责编|编辑[:：]|记者|撰文|原标题|发布时间|发表于|发布于|文/|^by |posted (?:by|on)|written by|published|updated|edited by|source:"),
    ("rights", r"版权|©|copyright|all rights reserved|备\d{5,}|icp|许可证|公安网|声明[:：]|转载|免责|侵权|不代表本|未经授权|terms|privacy"),
    ("menu", r"首页|导航|更多|上一[篇页]|下一[篇页]|返回|顶部|登录|注册|收藏|打印|字号|字体|关闭|搜索|客户端|订阅|关注|扫一扫|二维码"
             r"|home\b|log ?in|sign (?:in|up)|subscribe|newsletter|menu|search|read more|view all|see all|click here|next|previous|skip to"),
    ("related", r"相关|推荐|热门|热点|排行|精彩|猜你喜欢|延伸阅读|大家都在|最新|阅读原文|related|recommended|popular|trending|you may|more from|more on|read also|latest|also like"),
    ("share", r"分享|微信|微博|朋友圈|点赞|举报|收藏|阅读[(（:：\s\d]|浏览|share|tweet|facebook|twitter|whatsapp|linkedin|pinterest|follow us|likes?\b|views?\b"),
    ("comment", r"评论|留言|网友|发表|回复|跟帖|楼主|沙发|板凳|我来说|comments?\b|repl(?:y|ies)|leave a|responses?"),
    ("forum", r"发表于|只看该作者|楼层|\d+\s*楼|[#＃]\d+|积分|帖子|精华|在线时间|注册时间|最后登录|威望|金币|主题|好友|joined|posts?:|registered|member|junior|senior|moderator|quote|permalink|thanks|logged"),
    ("tags", r"标签|关键[词字]|分类|tags?:|filed under|categor|topics?:"),
    ("end", r"[。！？!?…”\"』」]$|\.$"),
    ("colon", r"[:：]$"),
    ("edit", r"最后编辑|本帖最后|编辑于|last edited|edited"),
)  # fmt: skip
TEXTS = tuple(name for name, _ in TEXT_GROUPS)
TEXT_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE | re.MULTILINE) for _, pattern in TEXT_GROUPS)


@lru_cache(maxsize=50_000)
def name_mask(name: str) -> int:
    """The groups whose words a class or id name has, a bit each."""
    if not name:
        return 0
    name = name[:MAX_NAME].lower()
    mask = 0
    for bit, pattern in _NAMES:
        if pattern.search(name):
            mask |= bit
    return mask


def hidden_by_style(style: str) -> bool:
    return _HIDDEN_STYLE.search(style) is not None
