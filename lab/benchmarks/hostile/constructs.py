"""A megabyte of each construct that the readers know: how many seconds of a processor does it take?

    python -m lab.benchmarks.hostile.constructs [--only WORD] [--bytes 1000000] [--seconds 2]

Pages go the way from bytes to their Analysis, as in a crawl; feeds, sitemaps and robots.txt that of their readers; and
the text of a page is cut into pieces, as for `zhuti export --chunks`. Printed: the seconds of each, the dearest first.
Ends with status 1 where one takes more than --seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from scrapy.http import HtmlResponse

from crawler.analyse import analyse, open_index_file
from crawler.bundled import TOPICS
from crawler.discovery.locations import declared_in_robots
from crawler.extractors import extractor
from crawler.reader.html.page import Page, read_markup
from crawler.reader.text.robots_groups import TRAINING, by_signals, own_group, robots_text
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from zhuti.export.chunks import pieces
from zhuti.identity.rsl import IN_ROBOTS, _of_page

URL = "http://constructs.example/a/b.html"
LD = "<script type='application/ld+json'>"
P = "<p>设某数为一，由此可知其余。</p>"
Construct = tuple[str, str, str]  # before, what is repeated ({n} is its number), behind
# fmt: off
PAGES: dict[str, Construct] = {
    "paragraphs": ("<article>", P, ""),
    "lines by br": ("<p>", "设某数为一，由此可知。<br>", ""),
    "one line": ("<p>", "设某数为一，由此可知。", ""),
    "a div a character": ("<article>", "<div>字</div>", ""),
    "KaTeX": ("<p>", "<span class=katex><annotation encoding='application/x-tex'>x^{n}</annotation></span>，", ""),
    "MathJax": (P, "<script type='math/tex'>x_{n}</script>字", ""),
    "TeX in dollars": ("<p>", "设 $x_{n}$ 为一。", ""),
    "MathML": (P, "<math><msup><mi>x</mi><mn>{n}</mn></msup></math>，", ""),
    "powers": ("<p>", "n<sup>{n}</sup>H<sub>2</sub>O，", ""),
    "footnotes": ("<article>", "<p>正文<sup><a href='#f{n}' id='r{n}'>[{n}]</a></sup>。<li id='f{n}'>注{n}</li>", ""),
    "table": ("<table>", "<tr><td>一<td>{n}</tr>", "</table>"),
    "spans": ("<table>", "<tr><td rowspan=9>一<td colspan=9>{n}</tr>", "</table>"),
    "wide table": ("<table><tr>", "<td>字{n}", "</table>"),
    "tables in tables": ("", "<table><tr><td>字", ""),
    "lists": ("<ul>", "<li>第{n}项，其文如下。", ""),
    "lists in lists": ("", "<ul><li>字", ""),
    "quotations": ("", "<blockquote>字", ""),
    "programs": ("<article>", "<pre><code class=language-c>int a{n};\n</code></pre>", ""),
    "one program": ("<pre><code>", "<span class=k>int</span> a{n};\n", "</code></pre>"),
    "code with br": ("", "<code>a<br>b</code>", ""),
    "fences in text": ("<pre>", "```\nx{n}\n```\n", "</pre>"),
    "headings": ("<article>", "<h2>第{n}节</h2>" + P, ""),
    "links": ("<p>", "<a href='/p/{n}.html'>第{n}篇</a> ", ""),
    "pictures": ("<article>", "<figure><img src=/i{n}.png alt=图{n}><figcaption>图{n}</figcaption></figure>", ""),
    "definitions": ("<dl>", "<dt>词{n}<dd>解释，其文如下。", ""),
    "emphasis": ("<p>", "<b>字</b><i>{n}</i>", ""),
    "ruby": ("<p>", "<ruby>字<rt>zi</rt></ruby>", ""),
    "microdata": ("", "<div itemscope itemtype=http://schema.org/Article><b itemprop=headline>题{n}</b></div>", ""),
    "microdata, deep": ("", "<div itemscope itemprop=a itemtype=http://schema.org/Article>", ""),
    "comments, microdata": ("", "<div itemscope itemtype=http://schema.org/Comment><p itemprop=text>言{n}</div>", ""),
    "RDFa": ("", "<span property=schema:name typeof=Thing>名{n}</span>", ""),
    "JSON-LD": (LD + "[", '{"@type":"Article","headline":"题{n}","datePublished":"2024-03-08"},', "0]</script>" + P),
    "JSON-LD, deep": (LD, '{"a":[', "</script>" + P),
    "JSON-LD, many": ("", LD + '{"@type":"Article","headline":"题{n}"}</script>', P),
    "meta": ("<head>", "<meta property=article:tag content=词{n}>", P),
    "keywords": ("<meta name=keywords content='", "词{n},", "'>" + P),
    "posts": ("", "<div class=post><a class=author>人{n}</a> <time>2024-03-08 10:20</time><p>我想此事如此。</div>", ""),
    "posts of a forum": ("", "<table id=pid{n}><tr><td class=t_f id=postmessage_{n}>言{n}，如此。</table>", ""),
    "dates": ("<p>", "发布于 2024年3月8日 ", ""),
    "times": ("<p>", "<time datetime='2024-03-08T10:20'>3 天前</time>", ""),
    "hidden": ("", "<div style='display:none'>字{n}</div>", P),
    "rules of style": ("<style>", ".c{n}{display:none}\n", "</style><p class=c7>字" + P),
    "templates": ("", "<template shadowrootmode=open>字</template>", ""),
    "licences": ("", "<a rel=license href=https://creativecommons.org/licenses/by/4.0/>CC BY</a> ", ""),
    "licences in scripts": ("", "<script type=application/rsl+xml>", ""),
    "authors": ("", "<p>作者：张三{n}</p>", ""),
    "state of scripts": ("<script>window.__INITIAL_STATE__={{\"a\":[",
        '{"content":"<p>正文{n}。</p>"},', "0]}</script>" + P),
    "data of Next.js": ("<script id=__NEXT_DATA__>[", '{"body":"正文{n}，如此。"},', "0]</script>"),
    "scripts": ("", "<script>var a{n}='2024-03-08';</script>", P),
    "comments": ("", "<!-- {n} -->", P),
    "entities": ("<p>", "&#x5b57;&amp;&nbsp;", ""),
    "forms": ("", "<form action=/s{n}><input name=q><select><option>字</select></form>", P),
    "noscript": ("", "<noscript><img src=/n{n}.png></noscript>", P),
    "frames": ("", "<iframe src=/f{n}.html></iframe>", P),
    "alternates": ("<head>", "<link rel=alternate hreflang=zh-{n} href=/l{n}>", P),
    "Markdown marks": ("<p>", "*a_b* [c](d) `e` # ", ""),
    "breadcrumbs": ("<nav class=breadcrumb>", "<a href=/c{n}>类{n}</a> &gt; ", "</nav>" + P),
}
FILES: dict[str, Construct] = {
    "sitemap": ("<urlset>", "<url><loc>http://constructs.example/{n}</loc><lastmod>2024-03-08</lastmod></url>", ""),
    "sitemap index": ("<sitemapindex>", "<sitemap><loc>http://constructs.example/{n}.xml</loc></sitemap>", ""),
    "sitemap as text": ("", "http://constructs.example/{n}\n", ""),
    "RSS": ("<rss><channel>", "<item><link>/{n}</link><title>题{n}</title></item>", ""),
    "RSS, dates": ("<rss><channel>", "<item><link>/{n}</link><pubDate>周五, 08 三月 2024 10:20</pubDate></item>", ""),
    "Atom": ("<feed xmlns='http://www.w3.org/2005/Atom'>", "<entry><link href='/{n}'/><title>题</title></entry>", ""),
    "JSON feed": ('{"version":"https://jsonfeed.org/version/1.1","items":[', '{"url":"/{n}","title":"题"},', "{}]}"),
    "RSS with pages": ("<rss><channel>", "<item><description><![CDATA[" + P * 9 + "]]></description></item>", ""),
}
ROBOTS: dict[str, Construct] = {
    "robots.txt, rules": ("User-agent: *\n", "Disallow: /a{n}\n", ""),
    "robots.txt, wildcards": ("User-agent: *\n", "Disallow: /*a*{n}$\n", ""),
    "robots.txt, blank lines": ("User-agent: *\nlicense: /l\n", "\n", ""),
    "robots.txt, groups": ("", "User-agent: bot{n}\nDisallow: /\n", ""),
    "robots.txt, sitemaps and signals": ("", "Sitemap: /s{n}.xml\nContent-Signal: ai-train=no\n", ""),
}
PIECES = (
    "设 $x$。", "$$x$$\n\n", "`a`。", "# 题\n\n文。\n\n", "文。", "| a | b |\n| - | - |\n", "```\nx\n```\n", "> 引文\n",
    "文，",
)
# fmt: on


def made(construct: Construct, size: int) -> bytes:
    before, unit, behind = construct
    number = size // len(unit.replace("{n}", "12345").encode())
    return "".join([before.replace("{{", "{"), *(unit.replace("{n}", str(n)) for n in range(number)), behind]).encode()


def page(content: bytes, judge: Judge) -> None:
    markup = read_markup(content, "text/html; charset=utf-8", URL)
    assert markup is not None
    analyse(Page(markup.text, URL), extractor("best"), judge).verdict()
    _of_page(HtmlResponse(URL, body=content, encoding="utf-8"), "constructs.example", TRAINING)


def robots(content: bytes) -> None:
    by_signals(own_group(text := robots_text(content), "Zhuti/0.1"))
    IN_ROBOTS.findall(text), declared_in_robots(text, URL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="constructs with this in their name")
    parser.add_argument("--bytes", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=2.0)
    args = parser.parse_args()
    judge = Judge(Topic.load("machine-learning", TOPICS).learn())
    page(P.encode(), judge)  # loads what is loaded once
    ways: list[tuple[str, Callable[[bytes], object], bytes]]
    ways = [(name, lambda it: page(it, judge), made(case, args.bytes)) for name, case in PAGES.items()]
    ways += [
        (name, lambda it: open_index_file(URL, it, 1e9, judge), made(each, args.bytes)) for name, each in FILES.items()
    ]
    ways += [(name, robots, made(case, args.bytes)) for name, case in ROBOTS.items()]
    ways += [
        (f"pieces of {unit!r}", lambda it: list(pieces(it.decode(), 500, True)), made(("", unit, ""), args.bytes))
        for unit in PIECES
    ]
    took: dict[str, float] = {}
    for name, way, content in ways:
        if args.only in name:
            began = time.process_time()
            way(content)
            took[name] = time.process_time() - began
    for name in sorted(took, key=lambda name: -took[name]):
        print(f"{took[name]:6.2f} s  {name}")
    sys.exit(int(any(seconds > args.seconds for seconds in took.values())))


if __name__ == "__main__":
    main()
