"""Puts a house together for one process: broker, simulated home where there is none, and the pipeline on them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from daemon.act.audit import Audit
from daemon.assembly import open_pipeline
from daemon.config import Paths
from daemon.converse.replies import Replies
from daemon.home.config import HomeConfig
from daemon.mqtt.connection import Connection
from daemon.mqtt.settings import Broker
from daemon.pipeline import Pipeline
from daemon.simulate.broker import EmbeddedBroker
from daemon.simulate.home import SimulatedHome
from daemon.understand.grammar import Grammar

_CONNECT_S = 10.0


def load_any(path: Path) -> HomeConfig:
    """A home file of either format: `devices.yaml`, or a JSON home as `eval` reads them.

    Raises:
        ConfigError: it is wrong; says where.
    """
    if path.suffix == ".json":
        from daemon.home.foreign import load_foreign

        return load_foreign(path)
    from daemon.home.loader import load_home

    return load_home(path)


@contextlib.asynccontextmanager
async def session(paths: Paths, *, wait: bool = True, audit: bool = True) -> AsyncIterator[Pipeline]:
    """A pipeline on the configured broker, or on an embedded one with the simulated home.

    Args:
        paths: Where things are.
        wait: Whether to wait for the broker, and to fail without it; a daemon rather starts and connects later.
        audit: Whether acts are written to the audit log.

    Raises:
        ConfigError: the home file is wrong.
        BrokerError: with `wait`, the broker cannot be reached or refuses.
    """
    home = load_any(paths.home)
    async with contextlib.AsyncExitStack() as stack:
        if home.mqtt is not None:
            broker = Broker.of(home.mqtt, paths.home)
        else:
            embedded = await stack.enter_async_context(EmbeddedBroker())
            broker = Broker(port=embedded.port)
            outside = await stack.enter_async_context(Connection(Broker(port=embedded.port, status_topic=None)))
            await outside.ready(_CONNECT_S)
            await stack.enter_async_context(SimulatedHome(outside, home.entities, home.simulation))
        bus = await stack.enter_async_context(Connection(broker))
        if wait:
            await bus.ready(_CONNECT_S)
        log = Audit(paths.state / "audit.db") if audit else None
        opened = open_pipeline(
            home, bus, grammar=Grammar.load(paths.rules), replies=Replies.load(paths.rules), audit=log
        )
        yield await stack.enter_async_context(opened)
