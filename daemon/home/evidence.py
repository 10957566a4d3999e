"""Tells one of several apart by what is known, before anybody is asked: preferences, states, what was last meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from daemon.home.entities import Entity
from daemon.home.names import fold, possessed
from daemon.home.registry import Registry
from daemon.home.request import Request

# What an act ends: of several, the only one in such a state is meant.
_ENDS: Final[Mapping[str, frozenset[object]]] = {
    "turn_off": frozenset({"on", "playing", "paused", "idle", "cleaning"}),
    "close": frozenset({"open", "opening", "on", "unlocked"}),
    "lock": frozenset({"unlocked"}),
    "stop": frozenset({"playing", "opening", "closing", "cleaning", "on"}),
    "pause": frozenset({"playing", "cleaning"}),
    "resume": frozenset({"paused"}),
    "next": frozenset({"playing"}),
    "previous": frozenset({"playing"}),
    "mute": frozenset({"playing", "on"}),
    "unmute": frozenset({"playing", "on"}),
}
_BEGINS: Final[Mapping[str, frozenset[object]]] = {
    "turn_on": frozenset({"off"}),
    "open": frozenset({"closed", "closing", "off", "locked"}),
    "unlock": frozenset({"locked"}),
}
_MUSICAL: Final = frozenset({"next", "previous"})
"""Tracks are skipped on what plays music rather than on a television."""
_PLAYING: Final[frozenset[object]] = frozenset({"playing", "on"})


def preferred(registry: Registry, request: Request) -> str | None:
    """The id that the speaker means by "my lamp" or, without "my", by this word; None where nothing is known."""
    speaker = registry.person(request.context.speaker) if request.context.speaker else None
    mention = request.target.mention or request.target.kind
    if speaker is None or mention is None:
        return None
    said = {fold(mention), fold(possessed(mention) or mention)}
    return next((wish for word, wish in speaker.preferences.items() if fold(word) in said and wish in registry), None)


def narrowed(registry: Registry, request: Request, among: Sequence[Entity], *, near: bool) -> tuple[Entity | None, str]:
    """The one that is meant among several and what tells it, or None.

    Args:
        registry: For the speaker's preferences.
        request: What is looked for.
        among: Entities that fit equally well.
        near: Whether all are in one place that was said or where the speaker is: only there does "turn on the light"
            mean the one that is off.
    """
    wish = preferred(registry, request)
    for item in among:
        if item.id == wish:
            return item, "preference"
    by_state = _by_state(request, among, near=near)
    if by_state is not None:
        return by_state, "state"
    if request.need.action in _MUSICAL:
        speakers = [item for item in among if item.type == "speaker"]
        if len(speakers) == 1:
            return speakers[0], "kind"
    return None, ""


def _by_state(request: Request, among: Sequence[Entity], *, near: bool) -> Entity | None:
    action = request.need.action or ""
    parameter = request.need.parameter
    if parameter is not None and parameter.attribute == "volume":
        wanted = _PLAYING
    elif action in _ENDS:
        wanted = _ENDS[action]
    elif action in _BEGINS and near:
        wanted = _BEGINS[action]
    else:
        return None
    states = {item.id: request.context.state_of(item.id, "state") for item in among}
    # Where one state is unknown it might be the one that is meant.
    if any(state is None for state in states.values()):
        return None
    fitting = [item for item in among if states[item.id] in wanted]
    return fitting[0] if len(fitting) == 1 else None
