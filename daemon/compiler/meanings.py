"""What the small model can say: `rules/meanings.yaml`, read strictly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from daemon.core.ir import KINDS
from daemon.system.nodes import Value, read_yaml

FILE: Final = "meanings.yaml"
SLOTS: Final = (
    "target", "room", "n", "color", "mode", "source", "title", "duration", "time", "name", "word", "set", "but",
)  # fmt: skip
"""What a phrase may leave open, in the order in which the model says it."""
NOUNS: Final = frozenset({"target", "set", "but"})
"""Slots that are filled by a noun phrase, to which the model may add its kind."""
NOTHING, UNSURE = "nothing", "unsure"
"""Groups of what ends in nothing, and of what is about the home though nobody could say what is to be done."""
AND: Final = "two"
"""The frame that joins two commands."""
_SLOT = re.compile(r"\$(\w+)(?:\|(\w+))?")


class Meaning(Struct, frozen=True):
    """One meaning: a clause, or what a frame adds to another one."""

    id: str
    group: str
    template: Mapping[str, Any] | None
    """A clause in which "$name" stands for a slot; None where nothing comes of it."""
    slots: tuple[str, ...]
    needed: frozenset[str]
    """Slots without which it says nothing; one of "a|b" is enough and is not among them."""
    either: frozenset[str] = frozenset()
    """Slots of which it needs one."""
    about: str = ""
    """What it is for, in English."""
    timid: bool = False
    """Whether it is asked back at most, however sure the model is."""


class Meanings(Struct, frozen=True):
    """All meanings by their identifier, in the order of the file."""

    all: Mapping[str, Meaning]

    @classmethod
    def load(cls, rules: Path) -> Meanings:
        """What this folder says.

        Raises:
            ConfigError: the file is missing or wrong.
        """
        found: dict[str, Meaning] = {}
        for group, members in read_yaml(rules / FILE).mapping().items():
            for name, data in members.mapping().items():
                if name in found or name in SLOTS:
                    data.fail("is there twice", "give it a name of its own")
                found[name] = _meaning(group, name, data)
        return cls(found)

    @property
    def commands(self) -> Iterator[Meaning]:
        """Those that a sentence can say by itself."""
        yield from (item for item in self.all.values() if item.group != "frames" and item.template is not None)

    @property
    def frames(self) -> Iterator[Meaning]:
        """Those that are said around a command and add something to it."""
        yield from (item for item in self.all.values() if item.group == "frames" and item.template)

    @property
    def words(self) -> tuple[str, ...]:
        """The closed words of the model's language, each a token of its own."""
        own = [item.id for item in (*self.commands, *self.frames)]
        kinds = [f"is:{kind}" for kind in sorted(KINDS)]
        return tuple(f"<{word}>" for word in (NOTHING, UNSURE, AND, *own, *SLOTS, *kinds))


class _Told(Struct, frozen=True, forbid_unknown_fields=True):
    about: str = ""
    clause: dict[str, Any] | None = None
    frame: Any = None
    meaning: str = ""
    timid: bool = False


def _meaning(group: str, name: str, data: Value) -> Meaning:
    told = data.into(_Told)
    template = told.clause
    if told.frame is not None:
        template = told.frame.get("cmd") if isinstance(told.frame, dict) else None
    if not isinstance(template, dict | None):
        data.fail("is no clause", "write `clause: {intent: ...}`")
    said = list(_slots(template))
    for first, second in said:
        for slot in (first, second):
            if slot is not None and slot not in SLOTS:
                data.fail(f"has an unknown slot {slot}", f"known: {', '.join(SLOTS)}")
    every = {slot for pair in said for slot in pair if slot is not None}
    if "target" in every and told.frame is None:
        every.add("room")  # "the light ... in the kitchen"
    either = frozenset(slot for pair in said if pair[1] is not None for slot in pair if slot is not None)
    optional = {"room"} if group == "frames" else {"target", "room"}
    needed = frozenset(every - either - optional)
    ordered = tuple(slot for slot in SLOTS if slot in every)
    return Meaning(name, group, template, ordered, needed, either, told.about, told.timid)


def _slots(value: Any) -> Iterator[tuple[str, str | None]]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _slots(item)
    elif isinstance(value, list):
        for item in value:
            yield from _slots(item)
    elif isinstance(value, str) and (match := _SLOT.fullmatch(value)):
        yield match[1], match[2]
