"""A home that is only thought about: sentences go in, tasks and decisions come out; no device, no broker, no reply."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from daemon.core.decisions import Ask, Decision, Refuse
from daemon.core.entities import Value
from daemon.core.ir import Program
from daemon.core.outcomes import Observation, Observed, Outcome, Write
from daemon.core.questions import NOTHING_SETTLED, Question, Settled
from daemon.core.resolution import Context, Spoken
from daemon.core.result import Report
from daemon.core.trace import Trace
from daemon.core.turn import Task, Turn, Utterance
from daemon.core.values import replace
from daemon.decide.asking import Asking
from daemon.decide.decider import Decider
from daemon.decide.gate import Gate
from daemon.decide.looking import Look
from daemon.decide.remarks import Remarks
from daemon.dialogue.conversations import Conversations
from daemon.dialogue.dialogue import Dialogue, Open
from daemon.dialogue.tasks import Tasks
from daemon.dialogue.which import Tongue
from daemon.home.config import Microphone
from daemon.home.registry import Registry
from daemon.lists.lists import Lists
from daemon.memory.memory import Memory
from daemon.memory.teaching import Teaching
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.named import kinds_of
from daemon.resolve.readings import Readings
from daemon.resolve.resolver import Resolver
from daemon.schedule.agenda import Agenda
from daemon.schedule.entries import Entry, Origin
from daemon.schedule.moments import Clock, Moments
from daemon.understand.grammar import Grammar
from tests.home.houses import default_home
from tests.rules import GRAMMAR

ZONE = ZoneInfo("Europe/Amsterdam")
NOON = datetime(2026, 11, 21, 12, tzinfo=ZONE).timestamp()
ORIGIN = Origin("", "en", "console", 0.0)
HOME = default_home()
Brief = tuple[str, str, AbstractSet[str]]
"""What a decision is, why, and about whom."""


@cache
def grammar() -> Grammar:
    return GRAMMAR


@dataclass
class Time:
    """Seconds since the epoch, and of the clock that only goes forward; both stand still unless they are moved."""

    wall: float = NOON
    monotonic: float = 0.0


class Mind:
    """All that decides, of the home of `devices.yaml`; what is kept for later can be put into it."""

    def __init__(self, entries: Sequence[Entry] = (), satellites: Mapping[str, Microphone] | None = None) -> None:
        self.time = Time()
        clock = Clock(lambda: self.time.wall, lambda: self.time.monotonic, ZONE)
        self.thresholds = HOME.thresholds
        self.registry = Registry(HOME.entities, HOME.people)
        words = grammar().lexicon
        self.resolver = Resolver(
            self.registry,
            kinds_of(words),
            HOME.thresholds,
            places=words.place_words,
            contrasts=words.contrasts,
        )
        self.comprehension = Comprehension(grammar(), self.registry, self.resolver.nearby)
        self.readings = Readings(self.comprehension, self.resolver, HOME.thresholds)
        self.agenda = Agenda(clock)
        self.moments = Moments(clock)
        for entry in entries:
            asyncio.run(self.agenda.keep(entry))
        self.teaching = Teaching(
            registry=self.registry,
            memory=Memory(self.registry, clock=clock.wall),
            resolver=self.resolver,
            comprehension=self.comprehension,
            clock=clock.monotonic,
        )
        self.asking, self.gate = Asking(HOME.thresholds, clock.monotonic), Gate(self.registry, HOME.thresholds)
        self.remarks = Remarks(
            registry=self.registry,
            resolver=self.resolver,
            gate=self.gate,
            asking=self.asking,
            thresholds=HOME.thresholds,
        )
        self.decider = Decider(
            registry=self.registry,
            resolver=self.resolver,
            teaching=self.teaching,
            lists=Lists(),
            agenda=self.agenda,
            moments=self.moments,
            scenes=HOME.scene_steps,
            thresholds=HOME.thresholds,
        )
        self.tasks = Tasks(
            registry=self.registry,
            comprehension=self.comprehension,
            readings=self.readings,
            teaching=self.teaching,
            thresholds=HOME.thresholds,
            resolver=self.resolver,
            clock=clock.monotonic,
        )
        self.conversations = Conversations(
            registry=self.registry,
            satellites=satellites or {},
            tasks=self.tasks,
            readings=self.readings,
            last_known=lambda _entity, _attribute: None,
            clock=clock.monotonic,
        )
        self.tongue = Tongue(
            self.comprehension.read_text,
            lambda text: self.comprehension.named(text, "en"),
            self.comprehension.essence,
            self.comprehension.consent,
            self.comprehension.heads,
            HOME.thresholds,
        )

    def program(self, text: str, lang: str | None = None) -> Program:
        """The reading of a sentence that fits the home best."""
        readings = self.comprehension.read_text(text, lang)
        return self.readings.best(readings, Context("en"))[0]

    def turns(
        self,
        said: str | Program,
        *,
        settled: Mapping[int, Settled] | None = None,
        heard: float = 1.0,
        attended: bool = True,
        last: tuple[str, ...] = (),
        **known: Any,
    ) -> list[Turn]:
        """The clauses of a sentence after what was spoken of `last`; `known` is what its context says besides."""
        program = self.program(said) if isinstance(said, str) else said
        context = Context(**{"lang": program.lang, "spoken": Spoken(last), **known})
        found = settled or {}
        return [
            Turn(program, at, context, found.get(at, NOTHING_SETTLED), heard, Trace(), program.text, attended=attended)
            for at in range(len(program.clauses))
        ]

    def decide(
        self, turns: Sequence[Turn], states: Mapping[tuple[str, str], Value] | None = None, open_: Open | None = None
    ) -> list[Decision]:
        """What is to be done, where fresh readings say this; what is not among them cannot be read."""
        seen = observed(states or {})
        looks = self.decider.looks(turns, open_ or Open())
        return [self.decider.decide(item, seen) if isinstance(item, Look) else item for item in looks]

    def said(self, text: str | Program, **around: Any) -> Decision:
        """The decision about a sentence of one clause."""
        states, open_ = around.pop("states", None), around.pop("open_", None)
        (decision,) = self.decide(self.turns(text, **around), states, open_)
        return decision

    def asked(self, text: str | Program, **around: Any) -> Question:
        """The question that a sentence leads to."""
        found = self.said(text, **around)
        assert isinstance(found, Ask), found
        return found.question

    def task(self, text: str, dialogue: Dialogue, *others: tuple[str, float], heard: float = 1.0) -> Task | Report:
        """What is to be done after what was said before; `others` may have been said instead."""
        trace = Trace()
        hypotheses: Iterator[Any] = self.readings.of(Utterance(text, heard=heard, alternatives=others), trace)
        first = next(hypotheses)
        context = Context(first.lang, spoken=dialogue.spoken)
        return asyncio.run(self.tasks.of(first, hypotheses, dialogue, context, trace))

    def after(self, text: str, *entities: str, **outcome: Any) -> Dialogue:
        """The conversation once a sentence was carried out, which switched these."""
        dialogue = Dialogue()
        dialogue.mention(entities, self.time.monotonic)
        done = [switched(item, **outcome) for item in entities]
        dialogue.did(self.program(text), done, None, self.time.monotonic)
        return dialogue


@cache
def mind() -> Mind:
    """One that nobody changes."""
    return Mind()


def doubted(text: str) -> Program:
    """The reading of a sentence, so unsure that it is asked back."""
    program = mind().program(text)
    sure = mind().thresholds.asked
    return replace(program, confidence=sure, clauses=tuple(replace(item, confidence=sure) for item in program.clauses))


def observed(states: Mapping[tuple[str, str], Value]) -> Observed:
    return {pair: Observation(*pair, value, "reply", 0.1) for pair, value in states.items()}


def switched(entity: str, before: Value = "off", after: Value = "on", action: str = "turn_on", **more: Any) -> Outcome:
    write = Write(entity, "state", after, action, before=before)
    return Outcome(write, **{"status": "done", "sent": True, **more})


def kept(text: str, *entities: str, sort: Any = "time", due: float | None = 600.0, **more: Any) -> Entry:
    """A sentence that is kept, as one that is due so many seconds from noon on."""
    program = replace(mind().program(text), source="grammar")
    return Entry(0, sort, ORIGIN, None if due is None else NOON + due, program, entities=entities, **more)


def brief(decision: Decision) -> Brief:
    reason = decision.question.reason if isinstance(decision, Ask) else decision.reason
    return type(decision).__name__, reason, frozenset(decision.entities)


def keys(decision: Decision) -> list[str]:
    """The sentences that a refusal is told with, by their keys."""
    assert isinstance(decision, Refuse)
    return [getattr(item, "key", type(item).__name__) for item in decision.said]
