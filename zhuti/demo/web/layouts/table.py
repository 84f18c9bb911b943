"""Pages as they were laid out about 2005: nested tables, font elements, line breaks for paragraphs."""

from __future__ import annotations

from html import escape

from zhuti.demo.web.around import Around
from zhuti.demo.web.markup import anchor, meta_charset, paragraphs, row
from zhuti.demo.web.model import Article, Host

_INDENT = "  "  # two wide spaces, as Chinese paragraphs begin


def frame(host: Host, around: Around, title: str, main: str) -> str:
    hot = "<br>".join(f"· {anchor(link)}" for link in around.hot)
    return f"""<html>
<head>
{meta_charset(host)}
<title>{escape(title)}--{escape(host.title)}</title>
</head>
<body bgcolor="#ffffff" topmargin=0>
<table width=760 align=center border=0 cellspacing=0>
<tr><td colspan=2 bgcolor="#003399"><font color=white size=5>{escape(host.title)}</font></td></tr>
<tr><td colspan=2>{row(around.navigation)}<marquee>{anchor(around.ads[0])}</marquee></td></tr>
<tr valign=top><td width=160 bgcolor="#eeeeee"><font size=2><b>{around.hot_name}</b><br>
{hot}
<br><br>{anchor(around.ads[1])}</font></td>
<td width=600>
{main}
</td></tr>
<tr><td colspan=2 align=center><font size=1>{row(around.friends)}<br>{around.notice}</font></td></tr>
</table>
</body>
</html>
"""


def article(host: Host, content: Article, around: Around) -> str:
    text = "<br><br>\n".join(_INDENT + markup for markup in paragraphs(content, around.inline))
    related = "<br>\n".join(f"· {anchor(link)}" for link in around.related)
    facts = f"作者:{content.author}  更新时间:{content.published.replace('-', '/')}  点击数:{len(content.title) * 37}"
    return f"""<table width="100%" cellpadding=6>
<tr><td align=center><font size=4><b>{escape(content.title)}</b></font></td></tr>
<tr><td align=center><font size=2>{facts}</font></td></tr>
<tr><td><font size=3>{text}</font></td></tr>
<tr><td align=right><font size=2>{row(around.neighbours)}</font></td></tr>
<tr><td bgcolor="#f0f0f0"><font size=2>相关文章:<br>
{related}</font></td></tr></table>"""
