"""Lists the messages that are told in English, as they have no translation: python -m lab.untranslated"""

from __future__ import annotations

from collections.abc import Sequence

from babel.messages.catalog import Message
from babel.messages.pofile import read_po

from crawler.messages import LOCALES


def strings(message: Message) -> Sequence[str]:
    return message.string if isinstance(message.string, tuple | list) else (str(message.string),)


def main() -> None:
    for path in sorted(LOCALES.glob("*/LC_MESSAGES/zhuti.po")):
        with path.open("rb") as file:
            missing = [message for message in read_po(file) if message.id and not all(strings(message))]
        print(f"{path.parent.parent.name}: {len(missing)} messages without a translation")
        for message in missing:
            print(f"  {message.id}")


if __name__ == "__main__":
    main()
