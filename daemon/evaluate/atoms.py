"""Commands broken down to one device each, what a turn led to, where a case went wrong first; the words of the format.

Where they differ from Hearken's own (`daemon.core.entities`), the words stand at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from msgspec import Struct, field

from daemon.core.result import Command
from daemon.evaluate.cases import ExpectedCommand
from daemon.home.foreign_words import spelt_number


class Turn(Struct, frozen=True):
    """The parts of a result that are scored."""

    outcome: str
    sent: tuple[Command, ...] = ()
    scheduled: tuple[Command, ...] = ()
    read: frozenset[str] = frozenset()
    final_state: dict[str, dict[str, Any]] = field(default_factory=dict)
    clauses: tuple[dict[str, Any], ...] | None = None
    """The clauses of the IR; None where nothing was understood."""
    error: str | None = None
    """What broke, where the pipeline itself failed."""

    @classmethod
    def of(cls, line: dict[str, Any]) -> Turn:
        """From a result line, or from its `after_answer`; a command `query` counts as read, not as sent."""
        commands = [_sent(item) for item in line.get("commands") or ()]
        later = [item for entry in line.get("scheduled") or () for item in entry.get("commands") or ()]
        asked = {target for item in commands if item.action == "query" for target in item.targets}
        program = line.get("ir")
        return cls(
            outcome=line["outcome"],
            sent=tuple(item for item in commands if item.action != "query"),
            scheduled=tuple(_sent(item) for item in later),
            read=frozenset(line.get("read") or ()) | asked,
            final_state=line.get("final_state") or {},
            clauses=tuple(program.get("clauses") or ()) if isinstance(program, dict) else None,
            error=line.get("error"),
        )


def _sent(data: dict[str, Any]) -> Command:
    return Command(
        action=data["action"],
        targets=tuple(data.get("targets") or ()),
        attribute=data.get("attribute"),
        value=data.get("value"),
        unit=data.get("unit"),
        delta=data.get("delta"),
    )


Expand = Callable[[str], tuple[str, ...]]
"""A group's id -> its members; any other id -> itself."""

TOLERANCE = 1.0
"""Numbers may differ by this much: percent are rounded on their way through a device's own scale."""

_COLOR_TOLERANCE = 40
"""Per channel, of 255: what a round trip through a lamp's own colour space may change."""

_CHANGES = frozenset({"toggle", "turn_on", "turn_off", "open", "close", "lock", "unlock", "start", "pause", "resume"})
_RELATIVE = frozenset({"increase", "decrease"})


class Atom(Struct, frozen=True):
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


def sent_atoms(commands: Iterable[Command], expand: Expand) -> tuple[Atom, ...]:
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
        wished = spelt_number(expected.value)
        if wished is None or sent.delta is None:
            return wished is None
        return abs(abs(sent.delta) - abs(wished)) <= TOLERANCE
    return values_agree(expected.value, _in_unit(sent.value, sent.unit, expected.unit))


def values_agree(expected: object, seen: object) -> bool:
    """Numbers within `TOLERANCE`, colours near each other, words whatever their case."""
    wished, got = spelt_number(expected), spelt_number(seen)
    if wished is not None and got is not None:
        return abs(wished - got) <= TOLERANCE
    one, other = rgb(expected), rgb(seen)
    if one is not None and other is not None:
        return all(abs(a - b) <= _COLOR_TOLERANCE for a, b in zip(one, other, strict=True))
    return str(expected).strip().casefold() == str(seen).strip().casefold()


def _in_unit(value: Any, unit: str | None, wished: str | None) -> Any:
    amount = spelt_number(value)
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


Fault = Literal[
    "error",
    "acted_out_of_scope",
    "not_understood",
    "needless_question",
    "missed_question",
    "refused",
    "wrong_reading",
    "wrong_entity",
    "wrong_value",
    "wrong_state",
    "wrong_after_answer",
    "wrong_outcome",
]
"""`wrong_reading`: another action or attribute (understanding). `wrong_entity`: other devices, too many or too few
(the home). `wrong_value`: the right devices, another value (planning). `wrong_state`: the right commands, and yet
another state in the end. `wrong_after_answer`: asked rightly, and the answer led nowhere. `wrong_outcome`: all of
these right, called by another word. `error`: the pipeline raised."""


def command_fault(wished: Sequence[Atom], sent: Sequence[Atom]) -> Fault:
    """The first difference between what should have been sent and what was; `wrong_outcome` where there is none."""
    if not _covers(wished, sent):
        return "wrong_reading"
    if {atom.target for atom in wished} != {atom.target for atom in sent}:
        return "wrong_entity"
    if not all(any(fits(want, got) for got in sent) for want in wished) or not all(
        any(fits(want, got) for want in wished) for got in sent
    ):
        return "wrong_value"
    return "wrong_outcome"


