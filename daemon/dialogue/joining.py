"""Which clauses of a long utterance are one sentence: a correction leans on what it corrects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from daemon.core.ir import Program
from daemon.dialogue.cutting import MOST_READ, effort
from daemon.dialogue.leaning import is_whole, points_back

_MOST_TOGETHER: Final = 4
"""So many clauses are read as one sentence, where all of them are none."""
_UNREAD_COST: Final = 4.0
"""Of a clause that nobody understands, beside that of a sentence, which is 1."""

Read = Callable[[str], Sequence[Program]]


def once(said: Sequence[str], read: Read, made: Mapping[str, Program]) -> Callable[[int, int], Program | None]:
    """What these clauses from the one to the other say together.

    What is said over and over is read once; of several together, no more than somebody waits for.

    Args:
        said: The clauses.
        read: The grammar's readings of a text, best first.
        made: What the small model reads in clauses, where the grammar reads nothing.
    """
    known: dict[tuple[str, ...], Program | None] = {}
    left = MOST_READ - effort(set(said))

    def together(start: int, end: int) -> Program | None:
        nonlocal left
        words = tuple(said[start:end])
        if words not in known:
            text = ", ".join(words)
            alone = made.get(text) if len(words) == 1 else None
            left -= effort([text]) if len(words) > 1 else 0
            known[words] = next(filter(is_whole, read(text)), alone) if left >= 0 or len(words) == 1 else None
        return known[words]

    return together


def sentences(count: int, read: Callable[[int, int], Program | None]) -> list[tuple[int, int]]:
    """Which of so many clauses are read as one sentence, from where to where: all, or the fewest, the fewest unread.

    A clause that says all that it means is read by itself; one that wants another, with its neighbours.
    """
    if read(0, count) is not None:
        return [(0, count)]

    def leans(start: int, end: int) -> bool:
        alone = (read(at, at + 1) for at in range(start, end))
        return end - start == 1 or any(program is None or points_back(program) for program in alone)

    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, count + 1):
        ways = [(best[end - 1][0] + _UNREAD_COST, end - 1)]
        starts = [start for start in range(max(0, end - _MOST_TOGETHER), end) if leans(start, end)]
        ways += [(best[start][0] + 1.0, start) for start in starts if read(start, end) is not None]
        best.append(min(ways))
    cuts = [count]
    while cuts[-1]:
        cuts.append(best[cuts[-1]][1])
    return [(start, end) for end, start in pairwise(cuts)][::-1]
