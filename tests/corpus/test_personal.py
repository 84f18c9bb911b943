"""Personal data: by form and check digit. All numbers are made up."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from zhuti.corpus.personal import is_card_number, is_identity_number, masked

# 110101 19900307 + order + check character, computed by hand from GB 11643.
IDENTITY = "11010519491231002X"  # the standard's own example

TABLE = [
    ("写信到 li.lei+tea@mail.a.example 即可", "写信到 [mail] 即可"),
    ("tea#a.com（#换成@）", "[mail]（#换成@）"),
    ("tea＠a.com", "[mail]"),
    ("tea [at] a [dot] com", "tea [at] a [dot] com"),
    ("tea[at]a[dot]com", "[mail]"),
    ("C#入门.net", "C#入门.net"),
    ("见 https://a.example/3/os.html#os.walk 与 types.html#types.GeneratorType",) * 2,
    ("git clone git@a.example:tea/pot.git",) * 2,
    ("git@a.example: 见下", "[mail]: 见下"),
    ("(#x=@java.lang.Runtime@getRuntime())",) * 2,
    ("u003d@java.lang.Runtime@getRuntime()",) * 2,
    ("装饰器 @property.setter 与 user@localhost", "装饰器 @property.setter 与 user@localhost"),
    (f"身份证号{IDENTITY}。", "身份证号[identity]。"),
    (f"身份证号 {IDENTITY.lower()}", "身份证号 [identity]"),
    ("身份证号110105194912310021", "身份证号110105194912310021"),
    ("身份证号11010519490231002X", "身份证号11010519490231002X"),
    ("卡号 6222021234567890128", "卡号 [card]"),
    ("卡号 6222021234567890129", "卡号 6222021234567890129"),
    ("卡号 4111 1111 1111 1111", "卡号 [card]"),
    ("卡号 4111-1111-1111-1111", "卡号 [card]"),
    ("卡号 4111 1111 1111 1112", "卡号 4111 1111 1111 1112"),
    ("手机13812345678", "手机[phone]"),
    ("手机：138 1234 5678", "手机：[phone]"),
    ("+86 138-1234-5678", "[phone]"),
    ("008613812345678", "[phone]"),
    ("座机 010-62345678 转 8", "座机 [phone] 转 8"),
    ("（0571）81234567", "[phone]"),
    ("热线 400-123-4567", "热线 [phone]"),
    ("QQ 12812345678", "QQ 12812345678"),
    ("id=13812345678", "id=13812345678"),
    ("https://a.example/p/13812345678", "https://a.example/p/13812345678"),
    ("0.13812345678 与 13812345678.5", "0.13812345678 与 13812345678.5"),
    ("3.13812345678", "3.13812345678"),
    ("2024-05-06 07:08:09", "2024-05-06 07:08:09"),
    ("时间戳 1714979289 与 1714979289123", "时间戳 1714979289 与 1714979289123"),
    ("a13812345678b", "a13812345678b"),
    ("138123456789", "138123456789"),
]


@pytest.mark.parametrize(("written", "without"), TABLE)
def test_masked(written: str, without: str) -> None:
    assert masked(written)[0] == without


def test_how_many() -> None:
    found = masked(f"{IDENTITY}，13812345678，13912345678，tea@a.com")[1]
    assert found == {"identity": 1, "phone": 2, "mail": 1}


@given(st.integers(0, 16), st.integers(1, 9))
def test_one_wrong_digit_is_seen(place: int, more: int) -> None:
    digit = (int(IDENTITY[place]) + more) % 10
    assert not is_identity_number(f"{IDENTITY[:place]}{digit}{IDENTITY[place + 1 :]}")


@given(st.text("0123456789", min_size=13, max_size=19), st.integers(0, 18), st.integers(1, 9))
def test_one_check_digit_of_ten_holds(digits: str, place: int, more: int) -> None:
    assert sum(is_card_number(digits[:-1] + str(last)) for last in range(10)) == 1
    place %= len(digits)
    other = digits[:place] + str((int(digits[place]) + more) % 10) + digits[place + 1 :]
    assert not (is_card_number(digits) and is_card_number(other))


@given(st.text())
def test_what_is_masked_holds_nothing_more(text: str) -> None:
    once, _ = masked(text)
    assert masked(once) == (once, {})
