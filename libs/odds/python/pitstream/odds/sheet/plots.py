"""The sheet's pictures: SVG that takes its colours from the page, with every figure beside its mark as text."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from html import escape
from typing import Final

from pitstream.odds.sheet.numbers import decimal, percent

_WIDTH: Final = 720
_ROW: Final = 22
_LABEL: Final = 210
_FIGURE: Final = 110
_PAIR: Final = 170
"""Room for two figures."""


def bars(title: str, rows: Sequence[tuple[str, Fraction]]) -> str:
    """A bar a row, to the right what the player gets and to the left what the player loses, on one scale."""
    if not rows:
        return ""
    most = max((abs(value) for _, value in rows), default=Fraction(0)) or Fraction(1)
    below = any(value < 0 for _, value in rows)
    left = _LABEL + (_WIDTH - _LABEL - _FIGURE) * (1 if below else 0) // 2
    room = (_WIDTH - _LABEL - _FIGURE) // (2 if below else 1)
    height = _ROW * len(rows) + 8
    marks = [f'<line class="axis" x1="{left}" y1="2" x2="{left}" y2="{height - 4}"/>']
    for at, (label, value) in enumerate(rows):
        y = 4 + at * _ROW
        length = max(int(abs(value) / most * room), 1 if value else 0)
        x = left if value >= 0 else left - length
        kind = "gain" if value >= 0 else "loss"
        marks.append(
            f'<text class="label" x="{_LABEL - 8}" y="{y + 14}" text-anchor="end">{escape(label)}</text>'
            f'<rect class="{kind}" x="{x}" y="{y + 2}" width="{length}" height="{_ROW - 6}" rx="2"/>'
            f'<text class="figure" x="{_WIDTH - 4}" y="{y + 14}" text-anchor="end">{percent(value)}</text>'
        )
    return _svg(title, height, marks)


def pairs(title: str, rows: Sequence[tuple[str, Fraction, Fraction]]) -> str:
    """Two bars a row on one scale, the second paler: to the right what the player gets, to the left what is lost."""
    most = max((abs(value) for _, *both in rows for value in both), default=Fraction(0)) or Fraction(1)
    left, room = _LABEL + (_WIDTH - _LABEL - _PAIR) // 2, (_WIDTH - _LABEL - _PAIR) // 2
    row = 34
    height = row * len(rows) + 8
    marks = [f'<line class="axis" x1="{left}" y1="2" x2="{left}" y2="{height - 4}"/>']
    for at, (label, *both) in enumerate(rows):
        y = 4 + at * row
        marks.append(
            f'<text class="label" x="{_LABEL - 8}" y="{y + 19}" text-anchor="end">{escape(label)}</text>'
            f'<text class="figure" x="{_WIDTH - 4}" y="{y + 19}" text-anchor="end">'
            f"{' / '.join(map(percent, both))}</text>"
        )
        for place, value in enumerate(both):
            length = max(int(abs(value) / most * room), 1 if value else 0)
            kind = ("gain" if value >= 0 else "loss") + (" second" if place else "")
            x = left if value >= 0 else left - length
            marks.append(f'<rect class="{kind}" x="{x}" y="{y + 3 + 13 * place}" width="{length}" height="11" rx="2"/>')
    return _svg(title, height, marks)


def line(title: str, points: Sequence[tuple[Fraction, Fraction]], *, x_title: str, zero: Fraction | None) -> str:
    """A straight course from the first point to the last, and where it crosses 0."""
    width, height, bottom = _WIDTH, 240, 200
    xs, ys = [x for x, _ in points], [y for _, y in points]
    low, high = min(*ys, Fraction(0)), max(*ys, Fraction(0))
    span_x, span_y = (xs[-1] - xs[0]) or Fraction(1), (high - low) or Fraction(1)

    def place(x: Fraction, y: Fraction) -> tuple[int, int]:
        return 90 + int((x - xs[0]) / span_x * (width - 130)), bottom - int((y - low) / span_y * (bottom - 20))

    path = " ".join(f"{x},{y}" for x, y in (place(*point) for point in points))
    _, ground = place(xs[0], Fraction(0))
    marks = [
        f'<line class="axis" x1="90" y1="{ground}" x2="{width - 40}" y2="{ground}"/>',
        f'<polyline class="course" points="{path}"/>',
    ]
    for at in range(5):
        x = xs[0] + span_x * at / 4
        marks.append(
            f'<text class="figure" x="{place(x, low)[0]}" y="{bottom + 18}" text-anchor="middle">{decimal(x, 0)}</text>'
        )
    marks += [
        f'<text class="figure" x="84" y="{place(xs[0], y)[1] + 4}" text-anchor="end">{percent(y, 1)}</text>'
        for y in dict.fromkeys((low, Fraction(0), high))
    ]
    if zero is not None and xs[0] <= zero <= xs[-1]:
        left, top = place(zero, Fraction(0))
        marks.append(
            f'<circle class="mark" cx="{left}" cy="{top}" r="4"/><text class="label" x="{left}" y="{top - 10}"'
            f' text-anchor="middle">breaks even at {decimal(zero, 0)}</text>'
        )
    marks.append(f'<text class="label" x="{width // 2}" y="{height - 4}" text-anchor="middle">{escape(x_title)}</text>')
    return _svg(title, height, marks)


def spread(title: str, rows: Sequence[tuple[str, Decimal, Decimal, Decimal]]) -> str:
    """For each row an interval with its middle, as parts of what was staked."""
    most = max(max(abs(low), abs(high)) for _, low, _, high in rows) or Decimal(1)
    middle, room = (_LABEL + _WIDTH - 20) // 2, (_WIDTH - _LABEL - 20) // 2
    height = 30 * len(rows) + 8
    marks = [f'<line class="axis" x1="{middle}" y1="2" x2="{middle}" y2="{height - 4}"/>']
    for at, (label, low, mean, high) in enumerate(rows):
        y = 18 + at * 30
        left, center, right = (middle + int(value / most * room) for value in (low, mean, high))
        marks.append(
            f'<text class="label" x="{_LABEL - 8}" y="{y + 4}" text-anchor="end">{escape(label)}</text>'
            f'<line class="interval" x1="{left}" y1="{y}" x2="{max(right, left + 1)}" y2="{y}"/>'
            f'<circle class="mark" cx="{center}" cy="{y}" r="4"/>'
        )
    return _svg(title, height, marks)


def _svg(title: str, height: int, marks: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title, quote=True)}">'
        f"<title>{escape(title)}</title>{''.join(marks)}</svg>"
    )
