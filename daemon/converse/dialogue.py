"""The conversation at one satellite: the pending question and what was spoken of last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from daemon.act.outcomes import Outcome
from daemon.converse.questions import Question
from daemon.ir import Program
from daemon.memory.learnt import Choice

REMEMBERED_S = 600.0
"""How long "it" still means what was spoken of last, and "undo that" what was done last."""
JUST_S = 30.0
"""How long after an act a "no" or a "cancel" is about that act."""
_MOST = 64
"""So many satellites' conversations are kept at once; of more, those that have been silent longest are forgotten."""


@dataclass(slots=True)
class Dialogue:
    """Mutable, one per satellite, kept by the pipeline only. All times are `time.monotonic()` seconds."""

    pending: Question | None = None
    last: tuple[str, ...] = ()
    """The entities spoken of last, oldest first."""
    before_last: tuple[str, ...] = ()
    program: Program | None = None
    """The last program that was carried out ("again")."""
    outcomes: tuple[Outcome, ...] = field(default=())
    """What it led to ("undo that")."""
    choice: Choice | None = None
    """What was chosen on the way to it ("always")."""
    touched: float = float("-inf")
    """When anything was spoken of or done last."""
    acted: float = float("-inf")
    """When the last act was, if nothing else has been understood since."""

    def question(self, now: float) -> Question | None:
        """The question that still waits for its answer at this moment."""
        if self.pending is not None and self.pending.expired(now):
            self.pending = None
        return self.pending

    def refresh(self, now: float) -> None:
        """Forgets what is too long ago to be meant by "it"."""
        if now - self.touched >= REMEMBERED_S:
            self.last = self.before_last = ()
            self.program, self.outcomes, self.choice = None, (), None

    def mention(self, entities: tuple[str, ...], now: float) -> None:
        """Notes what was just spoken of."""
        if entities:
            self.touched = now
        if entities and entities != self.last:
            self.before_last, self.last = self.last, entities

    def did(self, program: Program, outcomes: Sequence[Outcome], now: float) -> None:
        """Notes what was just done."""
        self.program, self.outcomes = program, tuple(outcomes)
        self.touched = self.acted = now

    def just_acted(self, now: float) -> bool:
        """Whether a remark now can only be about the last act."""
        return bool(self.outcomes) and now - self.acted < JUST_S


class Dialogues:
    """The conversations of all satellites: a bounded number of them, whatever names satellites give themselves."""

    def __init__(self) -> None:
        self._by_satellite: OrderedDict[str, Dialogue] = OrderedDict()

    def __len__(self) -> int:
        return len(self._by_satellite)

    def of(self, satellite: str, now: float) -> Dialogue:
        """The conversation of one satellite, with what is too old forgotten."""
        found = self._by_satellite.setdefault(satellite, Dialogue())
        self._by_satellite.move_to_end(satellite)
        while len(self._by_satellite) > _MOST:
            self._by_satellite.popitem(last=False)
        found.refresh(now)
        return found
