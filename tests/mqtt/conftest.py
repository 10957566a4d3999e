from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from daemon.simulate.broker import EmbeddedBroker
from tests.brokers import Mosquitto, prepare, running_mosquitto


@pytest.fixture(scope="session")
def mosquitto_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("mosquitto"))


@pytest.fixture
async def mosquitto(mosquitto_folder: Path) -> AsyncIterator[Mosquitto]:
    async with running_mosquitto(mosquitto_folder) as broker:
        yield broker


@pytest.fixture
async def embedded() -> AsyncIterator[EmbeddedBroker]:
    async with EmbeddedBroker() as broker:
        yield broker
