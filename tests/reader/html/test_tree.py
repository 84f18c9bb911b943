from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st
from lxml import etree

from crawler.reader.html.page import Page
from crawler.reader.html.tree import MAX_ATTRIBUTES, MAX_DEPTH, MAX_TAGS, MIN_HARMFUL, parse
from lab.benchmarks.hostile.pages import ATTRIBUTES, HIDING


def text(markup: str) -> str:
    return " ".join("".join(parse(markup).itertext(etree.Element)).split())


@pytest.mark.parametrize("markup", ["", "  \n", "<!-- x -->", "<!doctype html>", "\0", "<", "<?xml version='1.0'?>"])
def test_an_empty_page_has_an_empty_body(markup: str) -> None:
    tree = parse(markup)
    assert tree.tag == "html"
    assert text(markup) in ("", "<")


TESTS = [
    ("你好", "你好"),
    ("<p>a", "a"),
    ("<p>a\0b</p>", "ab"),
    ("<html><body><p>a</p></body></html><p>b</p>", "a b"),
    ("<html><head></head></html><body><p>a</p></BODY ></body></html><p>b</p></html>c", "a b c"),
    ('<?xml version="1.0" encoding="gbk"?><html><body><p>中文</p></body></html>', "中文"),
    ('<meta charset="gbk"><p>中文</p>', "中文"),
    ("<p>a &lt; b &amp; &#20013;&nbsp;c</p>", "a < b & 中 c"),
    ("<p>a\ud800b</p>", "a?b"),
    ("<b><p>a</b>b</p></div></div>c", "abc"),
    ("<script>var s = '</body></html>';</script><p>a</p>", "var s = '';a"),
    ("<!-- </html> --><p>a</p>", "a"),
    ("<noframes>a</noframes>", "a"),
    ("<title>题<body><p>a</p>", "题a"),
    ("<TITLE id=x>题<p>a</p>", "题a"),
    ("<title>题", "题"),
    ("<title>题<title ", "题"),
]


@pytest.mark.parametrize(("markup", "expected"), TESTS)
def test_text_survives(markup: str, expected: str) -> None:
    assert text(markup).replace(" ", "") == expected.replace(" ", "")


def test_a_title_that_is_never_closed_ends_at_the_next_tag() -> None:
    assert [title.text for title in parse("<title>题<body><p>a</p><p>b").iter("title")] == ["题"]


def test_frames_are_kept() -> None:
    tree = parse("<html><frameset><frame src='a.html'><frame src='b.html'></frameset></html>")
    assert [frame.get("src") for frame in tree.iter("frame")] == ["a.html", "b.html"]


@pytest.mark.parametrize("depth", [300, 3000, 5000, 100_000])
@pytest.mark.parametrize("tag", ["div", "span", "b"])
def test_deep_pages_keep_their_text(depth: int, tag: str) -> None:
    open_tags, close_tags = f"<{tag}>" * depth, f"</{tag}>" * depth
    tree = parse(f"<p>x </p>{open_tags}<a href='u'>in</a>{close_tags}<p> after</p>")
    assert "".join(tree.itertext()).split() == ["x", "in", "after"]
    assert [a.get("href") for a in tree.iter("a")] == ["u"]
    assert sum(1 for _ in tree.iter(tag)) >= min(depth, MAX_DEPTH)


def test_what_is_never_closed_and_long() -> None:
    """The pattern that looks for attributes once raised SystemError here."""
    assert parse(f"<title>{'题' * 400_000}</title><p>a</p>").findtext(".//p") == "a"
    assert parse(f"<style>{'x<' * 400_000}").tag == "html"


def test_ten_megabytes() -> None:
    assert sum(1 for _ in parse(f"<p>{'一段文字，十二个字那么长。' * 3}</p>" * 90_000).iter("p")) == 90_000


@pytest.mark.parametrize("attribute", ATTRIBUTES.values(), ids=ATTRIBUTES.keys())
@pytest.mark.parametrize("name", ["p", "/p", "script", "x-y"])
def test_attributes_that_would_take_libxml2_minutes(attribute: Callable[[int], str], name: str) -> None:
    many = " ".join(map(attribute, range(80_000)))
    script = "<script>if (a<b) d = '<p c=1'</script>"
    tree = parse(f"<p>before</p>{script}<{name} {many}>in</{name}><p>after</p>")
    assert max(len(element.attrib) for element in tree.iter()) <= MAX_ATTRIBUTES
    assert "".join(tree.itertext(etree.Element)).split(";")[-1].endswith("after")
    assert tree.findtext(".//script") == "if (a<b) d = '<p c=1'"


@pytest.mark.parametrize("before", HIDING)
def test_attributes_that_are_hidden(before: str) -> None:
    """By what seems an open quote to who reads the markup in another way than libxml2 does."""
    many = " ".join(f"a{n}=1" for n in range(3000))
    tree = parse(f"{before}<p {many}>in</p>{' ' * MIN_HARMFUL}")
    assert "in" in "".join(tree.itertext(etree.Element)), "no tag hides it from libxml2"
    assert max(len(element.attrib) for element in tree.iter()) <= MAX_ATTRIBUTES


def test_more_tags_than_a_page_has() -> None:
    assert sum(1 for _ in parse("<i>x</i>" * MAX_TAGS).iter("i")) == MAX_TAGS // 2


PIECES = st.sampled_from(
    [
        "<div>",
        "</div>",
        "<p",
        ">",
        "</html>",
        "<!--",
        "-->",
        "<script>",
        "</a>",
        "<a href='",
        "&#0;",
        "文",
        "]]>",
        "<![CDATA[",
    ]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=40))
def test_parse_never_raises(pieces: list[str]) -> None:
    assert parse("".join(pieces)).tag == "html"


@pytest.mark.parametrize("control", ["button", "select", "option", "svg", "video"])
def test_a_control_that_is_never_closed_holds_no_text(control: str) -> None:
    text = "".join(f"<p>渡口的第{number}个冬天，河面结冰，船停在岸边等人来修。</p>" for number in range(40))
    page = Page(f"<body><div><{control} class=menu><main><h1>渡口</h1>{text}</main>")
    assert "渡口的第39个冬天" in "".join(line.text for line in page.layout.lines)


@pytest.mark.parametrize("control", "\x01\x1f\ufffe\uffff")
def test_what_xml_forbids_is_no_hindrance(control: str) -> None:
    text = f"<p>{control * 500}渡口</p>{control}"
    page = Page(f"<p>{control}<button>{text}</button>{text}<pre>{control}<i>1</i> {control}a\n<i>2</i> b</pre>")
    assert "渡口" in "".join(line.text for line in page.layout.lines)


def test_a_button_stays_a_button() -> None:
    page = Page("<p>文</p><button><div>更多</div></button>")
    assert [line.text for line in page.layout.lines] == ["文"]
