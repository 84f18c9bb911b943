"""Formulas are told in TeX, whatever shows them."""

from __future__ import annotations

import pytest

from crawler.reader.extract.best import best, best_markdown
from crawler.reader.html.page import Page


def katex(tex: str, display: bool = False) -> str:
    shown = "<span class=katex-html aria-hidden=true><span class=base><span>a</span><span>b</span></span></span>"
    math = f"<math><semantics><mrow><mi>a</mi></mrow><annotation encoding=application/x-tex>{tex}</annotation>"
    whole = f"<span class=katex><span class=katex-mathml>{math}</semantics></math></span>{shown}</span>"
    return f"<span class=katex-display>{whole}</span>" if display else whole


def script(tex: str, kind: str = "math/tex", before: str = "<span class=MathJax_Preview>…</span>") -> str:
    return f'{before}<script type="{kind}" id=MathJax-Element-1>{tex}</script>'


RENDERED = "<span class=MathJax_Preview></span><span class=MathJax id=x><nobr><span>a</span></nobr></span>"
WIKI = (
    "<span class=mwe-math-element><span class='mwe-math-mathml-inline mwe-math-mathml-a11y' style='display:none'><math"
    " alttext='{\\displaystyle r^{2}}'><semantics><mi>r</mi><annotation encoding='application/x-tex'>{\\displaystyle"
    " r^{2}}</annotation></semantics></math></span><img class=mwe-math-fallback-image-inline src=/x.svg"
    " alt='{\\displaystyle r^{2}}'></span>"
)
ASSISTIVE = (
    "<mjx-container class=MathJax display=true><mjx-math><mjx-mi>z</mjx-mi></mjx-math><mjx-assistive-mml><math>"
    "<mi>z</mi></math></mjx-assistive-mml></mjx-container>"
)
MATHML = "<math><mfrac><mn>1</mn><msup><mi>n</mi><mn>2</mn></msup></mfrac><mo>≤</mo><msqrt><mi>x</mi></msqrt></math>"
SUM = "<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mroot><mi>x</mi><mn>3</mn></mroot></math>"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (katex(r"\frac{1}{n}"), r"$\frac{1}{n}$"),
        (katex("a &lt; b", display=True), "$$a < b$$"),
        (script(r"a<b \sum"), r"$a<b \sum$"),
        (script("a", "math/tex; mode=display", RENDERED), "$$a$$"),
        (script("alert(1)", "text/javascript", ""), ""),
        ("<img class=ee_img src='https://a.example/equation?tex=x%5E2' alt='x^2'>", "$x^2$"),
        ("<img src='https://latex.codecogs.com/gif.latex?x%5E2+y'>", "$x^2 y$"),
        ("<img class=latex alt='\\alpha' src=/a.png>", r"$\alpha$"),
        ("<img alt='$y_1$' src=/a.png>", "$y_1$"),
        ("<img alt='a boat' src=/a.png>", ""),
        ("<span class=ztext-math data-tex='x_1'><span>x</span></span>", "$x_1$"),
        ('<span class="math inline">\\(x^2\\)</span>', "$x^2$"),
        ('<span class="math display">\\[x^2\\]</span>', "$$x^2$$"),
        ("<math display=block alttext='x^{2}'><mi>x</mi></math>", "$$x^{2}$$"),
        (WIKI, "$r^{2}$"),
        (ASSISTIVE, "$$z$$"),
        (MATHML, r"$\frac{1}{n^{2}}≤\sqrt{x}$"),
        (SUM, r"$∑_{i}^{n}\sqrt[3]{x}$"),
        ("<math><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr></mtable></math>", r"$\begin{matrix}1 & 2\end{matrix}$"),
        ("n<sup>2</sup>", "n^2"),
        ("H<sub>2</sub>O", "H_2O"),
        ("10<sup>-3</sup>", "10^-3"),
        ("<i>x</i><sub>i</sub>", "x_i"),
        ("the 1<sup>st</sup> boat", "the 1st boat"),
        ("the boat<sup>1</sup>", "the boat1"),
        ("<a>n</a><sup><a href=#1>2</a></sup>", "n2"),
    ],
)
def test_formulas(markup: str, expected: str) -> None:
    (line,) = Page(f"<p>Here {markup} it is</p>").layout.lines
    assert " ".join(line.text.split()) == " ".join(f"Here {expected} it is".split())


def test_mathml_without_end() -> None:
    assert "x" in Page("<p>" + "<mrow>" * 500 + "<math>" + "<mrow>" * 500 + "x").layout.lines[0].text


PROSE = "渡口的船每天开八班，船工把时刻写在木牌上，风大的日子就在旁边添一行小字，请大家改走上游的桥。"


@pytest.mark.parametrize("extract", [best, best_markdown])
def test_a_body_keeps_them(extract: type[best]) -> None:  # type: ignore[valid-type]
    text = f"<p>{PROSE}</p><p>船数 {katex('k_i')} 与班次</p><p>{katex('k=8', display=True)}</p><p>{PROSE[8:]}</p>"
    page = Page(f"<title>木牌</title><h1>木牌</h1><div class=content>{text}<p>{PROSE[3:]}</p></div>")
    body = extract(page).body  # type: ignore[operator]
    assert "船数 $k_i$ 与班次" in body
    assert "$$k=8$$" in body


def test_broken_attributes_do_not_matter() -> None:
    for name in ("\x01x", "<b", "a:b:c", '"'):
        page = Page(f"<p>设<span {name}=1 class=katex><annotation encoding=application/x-tex>x^2</annotation></span>。")
        assert page.layout.lines[0].text == "设$x^2$。"
