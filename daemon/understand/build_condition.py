"""Condition parts -> `Condition`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, cast

from daemon.core.ir import ATTRIBUTES, Attribute, Comparator, Condition, Quantifier, Target, When
from daemon.core.values import replace
from daemon.understand.build_forbid import in_the_dark, within
from daemon.understand.build_target import build_target, scoped, target_from
from daemon.understand.build_value import LIGHTS, as_kind_has_it, attribute_of, build_value
from daemon.understand.build_when import build_when, seconds
from daemon.understand.matchers import Node
from daemon.understand.parts import Parts, Reading, any_has, parts_of

_SENSED = frozenset(
    {"motion", "occupancy", "smoke", "moisture", "contact", "gas", "carbon_monoxide", "sound", "vibration"}
)
_GRADED: dict[Attribute, Attribute] = {"battery": "battery_low"}
"""Where another attribute tells whether a value is as it should be."""
_UNSAID: Final = "Condition_unsaid"
_WARMEST: Final = 130.0  # degrees, of either scale: what is over that, and of which nobody said what it is, is no air
_BEGINS: Final = frozenset({"turn_on", "open", "start", "resume"})  # what 就关 ends, behind what it waits for
_ENDS: Final = frozenset({"turn_off", "close", "lock", "stop", "mute", "pause"})
_OPPOSITE: Final[dict[Comparator, Comparator]] = {"gt": "le", "lt": "ge", "ge": "lt", "le": "gt"}
_ACTIVE = frozenset({"on", "open", "unlocked", "playing", "cleaning"})
"""States that one of several is enough for: "if the lights are on", where nobody says "all"."""


_OWN_STATES = {"on": "on", "open": "on", "locked": "on", "off": "off", "closed": "off", "unlocked": "off"}
"""A state -> that of a setting which is spoken of so."""


def tested(parts: Parts, reading: Reading) -> tuple[tuple[Condition, ...], When | None]:
    """On what conditions, and when; a condition that is a trigger is `repeating`."""
    asked = parts.parts.get("Condition", [])
    said = parts.parts.get("When", [])
    if parts.has("idle") and not asked:
        raise ValueError("otherwise nothing, and nobody knows when")
    if not (asked or said):
        return (), None
    inner = tuple(map(parts_of, asked))
    held = parts.part("Lasting")
    lasts = held is not None or any(item.part("Lasting") for item in inner)
    stands = parts.has("standing") and not parts.has("negated")  # "by itself, if there is motion"
    trigger = bool(asked) and (lasts or stands or any_has((parts, *inner), "trigger"))
    when = build_when(said, reading, trigger=trigger)
    if asked and any(parts_of(node).has("after") for node in said):
        when = When(beyond="event", said=reading.between(said[0].start, said[-1].end))  # "after ten, if ...": no moment
    # Whoever tells what a button is to do means each time that it is pressed.
    moments = any_has(inner, "event") and not any_has((parts, *inner), "next")
    if when is not None and trigger and (parts.has("standing") or moments):
        when = replace(when, every=True)
    conditions = tuple(
        condition for item in asked for condition in build_conditions(item, reading, unless=parts.has("unless"))
    )
    when = within(parts, conditions, when, reading)
    conditions, when = in_the_dark(conditions, when)
    if any(item.attribute == "event" for item in conditions) and (when is None or not when.repeating):
        raise ValueError("at its time, nobody presses")
    if held is not None and conditions:
        conditions = (*conditions[:-1], replace(conditions[-1], for_s=seconds(parts_of(held), reading)))
    if parts.has("lasts"):
        return _lasting(conditions, when, parts, reading.between(asked[0].start, asked[-1].end))
    return conditions, when


def _lasting(
    conditions: tuple[Condition, ...], when: When | None, parts: Parts, said: str
) -> tuple[tuple[Condition, ...], When | None]:
    """On while something is so: until it is no longer. What is off while it is so goes on by nobody's word."""
    first = conditions[0]
    if when is None and len(conditions) == 1 and not _ENDS.issuperset(parts.marks.get("action", ())):
        opposite = _OPPOSITE.get(first.comparator)
        turned = replace(first, comparator=opposite) if opposite else replace(first, negated=not first.negated)
        return (turned,), When(until_so=True)
    return conditions, When(beyond="event", said=said) if parts.mark("lasts") == "only" else when


def until(parts: Parts, ending: Parts, reading: Reading) -> tuple[tuple[Condition, ...], When]:
    """What is to end it, and when it begins; where it depends on something else as well, nobody here can go by both."""
    when = build_when(parts.parts.get("When", []), reading, trigger=False) or When()
    ended = when.duration_s is not None or when.until is not None
    if "Condition" in parts.parts or "Hours" in parts.parts or ended or when.beyond is not None:
        when = When(beyond="event", said=reading.text(ending.node))
    asked = ending.parts.get("Condition", [])
    conditions = tuple(item for node in asked for item in build_conditions(node, reading, unless=False))
    if any(item.attribute == "event" or item.comparator == "than" for item in conditions):
        raise ValueError("nobody can tell that it is so")
    if ending.has("halts") and (parts.mark("action") not in _BEGINS or "Condition" in parts.parts):
        raise ValueError("what ends it is no end of that")
    return conditions, replace(when, until_so=when.beyond is None)


