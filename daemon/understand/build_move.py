"""Move parts -> `DialogueMove`."""

from __future__ import annotations

from typing import cast

from daemon.core.ir import DialogueMove, Fix, Move, When
from daemon.understand.build_forbid import hours_of
from daemon.understand.build_target import build_target
from daemon.understand.build_value import build_value
from daemon.understand.build_when import build_when
from daemon.understand.parts import Parts, Reading, parts_of


def build_move(parts: Parts, reading: Reading) -> DialogueMove:
    """The move that the parts of a `Move` node say."""
    word = parts.mark("move")
    move = cast("Move", "repeat" if word == "again" else word)
    index: int | None = None
    if (ordinal := parts.word("ORDINAL")) is not None:
        index = int(reading.lexicon.value("ORDINAL", reading.text(ordinal)))
    if (pick := parts.part("Pick")) is not None:
        index = int(reading.numbers.value(reading.text(pick)))
    choice = parts.part("Choice")
    when = build_when(parts.parts.get("When", []), reading, trigger=False) if word in ("time", "not") else None
    if (hours := hours_of(parts.parts.get("Hours", []), reading)) is not None:
        when = When(hours=hours)
    value, unit = None, None
    if word == "value":
        said = build_value(parts_of(parts.parts["Value"][0]), reading, None)
        value, unit = said.value, said.unit
        if said.op in ("max", "min"):
            value = said.op
    made = Fix if move in ("correct", "follow", "only", "back") else DialogueMove
    return made(
        move,
        index=index,
        text="again" if word == "again" else reading.text(choice) if choice is not None else None,
        value=value,
        unit=unit,
        when=when,
        always=parts.has("always") and move == "select",
        targets=tuple(build_target(node, reading) for node in parts.parts.get("Target", ())),
    )
