"""What a command does -> its action and parameter, with what the kind of its target tells."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, cast

from daemon.ir import ACTIONS, Action, Clause, Op, Parameter, Target
from daemon.understand.build_value import COVERS, KIND_ATTRIBUTE, Said
from daemon.understand.parts import Parts

_SWITCHED = frozenset(
    {"light", "lamp", "switch", "plug", "fan", "tv", "speaker", "media_player", "climate", "thermostat", "heater"}
    | {"air_conditioner", "humidifier", "dehumidifier", "air_purifier", "appliance", "camera"}
)
"""Kinds of which "open" (打开) can only mean: switch on."""


def build_act(clause: Clause, parts: Parts, said: Said) -> Clause:
    """The clause with its action and, where something is set, its parameter."""
    word = parts.mark("action")
    assert word is None or word in ACTIONS
    action = _action(cast("Action | None", word), parts, said)
    kind = clause.targets[0].kind if clause.targets else None
    if said.value == "off" and said.attribute == "mode":
        return replace(clause, action="turn_off")
    if action in ("open", "close"):
        if action == "close" and parts.has("switched") and clause.targets and all(map(_is_all, clause.targets)):
            return replace(clause, action="turn_off")
        return _opened(clause, action, said)
    if action in ("increase", "decrease") and _moves_cover(kind, said):
        return replace(clause, action="open" if action == "increase" else "close")
    if action in ("increase", "decrease", "set"):
        return replace(clause, action=action, parameter=_parameter(action, kind, said))
    if said.anything and action in ("turn_on", "start") and said.attribute is not None:
        return replace(clause, action="set", parameter=Parameter(said.attribute, "set", said.value, said.unit))
    return replace(clause, action=action)


def switched(clause: Clause) -> Clause:
    """The clause, with what "open" and "close" can only mean for the kinds that it is about."""
    if clause.action in ("open", "close") and clause.targets and all(item.kind in _SWITCHED for item in clause.targets):
        return replace(clause, action="turn_on" if clause.action == "open" else "turn_off")
    return clause


def _action(action: Action | None, parts: Parts, said: Said) -> Action | None:
    """The action that was said, or that follows from what was said of a value."""
    if action is None and said.op in ("increase", "decrease"):
        return said.op
    if said.op in ("max", "min") and action not in ("open", "close"):
        return "set"
    if action is None and parts.has("again") and said.anything:
        return "set"
    if action in ("set", "increase", "decrease") and said.op in ("increase", "decrease"):
        # In kelvin, warmer is less; in "set it brighter", what is said of it counts.
        return said.op if action != "set" or parts.words.get("MORE") else action
    return action


def _parameter(action: Action, kind: str | None, said: Said) -> Parameter:
    op: Op = "increase" if action == "increase" else "decrease" if action == "decrease" else "set"
    if said.op is not None and not (action == "set" and said.op in ("increase", "decrease")):
        op = said.op  # in "turn it down to 20", what it is set to counts
    return Parameter(said.attribute or KIND_ATTRIBUTE.get(kind or "", "value"), op, said.value, said.unit)


def _is_all(target: Target) -> bool:
    """Whether it is everything, of which 关掉 says that it is switched off, not that it is shut."""
    return target.kind == "device" and target.quantifier == "all"


def _moves_cover(kind: str | None, said: Said) -> bool:
    """Whether it is as "raise the blinds", which opens them rather than by some step."""
    return kind in COVERS and said.attribute in (None, "position") and said.value is None


def _opened(clause: Clause, action: Action, said: Said) -> Clause:
    """What "open" means as a cluster: by how much, or of something that can only be switched."""
    if said.unit == "step":
        op: Literal["increase", "decrease"] = "increase" if action == "open" else "decrease"
        return replace(clause, action=op, parameter=Parameter("position", op, said.value, "step"))
    if said.anything and said.op not in ("max", "min"):
        attribute = said.attribute or "position"
        return replace(clause, action="set", parameter=Parameter(attribute, "set", said.value, said.unit))
    if said.op in ("max", "min") and clause.targets and clause.targets[0].kind not in COVERS and said.attribute:
        return replace(clause, action="set", parameter=Parameter(said.attribute, said.op))
    return switched(replace(clause, action=action))
