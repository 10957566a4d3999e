"""A closed set of sentences as a network of words: built from a grammar, run by a recogniser, read back to text.

The network is a transducer: each arc has the word that is heard (a pronounceable token) and the text it stands for. A
recogniser gets the smallest acceptor of the heard words, and `texts` finds what a heard sentence may be written as.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random

from msgspec import Struct, field

from daemon.hear.acceptor import Acceptor, alive, minimal
from daemon.understand.peg import AnyOrder, Choice, Expression, Literal, Look, OneOf, Ref, Repeat
from daemon.understand.peg import Sequence as InOrder

Token = tuple[str, str]
"""A heard word and the text it stands for."""
Tokenizer = Callable[[str], Sequence[Token] | None]
"""A phrase as tokens; None if it cannot be pronounced."""

Slots = Callable[[str], Sequence[str]]

MAX_ARCS = 200_000
"""A larger network would neither fit in memory nor be heard."""

MAX_STEPS = 100_000
"""Where so many ways lead to a sentence, those found so far are enough."""


class Network(Struct):
    """State 0 is the start, 1 the end."""

    arcs: list[list[tuple[int, str, str]]] = field(default_factory=lambda: [[], []])
    """Per state: (to, heard word, text)."""
    silent: list[list[int]] = field(default_factory=lambda: [[], []])
    """Per state: where one can go without a word."""
    size: int = 0

    @classmethod
    def of(cls, rules: Mapping[str, Expression], slots: Slots, tokens: Tokenizer) -> Network:
        """The sentences of a grammar.

        Args:
            rules: Its first rule is where a sentence begins.
            slots: The phrases that a name which is no rule stands for; without any its choice is dropped.
            tokens: How a phrase is pronounced.

        Raises:
            ValueError: a rule contains itself, or there are too many sentences.
        """
        network = cls()
        end = _Builder(network, rules, slots, tokens).add(next(iter(rules.values())), 0)
        if end is not None:
            network.silent[end].append(1)
        return network

    def state(self) -> int:
        """A new state."""
        self.arcs.append([])
        self.silent.append([])
        return len(self.arcs) - 1

    def texts(self, heard: Sequence[str], limit: int = 4) -> tuple[str, ...]:
        """How a heard sentence may be written, in the order of the grammar; words set apart by single spaces."""
        found: dict[str, None] = {}
        reachable = self._backwards(heard)
        stack: list[tuple[int, int, tuple[str, ...]]] = [(0, 0, ())]
        seen = set(stack)
        while stack and len(found) < limit and len(seen) < MAX_STEPS:
            state, at, said = stack.pop()
            if state == 1 and at == len(heard):
                found.setdefault(" ".join(part for part in said if part))
                continue
            steps = [(target, at, said) for target in self.silent[state]]
            if at < len(heard):
                steps += [
                    (target, at + 1, (*said, text)) for target, word, text in self.arcs[state] if word == heard[at]
                ]
            steps = [step for step in steps if (step[0], step[1]) in reachable and step not in seen]
            seen.update(steps)
            stack += reversed(steps)
        return tuple(found)

    def examples(self, draw: Random) -> Iterator[str]:
        """Random sentences as they may be written: of the choices of a rule each is as likely as the others."""
        steps = [
            [*((target, "") for target in silent), *((target, text) for target, _, text in arcs)]
            for silent, arcs in zip(self.silent, self.arcs, strict=True)
        ]
        table = [{str(at): target for at, (target, _) in enumerate(found)} for found in steps]
        living = alive(table, [state == 1 for state in range(len(steps))])
        while living[0]:
            state, said = 0, list[str]()
            while state != 1:
                state, text = draw.choice([step for step in steps[state] if living[step[0]]])
                said.append(text)
            yield " ".join(filter(None, said))

    def acceptor(self) -> Acceptor:
        """The smallest deterministic automaton that accepts the same heard sentences."""
        return minimal(*self._deterministic())

    def _closure(self, states: Iterable[int]) -> frozenset[int]:
        seen = set(states)
        todo = list(seen)
        while todo:
            for target in self.silent[todo.pop()]:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        return frozenset(seen)

    def _deterministic(self) -> tuple[list[dict[str, int]], list[bool]]:
        start = self._closure([0])
        numbers = {start: 0}
        table: list[dict[str, int]] = [{}]
        todo = [start]
        while todo:
            here = todo.pop()
            targets: dict[str, set[int]] = {}
            for state in here:
                for target, word, _ in self.arcs[state]:
                    targets.setdefault(word, set()).add(target)
            for word, reached in targets.items():
                there = self._closure(reached)
                if there not in numbers:
                    numbers[there] = len(table)
                    table.append({})
                    todo.append(there)
                table[numbers[here]][word] = numbers[there]
        finals = [False] * len(table)
        for states, number in numbers.items():
            finals[number] = 1 in states
        return table, finals

    def _backwards(self, heard: Sequence[str]) -> set[tuple[int, int]]:
        """The (state, position) pairs from which the end can be reached."""
        silently: list[list[int]] = [[] for _ in self.arcs]
        by_word: dict[str, list[tuple[int, int]]] = {}
        for state, targets in enumerate(self.silent):
            for target in targets:
                silently[target].append(state)
        wanted = set(heard)
        for state, arcs in enumerate(self.arcs):
            for target, word, _ in arcs:
                if word in wanted:
                    by_word.setdefault(word, []).append((state, target))
        layer = self._spread({1}, silently)
        found = {(state, len(heard)) for state in layer}
        for at in range(len(heard) - 1, -1, -1):
            layer = self._spread({source for source, target in by_word.get(heard[at], ()) if target in layer}, silently)
            found |= {(state, at) for state in layer}
        return found

    @staticmethod
    def _spread(states: set[int], edges: Sequence[Sequence[int]]) -> set[int]:
        todo = list(states)
        while todo:
            for source in edges[todo.pop()]:
                if source not in states:
                    states.add(source)
                    todo.append(source)
        return states


class _Builder:
    def __init__(
        self,
        network: Network,
        rules: Mapping[str, Expression],
        slots: Slots,
        tokens: Tokenizer,
    ) -> None:
        self._network = network
        self._rules = rules
        self._slots = slots
        self._tokens = tokens
        self._inside: list[str] = []

    def add(self, expression: Expression, start: int) -> int | None:
        """Adds what an expression says from `start` on: the state behind it, or None if it cannot be said."""
        match expression:
            case Literal(text):
                return self._phrase(text, start)
            case Look():
                return start
            case OneOf() | AnyOrder():
                return None
            case Ref(name):
                return self._rule(name, start)
            case InOrder(items):
                state: int | None = start
                for item in items:
                    if state is not None:
                        state = self.add(item, state)
                return state
            case Choice(items):
                ends = [self.add(item, self._from(start)) for item in items]
                return self._join([end for end in ends if end is not None])
            case Repeat(item, low, many):
                return self._repeat(item, start, low=low, many=many)

    def _rule(self, name: str, start: int) -> int | None:
        if name not in self._rules:
            phrases = self._slots(name)
            ends = [self._phrase(phrase, start) for phrase in phrases]
            return self._join([end for end in ends if end is not None])
        if name in self._inside:
            raise ValueError(f"the rule {name} contains itself")
        self._inside.append(name)
        end = self.add(self._rules[name], start)
        self._inside.pop()
        return end

    def _repeat(self, item: Expression, start: int, *, low: int, many: bool) -> int | None:
        begin = self._from(start)
        end = self.add(item, begin)
        if end is None:
            return start if low == 0 else None
        out = self._from(end)
        if many:
            self._network.silent[end].append(begin)
        if low == 0:
            self._network.silent[begin].append(out)
        return out

    def _phrase(self, text: str, start: int) -> int | None:
        tokens = self._tokens(text)
        if tokens is None:
            return None
        for word, written in tokens:
            target = self._network.state()
            self._network.arcs[start].append((target, word, written))
            self._network.size += 1
            start = target
        if self._network.size > MAX_ARCS:
            raise ValueError("there are too many sentences")
        return start

    def _from(self, state: int) -> int:
        """A state of its own behind another, so that a loop does not leak into what stands beside it."""
        new = self._network.state()
        self._network.silent[state].append(new)
        return new

    def _join(self, ends: Sequence[int]) -> int | None:
        if not ends:
            return None
        joined = self._network.state()
        for end in ends:
            self._network.silent[end].append(joined)
        return joined
