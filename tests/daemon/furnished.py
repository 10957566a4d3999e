"""A home on a real mosquitto: its file, its devices, and how often the daemon has found the broker."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from daemon.home.loader import load_home
from daemon.mqtt.connection import Connection
from daemon.simulate.home import SimulatedHome
from tests.brokers import PASSWORD, QUICK, SOON_S, USER, Mosquitto
from tests.daemon.processes import HOME, Daemon, Place


def secured(place: Place, broker: Mosquitto, password: str = PASSWORD, **changes: Any) -> Place:
    """A home on this broker; its password comes from the environment."""
    place.extra = {"BROKER_PASSWORD": password}
    mqtt = {"host": "localhost", "port": broker.tls_port, "user": USER, "password": {"env": "BROKER_PASSWORD"}}
    return place.furnish(mqtt | {"tls": {"ca": str(broker.ca)}} | changes)


@contextlib.asynccontextmanager
async def house(broker: Mosquitto) -> AsyncIterator[SimulatedHome]:
    """The devices, on a connection of their own."""
    home = load_home(HOME)
    async with Connection(broker.broker(status_topic=None), backoff=QUICK) as bus:
        await bus.ready(SOON_S)
        async with SimulatedHome(bus, home.entities, home.simulation) as simulated:
            yield simulated


def connections(daemon: Daemon) -> int:
    """How often it has found the broker."""
    return sum("connected with the broker" in line for line in daemon.err)
