"""Which half of the day is meant where nobody says it, by what is done: the table `rules/halves.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct

from daemon.core.ir import Clause, Order, Program, Target
from daemon.core.values import replace
from daemon.core.vocabulary import Action, Kind
from daemon.system.nodes import read_yaml
from daemon.understand.lexicon import Lexicon
from daemon.understand.moments import in_half

FILE = "halves.yaml"


class Half(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the table."""

    deed: Action
    of: tuple[Kind, ...]
    hours: tuple[int, int]
    half: Literal["am", "pm", "word"]
    why: str


class Halves(Struct, frozen=True):
    """The table, and the words in names of scenes that say it."""

    lines: tuple[Half, ...]
    words: dict[str, str]

    @classmethod
    def load(cls, rules: Path, lexicon: Lexicon) -> Halves:
        """The table of a folder of rules."""
        lines = (item.into(Half, "write {deed, of, hours, half, why}") for item in read_yaml(rules / FILE).sequence())
        return cls(tuple(lines), lexicon.words("USUALLY"))

    def told(self, program: Program) -> Program:
        """The program with the half of the day of each time that can only be of one."""
        return replace(program, clauses=tuple(map(self._told, program.clauses)))

    def _told(self, clause: Clause) -> Clause:
        when = clause.when
        if not isinstance(clause, Order) or when is None or when.time is None or not when.twelve or when.follows:
            return clause
        if not (when.days or when.day_offset):
            return clause  # the next one
        hour = int(when.time.partition(":")[0])
        halves = {self._half(target, clause, hour) for target in clause.targets}
        half = halves.pop() if len(halves) == 1 else None
        return clause if half is None else replace(clause, when=in_half(when, half))

    def _half(self, target: Target, clause: Order, hour: int) -> str | None:
        for line in self.lines:
            if line.deed == clause.action and target.kind in line.of and line.hours[0] <= hour <= line.hours[1]:
                return line.half if line.half != "word" else self._named(target.mention or "")
        return None

    def _named(self, name: str) -> str | None:
        return next((half for word, half in self.words.items() if word in name), None)
