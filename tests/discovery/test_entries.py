"""One entry: its address, its text, its times, whatever the field was called."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from crawler.discovery.entries import MAX_TEXT, Bound, Draft, Gathered, field_name, plain, seconds

NOW = 1_700_000_000.0  # November 2023
HOME = "https://blog.example/lists/all.json"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"loc": "https://blog.example/a/"}, "https://blog.example/a/"),
        ({"loc": " \n https://BLOG.example:443/a/../b \n"}, "https://blog.example/b"),
        ({"url": "/2020/一篇/"}, "https://blog.example/2020/%E4%B8%80%E7%AF%87/"),
        ({"path": "2020/01/a/"}, "https://blog.example/lists/2020/01/a/"),
        ({"url": "%2F2020%2F01%2FC%23%20and%20%28D%29.html"}, "https://blog.example/2020/01/C%23%20and%20(D).html"),
        ({"path": "2020/a/", "permalink": "https://other.example/2020/a/"}, "https://other.example/2020/a/"),
        ({"link": "", "permalink": "https://blog.example/b/"}, "https://blog.example/b/"),
        ({"guid": "https://blog.example/?p=7"}, "https://blog.example/?p=7"),
        ({"guid": "https://blog.example/?p=7", "link": "https://blog.example/c/"}, "https://blog.example/c/"),
        ({"id": "tag:blog.example,2020:1"}, None),
        ({"id": "7"}, None),
        ({"id": "/d/"}, "https://blog.example/d/"),
        ({"url": "mailto:me@blog.example"}, None),
        ({"url": "javascript:void(0)"}, None),
        ({"link": "{{ [url, post.path] | urlJoin }}"}, None),
        ({"title": "no address"}, None),
        ({"url": "http://[x/"}, None),
        ({"url": "https://blog.example/" + "a" * 3000}, None),
    ],
)
def test_address(fields: dict[str, str], expected: str | None) -> None:
    draft = Draft()
    for name, value in fields.items():
        draft.add(name, value)
    assert draft.address(HOME) == expected


def test_what_is_no_page_and_what_was_there_before_is_left_out() -> None:
    gathered = Gathered(HOME, NOW)
    for address, title in [("/a/", "first"), ("/a/", "second"), ("/cover.png", ""), ("/atom.xml", ""), ("/b.html", "")]:
        draft = Draft()
        draft.add("url", address)
        draft.add("title", title)
        gathered.add(draft)
    assert [(entry.url[20:], entry.title) for entry in gathered.entries.values()] == [("/a/", "first"), ("/b.html", "")]


def test_more_entries_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.discovery.entries.MAX_ENTRIES", 2)
    gathered = Gathered(HOME, NOW)
    with pytest.raises(Bound, match="more than 2 pages"):
        for number in range(3):
            draft = Draft()
            draft.add("url", f"/{number}/")
            gathered.add(draft)
    assert len(gathered.entries) == 2


def test_entry() -> None:
    draft = Draft()
    for name, value in [
        ("title", "A &amp; B"),
        ("description", "<p>short</p>"),
        ("content", "<h2>One</h2><script>x < 1</script><p>two &lt;three&gt;</p>"),
        ("tags", "图论, 算法，Java"),
        ("category", "算法"),
        ("category", "a sentence that is much too long to be the name of a subject"),
        ("lastmod", "2020-03-04T05:06:07+08:00"),
        ("pubdate", "Wed, 04 Mar 2020 00:00:00 GMT"),
        ("priority", "7"),
        ("unheardof", "x"),
    ]:
        draft.add(name, value)
    entry = draft.entry("https://blog.example/a/", NOW)
    assert (entry.title, entry.text, entry.whole) == ("A & B", "One two <three>", True)
    assert entry.subjects == ("图论", "算法", "Java")
    assert (entry.updated, entry.published, entry.priority) == (1583269567.0, 1583280000.0, 1.0)


@pytest.mark.parametrize(("length", "whole"), [(300, False), (5_000, True)])
def test_a_summary_as_long_as_a_text_is_one(length: int, whole: bool) -> None:
    draft = Draft()
    draft.add("description", "字" * length)
    entry = draft.entry("https://blog.example/a/", NOW)
    assert (len(entry.text), entry.whole) == (min(length, MAX_TEXT), whole)


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("", ""),
        ("  plain\n text ", "plain text"),
        ("<p>one</p><p>two</p>", "one two"),
        ("if a < b and b > c", "if a < b and b > c"),
        ("a<style>p { x: 1 }</style>b<script>if (1 < 2) {}</script>c", "a b c"),
        ("a<script>never closed", "a"),
        ("a<!-- note -->b", "a b"),
        ('cut off <img src="data:image/png;base64,AAAA', "cut off"),
        ("&lt;b&gt; &nbsp; &copy; &#20013; &bogus;", "<b> © 中 &bogus;"),
        ("<" * 5000, "<" * 10),
        ("<a" * 5000, "<a" * 5),
    ],
)
def test_plain(markup: str, expected: str) -> None:
    assert plain(markup, 10 if len(markup) > 100 else 100) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2020-03-04", 1583280000.0),
        ("2020/03/04 00:00:00", 1583280000.0),
        ("20200304", 1583280000.0),
        ("2020-03-04T08:00:00+08:00", 1583280000.0),
        ("2020-03-04T00:00:00.000Z", 1583280000.0),
        ("Wed, 04 Mar 2020 08:00:00 +0800", 1583280000.0),
        ("Wed, 04 Mar 2020 24:00:00 +0800", 1583337600.0),  # what scripts make of midnight
        ("1583280000", 1583280000.0),
        ("Wed, 04 Mar 2020 08:00:00 GMT+8", 1583280000.0),
        ("Wed Mar 04 08:00:00 GMT+08:00 2020", 1583280000.0),
        ("Wed Mar 04 2020 08:00:00 GMT+0800 (CST)", 1583280000.0),
        ("星期三, 04 三月 2020 08:00:00 +0800", 1583280000.0),
        ("Wed, 4 3月 2020 08:00:00 +0800", 1583280000.0),
        ("Wed, 04 Mar 2020 12:00:00 AM GMT", 1583280000.0),
        ("Wed, 04 Mar 2020 10:00:00 PM", 1583359200.0),
        ("2020-03-04 下午 10:00", 1583359200.0),
        ("Tue, 03 Mar 2020 19:00:00 UTC-05:00", 1583280000.0),
        ("2020/3/4 0:00:00", 1583280000.0),
        ("2020年3月4日 08:30", 1583310600.0),
        ("2020-3-4 8:30 PM", 1583353800.0),
        ("2020-3-4 12:30 AM", 1583281800.0),
        ("1583280000000", 1583280000.0),
        ("1583280000.5", 1583280000.5),
        ("3017-07-26", None),  # of the future
        ("2023-11-15", 1700006400.0),  # tomorrow: today somewhere
        ("2023-11-17", None),
        ("0001-01-01T00:00:00Z", None),  # "no time" of Hugo
        ("1969-12-31", None),
        ("2020-13-45", None),
        ("2020", None),
        ("yesterday", None),
        ("Wed, 99 Xyz 99999 00:00:00", None),
        ("9" * 400, None),
        ("", None),
    ],
)
def test_seconds(text: str, expected: float | None) -> None:
    assert seconds(text, NOW) == expected


@pytest.mark.parametrize("name", ["pubDate", "pub_date", "{http://purl.org/x}pub-date"])
def test_field_name(name: str) -> None:
    assert field_name(name) == "pubdate"


@given(st.text(), st.floats(0, 4e9))
def test_any_text_is_a_time_or_none(text: str, now: float) -> None:
    found = seconds(text, now)
    assert found is None or 0 < found <= now + 86_400


@given(st.text(st.sampled_from("<>/!a bscript&;#x1-")), st.integers(0, 50))
def test_plain_is_as_long_as_allowed(markup: str, longest: int) -> None:
    assert len(plain(markup, longest)) <= longest
