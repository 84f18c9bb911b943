"""Pages that are made to take a reader's time or memory: name, and what makes the markup."""

from __future__ import annotations

from collections.abc import Callable

from lab.benchmarks.traps import text

MILLION = 1_000_000
MORE = [f"/more/{n}" for n in range(18)]  # addresses, beside two, at which the host has the same page
JSON = '{"@type": "Article", "headline": {}},'
LINE = "x = {}\n"

# libxml2 takes the square of a tag's attributes: how each of them may be written.
ATTRIBUTES: dict[str, Callable[[int], str]] = {
    "with values": lambda n: f"a{n}=1",
    "without": lambda n: f"a{n}",
    "a tag's end in quotes": lambda n: f'a{n}=" < > "',
    "an equals sign that begins a name": lambda n: f'="{n}=">"',
    "a quote in a value without quotes": lambda n: f'b{n}=x" c{n}=">"',
}


def attributes(form: str, many: int = 60_000) -> str:
    return f"<p {' '.join(map(ATTRIBUTES[form], range(many)))}>x"


# What comes before a tag so that it seems to stand in quotes, and does not.
HIDING = (
    "<!--<p a='-->",
    "<!--><p a='-->'>",
    "<!---><p a='-->'>",
    "<!--<p a='--!>",
    "<!x <p a='>",
    "<?x <p a='>",
    "</ <p a='>",
    "<![CDATA[<p a='>",
    "<!DOCTYPE html '>",
    "<script>'<p a=\"'</script>",
    "<style><p a='</style>",
    "<script><!--<script></script><p a='--></script>",
    "<textarea></textareas><p a='</textarea>",
    "<xmp><p a='</xmp>",
    "</p a='><p b=\"'>",
)


def numbered(form: str, many: int) -> str:
    return "".join(form.format(n) for n in range(many))


# What holds the rest of the page, again and again: each pass over all that is below takes the square.
BLOCKS = "<div>x</div>" * 95_000
LD = "<script type='application/ld+json'>"
NESTED: dict[str, Callable[[], str]] = {
    "drawings, deep": lambda: "<svg>" * 1500 + BLOCKS,
    "objects, deep": lambda: "<object>" * 1500 + BLOCKS,
    "sounds in objects, deep": lambda: "<object><audio>" * 1500 + BLOCKS,
    "buttons and labels, deep": lambda: "<button><label>" * 1000 + BLOCKS,
    "programs, deep": lambda: "<pre>" * 900 + "<b>1</b>\n" * 90_000,
    "programs in tables, deep": lambda: "<table><tr><td>" * 300 + "<pre>1\n" * 900 + "<b>2</b>\n" * 50_000,
    "programs in cells in cells": lambda: "<table><tr><td><pre>1</pre>" * 500 + "<i>1</i>" * 80_000,
    "open links before elements": lambda: numbered("<a href=/{}>", 1900) + "<i></i>" * 90_000,
    "open links before images": lambda: numbered("<div><a href=/{}>", 400) + "<img>" * 90_000,
    "JSON-LD full of dates": lambda: (LD + '{"datePublished":"2024-01-01",' * 6000 + "</script>") * 80,
    "JSON-LD full of lists": lambda: LD + '"keywords":[' * MILLION + "</script>",
    "JSON-LD full of lists, many": lambda: (LD + '"keywords":[' * 16_000 + "</script>") * 75,
    "hosts of 900 characters": lambda: numbered(f"<a href='http://{'机器学习' * 225}{{}}.example/'>x</a>", 4000),
    "hosts of 4,000 characters": lambda: numbered(f"<a href='http://{('中' * 60 + '.') * 65}{{}}.com/'>x</a>", 3000),
    "hosts of three long labels": lambda: numbered(
        f"<a href='http://{'机' * 60}{{}}.{'学' * 50}.example/'>x</a>", 20_000
    ),
}

# What looks like many posts, stories or signs that an answer is not a page: each asked of all others takes the square.
SAID = "我昨天照着试了一遍，确实能用，谢谢大家的帮助。"
POST = "<div class=post><a class=author href=/u{0}>名{0}</a> <i>2024-01-01 10:00</i>"
POST += f"<blockquote>引用{{0}}</blockquote><p>{SAID}{{0}}</p></div>"
STORY = f"<h2><a href=/{{0}}>另一则消息的标题{{0}}</a></h2><p>2024-01-01</p><p>{SAID}</p>"
ARTICLE = f"<h1>一则消息</h1><p>{SAID * 5}</p>"
REPEATED: dict[str, Callable[[], str]] = {
    "posts": lambda: "<title>讨论</title>" + numbered(POST, 20_000),
    "stories of one look": lambda: ARTICLE + numbered(STORY, 20_000),
    "stories, each of its own look": lambda: ARTICLE + numbered(f"<div class=c{{0}}>{STORY * 2}</div>", 10_000),
    "titles of marks": lambda: f"<title>{'!?' * 200_000}</title><h1>{'。！' * 200_000}</h1><p>短</p>",
    "rules without braces, comments without end": lambda: f"<style>{'a' * 400_000}{'/*' * 50_000}</style>{BLOCKS}",
    "styles of many parts": lambda: f"<p style='{'clip:rect(' + '0 ' * 50_000}{'transform:' * 50_000}'>{BLOCKS}",
    "rules for each element": lambda: (
        f"<style>{numbered('.c{}{{{{top:-999px}}}}', 20_000)}</style>{numbered('<p class=c>', 20_000)}"
    ),
    "buttons in buttons": lambda: "<p>cookie cookie cookie" + "<button><b>" * 20_000,
}

