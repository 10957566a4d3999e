"""The parts of one row that say something, with what stands between them; and what is meant after second thoughts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile
from typing import Final

from msgspec import Struct

from daemon.core.values import replace
from daemon.understand.lattice import Part
from daemon.understand.matchers import Node
from daemon.understand.sorts import (
    ASKING,
    BROKEN,
    CORRECTION,
    EITHER,
    FRAMED,
    FRONT,
    GAPS,
    INSTEAD,
    LISTED,
    NAMING,
    OPENING,
    SILENT,
    SWITCHING,
    TALK,
    THEME,
    VALUES,
    VERBS,
)

MOST_TRIED: Final = 12_000
"""Commands that the words of one text are tried as, a tenth of a second: one of thirty lamps takes a quarter of it."""
_JOINED = ("joint", "next")
_JOINING = ("Next", "besides__")
"""What says more of a joint than that something follows."""
_PRONOUN = "pronoun__yes"
_SPARING = ("spared", "kept")


class Piece(Struct, frozen=True):
    """A part, and what stands before it: a "comma", a "joint", a joint that says what comes "next", or nothing."""

    part: Part
    gap: str = ""
    joint: Node | None = None
    """What says that it comes next, or when nothing else holds."""

    @property
    def sort(self) -> str:
        """The sort of the part."""
        return self.part.sort

    @property
    def nodes(self) -> tuple[Node, ...]:
        """What the part says."""
        return self.part.nodes

    @property
    def is_afterwards(self) -> bool:
        """Whether it comes once something else is done: "and then", which does not say of what it is the case."""
        return self.joint is not None and any(node.rule == "afterwards__yes" for node in self.joint.children)

    def says_verb_of(self, other: Piece) -> bool:
        """Whether both are the same verb."""
        alike = [node.rule for node in self.nodes] == [node.rule for node in other.nodes]
        return alike and self.sort == other.sort and self.sort in SWITCHING

    def says(self, mark: str) -> bool:
        """Whether it has a mark."""
        return any(node.rule == mark for node in self.nodes)

    def names(self, *marks: str) -> bool:
        """Whether what it names has one of these marks."""
        return any(child.rule in marks for node in self.nodes for child in node.children)

    @property
    def is_pronoun(self) -> bool:
        """Whether it is nothing but "it"."""
        return self.names("reference__it", "reference__that", "reference__them")


class Around(Struct, frozen=True):
    """What stands around the pieces of one command."""

    before: Node | None
    """The command before them."""
    begins: bool
    """Something that sets them off from it."""
    ends: bool
    """Something that sets them off from what follows."""
    marked: bool
    """An object marker (把), which wants a verb behind it."""
    next_: bool
    """Something that says that it comes next: what it is about has been said."""
    else_: bool
    """An "otherwise": what it is about has been said."""
    close: bool = False
    """Nothing else was said since the command before them."""

    @property
    def apart(self) -> bool:
        """Whether they are set off on both sides."""
        return self.begins and self.ends

    @property
    def marks(self) -> tuple[bool, ...]:
        """All of it but what the command before says."""
        return (self.before is None, self.begins, self.ends, self.marked, self.next_, self.else_, self.close)


class Meant(Struct, frozen=True):
    """What the pieces of one command come to."""

    pieces: tuple[Piece, ...]
    instead: tuple[Piece, ...] = ()
    """What is named instead of what was."""


_SETS: Final = "op__set"
"""Marks a value as one to set, and not to change something by."""


class Made(Struct, frozen=True):
    """Commands that pieces came to, and what they cost."""

    cost: float
    nodes: tuple[Node, ...] = ()


class Known(Struct):
    """What is known of the rows of one text."""

    made: dict[tuple[object, ...], Made | None] = {}
    """What pieces came to as one command, by all that it depends on."""
    left: int = MOST_TRIED
    """As so many commands pieces may still be tried."""


def pieces_of(parts: Sequence[Part]) -> tuple[Piece, ...]:
    """The pieces of a row; none where it breaks off behind a joint."""
    out: list[Piece] = []
    gap, joint, corrects = "", None, False
    for part in parts:
        if corrects and part.sort == TALK:
            return ()  # "no, 28" is no talk, whatever it may be
        corrects = part.sort == CORRECTION or (corrects and part.sort in GAPS)
        if part.sort in GAPS:
            found = next((node for node in part.nodes if node.rule.startswith(_JOINING) or part.sort == "else"), None)
            joint = found if part.sort == "else" else joint or found
            said = GAPS[part.sort]
            gap = "next" if found is not None else gap if gap in _JOINED and said not in ("mark", "begs") else said
        elif part.sort not in SILENT:
            also = bool(out) and any(node.rule == "also__yes" for node in part.nodes)
            out.append(Piece(part, "next" if also else gap, joint))
            gap, joint = "", None
    return tuple(out) if gap not in _JOINED else ()


def meant(pieces: Sequence[Piece]) -> Meant | None:
    """What is meant once a correction among the pieces is heeded; None where it corrects nothing.

    "The globe to 40, no, 50" keeps all but the value, "..., I mean the lamp" all but the name.
    """
    at = next((index for index, piece in enumerate(pieces) if piece.sort == CORRECTION), None)
    if at is None:
        return Meant(_less_pronouns(pieces))
    first, last = pieces[:at], said_instead(pieces[at:])
    begun = any(piece.sort != OPENING for piece in first)
    if not begun or not last or last[0].gap in _JOINED or any(map(_corrects, last)):
        return None
    last = (Piece(last[0].part), *last[1:])  # the comma was that of the correction
    # "Turn off the lamp, no, turn off the fan" says only what for what.
    said_again = any(piece.says_verb_of(other) for piece in last for other in first)
    last = tuple(piece for piece in last if not any(map(piece.says_verb_of, first))) or last
    value = next((piece.sort for piece in first if piece.sort in VALUES), "number")
    last = tuple(
        Piece(replace(piece.part, sort=value), piece.gap) if piece.sort == "number" else piece for piece in last
    )
    last = tuple(_as_level(piece, first) for piece in last)
    if any(piece.sort in INSTEAD for piece in last):
        return None  # of what is no part here: the whole command is corrected
    if last[0].sort == "when" and {piece.sort for piece in first} - {OPENING} == {"when"}:
        return Meant(_less_pronouns((_at_another_time(first, last[0]), *last[1:])))
    if _is_of_the_whole(first, last) or _are_two(first, last):
        return None
    slots = _slots(last, said_again=said_again)
    if "names" in slots and "verbs" not in slots and not any(piece.sort in NAMING for piece in first):
        first = tuple(piece for piece in first if piece.sort not in (*LISTED, BROKEN))  # "the bedroom, no, the fan"
    if not said_again and (one := _last_of_several(first, last)) is not None:
        return Meant(_less_pronouns(one))
    if "verbs" not in slots and (others := _names(first, last)):
        kept = (piece for piece in first if piece.sort in LISTED or _slot(piece.sort) not in slots)
        changed = (piece for piece in last if piece.sort not in LISTED)
        return Meant(_less_pronouns((*kept, *changed)), others)
    if all(piece.is_pronoun for piece in last if piece.sort in NAMING):
        last = tuple(piece for piece in last if piece.sort not in NAMING)
        slots.discard("names")
    kept = (piece for piece in first if _slot(piece.sort) not in slots)
    return Meant(_less_pronouns((*kept, *last)))


def said_instead(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """What is said behind a correction, less what is said of it once more ("the lamp, I mean"), and "the other one"."""
    last = tuple(dropwhile(_corrects, pieces))
    while last and _corrects(last[-1]) and last[-1].says("meant__yes"):
        last = last[:-1]
    # "No, the other one, the lamp": that says which.
    named = len(last) > 1 and last[0].names("reference__other") and {last[0].sort, last[1].sort} <= NAMING
    return last[1:] if named else last


def _at_another_time(first: Sequence[Piece], said: Piece) -> Piece:
    """The time that is said instead, with the one before, whose day stays: "tomorrow at nine, no, at ten, ..."."""
    *_, earlier = (piece.part for piece in first if piece.sort == "when")
    sooner = Node("Sooner", earlier.start, earlier.end, earlier.nodes)
    *others, when = said.part.nodes
    node = Node(when.rule, when.start, when.end, (*when.children, sooner))
    return replace(said, part=replace(said.part, nodes=(*others, node)))


def _is_of_the_whole(first: Sequence[Piece], last: Sequence[Piece]) -> bool:
    """Whether more is corrected than parts of one command, or less: a part of a time, a condition, an exception."""
    said, sorts = {piece.sort for piece in last}, {piece.sort for piece in first}
    if "when" in said and not sorts.isdisjoint(("when", "sole")):
        return True
    if {_slot(piece.sort) for piece in last} == {"negation", "verbs"}:
        return True  # "no, don't": that takes all of it back
    if sorts & ASKING and said & VERBS and not said & ASKING:
        return True  # "is the curtain, I mean the blind, open" opens nothing
    if said & VALUES and not sorts & VALUES and (sorts & FRONT or FRAMED.isdisjoint(sorts | (said & LISTED))):
        return True  # of a name alone no value is corrected: 书房的灯改成绿色
    return said <= LISTED and first[-1].sort in _SPARING


def _are_two(first: Sequence[Piece], last: Sequence[Piece]) -> bool:
    """Whether two values are said of which only one is corrected: "to cool, 22, no, 24"."""
    said = [piece.sort for piece in first if piece.sort in VALUES - {"chosen"}]
    return len(said) > 1 and VERBS.isdisjoint(piece.sort for piece in last)


def _last_of_several(first: Sequence[Piece], last: Sequence[Piece]) -> tuple[Piece, ...] | None:
    """As "the lamp and the kettle, I mean the fan", which is the lamp and the fan; None where no list is corrected."""
    named = [at for at, piece in enumerate(first) if piece.sort in NAMING]
    if len(named) < 2 or len(last) != 1 or last[0].sort not in NAMING or first[named[-1]].gap != "joint":  # noqa: PLR2004
        return None
    at = named[-1]
    return (*first[:at], Piece(last[0].part, first[at].gap, first[at].joint), *first[at + 1 :])


def _as_level(piece: Piece, first: Sequence[Piece]) -> Piece:
    """A value as the level that it is said in place of: "dim it to 40, no, 30 percent" is to 30, and not by 30."""
    level = next((other for other in first if other.sort == "level"), None)
    if piece.sort != "value" or level is None:
        return piece
    marks = tuple(node for node in level.part.nodes if node.rule == _SETS and node not in piece.part.nodes)
    return Piece(replace(piece.part, sort="level", nodes=(*marks, *piece.part.nodes)), piece.gap, piece.joint)


def _corrects(piece: Piece) -> bool:
    return piece.sort == CORRECTION


def _slots(last: Sequence[Piece], *, said_again: bool) -> set[str]:
    """What is said instead; a verb takes back the value that was said with the one before it."""
    slots = {_slot(piece.sort) for piece in last}
    if any(piece.sort in SWITCHING for piece in last):
        slots |= {"values", "attribute"}  # "halfway, no, close it"
    if said_again and all(piece.is_pronoun or piece.sort not in VALUES | LISTED for piece in last):
        slots |= {"values"}  # "open it halfway, no, open it"
    return slots


def _slot(sort: str) -> str:
    return "verbs" if sort in VERBS else "values" if sort in VALUES else "names" if sort in NAMING else sort


def _names(first: Sequence[Piece], last: Sequence[Piece]) -> tuple[Piece, ...]:
    """What is named instead of what was named first: other things, or another place for them."""
    if not any(piece.sort in NAMING for piece in first):
        return ()
    named = tuple(piece for piece in last if piece.sort in LISTED)
    return () if any(piece.is_pronoun for piece in named) else named


def _less_pronouns(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces, less an "it" or a "there" that stands for what the same command names: "the globe, turn it off"."""
    if any(piece.sort == "place" and not piece.names("reference__there") for piece in pieces):
        pieces = [piece for piece in pieces if piece.sort != "place" or not piece.names("reference__there")]
    others = [piece for piece in pieces if piece.sort in NAMING and not piece.is_pronoun]
    sorts = {piece.sort for piece in pieces}
    if any(piece.sort in NAMING and piece.gap in (*_JOINED, EITHER) for piece in pieces[1:]):
        return tuple(pieces)  # "it and the lamp"
    if not others and THEME not in sorts and not ("place" in sorts and sorts & VALUES):
        return tuple(pieces)
    said = [piece for piece in pieces if piece.sort in NAMING]
    if len(said) > 1 and said[0].is_pronoun and not said[1].gap:
        # "Enable it on the plug": what was spoken of may be something of the plug, and not the plug.
        begun = said[1].part.start
        marked = replace(said[1].part, nodes=(*said[1].nodes, Node(_PRONOUN, begun, begun, ())))
        others = [replace(piece, part=marked) if piece is said[1] else piece for piece in others]
        pieces = [replace(piece, part=marked) if piece is said[1] else piece for piece in pieces]
    return tuple(piece for piece in pieces if piece.sort not in NAMING or piece in others)
