"""Pages that describe a topic."""

from crawler.analyse import describe
from crawler.extract.best import best
from crawler.html.tree import parse

TEASER = "山后的果园今年收了两千斤梨，比去年多了三成，果农说是因为春天没有倒春寒，雨水也比往年匀。"


def test_a_home_page_describes_by_what_it_shows_of_its_stories() -> None:
    entries = "".join(
        f"<li><h2><a href=/{n}>第{n}次收梨的日记</a></h2><p>{TEASER}</p><a href=/{n}>阅读全文</a></li>"
        for n in range(12)
    )
    markup = f"<title>果园</title><ul class=list>{entries}</ul><a rel=tag href=/tag>果树</a>"
    found = describe(markup, best)
    assert "倒春寒" in found.extraction.body
    assert found.subjects == ("果树",)


def test_the_title_is_the_extractors() -> None:
    markup = f"<title>收梨 - 果园日记</title><h1>收梨</h1><p>{TEASER}</p><p>{TEASER}</p>"
    found = describe(markup, best)
    assert found.extraction.title == best(parse(markup)).title
    assert TEASER in found.extraction.body
