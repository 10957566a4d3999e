"""What answers have settled about the names of a clause, put in the place of what was open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daemon.core.resolution import Candidate, ClauseResolution, Resolution
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.resolve.request import need_of
from daemon.resolve.resolver import Resolver


def settle(found: ClauseResolution, turn: Turn, resolver: Resolver) -> ClauseResolution:
    """The resolution with what was chosen, in the order in which the gate asks.

    Names that nothing has come first, wherever they stand; then those of several things. What is spared comes before
    conditions in both, and targets before all.
    """
    if turn.settled.meant and len(found.targets) == 1:
        need = need_of(turn.clause)
        item = resolver.chosen(found.targets[0], turn.settled.meant, need, turn.context)
        return replace(found, targets=(item,), entities=item.entities, left_out=item.left_out)
    if not turn.settled.choices:
        return found
    choices = iter(turn.settled.choices)
    found = _settled(found, turn, resolver, choices, "not_found")
    return _settled(found, turn, resolver, choices, "ambiguous")


def one_of(found: ClauseResolution) -> ClauseResolution:
    """Where only one of several names is meant, an ambiguity between all that they may mean.

    A set is offered as the place or group that was named. What is not found, or not settled, stays as it is.
    """
    if len(found.targets) < 2 or any(item.status not in ("resolved", "ambiguous") for item in found.targets):  # noqa: PLR2004 - one or another
        return found
    ids: dict[str, None] = {}
    for item in found.targets:
        if item.status == "ambiguous":
            ids |= dict.fromkeys(candidate.entity for candidate in item.candidates)
        elif len(item.entities) > 1 and item.via is not None:
            ids[item.via] = None
        else:
            ids |= dict.fromkeys(item.entities)
    if len(ids) == 1:
        return found
    candidates = tuple(Candidate(entity, 1.0) for entity in ids)
    asked = Resolution(found.targets[0].target, "ambiguous", candidates=candidates)
    return replace(found, targets=(asked,), entities=(), left_out=())


def open_to(resolution: Resolution, status: str) -> bool:
    """Whether a choice could settle this: it means one of several, or nothing is called so but something nearly."""
    return resolution.status == status and (status == "ambiguous" or bool(resolution.nearest))


def _settled(
    found: ClauseResolution, turn: Turn, resolver: Resolver, choices: Iterator[tuple[str, ...]], status: str
) -> ClauseResolution:
    need = need_of(turn.clause)

    def chosen(items: Sequence[Resolution], *, spared: bool = False) -> tuple[Resolution, ...]:
        return tuple(
            resolver.chosen(item, ids, need, turn.context, spared=spared)
            if open_to(item, status) and (ids := next(choices, None)) is not None
            else item
            for item in items
        )

    targets, excluded = chosen(found.targets), chosen(found.excluded, spared=True)
    gone = {entity for item in excluded for entity in item.entities}
    entities = [entity for item in targets if item.status == "resolved" for entity in item.entities]
    # What they are about may follow from the targets; what was chosen for them already stays.
    conditions = tuple(
        before if now.status == "not_found" else now
        for before, now in zip(found.conditions, resolver.conditions(turn.clause, targets, turn.context), strict=True)
    )
    return replace(
        found,
        targets=targets,
        excluded=excluded,
        conditions=chosen(conditions),
        entities=tuple(entity for entity in dict.fromkeys(entities) if entity not in gone),
        left_out=tuple(dict.fromkeys(entity for item in targets for entity in item.left_out)),
    )
