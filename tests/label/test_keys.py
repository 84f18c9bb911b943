"""A key at a real terminal, and a line where there is none."""

from __future__ import annotations

import os
import pty
import signal
import sys

import pytest

from tests.conftest import ROOT

PROGRAM = "from zhuti.label.session import key; print('got', repr(key('Go on? ')))"


@pytest.mark.parametrize(
    ("typed", "says"), [(b"y", "'y'"), (b"\n", "'\\n'"), (b"\x04", "EOFError"), (b"\x03", "Keyboard")]
)
def test_a_key_needs_no_enter(typed: bytes, says: str) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # who runs the tests in the background may have it ignored
        os.execv(sys.executable, [sys.executable, "-c", PROGRAM])
    told = b""
    while b"Go on? " not in told:
        told += os.read(terminal, 1000)
    os.write(terminal, typed)
    while True:
        try:
            part = os.read(terminal, 1000)
        except OSError:  # it has ended
            break
        if not part:
            break
        told += part
    os.waitpid(pid, 0)
    os.close(terminal)
    assert says in told.decode()


def test_a_line_where_nobody_sits_at_a_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    from io import StringIO

    from zhuti.label.session import key

    monkeypatch.setattr(sys, "stdin", StringIO("yes\n"))
    assert key("? ") == "yes"
