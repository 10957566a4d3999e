"""A row of parts -> the commands that it says: where each begins and ends, and what fills its frame, in whatever order.

What a command may be made of stands in `rules/frames.yaml`. The result is the tree that the grammar would have made of
the same sentence, had it known it as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from msgspec import Struct

from daemon.core.values import replace
from daemon.understand.arrangement import disorder, drops_one, is_front, is_reported
from daemon.understand.filled import filled
from daemon.understand.lattice import Row
from daemon.understand.matchers import Node
from daemon.understand.pieces import Around, Known, Made, Meant, Piece, meant, pieces_of, said_instead
from daemon.understand.sorts import (
    ASKED,
    ASKING,
    CHANGING,
    CORRECTION,
    EITHER,
    FRAMED,
    FRONT,
    LISTED,
    NAMING,
    NOTHING,
    SWITCHING,
    THEME,
    TIMED,
    UNREAD,
    VALUES,
    VERBS,
    Needs,
)

CLAUSE_COST = 0.8
"""Of each command; a row costs at least one of them."""
_LEANING_COST = 0.5
_GAP_COST = {"joint": 0.0, "next": 0.0, "comma": 0.2, "mark": 0.2, "begs": 0.2, EITHER: 0.0, "": 1.0}
"""Of a command that begins there, by what stands before it."""
_BREATH_COST = 0.1
"""Of a value that follows another in one breath, instead of that: "the AC to 26, cool mode"."""
_TIMED_COST = 1.5
"""Of one behind a time that may be its own."""
_MOST_CORRECTIONS = 3
_ABOUT = ASKING | ASKED | {"attribute", "setting", THEME}
"""What a command may be about that names no thing."""
_PAUSE = 2
"""Characters of a comma: what lies further from the command before has something between."""
_LONGEST = 14
"""Pieces; more are never of one command."""


class Command(Struct, frozen=True, forbid_unknown_fields=True):
    """Verbs and values that make up one command together."""

    of: tuple[str, ...]
    needs: Needs | None = None
    """What it is about: a thing, a place or an attribute; a thing or a place; a thing; a place alone; when; where
    nothing is said before that it could lean on, what everybody knows: "a bit brighter"; or a thing or a place, or a
    value before it that it is said instead of: "volume 30, 20"; or a thing, a place, or what only some devices have."""
    adds: tuple[str, ...] = ()
    """Marks that follow from having them together."""
    on: str | None = None
    """A mark of the only commands that it may stand behind: "make sure the door is locked and *the window closed*"."""


_TIMED, _AT_LAST = {"particle", "when"}, (["when", "deed"], ["when", "moved"])  # 十点打开电视*六点关*
_JOINED = ("joint", "next")
_UNDIRECTED = {"do", "value", "amount", "extent"}
"""What doesn't say whether it is to be more or less."""
_ASKS = "query__"


