"""A news site: head line, source line, three columns of noise."""

from __future__ import annotations

from html import escape

from zhuti.demo.web.around import Around
from zhuti.demo.web.markup import anchor, day_in_words, items, meta_charset, paragraphs, row
from zhuti.demo.web.model import Article, Host


def frame(host: Host, around: Around, title: str, main: str) -> str:
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


def article(host: Host, content: Article, around: Around) -> str:
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
