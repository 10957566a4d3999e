"""The conversation at one satellite: the pending question and what was spoken of last."""

from __future__ import annotations

from dataclasses import dataclass, field

from daemon.act.outcomes import Outcome
from daemon.converse.questions import Question
from daemon.ir import Program


@dataclass(slots=True)
class Dialogue:
    """Mutable, one per satellite, kept by the pipeline only."""

    pending: Question | None = None
    last: tuple[str, ...] = ()
    """The entities spoken of last, oldest first."""
    before_last: tuple[str, ...] = ()
    program: Program | None = None
    """The last program that was carried out ("again")."""
    outcomes: tuple[Outcome, ...] = field(default=())
    """What it led to ("undo that")."""

    def question(self, now: float) -> Question | None:
        """The question that still waits for its answer at this moment, in `time.monotonic()` seconds."""
        if self.pending is not None and self.pending.expired(now):
            self.pending = None
        return self.pending

    def mention(self, entities: tuple[str, ...]) -> None:
        """Notes what was just spoken of."""
        if entities and entities != self.last:
            self.before_last, self.last = self.last, entities
