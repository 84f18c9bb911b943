"""Programs that are shown without `pre`."""

import pytest

from crawler.reader.extract.best import best
from crawler.reader.html.page import Page
from crawler.reader.html.tree import parse

LINES = ["while boat:", "    row(boat)", "    rest()", "while boat:", "    row(boat)", "    rest()", "end()"]
SHOWN = [line.replace(" ", "&nbsp;") for line in LINES]
NUMBERS = range(1, len(LINES) + 1)
PROSE = "渡口的船每天开八班，船工把时刻写在木牌上，风大的日子就在旁边添一行小字，请大家改走上游的桥。"


def each(template: str) -> str:
    return "\n".join(template.format(n=n, line=line) for n, line in zip(NUMBERS, SHOWN, strict=True))


PROGRAMS = {
    "Discuz": f"<div class=blockcode><div><ol>{each('<li>{line}<br></li>')}</ol></div><em>复制代码</em></div>",
    "an older SyntaxHighlighter": f"<div class=dp-highlighter><ol>{each('<li><span>{line}</span></li>')}</ol></div>",
    "SyntaxHighlighter": f"<table class=syntaxhighlighter><tr><td class=gutter>{each('<div>{n}</div>')}</td>"
    f"<td class=code><div class=container>{each('<div><code>{line}</code></div>')}</div></td></tr></table>",
    "GitHub": "<table class='highlight js-file-line-container'>"
    + each("<tr>\n<td data-line-number={n}></td>\n<td>{line}</td>\n</tr>")
    + "</table>",
    "an element a line": "<div class=hl>" + "".join(f"<div class=line>{line}</div>" for line in LINES) + "</div>",
    "code with breaks": f"<div><code>{'<br>'.join(SHOWN)}</code></div>",
    "pre with breaks": f"<pre><code>{'<br>'.join(SHOWN)}</code></pre>",
    "pre with paragraphs": f"<pre>{''.join(f'<p>{line}</p>' for line in SHOWN)}</pre>",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_lines_are_kept_though_they_repeat(program: str) -> None:
    prose = f"<p>{PROSE}</p><p>{PROSE[20:]}</p>"
    markup = f"<title>木牌_某某网</title><h1>木牌</h1><div class=content>{prose}{program}<p>{PROSE[9:]}</p></div>"
    body = best(Page(markup, "")).body.replace("\xa0", " ").split("\n")
    assert [line for line in body if line not in (PROSE, PROSE[20:], PROSE[9:])] == LINES


@pytest.mark.parametrize(
    "markup",
    [
        "<p>Call <code>row()</code> first.</p>",
        "<div class=blockcode></div>",
        "<table class=code-table></table>",
        "<ol class=steps><li>a<li>b</ol>",
        "<div class='dp-highlighter'><pre>a\nb</pre></div>",
    ],
)
def test_other_markup_stays(markup: str) -> None:
    tree = parse(markup)
    assert len(list(tree.iter("pre"))) <= markup.count("<pre") + markup.count("code-table")
