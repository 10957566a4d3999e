"""What one device says to one question, and whether the conditions of a clause hold: true, false or unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec import Struct

from daemon.act.values import convert, number, same
from daemon.core.entities import Capability, Entity, Value
from daemon.core.ir import Comparator, Condition, Quantifier, Target
from daemon.core.outcomes import Observation, Observed
from daemon.core.values import replace
from daemon.core.vocabulary import BINARY, READINGS
from daemon.home import events, settings
from daemon.home.actions import evidence_of, measures, readable_for
from daemon.home.registry import Registry
from daemon.home.sensing import Witness
from daemon.home.verbs import at_end, fulfils

_BINARY: dict[str, str] = {
    # A state as it is spoken of -> what a sensor that says on or off says then.
    "open": "on",
    "closed": "off",
    "unlocked": "on",
    "locked": "off",
    "home": "on",
    "not_home": "off",
    events.PRESS: "on",
}
_ON_OFF = {"open": "on", "closed": "off"}
_OPEN_CLOSE = {"on": "open", "off": "closed"}
_LOCK = {"open": "unlocked", "closed": "locked", "on": "locked", "off": "unlocked"}
_NOT_CLOSED = frozenset({"open", "opening", "closing", "stopped"})
_ROUNDING = 0.5
"""Spoken numbers are whole: "is it 21 degrees" holds at 21.3."""


class Fact(Struct, frozen=True):
    """One reading and what it says to the question; `holds` is None where that is not known."""

    entity: str
    attribute: str
    observation: Observation
    holds: bool | None
    unit: str | None = None
    """What a numeric value is in."""
    ambient: bool = False
    """Whether it is measured of a place, so that another device there may tell it as well."""

    @property
    def number(self) -> float | None:
        """Its value, where that is a number and fresh."""
        return number(self.observation.value) if self.observation.fresh else None

    def to_dict(self) -> dict[str, object]:
        """As the trace has it."""
        seen = self.observation
        return {
            "device": self.entity,
            "attribute": self.attribute,
            "value": seen.value,
            "source": seen.source,
            "holds": self.holds,
        }


def telling(entity: Entity, attribute: str, value: object = None) -> Capability | None:
    """The capability of a device that tells this attribute (or this state, as spoken), or None."""
    return readable_for(entity, attribute, value)


def fact(condition: Condition, entity: Entity, observed: Observed) -> Fact | None:
    """What the device says to a condition; None where it has nothing to say. `negated` is left to the caller."""
    found = evidence_of(entity, condition.attribute, condition.value)
    if found is None:
        return None
    capability, witness = found
    if capability.name == events.NAME:
        return None  # a moment: nothing ever is so
    seen = observed.get((entity.id, capability.attribute))
    if seen is None:
        seen = Observation(entity.id, capability.attribute, None, "none", float("inf"))
    holds = (
        _holds(condition, entity, capability, witness, seen.value) if seen.fresh and seen.value is not None else None
    )
    ambient = measures(entity, condition.attribute)
    return Fact(entity.id, capability.attribute, seen, holds, capability.unit, ambient)


def deciding(target: Target, facts: Sequence[Fact], registry: Registry) -> list[Fact]:
    """The facts that count: of several that measure one value of one place, those that are fresh, where any is.

    Without a place all are taken for one; a room that was named is never answered for by another.
    """
    if target.mention is not None or target.quantifier != "one" or not all(item.ambient for item in facts):
        return list(facts)
    groups: dict[object, list[Fact]] = {}
    for item in facts:
        room = registry.room_of(item.entity) if target.areas or target.floors else None
        groups.setdefault(room, []).append(item)
    return [item for group in groups.values() for item in ([one for one in group if one.observation.fresh] or group)]


def in_unit(fact: Fact, unit: str | None) -> Fact:
    """The same reading in another unit; as it is where the units do not belong together."""
    value = number(fact.observation.value)
    if value is None or unit is None or fact.unit is None:
        return fact
    wished = convert(value, fact.unit, unit)
    return fact if wished is None else replace(fact, unit=unit, observation=replace(fact.observation, value=wished))


def together(quantifier: Quantifier, count: int | None, answers: Iterable[bool | None]) -> bool | None:
    """Kleene's three-valued logic over several devices.

    Nothing to ask gives unknown. Where one was meant and several answer, they must agree.
    """
    known = list(answers)
    if not known:
        return None
    yes, no = known.count(True), known.count(False)
    match quantifier:
        case "any":
            return True if yes else False if no == len(known) else None
        case "n" if count is not None:
            return True if yes >= count else False if len(known) - no < count else None
        case "all" | "both" | "n":
            return False if no else True if yes == len(known) else None
        case _:
            return True if yes == len(known) else False if no == len(known) else None


def _holds(condition: Condition, entity: Entity, capability: Capability, witness: Witness, seen: Value) -> bool | None:
    if condition.value is None:
        return None
    if witness.at_most is not None or witness.at_least is not None or witness.says is not None:
        return _means(condition, capability, witness, seen)
    if isinstance(condition.value, str):
        if condition.comparator not in ("eq", "ne"):
            return None
        if isinstance(seen, float | int) and not isinstance(seen, bool):
            return at_end(condition.value, seen) if capability.attribute == "position" else None
        equal = _same_word(condition.value.casefold(), entity, capability, seen)
        return equal == (condition.comparator == "eq")
    value = number(seen)
    wish = convert(float(condition.value), condition.unit, capability.unit)
    if value is None or wish is None:
        return None
    high = None if condition.high is None else convert(condition.high, condition.unit, capability.unit)
    return _compare(condition.comparator, value, wish, high)


def _means(condition: Condition, capability: Capability, witness: Witness, seen: Value) -> bool | None:
    """What a reading of another kind says: a battery at 12 % is low, what uses power is at work."""
    word = str(condition.value).casefold()
    if condition.comparator not in ("eq", "ne"):
        return None
    if witness.at_most is not None or witness.at_least is not None:
        level = number(seen)
        usual = READINGS.get(witness.attribute)
        if level is not None and capability.unit is not None and usual is not None:
            level = convert(level, capability.unit, usual)
        low, high = witness.at_least, witness.at_most
        within = level is not None and (low is None or level >= low) and (high is None or level <= high)
        equal = None if level is None else within == (word == "on")
    else:
        said = (witness.says or {}).get(word)
        equal = None if said is None else str(seen).casefold() in said
    return None if equal is None else equal == (condition.comparator == "eq")


def _compare(comparator: Comparator, value: float, wish: float, high: float | None) -> bool | None:
    match comparator:
        case "lt":
            return value < wish
        case "le":
            return value <= wish
        case "gt":
            return value > wish
        case "ge":
            return value >= wish
        case "between":
            return None if high is None else min(wish, high) <= value <= max(wish, high)
        case "eq":
            return abs(value - wish) <= _ROUNDING
        case "ne":
            return abs(value - wish) > _ROUNDING
        case "than":
            return None


def _same_word(wish: str, entity: Entity, capability: Capability, seen: Value) -> bool:
    if capability.name == "read" and (capability.attribute in BINARY or capability.attribute == "state"):
        return any(same(capability.attribute, word, seen, capability) for word in {wish, _BINARY.get(wish, wish)})
    if capability.name == settings.NAME:
        return same(capability.attribute, settings.option(wish, capability.options) or wish, seen, capability)
    if capability.name == "on_off":
        wish = _ON_OFF.get(wish, wish)
    elif capability.name == "open_close":
        wish = _OPEN_CLOSE.get(wish, wish)
        if wish == "open":
            return seen in _NOT_CLOSED
    elif capability.name == "lock":
        wish = _LOCK.get(wish, wish)
    elif capability.name == "arm" and wish in ("on", "armed"):
        return str(seen).startswith("armed")
    elif capability.name == "arm" and wish == "off":
        return seen == "disarmed"
    if capability.attribute == "state" and capability.name != "read":
        return fulfils(entity, wish, seen)
    return same(capability.attribute, wish, seen, capability)


Pair = tuple[str, str]


class Test(Struct, frozen=True):
    """A condition and the devices that its target was resolved to."""

    __test__ = False  # pytest takes the name for its own

    condition: Condition
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`holds` is None where it cannot be told; `facts` are the readings it rests on."""

    holds: bool | None
    facts: tuple[Fact, ...] = ()


