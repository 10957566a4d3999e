"""Which of several is "the second one": devices that differ by nothing but the number in their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from daemon.core.digits import in_digits
from daemon.core.entities import Entity
from daemon.core.resolution import Resolution
from daemon.core.values import replace
from daemon.resolve.candidates import of_kind
from daemon.resolve.request import House, Request

_NUMBERED: Final = re.compile(r"^(.*?)[ #]*(\d{1,4})\D{0,2}$")
_LAST: Final = -1


def nth(house: House, request: Request, found: Resolution) -> Resolution:
    """Of the set that was found, the one with the number that was said; a question where that is not one.

    Nobody counts lamps in the order in which a file lists them: what has no number has no place in a row.

    Args:
        house: The home.
        request: What was said; its target has an ordinal.
        found: What it means without the ordinal, as a set.
    """
    if found.status not in ("resolved", "ambiguous"):
        return replace(found, target=request.target)
    ids = found.entities or tuple(item.entity for item in found.candidates)
    entities = [house.registry[item] for item in ids]
    row = _row(entities, request.context.lang)
    wanted = max(row, default=0) if request.target.ordinal == _LAST else request.target.ordinal
    one = row.get(wanted or 0, [])
    if len(one) == 1 and (len(row) > 1 or len(entities) == 1):
        return replace(
            found, target=request.target, status="resolved", entities=(one[0].id,), candidates=(), is_set=False
        )
    options = tuple(of_kind(house, request, ((item, 1.0) for item in one or entities)))
    return replace(found, target=request.target, status="ambiguous", entities=(), candidates=options)


def _row(entities: Sequence[Entity], lang: str) -> dict[int, list[Entity]]:
    """The entities by the number in their names, where they differ by nothing else; else nothing."""
    row: dict[int, list[Entity]] = {}
    stems = set()
    for item in entities:
        numbered = _NUMBERED.match(in_digits(item.name(lang)))
        if numbered is None:
            return {}
        stems.add(numbered[1].strip().casefold())
        row.setdefault(int(numbered[2]), []).append(item)
    return row if len(stems) == 1 else {}
