import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from daemon.simulate.loop import VirtualLoop
from tests.brokers import Mosquitto, prepare, running_mosquitto

# How fast a busy machine makes examples says nothing about the code.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """What needs no socket can run in virtual time, where no deadline is missed on a busy machine."""
    return {"loop": VirtualLoop if item.get_closest_marker("virtual") else asyncio.new_event_loop}


@pytest.fixture(scope="session")
def mosquitto_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("mosquitto"))


@pytest.fixture
async def mosquitto(mosquitto_folder: Path) -> AsyncIterator[Mosquitto]:
    async with running_mosquitto(mosquitto_folder) as broker:
        yield broker
