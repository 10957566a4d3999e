"""The likeliest cut of a long utterance: from where to where each request goes, and what beside them is talk.

Each run of atoms is a request, as likely as somebody can read it; each atom may be talk, as likely as the segmenter
says. Of all ways to lay them side by side, that of the highest probability is taken (dynamic programming).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from daemon.compiler.segmenter import ORDER, TALK, Atom, Segment

LONGEST: Final = 4
"""Atoms that one request is looked for in: what it is about, what to do, how much."""
_UNREAD: Final = 0.1
"""How likely there is a request in words in which nobody can read one."""
_ANOTHER: Final = 0.8
"""How likely there is one request more, so that one is not read in two halves that say something by themselves."""
_SURELY: Final = 0.95
"""What is so likely talk is no end of a request, of which more is said."""
_LEAST: Final = 0.02
"""No opinion of the segmenter about talk counts for less ..."""
_BEGINS: Final = (0.1, 0.9)
"""... nor one about beginnings, less or more: a comma is no clause, and a clause may have no comma."""


@dataclass(frozen=True, slots=True)
class Read:
    """What can be read in a run of atoms."""

    chance: float
    """How likely that is right, 0 to 1; 0 where nothing can."""
    tells: bool = False
    """Whether it is a need: beside an order, why that is given."""


def starts(atoms: Sequence[Atom], end: int) -> list[int]:
    """From where on something may be read up to `end`: a few atoms, that do not begin or end with talk; or all."""
    first = max(0, end - LONGEST)
    said = [at for at in range(first, end) if at == end - 1 or max(atoms[at].talk, atoms[end - 1].talk) < _SURELY]
    return sorted({0, *said}) if end == len(atoms) else said


_Way = tuple[float, int, str]
"""Its logarithm, where its last run begins, and what that is."""


def likeliest(atoms: Sequence[Atom], read: Callable[[int, int], Read]) -> tuple[Segment, ...]:
    """The likeliest cut; its orders are what can be read, or what nobody can. One segment, where there is none better.

    Args:
        atoms: Of the utterance, in order.
        read: What can be read in `atoms[start:end]`, for runs of up to `LONGEST`, and for all of them.
    """
    best: list[_Way] = [(0.0, 0, "")]
    for end in range(1, len(atoms) + 1):
        starts = (
            sorted({0, *range(max(0, end - LONGEST), end)}) if end == len(atoms) else range(max(0, end - LONGEST), end)
        )
        ways = [way for start in starts for way in _ways(atoms, start, end, read, best[start][0])]
        best.append(max(ways))
    found: list[Segment] = []
    end = len(atoms)
    while end:
        _, start, sort = best[end]
        talk = [atom.talk for atom in atoms[start:end]]
        sure = talk[0] if sort == TALK else 1.0 - min(talk)
        found.append(Segment(atoms[start].start, atoms[end - 1].end, sort, sure))
        end = start
    return tuple(_joined(found[::-1]))


def _ways(atoms: Sequence[Atom], start: int, end: int, read: Callable[[int, int], Read], before: float) -> list[_Way]:
    """How likely `atoms[start:end]` are talk, and a request, behind something as likely as `before`."""
    run = read(start, end)
    before += math.log(_clipped(atoms[start].begins)) if start else 0.0
    ways = []
    if end - start == 1:
        talk = max(atoms[start].talk, run.chance if run.tells else 0.0)
        ways = [(before + math.log(max(talk, _LEAST)), start, TALK)]
        ways += [(before + math.log(_UNREAD * max(1.0 - talk, _LEAST)), start, ORDER)]
    if run.chance > 0.0 and not run.tells:
        ours = max(1.0 - min(atom.talk for atom in atoms[start:end]), _LEAST)
        whole = sum(math.log(1.0 - _clipped(atom.begins)) for atom in atoms[start + 1 : end])
        ways.append((before + math.log(run.chance * ours * _ANOTHER) + whole, start, ORDER))
    return ways


def _clipped(begins: float) -> float:
    return min(max(begins, _BEGINS[0]), _BEGINS[1])


def _joined(segments: Sequence[Segment]) -> list[Segment]:
    """The segments; a remark goes on through the next one."""
    found = list(segments[:1])
    for before, item in pairwise(segments):
        if before.sort == item.sort == TALK:
            found[-1] = Segment(found[-1].start, item.end, TALK, min(found[-1].chance, item.chance))
        else:
            found.append(item)
    return found
