"""How much is meant by what is said of it beside a command.

A number beside a mode, or bare behind "at": "the AC to heat 23" and "on cool at 23" say how warm, "on at 7" when. What
only says which way: "turn it on, not too bright", "not so hot, turn it down".
"""

from __future__ import annotations

from collections.abc import Sequence

from daemon.core.ir import Attribute, Clause, Condition, Order, Parameter, Target, Unit, When
from daemon.core.values import replace
from daemon.understand.build_places import in_each_place
from daemon.understand.build_value import BLOWERS, CLIMATES, KIND_ATTRIBUTE, PERCENT, build_value
from daemon.understand.matchers import Node
from daemon.understand.parts import Parts, Reading, parts_of

LAST_HOUR = 23.0
"""A number above it is no time of day, unless hours and minutes are run together ("1830")."""
_SPOKEN_HOURS = 12.0
"""Up to it, a bare number is how people say the time."""
_HIGHEST = 100.0
_VALUED = frozenset({"turn_on", "set", "open", "close", "start", "play"})
_DAMPENING = BLOWERS | {"humidifier", "dehumidifier"}
_AIRS = frozenset({"temperature", "warmth", "humidity", "value"})
_OF_AIR = frozenset({"heat", "cool", "heat_cool"})
"""Modes that only what warms or cools has."""


def bare_number(when: list[Parts], reading: Reading) -> float | None:
    """The number that is all that was said about when, with nothing that makes a time of it; how long does not."""
    parts = [part for item in when for part in item.all("Delay", "Off", "Later", "Until", "Days", "Day", "Time")]
    hour = parts_of(parts[0]).part("Hour") if len(parts) == 1 else None
    if hour is None or not parts_of(parts[0]).has("bare"):
        return None
    number = reading.numbers.value(reading.text(hour))
    return number if number <= _HIGHEST else None


def with_warmth(clause: Clause, parts: Parts, reading: Reading) -> list[Clause]:
    """The clause, and what a number behind its mode, or behind what is to be played, says."""
    warm, loud = parts.part("Warm"), parts.part("Loud")
    if not isinstance(clause, Order):
        return [clause]
    if loud is not None:
        said = build_value(parts_of(loud), reading, "media_player")
        return [clause, replace(clause, action="set", parameter=Parameter("volume", "set", said.value, "%"))]
    if warm is None:
        return [clause]
    said = build_value(parts_of(warm), reading, "climate")
    return [clause, replace(clause, parameter=Parameter("temperature", "set", said.value, said.unit))]


def respectively(clause: Clause, values: Node, reading: Reading) -> list[Clause]:
    """As "the kitchen and the hall to 25 and 35 percent": to each its own, in their order.

    Raises:
        ValueError: there are more of the one than of the other.
    """
    assert isinstance(clause, Order)  # nothing else has values
    targets = [one for target in clause.targets for one in in_each_place(target)]
    kind = next((target.kind for target in reversed(targets) if target.kind is not None), None)
    said = [build_value(parts_of(node), reading, kind) for node in parts_of(values).parts["Value"]]
    units = {value.unit for value in said} - {None}
    if len(targets) == 1 and len({value.attribute for value in said}) == len(said) == len(units):
        # "the lamp to 3000 kelvin and 40 percent"
        found = [Parameter(value.attribute or "value", "set", value.value, value.unit) for value in said]
        return [replace(clause, action="set", parameter=parameter) for parameter in found]
    if len(said) != len(targets):
        raise ValueError("not as many values as things")
    unit = next((value.unit for value in reversed(said) if value.unit is not None), None)
    attribute = _attribute(tuple(targets))
    unit = unit or ("%" if attribute in PERCENT else None)
    return [
        replace(clause, action="set", targets=(target,), parameter=Parameter(attribute, "set", value.value, unit))
        for target, value in zip(targets, said, strict=True)
    ]


def levelled(clause: Clause, parts: Parts, reading: Reading) -> list[Clause] | None:
    """The clause, with what a number behind a mode or a bare one behind "at" says in it; None where it can't.

    A number that is no time of day is a level. Beside a mode of the air, what no clock of twelve hours shows is a
    temperature. Where a climate device is only switched on, it may be either, and is asked about.
    """
    if (values := parts.part("Each")) is not None:
        return respectively(clause, values, reading)
    number = bare_number([parts_of(node) for node in parts.parts.get("When", ())], reading)
    if parts.has("timed") and (number is not None or _says_nothing(clause)):
        return None  # "the heater at 21", "the fan after the film": nobody says what is to be done then
    if number is None:
        return with_warmth(clause, parts, reading)
    late = number > LAST_HOUR
    if parts.has("front") and _comes_first(parts):
        return None if late else [clause]  # "at 23 put the AC on cool": what comes first is when
    if not isinstance(clause, Order) or clause.action not in _VALUED or clause.negated or not clause.targets:
        return None if late else [clause]
    attribute = _attribute(clause.targets)
    climate = attribute == "temperature"
    valued = clause.parameter
    airs = valued is not None and valued.attribute == "mode" and (climate or valued.value in _OF_AIR)
    blows = valued is None or valued.attribute == "speed"  # "at 23 with the fan on low"
    if not late and (number <= _SPOKEN_HOURS or not (airs or (climate and blows))):
        # "At 21" is seldom a time of day, of what may be anything.
        doubtful = number > _SPOKEN_HOURS and attribute == "value" and valued is None
        return [replace(clause, confidence=min(clause.confidence, reading.sure.half))] if doubtful else [clause]
    attribute = "temperature" if airs else attribute
    if valued is not None and attribute in (valued.attribute, "value"):
        return None  # "to 22 at 30": two values, and no time
    unit: Unit | None = "%" if attribute in PERCENT else None
    lasts = When(duration_s=clause.when.duration_s) if clause.when is not None and clause.when.duration_s else None
    level = replace(
        clause,
        action="set",
        parameter=Parameter(attribute, "set", number, unit),
        when=lasts,
        confidence=min(clause.confidence, reading.sure.leaning if late or airs else reading.sure.half),
    )
    # A light with a brightness is on; of what is off, it is said once its temperature is set.
    alone = valued is None and (attribute in ("brightness", "position", "speed") or not late)
    return [level] if alone else [replace(clause, when=lasts), level]