def needs(tests: Sequence[Test], registry: Registry) -> tuple[Pair, ...]:
    """What must be read freshly before `evaluate`."""
    found: dict[Pair, None] = {}
    for test in tests:
        for entity in registry.present(test.entities):
            capability = telling(entity, test.condition.attribute, test.condition.value)
            if capability is not None and capability.name != events.NAME:
                found[entity.id, capability.attribute] = None
    return tuple(found)


def evaluate(tests: Sequence[Test], join: Literal["and", "or"], observed: Observed, registry: Registry) -> Verdict:
    """The conditions in three-valued logic; no conditions hold."""
    verdicts = [
        _one(test, observed, registry) if other is None else _two(test, other, observed, registry)
        for test, other in pairs(tests)
    ]
    if not verdicts:
        return Verdict(holds=True)
    holds = together("all" if join == "and" else "any", None, (verdict.holds for verdict in verdicts))
    # What decided it goes first: a false one in an "and", a true one in an "or", an unknown one where it is unknown.
    verdicts.sort(key=lambda verdict: verdict.holds is not holds)
    return Verdict(holds, tuple(item for verdict in verdicts for item in verdict.facts))


def pairs(tests: Sequence[Test]) -> Iterator[tuple[Test, Test | None]]:
    """The tests, each with what it is compared with, if it is."""
    for test, after in zip(tests, (*tests[1:], None), strict=False):
        if test.condition.comparator != "than":
            yield test, after if after is not None and after.condition.comparator == "than" else None


def _one(test: Test, observed: Observed, registry: Registry) -> Verdict:
    target = test.condition.target
    entities = registry.present(test.entities)
    facts = [item for entity in entities if (item := fact(test.condition, entity, observed)) is not None]
    # A device that cannot tell is as good as one that does not answer.
    mute = len(test.entities) - len(facts)
    facts = deciding(target, facts, registry)
    answers: list[bool | None] = [*(item.holds for item in facts), *[None] * mute]
    holds = together(target.quantifier, target.count, answers)
    if holds is not None and test.condition.negated:
        holds = not holds
    return Verdict(holds, tuple(facts))


def _two(test: Test, other: Test, observed: Observed, registry: Registry) -> Verdict:
    """Whether one has more of it than the other; of several, all must have."""
    mine, theirs = (_told(item, observed, registry) for item in (test, other))
    units = {item.unit for item in (*mine, *theirs)}
    numbers = [[item.number for item in of] for of in (mine, theirs)]
    first, second = ([item for item in of if item is not None] for of in numbers)
    known = bool(first and second) and len(units) == 1 and None not in (*numbers[0], *numbers[1])
    answers = [_compare(test.condition.comparator, one, another, None) for one in first for another in second]
    holds = together("one", None, answers) if known else None
    return Verdict(holds if holds is None else holds != test.condition.negated, (*mine, *theirs))


def _told(test: Test, observed: Observed, registry: Registry) -> list[Fact]:
    said = [fact(test.condition, entity, observed) for entity in registry.present(test.entities)]
    return deciding(test.condition.target, [item for item in said if item is not None], registry)
