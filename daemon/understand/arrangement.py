"""How the pieces of one command may stand: which orders, commas and joints can be of one, and which tell of two."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from daemon.core.values import replace
from daemon.understand.pieces import Piece
from daemon.understand.sorts import (
    ASKED,
    ASKING,
    CHANGING,
    EITHER,
    FRAMED,
    FRONT,
    LEADING,
    LISTED,
    NAMING,
    NOTHING,
    STRANGER,
    SWITCHING,
    USES,
    VALUES,
    VERBS,
    Use,
)

_ASIDE_COST = 0.25
"""Of a comma inside of a command."""
_UNHEARD_COST = 0.75
"""Of each comma that nobody hears: "the TV the speaker and the lights", but not 电视音箱都关了."""
_SECOND_IF_COST = 0.3
"""Of a condition behind a command that has one in front: "when the door opens, lock it if nobody is home"."""
_AFTERWARDS_COST = 2.0
"""Of "and then" behind a condition, which rather stands behind a question: "see whether it rains *and then* ..."."""
_TELLING = "telling__yes"
"""Marks what says which one by what its name tells."""
_SAYING_HOW = {"value", "more"}
_KNOWN = FRAMED | LISTED | USES.keys()


def disorder(pieces: Sequence[Piece]) -> float | None:
    """What the commas inside of a command cost; None where the pieces are not of one command."""
    said, sorts = pieces, [piece.sort for piece in pieces]
    pieces = _set_apart(said)
    if _contradicts(sorts) or _is_backwards(sorts) or _has_two_lists(pieces) or _is_loose(pieces):
        return None
    if _is_misplaced(pieces, sorts):
        return None
    if any(_is_misused(pieces, sorts, sort, USES[sort]) for sort in USES.keys() & {*sorts}):
        return None
    if sorts.count("place") > 1 and "particle" in sorts and NAMING.isdisjoint(sorts):
        return None  # "turn the kitchen off on the lounge": nobody knows what of both
    if "sole" in sorts and any(piece.sort == "attribute" and piece.says("setting__yes") for piece in pieces):
        return None  # 保持时间加三十秒 is of no timer
    if any(_parts_commands(pieces[: at + 1], after) for at, after in enumerate(pieces[1:])):
        return None
    commas = [at for at, piece in enumerate(pieces) if piece.sort == "attribute" and piece.gap == "comma"]
    if any(not FRAMED.isdisjoint(sorts[:at]) and not FRAMED.isdisjoint(sorts[at:]) for at in commas):
        return None  # "to 19 degrees, the fan speed up"
    aside = sum(
        after.gap not in ("", "next") and not {before.sort, after.sort} <= LISTED for before, after in pairwise(pieces)
    )
    unheard = 0 if "every" in sorts else sum(one.gap != other.gap for one, other in zip(said, pieces, strict=True))
    afterwards = any(before.sort in FRONT and after.is_afterwards for before, after in pairwise(said))
    extra = _ASIDE_COST * aside + _UNHEARD_COST * unheard + _AFTERWARDS_COST * afterwards
    return extra + (_SECOND_IF_COST if sorts.count("if") > 1 else 0.0)


def _set_apart(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The pieces; in "the TV the speaker and the lights", with the commas that nobody hears."""
    named = [piece for piece in pieces if piece.sort in NAMING]
    if len(named) < 2:  # noqa: PLR2004 - one is no list
        return pieces
    after = pieces[pieces.index(named[-1]) + 1 :]
    summed = bool(after) and after[0].sort == "every" and not after[0].gap  # 电视风扇都关了
    if not summed and (len(named) == 2 or named[-1].gap != "joint"):  # noqa: PLR2004 - one of two may begin something else
        return pieces
    return [
        replace(after, gap="comma") if {before.sort, after.sort} <= NAMING and not after.gap else after
        for before, after in pairwise((pieces[0], *pieces))
    ]


def is_reported(pieces: Sequence[Piece]) -> bool:
    """Whether it is said as somebody tells what was done: 灯开了, but not 把灯开了."""
    told = any(piece.says("reported__yes") for piece in pieces)
    return told and all(piece.gap not in ("mark", "begs") for piece in pieces)