class Frames:
    """Knows what a command may be made of.

    Args:
        commands: What stands by itself.
        leaning: What needs a command before it.
    """

    def __init__(self, commands: Iterable[Command], leaning: Iterable[Command]) -> None:
        self._commands = {frozenset(item.of): item for item in commands}
        self._leaning = {frozenset(item.of): item for item in leaning}
        self._leant_on = {item.on for item in (*self._commands.values(), *self._leaning.values())}

    def tree(self, row: Row, lang: str, known: Known) -> tuple[float, Node] | None:
        """What a row costs with the commands that it falls into, and their tree; None where it says no commands.

        `known` is what other rows of the same lattice came to, and how much may still be tried.
        """
        pieces = pieces_of(row.parts)
        if not pieces or known.left < 0 or sum(piece.sort == CORRECTION for piece in pieces) > _MOST_CORRECTIONS:
            return None
        best: list[Made | None] = [Made(row.cost), *(None for _ in pieces)]
        for end in range(1, len(best)):
            starts = range(_first(pieces, end), end)
            known.left -= len(starts)
            found = (self._with(best, pieces, start, end, known) for start in starts)
            best[end] = min((made for made in found if made is not None), key=attrgetter("cost"), default=None)
            if known.left < 0 or not any(best[max(0, end - _LONGEST - _MOST_CORRECTIONS) : end + 1]):
                return None  # nobody waits for it, or nothing reaches further
        whole = best[-1]
        if whole is not None and any(part.sort == "begs" for part in row.parts) and _has_mark(whole.nodes[-1], _ASKS):
            return None  # 能锁上大门，再把灯关掉吗 asks to do both
        return (whole.cost, Node(lang, 0, row.parts[-1].end, whole.nodes)) if whole is not None else None

    def _with(
        self, best: Sequence[Made | None], pieces: Sequence[Piece], start: int, end: int, known: Known
    ) -> Made | None:
        """The best up to `start`, with the command from there to `end`."""
        before, first = best[start], pieces[start]
        otherwise = first.joint is not None and first.joint.rule.startswith("else")
        if before is None or (otherwise and not start):
            return None
        ends = end == len(pieces) or bool(pieces[end].gap) or _ends(pieces[start : end + 1])
        if start and first.sort == CORRECTION:
            return self._instead(before, pieces[start:end], ends=ends)
        begins = not start or bool(first.gap)
        around = Around(
            before.nodes[-1] if start else None,
            begins,
            ends,
            first.gap in ("mark", "begs"),
            first.gap == "next",
            otherwise,
            close=first.gap == "comma" and first.part.start - pieces[start - 1].part.end <= _PAUSE,
        )
        leant = frozenset(mark for mark in self._leant_on if _has_mark(around.before, mark))
        key = (*((id(piece.part), piece.gap, id(piece.joint)) for piece in pieces[start:end]), leant, *around.marks)
        if key not in known.made:
            known.made[key] = self._clause(pieces[start:end], around)
        made = known.made[key]
        if made is None:
            return None
        if start and _muddles(before.nodes[-1], made.nodes, first):
            return None
        if start and not first.gap and any(piece.says("unsettled__yes") for piece in pieces[start - 1 : start + 1]):
            made = replace(made, nodes=_doubted(made.nodes))
        # 关掉空调十分钟后把风扇打开: what is said of the time in one breath with two commands is of the later one.
        timed = start > 1 and first.gap == "mark" and pieces[start - 1].sort == "when" and not pieces[start - 1].gap
        cost = before.cost + made.cost + (_TIMED_COST if timed else _GAP_COST[first.gap] if start else 0.0)
        return Made(cost, (*before.nodes, *(_joined(first.joint, made.nodes) if start else made.nodes)))

    def _instead(self, before: Made, pieces: Sequence[Piece], *, ends: bool) -> Made | None:
        """With a whole command instead of the last: "get the lamp on, sorry, turn off the fan"."""
        said = said_instead(pieces)
        if not said or said[0].gap in _JOINED or any(piece.sort in (CORRECTION, UNREAD) for piece in said):
            return None  # nobody knows what is meant instead; "actually, and the fan" adds to it
        if all(piece.sort == "when" for piece in said):
            said = tuple(replace(piece, part=replace(piece.part, sort="moment")) for piece in said)
        if (
            _has_mark(before.nodes[-1], _ASKS)
            and said[0].sort in NAMING
            and any(piece.sort in SWITCHING for piece in said)
        ):
            return None  # "is the curtain, I mean the blinds, open": open says how, and is no order
        apart = Around(before=None, begins=True, ends=ends, marked=False, next_=False, else_=False)
        made = self._clause(said, apart) or self._clause(said, replace(apart, before=before.nodes[-1]))
        if made is None:
            return None
        last, at = before.nodes[-1], said[0].part.start
        instead = (Node("replace__clause", at, at, ()), *made.nodes)
        node = Node(last.rule, last.start, said[-1].part.end, (*last.children, *instead))
        return Made(before.cost + made.cost + _GAP_COST["comma"], (*before.nodes[:-1], node))

    def _clause(self, pieces: Sequence[Piece], around: Around) -> Made | None:
        """What these pieces are as one command; None where they are none."""
        first = pieces[0].part
        taken_back = len(pieces) > 1 and pieces[-1].sort == NOTHING
        if first.sort == UNREAD and len(pieces) == 1:
            return Made(CLAUSE_COST, first.nodes[:1]) if around.apart else None
        corrects = any(piece.sort == CORRECTION for piece in pieces)  # which goes on to where something is set off
        said = meant(pieces[:-1] if taken_back else pieces) if around.apart or not corrects else None
        if drops_one(pieces) or said is None or not said.pieces or (cost := disorder(said.pieces)) is None:
            return None
        sorts = [piece.sort for piece in said.pieces]
        undirected = FRAMED.intersection(sorts) <= _UNDIRECTED or any(
            piece.says("undirected__yes") for piece in said.pieces
        )
        if undirected and not FRAMED.isdisjoint(sorts) and any(piece.names("aloft__yes") for piece in said.pieces):
            return None  # "turn the AC *up* here two degrees", but "drop the AC *up here* two degrees"
        placed = around.ends and sorts == ["place", "particle"]
        if placed:  # "in the kitchen" may belong to what is said before
            placed = said.pieces[0].nodes[0].children[0].start == said.pieces[0].part.start
        for command, leans in self._framed(sorts, around, named=bool(said.instead), placed=placed):
            if command.needs == "timed" and any(piece.is_pronoun for piece in said.pieces):
                continue  # nobody says "that for an hour", and wants it on
            marks = [*command.adds, *(("again__yes",) if leans else ()), *(("replace__cancel",) if taken_back else ())]
            marks += ["either__yes"] * (ASKING.isdisjoint(sorts) and any(piece.gap == EITHER for piece in said.pieces))
            # "On the tv" may say where, "... and off again at midnight", "... and off upstairs", "on again" do not.
            where = pieces[0].sort == "particle" and FRAMED.intersection(sorts) == {"particle"} and set(sorts) != _TIMED
            where = where and len(sorts) > 1 and not said.pieces[0].says("action__turn_off")
            marks += ["sure__half"] * (where or (sorts[0] in LISTED and is_reported(pieces)))
            marks += ["then__yes"] * (sorts[0] == "if" and LISTED.isdisjoint(sorts))
            if leans and pieces[0].gap == "comma":
                marks += ["afterthought__yes"] * (sorts == ["place"]) + ["behind__yes"] * NAMING.issuperset(sorts)
                marks += ["instead__yes"] * (around.close and VALUES.issuperset(sorts))  # "fifty, forty"
            made = _node(said, [*marks, "front__yes"] if is_front(sorts) else marks)
            if made is None:
                return None
            breath = _BREATH_COST - _GAP_COST[""] if leans and not around.begins else 0.0
            return Made(CLAUSE_COST + cost + breath + (_LEANING_COST if leans else 0.0), (made,))
        return None

    def _framed(
        self, sorts: Sequence[str], around: Around, *, named: bool, placed: bool
    ) -> Iterator[tuple[Command, bool]]:
        """The frames that these sorts may fill, and whether they lean on the command before.

        `named`: something is named instead; `placed`: they are a place and what is to be there ("..., *study on*").
        """
        together = frozenset(sorts) & FRAMED
        named = named or not LISTED.isdisjoint(sorts)
        tested = sorts[0] == "if"  # "if the door is unlocked, lock"
        subject = named or tested or not _ABOUT.isdisjoint(sorts) or (around.else_ and not VERBS.isdisjoint(sorts))
        has = {None: True, "target": named, "subject": subject, "thing": placed or not NAMING.isdisjoint(sorts)}
        has |= {"target_or_setting": named or "setting" in sorts, "subject_or_start": subject or around.before is None}
        has["target_or_value"] = named or (around.apart and around.close and _has_mark(around.before, "op__set"))
        has |= {"place": named and not has["thing"], "moment": around.next_ or not FRONT.isdisjoint(sorts)}
        has["timed"] = around.before is None and {"target", "when"} <= {*sorts} <= TIMED
        # "The kitchen off" is no command where "the light" follows; 书房的降三度 says how much, and is one.
        told = subject and (placed or "place" not in sorts or len(together) > 1)
        told = told or has["thing"] or not _ABOUT.isdisjoint(sorts)
        apart = around.apart or _stands_alone(sorts, subject=told)
        command, leaning = self._commands.get(together), self._leaning.get(together)
        if command is not None and has[command.needs] and apart and _has_mark(around.before, command.on):
            yield command, False
        in_breath = sorts in _AT_LAST or (frozenset() < together <= VALUES | {"way"} and sorts[0] not in FRONT)
        leans = around.before is not None and "negation" not in sorts and (apart or in_breath)
        leans = leans and (bool(together) or not (around.marked or {"described", "kept"} & {*sorts}))
        leans = leans and ("spared" not in sorts or not NAMING.isdisjoint(sorts))  # it is spared of what was said
        if leaning is not None and has[leaning.needs] and leans and _has_mark(around.before, leaning.on):
            yield leaning, True


