"""The functions that the rest of a grammar is compiled to: sequences, choices, rules; called as `matchers` are.

What may be tried at a place is looked up by the opening there, and where that leaves more than what can fit, by the
opening behind it: an `Options` table, whose entries are made when they are first needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from daemon.understand.matchers import Matcher, Node, Run
from daemon.understand.openings import ByOpening

Fitting = tuple[Matcher, ...]
Options = ByOpening[tuple[Fitting, int, ByOpening[Fitting] | None]]
"""By opening: what can fit there, in order; or, where the second opening tells more, how far on it is, and by that."""


def sequence(items: Sequence[Matcher]) -> Matcher:
    """Matches all of them, one after another."""
    if len(items) == 2:  # noqa: PLR2004 - the most frequent, without a loop
        return _pair(*items)
    first, *others = items
    rest = tuple(others)

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        mark = len(nodes)
        at = first(text, at, nodes, run)
        if at < 0:
            return -1
        for item in rest:
            at = item(text, at, nodes, run)
            if at < 0:
                del nodes[mark:]
                return -1
        return at

    return match


def _pair(first: Matcher, second: Matcher) -> Matcher:
    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        mark = len(nodes)
        at = first(text, at, nodes, run)
        if at < 0:
            return -1
        at = second(text, at, nodes, run)
        if at < 0:
            del nodes[mark:]
        return at

    return match


def choice(options: Options) -> Matcher:
    """Matches the first of the options that does."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        openings = run.openings
        fitting, size, behind = options[openings[at]]
        if behind is not None:
            fitting = behind[openings[at + size + (text[at] == " ")]]
        for item in fitting:
            end = item(text, at, nodes, run)
            if end >= 0:
                return end
        return -1

    return match


def optional(options: Options) -> Matcher:
    """Matches the first of the options that does, or nothing."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        openings = run.openings
        fitting, size, behind = options[openings[at]]
        if behind is not None:
            fitting = behind[openings[at + size + (text[at] == " ")]]
        for item in fitting:
            end = item(text, at, nodes, run)
            if end >= 0:
                return end
        return at

    return match


def repeat(options: Options, low: int) -> Matcher:
    """Matches the options as often as it can, `low` times at least."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        openings = run.openings
        count = 0
        end = -1
        while True:
            fitting, size, behind = options[openings[at]]
            if behind is not None:
                fitting = behind[openings[at + size + (text[at] == " ")]]
            for item in fitting:
                end = item(text, at, nodes, run)
                if end >= 0:
                    break
            else:
                return at if count >= low else -1
            if end == at:  # it matches nothing, and would do so for ever
                return at
            at = end
            count += 1

    return match


def look(verdict: ByOpening[bool | None], item: Matcher, *, negated: bool) -> Matcher:
    """Matches nothing, where the item matches (or does not).

    Args:
        verdict: By opening, whether the item matches, where that already tells.
        item: Tried where it does not.
        negated: Whether the item must not match.
    """

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        found = verdict[run.openings[at]]
        if found is None:
            mark = len(nodes)
            found = item(text, at, nodes, run) >= 0
            del nodes[mark:]
        return -1 if found is negated else at

    return match


def needing(needed: int, item: Matcher) -> Matcher:
    """Matches the item, which is only tried where one of these openings stands anywhere in the text."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        return item(text, at, nodes, run) if needed & run.present else -1

    return match


def node(name: str, item: Matcher) -> Matcher:
    """Matches the item, and makes a node of it with its nodes inside."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        mark = len(nodes)
        end = item(text, at, nodes, run)
        if end >= 0:
            nodes[mark:] = [Node(name, at, end, tuple(nodes[mark:]))]
        return end

    return match


def memoised(options: Options, index: int, count: int, name: str | None) -> Matcher:
    """Matches the first of the options that does, once per place and parse.

    Args:
        options: What to match.
        index: The number of this rule among `count`.
        count: How many rules there are.
        name: What the node is called that is made of it, if any.
    """

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        openings = run.openings
        fitting, size, behind = options[openings[at]]
        if behind is not None:
            fitting = behind[openings[at + size + (text[at] == " ")]]
        if not fitting:
            return -1
        memo = run.memo
        key = at * count + index
        known = memo.get(key)
        if known is not None:
            end, made = known
            if made:
                nodes += made
            return end
        mark = len(nodes)
        for item in fitting:
            end = item(text, at, nodes, run)
            if end >= 0:
                if name is not None:
                    nodes[mark:] = [Node(name, at, end, tuple(nodes[mark:]))]
                memo[key] = (end, nodes[mark:])
                return end
        memo[key] = _FAILED
        return -1

    return match


_FAILED: tuple[int, list[Node]] = (-1, [])
