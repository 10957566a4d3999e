"""Curves as SVG, by hand: lines over an axis, each named at its end. Nothing to install, nothing to fetch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

Points = Sequence[tuple[float, float]]

_WIDTH: Final = 460
_HEIGHT: Final = 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 96, 34, 40
_COLOURS: Final = ("#1f77b4", "#2ca02c", "#d62728", "#9467bd", "#ff7f0e", "#8c564b")


@dataclass(frozen=True, slots=True)
class Chart:
    """Some lines over one axis. All x and y are finite; `marked` is an x with a line of its own."""

    title: str
    across: str
    """What x is."""
    lines: Mapping[str, Points]
    top: float
    """The highest y that is drawn; 0 is the lowest."""
    evenly: bool = False
    """Whether the points stand at equal distances, whatever their x."""
    marked: float | None = None


def draw(path: Path, charts: Sequence[Chart], columns: int = 2) -> None:
    """Writes charts side by side into one file."""
    rows = -(-len(charts) // columns)
    width, height = _WIDTH * min(columns, len(charts)), _HEIGHT * rows
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
            f'font-size="11"><rect width="100%" height="100%" fill="white"/>'
        )
    ]
    for number, chart in enumerate(charts):
        x, y = _WIDTH * (number % columns), _HEIGHT * (number // columns)
        parts += [f'<g transform="translate({x},{y})">', *_drawn(chart), "</g>"]
    path.write_text("\n".join([*parts, "</svg>\n"]), encoding="utf-8")


def _drawn(chart: Chart) -> list[str]:
    values = sorted({x for points in chart.lines.values() for x, _ in points})
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    span = (values[-1] - values[0]) or 1.0

    def across(x: float) -> float:
        share = values.index(x) / max(1, len(values) - 1) if chart.evenly else (x - values[0]) / span
        return _LEFT + wide * share

    def up(y: float) -> float:
        return _TOP + high * (1 - min(y, chart.top) / chart.top)

    parts = [f'<text x="{_LEFT}" y="18" font-size="13" font-weight="bold">{escape(chart.title)}</text>']
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = up(chart.top * share)
        parts.append(f'<line x1="{_LEFT}" x2="{_LEFT + wide}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{chart.top * share:g}</text>')
    parts += [f'<text x="{across(x):.1f}" y="{_TOP + high + 16}" text-anchor="middle">{x:g}</text>' for x in values]
    parts.append(f'<text x="{_LEFT + wide / 2}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(chart.across)}</text>')
    if chart.marked in values:
        x = across(chart.marked or 0.0)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_TOP + high}" stroke="#888" '
                     f'stroke-dasharray="4 3"/>')  # fmt: skip
    taken: list[float] = []
    for number, (name, points) in enumerate(chart.lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        drawn = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"/>')
        label = up(points[-1][1]) + 4
        while any(abs(label - other) < 12 for other in taken):  # noqa: PLR2004 - the height of a line of text
            label -= 12
        taken.append(label)
        parts.append(f'<text x="{_LEFT + wide + 5}" y="{label:.1f}" fill="{colour}">{escape(name)}</text>')
    return parts