def joined(parts: Parts) -> Literal["and", "or"]:
    """Whether all of its conditions must hold, or one of them.

    Raises:
        ValueError: of some all must, of others one.
    """
    if (ending := parts.part("Ending")) is not None:
        parts = parts_of(ending)
    asked = [parts_of(node) for node in parts.parts.get("Condition", ())]
    inner = any_has(asked, "join") or any_has(asked, "either")
    if inner and len(asked) > 1 and parts.mark("join") != "or":
        raise ValueError("one of these, and that")
    one = inner or parts.mark("join") == "or"
    several = len(asked) > 1 or any(len(item.parts.get("Target", ())) > 1 or _states(item) for item in asked)
    return "or" if several and one != parts.has("unless") else "and"


def build_condition(node: Node, reading: Reading, *, unless: bool) -> Condition:
    """The condition of a `Condition` node; `unless` turns it round."""
    parts = parts_of(node)
    if (happens := parts.mark("event")) is not None:
        return _moment(parts, reading, happens, unless=unless)
    target = _target(parts, reading)
    if target == Target() and node.rule.startswith(_UNSAID) and parts.mark("attribute") == "location":
        target = Target(reference="it")  # 不在的话: of whom was spoken of
    found = _presence(parts, target) or _predicate(parts, target, reading) or _comparison(parts, target, reading)
    negated = found.negated ^ parts.has("not") ^ unless
    if (held := parts.part("Lasting")) is not None:
        found = replace(found, for_s=seconds(parts_of(held), reading))
    return _counted(replace(found, negated=negated, confidence=target.confidence), parts)


def _moment(parts: Parts, reading: Reading, happens: str, *, unless: bool) -> Condition:
    """What happens to a button, and to which of several: of a moment nobody can say that it is not so."""
    if unless or parts.has("not"):
        raise ValueError("waits for nothing to happen")
    button: str | None = None
    for name in ("BUTTON", "ORDINAL"):
        if (node := parts.word(name)) is not None:
            button = reading.lexicon.value(name, reading.text(node))
    if (node := parts.word("INTEGER")) is not None:
        button = f"{reading.numbers.value(reading.text(node)):g}"
    target = _target(parts, reading)
    return Condition(target, "event", value=happens, button=button, confidence=target.confidence)


def build_conditions(node: Node, reading: Reading, *, unless: bool) -> tuple[Condition, ...]:
    """One condition for each thing that the node names: "the lamp and the fan are both off"."""
    parts = parts_of(node)
    if len(states := _states(parts)) > 1:  # "playing or paused"
        if parts.has("not") or len(parts.parts.get("Target", ())) > 1:
            raise ValueError("several states, of several things or of none")
        each = (tuple(child for child in node.children if child not in states or child is state) for state in states)
        alone = (Node(node.rule, node.start, node.end, children) for children in each)
        return tuple(build_condition(item, reading, unless=unless) for item in alone)
    first = build_condition(node, reading, unless=unless)
    if (other := parts.part("Against")) is not None:
        than = build_target(parts_of(other).part("Target") or other, reading)
        return first, Condition(than, first.attribute, "than", confidence=than.confidence)
    others = parts.parts.get("Target", [])[1:]
    if first.target.mention is None and first.target.kind is None:
        return (first,)
    return (first, *(_counted(replace(first, target=build_target(item, reading)), parts) for item in others))


def _states(parts: Parts) -> Sequence[Node]:
    """The states of which one will do, where there are several."""
    said = parts.words.get("STATE", ())
    return said if len(said) > 1 else ()


def state_of(parts: Parts, reading: Reading) -> tuple[Attribute, str] | None:
    """The attribute and the value that are asserted: "on", "locked", motion, "in eco mode"."""
    detected = parts.word("DETECTED")
    marked = parts.mark("state")
    attribute = parts.mark("attribute")
    if (grade := _grade(parts, reading)) is not None:
        return grade
    if detected is not None:
        return reading.lexicon.value("DETECTED", reading.text(detected)), marked if marked == "off" else "on"
    if (node := parts.word("STATE")) is not None:
        name, value = reading.lexicon.value("STATE", reading.text(node)).split()
        return name, "on" if value == "detected" else value
    for name, word in (("MODE", "mode"), ("COLOR", "color")):
        if (node := parts.word(name)) is not None:
            return attribute or word, reading.meaning(name, node)
    if marked is not None:
        return attribute or "state", marked
    return None


def own_state(setting: Attribute, asserted: tuple[Attribute, str]) -> tuple[Attribute, str]:
    """What is asserted of a setting of a device, where it is on or off: the child lock, not the plug.

    Raises:
        ValueError: no setting is ever so.
    """
    if asserted[0] not in ("state", "mode", setting) or (asserted[0] == "state" and asserted[1] not in _OWN_STATES):
        raise ValueError(asserted)
    return setting, _OWN_STATES.get(asserted[1], asserted[1])


