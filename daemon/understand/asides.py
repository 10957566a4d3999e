"""Talk beside a command: what stands apart in a sentence and has nothing of a command in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from daemon.understand.lattice import Lattice
from daemon.understand.lexicon import WordClass
from daemon.understand.matchers import Terminal
from daemon.understand.openings import END
from daemon.understand.sorts import CLAUSE, CORRECTION, NOTHING

_TELLING = frozenset({CLAUSE, "sole", "target", "spared", "level", "value", "limit", "more", "attribute"})
_TELLING |= {CORRECTION, NOTHING}
"""What talk has none of; a verb it may have."""
_SHORTEST = 2
"""Places; a single word is no remark."""


class Asides(Struct, frozen=True):
    """Knows talk by its words; all are classes of the lexicon."""

    openers: WordClass
    """Begin talk about somebody, whatever stands in them."""
    reasons: WordClass
    """Begin a reason, wherever they stand; it may say when."""
    so: WordClass
    """End one."""
    hazards: Sequence[Terminal]
    """What no talk has: it takes back what is said beside it, makes it depend on something, or names a thing."""

    def found(self, text: str, lattice: Lattice) -> Iterator[tuple[int, int]]:
        """Where talk begins and ends: between commas, or from a "because", up to a "so"."""
        closed = text + END
        places = sorted(lattice)[:-1]
        commas = [place for place in places if closed[place] == ","]
        reasons = [place for place in places if self.reasons.match(closed, place) > 0]
        behind = [after for before, after in pairwise(places) if closed[before] == ","]
        for start in dict.fromkeys((places[0], *behind, *reasons)):
            opened = self.openers.match(closed, start)
            ends = [place for place in (*commas, len(text)) if place > start][:1]
            if opened > 0 or start in reasons:
                ends += [place for place in places if start < place < ends[0] and self.so.match(closed, place) > 0][:1]
            for end in ends:
                inside = [place for place in places if start <= place < end]
                telling = _TELLING if start in reasons else _TELLING | {"when"}
                said = [place for place in inside if place >= opened]
                if len(inside) >= _SHORTEST and self._is_talk(closed, said, lattice, telling):
                    yield start, end

    def _is_talk(self, closed: str, said: Sequence[int], lattice: Lattice, telling: Collection[str]) -> bool:
        if any(part.sort in telling for place in said for part in lattice[place]):
            return False
        return not any(words.match(closed, place) > 0 for place in said for words in self.hazards)
