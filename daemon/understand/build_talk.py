"""What is said of words, lists, everybody and talk: parts -> `Lesson`, `AboutList`, `Broadcast`, `DialogueMove`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal, cast

from daemon.core.ir import AboutList, Broadcast, Clause, DialogueMove, Fix, Lesson, Move, Target, When
from daemon.core.values import replace
from daemon.understand.build_forbid import hours_of
from daemon.understand.build_target import build_target, target_from
from daemon.understand.build_value import build_value
from daemon.understand.build_when import build_when
from daemon.understand.parts import Parts, Reading, parts_of

_BY_VALUE = ("KIND", "KINDS", "ATTR", "MEASURE")
"""Classes whose words stand for the same thing in every language: "my lamp" is also 我的台灯."""
_VALUES = ("SOURCE", "COLOR", "MODE")
_Op = Literal["name", "prefer", "forget", "list", "names"]


def build_lesson(parts: Parts, reading: Reading) -> Lesson:
    """The lesson that the parts of a `Clause_learn` node say."""
    op = cast("_Op", parts.mark("lesson"))
    called, meaning, value = parts.part("Called"), parts.part("Meaning"), parts.part("Value")
    word = reading.text(called) if called is not None else None
    lesson = Lesson(op, word if op == "name" or word is None else topic(word, reading))
    if meaning is not None:
        return replace(lesson, value=_value(reading.text(meaning), reading))
    if value is not None:
        said = build_value(parts_of(value), reading, None)
        return replace(lesson, value=said.op if said.op in ("max", "min") else said.value, unit=said.unit)
    return lesson


def _value(text: str, reading: Reading) -> str:
    return _known(text, _VALUES, reading) or text


def topic(word: str, reading: Reading) -> str:
    """What a preference is about: a kind or an attribute by its own name, anything else as it was said."""
    return _known(word, _BY_VALUE, reading) or word


def _known(text: str, classes: tuple[str, ...], reading: Reading) -> str | None:
    known = (reading.lexicon.classes[name].values for name in classes if name in reading.lexicon.classes)
    return next((words[text] for words in known if text in words), None)


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
        first=parts.has("first") and move == "undo",
        targets=tuple(build_target(node, reading) for node in parts.parts.get("Target", ())),
    )


def build_words(kind: type[Clause], parts: Parts, reading: Reading) -> AboutList | Broadcast | None:
    """What a clause says that is nothing but words, for a list or for everybody; None where it is something else."""
    if kind is Broadcast:
        spared = tuple(place for node in parts.parts.get("Spared", ()) for place in _heard(parts_of(node), reading))
        return Broadcast(reading.text(parts.parts["Message"][0]).strip(), _heard(parts, reading), spared)
    return _list(parts, reading) if kind is AboutList else None


def _heard(parts: Parts, reading: Reading) -> tuple[Target, ...]:
    """Where something is to be heard, none: everywhere; a room that nobody here calls so by the words for it."""
    found = []
    for node in parts.parts.get("Heard", ()):
        called = parts_of(node).part("Span")
        there = target_from(parts_of(node), reading)
        found.append(there if called is None else Target(areas=(reading.text(called),), confidence=reading.sure.room))
    return () if any(item.whole_home for item in found) else tuple(found)


def _list(parts: Parts, reading: Reading) -> AboutList:
    op: Any = parts.mark("list")
    word, named = parts.word("LISTNAME"), parts.part("Listed")
    name = reading.lexicon.value("LISTNAME", reading.text(word)) if word is not None else None
    if name is None and named is not None:
        said = reading.text(named)
        usual = reading.lexicon.classes["LISTNAME"].values if "LISTNAME" in reading.lexicon.classes else {}
        name = usual.get(said, said)
    said_of = (reading.text(node).strip() for node in parts.parts.get("Item", ()))
    items = tuple(dict.fromkeys(item for one in said_of for item in _apart(one, reading)))
    return AboutList(op, name or parts.mark("listed"), items, implicit=parts.has("implicit"))


def _apart(item: str, reading: Reading) -> list[str]:
    """What is bought, where several things stand side by side with no pause: "milk eggs" are two, "egg noodles" one."""
    known, words = reading.lexicon.words("GROCERY"), item.split()
    if len(words) < 2 or not known.keys() >= set(words):  # noqa: PLR2004 - one is one
        return [item]
    return words if all("several" in (known[one], known[other]) for one, other in pairwise(words)) else [item]
