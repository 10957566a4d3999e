"""The cheapest rows of parts in which every word of a text is in exactly one part."""

from __future__ import annotations

from msgspec import Struct

from daemon.understand.lattice import Lattice, Part
from daemon.understand.sorts import ASKED, ASKING

_MOST = 16
"""How many rows are kept to each place: of those that ask something, and of those that do not."""
_ASKS = ASKING | ASKED


class Row(Struct, frozen=True):
    """Parts side by side, from the first word to the last."""

    cost: float
    parts: tuple[Part, ...]
    asks: bool = False
    """Whether a part of it is one of a question."""


def cover(lattice: Lattice) -> list[Row]:
    """The rows that cover a text, the cheapest first; none where a word is in no part and may not be left over."""
    places = sorted(lattice)
    reached: dict[int, list[Row]] = {place: [] for place in places}
    reached[places[0]] = [Row(0.0, ())]
    for place in places:
        rows = sorted(reached[place], key=_cost)
        if len(rows) > _MOST:  # "open" and "get" may ask and order: neither crowds out the other
            asking, ordering = ([row for row in rows if row.asks is asks][:_MOST] for asks in (True, False))
            rows = sorted((*asking, *ordering), key=_cost)
        reached[place] = rows
        for part in lattice[place]:
            asks = part.sort in _ASKS
            reached[part.end] += [Row(row.cost + part.cost, (*row.parts, part), asks or row.asks) for row in rows]
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
