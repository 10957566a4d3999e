"""Atoms: commands broken down to one device each, and when a sent one is an expected one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from daemon.evaluate.cases import ExpectedCommand
from daemon.evaluate.turns import Sent
from daemon.evaluate.words import VERBS, rgb

Expand = Callable[[str], tuple[str, ...]]
"""A group's id -> its members; any other id -> itself."""

TOLERANCE = 1.0
"""Numbers may differ by this much: percent are rounded on their way through a device's own scale."""

_COLOR_TOLERANCE = 40
"""Per channel, of 255: what a round trip through a lamp's own colour space may change."""

_CHANGES = frozenset({"toggle", "turn_on", "turn_off", "open", "close", "lock", "unlock", "start", "pause", "resume"})
_RELATIVE = frozenset({"increase", "decrease"})


@dataclass(frozen=True, slots=True)
class Atom:
    """One action on one device."""

    target: str
    action: str
    attribute: str | None
    value: Any
    unit: str | None
    delta: float | None = None


def expected_atoms(commands: Iterable[ExpectedCommand], expand: Expand) -> tuple[Atom, ...]:
    """What should be sent, device by device, each once; groups stand for their members."""
    return _unique(
        Atom(device, item.action, item.attribute, item.value, item.unit)
        for item in commands
        for target in item.targets
        for device in expand(target)
    )


def sent_atoms(commands: Iterable[Sent], expand: Expand) -> tuple[Atom, ...]:
    """What was sent, device by device, each once."""
    return _unique(
        Atom(device, item.action, item.attribute, item.value, item.unit, item.delta)
        for item in commands
        for target in item.targets
        for device in expand(target)
    )


def fits(expected: Atom, sent: Atom) -> bool:
    """Whether the sent command is the expected one.

    A verb needs no more than itself and its device; a toggle is right as the absolute change that it became. `set`
    without a value is right with any; a relative change is right with any amount where none was expected, and is
    otherwise judged by its `delta`.
    """
    return expected.target == sent.target and same_reading(expected, sent) and same_value(expected, sent)


def same_reading(expected: Atom, sent: Atom) -> bool:
    """Whether action and attribute agree, whatever the device and the value."""
    if expected.action == "toggle":
        return sent.action in _CHANGES
    if expected.action in VERBS:
        return expected.action == sent.action
    return expected.action == sent.action and expected.attribute == sent.attribute


def same_value(expected: Atom, sent: Atom) -> bool:
    """Whether the value, or the amount of a relative change, agrees."""
    if expected.action in VERBS or expected.value is None:
        return True
    if expected.action in _RELATIVE:
        wished = number(expected.value)
        if wished is None or sent.delta is None:
            return wished is None
        return abs(abs(sent.delta) - abs(wished)) <= TOLERANCE
    return values_agree(expected.value, _in_unit(sent.value, sent.unit, expected.unit))


def values_agree(expected: object, seen: object) -> bool:
    """Numbers within `TOLERANCE`, colours near each other, words whatever their case."""
    wished, got = number(expected), number(seen)
    if wished is not None and got is not None:
        return abs(wished - got) <= TOLERANCE
    one, other = rgb(expected), rgb(seen)
    if one is not None and other is not None:
        return all(abs(a - b) <= _COLOR_TOLERANCE for a, b in zip(one, other, strict=True))
    return str(expected).strip().casefold() == str(seen).strip().casefold()


def number(value: object) -> float | None:
    """The number that a value is or spells; None otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _in_unit(value: Any, unit: str | None, wished: str | None) -> Any:
    amount = number(value)
    if amount is None or unit == wished:
        return value
    if (unit, wished) == ("F", "C"):
        return (amount - 32) * 5 / 9
    if (unit, wished) == ("C", "F"):
        return amount * 9 / 5 + 32
    return value


def _unique(atoms: Iterable[Atom]) -> tuple[Atom, ...]:
    out: list[Atom] = []
    for atom in atoms:
        if atom not in out:
            out.append(atom)
    return tuple(out)
