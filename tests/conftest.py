from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.brokers import Mosquitto, prepare, running_mosquitto

# How fast a busy machine makes examples says nothing about the code.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def mosquitto_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("mosquitto"))


@pytest.fixture
async def mosquitto(mosquitto_folder: Path) -> AsyncIterator[Mosquitto]:
    async with running_mosquitto(mosquitto_folder) as broker:
        yield broker
