"""What fills the frame of one command, as the nodes that the grammar would have made of it."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.understand.matchers import Node
from daemon.understand.pieces import Meant, Piece
from daemon.understand.sorts import EITHER, LISTED, NAMING, ORDER

_PLACES = frozenset({"AREA", "ROOM", "FLOOR", "LEVEL"})
_SCENE = "kind__scene"
_RANK = {sort: rank for rank, sort in enumerate(ORDER)}
_NOWHERE = Node("Target_parts", 0, 0, ())
_LAST = (
    *("spared", "kept", "when", "moment", "if", "ending"),
    *("ask", "further", "contrast", "hours", "dropped", "purpose"),
)
_OF = {
    f"query__{asked}": f"quantifier__{'any' if asked == 'any' else 'all'}" for asked in ("any", "all", "which", "count")
}
"""How many of what a question is about it asks about, where that is not said."""


def filled(meant: Meant) -> tuple[Node, ...] | None:
    """The nodes, verbs first; None where one of two places would be dropped."""
    verbs_first = sorted((piece for piece in meant.pieces if piece.sort in _RANK), key=lambda piece: _RANK[piece.sort])
    said = [node for piece in verbs_first for node in piece.nodes]
    names = _named(meant.pieces)
    if names is None:
        return None
    if any(piece.sort in NAMING for piece in meant.pieces):
        if any(
            node.rule.startswith("Target")
            and any(child.rule.isupper() or child.rule == _SCENE for child in node.children)
            for node in said
        ):
            return None  # of two things, one would be dropped
        if _is_another(meant.pieces, said):
            return None
        said = [node for node in said if not node.rule.startswith("Target")]  # who does a task, unless it is named
    if (of := _how_many(meant.pieces, said)) is not None:
        things = Node(
            "Target_parts", said[0].start, said[0].start, (Node("kind__device", 0, 0, ()), Node(of, 0, 0, ()))
        )
        unnamed = not any(node.rule.startswith("Target") for node in (*said, *names))
        names = [*(_so_many(node, of) for node in names), *((things,) if unnamed else ())]
    instead = _instead(meant.instead)
    rest = [node for piece in meant.pieces if piece.sort in _LAST for node in piece.nodes]
    return (*said, *names, *instead, *rest)


def _is_another(pieces: Sequence[Piece], said: Sequence[Node]) -> bool:
    """Whether what is named behind a comma is none that does a task: "arm the alarm, the lamp ..."."""
    task = next((at for at, piece in enumerate(pieces) if piece.sort == "sole"), len(pieces))
    named = any(piece.sort in NAMING and piece.gap == "comma" for piece in pieces[task:])
    return named and any(node.rule.startswith("Target") for node in said)


def _instead(pieces: Sequence[Piece]) -> tuple[Node, ...]:
    """What is named instead; a place alone is the place of what was named."""
    if not pieces:
        return ()
    places = [Node("Target_parts", node.start, node.end, node.children) for piece in pieces for node in piece.nodes[:1]]
    others = _named(pieces) if any(piece.sort in NAMING for piece in pieces) else places
    scopes = [node for node in others or () if node.rule.startswith("Scope")]
    placed = [node if _has_place(node) else _placed(node, *scopes) for node in others or () if node not in scopes]
    return (Node("Instead_parts", pieces[0].part.start, pieces[-1].part.end, tuple(placed)),)


def _named(pieces: Sequence[Piece]) -> list[Node] | None:
    """The targets, each with the place that was said right beside it, and the place of all the others."""
    listed = [piece for piece in pieces if piece.sort in LISTED]
    joined = {at for at in range(len(listed)) if _is_joined(listed, at)}
    beside = {
        at: _beside(pieces, piece) for at, piece in enumerate(listed) if piece.sort == "place" and at not in joined
    }
    targets = {
        id(piece): piece.nodes[0] if piece.sort in NAMING else _placed(_NOWHERE, piece.nodes[0])
        for at, piece in enumerate(listed)
        if at not in beside
    }
    scopes: list[Node] = []
    for at, of in beside.items():
        node = listed[at].nodes[0]
        if len(of) > 1:
            return None  # "the lamp in the kitchen the fan": of which of them?
        if of:
            targets[id(of[0])] = _placed(targets[id(of[0])], node)
        else:
            scopes.append(node)
    placed = list(map(_has_place, targets.values()))
    afterthought = any(listed[at].gap == "comma" for at in beside)
    if (
        scopes
        and targets
        and (len(scopes) > 1 or (all(placed) and not _is_floor(scopes[0])) or (afterthought and any(placed)))
    ):
        return None
    if len(scopes) > 1:
        inside = tuple(child for scope in scopes for child in scope.children)
        scopes = [Node(scopes[0].rule, scopes[0].start, scopes[-1].end, inside)]
    others = [node for piece in listed if piece.sort in NAMING for node in piece.nodes[1:]]  # 门窗 names two
    return [*targets.values(), *others, *scopes]


def _is_joined(listed: Sequence[Piece], at: int) -> bool:
    """Whether a place is meant beside a thing: "the lamp *and the hall*", "*the hall* and the lamp"."""
    if listed[at].sort != "place":
        return False
    before = at > 0 and listed[at - 1].sort in NAMING
    if before and listed[at].gap != "joint":
        return False  # "the lamp in the hall and the fan"
    after = at + 1 < len(listed) and listed[at + 1].sort in NAMING and listed[at + 1].gap in ("joint", EITHER)
    return before or after


def _beside(pieces: Sequence[Piece], place: Piece) -> list[Piece]:
    """The names that stand right before a place, or behind one that a joint sets apart from what is before it."""
    at = pieces.index(place)
    before = pieces[at - 1] if at and not place.gap else None
    after = pieces[at + 1] if at + 1 < len(pieces) and not pieces[at + 1].gap else None
    named = [piece for piece in (before, after) if piece is not None and piece.sort in NAMING]
    behind_another = place.gap and any(piece.sort in NAMING for piece in pieces[:at])
    return named if named != [after] or behind_another else []


def _how_many(pieces: Sequence[Piece], said: Sequence[Node]) -> str | None:
    """How many of what it is about a question asks about; None where it says that itself, or asks about nothing."""
    if any(piece.sort == "finds" for piece in pieces):
        return None
    return next((_OF[node.rule] for node in said if node.rule in _OF), None)


def _so_many(target: Node, quantifier: str) -> Node:
    if not target.rule.startswith("Target"):
        return target
    mark = Node(quantifier, target.start, target.start, ())
    return Node(target.rule, target.start, target.end, (mark, *target.children))


def _is_floor(scope: Node) -> bool:
    """Whether it only says on which floor the places are: "the AC in the hall and the AC in the study, upstairs"."""
    return all(child.rule in ("FLOOR", "LEVEL") for child in scope.children)


def _has_place(target: Node) -> bool:
    return any(child.rule in _PLACES for child in target.children)


def _placed(target: Node, *places: Node) -> Node:
    inside = tuple(child for place in places for child in place.children)
    return Node(target.rule, target.start, places[-1].end if places else target.end, (*target.children, *inside))
