"""The conversation at one satellite: the pending question and what was spoken of last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from daemon.core.decisions import Decision, Refuse, Undo
from daemon.core.ir import Clause, DialogueMove, Inquiry, Order, Program, Timer
from daemon.core.messages import say
from daemon.core.outcomes import Outcome
from daemon.core.questions import DEED, Choice, Question
from daemon.core.resolution import NOTHING_SPOKEN, Spoken
from daemon.core.result import Change, Report
from daemon.core.values import replace

REMEMBERED_S = 600.0
"""How long "it" still means what was spoken of last, and "undo that" what was done last."""
JUST_S = 30.0
"""How long after an act a "no" or a "cancel" is about that act."""
_MOST_STEPS = 16
"""So many acts can be taken back, one after the other."""
NOTHING_BACK = ("nothing_to_undo", "cannot_undo")
"""Reasons why an act was not taken back, after which the next "undo" is about the one before it."""
_MOST = 64
"""So many satellites' conversations are kept at once; of more, those that have been silent longest are forgotten."""


@dataclass(frozen=True, slots=True)
class Open:
    """What is open in the conversation, and how things stand."""

    connected: bool = True
    """Whether the broker is there."""
    done: tuple[Outcome, ...] = ()
    """What the last act of this conversation led to ("undo that")."""
    all: tuple[Outcome, ...] = ()
    """What all of them led to, oldest first ("back to how it was at first")."""
    just: tuple[Outcome, ...] = ()
    """The same, where it was so short ago that a "no" or a "cancel" can only be about it."""
    kept: tuple[int, ...] = ()
    """The ids of what was just kept for later, or told of."""
    fresh: bool = False
    """Whether the last command left it, so that a "no" too can only be about it."""
    changes: tuple[Change, ...] = ()
    """What the last act did to lists."""
    noted: bool = False
    """Whether that was so short ago that a "no" or a "cancel" can only be about it."""
    listed: str | None = None
    """The list that was spoken of just now."""
    missed: bool = False
    """Whether something else was asked for since, and not done, so that "undo that" may mean it."""


