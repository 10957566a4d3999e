import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.brokers import Mosquitto, prepare, running_mosquitto
from tests.virtual_time import VirtualLoop

# How fast a busy machine makes examples says nothing about the code.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

TESTS = Path(__file__).parent
SLOW = (
    # Whole conversations, daemons, campaigns, and what is learnt from.
    *("conversations", "daemon", "evaluate", "readings"),
    *("test_chaos.py", "test_metamorphic.py", "test_soak.py"),
    *("compiler/test_compiler_pipeline.py", "compiler/test_compiler_generate.py"),
    # What runs processes, engines of speech, days of virtual time, or thousands of made-up examples.
    *(
        "act/test_act_firmware.py",
        "act/test_act_home.py",
        "act/test_act_interleavings.py",
        "act/test_act_liars.py",
        "act/test_act_tracking.py",
    ),
    *("compiler/test_compiler_decoder.py", "compiler/test_compiler_meanings.py", "core/test_core_digits.py"),
    *("console/test_console_attacks.py", "console/test_console_talk.py"),
    *("discovery/test_discovery_attacks.py", "discovery/test_discovery_models.py", "home/test_home_kept.py"),
    *("hear/test_hear_sphinx.py", "hear/test_hear_whisper.py"),
    *("mqtt/test_mqtt_template_attacks.py", "mqtt/test_mqtt_template_campaign.py"),
    *(
        "resolve/meaning/test_meaning_tables.py",
        "resolve/test_resolve_as_said.py",
        "resolve/test_resolve_misheard.py",
        "resolve/test_resolve_sets.py",
    ),
    *("resolve/test_resolve_sounds.py", "resolve/test_resolve_spared.py"),
    *("schedule/test_schedule_plans.py", "schedule/test_schedule_refresh.py", "system/test_system_archive.py"),
    *("understand/test_understand_openings.py", "understand/test_understand_peg.py"),
)
"""What `--quick` leaves out, besides what is marked `slow` and what talks to a broker."""
BROKERS = {"broker", "embedded", "mosquitto", "mosquitto_folder"}
"""The fixtures that start one."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only what a change of a line should be tried with")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    quick = config.getoption("quick")
    return True if quick and collection_path in {TESTS / name for name in SLOW} else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    def slow(item: pytest.Item) -> bool:
        fixtures = getattr(item, "fixturenames", ())
        return item.get_closest_marker("slow") is not None or not BROKERS.isdisjoint(fixtures)

    if config.getoption("quick"):
        config.hook.pytest_deselected(items=[item for item in items if slow(item)])
        items[:] = [item for item in items if not slow(item)]


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
