"""A forum: every post in a box with its writer and floor."""

from __future__ import annotations

from html import escape

from zhuti.demo.web.around import Around
from zhuti.demo.web.markup import anchor, items, meta_charset, paragraphs, row
from zhuti.demo.web.model import Article, Host

_FLOORS = ("楼主", "沙发", "板凳", "地板")


def frame(host: Host, around: Around, title: str, main: str) -> str:
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
{meta_charset(host)}
<title>{escape(title)} - {escape(host.title)} - Powered by OwnBoard</title>
</head>
<body id="nv_forum">
<div id="toptb">{row(around.navigation, " ")} <a href="/login.php">立即注册</a></div>
<div id="hd"><h2><a href="/">{escape(host.title)}</a></h2><div class="a_t">{anchor(around.ads[0])}</div></div>
<div id="ct">
{main}
</div>
<div id="sd"><b>{around.hot_name}</b><ul>
{items(around.hot)}</ul></div>
<div id="ft">{around.notice} | {row(around.friends)} | {anchor(around.ads[1])}</div>
</body>
</html>
"""


def article(host: Host, content: Article, around: Around) -> str:
    posts = "\n".join(
        _post(floor, writer, content.published, markup)
        for floor, (writer, markup) in enumerate(zip(content.writers, paragraphs(content, around.inline), strict=True))
    )
    return f"""<div id="pt">{anchor(around.navigation[0])} › {row(around.tags, " ")} › {escape(content.title)}</div>
<h1 class="ts"><span id="thread_subject">{escape(content.title)}</span></h1>
<div id="postlist">
{posts}
</div>
<div class="pgs">{row(around.neighbours)}</div>
<div class="mtm"><h4>相关帖子</h4><ul>
{items(around.related)}</ul></div>"""


def _post(floor: int, writer: str, published: str, markup: str) -> str:
    label = _FLOORS[floor] if floor < len(_FLOORS) else f"{floor + 1}#"
    year, month, day = (int(part) for part in published.split("-"))
    time = f"{year}-{month}-{day} 2{floor % 4}:{15 + floor}"
    return f"""<table class="plhin"><tr>
<td class="pls"><div class="authi">{writer}</div><p>积分 {120 * floor + 35}</p></td>
<td class="plc"><div class="pi"><em>发表于 {time}</em> <strong>{label}</strong></div>
<div class="t_f">{markup}</div><div class="sign">回复 举报 支持({floor * 3})</div></td></tr></table>"""
