import json

import pytest
from hypothesis import given, strategies as st
from zstandard import ZstdCompressor

from crawler.errors import StoreError
from crawler.records import Link, Outlink
from crawler.store.compression import NAME, Codec, links_as_bytes

texts = st.text(st.characters(codec=None, exclude_categories=[]), max_size=40)
numbers = st.floats(allow_nan=False, allow_infinity=False)
links = st.builds(
    Link,
    texts,
    texts,
    tag_path=texts,
    rel=texts,
    position=numbers,
    noise=st.booleans(),
    updated=st.none() | numbers,
)


@given(texts)
def test_texts_come_back(text: str) -> None:
    codec = Codec()
    assert codec.unpack_text(codec.pack_text(text)) == text


@given(st.lists(st.builds(Outlink, links, numbers, numbers), max_size=8))
def test_links_come_back(outlinks: list[Outlink]) -> None:
    codec = Codec()
    assert codec.unpack_links(codec.pack(links_as_bytes(outlinks))) == tuple(outlinks)


def test_title_text_around_and_subjects_are_left_out() -> None:
    codec = Codec()
    link = Link("https://a.example/", "锚", "标题", "前后文", "html/body/a", subjects=("图论",))
    (outlink,) = codec.unpack_links(codec.pack(links_as_bytes([Outlink(link, 0.5)])))
    assert outlink == Outlink(Link("https://a.example/", "锚", tag_path="html/body/a"), 0.5)


def test_likeness_and_subjects_come_back() -> None:
    codec = Codec()
    assert codec.unpack_page(codec.pack(links_as_bytes([], 0.25, ("图论", "算法")))) == ((), 0.25, ("图论", "算法"))


def test_rows_without_times_are_as_they_were() -> None:
    assert json.loads(links_as_bytes([Outlink(Link("https://a.example/"), 0.5)])) == [
        ["https://a.example/"], [""], [""], [""], [0.0], [0], [0.5], [0.0], [0.0], [1.0]
    ]  # fmt: skip


def test_columns_are_small() -> None:
    outlinks = [
        Outlink(
            Link(f"https://www.site.example/a/2026/{n * 7919}.html", f"第{n}篇", tag_path="html/body/ul/li/a"),
            n % 3 / 10,
        )
        for n in range(57)
    ]
    packed = Codec().pack(links_as_bytes(outlinks))
    by_row = [[o.link.url, o.link.anchor, o.link.tag_path, o.link.rel, o.relevance] for o in outlinks]
    assert len(packed) < len(
        ZstdCompressor(write_checksum=True).compress(json.dumps(by_row, ensure_ascii=False).encode())
    )
    assert len(packed) < 57 * 12


@given(st.data())
def test_a_damaged_byte_never_makes_another_text(data: st.DataObject) -> None:
    base = "山里的气象站每天记录三次风向，管理员把读数写进簿子。".encode() * 3
    codec = Codec()
    codec.remember(7, base)
    packed = data.draw(st.sampled_from([codec.pack(base), codec.pack_upon(base[::-1] + base, 7)]))
    whole = codec.unpack(packed)
    place = data.draw(st.integers(NAME.size, len(packed) - 1))
    damaged = bytearray(packed)
    damaged[place] ^= data.draw(st.integers(1, 255))
    try:
        assert codec.unpack(bytes(damaged)) == whole
    except StoreError as error:
        assert "damaged" in str(error)


def test_a_frame_that_says_it_is_empty_is_told() -> None:
    packed = bytearray(Codec().pack("山里的气象站".encode()))
    packed[5] = 0  # the content's size
    with pytest.raises(StoreError, match="damaged"):
        Codec().unpack(bytes(packed))
    assert Codec().unpack(Codec().pack(b"")) == b""


def test_a_damaged_base_is_told() -> None:
    base = "山里的气象站每天记录三次风向，管理员把读数写进簿子。".encode()
    codec, other = Codec(), Codec()
    codec.remember(7, base)
    other.remember(7, base[:30] + b"x" + base[31:])
    with pytest.raises(StoreError, match="compressed with base 7 in the database is damaged"):
        other.unpack(codec.pack_upon(base, 7))
