"""Puts a pipeline together for one home on one bus."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from daemon.act.audit import Audit
from daemon.act.dispatch import Deeds
from daemon.act.executor import Executor
from daemon.act.follower import Follower
from daemon.act.job import Patience
from daemon.act.reader import Reader
from daemon.act.regained import Regained
from daemon.act.states import States
from daemon.act.tracking import Aftermath
from daemon.compiler.compiler import Compiler
from daemon.converse.announcements import Announcements
from daemon.converse.replies import Replies
from daemon.core.entities import Value
from daemon.core.turn import Access
from daemon.decide.gate import Gate
from daemon.decide.judgement import Judgement
from daemon.discovery.find import Source
from daemon.discovery.watch import Watch
from daemon.home.config import HomeConfig
from daemon.home.inventory import Inventory
from daemon.home.kindwords import KindWords
from daemon.home.registry import Registry
from daemon.memory.ledger import Ledger
from daemon.memory.memory import Memory
from daemon.memory.naming import Naming
from daemon.memory.store import Store
from daemon.memory.teaching import Lessons
from daemon.mqtt.bus import Bus
from daemon.mqtt.dialects import dialects
from daemon.mqtt.dialects.template_workshop import Workshop
from daemon.mqtt.dialects.templates import Templates
from daemon.pipeline import Parts, Pipeline
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.proposers import Meaning
from daemon.resolve.resolver import Resolver
from daemon.schedule.agenda import Agenda
from daemon.schedule.appointments import Appointments
from daemon.schedule.clock import Clock
from daemon.schedule.edges import Edges
from daemon.schedule.firing import Firing
from daemon.schedule.keeping import Schedule
from daemon.schedule.moments import Moments
from daemon.schedule.phrases import Phrases
from daemon.schedule.refresh import Rewatching
from daemon.schedule.store import Store as LaterStore
from daemon.schedule.sun import Sun
from daemon.schedule.timers import Timers
from daemon.understand.grammar import Grammar

_SETTLED_S = 3.0


@dataclass(frozen=True, slots=True)
class Later:
    """What is kept for later in a home: what it is, and what does it."""

    appointments: Appointments
    firing: Firing


@dataclass(frozen=True, slots=True)
class Opened:
    """A home at work."""

    pipeline: Pipeline
    inventory: Inventory
    ledger: Ledger
    later: Later


async def open_appointments(
    home: HomeConfig,
    registry: Registry,
    resolver: Resolver,
    replies: Replies,
    kept: LaterStore | None = None,
    clock: Clock | None = None,
) -> Appointments:
    """What is kept for later in a home, as far as it can be told without its devices."""
    clock = clock or Clock()
    agenda = Agenda(clock, kept)
    await agenda.open()
    phrases = Phrases(replies, registry, clock)
    schedule = Schedule(
        agenda=agenda,
        clock=clock,
        moments=Moments(clock, Sun(home.location) if home.location is not None else None),
        phrases=phrases,
        registry=registry,
        replies=replies,
    )
    timers = Timers(agenda, clock, phrases, registry, replies)
    return Appointments(schedule=schedule, timers=timers, resolver=resolver)


@contextlib.asynccontextmanager
async def open_home(  # noqa: PLR0913, PLR0915 - the one place where all is put together
    home: HomeConfig,
    bus: Bus,
    *,
    grammar: Grammar,
    replies: Replies,
    audit: Audit | None = None,
    store: Store | None = None,
    patience: Patience | None = None,
    sources: Sequence[Source] = (),
    kept: LaterStore | None = None,
    clock: Clock | None = None,
    meanings: Sequence[Callable[[Registry], Meaning]] = (),
    compiler: Compiler | None = None,
) -> AsyncIterator[Opened]:
    """A pipeline that listens to the home's devices, and for new ones, while the block runs.

    `clock` tells how old a reading is, in the seconds that the bus gives its messages, how long a question waits, what
    was said lately, and when the moment of what is kept has come. `meanings` propose things by what words mean.
    """
    clock = clock or Clock()
    registry = Registry(home.entities, home.people, (item.entity for item in home.overrides))
    templates = Templates(Workshop())
    spoken = dialects(templates)
    states = States(bus, registry, spoken, clock=clock.monotonic, twin_s=(patience or Patience()).twin_s)
    resolver = Resolver(
        registry,
        KindWords(
            grammar.lexicon.kind_words,
            grammar.lexicon.particular_kinds,
            grammar.lexicon.marks,
            grammar.lexicon.around_places,
        ),
        home.thresholds,
        rounds=home.rounds,
        meanings=meanings,
        places=grammar.lexicon.place_words,
        contrasts=grammar.lexicon.contrasts,
    )
    reader = Reader(bus, registry, spoken, states)
    executor = Executor(bus, registry, spoken, states, patience)
    announcements = Announcements()
    follower = Follower(states, reader, registry, executor.acts, patience)
    aftermath = Aftermath(
        (follower, Regained(bus, states, reader, registry, executor.acts, follower, patience)),
        registry,
        replies,
        announcements,
        audit,
    )
    access = Access(
        states=states,
        reader=reader,
        executor=executor,
        connected=lambda: bus.connected,
    )
    comprehension = Comprehension(grammar, registry, resolver.nearby)
    memory = Memory(registry, store)
    await memory.open()
    kind_words = KindWords(grammar.lexicon.kind_words)
    lessons = Lessons(
        registry=registry,
        memory=memory,
        resolver=resolver,
        comprehension=comprehension,
        kind_words=kind_words,
        replies=replies,
        clock=clock.monotonic,
    )
    appointments = await open_appointments(home, registry, resolver, replies, kept, clock)
    schedule = appointments.schedule
    judgement = Judgement(
        registry=registry,
        resolver=resolver,
        gate=Gate(registry, home.thresholds),
        access=access,
        replies=replies,
        lessons=lessons,
        schedule=schedule,
        appointments=appointments,
        thresholds=home.thresholds,
        clock=clock.monotonic,
    )
    deeds = Deeds(
        registry=registry,
        access=access,
        replies=replies,
        scenes=home.scene_steps,
        lessons=lessons,
        clock=clock.monotonic,
        schedule=schedule,
        appointments=appointments,
    )

    def last_known(entity: str, attribute: str) -> Value | None:
        return states.seen(entity, attribute).value

    edges = Edges(schedule.agenda, registry, states, access.reader, clock)
    rewatching = Rewatching(schedule.agenda, registry, resolver, edges)
    firing = Firing(
        edges=edges,
        schedule=schedule,
        timers=appointments.timers,
        judgement=judgement,
        deeds=deeds,
        access=access,
        announce=announcements,
        aftermath=aftermath,
        audit=audit,
        late_s=home.late_s,
    )
    await states.start()

    async def changed() -> None:
        await states.refresh()
        await asyncio.to_thread(resolver.warm)
        await asyncio.to_thread(comprehension.warm)
        await rewatching.follow()

    watch = Watch(bus, home, registry, sources, changed)
    await watch.start()
    await rewatching.start()
    lost = bus.on_connection(edges.connection)
    # What is announced already is there before the first command; with nobody to ask, nothing is waited for.
    if sources and bus.connected:
        await watch.settled(_SETTLED_S)
    if audit is not None:
        audit.start()
    try:
        yield Opened(
            Pipeline(
                Parts(
                    registry=registry,
                    comprehension=comprehension,
                    resolver=resolver,
                    judgement=judgement,
                    deeds=deeds,
                    lessons=lessons,
                    replies=replies,
                    announcements=announcements,
                    aftermath=aftermath,
                    last_known=last_known,
                    languages=home.languages,
                    satellites=home.satellites,
                    audit=audit,
                    compiler=compiler,
                ),
                clock.monotonic,
            ),
            Inventory(registry, states, watch, audit, templates.off),
            Ledger(registry, memory, Naming(registry, comprehension.reserved)),
            Later(appointments, firing),
        )
    finally:
        lost()
        edges.stop()
        await aftermath.stop()
        await watch.stop()
        await states.stop()
        await templates.stop()
        await memory.close()
        if audit is not None:
            await audit.stop()
