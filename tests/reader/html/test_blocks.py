from crawler.reader.html.blocks import BREAK
from crawler.reader.html.page import Page

MARKUP = """<html><head><title>no</title><style>no</style></head><body>
before<div id=a>one <b>bold</b> <a href=x>link</a> tail<p>two<br>three</p>four</div>after<!-- no -->!
<script>no</script><a href=y><div>card</div> rest</a></body></html>"""


def test_lines() -> None:
    lines = Page(MARKUP).layout.lines
    assert [line.text for line in lines] == [
        "before",
        "one bold link tail",
        "two three",
        "four",
        "after!",
        "card",
        "rest",
    ]
    assert [line.block.tag for line in lines] == ["body", "div", "p", "div", "body", "div", "body"]
    assert lines[2].raw == f"two{BREAK}three"
    assert [line.link_chars for line in lines] == [0, 4, 0, 0, 0, 4, 5]


def test_links_know_their_place_and_whole_text() -> None:
    lines = Page(MARKUP).layout.lines
    (first,) = lines[1].links
    assert (lines[1].raw[: first.start], lines[1].raw[first.end :]) == ("one bold ", " tail")
    assert (first.anchor, first.tag_path) == ("link", "html/body/div/a")
    (second,) = lines[4].links
    assert (second.anchor, second.end) == ("card rest", -1)


def test_parents_are_in_document_order() -> None:
    parents = Page(MARKUP).layout.parents
    assert [(block.tag, parent.tag) for block, parent in parents.items()] == [
        ("html", "html"),
        ("body", "html"),
        ("div", "body"),
        ("p", "div"),
        ("div", "body"),
    ]


def test_styles_belong_to_their_line() -> None:
    lines = Page(MARKUP).layout.lines
    assert [[style.tag for style in line.styles] for line in lines][:3] == [[], ["b"], []]
