"""Benchmarks of a large home: from its announcement to its use, its states, and commands while somebody floods."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.speed.footprint import resident_mib
from benchmarks.speed.measures import COMMANDS, Timing
from benchmarks.speed.sample import sample_home
from daemon.app import open_home
from daemon.converse.replies import Replies
from daemon.core.errors import ConfigError
from daemon.core.turn import Utterance
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.evaluate.summary import Quantiles
from daemon.home.config import Discovery, HomeConfig
from daemon.home.foreign import load_foreign
from daemon.mqtt.bus import Message, Publication
from daemon.mqtt.connection import Connection
from daemon.mqtt.settings import Broker
from daemon.pipeline import Pipeline
from daemon.simulate.broker import free_port
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from daemon.system.config import ROOT
from daemon.system.languages import MAIN
from daemon.understand.grammar import Grammar

SIZE = 1_000
FLOOD = 10_000
_BASE = "zigbee2mqtt"
_PATIENCE_S = 60.0
_BROKER_S = 5.0
_LIGHT: list[dict[str, Any]] = [
    {
        "type": "light",
        "features": [
            {"type": "binary", "name": "state", "property": "state", "access": 7, "value_on": "ON", "value_off": "OFF"},
            {"type": "numeric", "name": "brightness", "property": "brightness", "access": 7, "value_max": 254},
        ],
    },
    {"type": "numeric", "name": "linkquality", "property": "linkquality", "access": 1},
]
_OPTIONS = [{"type": "numeric", "name": f"option_{number}", "description": "x" * 180} for number in range(36)]
"""What zigbee2mqtt tells beside what a device can do: most of the 10 KB of each."""


async def time_crowd(grammar: Grammar, replies: Replies, rounds: int, size: int = SIZE) -> AsyncIterator[Timing]:
    """A home of so many lamps that zigbee2mqtt tells of, in memory."""
    told = Message(f"{_BASE}/bridge/devices", announcement(size), retained=True, at=0, sequence=0)
    source = Zigbee2MqttSource(_BASE)
    source.take(told)
    broker = MemoryBroker()
    outside = broker.connect()
    async with SimulatedHome(outside, [find.entity for find in source.finds()]):
        before = resident_mib()
        opening = open_home(
            HomeConfig((), discovery=Discovery()),
            broker.connect(),
            grammar=grammar,
            replies=replies,
            sources=(Zigbee2MqttSource(_BASE),),
        )
        async with opening as opened:
            start, used = time.perf_counter(), time.process_time()
            async with _held_up() as longest:
                await outside.publish(Publication(told.topic, told.payload, retain=True))
                await _usable(opened.pipeline, f"turn on lamp {size - 1}")
            note = (
                f"{len(told.payload) / 1e6:.0f} MB told, {time.process_time() - used:.1f} s of processor, "
                f"{resident_mib() - before:.0f} MiB, nothing held up for more than {longest.s * 1000:.0f} ms"
            )
            yield Timing(
                f"announcement to first command done, {size} devices",
                Quantiles.of([(time.perf_counter() - start) * 1000]),
                note,
            )
            yield Timing(
                f"one state taken, {size} devices, processor", Quantiles.of(await _states(outside, size, rounds))
            )


async def time_flood(grammar: Grammar, replies: Replies, rounds: int, flood: int = FLOOD) -> AsyncIterator[Timing]:
    """Commands on a real mosquitto, with and without a flood; nothing where there is no mosquitto."""
    path = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    if path is None:
        return
    home = load_foreign(sample_home(100, MAIN))
    topics = [item.address.topic for item in home.entities if item.kind == "device" and item.address is not None]
    async with (
        _mosquitto(path) as broker,
        Connection(broker) as ours,
        Connection(broker) as theirs,
    ):
        await ours.ready(_BROKER_S)
        await theirs.ready(_BROKER_S)
        async with (
            SimulatedHome(theirs, home.entities, home.simulation),
            open_home(home, ours, grammar=grammar, replies=replies) as opened,
        ):
            await _commands(opened.pipeline, 1)
            what = "text to command done and seen, 100 devices, mosquitto"
            yield Timing(what, Quantiles.of(await _commands(opened.pipeline, rounds)))
            # Not the topic of the lamp that is told: what somebody else says of it is no proof.
            async with _flooding(broker.port, topics[-30:], flood):
                begun, first = time.perf_counter(), ours.sequence
                ms = await _commands(opened.pipeline, rounds)
                rate = (ours.sequence - first) / (time.perf_counter() - begun)
            yield Timing(f"{what}, {flood:,} messages a second", Quantiles.of(ms), f"{rate:,.0f} a second arrived")


def announcement(size: int) -> bytes:
    """The list of so many lamps, as long as zigbee2mqtt would write it."""
    return json.dumps(
        [
            {
                "ieee_address": f"0x{number:016x}",
                "type": "Router",
                "friendly_name": f"lamp {number}",
                "supported": True,
                "definition": {"model": "m", "vendor": "v", "description": "", "exposes": _LIGHT, "options": _OPTIONS},
            }
            for number in range(size)
        ]
    ).encode()


@dataclass(slots=True)
class _Longest:
    s: float = 0.0


@contextlib.asynccontextmanager
async def _held_up() -> AsyncIterator[_Longest]:
    """How long at most the event loop was busy with something else during the block."""
    longest = _Longest()

    async def watch() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            longest.s = max(longest.s, time.perf_counter() - before - 0.001)

    watching = asyncio.create_task(watch())
    try:
        yield longest
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def _usable(pipeline: Pipeline, text: str) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        while (await pipeline.handle(Utterance(text))).outcome != "execute":  # noqa: ASYNC110 - it has no event
            await asyncio.sleep(0.02)


async def _states(outside: Any, size: int, rounds: int) -> list[float]:
    """Processor milliseconds for each message of a round."""
    ms = []
    for turn in range(rounds):
        start = time.process_time()
        for number in range(size):
            payload = b'{"state": "ON", "brightness": %d, "linkquality": 90}' % ((number + turn) % 254)
            await outside.publish(Publication(f"{_BASE}/lamp {number}", payload))
        ms.append((time.process_time() - start) * 1000 / size)
    return ms


async def _commands(pipeline: Pipeline, rounds: int) -> list[float]:
    ms = []
    for _ in range(rounds):
        for text in COMMANDS[MAIN]:
            start = time.perf_counter()
            result = await pipeline.handle(Utterance(text))
            if [item.status for item in result.outcomes] != ["done"]:
                raise ConfigError("benchmarks", None, text, "was not done", "this must work in the sample home")
            ms.append((time.perf_counter() - start) * 1000)
    return ms


@contextlib.asynccontextmanager
async def _mosquitto(path: str) -> AsyncIterator[Broker]:
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "mosquitto.conf"
        configuration.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nlog_type none\n", encoding="utf-8")
        # It reads its file before it becomes another user.
        process = await asyncio.create_subprocess_exec(path, "-c", str(configuration), stderr=subprocess.DEVNULL)
        try:
            async with asyncio.timeout(_BROKER_S):
                while not await _answers(port):  # noqa: ASYNC110 - another process
                    await asyncio.sleep(0.01)
            yield Broker(port=port, status_topic=None)
        finally:
            process.terminate()
            await process.wait()


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


@contextlib.asynccontextmanager
async def _flooding(port: int, topics: list[str], flood: int) -> AsyncIterator[None]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.speed.flooder", str(port), str(flood), *topics),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        await process.stdout.readline()
        yield
    finally:
        process.stdin.close()
        await process.wait()
