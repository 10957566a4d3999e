"""The smallest automaton that accepts a closed set of sentences, and what lies near one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec import Struct

Words = tuple[str, ...]
"""Heard words."""


class Acceptor(Struct, frozen=True, dict=True):
    """A deterministic automaton over heard words; state 0 is the start."""

    arcs: tuple[tuple[int, int, str], ...]
    """(from, to, word)."""
    finals: frozenset[int]
    states: int

    @cached_property
    def _moves(self) -> list[dict[str, int]]:
        moves: list[dict[str, int]] = [{} for _ in range(self.states + 1)]
        for source, target, word in self.arcs:
            moves[source][word] = target
        return moves

    def _run(self, words: Iterable[str], state: int = 0) -> int:
        """The state behind these words; -1 where no sentence goes on so."""
        for word in words:
            if (state := self._moves[state].get(word, -1)) < 0:
                break
        return state

    def accepts(self, words: Iterable[str]) -> bool:
        """Whether this is a whole sentence."""
        return self._run(words) in self.finals

    def neighbours(self, words: Words) -> Iterator[tuple[str, str, Words]]:
        """The sentences with one word more, less or another: what stood there, what stands there now, the sentence."""
        for at in range(len(words) + 1):
            state = self._run(words[:at])
            if state < 0:
                return
            here, rest = words[at : at + 1], words[at + 1 :]
            if here and self._run(rest, state) in self.finals:
                yield here[0], "", (*words[:at], *rest)
            for word, target in self._moves[state].items():
                if here and (word,) != here and self._run(rest, target) in self.finals:
                    yield here[0], word, (*words[:at], word, *rest)
                if self._run((*here, *rest), target) in self.finals:
                    yield "", word, (*words[:at], word, *here, *rest)

    def endings(self, words: Words, most: int = 2) -> Iterator[Words]:
        """The sentences that begin so, with one word more, or two: up to `most`."""
        begun = [(words, self._run(words))] if words else []
        for _ in range(most):
            begun = [((*said, word), to) for said, at in begun if at >= 0 for word, to in self._moves[at].items()]
            yield from (said for said, state in begun if state in self.finals)

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every word in it."""
        return frozenset(word for _, _, word in self.arcs)


def minimal(table: list[dict[str, int]], finals: list[bool]) -> Acceptor:
    """The smallest of a deterministic table: the arcs of each state by their word, and whether one may end there.

    States that accept the same are merged (Moore's algorithm), those from which no end is reached are left out.
    """
    living = alive(table, finals)
    blocks = [int(final) for final in finals]
    count = len(set(blocks))
    while True:
        signatures: dict[tuple[object, ...], int] = {}
        new = [0] * len(table)
        for state, arcs in enumerate(table):
            moves = frozenset((word, blocks[target]) for word, target in arcs.items() if living[target])
            new[state] = signatures.setdefault((blocks[state], moves), len(signatures))
        blocks = new
        if len(signatures) == count:
            break
        count = len(signatures)
    order = {blocks[0]: 0}
    arcs_found: dict[tuple[int, int, str], None] = {}
    for state, arcs in enumerate(table):
        if not living[state]:
            continue
        source = order.setdefault(blocks[state], len(order))
        for word, target in arcs.items():
            if living[target]:
                arcs_found[source, order.setdefault(blocks[target], len(order)), word] = None
    ends = frozenset(order[blocks[state]] for state, final in enumerate(finals) if final and blocks[state] in order)
    return Acceptor(tuple(arcs_found), ends, len(order))


def alive(table: list[dict[str, int]], finals: list[bool]) -> list[bool]:
    """Of each state whether an end can be reached from it."""
    sources: list[list[int]] = [[] for _ in table]
    for state, arcs in enumerate(table):
        for target in arcs.values():
            sources[target].append(state)
    found = list(finals)
    todo = [state for state, final in enumerate(finals) if final]
    while todo:
        for source in sources[todo.pop()]:
            if not found[source]:
                found[source] = True
                todo.append(source)
    return found
