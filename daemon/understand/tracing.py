"""Notes how far a parse comes, and what would have let it go on: wraps matchers where a grammar is to be explained."""

from __future__ import annotations

from dataclasses import dataclass, field

from daemon.understand.matchers import Matcher, Node, Run


@dataclass(slots=True)
class Furthest:
    """How far a parse came, and what would have let it go on."""

    at: int = 0
    expected: set[str] = field(default_factory=set)
    muted: int = 0
    """Above 0 inside of what must not come: its failures are no expectations."""

    def note(self, at: int, label: str) -> None:
        """One terminal that failed at `at`."""
        if self.muted:
            return
        if at > self.at:
            self.at = at
            self.expected.clear()
        if at == self.at:
            self.expected.add(label)

    def forget(self) -> None:
        """Begins anew."""
        self.at = 0
        self.expected.clear()


def noted(label: str, item: Matcher, furthest: Furthest) -> Matcher:
    """Matches the item; where it fails, that is noted."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        end = item(text, at, nodes, run)
        if end < 0:
            furthest.note(at + 1 if text[at] == " " else at, label)
        return end

    return match


def named(name: str, item: Matcher, furthest: Furthest) -> Matcher:
    """Matches the item; where it fails at its very beginning, what was expected is told by its name."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        start = at + 1 if text[at] == " " else at
        before = set(furthest.expected) if furthest.at == start else set()
        end = item(text, at, nodes, run)
        if end < 0 and furthest.at == start and furthest.expected - before:
            furthest.expected = before | {name}
        return end

    return match


def unexpected(item: Matcher, furthest: Furthest) -> Matcher:
    """Matches the item, and notes nothing."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        furthest.muted += 1
        end = item(text, at, nodes, run)
        furthest.muted -= 1
        return end

    return match
