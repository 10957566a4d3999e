"""The cheapest rows of parts in which every word of a text is in exactly one part."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from daemon.understand.lattice import Lattice, Part
from daemon.understand.sorts import ASKED, ASKING, CORRECTION, GAPS

_MOST = 16
"""How many rows are kept to each place: of those that ask something, and of those that do not."""
_MANY = 8
"""Rows to a comma from which on those are preferred that say something as far as there."""
_UNLIKELY = 1.0
"""How far the others are behind."""
_LONGEST = 10
"""Parts that may wait for what makes a command of them."""
_ENDLESS = 40
"""Parts; so many say nothing, and take long to say it."""
_BETWEEN = GAPS.keys() - {"mark", "begs"}
_ASKS = ASKING | ASKED


class Row(Struct, frozen=True):
    """Parts side by side, from the first word to the last."""

    cost: float
    parts: tuple[Part, ...]
    asks: bool = False
    """Whether a part of it is one of a question."""
    said: int = 0
    """How many of the parts are of commands that are whole."""
    unsaid: int = 0
    """How often something before them was none."""

    @property
    def rank(self) -> float:
        """What it seems to cost as long as it has no end."""
        return self.cost + self.unsaid * _UNLIKELY


def cover(lattice: Lattice, says: Callable[[tuple[Part, ...]], bool]) -> list[Row]:
    """The rows that cover a text, the cheapest first; none where a word is in no part and may not be left over.

    Args:
        lattice: The parts.
        says: Whether parts are of whole commands. Of many rows, those are kept first that are so from comma to comma:
            what may be three things in each of ten commands would else leave no row that is right in all.
    """
    known: dict[tuple[int, ...], bool] = {}

    def says_once(parts: tuple[Part, ...]) -> bool:
        key = tuple(map(id, parts))
        if key not in known:
            known[key] = says(parts)
        return known[key]

    places = sorted(lattice)
    reached: dict[int, list[Row]] = {place: [] for place in places}
    reached[places[0]] = [Row(0.0, ())]
    for place in places:
        rows = sorted(reached[place], key=_rank)
        if len(rows) >= _MANY and any(row.parts[-1].sort in _BETWEEN for row in rows):
            rows = sorted((_told(row, says_once) for row in rows[: 2 * _MOST]), key=_rank)
        if len(rows) > _MOST:  # "open" and "get" may ask and order: neither crowds out the other
            asking, ordering = ([row for row in rows if row.asks is asks][:_MOST] for asks in (True, False))
            rows = sorted((*asking, *ordering), key=_rank)
        reached[place] = rows
        for part in lattice[place]:
            asks = part.sort in _ASKS
            reached[part.end] += [
                Row(row.cost + part.cost, (*row.parts, part), asks or row.asks, row.said, row.unsaid) for row in rows
            ]
    return sorted(reached[places[-1]], key=_cost)


def _told(row: Row, says: Callable[[tuple[Part, ...]], bool]) -> Row:
    """The row, knowing how much of it says something up to the gap that it ends with."""
    if row.parts[-1].sort not in _BETWEEN:
        return row
    parts = row.parts[row.said : -1]
    corrects = any(part.sort == CORRECTION for part in parts)  # what was said before it
    if not parts or (len(parts) <= _ENDLESS and says(row.parts[:-1] if corrects else parts)):
        return Row(row.cost, row.parts, row.asks, len(row.parts), row.unsaid)
    given_up = len(parts) > _LONGEST
    return Row(row.cost, row.parts, row.asks, len(row.parts) if given_up else row.said, row.unsaid + 1)


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


def _rank(row: Row) -> float:
    return row.rank
