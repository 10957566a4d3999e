from collections.abc import AsyncIterator

import pytest

from daemon.simulate.broker import EmbeddedBroker


@pytest.fixture
async def embedded() -> AsyncIterator[EmbeddedBroker]:
    async with EmbeddedBroker() as broker:
        yield broker
