"""The smallest automaton that accepts a closed set of sentences, and what lies near one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec import Struct

_MOST_OLD, _MOST_NEW = 2, 3

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

    @classmethod
    def of(cls, sentences: Iterable[Words]) -> Acceptor:
        """Just these sentences."""
        table: list[dict[str, int]] = [{}]
        ends = set[int]()
        for words in sentences:
            state = 0
            for word in words:
                if word not in table[state]:
                    table[state][word] = len(table)
                    table.append({})
                state = table[state][word]
            ends.add(state)
        return minimal(table, [state in ends for state in range(len(table))])

    def accepts(self, words: Iterable[str]) -> bool:
        """Whether this is a whole sentence."""
        return self._run(words) in self.finals

    def neighbours(self, words: Words) -> Iterator[tuple[Words, Words, Words]]:
        """The sentences with up to two words replaced by up to three: what stood there, what does now, the whole."""
        states = [self._run(words[:at]) for at in range(len(words) + 1)]
        for at, state in enumerate(states):
            for new, behind in self._ahead(state, _MOST_NEW):
                for old in (words[at : at + width] for width in range(min(_MOST_OLD, len(words) - at) + 1)):
                    if new[:1] == old[:1] or (new and old and new[-1] == old[-1]):
                        continue  # a smaller difference, or none
                    rest = words[at + len(old) :]
                    if self._run(rest, behind) in self.finals:
                        yield old, new, (*words[:at], *new, *rest)

    def _ahead(self, state: int, most: int) -> Iterator[tuple[Words, int]]:
        """What may be said next, up to so many words of it or nothing, and the state behind it."""
        begun: list[tuple[Words, int]] = [((), state)]
        yield from begun
        for _ in range(most):
            begun = [((*said, word), to) for said, at in begun for word, to in self._moves[at].items()]
            yield from begun

    def endings(self, words: Words, most: int = 2) -> Iterator[Words]:
        """The sentences that begin so, with one word more, or two: up to `most`."""
        if not words or (state := self._run(words)) < 0:
            return
        yield from ((*words, *more) for more, behind in self._ahead(state, most) if more and behind in self.finals)

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
