"""Personal data in a text: mail addresses, telephone numbers, identity numbers and card numbers, by their forms and,
where the form has one, by the check digit. Names and postal addresses are not looked for.

Chinese resident identity numbers: GB 11643-1999, with the check character of ISO 7064 MOD 11-2. Card numbers: ISO/IEC
7812, with the check digit of Luhn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date

MAIL, IDENTITY, CARD, PHONE = "mail", "identity", "card", "phone"
KINDS = (MAIL, IDENTITY, CARD, PHONE)

# Numbers stand alone: no digit or letter before or behind, no decimal point, no part of an address or a longer number.
_BEFORE, _BEHIND = r"(?<![\w./=&%+-])", r"(?![\w%]|[./-]\d)"
# Full-width forms are those of Chinese input methods. "#" stands for "@" where addresses are hidden from machines; it
# also begins the fragment of a link, so there only usual ends count. "git@host:path" is where a program's sources are.
_NAME, _LABEL = r"[a-z0-9][\w.+-]{0,63}", r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_DOT = r"(?:\.|．|\(dot\)|\[dot\])"
_MAIL = re.compile(
    rf"(?<![\w.+/-]){_NAME} ?(?:"
    rf"(?:@|＠|\(at\)|\[at\]|（at）) ?(?:{_LABEL}{_DOT}){{1,4}}[a-z]{{2,18}}"
    rf"|\# ?(?:{_LABEL}\.){{1,3}}(?:com|cn|net|org|edu)"
    r")(?![\w@-]|\.[\w.]{1,64}@|:[\w~/])",
    re.IGNORECASE | re.ASCII,
)
_IDENTITY = re.compile(
    _BEFORE + r"[1-8]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]" + _BEHIND, re.ASCII
)
_CARD = re.compile(_BEFORE + r"(?:62|5[1-5]|4\d|3[457])\d{2}(?:[ -]?\d{4}){2,3}(?:[ -]?\d{1,4})?" + _BEHIND, re.ASCII)
_PHONE = re.compile(
    _BEFORE.replace("+", "")
    + r"""(?:
        (?:(?:\+|00)86[ -]?)? 1[3-9]\d (?: \d{8} | [ -]\d{4}[ -]\d{4} )   # mobile
      | (?:\(0\d{2,3}\)|（0\d{2,3}）|(?:(?:\+|00)86[ -]?)?0\d{2,3}[ -]) [2-8]\d{6,7}  # landline with its area
      | [48]00-\d{3,4}-?\d{3,4}  # service
    )"""
    + _BEHIND,
    re.ASCII | re.VERBOSE,
)
_WEIGHTS = tuple(pow(2, 17 - place, 11) for place in range(17))
_CHECKS = "10X98765432"  # by the remainder
CARD_LENGTHS = range(13, 20)
EARLIEST = 1880  # year of birth


def masked(text: str) -> tuple[str, Counter[str]]:
    """The text with each thing found in place of its kind, as in "[phone]", and how many of each kind it holds."""
    found: Counter[str] = Counter()
    for kind, form, holds in _FORMS:
        parts: list[str] = []
        end = 0
        for match in form.finditer(text):
            if holds(match[0]):
                parts += (text[end : match.start()], f"[{kind}]")
                end = match.end()
                found[kind] += 1
        text = "".join([*parts, text[end:]])
    return text, found


def masked_page(title: str, text: str) -> tuple[str, str, dict[str, int]]:
    """Masks a page: returns its title, its text, and how many of each of KINDS they held."""
    text, found = masked(text)
    title, more = masked(title)
    return title, text, {kind: found[kind] + more[kind] for kind in KINDS}


def is_identity_number(written: str) -> bool:
    """Whether these 17 digits and check character are a Chinese resident's identity number, born on a day that is."""
    try:
        born = date(int(written[6:10]), int(written[10:12]), int(written[12:14]))
    except ValueError:
        return False
    remainder = sum(int(digit) * weight for digit, weight in zip(written, _WEIGHTS, strict=False)) % 11
    return born.year >= EARLIEST and written[17].upper() == _CHECKS[remainder]


def is_card_number(written: str) -> bool:
    """Whether these digits, blanks and hyphens left out, end with the check digit of Luhn."""
    digits = [int(character) for character in written if character.isdigit()]
    doubled = (digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2])
    return len(digits) in CARD_LENGTHS and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


# The longest forms first: an identity number holds what looks like other numbers.
_FORMS: Sequence[tuple[str, re.Pattern[str], Callable[[str], bool]]] = (
    (MAIL, _MAIL, lambda _: True),
    (IDENTITY, _IDENTITY, is_identity_number),
    (CARD, _CARD, is_card_number),
    (PHONE, _PHONE, lambda _: True),
)
