import json

from hypothesis import given
from hypothesis import strategies as st
from zstandard import ZstdCompressor

from crawler.records import Link, Outlink
from crawler.store.codec import Codec

texts = st.text(st.characters(codec=None, exclude_categories=[]), max_size=40)
numbers = st.floats(allow_nan=False, allow_infinity=False)
links = st.builds(Link, texts, texts, tag_path=texts, rel=texts, position=numbers, noise=st.booleans())


@given(texts)
def test_texts_come_back(text: str) -> None:
    codec = Codec()
    assert codec.unpack_text(codec.pack_text(text)) == text


@given(st.lists(st.builds(Outlink, links, numbers, numbers), max_size=8))
def test_links_come_back(outlinks: list[Outlink]) -> None:
    codec = Codec()
    assert codec.unpack_links(codec.pack_links(outlinks)) == tuple(outlinks)


def test_title_and_text_around_are_left_out() -> None:
    codec = Codec()
    link = Link("https://a.example/", "锚", "标题", "前后文", "html/body/a")
    (outlink,) = codec.unpack_links(codec.pack_links([Outlink(link, 0.5)]))
    assert outlink == Outlink(Link("https://a.example/", "锚", tag_path="html/body/a"), 0.5)


def test_likeness_and_subjects_come_back() -> None:
    codec = Codec()
    assert codec.unpack_page(codec.pack_links([], 0.25, ("图论", "算法"))) == ((), 0.25, ("图论", "算法"))


def test_columns_are_small() -> None:
    outlinks = [
        Outlink(
            Link(f"https://www.site.example/a/2026/{n * 7919}.html", f"第{n}篇", tag_path="html/body/ul/li/a"),
            n % 3 / 10,
        )
        for n in range(57)
    ]
    packed = Codec().pack_links(outlinks)
    by_row = [[o.link.url, o.link.anchor, o.link.tag_path, o.link.rel, o.relevance] for o in outlinks]
    assert len(packed) < len(ZstdCompressor().compress(json.dumps(by_row, ensure_ascii=False).encode()))
    assert len(packed) < 57 * 12
