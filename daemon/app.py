"""Puts a pipeline together for one home on one bus."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

from msgspec import Struct

from daemon.act.acting import Acting
from daemon.act.audit import Audit
from daemon.act.broadcasting import Broadcasting
from daemon.act.executor import Access, Executor
from daemon.act.follower import Follower, Regained, Tracking
from daemon.act.reader import Patience, Reader
from daemon.act.states import States
from daemon.compiler.compiler import Compiler
from daemon.converse.conclusion import Announcements
from daemon.converse.help import Help
from daemon.converse.replies import Replies
from daemon.converse.words import Speech
from daemon.core.ir import Target
from daemon.core.resolution import Context
from daemon.decide.decider import Decider
from daemon.dialogue.conversations import Conversations
from daemon.dialogue.tasks import Tasks
from daemon.discovery.find import Source
from daemon.discovery.inventory import Inventory
from daemon.discovery.watch import Watch
from daemon.home.config import HomeConfig
from daemon.home.registry import Registry
from daemon.lists.lists import Lists
from daemon.lists.lists import Store as ListStore
from daemon.memory.ledger import Ledger
from daemon.memory.memory import Memory, Store
from daemon.memory.teaching import Teaching
from daemon.mqtt.bus import Bus
from daemon.mqtt.dialects import dialects
from daemon.mqtt.dialects.template_workshop import Workshop
from daemon.mqtt.dialects.templates import Templates
from daemon.pipeline import Parts, Pipeline
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.named import kinds_of
from daemon.resolve.proposers import Meaning
from daemon.resolve.readings import Readings
from daemon.resolve.request import Need
from daemon.resolve.resolver import Resolver
from daemon.schedule.agenda import Agenda
from daemon.schedule.agenda import Store as LaterStore
from daemon.schedule.edges import Edges
from daemon.schedule.firing import Firing, Rewatching
from daemon.schedule.keeping import Keeping
from daemon.schedule.moments import Clock, Moments, Sun
from daemon.understand.grammar import Grammar

_SETTLED_S = 3.0
Stores = tuple[LaterStore | None, ListStore | None]  # of what is for later, and of what is on lists


class Devices(Struct, frozen=True):
    """What reaches the devices of a home, and what is told of them later."""

    states: States
    access: Access
    templates: Templates
    announcements: Announcements
    tracking: Tracking


class Names(Struct, frozen=True):
    """What is understood in a home, and what names mean there."""

    resolver: Resolver
    comprehension: Comprehension
    readings: Readings

    def renew(self) -> None:
        """Makes now what follows from the registry as it is. Blocking; beside the loop nobody waits for it."""
        self.resolver.warm()
        self.comprehension.warm()
        gc.collect(1)  # what is new is looked through here, and not in the midst of what somebody says


class Later(Struct, frozen=True):
    """What is kept in a home, for later and on lists."""

    agenda: Agenda
    lists: Lists
    clock: Clock
    moments: Moments
    speech: Speech


class Opened(Struct, frozen=True):
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
    home: HomeConfig, registry: Registry, replies: Replies, kept: Stores = (None, None), clock: Clock | None = None
) -> Later:
    """What is kept for later in a home, as far as it can be told without its devices."""
    clock = clock or Clock()
    agenda, lists = Agenda(clock, kept[0]), Lists(kept[1])
    await asyncio.gather(agenda.open(), lists.open())
    moments = Moments(clock, Sun(home.location) if home.location is not None else None)
    return Later(agenda, lists, clock, moments, Speech(replies, registry, clock, moments))


@contextlib.asynccontextmanager
async def open_home(  # noqa: PLR0913 - the one place where all is put together
    home: HomeConfig,
    bus: Bus,
    *,
    grammar: Grammar,
    replies: Replies,
    audit: Audit | None = None,
    store: Store | None = None,
    patience: Patience | None = None,
    sources: Sequence[Source] = (),
    kept: Stores = (None, None),
    clock: Clock | None = None,
    meanings: Sequence[Callable[[Registry], Meaning]] = (),
    compiler: Compiler | None = None,
) -> AsyncIterator[Opened]:
    """A pipeline that listens to the home's devices, and for new ones, while the block runs.

    `clock` tells how old a reading is, how long a question waits, what was said lately, and when the moment of what is
    kept has come. `meanings` propose things by what words mean.
    """
    registry = Registry(home.entities, home.people, (item.entity for item in home.overrides))
    names, replies = _names(home, registry, grammar, meanings), replies.labelled(registry.label)
    later = await open_later(home, registry, replies, kept, clock)
    devices = _devices(bus, registry, later, audit, patience)
    edges = Edges(later.agenda, registry, devices.states, devices.access.reader)
    rewatching = Rewatching(later.agenda, registry, names.resolver, edges)

    async def changed() -> None:
        await asyncio.gather(asyncio.to_thread(names.renew), devices.states.refresh())
        await rewatching.follow()

    memory = Memory(registry, store, changed=changed)
    await memory.open()
    pipeline = Pipeline(_parts(home, registry, replies, names, devices, memory, later, compiler))
    watch = Watch(bus, home, registry, sources, changed)
    firing = _firing(home, registry, devices, later, edges, pipeline)
    inventory = Inventory(registry, devices.states, watch, audit, devices.templates.off, names.comprehension.unsayable)
    ledger = Ledger(registry, memory, names.comprehension.reserved)
    prepare = partial(_prepare, home, registry, names, replies, compiler)
    try:
        async with _listening(bus, devices, watch, edges, rewatching):
            if audit is not None:
                audit.start()
            yield Opened(pipeline, inventory, ledger, later, firing, prepare)
    finally:
        await memory.close()
        if audit is not None:
            await audit.stop()


@contextlib.asynccontextmanager
async def _listening(
    bus: Bus, devices: Devices, watch: Watch, edges: Edges, rewatching: Rewatching
) -> AsyncIterator[None]:
    await devices.states.start()
    await watch.start()
    await rewatching.start()
    lost = bus.on_connection(edges.connection)
    # What is announced already is there before the first command; with nobody to ask, nothing is waited for.
    if watch.sources and bus.connected:
        await watch.settled(_SETTLED_S)
    try:
        yield
    finally:
        lost()
        edges.stop()
        await devices.tracking.stop()
        await watch.stop()
        await devices.states.stop()
        await devices.templates.stop()


def _prepare(home: HomeConfig, registry: Registry, names: Names, replies: Replies, compiler: Compiler | None) -> None:
    for lang in home.languages:
        name = next((item.name(lang) for item in registry.devices), "")
        for sentence in (name, replies.say("help.examples", lang, name=name)):
            names.comprehension.read_text(sentence, lang)
        names.resolver.resolve(Target(mention=name), Need(), Context(lang=lang))
    names.resolver.warm(home.languages)
    if compiler is not None:
        compiler.prepare()


def _names(
    home: HomeConfig, registry: Registry, grammar: Grammar, meanings: Sequence[Callable[[Registry], Meaning]]
) -> Names:
    words = grammar.lexicon
    resolver = Resolver(
        registry,
        kinds_of(words),
        home.thresholds,
        rounds=home.rounds,
        meanings=meanings,
        places=words.place_words,
        contrasts=words.contrasts,
    )
    comprehension = Comprehension(grammar, registry, resolver.nearby)
    return Names(resolver, comprehension, Readings(comprehension, resolver, home.thresholds))


def _devices(bus: Bus, registry: Registry, later: Later, audit: Audit | None, patience: Patience | None) -> Devices:
    templates = Templates(Workshop())
    spoken = dialects(templates)
    patience = patience or Patience()
    clock, twin_s = later.clock.monotonic, patience.twin_s
    states = States(bus, registry, spoken, clock=clock, twin_s=twin_s)
    reader = Reader(bus, registry, spoken, states)
    executor = Executor(bus, registry, spoken, states, patience)
    follower = Follower(states, reader, registry, executor.acts, patience)
    regained = Regained(bus, states, reader, registry, executor.acts, follower, patience)
    announcements = Announcements(later.speech)
    return Devices(
        states=states,
        access=Access(states=states, reader=reader, executor=executor, connected=lambda: bus.connected),
        templates=templates,
        announcements=announcements,
        tracking=Tracking((follower, regained), announcements, audit),
    )


def _parts(
    home: HomeConfig,
    registry: Registry,
    replies: Replies,
    names: Names,
    devices: Devices,
    memory: Memory,
    later: Later,
    compiler: Compiler | None,
) -> Parts:
    clock = later.clock.monotonic
    known, resolver = names.comprehension, names.resolver
    teaching = Teaching(registry=registry, memory=memory, resolver=resolver, comprehension=known, clock=clock)
    acting = Acting(registry=registry, access=devices.access, scenes=home.scene_steps, clock=clock)
    tasks = Tasks(
        registry=registry,
        comprehension=names.comprehension,
        readings=names.readings,
        teaching=teaching,
        thresholds=home.thresholds,
        resolver=names.resolver,
        compiler=compiler,
        clock=clock,
    )
    return Parts(
        registry=registry,
        languages=home.languages,
        comprehension=names.comprehension,
        conversations=Conversations(
            registry=registry,
            satellites=home.satellites,
            tasks=tasks,
            readings=names.readings,
            last_known=lambda entity, attribute: devices.states.seen(entity, attribute).value,
            clock=clock,
        ),
        decider=Decider(
            registry=registry,
            resolver=names.resolver,
            teaching=teaching,
            agenda=later.agenda,
            moments=later.moments,
            lists=later.lists,
            scenes=home.scene_steps,
            thresholds=home.thresholds,
        ),
        access=devices.access,
        acting=acting,
        keeping=Keeping(later.agenda, later.lists, later.moments, registry, acting, devices.access.reader),
        teaching=teaching,
        help=Help(registry, replies),
        tracking=devices.tracking,
        speech=later.speech,
        announcements=devices.announcements,
        broadcasting=Broadcasting(),
    )


def _firing(
    home: HomeConfig, registry: Registry, devices: Devices, later: Later, edges: Edges, pipeline: Pipeline
) -> Firing:
    return Firing(
        agenda=later.agenda,
        moments=later.moments,
        edges=edges,
        registry=registry,
        access=devices.access,
        carry_out=pipeline.fire,
        announce=devices.announcements,
        late_s=home.late_s,
    )