def _covers(wished: Sequence[Atom], sent: Sequence[Atom]) -> bool:
    return all(any(same_reading(want, got) for got in sent) for want in wished) and all(
        any(same_reading(want, got) for want in wished) for got in sent
    )


COLORS: dict[str, tuple[int, int, int]] = {
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "orange": (255, 165, 0),
    "purple": (128, 0, 128),
    "violet": (238, 130, 238),
    "pink": (255, 192, 203),
    "magenta": (255, 0, 255),
    "cyan": (0, 255, 255),
    "turquoise": (64, 224, 208),
    "teal": (0, 128, 128),
    "lime": (0, 255, 0),
    "gold": (255, 215, 0),
    "brown": (165, 42, 42),
    "white": (255, 255, 255),
    "lavender": (230, 230, 250),
    "indigo": (75, 0, 130),
}
"""CSS names; the first of two names for one colour is the one that is written."""

VERBS = frozenset(
    {
        *("turn_on", "turn_off", "toggle", "open", "close", "stop", "lock", "unlock", "activate"),
        *("start", "pause", "resume", "next", "previous", "mute", "unmute", "dock"),
    }
)
"""Actions that say everything themselves: they carry no attribute and no value."""

_ATTRIBUTES = {"speed": "fan_speed"}
_SORTS = {"show": "tv_show"}
"""Our sorts of media -> those of the format."""
_NAMES = {rgb: name for name, rgb in reversed(COLORS.items())}
_HEX = re.compile(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", re.IGNORECASE)


def rgb(color: object) -> tuple[int, int, int] | None:
    """A colour from a name, "#rrggbb" or [red, green, blue]; None where it is none of these."""
    match color:
        case [int() | float() as red, int() | float() as green, int() | float() as blue]:
            return round(red), round(green), round(blue)
        case str() if found := _HEX.fullmatch(color):
            return int(found[1], 16), int(found[2], 16), int(found[3], 16)
        case str():
            return COLORS.get(color.strip().lower())
        case _:
            return None


def in_words(data: dict[str, Any]) -> dict[str, Any]:
    """A command of the result object in the words of the format: colours by name, no attribute beside a verb."""
    out = dict(data)
    if out["action"] == "play":
        sort = _SORTS.get(out.get("unit", ""), out.get("unit"))
        named = {"action": "play_media", "value": out["value"], "targets": out["targets"]}
        return named if sort is None else named | {"attribute": sort}
    if out["action"] in VERBS:
        return {key: out[key] for key in ("action", "targets")}
    if "attribute" in out:
        out["attribute"] = _ATTRIBUTES.get(out["attribute"], out["attribute"])
    if out.get("attribute") == "color" and (parts := rgb(out.get("value"))) is not None:
        out["value"] = _NAMES.get(parts, out["value"])
    return out


_SCALES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "brightness": ("brightness", lambda percent: round(percent * 255 / 100)),
    "color": ("rgb_color", lambda value: None if (parts := rgb(value)) is None else list(parts)),
    "color_temp": ("color_temp_kelvin", round),
    "volume": ("volume_level", lambda percent: round(percent / 100, 4)),
    "muted": ("is_volume_muted", bool),
    "position": ("current_position", round),
    "battery": ("battery_level", round),
    "speed": ("percentage", lambda value: value),
}
"""Canonical attribute -> Home Assistant's name, and the value in its scale."""


def state_in_words(truth: dict[str, Any]) -> dict[str, Any]:
    """A device's true state, by canonical attribute, as {state, attributes} in Home Assistant's words and scales."""
    attributes = {}
    for name, value in truth.items():
        if value is None or name in ("state", "command"):
            continue
        other, convert = _SCALES.get(name, (name, lambda same: same))
        attributes[other] = convert(value)
    if "brightness" in truth:
        _as_a_light(attributes, on=truth.get("state") != "off")
    return {"state": truth.get("state"), "attributes": attributes}


def _as_a_light(attributes: dict[str, Any], *, on: bool) -> None:
    """Says by which of its attributes a lamp shines now; one that is off shines by none."""
    modes = {"rgb_color": "rgb", "color_temp_kelvin": "color_temp", "brightness": "brightness"}
    attributes["color_mode"] = next((mode for name, mode in modes.items() if name in attributes), None)
    if not on:
        attributes.update(dict.fromkeys([*(modes.keys() & attributes.keys()), "color_mode"]))
