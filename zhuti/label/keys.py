"""A key of a person at a terminal, without Enter."""

from __future__ import annotations

import sys


def key(prompt: str) -> str:
    """What was pressed, shown like typed text; a line where nobody sits at a terminal. Raises EOFError, at Ctrl-D too,
    and KeyboardInterrupt."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return input(prompt)
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin, termios.TCSANOW)  # before the prompt: what is pressed at once is not lost
        print(prompt, end="", flush=True)
        pressed = sys.stdin.read(1)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
    if pressed in ("", "\x04"):
        raise EOFError
    print("" if pressed == "\n" else pressed, flush=True)
    return pressed
