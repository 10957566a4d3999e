"""Cases: a sentence in a home, and what must come of it. Here is the list of all that may be done to a sentence."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from benchmarks.metamorphic import changes, takebacks
from benchmarks.metamorphic.drafts import Draft, Made, Unfit
from benchmarks.metamorphic.homes import Home, enlarged, random_home, renamed
from benchmarks.metamorphic.judging import Expected
from benchmarks.metamorphic.programs import States
from benchmarks.metamorphic.saying import LANGS
from benchmarks.utterances import chance

_TRIES: Final = 200


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence in a home, and what must come of it."""

    change: str
    lang: str
    text: str
    home: Home
    states: States
    expected: Expected
    languages: tuple[str, ...]
    """Those of the home, its own first."""


def case(number: int, seed: int) -> Case:
    """The case of a number; the same for the same seed. Changes take turns, then languages."""
    names = tuple(CHANGES)
    change, lang = names[number % len(names)], LANGS[number // len(names) % len(LANGS)]
    dice = random.Random(f"{seed} {number}")
    for _ in range(_TRIES):
        home = random_home(dice)
        if change in _HOMES:
            home = _HOMES[change](home, dice)
        draft = Draft(dice, home, lang)
        try:
            text, expected = CHANGES[change](draft)
        except Unfit:
            continue
        # The home's own language comes first; only "other language" is spoken in its second one.
        own = (lang == LANGS[0]) != (change == "other language")
        return Case(
            change,
            lang,
            _written(text, dice, lang),
            home,
            draft.states,
            expected,
            LANGS if own else LANGS[::-1],
        )
    raise AssertionError(f"no home fits {change}")


def _written(text: str, dice: random.Random, lang: str) -> str:
    """With a capital and a full stop, or as an ear writes it."""
    if chance(dice, 0.5):
        return text
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "。")) else "。" if lang == "zh" else ".")


def _framed_change(draft: Draft) -> Made:
    text, expected = draft.dice.choice(_FRAMEABLE)(draft)
    return draft.speaker.around(draft.dice.choice(("reason_before", "talk_before", "reason_after")), text), expected


_FRAMEABLE: Final = (
    changes.place_front,
    changes.place_after,
    changes.value_first,
    takebacks.correct_value,
    takebacks.correct_target,
    takebacks.correct_place,
    takebacks.exception,
    takebacks.negated_part,
    partial(changes.later, "end"),
)

_HOMES: Final[Mapping[str, Callable[[Home, random.Random], Home]]] = {
    "renamed": renamed,
    "unrelated device": enlarged,
}
"""Changes of the home rather than of the sentence."""

CHANGES: Final[Mapping[str, Callable[[Draft], Made]]] = {
    "plain": changes.plain,
    "relative": partial(changes.of_sort, ("by", "bit")),
    "share": partial(changes.of_sort, ("share",)),
    "value first": changes.value_first,
    "place in front": changes.place_front,
    "place as an afterthought": changes.place_after,
    "polite before": partial(changes.framed, "polite_before"),
    "polite after": partial(changes.framed, "polite_after"),
    "reason before": partial(changes.framed, "reason_before"),
    "reason after": partial(changes.framed, "reason_after"),
    "talk before": partial(changes.framed, "talk_before"),
    "before and after": changes.twice_framed,
    "another change and talk": _framed_change,
    "joined by and": partial(changes.joined, "and"),
    "joined by then": partial(changes.joined, "then"),
    "joined by a comma": partial(changes.joined, "comma"),
    "joined by also": partial(changes.joined, "also"),
    "the same elsewhere": changes.same_again,
    "repeated": changes.repeated,
    "value corrected": takebacks.correct_value,
    "device corrected": takebacks.correct_target,
    "room corrected": takebacks.correct_place,
    "deed corrected": takebacks.correct_deed,
    "exception": takebacks.exception,
    "negated": partial(takebacks.denied, "negated"),
    "half negated": takebacks.negated_part,
    "not asked for": partial(takebacks.denied, "not_asked"),
    "cancelled": partial(takebacks.denied, "cancelled"),
    "risky": takebacks.risky,
    "time in front": partial(changes.later, "start"),
    "time at the end": partial(changes.later, "end"),
    "time between": partial(changes.later, "between"),
    "later half": changes.later_half,
    "duration": changes.lasting,
    "condition in front": partial(changes.condition, "start"),
    "condition at the end": partial(changes.condition, "end"),
    "other language": changes.plain,
    "renamed": changes.plain,
    "unrelated device": changes.plain,
    "letter misheard": changes.misheard,
}
"""The name of each, and what makes a sentence and what must come of it."""
