"""Texts for many pages: alike as pages of one web are, none the same."""

from __future__ import annotations

from random import Random

WORDS = ["爬虫", "主题", "网页", "链接", "正文", "词典", "压缩", "工人", "租约", "种子", "得分", "队列", "索引", "语料"]
PHRASES = [
    f"关于{one}和{other}，请看第{n}节的说明，那里写得更详细。" for n, one in enumerate(WORDS) for other in WORDS[::3]
]


def body(number: int, phrases: int = 20) -> str:
    """Some 80 bytes a phrase."""
    chance = Random(number)
    return "\n".join([f"这是第{number}篇。", *chance.choices(PHRASES, k=phrases)])


def links(host: str, number: int, count: int = 40) -> dict[str, float]:
    """A page's outlinks: the site's navigation, and one of its own. Of relevance 0: not wanted."""
    navigation = {f"https://{host}/section/{Random(f'{host} {n}').getrandbits(64):x}.html": 0.0 for n in range(count)}
    return {**navigation, f"https://{host}/own/{number}.html": 0.0}
