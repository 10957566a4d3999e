"""The functions that the rest of a grammar is compiled to: sequences, choices, rules; called as `matchers` are.

What may be tried at a place is looked up by the opening there in an `Options` table, whose entries are made when they
are first needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daemon.understand.matchers import Matcher, Node, Run
from daemon.understand.openings import Table
from daemon.understand.peg import Frame

Fitting = tuple[tuple[int, Matcher], ...]
"""What can fit at a place, in order, each with the bits of its needs; it is only tried where the text lacks none."""


Trials = Table[str, Fitting]
"""By opening: what can fit there."""
Options = Table[str, int | Fitting]
"""The same, or how many characters are surely matched where the opening tells that."""
Step = tuple[Options, bool]
"""What comes next in a sequence, and whether it must match."""


def sequence(steps: Iterable[Step]) -> Matcher:
    """Matches all of them, one after another."""
    steps = tuple(steps)

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        openings, lacking = run.openings, run.lacking
        mark = len(nodes)
        for options, must in steps:
            found = options[openings[at]]
            if isinstance(found, int):
                if found:
                    at += found + (text[at] == " ")
                continue
            for needs, item in found:
                if not needs & lacking:
                    end = item(text, at, nodes, run)
                    if end >= 0:
                        at = end
                        break
            else:
                if must:
                    del nodes[mark:]
                    return -1
        return at

    return match


def choice(options: Options, *, must: bool = True) -> Matcher:
    """Matches the first of the options that does; or nothing, unless it `must`."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        openings, lacking = run.openings, run.lacking
        found = options[openings[at]]
        if isinstance(found, int):
            return at + found + (text[at] == " ") if found else at
        for needs, item in found:
            if not needs & lacking:
                end = item(text, at, nodes, run)
                if end >= 0:
                    return end
        return -1 if must else at

    return match


def repeat(item: Matcher, low: int) -> Matcher:
    """Matches the item as often as it can, `low` times at least."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        count = 0
        while True:
            end = item(text, at, nodes, run)
            if end < 0:
                return at if count >= low else -1
            if end == at:  # it matches nothing, and would do so for ever
                return at
            at = end
            count += 1

    return match


Far = tuple[int, int, tuple[Node, ...]]
"""Where the rest of a row ends, of how many items it is, less than none of them, and the nodes of it."""


def any_order(items: Sequence[Options], frames: Sequence[Frame]) -> Matcher:
    """Matches as far as items that make a frame go, each once, in any order; of two rows that go as far the shorter.

    Args:
        items: What there is.
        frames: Which of them belong together.
    """

    def further(text: str, at: int, used: int, fitting: Sequence[Frame], run: Run) -> Far | None:
        best: Far | None = (at, 0, ()) if any(not frame.must & ~used for frame in fitting) else None
        said = run.openings[at]
        for index, options in enumerate(items):
            found, with_it = options[said], used | 1 << index
            if not found or with_it == used:
                continue
            left = tuple(frame for frame in fitting if frame.may_have(with_it))
            nodes: list[Node] = []
            end = _first_of(found, text, at, nodes, run) if left else -1
            rest = further(text, end, with_it, left, run) if end > at else None
            if rest is not None and (best is None or (rest[0], rest[1] - 1) > best[:2]):
                best = (rest[0], rest[1] - 1, (*nodes, *rest[2]))
        return best

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        found = further(text, at, 0, frames, run)
        if found is None:
            return -1
        nodes += found[2]
        return found[0]

    return match


def _first_of(found: int | Fitting, text: str, at: int, nodes: list[Node], run: Run) -> int:
    if isinstance(found, int):
        return at + found + (text[at] == " ")
    for needs, item in found:
        if not needs & run.lacking:
            end = item(text, at, nodes, run)
            if end >= 0:
                return end
    return -1


def look(item: Matcher, *, negated: bool) -> Matcher:
    """Matches nothing, where the item matches (or, `negated`, does not)."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        mark = len(nodes)
        found = item(text, at, nodes, run) >= 0
        del nodes[mark:]
        return -1 if found is negated else at

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


def memoised(options: Trials, index: int, count: int, name: str | None) -> Matcher:
    """Matches the first of the options that does, once per place and parse.

    Args:
        options: What to match.
        index: The number of this rule among `count`.
        count: How many rules there are.
        name: What the node is called that is made of it, if any.
    """

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        openings, lacking = run.openings, run.lacking
        found = options[openings[at]]
        if not found:
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
        for needs, item in found:
            if not needs & lacking:
                end = item(text, at, nodes, run)
                if end >= 0:
                    if name is not None:
                        nodes[mark:] = (Node(name, at, end, tuple(nodes[mark:])),)
                    memo[key] = (end, nodes[mark:])
                    return end
        memo[key] = _FAILED
        return -1

    return match


_FAILED: tuple[int, list[Node]] = (-1, [])
