"""What stands apart in a sentence and nobody understands, so that the rest of it can be done and this be told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from daemon.understand.lattice import Lattice, Part
from daemon.understand.matchers import Node, Terminal
from daemon.understand.openings import END
from daemon.understand.sorts import LEFT_OVER, LISTED, SILENT, STRANGER, TALK, UNREAD, VERBS

_SETTING_APART = frozenset({"comma", "joint"})
_BEGINNING = VERBS - {"particle", "course"} | {"mark"}
_NAMED = LISTED - {STRANGER}
_CLOSELY = "closely__yes"
"""Of a joint: what is behind it tells which things are meant, or how: "the plugs *with* the child lock on"."""
_SHORTEST = 2
"""A single word may be anything."""


def is_partial(parts: Iterable[Part]) -> bool:
    """Whether some of a row is unread."""
    return any(part.sort == UNREAD for part in parts)


def orders(parts: Iterable[Part]) -> bool:
    """Whether a row begins as a command: what somebody tells ("the door opened and she walked in") is not for us.

    Nor is what is done to a thing that nobody knows, behind a remark that nobody understands.
    """
    said = [part for part in parts if part.sort not in (*SILENT, TALK, "comma")]
    known = [part for part in said if part.sort != UNREAD]
    if not known or (known[0] is not said[0] and any(part.sort == STRANGER for part in said)):
        return False
    joined = any(part.sort == "joint" for part in said)
    switched = [part.sort for part in known[:2]] == ["target", "particle"]
    return known[0].sort in _BEGINNING or (switched and not joined)  # "hall light off, moonbeam off"


class Strange(Struct, frozen=True):
    """Finds words that stand between joints and commas, whatever they say; never what may bear on the rest."""

    cost: float
    taking_back: Sequence[Terminal]
    """Take back what is said beside it, or make it depend on something."""
    standing_in: Sequence[Terminal]
    """Stand for what was named before: "the ones by the sofa" may say which of it."""

    def passed(self, text: str, lattice: Lattice) -> dict[int, list[Part]]:
        """The lattice, with each such stretch as a part in the place of words that are left over."""
        said = {place: [part for part in parts if part.sort != LEFT_OVER] for place, parts in lattice.items()}
        for part in self._found(text, lattice):
            said[part.start].append(part)
        return said

    def _found(self, text: str, lattice: Lattice) -> Iterator[Part]:
        closed = text + END
        gaps = [part for parts in lattice.values() for part in parts if part.sort in _SETTING_APART]
        starts = sorted({0, *(part.end for part in gaps)} - {len(text), *(part.start for part in gaps)})
        closely = {part.end for part in gaps if _CLOSELY in _rules(part)}
        joined = {part.end for part in gaps if part.sort == "joint"}
        ends = sorted({len(text), *(part.start for part in gaps)})
        for start in starts:
            end = next((end for end in ends if end > start), start)
            inside = [place for place in lattice if start <= place < end]
            if start in closely:
                continue
            if start not in joined and any(part.sort in _NAMED for place in inside for part in lattice[place]):
                continue  # "..., the greenish ones downstairs" may say which of what was named
            bearing = self.taking_back if start in joined else (*self.taking_back, *self.standing_in)
            if any(item.match(closed, place) > 0 for place in inside for item in bearing):
                continue
            if sum(closed[place].isalpha() for place in inside) >= _SHORTEST:
                yield Part(UNREAD, start, end, (Node("Unread", start, end, ()),), self.cost)


def _rules(part: Part) -> set[str]:
    return {item.rule for node in part.nodes for item in (node, *node.children)}
