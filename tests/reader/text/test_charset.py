import codecs

import pytest
from hypothesis import given, strategies as st

from crawler.reader.text.charset import decode

CHINESE = "<p>我们在这里说明快速排序的做法，它先选一个数，再把其他的数分到两边，然后各自排好。</p>"
TRADITIONAL = "<p>我們在這裡說明快速排序的做法，它先選一個數，再把其他的數分到兩邊，然後各自排好。</p>"
JAPANESE = "<p>ここでは整列のやり方を説明します。まず一つの数を選びます。</p>"
RUSSIAN = "<p>Здесь мы объясняем быструю сортировку: сначала выбирается одно число.</p>"
FRENCH = "<p>Voilà une idée déjà très répandue, même à l'étranger, et reçue à Noël.</p>"


def page(text: str, charset: str = "") -> str:
    return f'<html><head><meta charset="{charset}"></head><body>{text}' if charset else text


@pytest.mark.parametrize(
    ("text", "encoding", "said", "declared"),
    [
        (CHINESE, "utf-8", "", None),
        (CHINESE, "utf-8", "gb2312", "gbk"),
        (CHINESE, "utf-8", "iso-8859-1", "iso-8859-1"),
        (CHINESE, "gb18030", "", None),
        (CHINESE, "gb18030", "utf-8", "utf-8"),
        (CHINESE, "gb18030", "", "iso-8859-1"),
        (CHINESE, "gb18030", "gb2312", None),
        (CHINESE, "gb18030", "big5", "big5"),
        (CHINESE, "gb18030", "no-such-charset", "base64"),
        (CHINESE + "𠀀镕", "gb18030", "gb2312", None),
        (TRADITIONAL, "big5hkscs", "big5", None),
        (TRADITIONAL, "big5hkscs", "gb2312", "utf-8"),
        (TRADITIONAL, "gb18030", "", "gbk"),
        (JAPANESE, "cp932", "shift_jis", None),
        (JAPANESE, "cp932", "", "utf-8"),
        (JAPANESE, "euc_jp", "euc-jp", None),
        (JAPANESE, "iso2022_jp", "iso-2022-jp", None),
        (RUSSIAN, "cp1251", "windows-1251", None),
        (RUSSIAN * 3, "cp1251", "", "gbk"),
        (FRENCH, "cp1252", "", "iso-8859-1"),
        (FRENCH, "cp1252", "", "utf-16le"),
        (FRENCH, "cp1252", "", "utf-16be"),
        (FRENCH + r"C:\u0041", "cp1252", "", "unicode_escape"),
        (FRENCH + r"C:\u0041", "cp1252", "raw_unicode_escape", None),
        ("plain", "utf-8", "", "gbk"),
        ("", "utf-8", "", None),
    ],
)
def test_text_comes_out_right(text: str, encoding: str, said: str, declared: str | None) -> None:
    markup = page(text, said)
    assert decode(markup.encode(encoding), declared) == (markup, encoding)


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_a_byte_order_mark_decides(mark: bytes, encoding: str) -> None:
    assert decode(mark + page(CHINESE, "gbk").encode(encoding), "big5") == (page(CHINESE, "gbk"), encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_mark(encoding: str) -> None:
    markup = page(CHINESE, "utf-8")
    assert decode(markup.encode(encoding)) == (markup, encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5hkscs", "cp932"])
def test_a_cut_last_character_is_no_error(encoding: str) -> None:
    text = {"big5hkscs": TRADITIONAL, "cp932": JAPANESE}.get(encoding, CHINESE)
    whole = page(text + "文", encoding)
    assert decode(whole.encode(encoding)[:-1]) == (whole[:-1], encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_a_few_damaged_bytes(encoding: str) -> None:
    body = page(CHINESE * 10, encoding).encode(encoding).replace("选".encode(encoding), b"\xff\xff", 1)
    text, name = decode(body, encoding)
    assert name == encoding
    assert text.count("排序") == 10


@given(st.binary(max_size=300), st.sampled_from([None, "gbk", "utf-16", "utf-7", "hex", "\0", "big5", "hz", "x" * 99]))
def test_decode_never_raises(body: bytes, declared: str | None) -> None:
    text, name = decode(body, declared)
    assert isinstance(text, str)
    codecs.lookup(name)
