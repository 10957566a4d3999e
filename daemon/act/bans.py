"""What an act leaves alone: who was excepted ("but not the TV"), what was forbidden ("don't lock the door"). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from daemon.act.parameters import is_relative, parameter_of, write_for
from daemon.core.entities import Entity, Value
from daemon.core.ir import Clause, Parameter
from daemon.core.outcomes import Ban, Write
from daemon.home import actions
from daemon.home.registry import Registry

_LEVELS: Final = frozenset({"brightness", "position", "speed"})
_RAISED: Final = frozenset({"on", "open"})
_LOWERED: Final = frozenset({"off", "closed"})
_QUIET: Final = frozenset({("command", "stop"), ("command", "pause"), ("command", "dock"), ("muted", True)})


def forbidden(clause: Clause, entities: Iterable[str], registry: Registry) -> tuple[Ban, ...]:
    """What a clause forbids with its "don't", for these entities: to be switched so, or to be set at all."""
    found = []
    for item in entities:
        entity = registry[item]
        member = actions.member_for(entity, clause.action or "")
        if clause.parameter is not None and clause.parameter.by is not None:
            moded = entity.capability("mode") is not None
            found.append(Ban(item, "mode", clause.parameter.by) if moded else Ban(item, "state", "on"))
        elif clause.parameter is not None and clause.parameter.attribute != "state":
            found.append(_set_so(entity, clause.action or "set", clause.parameter))
        elif entity.kind != "device" or member is None or member.value == "toggle":
            found.append(Ban(item))
        else:
            found.append(Ban(item, member.attribute, member.value))
    return tuple(found)


def _set_so(entity: Entity, action: str, parameter: Parameter) -> Ban:
    """That it is set so, in the words of the device: blue is #0000ff, 77 °F are 25 °C, jazz may be a source."""
    wish = parameter_of(action, parameter)
    write = None if is_relative(wish) else write_for(entity, action, wish, {})
    if isinstance(write, Write):
        return Ban(entity.id, write.attribute, write.value)
    return Ban(entity.id, parameter.attribute, parameter.value)


def broken(writes: Sequence[Write], bans: Iterable[Ban]) -> tuple[Ban, ...]:
    """The bans that these writes would break."""
    return tuple(ban for ban in bans if any(_strikes(ban, item.entity, item.attribute, item.value) for item in writes))


def _strikes(ban: Ban, entity: str, attribute: str, value: Value) -> bool:
    if ban.entity != entity:
        return False
    if ban.attribute == "state" and ban.value in _RAISED:
        # Whatever is not to go on is not to be set either; that it is off, or closed, is what was wished.
        return not _lowers(attribute, value)
    if ban.attribute == "state" and ban.value in _LOWERED:
        return _lowers(attribute, value)
    return ban.attribute is None or (ban.attribute == attribute and ban.value in (None, value))


def _lowers(attribute: str, value: Value) -> bool:
    """Whether it switches off or closes, or only ends or silences something: at 0 a blind is closed."""
    if attribute == "state":
        return value in _LOWERED
    return (attribute in _LEVELS and value == 0) or (attribute, value) in _QUIET
