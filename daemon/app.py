"""Puts a pipeline together for one home on one bus."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from daemon.act.acting import Acting
from daemon.act.audit import Audit
from daemon.act.executor import Access, Executor
from daemon.act.follower import Follower, Regained
from daemon.act.patience import Patience
from daemon.act.reader import Reader
from daemon.act.states import States
from daemon.act.tracking import Tracking
from daemon.compiler.compiler import Compiler
from daemon.converse.announcements import Announcements
from daemon.converse.help import Help
from daemon.converse.replies import Replies
from daemon.converse.words import Speech
from daemon.core.entities import Value
from daemon.core.ir import Target
from daemon.core.resolution import Context
from daemon.decide.decider import Decider
from daemon.dialogue.conversations import Conversations
from daemon.dialogue.last_resort import LastResort
from daemon.dialogue.speakers import Speakers
from daemon.dialogue.tasks import Tasks
from daemon.discovery.find import Source
from daemon.discovery.inventory import Inventory
from daemon.discovery.watch import Watch
from daemon.home.config import HomeConfig
from daemon.home.kinds import KindWords
from daemon.home.registry import Registry
from daemon.memory.ledger import Ledger
from daemon.memory.memory import Memory
from daemon.memory.naming import Naming
from daemon.memory.store import Store
from daemon.memory.teaching import Teaching
from daemon.mqtt.bus import Bus
from daemon.mqtt.dialects import dialects
from daemon.mqtt.dialects.template_workshop import Workshop
from daemon.mqtt.dialects.templates import Templates
from daemon.pipeline import Parts, Pipeline
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.proposers import Meaning
from daemon.resolve.readings import Readings
from daemon.resolve.request import Need
from daemon.resolve.resolver import Resolver
from daemon.schedule.agenda import Agenda
from daemon.schedule.clock import Clock
from daemon.schedule.edges import Edges
from daemon.schedule.firing import Firing
from daemon.schedule.keeping import Keeping
from daemon.schedule.moments import Moments
from daemon.schedule.refresh import Rewatching
from daemon.schedule.store import Store as LaterStore
from daemon.schedule.sun import Sun
from daemon.schedule.timers import Timers
from daemon.schedule.times import Times
from daemon.understand.grammar import Grammar

_SETTLED_S = 3.0


@dataclass(frozen=True, slots=True)
class Later:
    """What is kept for later in a home."""

    agenda: Agenda
    clock: Clock
    moments: Moments
    speech: Speech


@dataclass(frozen=True, slots=True)
class Opened:
    """A home at work."""

    pipeline: Pipeline
    inventory: Inventory
    ledger: Ledger
    later: Later
    firing: Firing
    prepare: Callable[[], None]
    """Makes now what the first command would otherwise wait for: the index of names, the rules that it needs.

    Blocking; seconds for thousands of devices. Nothing else may use the pipeline meanwhile. The models are only begun
    to be loaded, in a thread of their own.
    """


async def open_later(
    home: HomeConfig, registry: Registry, replies: Replies, kept: LaterStore | None = None, clock: Clock | None = None
) -> Later:
    """What is kept for later in a home, as far as it can be told without its devices."""
    clock = clock or Clock()
    agenda = Agenda(clock, kept)
    await agenda.open()
    moments = Moments(clock, Sun(home.location) if home.location is not None else None)
    return Later(agenda, clock, moments, Speech(replies, registry, clock, moments))


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
    later = await open_later(home, registry, replies, kept, clock)
    agenda, moments, speech = later.agenda, later.moments, later.speech
    announcements = Announcements(speech)
    follower = Follower(states, reader, registry, executor.acts, patience)
    regained = Regained(bus, states, reader, registry, executor.acts, follower, patience)
    tracking = Tracking((follower, regained), announcements, audit)
    access = Access(states=states, reader=reader, executor=executor, connected=lambda: bus.connected)
    comprehension = Comprehension(grammar, registry, resolver.nearby)
    memory = Memory(registry, store)
    await memory.open()
    teaching = Teaching(
        registry=registry,
        memory=memory,
        resolver=resolver,
        comprehension=comprehension,
        kind_words=KindWords(grammar.lexicon.kind_words),
        clock=clock.monotonic,
    )
    acting = Acting(registry=registry, access=access, scenes=home.scene_steps, clock=clock.monotonic)
    timers = Timers(agenda, clock, moments, registry)
    times = Times(agenda, moments, registry)
    decider = Decider(
        registry=registry,
        resolver=resolver,
        teaching=teaching,
        agenda=agenda,
        times=times,
        clock=clock,
        thresholds=home.thresholds,
    )
    readings = Readings(comprehension, resolver, home.thresholds)
    tasks = Tasks(
        registry=registry,
        comprehension=comprehension,
        readings=readings,
        teaching=teaching,
        thresholds=home.thresholds,
        last=LastResort(resolver, clock.monotonic),
        compiler=compiler,
        clock=clock.monotonic,
    )

    def last_known(entity: str, attribute: str) -> Value | None:
        return states.seen(entity, attribute).value

    pipeline = Pipeline(
        Parts(
            registry=registry,
            languages=home.languages,
            comprehension=comprehension,
            conversations=Conversations(
                tasks=tasks,
                readings=readings,
                speakers=Speakers(registry, home.satellites),
                last_known=last_known,
                clock=clock.monotonic,
            ),
            decider=decider,
            access=access,
            acting=acting,
            keeping=Keeping(
                agenda=agenda,
                clock=clock,
                moments=moments,
                timers=timers,
                registry=registry,
                acting=acting,
                reader=reader,
            ),
            teaching=teaching,
            help=Help(registry, replies),
            tracking=tracking,
            speech=speech,
            announcements=announcements,
        )
    )
    edges = Edges(agenda, registry, states, reader, clock)
    rewatching = Rewatching(agenda, registry, resolver, edges)
    firing = Firing(
        agenda=agenda,
        clock=clock,
        moments=moments,
        times=times,
        timers=timers,
        edges=edges,
        registry=registry,
        access=access,
        carry_out=pipeline.fire,
        announce=announcements,
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

    def prepare() -> None:
        for lang in home.languages:
            name = next((item.name(lang) for item in registry.devices), "")
            for sentence in (name, replies.say("help.examples", lang, name=name)):
                comprehension.read_text(sentence, lang)
            resolver.resolve(Target(mention=name), Need(), Context(lang=lang))
        resolver.warm(home.languages)
        if compiler is not None:
            compiler.prepare()

    try:
        yield Opened(
            pipeline,
            Inventory(registry, states, watch, audit, templates.off),
            Ledger(registry, memory, Naming(registry, comprehension.reserved)),
            later,
            firing,
            prepare,
        )
    finally:
        lost()
        edges.stop()
        await tracking.stop()
        await watch.stop()
        await states.stop()
        await templates.stop()
        await memory.close()
        if audit is not None:
            await audit.stop()
