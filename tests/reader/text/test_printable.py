"""What a page wrote, made safe to print."""

from __future__ import annotations

import sys

import pytest

from crawler.reader.text.printable import for_terminal, printable, warn

STEERS = "标题\x1b[31m\r\x07\u202e红"


def test_one_line() -> None:
    assert printable(STEERS) == "标题 [31m   红"
    assert printable("two\nlines") == "two lines"


def test_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    warn(f"web{STEERS}: is cut off")
    assert capsys.readouterr().err == "Warning: web标题 [31m   红: is cut off\n"


def test_lines_stay_and_only_a_terminal_is_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{STEERS}\n\u3000第二段"
    assert for_terminal(text) == text
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert for_terminal(text) == "标题 [31m   红\n 第二段"