def _grade(parts: Parts, reading: Reading) -> tuple[Attribute, str] | None:
    """That something is wrong with a value ("on": the battery is low), or that it is as it should be."""
    grade, asserted = parts.word("GRADE"), parts.mark("state")
    attribute = attribute_of(parts, reading)
    if attribute is None or (grade is None and (asserted is None or attribute not in _GRADED)):
        return None
    said = reading.lexicon.value("GRADE", reading.text(grade)) if grade is not None else asserted or "on"
    return _GRADED.get(attribute, attribute), said


def _counted(condition: Condition, parts: Parts) -> Condition:
    """The condition with how many of several it takes, where a word for several names no number of them."""
    target, said = condition.target, parts.mark("quantifier")
    if said == "all" or (said == "any" and target.mention is None):  # said beside it: 灯都开着, 有灯开着
        return replace(condition, target=replace(target, quantifier=cast("Quantifier", said)))
    if target.quantifier != "all" or any(parts_of(node).has("quantifier") for node in parts.parts.get("Target", ())):
        return condition
    if condition.value in _ACTIVE and not condition.negated:
        return replace(condition, target=replace(target, quantifier="any"))
    return condition


def _target(parts: Parts, reading: Reading) -> Target:
    subject = parts.part("Subject")
    inner = parts_of(subject) if subject is not None else parts
    node = inner.part("Target") or parts.part("Target")
    target = build_target(node, reading) if node is not None else None
    if target is None and parts.word("PERSON") is not None:
        target = target_from(parts, reading)
    scope_node = inner.part("Scope") or parts.part("Scope")
    scope = build_target(scope_node, reading) if scope_node is not None else None
    if target is None and parts.word("DETECTED") is not None:
        target = Target(kind="sensor", quantifier="any")
    return scoped(target or Target(), scope)


def _presence(parts: Parts, target: Target) -> Condition | None:
    state, attribute = parts.mark("state"), parts.mark("attribute")
    if attribute == "occupancy" and target == Target(whole_home=True):  # 家里要是没人
        state, target = {"on": "home", "off": "not_home"}.get(state or "", state), Target()
    if state not in ("home", "not_home"):
        return None
    if attribute == "location":
        return Condition(target, "location", value=state)
    # Nobody is named: it is about any of the people, and "nobody" is the opposite of it.
    return Condition(replace(target, quantifier="any"), "location", value="home", negated=state == "not_home")


def _predicate(parts: Parts, target: Target, reading: Reading) -> Condition | None:
    if parts.has("compare"):
        return None
    found = state_of(parts, reading)
    if found is None:
        return None
    subject = parts.part("Subject")
    named = attribute_of(parts if subject is None else parts_of(subject), reading)
    if named is not None and named not in ATTRIBUTES:
        attribute, value = own_state(named, found)
        return Condition(target, attribute, value=value)
    attribute, value = found
    if attribute == "occupancy" and target.kind in LIGHTS:  # 玄关灯有人就自己亮: there, where it is
        target = Target(kind="sensor", areas=target.areas)
    if attribute in _SENSED and target.kind is None and target.mention is None and target.reference is None:
        target = replace(target, kind="sensor")
    attribute, value = as_kind_has_it(attribute, value, target.kind, parts)
    return Condition(target, attribute, value=value)


def _way(parts: Parts, reading: Reading) -> str | None:
    """How a value is compared by a word for more or less: 比四十还响."""
    node = parts.word("MORE")
    if node is None:
        return None
    return "gt" if reading.lexicon.value("MORE", reading.text(node)).endswith("increase") else "lt"


def _comparison(parts: Parts, target: Target, reading: Reading) -> Condition:
    said = build_value(parts, reading, target.kind)
    high_node = parts.part("High")
    high = build_value(parts_of(high_node), reading, target.kind) if high_node is not None else None
    against = parts.part("Against") is not None
    if against and (said.value is not None or parts.mark("compare") == "eq"):
        raise ValueError("warmer by so much")
    comparator = cast("Comparator", parts.mark("compare") or _way(parts, reading) or "eq")
    value, top = said.value, high.value if high is not None else None
    if isinstance(value, float) and isinstance(top, float) and top < value:
        value, top = top, value
    attribute = said.attribute or (high.attribute if high is not None else None) or "value"
    if attribute == "color_temp" and said.unit is None and attribute_of(parts, reading) is None:
        attribute = "value"  # a sensor's 1,200 is no colour
    if attribute == "value" and target.mention is None and target.kind is None and (target.areas or target.floors):
        attribute = "humidity" if said.unit == "%" else "temperature"  # "when the bedroom gets above 26"
    if parts.has("unsaid") and target == Target():
        target = Target(reference="it", unsaid=True)  # "if it's over 26": of what was asked, else of the air
    if attribute == "temperature" and target.mention is None and isinstance(value, float) and abs(value) > _WARMEST:
        attribute = "value" if target.unsaid else "co2"  # so much of a room is no warmth
    return Condition(
        target,
        attribute,
        comparator,
        value,
        top if isinstance(top, float) else None,
        said.unit or (high.unit if high is not None else None),
    )