def _has_mark(command: Node | None, mark: str | None) -> bool:
    """Whether it has a mark that begins so."""
    return mark is None or (command is not None and any(child.rule.startswith(mark) for child in command.children))


def _first(pieces: Sequence[Piece], end: int) -> int:
    """The first of the pieces before `end` that may be of one command with the last of them."""
    start, framed = end, set[str]()
    while start > max(0, end - _LONGEST):
        sort = pieces[start - 1].sort
        if start < end and sort == UNREAD:
            break
        if sort == CORRECTION:  # what is said twice is said instead
            return max(0, end - _LONGEST)
        if sort in framed:
            break
        framed.update({sort} & FRAMED)
        start -= 1
        if sort == UNREAD:
            break
    while start and pieces[start - 1].sort == CORRECTION:  # a whole command may be said instead
        start -= 1
    return start


def _ends(pieces: Sequence[Piece]) -> bool:
    """Whether a value ends a command before the last of these: "the AC 26 degrees | cool", 空调26度 | 暖气20度."""
    first, last, after = pieces[0].sort, pieces[-2].sort, pieces[-1].sort
    again = first in CHANGING and after == first  # "brighter on the desk lamp | dimmer on the shelf"
    return again or (last in VALUES and (after in VALUES or (first in LISTED and after in LISTED)))


