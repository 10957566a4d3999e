"""Why something is so: asked in the words by which a need is told, after how that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.core.ir import Attribute, Inquiry, Kind, Order, Parameter, Program, Target
from daemon.core.values import replace
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized, in_question

_BY_KIND: Final[dict[Kind | None, Attribute]] = {"fan": "aqi", "window": "aqi", "light": "brightness"}
"""What a need is about that says only what helps: "the air is so stuffy"."""
_OF_A_PLACE: Final = frozenset({"temperature", "humidity", "aqi"})
"""What is asked of the place; of what helps there, where nothing measures it."""
_LED_BY: Final = "(?:[a-z]+,? ){0,2}?"
"""A word or two may be said before it: "ugh", "oh dear"."""
_SURE: Final = 0.95


def asked_why(said: Normalized, grammar: Grammar, names: NameTable) -> Sequence[Program]:
    """As "why is it so cold in here": the question why, after what "it is so cold in here" tells; else none."""
    for told in in_question(said.text, (), grammar.lexicon.words("WHY"), _LED_BY):
        read = next(iter(grammar.read(replace(said, text=told, original=told), names)), None)
        need = read.clauses[0] if read is not None and len(read.clauses) == 1 else None
        if read is None or not isinstance(need, Order) or not need.implicit:
            continue
        kind = need.targets[0].kind if need.targets else None
        attribute = need.parameter.attribute if need.parameter is not None else _BY_KIND.get(kind)
        if attribute is None:
            continue
        ways = [need.targets]
        if attribute in _OF_A_PLACE:
            ways = [tuple(map(_place, need.targets)), tuple(map(_thing, need.targets))]
        asked = [Inquiry("why", way, parameter=Parameter(attribute), confidence=_SURE) for way in ways]
        sure = replace(read, text=said.text, confidence=_SURE, needs_fallback=False)
        return tuple(replace(sure, clauses=(way,)) for way in asked)
    return ()


def _place(target: Target) -> Target:
    here = target.reference or (None if target.areas or target.floors else "here")
    return target if target.mention is not None else replace(target, kind=None, reference=here)


def _thing(target: Target) -> Target:
    return replace(target, reference=None) if target.reference == "here" else target
