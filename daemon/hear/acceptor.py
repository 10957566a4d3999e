"""A finite automaton over heard words: the set of sentences that a recogniser is given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Acceptor:
    """A deterministic automaton over heard words; state 0 is the start."""

    arcs: tuple[tuple[int, int, str], ...]
    """(from, to, word)."""
    finals: frozenset[int]
    states: int

    def accepts(self, words: Iterable[str]) -> bool:
        """Whether this is a whole sentence."""
        table = {(source, word): target for source, target, word in self.arcs}
        state = 0
        for word in words:
            if (state := table.get((state, word), -1)) < 0:
                return False
        return state in self.finals

    def example(self, draw: Random) -> list[str]:
        """The words of a random sentence: at each step any word, and the end where it may end, half of the time."""
        table: dict[int, list[tuple[int, str]]] = {}
        for source, target, word in self.arcs:
            table.setdefault(source, []).append((target, word))
        state, words = 0, list[str]()
        while state not in self.finals or (state in table and draw.random() < 0.5):  # noqa: PLR2004 - one half
            state, word = draw.choice(table[state])
            words.append(word)
        return words

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every word in it."""
        return frozenset(word for _, _, word in self.arcs)


def minimal(table: list[dict[str, int]], finals: list[bool]) -> Acceptor:
    """The smallest of a deterministic table: the arcs of each state by their word, and whether one may end there.

    States that accept the same are merged (Moore's algorithm), those from which no end is reached are left out.
    """
    alive = _alive(table, finals)
    blocks = [int(final) for final in finals]
    count = len(set(blocks))
    while True:
        signatures: dict[tuple[object, ...], int] = {}
        new = [0] * len(table)
        for state, arcs in enumerate(table):
            moves = frozenset((word, blocks[target]) for word, target in arcs.items() if alive[target])
            new[state] = signatures.setdefault((blocks[state], moves), len(signatures))
        blocks = new
        if len(signatures) == count:
            break
        count = len(signatures)
    order = {blocks[0]: 0}
    arcs_found: dict[tuple[int, int, str], None] = {}
    for state, arcs in enumerate(table):
        if not alive[state]:
            continue
        source = order.setdefault(blocks[state], len(order))
        for word, target in arcs.items():
            if alive[target]:
                arcs_found[source, order.setdefault(blocks[target], len(order)), word] = None
    ends = frozenset(order[blocks[state]] for state, final in enumerate(finals) if final and blocks[state] in order)
    return Acceptor(tuple(arcs_found), ends, len(order))


def _alive(table: list[dict[str, int]], finals: list[bool]) -> list[bool]:
    sources: list[list[int]] = [[] for _ in table]
    for state, arcs in enumerate(table):
        for target in arcs.values():
            sources[target].append(state)
    alive = list(finals)
    todo = [state for state, final in enumerate(finals) if final]
    while todo:
        for source in sources[todo.pop()]:
            if not alive[source]:
                alive[source] = True
                todo.append(source)
    return alive
