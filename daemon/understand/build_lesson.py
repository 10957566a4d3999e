"""Lesson parts -> `Lesson`: what words are to mean."""

from __future__ import annotations

from typing import Literal, cast

from daemon.core.ir import Lesson
from daemon.core.values import replace
from daemon.understand.build_value import build_value
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
