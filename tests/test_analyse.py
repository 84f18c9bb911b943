"""Pages that describe a topic, and pages that are hard to read."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from crawler.analyse import analyse, describe, extract, judge, links, open_index_file
from crawler.reader.extract.best import best
from crawler.reader.extract.own_text import own_text
from crawler.reader.html.page import Page
from crawler.reasons import NONE, Code, Reason
from crawler.records import Analysis, Extraction, Judgement, Outcome, PageKind
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

TEASER = "山后的果园今年收了两千斤梨，比去年多了三成，果农说是因为春天没有倒春寒，雨水也比往年匀。"


@cache
def pears() -> Topic:
    return Topic("梨", Path("梨.toml"), keywords={"梨": 1.0}).learn()


def test_a_home_page_describes_by_what_it_shows_of_its_stories() -> None:
    entries = "".join(
        f"<li><h2><a href=/{n}>第{n}次收梨的日记</a></h2><p>{TEASER}</p><a href=/{n}>阅读全文</a></li>"
        for n in range(12)
    )
    markup = f"<title>果园</title><ul class=list>{entries}</ul><a rel=tag href=/tag>果树</a>"
    found = describe(Page(markup), best)
    assert "倒春寒" in found.extraction.body
    assert found.subjects == ("果树",)


def test_the_title_is_the_extractors() -> None:
    markup = f"<title>收梨 - 果园日记</title><h1>收梨</h1><p>{TEASER}</p><p>{TEASER}</p>"
    found = describe(Page(markup), best)
    assert found.extraction.title == best(Page(markup)).title
    assert TEASER in found.extraction.body


@pytest.mark.parametrize(
    ("body", "kind", "least", "most"),
    [
        (TEASER * 20, PageKind.ARTICLE, 0.85, 1.0),
        (TEASER * 20, PageKind.THREAD, 0.85, 1.0),
        (TEASER * 20, PageKind.LIST, 0.0, 0.0),
        ("积分 4999", PageKind.ARTICLE, 0.01, 0.1),
        ("", PageKind.OTHER, 0.0, 0.0),
    ],
)
def test_an_extractor_that_tells_lists_says_how_likely_a_post_is(
    body: str, kind: PageKind, least: float, most: float
) -> None:
    """Whatever the page looks like; of any other extractor the look of the page decides."""
    found = Extraction("收梨", body, kind=kind)
    shape = extract(Page(PAGE), lambda _: found).post
    assert least <= extract(Page(PAGE), lambda _: replace(found, knows_lists=True)).post <= most != shape


def test_the_default_extractor_tells_a_post_from_a_list_in_a_template_of_the_old_kind() -> None:
    """A portal's page: tables, no article element, few paragraphs beside many links."""
    links_around = "".join(f"<a href=/{n}.html>第{n}条新闻的标题</a><br>" for n in range(40))
    frame = "<table><tr><td>{}</td><td>{}</td></tr></table>"
    news = frame.format(f"<b>收梨</b><br>{TEASER}<br><br>{TEASER.replace('梨', '枣')}<br><br>{TEASER}", links_around)
    assert extract(Page(news, "http://a.example/1.html"), best).post > 0.5
    assert extract(Page(frame.format("", links_around), "http://a.example/list.html"), best).post == 0.0


def test_a_feed_says_until_when_it_needs_no_visit() -> None:
    feed = "<rss><channel><ttl>90</ttl><item><title>收梨</title><link>/1</link></item></channel></rss>"
    found = open_index_file("https://a.example/rss.xml", feed.encode(), 1e9, Judge(pears()))
    assert isinstance(found, Analysis)
    assert found.rests_until == 1e9 + 90 * 60


PAGE = f"<h1>收梨</h1><p>{TEASER}</p><p>{TEASER.replace('梨', '枣')}</p>"
MANY_DATES = "2020-01-01 " * 90_000


def ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


@pytest.mark.parametrize(
    "markup",
    [
        ld(f'{{"author":{" " * 190_000}}}') + PAGE,
        f'<time datetime="{MANY_DATES}"></time>' + PAGE,
        f'<time datetime="2020 jan1{" " * 100_000}x"></time>' + PAGE,
        f'<time datetime="2020 {"jan" * 60_000}"></time>' + PAGE,
        f"{PAGE}<table><tr><td>{'<pre>1</pre>' * 20_000}</td><td><pre>x</pre></td></tr></table>",
        PAGE + "<title " * 150_000,
        "<div>" * 3000 + PAGE + "<a" * 400_000,
    ],
    ids=["blanks", "dates", "blanks in a date", "months", "programs", "titles", "open tags"],
)
def test_pages_that_would_take_minutes(markup: str) -> None:
    """Each kept a pattern or a loop busy for the square of its length: the crawl gave such pages up."""
    page = Page(markup, "https://a.example/x")
    found = extract(page, best)
    links(page, pears())
    assert "倒春寒" in own_text(page, found.extraction.title)
    assert found.extraction.title in ("收梨", "")


@pytest.mark.parametrize("half", ["\\ud83d", "\\u0000"])
def test_a_headline_cut_in_the_middle_of_an_emoji(half: str) -> None:
    """Neither a database nor a terminal takes half of a surrogate pair, or NUL."""
    markup = ld(f'{{"headline":"收梨的日记{half}"}}') + f"<p>{TEASER}</p>" * 2
    found = extract(Page(markup, "https://a.example/x"), best)
    assert found.extraction.title == "收梨的日记"


def test_the_verbs_one_by_one_and_in_one_go() -> None:
    markup = f'{PAGE}<ul><li><a href="/pears">梨的品种</a><li><a href="/dates">枣</a></ul>'
    page, by = Page(markup, "https://a.example/x"), Judge(pears())
    found = extract(page, best)
    shown = links(page, pears())
    judgement, outlinks = judge(page, found, shown, by)
    whole = analyse(Page(markup, "https://a.example/x"), best, by)
    assert (whole.judgement, whole.outlinks, whole.extraction) == (judgement, outlinks, found.extraction)
    assert [outlink.link.url for outlink in outlinks] == ["https://a.example/pears", "https://a.example/dates"]
    assert outlinks[0].relevance > outlinks[1].relevance == 0.0


def test_what_comes_after_the_first_half_million_characters_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    found, by = Extraction("日记", "天气晴朗。" * 40 + TEASER * 9), Judge(pears())
    assert by.judge(found).on_topic
    monkeypatch.setattr("crawler.topic.vector.MAX_TEXT", 200)
    assert by.judge(found) == by.judge(Extraction("日记", "天气晴朗。" * 40))
    assert by.judge(found).similarity < 0.001


@pytest.mark.parametrize(
    ("extraction", "outcome", "reason"),
    [
        (Extraction("题", "文"), Outcome.KEPT, NONE),
        (Extraction("题", "文", kind=PageKind.THREAD), Outcome.KEPT, NONE),
        (Extraction("题", "文", kind=PageKind.LIST), Outcome.OFF_TOPIC, Reason(Code.LISTS)),
        (Extraction("题", kind=PageKind.OTHER, reason=Reason.of("leer")), Outcome.OFF_TOPIC, Reason.of("leer")),
    ],
)
def test_a_list_is_not_kept(extraction: Extraction, outcome: Outcome, reason: Reason) -> None:
    assert Analysis(extraction, Judgement(0.9, True)).verdict() == (outcome, reason)
