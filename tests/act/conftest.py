import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from daemon.mqtt.bus import Bus
from daemon.mqtt.settings import Broker
from daemon.simulate.broker import EmbeddedBroker
from daemon.simulate.memory import MemoryBroker
from tests.act.world import Connect
from tests.brokers import connected, running_mosquitto


@pytest.fixture(params=["memory", "embedded", "mosquitto"])
async def connect(request: pytest.FixtureRequest) -> AsyncIterator[Connect]:
    """Makes connections to one broker, of each kind that there is."""
    async with AsyncExitStack() as stack:
        if request.param == "memory":
            memory = MemoryBroker(asyncio.get_running_loop().time)

            async def to_memory() -> Bus:
                return memory.connect()

            yield to_memory
            return
        if request.param == "embedded":
            embedded = await stack.enter_async_context(EmbeddedBroker())
            settings = Broker(port=embedded.port, status_topic=None)
        else:
            folder = request.getfixturevalue("mosquitto_folder")
            settings = (await stack.enter_async_context(running_mosquitto(folder))).broker(status_topic=None)

        async def over_a_socket() -> Bus:
            return await stack.enter_async_context(connected(settings))

        yield over_a_socket
