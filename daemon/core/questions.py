"""Pending questions: what was asked, of whom, and what would answer it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct

from daemon.core.ir import Clause, Order, Program
from daemon.core.values import replace

NEAREST = "nearest"
"""The reason of a question whether to take the nearest value that is possible."""
ALL_KEPT = "later.all"
"""The reason of a question whether all that is kept for later is to be dropped; its options are the ids of that."""
LIST_GONE = ("list.clear", "list.drop")
LIST_WANTED = "list.wanted"
"""The reasons of a question whether all of a list is to go, and whether something is to be put on one; the option is
its name."""
_OF_NO_ENTITY = frozenset({ALL_KEPT, LIST_WANTED, *LIST_GONE})
STILL_OFF = "still_off"
"""The reason of a question whether to switch on what was set to something and is off."""
DEED = "missing_deed"
"""The reason of a question what is to be done with its options, of which nothing but their name was understood."""
FORBIDDEN = "forbidden"
"""The reason of a question whether to do all the same what was forbidden for good."""
QuestionKind = Literal["choose", "confirm", "target", "value", "rest", "when", "half", "length"]

EXPIRY_S = 10.0
"""How long a question waits for its answer."""
MOST_OPTIONS = 3
"""How many alternatives one spoken sentence may offer."""


class Choice(Struct, frozen=True):
    """An entity that was chosen, or agreed to, when a word could have meant several."""

    word: str
    entity: str
    area: str | None = None
    always: bool = False
    """The speaker said that it holds from now on."""


class Settled(Struct, frozen=True):
    """What answers have settled about one clause."""

    choices: tuple[tuple[str, ...], ...] = ()
    """The entities chosen for each of its ambiguous names, in the order of the questions."""
    confirmed: tuple[str, ...] = ()
    """The entities that a yes was given for."""
    meant: tuple[str, ...] = ()
    """The entities that its one target means, whatever it would mean by itself now: "the second one too"."""
    despite: tuple[int, ...] = ()
    """The ids of the prohibitions against which a yes was given."""


NOTHING_SETTLED = Settled()


@dataclass(frozen=True, slots=True)
class Question:
    """A question that has been asked, with the type of its answer.

    `choose`: one (or both, or all) of `options`. `confirm`: yes or no to doing it with `options`.
    `target`: the name that the command lacked. `value`: the number or word that it lacked. `rest`: whatever else of a
    sentence that broke off (`Program.missing`). `when`: the time of it,
    `half`: whether that is in the morning or in the evening. `length`: how long.
    """

    kind: QuestionKind
    reason: str
    """Why it was asked: the gate's reason."""
    program: Program
    """What is to be done once everything is settled; nothing of it has been done yet."""
    options: tuple[str, ...]
    """Entity ids; of what is kept for later, its own."""
    expires_at: float
    """`time.monotonic()` seconds."""
    at: int = 0
    """The index of the clause that it is about."""
    area: str | None = None
    """Where it was asked, an area id: its answer is about that room, wherever it is given."""
    settled: Mapping[int, Settled] = field(default_factory=dict, hash=False)
    """By the index of a clause, what was settled so far."""
    attempt: int = 1
    """How often it has been asked; after the second misheard answer it is dropped."""
    prolonged: int = 0
    """How often its speaker wanted more time, or to hear it again."""
    dimension: str | None = None
    kinds: tuple[str, ...] = ()
    """Where the options were told apart by what they are, the word for that of each: "the TV or the light?"."""
    chosen: tuple[str, ...] = ()
    """The options that were chosen, once it was answered."""
    heard: float = 1.0
    """How sure the hearing of what led to it was, 0 to 1: an answer heard well makes a doubtful command no surer."""

    word: str | None = None
    """The word that it is about, where there is one and it could be remembered what is meant by it."""
    watched: tuple[tuple[str, ...], ...] = ()
    """For each condition of what is not for now, whom it is about."""
    despite: tuple[int, ...] = ()
    """The ids of the prohibitions that a yes would go against, once."""
    choice: Choice | None = None
    """What was chosen so far; for a question about a habit, what it is about."""

    also: tuple[Question, ...] = ()
    """What is asked in the same breath: a yes is one to all of it, a no to none."""

    @property
    def about(self) -> tuple[str, ...]:
        """All entity ids that a yes would be about."""
        return (*self.options, *(item for other in self.also for item in other.options))

    @property
    def proposed(self) -> bool:
        """Whether only Hearken brought up what it offers: nobody named that, and "it" is something else."""
        return self.reason == "not_found"

    @property
    def named(self) -> tuple[str, ...]:
        """What its speaker named himself and said no to: "is it off?" after that is about it."""
        told = any(item.mention or item.kind for item in self.clause.targets)
        guessed = (
            self.proposed or self.reason == "confirm_name" or (isinstance(self.clause, Order) and self.clause.implicit)
        )
        return self.options if told and not guessed and self.kind == "confirm" and self.offers else ()

    @property
    def offers(self) -> bool:
        """Whether its options are entities."""
        return self.reason not in _OF_NO_ENTITY

    def with_clause(self, clause: Clause) -> Program:
        """All that was said, with this in place of what was asked about."""
        clauses = (*self.program.clauses[: self.at], clause, *self.program.clauses[self.at + 1 :])
        return replace(self.program, clauses=clauses, source="dialogue", missing=None, needs_fallback=False)

    @property
    def takes_value(self) -> bool:
        """Whether a bare value answers it."""
        return self.kind == "value" or self.reason == NEAREST

    @property
    def clause(self) -> Clause:
        """The clause that it is about."""
        return self.program.clauses[self.at]

    def expired(self, now: float) -> bool:
        """Whether its answer comes too late."""
        return now >= self.expires_at


class Answer(Struct, frozen=True):
    """What an utterance means as the answer to a question.

    `chosen` carries entity ids, and so does `narrowed`, of which one is still to be chosen; `value`, `target` and
    `time` a program whose clause has the missing slot (its time or its length), or another one than was asked about;
    `more` that with something besides: without entities, a yes was not given to it, or to nothing of it;
    `wait` and `again` are remarks that leave the question open; `other` says that it is no answer but a new utterance;
    `misheard` that it is neither.
    """

    kind: Literal[
        "chosen",
        "narrowed",
        "yes",
        "no",
        "cancel",
        "value",
        "target",
        "time",
        "more",
        "wait",
        "again",
        "other",
        "misheard",
    ]
    entities: tuple[str, ...] = ()
    program: Program | None = None
    always: bool = False
    """What is chosen here is to hold from now on."""
    unread: str = ""
    """Behind a no, what nobody understood."""
