"""The cheapest rows of parts in which every word of a text is in exactly one part."""

from __future__ import annotations

from heapq import nsmallest

from msgspec import Struct

from daemon.understand.lattice import Lattice, Part

_MOST = 8
"""How many rows are kept to each place."""


class Row(Struct, frozen=True):
    """Parts side by side, from the first word to the last."""

    cost: float
    parts: tuple[Part, ...]


def cover(lattice: Lattice) -> list[Row]:
    """The rows that cover a text, the cheapest first; none where a word is in no part and may not be left over."""
    places = sorted(lattice)
    reached: dict[int, list[Row]] = {place: [] for place in places}
    reached[places[0]] = [Row(0.0, ())]
    for place in places:
        rows = reached[place] = nsmallest(_MOST, reached[place], key=_cost)
        for part in lattice[place]:
            reached[part.end] += [Row(row.cost + part.cost, (*row.parts, part)) for row in rows]
    return reached[places[-1]]


def stuck(lattice: Lattice) -> int | None:
    """The furthest place that rows come to, where none comes to the end."""
    places = sorted(lattice)
    reached = {places[0]}
    for place in places:
        if place in reached:
            reached.update(part.end for part in lattice[place])
    return max(reached) if places[-1] not in reached else None


def _cost(row: Row) -> float:
    return row.cost
