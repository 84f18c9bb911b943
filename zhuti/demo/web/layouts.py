"""How a page looks: news sites, weblogs, forums, and pages as they were laid out about 2005. A style is a frame, which
all of its pages have, and the main part of an article."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from zhuti.demo.web.around import Around
from zhuti.demo.web.markup import anchor, day_in_words, items, meta_charset, paragraphs, row
from zhuti.demo.web.model import Article, Host, SiteStyle


def _news_frame(host: Host, around: Around, title: str, main: str) -> str:
    """A news site: head line, source line, three columns of noise."""
    return f"""<!DOCTYPE html>
<html lang="zh-CN">
<head>
{meta_charset(host)}
<title>{escape(title)}_{escape(host.title)}</title>
<link rel="stylesheet" href="/css/main.css">
<script>var site="{host.name}";function track(){{return "<a href='/track'>统计</a>";}}</script>
</head>
<body>
<div id="top"><div class="logo"><a href="/"><img src="/img/logo.png" alt="{escape(host.title)}"></a></div>
<ul class="nav">
{items(around.navigation)}</ul></div>
<div class="banner">{anchor(around.ads[0], ' rel="nofollow sponsored"')}</div>
<div class="wrap">
<div class="main">
{main}
</div>
<div class="side">
<h3>{around.hot_name}</h3>
<ul>
{items(around.hot)}</ul>
<div class="ad">广告 {anchor(around.ads[1], ' rel="nofollow"')}</div>
</div>
</div>
<div class="footer"><p>友情链接:{row(around.friends)}</p><p>{around.notice}</p></div>
</body>
</html>
"""


def _news_article(host: Host, content: Article, around: Around) -> str:
    text = "\n".join(f"<p>{markup}</p>" for markup in paragraphs(content, around.inline))
    return f"""<div class="crumb">当前位置:{anchor(around.navigation[0])} &gt; {row(around.tags)} &gt; 正文</div>
<h1>{escape(content.title)}</h1>
<div class="info"><span class="date">{day_in_words(content.published)} 09:{len(content.title):02d}</span>
<span class="source">来源:{escape(host.title)}</span> <span class="author">作者:{content.author}</span></div>
<div class="content" id="artibody">
{text}
</div>
<div class="tags">关键词:{row(around.tags, " ")}</div>
<div class="pages">{row(around.neighbours)}</div>
<div class="related"><h4>相关新闻</h4><ul>
{items(around.related)}</ul></div>
<div class="share">分享到:微博 微信 空间 &nbsp; <a href="javascript:void(0)" onclick="track()">收藏</a></div>"""


def _blog_frame(host: Host, around: Around, title: str, main: str) -> str:
    """A personal weblog of a static site generator: semantic elements, tags, one side bar."""
    # Some generators end the document before the body begins; browsers do not mind.
    early_end = "</head></html>" if host.ends_early else "</head>"
    return f"""<!DOCTYPE html>
<html>
<head>
{meta_charset(host)}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} - {escape(host.title)}</title>
<style>.post {{ max-width: 46em }} nav a {{ margin: 1em }}</style>
{early_end}
<body>
<header><a class="brand" href="/">{escape(host.title)}</a>
<nav>{row(around.navigation, " ")}</nav></header>
<main>
{main}
</main>
<aside>
<section><h3>{around.hot_name}</h3><ul>
{items(around.hot)}</ul></section>
<section class="sponsor">{anchor(around.ads[0], ' rel="sponsored"')}</section>
<section><h3>朋友们</h3><ul>
{items(around.friends)}</ul></section>
</aside>
<footer>© {escape(host.title)} · {around.notice}</footer>
</body>
</html>
"""


def _blog_article(host: Host, content: Article, around: Around) -> str:
    text = "\n".join(f"<p>{markup}</p>" for markup in paragraphs(content, around.inline))
    return f"""<article class="post">
<h1 class="post-title">{escape(content.title)}</h1>
<div class="post-meta"><time datetime="{content.published}">{content.published}</time> · {content.author}
· {row(around.tags, " ")}</div>
<div class="post-content">
{text}
</div>
</article>
<nav class="post-nav">{row(around.neighbours, " ")}</nav>
<section class="related"><h3>延伸阅读</h3><ul>
{items(around.related)}</ul></section>
<section class="comments"><h3>评论</h3><p>暂无评论,<a href="/login.php">登录</a>后发表第一条。</p></section>"""


_FLOORS = ("楼主", "沙发", "板凳", "地板")


def _forum_frame(host: Host, around: Around, title: str, main: str) -> str:
    """A forum: every post in a box with its writer and floor."""
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


def _forum_article(host: Host, content: Article, around: Around) -> str:
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


_INDENT = "  "  # two wide spaces, as Chinese paragraphs begin


def _table_frame(host: Host, around: Around, title: str, main: str) -> str:
    """Nested tables, font elements, line breaks for paragraphs."""
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


def _table_article(host: Host, content: Article, around: Around) -> str:
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


@dataclass(frozen=True, slots=True)
class Layout:
    frame: Callable[[Host, Around, str, str], str]  # host, around, title, main part -> the page
    article: Callable[[Host, Article, Around], str]  # -> the main part


LAYOUTS = {
    SiteStyle.NEWS: Layout(_news_frame, _news_article),
    SiteStyle.BLOG: Layout(_blog_frame, _blog_article),
    SiteStyle.FORUM: Layout(_forum_frame, _forum_article),
    SiteStyle.TABLE: Layout(_table_frame, _table_article),
}
