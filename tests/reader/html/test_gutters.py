import re

import pytest

from crawler.reader.html.tree import parse

CODE = "<td class=code><pre><span>print(1)</span><br><span>print(2)</span></pre></td>"
GUTTERS = {
    "lines of spans": "<td class=gutter><pre><span>1</span><br><span>2</span><br></pre></td>" + CODE,
    "plain lines": "<td><div><pre>\n1\n2\n</pre></div></td><td><div><pre>print(1)\nprint(2)</pre></div></td>",
    "code in pre": "<td><pre><code><i>8\n</i><i>9\n</i></code></pre></td><td><pre><code>print(1)</code></pre></td>",
    "one line": "<td><pre>1</pre></td>" + CODE,
}


def test_line_numbers_within_another_program() -> None:  # a fence within a list that Hexo took for a program
    tree = parse(f"<pre>- a\n<table><tr>{GUTTERS['lines of spans']}</tr></table>\n</pre>")
    assert "".join(tree.itertext()).split() == ["-", "a", "print(1)print(2)"]


@pytest.mark.parametrize("case", GUTTERS)
def test_line_numbers_are_no_text(case: str) -> None:
    tree = parse(f"<p>看 1</p><table><tr>{GUTTERS[case]}</tr></table><p>完 2</p>")
    words = " ".join(tree.itertext()).split()
    assert (words[:2], words[-2:]) == (["看", "1"], ["完", "2"])
    assert words[2].startswith("print(1)")


TEXTS = {
    "a table of numbers": "<td>1</td><td><code>a</code></td>",
    "numbers that do not count": "<td><pre>1 3</pre></td>" + CODE,
    "one number": "<td><pre>7</pre></td>" + CODE,
    "nothing beside": "<td><pre>1\n2\n3</pre></td>",
    "words beside": "<td><pre>1\n2</pre></td><td>两行</td>",
    "words among them": "<td><pre>1\n2</pre>行</td>" + CODE,
    "very large": f"<td><pre>{'9' * 5000}\n1</pre></td>" + CODE,
    "other digits": "<td><pre>²\n³</pre></td>" + CODE,
}


@pytest.mark.parametrize("case", TEXTS)
def test_other_numbers_stay(case: str) -> None:
    tree = parse(f"<table><tr>{TEXTS[case]}</tr></table>")
    first = "".join(TEXTS[case].partition("<pre>")[2].partition("<")[0]).split() or ["1"]
    assert " ".join(tree.itertext()).split()[: len(first)] == first


def test_numbers_in_every_other_cell() -> None:
    row = "<tr><td><pre>1\n2</pre></td><td><pre>a</pre><pre>b</pre></td></tr>"
    assert "".join(parse(f"<table>{row * 3}</table>").itertext()) == "ababab"


PROGRAM = [f"<b class=l><i class=n> {n}</i><i class=c>print({n})\n</i></b>" for n in range(8, 11)]
INLINE = {
    "a span a line": ("".join(PROGRAM), True),
    "told by style": (
        "".join(f"<span style=x><span style=n>{n}</span><span>a({n})</span>\n</span>" for n in range(1, 4)),
        True,
    ),
    "in code": (f"<code>{''.join(PROGRAM)}</code>", True),
    "plain programs after them": ("<i>1</i>a = 1\n<i>2</i>\n<i>3</i>b = 2\n", True),
    "a line without": ("".join(PROGRAM) + "print(11)", False),
    "numbers of the program": ("<i>1</i>, <i>2</i>,\n<i>3</i>", False),
    "numbers that do not count": ("<i>1</i> a\n<i>3</i> b", False),
    "no elements": ("1 a\n2 b", False),
    "one line": ("<i>1</i> a", False),
    "numbers alone in the comments": ("<!--1--> 1\n<i>2</i>", False),
    "behind an element": ("<b></b>1 a\n<i>2</i>", False),
    "nothing": ("", False),
}


@pytest.mark.parametrize("case", INLINE)
def test_numbers_before_the_lines_of_a_program_are_no_text(case: str) -> None:
    program, numbered = INLINE[case]
    before = "".join(parse(f"<div>{program}</div>").find(".//div").itertext())
    after = "".join(parse(f"<pre>{program}</pre>").find(".//pre").itertext())
    assert after == (re.sub(r"^ ?\d+", "", before, flags=re.MULTILINE) if numbered else before)
