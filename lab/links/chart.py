"""A line chart as SVG: rates in [0, 1] against a count. What a study draws, and no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import ceil, log10

WIDTH, HEIGHT = 900, 520  # pixels
LEFT, TOP, RIGHT, BOTTOM = 60, 46, 190, 50  # margins
NAME = 15  # pixels between two names beside the lines
TICKS = 8  # at most so many on an axis
COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa3377", "#cc9911", "#1199bb", "#777777")  # of Paul Tol, darker yellow
DASHES = ("", "7 3", "2 2", "9 3 2 3")  # when the colours are used up


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    x: Sequence[float]  # growing, of which the first is > 0
    y: Sequence[float]  # in [0, 1]


def line_chart(title: str, x_name: str, lines: Sequence[Line]) -> str:
    """The SVG of at least one line, each with its name beside its end."""
    frame = _Frame(max(line.x[-1] for line in lines), _top(max(max(line.y) for line in lines)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(LEFT, 26, title, "start", size=17),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_name),
        *frame.grid(),
        *(frame.path(line, place) for place, line in enumerate(lines)),
        *frame.names(lines),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


@dataclass(frozen=True, slots=True)
class _Frame:
    right: float  # the largest x
    top: float  # the largest y

    def x(self, value: float) -> float:
        return round(LEFT + value / self.right * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        return round(HEIGHT - BOTTOM - value / self.top * (HEIGHT - TOP - BOTTOM), 1)

    def grid(self) -> list[str]:
        parts = []
        for value in _ticks(self.top):
            y = self.y(value)
            parts.append(f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
            parts.append(_text(LEFT - 8, y + 4, f"{value:g}", "end"))
        for value in _ticks(self.right):
            parts.append(f'<path d="M{self.x(value)} {HEIGHT - BOTTOM}v5" stroke="#888888"/>')
            parts.append(_text(self.x(value), HEIGHT - BOTTOM + 20, f"{value:g}"))
        parts.append(f'<path d="M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}" stroke="#888888"/>')
        return parts

    def path(self, line: Line, place: int) -> str:
        points = " ".join(f"{self.x(x)},{self.y(y)}" for x, y in zip(line.x, line.y, strict=True))
        return f'<polyline points="{points}" fill="none" {_stroke(place)}><title>{escape(line.name)}</title></polyline>'

    def names(self, lines: Sequence[Line]) -> list[str]:
        """Each as near to the end of its line as the others let it be."""
        order = sorted(range(len(lines)), key=lambda place: -lines[place].y[-1])
        parts = []
        for place, y in zip(order, _apart([self.y(lines[place].y[-1]) for place in order]), strict=True):
            line, x = lines[place], WIDTH - RIGHT
            parts.append(
                f'<path d="M{self.x(line.x[-1])} {self.y(line.y[-1])}L{x + 14} {y}h22" fill="none" {_stroke(place)}/>'
            )
            parts.append(_text(x + 42, y + 4, f"{line.name} {line.y[-1]:.3f}", "start"))
        return parts


def _apart(wanted: Sequence[float]) -> list[float]:
    """Places at least NAME apart, in the order given, which is downwards, and within the picture."""
    places = list(wanted)
    for above, below in pairwise(range(len(places))):
        places[below] = max(places[below], places[above] + NAME)
    limit: float = HEIGHT - BOTTOM
    for place in reversed(range(len(places))):
        places[place] = min(places[place], limit)
        limit = places[place] - NAME
    return places


def _top(value: float) -> float:
    """The end of an axis that holds `value`: a whole number of ticks."""
    step = _step(value or 1.0)
    return ceil((value or 1.0) / step - 1e-9) * step


def _ticks(end: float) -> list[float]:
    step = _step(end)
    return [round(step * n, 10) for n in range(int(end / step + 1e-9) + 1)]


def _step(end: float) -> float:
    """1, 2 or 5 times a power of ten, such that at most TICKS steps reach to the end."""
    power = 10.0 ** (ceil(log10(end / TICKS)) - 1)
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor * TICKS >= end * (1 - 1e-9))


def _stroke(place: int) -> str:
    dashes = DASHES[place // len(COLOURS) % len(DASHES)]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'stroke="{COLOURS[place % len(COLOURS)]}" stroke-width="1.8"{dashed}'


def _text(x: float, y: float, text: str, anchor: str = "middle", size: int = 13) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="#222222">{escape(text)}</text>'
