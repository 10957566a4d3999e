"""What is told as a moment and is no state: a button that is pressed twice, a cube that is shaken, a bell that rings.

A device lists its events in its maker's words (`1_double`, `brightness_move_up`, `hold_left`). What each of them is, in
general, and which button of several it is of, say the tables `presses` and `buttons` in `rules/<lang>/names.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from msgspec import Struct

from daemon.core.entities import Capability, Entity
from daemon.core.ir import Condition
from daemon.home.settings import spaced
from daemon.system.languages import naming

NAME: Final = "event"
"""The capability, and its attribute."""
PRESS: Final = "press"
_SHORT, _NOTHING, _ANY = "single", "none", "any"
MOST: Final = 128
"""Events of one device; of more none is used."""
_LONGEST: Final = 60
_NUMBERED: Final = re.compile(r"[a-z]{1,3}0*(\d{1,2})")
"""How makers number buttons beside plain numbers: "l1", "s2", "key3"."""


class Press(Struct, frozen=True):
    """One event, in general: how it is pressed (or turned, or shaken), and which button of several."""

    kind: str
    button: str = ""


def event(options: Iterable[object]) -> Capability | None:
    """The capability of telling these events, in their maker's words; None where there are none, or too many."""
    words = tuple(word for word in dict.fromkeys(map(word_of, options)) if word and _read(word).kind != _NOTHING)
    if not 0 < len(words) <= MOST:
        return None
    return Capability(NAME, NAME, options=words, readable=False, gettable=False)


def word_of(raw: object) -> str:
    """An event as a device says it, in our spelling; empty where it says that there is none."""
    word = raw.strip().casefold() if isinstance(raw, str) else ""
    return word if len(word) <= _LONGEST else ""


def said(raw: object, capability: Capability) -> str | None:
    """What a device that can tell these events says; None where it tells of none of them."""
    return word if (word := word_of(raw)) in capability.options else None


def is_told(option: str) -> bool:
    """Whether a maker's word says how something is pressed or moved, rather than only what happens then: "lock"."""
    return any(kind for kind, _, _ in _found(spaced(option).split()))


def read(option: str) -> Press:
    """What a maker's word says, as people speak of it."""
    press = _read(option)
    return Press(PRESS, press.button) if press.kind == _SHORT else press


def offered(options: Iterable[str]) -> tuple[Press, ...]:
    """All that can be said of these events, each once."""
    return tuple(dict.fromkeys(press for press in map(read, options) if press.kind != _NOTHING))


def meant(condition: Condition, options: Sequence[str]) -> frozenset[str]:
    """Those of a device's events that a condition waits for.

    A press of which nobody says how often is a single one, where the device tells that apart from the first contact.
    """
    told = {item: _read(item) for item in options}
    button = button_of(condition.button) if condition.button is not None else None
    if button is not None:
        same = {item: press for item, press in told.items() if press.button == button}
        words = set(button.split())
        told = same or {item: press for item, press in told.items() if words.issubset(press.button.split())}
    if condition.value != PRESS:
        return frozenset(item for item, press in told.items() if press.kind == condition.value)
    short = {press.button for press in told.values() if press.kind == _SHORT}
    return frozenset(
        item
        for item, press in told.items()
        if press.kind == _SHORT or (press.kind == PRESS and press.button not in short)
    )


def able(entity: Entity, condition: Condition) -> bool:
    """Whether a device ever tells what such a condition waits for."""
    capability = entity.capability(NAME)
    return capability is not None and bool(meant(condition, capability.options))


def button_of(words: str) -> str:
    """Which button is meant, as all makers and speakers call it: "left" for 左边; what nobody knows, as it is."""
    table, left = _buttons(), spaced(words).split()
    found: list[str] = []
    while left:
        size = next((size for size in range(len(left), 0, -1) if tuple(left[:size]) in table), 0)
        word = table[tuple(left[:size])] if size else _number(left[0])
        if word != _ANY:
            found.append(word)
        left = left[size or 1 :]
    return " ".join(dict.fromkeys(found))


def spoken(button: str, lang: str) -> str:
    """What a button is called in a language; its maker's word where there is none."""
    words = naming()[lang].buttons if lang in naming() else {}
    return " ".join(words[part][0] if words.get(part) else part for part in button.split())


def _number(word: str) -> str:
    numbered = _NUMBERED.fullmatch(word)
    return numbered[1] if numbered else word.lstrip("0") if word.isdecimal() and word.strip("0") else word


def _read(option: str) -> Press:
    words = spaced(option).split()
    best = max(_found(words), key=lambda item: item[2] - item[1], default=("", 0, 0))
    kind, start, end = best
    return Press(kind or PRESS, button_of(" ".join((*words[:start], *words[end:]))))


def _found(words: Sequence[str]) -> Iterable[tuple[str, int, int]]:
    """Each run of words that says how something is pressed: what it says, and where it stands."""
    table = _presses()
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            if (kind := table.get(tuple(words[start:end]))) is not None:
                yield kind, start, end


@cache
def _presses() -> Mapping[tuple[str, ...], str]:
    return _runs(told.presses for told in naming().values())


@cache
def _buttons() -> Mapping[tuple[str, ...], str]:
    return _runs(told.buttons for told in naming().values())


def _runs(tables: Iterable[Mapping[str, tuple[str, ...]]]) -> Mapping[tuple[str, ...], str]:
    """The words of a table, in all languages, and what each says."""
    return {tuple(spaced(word).split()): one for table in tables for one, words in table.items() for word in words}
