import pytest

from crawler.reader.extract.best import Best, best
from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.model import load_model
from crawler.reader.html.page import Page

PROSE = "渡口的船每天开八班，船工把时刻写在木牌上，风大的日子就在旁边添一行小字，请大家改走上游的桥。"
NOTE = "木牌今存县博物馆。"
MARKS = {
    "a raised link": ("<sup><a href='#n1'>1</a></sup>", "<a href='#r1'>↩</a>"),
    "a link with what is raised": ("<a href='#n1'><sup>12</sup></a>", "<a href='#r1'><sup>12</sup></a>"),
    "in brackets": ("<a href='#n1'>[注 1]</a>", "<a href='#r1'>^</a>"),
    "a star": ("<sup id=r1><a href='#n1'>*</a></sup>", ""),
}


@pytest.mark.parametrize(("mark", "back"), MARKS.values(), ids=MARKS)
def test_marks_of_notes_are_no_text(mark: str, back: str) -> None:
    parts = f"<p>{PROSE}{mark}</p><p>{PROSE[20:]}</p><p>{PROSE[9:]}</p>"
    aside = f"<div class=footer><ol><li id=n1>{NOTE}{back}</li><li id=n2>另一处的注。</li></ol><p>版权所有</p></div>"
    body = best(Page(f"<title>木牌</title><h1>木牌</h1><div class=content>{parts}</div>{aside}")).body
    assert body.split("\n") == [PROSE, PROSE[20:], PROSE[9:]]


def test_marks_between_brackets_and_links_of_the_body() -> None:
    markup = f"<h1>木牌</h1><p>{PROSE}<a href='#n1'>[1]</a>见<a href='/x'>此</a></p><p>{PROSE[9:]}</p><p id=n1>注。"
    found = Best(load_model(), markdown=True, links=True)(Page(markup, "http://a.example/a/1.html"))
    assert f"{PROSE}见[此](http://a.example/x)\n" in found.body


@pytest.mark.parametrize(
    "text", ["<a href='#e1'>(1)</a>", "<a href='/2'>2</a>", "<sup>2</sup>", "<a href='#top'>回到顶部</a>"]
)
def test_other_links_stay(text: str) -> None:
    blocks = read_blocks(Page(f"<p>渡口 {text} 开船</p><p id=e1>三</p>"))
    assert blocks.texts[0].removeprefix("渡口 ").removesuffix(" 开船") not in ("", blocks.texts[0])