@dataclass(slots=True)
class Dialogue:
    """Mutable, one per satellite; only its own methods set its fields. All times are `time.monotonic()` seconds."""

    pending: Question | None = None
    spoken: Spoken = NOTHING_SPOKEN
    """What was spoken of."""
    program: Program | None = None
    """The last program that was carried out ("again", "no, the other one")."""
    tried: Program | None = None
    """The last program, where nothing of it could be done: "I meant the kettle"."""
    answered: Question | None = None
    """The question whose answer led to it, where there was one."""
    steps: tuple[tuple[Outcome | Change, ...], ...] = ()
    """What each of the last acts led to, oldest first ("undo that", and once more); what was taken back is gone."""
    undoable: bool = False
    """Whether that act was the last thing that was done, so that "cancel" can only be about it."""
    choice: Choice | None = None
    """What was chosen on the way to it ("always")."""
    kept: tuple[int, ...] = ()
    """The ids of what was left for later, or told of, and nothing was done since ("cancel that")."""
    fresh: bool = False
    """Whether the last command left it."""
    listed: str | None = None
    """The list that was spoken of last, where nothing was done since but to lists."""
    planned: Program | None = None
    """The last program, where all of it was kept for later ("and the fan too", "make it eight")."""
    timed: Timer | None = None
    """The last thing that was said of a timer, where nothing was done since ("go on", after "pause the timer")."""
    missed: bool = False
    """Whether something was asked for since the last act, and not done."""
    touched: float = float("-inf")
    """When anything was spoken of or done last."""

    @property
    def last(self) -> tuple[str, ...]:
        """The entities spoken of last, oldest first."""
        return self.spoken.last

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What the last act led to that was not taken back."""
        return tuple(item for item in self._step if isinstance(item, Outcome))

    @property
    def changes(self) -> tuple[Change, ...]:
        """What the last act did to lists."""
        return tuple(item for item in self._step if isinstance(item, Change))

    @property
    def _step(self) -> tuple[Outcome | Change, ...]:
        return self.steps[-1] if self.steps else ()

    def question(self, now: float) -> Question | None:
        """The question that still waits for its answer at this moment."""
        if self.pending is not None and self.pending.expired(now):
            self.pending = None
        return self.pending

    def ask(self, question: Question, now: float) -> None:
        """A question is open. What it is about, where only that was understood, is "it" from now on."""
        self.pending = question
        if question.reason == DEED:
            self.mention(question.options, now)

    def answer(self) -> None:
        """The question is answered, or dropped."""
        self.pending = None

    def refresh(self, now: float) -> None:
        """Forgets what is too long ago to be meant by "it"."""
        if now - self.touched >= REMEMBERED_S:
            self.spoken = NOTHING_SPOKEN
            self.program, self.tried, self.answered, self.steps, self.undoable = None, None, None, (), False
            self.choice, self.missed = None, False
            self.kept, self.planned, self.listed = (), None, None

    def mention(self, entities: tuple[str, ...], now: float, clause: Clause | None = None) -> None:
        """Notes what was just spoken of, and in which clause."""
        if entities:
            self.touched = now
        self.spoken = self.spoken.then(entities, clause)

    def remember(
        self,
        program: Program,
        answered: Question | None,
        choice: Choice | None,
        decisions: Sequence[Decision],
        reports: Sequence[Report],
        now: float,
    ) -> None:
        """Keeps what a remark about it may be about: an undo, "no, the other one", "again"."""
        kept = tuple(number for report in reports for number in report.kept)
        about = tuple(number for report in reports for number in report.about)
        self.fresh = bool(kept)
        if kept or about:
            self.kept, self.touched = kept or about, now
        for decision in decisions:
            self._take_back(decision)
        # Putting back is no act of its own: the next "undo that" goes on to the one before, never forth again.
        new = [at for at, item in enumerate(decisions) if not isinstance(item, Undo)]
        told = [reports[at] for at in new] or reports
        listed = next((report.listed for report in reversed(told) if report.listed is not None), None)
        done = listed is not None or any(report.outcome in ("execute", "query") for report in told)
        self._try(program.clauses[-1], program, told, new_topic=done or bool(kept), now=now)
        program = replace(program, clauses=tuple(program.clauses[at] for at in new) or program.clauses)
        dropped = any(isinstance(item, Undo) and item.dropped for item in decisions)
        if (done or dropped) and not (kept or about):
            self.kept = ()
        if done or kept or dropped:
            self.planned = program if kept and not done else None
        if self.planned is not None:
            self.undoable = False  # "undo that", "the study one": about what was kept, not about the act before it
        if not done:
            return
        self.listed = listed
        outcomes: list[Outcome | Change] = []
        for at in new:
            outcomes += (*reports[at].outcomes, *reports[at].changes)
        self.did(program, outcomes, answered, now)
        if outcomes:
            self.choice = choice
            self.spoken = replace(self.spoken, on=_left_on(reports))

    def _try(self, last: Clause, program: Program, told: Sequence[Report], *, new_topic: bool, now: float) -> None:
        """Keeps the timer that was spoken of, and what could not be done, as long as nothing else is."""
        timed = bool(told) and told[-1].outcome == "assistant"
        if new_topic or timed:
            self.timed = last if isinstance(last, Timer) and timed else None
            if self.timed is not None and say("timer.none.named") in told[-1].said:
                self.timed = replace(self.timed, name=None)  # another one was meant
            self.tried = None
        elif isinstance(last, Order | Inquiry) and any(report.outcome == "reject" for report in told):
            self.tried, self.touched = program, now

    def end(self, program: Program | None, reports: Sequence[Report]) -> None:
        """Notes whether what an utterance asked for was done. What it told, thanked for or wanted to know is none."""
        said = program.clauses[-1] if program is not None else None
        undone = isinstance(said, DialogueMove) and said.move == "undo"
        if undone or any(report.outcomes or report.changes or report.kept for report in reports):
            self.missed = undone and self.missed and any(report.question is not None for report in reports)
        elif not isinstance(said, Inquiry):
            failed = isinstance(said, Order) and any(report.outcome == "reject" for report in reports)
            lost = any(report.question is not None or say("not_understood") in report.said for report in reports)
            self.missed = self.missed or failed or lost

    def did(
        self, program: Program, outcomes: Sequence[Outcome | Change], answered: Question | None, now: float
    ) -> None:
        """Notes what was just done or, without outcomes, answered."""
        self.program, self.answered = program, answered
        self.undoable = bool(outcomes)
        if outcomes:
            self.steps = (*self.steps, tuple(outcomes))[-_MOST_STEPS:]
        self.touched = now

    def _take_back(self, decision: Decision) -> None:
        """Forgets what was put back of the last act; also where there was nothing to put back in it."""
        if isinstance(decision, Refuse):
            self.steps = self.steps[:-1] if decision.reason in NOTHING_BACK else self.steps
        elif isinstance(decision, Undo) and getattr(decision.turn.clause, "first", False):
            gone = {id(item) for item in decision.undone}
            kept = (tuple(item for item in step if id(item) not in gone) for step in self.steps)
            self.steps = tuple(filter(None, kept))
        elif isinstance(decision, Undo) and (decision.back is not None or decision.changes):
            named = decision.entities if decision.turn.clause.targets else None
            left = () if named is None else tuple(item for item in self._step if not _is_of(item, named))
            self.steps = (*self.steps[:-1], left) if left else self.steps[:-1]

    def open(self, now: float, *, connected: bool) -> Open:
        """What is open for a decision."""
        just = self.just_spoken(now)
        return Open(
            connected,
            self.outcomes,
            tuple(item for step in self.steps for item in step if isinstance(item, Outcome)),
            self.just_acted(now),
            self.just_kept(now),
            self.fresh,
            self.changes,
            noted=just and self.undoable and bool(self.changes),
            listed=self.listed if just else None,
            missed=self.missed,
        )

    def just_spoken(self, now: float) -> bool:
        """Whether "no, the other one" can only be about what was just done or said."""
        return (self.program or self.tried) is not None and now - self.touched < JUST_S

    def just_planned(self, now: float) -> Program | None:
        """What goes on from what was kept for later just now, and from nothing done since."""
        return self.planned if now - self.touched < JUST_S else None

    def just_timed(self, now: float) -> Timer | None:
        """The timer that "go on" is about: what was paused just now."""
        return self.timed if now - self.touched < JUST_S else None

    def just_kept(self, now: float) -> tuple[int, ...]:
        """What a "cancel" can only be about: what was kept for later just now."""
        return self.kept if now - self.touched < JUST_S else ()

    def just_acted(self, now: float) -> tuple[Outcome, ...]:
        """What a "cancel" can only be about: the act of just now."""
        return self.outcomes if self.undoable and self.just_spoken(now) else ()


def _left_on(reports: Sequence[Report]) -> tuple[str, ...]:
    """What else was done last, where what was done at the end only switched something off."""
    acts = [report for report in reports if report.outcomes]
    if not acts or not _ends(acts[-1]):
        return ()
    return next((report.entities for report in reversed(acts) if not _ends(report)), ())


def _ends(report: Report) -> bool:
    return all(item.write.value == "off" for item in report.outcomes)


def _is_of(item: Outcome | Change, entities: Sequence[str]) -> bool:
    return isinstance(item, Outcome) and item.write.entity in entities


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
