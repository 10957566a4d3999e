"""What is to be done about one clause: the one value that `daemon.decide` returns. Data, no I/O and no words.

Every variant carries the turn that it is about and what its names were resolved to; nothing is resolved twice.
"""

from __future__ import annotations

from msgspec import Struct

from daemon.core.ir import AboutAgenda
from daemon.core.messages import Asked, Said
from daemon.core.outcomes import Ban, Observation, Outcome, WayBack
from daemon.core.questions import Question
from daemon.core.result import Change, Report, ResultOutcome, asking
from daemon.core.turn import Turn
from daemon.core.values import replace


class Act(Struct, frozen=True):
    """Do it now, with these entities."""

    turn: Turn
    reason: str
    """Why it is allowed, for the audit."""
    entities: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    """Risky members of a set, which are spared."""
    cleans: tuple[str, ...] = ()
    """The ids of the areas that a vacuum is to clean."""
    everywhere: bool = False
    """Whether it is "everything" in the whole home."""
    bans: tuple[Ban, ...] = ()
    """What must not be done on the way: scenes do without it."""


class Query(Struct, frozen=True):
    """Answer: about these entities, or about what Hearken itself knows (what is kept, what it can do)."""

    turn: Turn
    reason: str
    entities: tuple[str, ...] = ()
    kept: tuple[int, ...] = ()
    """The ids of what is kept for later and is asked about."""

    @property
    def of_kept(self) -> bool:
        """Whether it is about what is kept for later, or about the time."""
        return isinstance(self.turn.clause, AboutAgenda)


class Keep(Struct, frozen=True):
    """Keep it for a time, or until something happens; or set a timer."""

    turn: Turn
    reason: str
    entities: tuple[str, ...] = ()
    cleans: tuple[str, ...] = ()
    watched: tuple[tuple[str, ...], ...] = ()
    """For each condition, whom it is about."""
    holds: bool = False
    """What is waited for is so already."""
    spared: tuple[str, ...] = ()
    """Whom a scene is to leave alone then."""


class Note(Struct, frozen=True):
    """Change a list that people keep, or tell what is on it; the clause says how, and the name of the list."""

    turn: Turn
    reason: str
    entities: tuple[str, ...] = ()


class Place(Struct, frozen=True):
    """Where something is to be heard."""

    names: tuple[str, ...]
    """What was said: ids of areas, or of a floor."""
    areas: frozenset[str]


class Tell(Struct, frozen=True):
    """Have it said in the places, none: in every other room, less the areas that are spared; the clause says what."""

    turn: Turn
    reason: str
    places: tuple[Place, ...] = ()
    spared: frozenset[str] = frozenset()
    entities: tuple[str, ...] = ()


class Teach(Struct, frozen=True):
    """Learn or forget what words mean, or tell what was learnt."""

    turn: Turn
    reason: str
    entities: tuple[str, ...] = ()


class Undo(Struct, frozen=True):
    """Put back what was done, and drop what was kept for later."""

    turn: Turn
    reason: str
    entities: tuple[str, ...] = ()
    back: WayBack | None = None
    undone: tuple[Outcome, ...] = ()
    """What that was."""
    dropped: tuple[int, ...] = ()
    bans: tuple[Ban, ...] = ()
    """What must not be done on the way."""
    changes: tuple[Change, ...] = ()
    """What was done to lists, and is taken back."""


class Ask(Struct, frozen=True):
    """Ask first."""

    turn: Turn
    question: Question
    entities: tuple[str, ...] = ()
    before: Said = ()
    """What is said before the question."""
    outcome: ResultOutcome = "clarify"
    """"reject" where it is a refusal that offers something else."""

    @property
    def report(self) -> Report:
        """That it is asked."""
        return replace(asking(self.question, *self.before), outcome=self.outcome, entities=self.entities)


class Refuse(Struct, frozen=True):
    """Do nothing, and say why; or nothing is to be done at all."""

    turn: Turn
    said: Said
    reason: str
    outcome: ResultOutcome = "reject"
    entities: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    readings: tuple[Observation, ...] = ()
    """What it rests on: the readings of a condition that does not hold."""
    offer: Question | None = None
    """What is offered instead."""

    @property
    def report(self) -> Report:
        """That nothing was done."""
        said = self.said if self.offer is None else (*self.said, Asked(self.offer))
        return Report(
            self.outcome,
            said,
            self.reason,
            self.entities,
            question=self.offer,
            read=self.read,
            readings=self.readings,
        )


Decision = Act | Query | Keep | Note | Tell | Teach | Undo | Ask | Refuse
CHANGES = (Act, Keep, Note, Tell, Teach, Undo)
"""What may change something: nothing else of an utterance is done meanwhile."""