def is_front(sorts: Sequence[str]) -> bool:
    """Whether the time or the condition is said first."""
    return next((sort for sort in sorts if sort in FRONT or sort in FRAMED), None) in FRONT


def drops_one(pieces: Sequence[Piece]) -> bool:
    """Whether it takes back what only a thing is named before: that is not wanted, and not all of it is taken back."""
    start = max((at for at, piece in enumerate(pieces) if piece.gap == "comma"), default=0)
    sorts = {piece.sort for piece in pieces[start:]} if start and pieces[-1].sort == NOTHING else frozenset()
    return not sorts.isdisjoint(LISTED) and sorts.isdisjoint(VERBS)


def _contradicts(sorts: Sequence[str]) -> bool:
    """Whether something is said that no command has, or twice; two conditions are said one at each end."""
    framed = [sort for sort in sorts if sort in FRAMED]
    if not _KNOWN.issuperset(sorts) or len(set(framed)) < len(framed):
        return True
    return sorts.count("if") > 1 and (sorts[0] != "if" or "if" not in (sorts[1], sorts[-1]))


def _is_misused(pieces: Sequence[Piece], sorts: Sequence[str], sort: str, use: Use) -> bool:
    """Whether a sort is said where, or beside what, no command has it."""
    at = sorts.index(sort)
    if sorts.count(sort) > use.most or (use.first is not None and use.first is not (at == 0)):
        return True
    if not use.never.isdisjoint(sorts) or (use.beside and use.beside.isdisjoint(sorts)):
        return True
    if use.behind and use.behind.isdisjoint(sorts[:at]):
        return True
    return bool(use.where) and not any(piece.sort == one or piece.says(one) for piece in pieces for one in use.where)


def _is_misplaced(pieces: Sequence[Piece], sorts: Sequence[str]) -> bool:
    """Whether something stands behind what it does not stand behind."""
    if any(piece.gap == "mark" and piece.sort in FRONT for piece in pieces) or _waits_for_act(pieces):
        return True  # 把音量降到15 is no condition
    # "The bedroom fan on low" is a fan; 一小时后关掉，台灯打开 switches something else off.
    alone = pieces[0].names("halts__later") or any(piece.says("blows__yes") for piece in pieces)
    if len(pieces) > 1 and alone:
        return True
    asks = not ASKING.isdisjoint(sorts)
    if asks and any(piece.gap in ("mark", "begs") for piece in pieces):
        return True  # 能把灯关了吗 asks to do it
    if not asks and any(piece.gap == EITHER and piece.sort not in NAMING for piece in pieces):
        return True
    if any(piece.sort == "asks" and piece.gap != "comma" for piece in pieces[1:]):
        return True  # "the lights that are on"
    if "negation" in sorts and FRAMED.isdisjoint(sorts[sorts.index("negation") :]):
        return True  # "play some jazz, not too loud" forbids nothing
    if any(piece.sort == "if" and not piece.gap and _is_torn(sorts, at) for at, piece in enumerate(pieces)):
        return True  # 打开 | 窗帘到50%, 把灯关了
    several = any(not piece.is_pronoun or piece.names("reference__them") for piece in pieces if piece.sort in NAMING)
    # Nothing is spared of one thing: 除了台灯，把它调到五十.
    return "spared" in sorts and not several and {"place", "sole"}.isdisjoint(sorts)


def _waits_for_act(pieces: Sequence[Piece]) -> bool:
    """Whether what is to be done is taken for what is waited for: 把灯打开提醒我."""
    waiting = (piece for piece in pieces if piece.sort == "sole")
    waits = any(node.rule.startswith("Condition") for piece in waiting for node in piece.nodes)
    return waits and any(piece.gap == "mark" for piece in pieces)


def _is_torn(sorts: Sequence[str], at: int) -> bool:
    """Whether a verb stands right before this piece, and what it is done to behind it."""
    return at > 0 and sorts[at - 1] in VERBS and NAMING.isdisjoint(sorts[:at]) and not NAMING.isdisjoint(sorts[at:])