def _muddles(before: Node, nodes: Sequence[Node], first: Piece) -> bool:
    """Whether a question may be something else beside a command: "how far is it | open", "is it on, then ..."."""
    if first.gap == EITHER:
        return True
    if not first.gap:
        return _has_mark(before, _ASKS) or _has_mark(nodes[0], _ASKS)
    if first.joint is None or not first.joint.rule.startswith("Next") or first.is_afterwards:
        return False
    whether = any(_has_mark(before, mark) for mark in ("query__is", "query__any", "whether__yes"))
    alone = not any(_has_mark(nodes[0], mark) for mark in ("again__yes", _ASKS))
    return whether and alone and not _has_mark(before, "indirect__yes")


def _joined(joint: Node | None, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The nodes of a command behind what joins it to the one before; a mark ("otherwise") is one of its own."""
    if joint is None:
        return nodes
    if joint.rule.startswith("Next"):
        return (joint, *nodes)
    first = nodes[0]
    return (Node(first.rule, first.start, first.end, (*first.children, joint)), *nodes[1:])


def _doubted(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The commands, less sure: a time before them may belong to what was said before it."""
    first = nodes[0]
    doubt = Node("sure__half", first.start, first.start, ())
    return (Node(first.rule, first.start, first.end, (*first.children, doubt)), *nodes[1:])


def _stands_alone(sorts: Sequence[str], *, subject: bool) -> bool:
    """Whether it needs no comma to be a command of its own: it has a verb and says of what, in the order that tells."""
    if VERBS.isdisjoint(sorts) or not (subject or "sole" in sorts):
        return False
    if FRAMED.intersection(sorts) != {"particle"}:
        return True
    return not LISTED.isdisjoint(sorts[: sorts.index("particle")])


def _node(said: Meant, marks: Sequence[str]) -> Node | None:
    nodes = filled(said)
    if nodes is None:
        return None
    at = said.pieces[0].part.start
    return Node("Clause_parts", at, said.pieces[-1].part.end, (*nodes, *(Node(mark, at, at, ()) for mark in marks)))
