"""Titles as they were said: with the capitals, signs and script that normalizing takes away."""

from __future__ import annotations

import re

from daemon.core.ir import AboutList, Clause, Fix, Order, Program, Timer
from daemon.core.values import replace
from daemon.understand.normalize import plain_text

_PIECE = re.compile(r"[A-Za-z0-9\u00c0-\u024f][^\s\u3400-\u9fff]*|[^\s]")
"""A word, or a single character of another script."""
_AROUND = " ,.!?;:，。！？；：\"“”‘’'《》「」"
_LONGEST = 24
"""Pieces of a title; a longer one stays plain."""


def as_said(program: Program, original: str) -> Program:
    """The program with its titles as they stand in what came in."""
    clauses = tuple(_clause(item, original) for item in program.clauses)
    return program if clauses == program.clauses else replace(program, clauses=clauses)


def _clause(clause: Clause, original: str) -> Clause:
    if isinstance(clause, Timer):
        return replace(clause, reminds=_found(clause.reminds, original)) if clause.reminds else clause
    if isinstance(clause, AboutList):
        name = clause.name if clause.name is None else _found(clause.name, original)
        return replace(clause, name=name, items=tuple(_found(item, original) for item in clause.items))
    parameter = clause.parameter
    if not isinstance(clause, Order | Fix) or parameter is None or parameter.attribute != "media":
        return clause
    if not isinstance(parameter.value, str):
        return clause
    return replace(clause, parameter=replace(parameter, value=_found(parameter.value, original)))


def _found(title: str, original: str) -> str:
    """The part of the original whose plain form is the title; the title itself where none is."""
    pieces = list(_PIECE.finditer(original))
    for first, piece in enumerate(pieces):
        begun = plain_text(piece.group())
        if not (begun and title.startswith(begun)):
            continue
        for last in pieces[first : first + _LONGEST]:
            part = original[piece.start() : last.end()]
            if plain_text(part) == title:
                return part.strip(_AROUND)
    return title
