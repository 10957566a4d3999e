"""The likeliest cut of a long utterance: from where to where each request goes, and what beside them is talk.

Each run of atoms is a request, as likely as somebody can read it; each atom may be talk, as likely as the segmenter
says. Of all ways to lay them side by side, that of the highest probability is taken (dynamic programming).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

from daemon.compiler.draft import pieces
from daemon.compiler.segmenter import ORDER, TALK, Atom
from daemon.core.ir import Clause, Order, Program, Target
from daemon.core.values import replace, to_dict

LONGEST: Final = 4
"""Atoms that one request is looked for in: what it is about, what to do, how much."""
MOST_READ: Final = 450
"""Words, or Chinese characters, in all that is read of one utterance: half a second of processor time."""
_UNREAD: Final = 0.1
"""How likely there is a request in words in which nobody can read one."""
_ANOTHER: Final = 0.8
"""How likely there is one request more, so that one is not read in two halves that say something by themselves."""
_SURELY: Final = 0.85
"""What is so likely talk is no end of a request, of which more is said."""
_HARDLY: Final = 0.3
"""What is less likely talk than this is not made more so by the talk around it."""
_BY_CHANCE: Final = 0.05
"""How often talk, beside an order, reads as one surely that names something, or says how much."""
_LEAST: Final = 0.02
"""No opinion of the segmenter about talk counts for less ..."""
_BEGINS: Final = (0.03, 0.9)
"""... nor one about beginnings, less or more: a comma is no clause, and a clause may have no comma."""


@dataclass(frozen=True, slots=True)
class Read:
    """What can be read in a run of atoms."""

    chance: float = 0.0
    """How likely that is right, 0 to 1; 0 where nothing can."""
    program: Program | None = None
    tells: bool = False
    """Whether it is a need: beside an order, why that is given."""
    silent: float = 0.0
    """How likely the words are nothing for us, 0 to 1, where that was heard."""
    bar: float = 0.0
    """From this chance on it is taken as said."""


@dataclass(frozen=True, slots=True)
class Run:
    """Some atoms of an utterance that are talk, or one request."""

    start: int
    end: int
    """They are `atoms[start:end]`."""
    sort: str
    """`TALK`, or `ORDER`: what can be read, or what nobody can."""
    chance: float
    """How likely they are that, 0 to 1."""


Reads = Mapping[tuple[int, int], Read]
"""What can be read in `atoms[start:end]`, by `(start, end)`; nothing where there is none."""


def joined(atoms: Sequence[Atom], names: Collection[tuple[int, int]]) -> tuple[Atom, ...]:
    """The atoms, less the bounds that lie within a name: nobody begins another request in the middle of one.

    Args:
        atoms: Those of a text, in order.
        names: From where to where in the text something is named.
    """
    found: list[Atom] = []
    for atom in atoms:
        if found and any(start < atom.start < end for start, end in names):
            found[-1] = replace(found[-1], end=atom.end, talk=min(found[-1].talk, atom.talk))
        else:
            found.append(atom)
    return tuple(found)


def wordings(text: str, atoms: Sequence[Atom]) -> dict[tuple[int, int], str]:
    """The words of each run of the atoms of a text that is to be read; only of short ones where that is too much."""
    for longest in range(LONGEST, 1, -1):
        found = _wordings(text, atoms, longest)
        if effort(set(found.values())) <= MOST_READ:
            return found
    return _wordings(text, atoms, 1)


def effort(texts: Iterable[str]) -> int:
    """What it takes to read these: so many words, or Chinese characters, are in them."""
    return sum(len(pieces(words)) for words in texts)


def _wordings(text: str, atoms: Sequence[Atom], longest: int) -> dict[tuple[int, int], str]:
    runs = [(start, end) for end in range(1, len(atoms) + 1) for start in starts(atoms, end, longest)]
    return {(start, end): text[atoms[start].start : atoms[end - 1].end].strip(" ,") for start, end in runs}


def starts(atoms: Sequence[Atom], end: int, longest: int = LONGEST) -> list[int]:
    """From where on something may be read up to `end`: a few atoms, that do not begin or end with talk; or all."""
    first = max(0, end - longest)
    said = [at for at in range(first, end) if at == end - 1 or max(atoms[at].talk, atoms[end - 1].talk) < _SURELY]
    return sorted({0, *said}) if end == len(atoms) else said


_NONE: Final = Read()


@dataclass(frozen=True, slots=True)
class _Way:
    """A cut of the first atoms, and the logarithm of how likely it is."""

    height: float
    runs: tuple[Run, ...]

    def on(self, run: Run, height: float, begins: float) -> _Way:
        """The way on through a run; a remark goes on through the next one, and nothing begins between them."""
        last = self.runs[-1] if self.runs else None
        if last is not None and last.sort == run.sort == TALK:
            run = Run(last.start, run.end, TALK, _together(last, run))
            return _Way(self.height + height, (*self.runs[:-1], run))
        begun = math.log(_clipped(begins)) if self.runs else 0.0
        return _Way(self.height + height + begun, (*self.runs, run))


def likeliest(atoms: Sequence[Atom], reads: Reads) -> tuple[Run, ...]:
    """The likeliest cut of an utterance into talk and requests, in order."""
    talk = [talk_in(atom, reads.get((at, at + 1), _NONE)) for at, atom in enumerate(atoms)]
    best: list[dict[str, _Way]] = [{"": _Way(0.0, ())}]
    for end in range(1, len(atoms) + 1):
        ways: dict[str, _Way] = {}
        for start in starts(atoms, end):
            for height, run in _ways(atoms, talk, reads, start, end):
                for before in best[start].values():
                    way = before.on(run, height, atoms[start].begins)
                    ways[run.sort] = max(ways.get(run.sort, way), way, key=lambda one: one.height)
        best.append(ways)
    return max(best[-1].values(), key=lambda one: one.height).runs


def is_sure(run: Run, reads: Reads, idle: Callable[[int], bool]) -> bool:
    """Whether a request surely says what is read in it: as a whole, or where it says the same in parts that surely do.

    Args:
        run: The request.
        reads: What can be read.
        idle: Whether an atom may be left out of a request.
    """
    whole = reads[run.start, run.end]
    if whole.program is None or whole.chance >= whole.bar:
        return whole.program is not None
    between = range(run.start + 1, run.end)
    for inner in (inner for count in range(1, len(between) + 1) for inner in combinations(between, count)):
        parts = list(pairwise((run.start, *inner, run.end)))
        read = {
            part: found for part in parts if (found := reads.get(part, _NONE)).program is not None and not found.tells
        }
        left = [part for part in parts if part not in read]
        if all(end - start == 1 and idle(start) for start, end in left) and all(
            found.chance >= found.bar for found in read.values()
        ):
            clauses = [clause for found in read.values() if found.program for clause in found.program.clauses]
            if comes_to_same(replace(whole.program, clauses=tuple(clauses)), whole.program):
                return True
    return False


def talk_in(atom: Atom, read: Read) -> float:
    """How likely an atom is talk: by the segmenter, and by what can be read in it.

    That is less where the grammar surely reads an order, and more where the tagger hears a need, or nothing for us.
    """
    if read.program is not None and read.program.source == "grammar" and all(map(_is_plain, read.program.clauses)):
        odds = atom.talk * _BY_CHANCE
        return odds / (odds + 1.0 - atom.talk) if odds > 0.0 else 0.0
    odds = atom.talk * read.silent
    agreed = odds / (odds + (1.0 - atom.talk) * (1.0 - read.silent)) if odds > 0.0 else 0.0
    return max(atom.talk, agreed, read.chance if read.tells else 0.0)


def _is_plain(clause: Clause) -> bool:
    """Whether it is an order about something that it names, or for so much of something."""
    if not isinstance(clause, Order) or clause.implicit:
        return False
    named = any(target.mention or target.kind not in (None, "device") for target in clause.targets)
    said = clause.parameter
    return named or (said is not None and said.op == "set" and isinstance(said.value, float))


def comes_to_same(one: Program, other: Program) -> bool:
    """Whether two programs come to the same, however surely, and however much of a name they have."""
    return len(one.clauses) == len(other.clauses) and all(map(_same, one.clauses, other.clauses))


def _same(one: Clause, other: Clause) -> bool:
    """Whether two clauses come to the same, however surely, and however much of a name they have."""
    first, second = (_less_targets(to_dict(clause)) for clause in (one, other))
    things = (getattr(one, "targets", ()), getattr(other, "targets", ()))
    return first == second and len(things[0]) == len(things[1]) and all(map(_alike, *things))


def _alike(one: Target, other: Target) -> bool:
    first, second = one.mention, other.mention
    named = first is not None and second is not None and (first in second or second in first)
    there = one.areas == other.areas or (named and not (one.areas and other.areas))
    bare = [replace(item, mention=None, kind=None, areas=(), confidence=1.0) for item in (one, other)]
    return there and (named or (first is second and one.kind == other.kind)) and (named or bare[0] == bare[1])


def _less_targets(value: object) -> object:
    """A clause without what it is done to, and how sure its slots are."""
    if isinstance(value, dict):
        return {key: _less_targets(item) for key, item in value.items() if key not in ("confidence", "targets")}
    return [_less_targets(item) for item in value] if isinstance(value, list | tuple) else value


def _ways(
    atoms: Sequence[Atom], talk: Sequence[float], reads: Reads, start: int, end: int
) -> Iterator[tuple[float, Run]]:
    """What some atoms may be, with the logarithm of how likely that is."""
    read, least = reads.get((start, end), _NONE), min(talk[start:end])
    ours = max(1.0 - least, _LEAST)
    if end - start == 1:
        yield math.log(max(least, _LEAST)), Run(start, end, TALK, least)
        yield math.log(_UNREAD * ours), Run(start, end, ORDER, 1.0 - least)
    if read.program is not None and not read.tells:
        whole = sum(math.log(1.0 - _clipped(atom.begins)) for atom in atoms[start + 1 : end])
        yield math.log(max(read.chance, _LEAST) * ours * _ANOTHER) + whole, Run(start, end, ORDER, 1.0 - least)


def _together(one: Run, other: Run) -> float:
    """How likely two runs of talk are that: by all their atoms, and by the one that hardly is where there is one."""
    sizes = (one.end - one.start, other.end - other.start)
    least = min(one.chance, other.chance)
    mean = (one.chance ** sizes[0] * other.chance ** sizes[1]) ** (1.0 / sum(sizes))
    return least if least < _HARDLY else mean


def _clipped(begins: float) -> float:
    return min(max(begins, _BEGINS[0]), _BEGINS[1])
