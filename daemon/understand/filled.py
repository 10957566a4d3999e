"""What fills the frame of one command, as the nodes that the grammar would have made of it."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.understand.matchers import Node
from daemon.understand.pieces import Meant, Piece
from daemon.understand.sorts import NAMING, ORDER

_PLACES = frozenset({"AREA", "ROOM", "FLOOR", "LEVEL"})
_LAST = ("spared", "when", "if")


def filled(meant: Meant) -> tuple[Node, ...] | None:
    """The nodes, verbs first; None where one of two places would be dropped."""
    said = [node for sort in ORDER for piece in meant.pieces if piece.sort == sort for node in piece.nodes]
    names = _named(meant.pieces)
    if names is None:
        return None
    if any(piece.sort in NAMING for piece in meant.pieces):
        said = [node for node in said if not node.rule.startswith("Target")]  # who does a task, unless it is named
    instead = _instead(meant.instead)
    rest = [node for piece in meant.pieces if piece.sort in _LAST for node in piece.nodes]
    return (*said, *names, *instead, *rest)


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
    listed = [piece for piece in pieces if piece.sort in NAMING or piece.sort == "place"]
    beside = {at: _beside(pieces, piece) for at, piece in enumerate(listed) if piece.sort == "place"}
    targets = {id(piece): piece.nodes[0] for piece in listed if piece.sort in NAMING}
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
    if scopes and targets and (len(scopes) > 1 or all(placed) or (afterthought and any(placed))):
        return None
    if len(scopes) > 1:
        inside = tuple(child for scope in scopes for child in scope.children)
        scopes = [Node(scopes[0].rule, scopes[0].start, scopes[-1].end, inside)]
    return [*targets.values(), *scopes]


def _beside(pieces: Sequence[Piece], place: Piece) -> list[Piece]:
    """The names that stand right before a place, or behind one that a joint sets apart from what is before it."""
    at = pieces.index(place)
    before = pieces[at - 1] if at and not place.gap else None
    after = pieces[at + 1] if at + 1 < len(pieces) and not pieces[at + 1].gap else None
    named = [piece for piece in (before, after) if piece is not None and piece.sort in NAMING]
    behind_another = place.gap and any(piece.sort in NAMING for piece in pieces[:at])
    return named if named != [after] or behind_another else []


def _has_place(target: Node) -> bool:
    return any(child.rule in _PLACES for child in target.children)


def _placed(target: Node, *places: Node) -> Node:
    inside = tuple(child for place in places for child in place.children)
    return Node(target.rule, target.start, places[-1].end if places else target.end, (*target.children, *inside))
