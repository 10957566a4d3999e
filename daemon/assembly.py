"""Puts a pipeline together for one home on one bus."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence

from daemon.act.audit import Audit
from daemon.act.executor import Executor
from daemon.act.job import Patience
from daemon.act.reader import Reader
from daemon.act.states import States
from daemon.comprehension import Comprehension
from daemon.converse.replies import Replies
from daemon.deeds import Deeds
from daemon.discovery.find import Source
from daemon.discovery.watch import Watch
from daemon.home.config import HomeConfig
from daemon.home.gate import Gate
from daemon.home.registry import Registry
from daemon.home.resolver import Resolver
from daemon.judgement import Judgement
from daemon.mqtt.bus import Bus
from daemon.mqtt.dialects import DIALECTS
from daemon.pipeline import Parts, Pipeline
from daemon.turn import Access
from daemon.understand.grammar import Grammar

_SETTLED_S = 3.0


@contextlib.asynccontextmanager
async def open_pipeline(
    home: HomeConfig,
    bus: Bus,
    *,
    grammar: Grammar,
    replies: Replies,
    audit: Audit | None = None,
    patience: Patience | None = None,
    sources: Sequence[Source] = (),
) -> AsyncIterator[Pipeline]:
    """A pipeline that listens to the home's devices, and for new ones, while the block runs."""
    registry = Registry(home.entities, home.people)
    states = States(bus, registry, DIALECTS)
    resolver = Resolver(registry, grammar.kind_words, home.thresholds, grammar.particular_kinds, rounds=home.rounds)
    access = Access(
        states=states,
        reader=Reader(bus, registry, DIALECTS, states),
        executor=Executor(bus, registry, DIALECTS, states, patience),
        connected=lambda: bus.connected,
    )
    judgement = Judgement(
        registry=registry,
        resolver=resolver,
        gate=Gate(registry, home.thresholds),
        access=access,
        replies=replies,
        thresholds=home.thresholds,
    )
    await states.start()
    watch = Watch(bus, home, registry, sources, states.refresh)
    await watch.start()
    # What is announced already is there before the first command; with nobody to ask, nothing is waited for.
    if sources and bus.connected:
        await watch.settled(_SETTLED_S)
    if audit is not None:
        audit.start()
    try:
        yield Pipeline(
            Parts(
                registry=registry,
                comprehension=Comprehension(grammar, registry),
                resolver=resolver,
                judgement=judgement,
                deeds=Deeds(registry=registry, access=access, replies=replies, scenes=home.scene_steps),
                replies=replies,
                last_known=lambda entity, attribute: states.seen(entity, attribute).value,
                languages=home.languages,
                audit=audit,
            )
        )
    finally:
        await watch.stop()
        await states.stop()
        if audit is not None:
            await audit.stop()
