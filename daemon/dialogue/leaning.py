"""What one clause of an utterance takes from the one before it."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.core.ir import Clause
from daemon.core.resolution import Context
from daemon.core.values import replace
from daemon.home.registry import Registry

_BACK = frozenset({"it", "that", "them", "other", "rest"})
"""References to what was spoken of before."""


def after(context: Context, clause: Clause, entities: Sequence[str], registry: Registry) -> Context:
    """What "it" and an unnamed place mean in the next clause: "close the bedroom blinds and dim the lights"."""
    if entities and tuple(entities) != context.last:
        context = replace(context, last=tuple(entities), before_last=context.last)
    named = any(target.areas for target in clause.targets)
    areas = {area.id for item in entities if (area := registry.area_of(item)) is not None}
    if not named or len(areas) != 1:
        return context
    room = areas.pop()
    return replace(context, area=room, area_assumed=context.area_assumed or room != context.area)


def leans(clause: Clause) -> bool:
    """Whether all that it is about is what was spoken of before it: "turn it off", "the others"."""
    named = (item.mention or item.kind or item.areas or item.floors for item in clause.targets)
    back = (item.reference in _BACK for item in clause.targets)
    return bool(clause.targets) and all(back) and not any(named)
