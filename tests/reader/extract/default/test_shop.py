"""Pages that sell one thing: its properties and description are the body, the shop's rules are not. All made up."""

from __future__ import annotations

import pytest

from crawler.reader.extract.default.best import best
from crawler.reader.html.page import Page
from crawler.records import PageKind

STORY = "这把竹椅由老渡口的两位篾匠手工编成，椅背微微后仰，夏天坐着凉快，冬天铺上棉垫也不硌人，可以用上二十年。"
RULES = "划线价格指商品的专柜价，并非原价，仅供参考，具体成交价格以订单结算页为准，如有变化恕不另行通知。"
MENU = "<ul class=nav>" + "".join(f"<li><a href=/{n}>竹器的第{n}类</a>" for n in range(12)) + "</ul>"
FOOT = "<div><p>版权所有 老渡口竹器</p><p>举报电话：000-0000</p><p>备案号：0000</p><p>邮箱：a@b.example</p></div>"
PROPERTIES = {"品牌": "老渡口", "型号": "竹椅二号", "材质": "毛竹", "产地": "江边村", "重量": "3 公斤"}
BUY = "<div class=buy><b>￥120</b> <a href=#>加入购物车</a> <p><a href=#>立即购买</a></p></div>"
FORMS = {
    "ul": "<ul>" + "".join(f"<li>{name}：{value}" for name, value in PROPERTIES.items()) + "</ul>",
    "dl": "<dl>" + "".join(f"<dt>{name}：<dd>{value}" for name, value in PROPERTIES.items()) + "</dl>",
    "table": "<table>" + "".join(f"<tr><td>{name}<td>{value}" for name, value in PROPERTIES.items()) + "</table>",
    "columns": "<div>"
    + "".join(f"<div><div>{name}</div><div>{value}</div></div>" for name, value in PROPERTIES.items()),
}


def shop(properties: str, story: str = f"<p>{STORY}</p>", buy: str = BUY) -> str:
    return (
        f"<title>竹椅 - 老渡口竹器</title>{MENU}<h1>竹椅</h1>{buy}<h3>规格参数</h3>{properties}</div>"
        f"<h3>商品详情</h3><div>{story}</div><h3>价格说明</h3><div><p>{RULES}</p><p>{RULES}</p></div>{FOOT}"
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("story", ["", f"<p>{STORY}</p><p>{STORY[::-1]}</p>"])
def test_properties_and_description(form: str, story: str) -> None:
    found = best(Page(shop(FORMS[form], story)))
    assert found.kind is PageKind.PRODUCT
    assert all(word in found.body for pair in PROPERTIES.items() for word in pair)
    assert (STORY in found.body) == bool(story)
    assert RULES not in found.body
    assert "举报" not in found.body
    assert "￥120" not in found.body


def test_a_menu_of_a_firm_is_no_shop() -> None:
    menu = "".join(f"<li><a href=/{word}>{word}</a>" for word in ("公司简介", "产品介绍", "售后服务", "联系方式"))
    text = "".join(f"<p>{STORY}{n}，发票和运费由我们承担。</p>" for n in range(4))
    found = best(Page(f"<title>竹椅</title><ul>{menu}</ul><h1>竹椅的故事</h1><div>{text}</div>"))
    assert (found.kind, found.body.count("发票")) == (PageKind.ARTICLE, 4)


def test_an_article_of_a_thing_is_none_of_a_shop() -> None:
    words = "<h2>售后服务</h2>"
    text = "".join(f"<p>{STORY}{n}</p>" for n in range(5))
    found = best(Page(f"<title>竹椅</title>{MENU}<h1>竹椅的故事</h1><div>{text}{words}<p>{RULES}{STORY}</p></div>"))
    assert found.kind is PageKind.ARTICLE
    assert RULES in found.body
