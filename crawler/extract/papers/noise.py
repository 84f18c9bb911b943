"""Words of menus and footers (papers.md 2.4 (2)), and words that say what a title is about (papers.md 7.4).

Reading: where a source asks for word classes (nouns, verbs, idioms, ...), the words left after the stop words are
taken: the project's segmenter tells no classes.
"""

from __future__ import annotations

from functools import cache

from crawler.extract.papers.outline import tags
from crawler.text.tokens import Tokenizer

NOISE_WORDS = tags("""
    首页 搜索 声明 版权 帮助 登录 注册 导航 上一页 下一页 更多 返回 顶部 关于我们 联系我们 广告 招聘 友情链接 网站地图
    收藏 举报 分享 打印 字号 客户端 订阅 备案 icp copyright login home
""")
NOISE = NOISE_WORDS | {"all rights reserved"}


@cache
def tokenizer() -> Tokenizer:
    """Knows the noise words: otherwise most of them would be dropped as stop words."""
    return Tokenizer(sorted(NOISE))


def content_words(text: str) -> frozenset[str]:
    """The words of a title, folded, without noise."""
    return frozenset(tokenizer().tokens(text)) - NOISE