def _is_loose(pieces: Sequence[Piece]) -> bool:
    """Whether no verb right before a thing that nobody knows says what is done to it, and to nothing else.

    And whether what is told of one thing may be told of those before it: "all the lights, the small ones".
    """
    told = [at for at, piece in enumerate(pieces) if piece.gap == "comma" and piece.names(_TELLING)]
    if any(all(piece.sort in LISTED for piece in (pieces[at - 1 : at] if at else pieces)) for at in told):
        return True
    at = next((index for index, piece in enumerate(pieces) if piece.sort == STRANGER), None)
    if at is None:
        return False
    first = at
    while first > 0 and pieces[first].gap == "joint" and pieces[first - 1].sort in NAMING:
        first -= 1  # "turn on the lamp and the thingamajig"
    leads = first > 0 and pieces[first - 1].sort in LEADING and pieces[first - 1].part.end == pieces[first].part.start
    # 把圣诞树调到三成, 把电视和圣诞树打开
    leads = leads or pieces[at].nodes[0].start > pieces[at].part.start or pieces[first].gap in ("mark", "begs")
    return not leads or sum(piece.sort in NAMING for piece in pieces) > at - first + 1


def _is_backwards(sorts: Sequence[str]) -> bool:
    """Whether a verb without a meaning of its own comes late, or "26 degrees cool" would change it by so much."""
    framed = [sort for sort in sorts if sort in FRAMED]
    first = next((at for at, sort in enumerate(framed, 1) if sort in ("value", "more")), len(framed))
    return not (CHANGING | SWITCHING).isdisjoint(framed[first:]) or "do" in framed[1:]


def _has_two_lists(pieces: Sequence[Piece]) -> bool:
    """Whether names stand apart: "close the blinds, the lamp to 40" is of two commands."""
    named = [index for index, piece in enumerate(pieces) if piece.sort in NAMING]
    if len(named) < 2:  # noqa: PLR2004 - one is no list
        return False
    if any(piece.sort not in LISTED for piece in pieces[named[0] : named[-1]]):
        return True
    behind = [piece.sort for piece in pieces[named[-1] :] if piece.sort in FRAMED - ASKED]
    verbs = {piece.sort for piece in pieces[: named[0]] if piece.sort in VERBS}
    if behind and not verbs and _is_mere_row(pieces, named):
        return True
    if not behind or not verbs:
        return False
    # "Close the blinds and the lamp to 40" closes them; "make the globe and the lamp green" says nothing before it.
    return (not _SAYING_HOW.isdisjoint(behind) and not verbs <= {"do", "keep"}) or any(
        pieces[at].gap != "joint" for at in named[1:]
    )


def _is_mere_row(pieces: Sequence[Piece], named: Sequence[int]) -> bool:
    """Whether nothing but commas joins it all: "the air conditioner, cooling, 19 degrees" names one thing."""
    after = pieces[named[-1] + 1] if named[-1] + 1 < len(pieces) else None
    return after is not None and after.gap == "comma" and all(pieces[at].gap == "comma" for at in named[1:])


def _parts_commands(before: Sequence[Piece], after: Piece) -> bool:
    """Whether what stands between two pieces tells that a second command begins."""
    last = before[-1]
    if last.gap == "comma" and last.sort in NAMING and after.sort == "when" and not after.gap:
        return any(piece.sort in SWITCHING for piece in before)  # 关灯，空调两小时后关
    listed = {last.sort, after.sort} <= LISTED
    if listed and after.gap == "joint" and after.names("ones__yes"):
        return True  # "the lamp and the one in the hall"
    if after.gap == "mark" and any(piece.sort in VALUES for piece in before):
        return True
    if after.gap in ("", "mark", "begs"):
        every = any(piece.sort == "every" for piece in before)
        marked = after.gap == "mark" and after.sort == "place" and any(piece.sort in NAMING for piece in before)
        return ((last.sort in NAMING and after.sort in NAMING) or marked) and not every
    if after.gap == "comma" and listed and last.names("reference__it", "reference__them", "kind__device"):
        return True
    if after.gap == "next" and all(piece.sort in FRONT for piece in before):
        return False  # "if it rains then ..."
    if after.gap == "next" or (after.gap == "joint" and not listed):
        return True
    value = after.sort in FRAMED and after.sort != "level" and last.sort not in FRONT
    return value and any(piece.sort in FRAMED for piece in before)
