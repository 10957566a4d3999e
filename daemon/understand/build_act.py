"""What a command does -> its action and parameter, with what the kind of its target tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, cast

from daemon.core.ir import ACTIONS, ATTRIBUTES, Action, Kind, Op, Order, Parameter, Target
from daemon.core.values import replace
from daemon.understand.build_value import COVERS, KIND_ATTRIBUTE, Said
from daemon.understand.parts import Parts, Reading

_SWITCHED = frozenset(
    {"light", "lamp", "switch", "plug", "fan", "tv", "speaker", "media_player", "climate", "thermostat", "heater"}
    | {"air_conditioner", "humidifier", "dehumidifier", "air_purifier", "appliance", "camera", "alarm"}
)
"""Kinds of which "open" (打开) can only mean: switch on."""
_KEPT_WHILE_OFF = frozenset({"temperature", "humidity", "mode", "color", "color_temp"})
"""What is set without switching anything on, unless that was said too: 空调开到26度."""
_EVERYTHING = {("device", "all")}
SWITCHED: Final[Mapping[str | None, str]] = {
    **dict.fromkeys(("turn_on", "open", "start", "activate", "lock"), "on"),
    **dict.fromkeys(("turn_off", "close", "stop", "unlock"), "off"),
}
"""Verb -> what a setting of a device is set to by it: to unlock the child lock of a plug is to end it."""


def build_act(targets: Sequence[Target], parts: Parts, said: Said) -> tuple[Action | None, Parameter | None]:
    """The action of a command and, where something is set, its parameter.

    Raises:
        ValueError: both what a setting is switched to and what it is set to is said.
    """
    action = _meant(targets, parts, said)
    if said.attribute is None or said.attribute in ATTRIBUTES or action not in SWITCHED:
        return _done(action, targets, parts, said)
    if said.anything:
        raise ValueError(action)
    return "set", Parameter(said.attribute, "set", SWITCHED[action])


def _meant(targets: Sequence[Target], parts: Parts, said: Said) -> Action | None:
    word = parts.mark("action")
    assert word is None or word in ACTIONS
    return _drawn(_action(cast("Action | None", word), parts, said), targets, parts)


def _done(
    action: Action | None, targets: Sequence[Target], parts: Parts, said: Said
) -> tuple[Action | None, Parameter | None]:
    kind = targets[0].kind if targets else None
    if said.value == "off" and said.attribute == "mode":
        return "turn_off", None
    if action in ("open", "close"):
        if parts.has("switched") and action == "close" and {(it.kind, it.quantifier) for it in targets} == _EVERYTHING:
            return "turn_off", None
        if isinstance(said.value, float) and _are_unlike(targets):
            raise ValueError(action)  # "close the blind and the fan to 60 percent" is of two commands
        return _opened(targets, action, said, shut=parts.has("shut"), by=parts.has("share") and said.op != "set")
    moves = kind in COVERS and said.attribute in (None, "position") and said.value is None  # as "raise the blinds"
    if action in ("increase", "decrease") and moves:
        return "open" if action == "increase" else "close", None
    if parts.has("loosely") and action in ("increase", "decrease") and isinstance(said.value, float):
        action = "set"  # 别太亮，百分之二十就好
    if action in ("increase", "decrease", "set"):
        parameter = _parameter(action, kind, said)
        powers = parts.has("turned_on") and parameter.attribute in _KEPT_WHILE_OFF
        powers = powers or (parts.has("at_once") and parameter.attribute == "temperature" and kind == "air_conditioner")
        toward = parameter.toward or _toward(parameter, parts)
        moderate = parts.has("moderate") and parameter.value is None
        return action, replace(parameter, toward=toward, powers=powers, moderate=moderate)
    if said.anything and action in ("turn_on", "start") and said.attribute is not None:
        return "set", Parameter(said.attribute, "set", said.value, said.unit)
    if action == "arm" and said.attribute == "mode":
        return action, Parameter("mode", "set", said.value)
    return action, None


def _are_unlike(targets: Sequence[Target]) -> bool:
    """Whether some of it is a cover, and some surely none."""
    kinds = {target.kind for target in targets if target.kind is not None}
    return bool(kinds & COVERS) and not kinds <= COVERS


_PUT_OUT: Final = frozenset({None, "light", "lamp"})
"""What goes off when it is put out; a vacuum that is sent out does not."""


def _drawn(action: Action | None, targets: Sequence[Target], parts: Parts) -> Action | None:
    """The action, where the kind tells it: 窗帘拉起来 shuts what else it opens, an awning is "out" when open."""
    kinds = {target.kind for target in targets}
    hung = cast("Action | None", parts.mark("awning"))
    odd = hung and kinds != {"awning"} and not (action and kinds <= _PUT_OUT)
    if odd or (parts.has("covers") and kinds - COVERS):
        raise ValueError(action)
    if parts.has("powers") and not kinds & COVERS:
        return "turn_on" if action == "increase" else "turn_off" if action == "decrease" else action
    return "close" if parts.has("pulled") and "curtain" in kinds else hung if kinds == {"awning"} and hung else action


def gated(targets: tuple[Target, ...], parts: Parts, reading: Reading) -> tuple[Target, ...]:
    """The targets, where a place is opened or shut that is said for what closes it: "open the garage"."""
    gates = reading.lexicon.classes.get("GATED")
    if gates is None or parts.mark("action") not in ("open", "close"):
        return targets
    return tuple(
        replace(item, kind=cast("Kind", gates.values[item.areas[0]])) if _is_gated(item, gates.values) else item
        for item in targets
    )


def _is_gated(target: Target, gates: Mapping[str, str]) -> bool:
    """Whether it is such a place and nothing else."""
    named = target.kind or target.mention or target.reference or target.floors
    several = target.quantifier not in ("one", "both", "all")
    return not named and not several and len(target.areas) == 1 and target.areas[0] in gates


def switched(clause: Order) -> Order:
    """The clause, with what "open" and "close" can only mean for the kinds that it is about."""
    action = _switched(clause.action, clause.targets)
    return clause if action == clause.action else replace(clause, action=action)


def _switched(action: Action | None, targets: Sequence[Target]) -> Action | None:
    if action in ("open", "close") and targets and all(item.kind in _SWITCHED for item in targets):
        return "turn_on" if action == "open" else "turn_off"
    return action


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
    by = said.by if op == "set" else None
    if kind in COVERS and said.unit == "fraction" and isinstance(said.value, float) and op != "set":
        # A third of its whole way: of what is nearly shut, a third of that would be no move at all.
        return Parameter("position", op, round(said.value * 100, 1), "%")
    attribute = said.attribute or KIND_ATTRIBUTE.get(kind or "", "value")
    way = op if said.straight and attribute == "value" and op in ("increase", "decrease") else None
    return Parameter(attribute, op, said.value, said.unit, by=by, toward=way)


def _toward(parameter: Parameter, parts: Parts) -> Literal["increase", "decrease"] | None:
    """Which way a value is said to go; "dim it to 40" and "cool it to 22" only say what is set."""
    if parameter.op != "set" or parameter.value is None or parts.mark("attribute") not in (None, "strength"):
        return None
    ways = [word for word in parts.marks.get("action", ()) if word in ("increase", "decrease")]
    return cast('Literal["increase", "decrease"]', ways[0]) if len(ways) == 1 else None


def _opened(
    targets: Sequence[Target], action: Action, said: Said, *, shut: bool, by: bool
) -> tuple[Action | None, Parameter | None]:
    """What "open" means as a cluster: by how much, or of something that can only be switched.

    What is to be shut (关严) is no switch: whoever says so of a fridge means its door, not that it be off.
    """
    if shut and _switched(action, targets) != action:
        return "set", Parameter("position", "min")
    if said.unit == "step" or (by and isinstance(said.value, float)):
        op: Literal["increase", "decrease"] = "increase" if action == "open" else "decrease"
        return op, Parameter("position", op, said.value, said.unit)
    if said.anything and said.op not in ("max", "min"):
        return "set", Parameter(said.attribute or "position", "set", said.value, said.unit)
    if said.op in ("max", "min") and targets and targets[0].kind not in COVERS and said.attribute:
        return "set", Parameter(said.attribute, said.op)
    return _switched(action, targets), None
