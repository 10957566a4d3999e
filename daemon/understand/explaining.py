"""Why a text was read as it was, or not at all, in words for people who add words, parts and frames."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from daemon.understand.assembly import Assembly
from daemon.understand.cover import stuck
from daemon.understand.lattice import Part
from daemon.understand.names import Spotted
from daemon.understand.pieces import Known

_MOST_ROWS = 2
"""The best, and the next best."""


def explained(spotted: Spotted, lang: str, assembly: Assembly) -> Iterator[str]:
    """The text, its names in angle brackets; its best rows of parts, each with what it costs; or where it has none."""
    text = spotted.text
    yield "".join(f"<{spotted.mentions[char].text}>" if char in spotted.mentions else char for char in text)
    lattice = assembly.lattice(text, lang)
    if not lattice:
        return
    if (at := stuck(lattice)) is not None:
        yield f"  no part fits at {_said(spotted, at, len(text))!r}, and it may not be left over"
        return
    read = 0
    for item in islice(assembly.read(text, lang), _MOST_ROWS):
        read += 1
        verdict = "" if item.is_whole else "  (too much is left over)"
        yield f"  {item.cost:.2f} = {_drawn(item.parts, spotted)}{verdict}"
    for row in assembly.rows(lattice, lang, Known())[: 0 if read else _MOST_ROWS]:
        yield f"  {row.cost:.2f} = {_drawn(row.parts, spotted)}  (no frame has these)"


def _drawn(parts: tuple[Part, ...], spotted: Spotted) -> str:
    return " | ".join(f'"{_said(spotted, part.start, part.end)}" {part.sort} {part.cost:g}' for part in parts)


def _said(spotted: Spotted, start: int, end: int) -> str:
    return spotted.restore(spotted.text[start:end]).strip()
