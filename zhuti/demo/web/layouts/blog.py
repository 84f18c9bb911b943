"""A personal weblog of a static site generator: semantic elements, tags, one side bar."""

from __future__ import annotations

from html import escape

from zhuti.demo.web.around import Around
from zhuti.demo.web.markup import anchor, items, meta_charset, paragraphs, row
from zhuti.demo.web.model import Article, Host


def frame(host: Host, around: Around, title: str, main: str) -> str:
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


def article(host: Host, content: Article, around: Around) -> str:
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