def _comes_first(parts: Parts) -> bool:
    """Whether the time stands before what it is about; what else stands in front is a condition."""
    named = [node.start for node in parts.parts.get("Target", ())]
    return not named or parts.parts["When"][0].start < min(named)


def _attribute(targets: tuple[Target, ...]) -> Attribute:
    """What a bare number is of, by the kinds that were named."""
    found = {KIND_ATTRIBUTE.get(target.kind or "", "value") for target in targets}
    return found.pop() if len(found) == 1 else "value"


def of_the_air(conditions: tuple[Condition, ...], targets: Sequence[Target]) -> tuple[Condition, ...]:
    """As "the radiator on until it's nineteen": how warm, or how damp, the air is that it warms, cools, dries."""
    kinds = {target.kind for target in targets} or {None}
    return tuple(
        replace(item, target=Target(), attribute="humidity" if item.unit == "%" else "temperature")
        if item.target.reference == "it" and item.attribute == "value" and isinstance(item.value, float)
        and kinds <= (_DAMPENING if item.unit == "%" else CLIMATES)
        else item
        for item in conditions
    )  # fmt: skip


def not_too(made: Clause, before: Sequence[Clause], parts: Parts) -> Clause:
    """As "turn on the desk lamp, not too bright": so much of what was switched on, where it is said of such a thing."""
    last = before[-1] if before and parts.has("loosely") else None
    if not isinstance(last, Order) or last.action not in _VALUED or last.parameter or not isinstance(made, Order):
        return made
    if (said := made.parameter) is None:
        return made
    named = any(item.mention or item.areas or item.floors or item.reference for item in made.targets)
    kinds = {item.kind for item in last.targets} - {None}
    blows = said.attribute == "speed" and kinds <= CLIMATES
    if named or not (blows or all(KIND_ATTRIBUTE.get(kind or "") == said.attribute for kind in kinds)):
        return made
    return replace(made, targets=(), parameter=replace(said, moderate=said.value is None))


def said_better(clause: Clause, before: Clause) -> Clause | None:
    """As "not so hot, turn it down", 别那么冷,升一点: one wish, as it was said last; None where they are two."""
    loose, exact = before.parameter, clause.parameter
    if loose is None or exact is None or not isinstance(before, Order) or not isinstance(clause, Order):
        return None
    named = any(target.reference not in ("it", "that") or target.kind is not None for target in clause.targets)
    anything = all(target.mention is None and not target.areas and not target.floors for target in before.targets)
    if clause.targets != before.targets and named and not anything:
        return None
    if exact.op not in ("set", loose.op) or exact.attribute not in ("value", loose.attribute):
        return None
    if exact.op == "set" and not isinstance(exact.value, float):
        return None
    meant: Parameter = replace(exact, attribute=loose.attribute)
    targets = clause.targets if named else before.targets
    return replace(clause, targets=targets, parameter=meant, conditions=before.conditions or clause.conditions)


def unless_said(clauses: list[Clause]) -> list[Clause]:
    """The clauses; without the last, where it only says which way, of what the one before it gave a value or an amount.

    As in "to 26 degrees, not too cold", "two degrees down, but not too low".
    """
    *_, last, made = (None, *clauses)
    if not isinstance(last, Order) or not isinstance(made, Order) or made.when is not None:
        return clauses
    way, value = made.parameter, last.parameter
    if way is None or value is None or value.value is None or way.attribute not in (value.attribute, "value"):
        return clauses
    bare = way.op in ("increase", "decrease") and way.value is None and not made.excluded and not made.conditions
    named = any(item.mention or item.areas or item.floors or item.reference for item in made.targets)
    return clauses[:-1] if bare and (made.targets == last.targets or not named) else clauses


def _says_nothing(clause: Clause) -> bool:
    """Whether a thing and when leave open what is to be done; and by "the lock at ten", nothing is opened."""
    locked = isinstance(clause, Order) and any(item.kind == "lock" for item in clause.targets)
    return locked or (clause.when is not None and clause.when.beyond is not None)


def is_of_a_thing(made: Order) -> bool:
    """Whether a complaint is of a thing that was named, by what it does: "the fan is too fast" is to be slower.

    Of the air, or a whole room, nobody has said what is to change it.
    """
    named = made.targets and all((item.mention or item.kind) and item.reference is None for item in made.targets)
    return bool(named) and made.parameter is not None and made.parameter.attribute not in _AIRS
