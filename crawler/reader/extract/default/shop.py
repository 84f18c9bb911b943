"""What a Chinese shop's page says of the thing: its properties and description, not the shop's rules.

Properties are short and look like no text: names with a colon and values, or short texts below a heading such as
"specifications". The networks have seen few pages of shops, and take the rules, which are long, for the body.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.default.features import BlockTable

# Lines of shops, offices of estates and yellow pages. An article may have one of them.
SAID = """
    库存 运费 配送至 购买须知
    商品详情 商品介绍 商品参数 商品属性 商品信息 商品编号 商品评价 宝贝详情 宝贝评价 买家评价 用户评价 累计评价 价格说明
    规格参数 技术参数 详细参数 产品参数 产品规格 产品属性 产品详情 产品介绍 产品说明 产品特点 产品图片
    规格与包装 包装清单 售后保障 售后服务 划线价格 商家信息 基本属性 交易属性 房源特色 店铺简介 公司简介 工商信息
    联系方式
"""
WORDS = frozenset(SAID.split())
BUTTONS = frozenset("加入购物车 立即购买 加购物车 立即抢购 马上购买 立即订购 立即询价 我要询价 询底价 联系卖家".split())  # noqa: SIM905
MAX_WORD = 14  # characters of a block that may be one of them
ENOUGH = 2  # of them, on a page of a shop
RULES = re.compile(
    "划线价|实时标价|指商品的|结算(?:页|价)|价格(?:说明|发布规范)|(?:不应|不能|不得)作为|仅供参考|免责|[七7]天无理由|退换货|退货|售后|发票|运费"
    "|正品保[证障]|权利声明|最终解释|不承担|以.{1,30}为准"
)
FOOT = re.compile("ICP|©|版权所有|备案|举报|copyright", re.IGNORECASE)  # in groups that are none of the thing's
NAME = re.compile(r"[^：:。，,;；]{1,14}[：:]")  # of a property
HEAD = re.compile(r".{0,6}(?:参数|规格|属性|信息|资料|配置|清单|联系方式).{0,6}")
MAX_HEAD = 12  # characters
MAX_VALUE = 60.0  # tokens
FEWEST = 4  # blocks of a group of properties
NAMED = 0.4  # share of them that name a property: where names and values are blocks, half do
LINKED = 0.4  # share of links in a group, at most
BEFORE = 2  # blocks before a group among which its heading stands


def is_shop(table: BlockTable) -> bool:
    """Whether a Chinese page sells or presents one thing. What is a link may be of the menu of a firm, but for buttons
    to buy."""
    if not table.chinese:
        return False
    lines = zip(table.blocks.texts, table.linked.tolist(), strict=True)
    short = ((text.strip(" ：:[]【】"), linked) for text, linked in lines if len(text) <= MAX_WORD)
    return len({text for text, linked in short if text in BUTTONS or (text in WORDS and not linked)}) >= ENOUGH


def offered(table: BlockTable, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The body of a shop's page: what was taken without the shop's rules, and with the properties."""
    texts = table.blocks.texts
    rules = np.array([RULES.search(text) is not None or FOOT.search(text) is not None for text in texts])
    found: NDArray[np.bool_] = (taken & ~rules) | _properties(table)
    return found if found.any() else taken


def _properties(table: BlockTable) -> NDArray[np.bool_]:
    texts, linked, first, last = table.blocks.texts, table.linked, table.first, table.last
    tokens = table.letters.tokens
    named = np.array([NAME.match(text) is not None for text in texts])
    heads = np.array([len(text) <= MAX_HEAD and HEAD.fullmatch(text) is not None for text in texts])
    others = (tokens > MAX_VALUE) | np.array([FOOT.search(text) is not None for text in texts])
    names, links, spoilt = (np.concatenate([[0], np.cumsum(each)]) for each in (named, linked, others))
    found = np.zeros(len(texts), np.bool_)
    for start, stop in zip(first.tolist(), last.tolist(), strict=True):
        number = stop - start
        if number < FEWEST or found[start] or spoilt[stop] > spoilt[start]:
            continue
        if links[stop] - links[start] > LINKED * number:
            continue
        below = heads[max(0, start - BEFORE) : start + 1].any()
        if below or names[stop] - names[start] >= NAMED * number:
            found[start:stop] = True
    return found
