"""Lists the messages that are told in English, as they have no translation: python -m lab.untranslated"""

from __future__ import annotations

from babel.messages.pofile import read_po

from crawler.messages import LOCALES


def main() -> None:
    for path in sorted(LOCALES.glob("*/LC_MESSAGES/zhuti.po")):
        with path.open("rb") as file:
            missing = [message for message in read_po(file) if message.id and not message.string]
        print(f"{path.parent.parent.name}: {len(missing)} messages without a translation")
        for message in missing:
            print(f"  {message.id}")


if __name__ == "__main__":
    main()