PAGES: dict[str, Callable[[], str]] = {
    **{f"attributes, {form}": lambda form=form: attributes(form) for form in ATTRIBUTES},  # type: ignore[misc]
    **{f"attributes behind {text}": lambda text=text: text + attributes("with values") for text in HIDING},  # type: ignore[misc]
    "tags without end": lambda: "<i>x</i>" * (2 * MILLION),
    "divs, deep": lambda: "<div>" * 100_000 + text("deep"),
    "bold, deep": lambda: "<b>" * 100_000 + text("deep"),
    "tables, deep": lambda: "<table><tr><td>" * 20_000 + text("deep"),
    "lists, deep, with links": lambda: numbered("<ul><li><a href=/{}>x</a>", 20_000),
    "links never closed": lambda: numbered("<a href=/{}>x", 200_000),
    "paragraphs never closed": lambda: "<p>x" * MILLION,
    "entities": lambda: "&amp;&#20013;" * MILLION,
    "ampersands": lambda: "&" * (10 * MILLION),
    "opening signs": lambda: "<" * (10 * MILLION),
    "comments never closed": lambda: "<!--" * (2 * MILLION),
    "a script never closed": lambda: "<script>" + "var a = '<p>';" * MILLION,
    "CDATA": lambda: "<![CDATA[" * MILLION,
    "entities in a DOCTYPE": lambda: (
        '<!DOCTYPE html [<!ENTITY a "lol">'
        + numbered('<!ENTITY a{0} "&a{0};&a{0};&a{0};">', 1000)
        + f"]><p>&a9;{text('entities')}"
    ),
    "links with a long base": lambda: f"<base href='/{'x' * 2000}/'>{numbered('<a href={}>x</a>', 50_000)}",
    "links, very many": lambda: numbered("<a href=/{}.html>x</a> ", 300_000),
    "links to ever new hosts": lambda: numbered("<a href=http://h{}.example/>x</a> ", 100_000),
    "an address of a megabyte": lambda: f"<a href='/{'x' * MILLION}'>x</a>" * 5,
    "words of a link, five megabytes": lambda: f"<a href=/a>{'机器学习 ' * MILLION}</a>",
    "a title of five megabytes": lambda: f"<title>{'机器学习' * 400_000}</title>{text('title')}",
    "a word of ten megabytes": lambda: f"<p>{'x' * (10 * MILLION)}</p>",
    "a sentence of four megabytes": lambda: f"<p>{'机器学习模型' * 220_000}</p>",
    "dates": lambda: numbered("<p>2024-01-01 10:00 发布 {}</p>", 200_000),
    "digits": lambda: f"<time datetime={'9' * MILLION}>{'1' * (5 * MILLION)}</time>",
    "authors": lambda: "作者：" * MILLION,
    "JSON-LD, deep": lambda: f"<script type='application/ld+json'>{'[' * 500_000}</script>{text('json')}",
    "JSON-LD, long": lambda: f"<script type='application/ld+json'>[{JSON * 300_000}1]</script>",
    "metas": lambda: numbered("<meta name=a{} content=x>", 300_000),
    "declared feeds": lambda: numbered("<link rel=alternate type=application/rss+xml href=/{}.xml>", 200_000),
    "scripts that name indexes": lambda: f"<script>{'path: search.xml root: ' * 300_000}</script>",
    "blanks": lambda: f"<p>x{' ' * (10 * MILLION)}x</p>",
    "zeros": lambda: "\0" * (10 * MILLION),
    "a class of five megabytes": lambda: f"<div class='{'post ' * MILLION}'>{text('class')}</div>",
    "classes, each its own": lambda: numbered("<div class=c{0} id=i{0}>x</div>", 200_000),
    "a table of a million cells": lambda: f"<table>{('<tr>' + '<td>1' * 1000) * 1000}</table>",
    "code of 400,000 lines": lambda: f"<pre>{numbered(LINE, 400_000)}</pre>",
    "options": lambda: f"<select>{numbered('<option value={0}>{0}', 300_000)}</select>",
    "drawings": lambda: f"<svg>{'<g><path d=M0/></g>' * 200_000}</svg>",
    "frames": lambda: f"<frameset>{numbered('<frame src=/{}.html>', 100_000)}",
    "twenty tables of 300,000 cells": lambda: (
        numbered("<a href=/more/{}>x</a>", len(MORE)) + f"<table>{('<tr>' + '<td>1' * 1000) * 300}</table>"
    ),
    **NESTED,
    **REPEATED,
    "a refresh of a megabyte": lambda: f"<meta http-equiv=refresh content='0; url=/{'x' * MILLION}'>",
}
