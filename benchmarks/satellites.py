"""Many satellites at once: from the end of speech to the reply's text, and memory. `--satellites 20 --rounds 3`.

Each is a Wyoming satellite on a real socket, which says a sentence in the voice of espeak-ng, in real time, all of them
at once: the worst that a house can do. Said is what the engine hears in quiet: pocketsphinx, English, as it is out of
the box. The home is `devices.yaml`, simulated. Nobody's words may be in another's conversation: whoever is shown a text
that was not said to it is counted, and fails the run.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import resource
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from wyoming.audio import AudioChunk
from wyoming.event import async_read_event, async_write_event
from wyoming.info import Info
from wyoming.pipeline import PipelineStage, RunPipeline

from daemon.commands.session import Turns, session
from daemon.commands.voice import open_engine
from daemon.hear.audio import SAMPLE_RATE, resample, to_pcm16
from daemon.hear.contest import Rivals
from daemon.hear.detectors import MicroWakeWord, SileroVad
from daemon.hear.engine import Engine
from daemon.home.config import Microphone, Server
from daemon.satellites.hearing import Hearing
from daemon.satellites.remote import RemoteSatellite
from daemon.satellites.satellite import converse
from daemon.satellites.session import Session
from daemon.speak.voice import Espeak
from daemon.system.config import Paths

if TYPE_CHECKING:
    from numpy.typing import NDArray

SENTENCES = (
    "turn on the kitchen light",
    "turn off the bedroom light",
    "open the living room curtain",
    "what time is it",
    "turn on all the lights",
    "set the bedroom light to thirty percent",
    "turn on the kettle",
    "close the garage door",
)
STEP = SAMPLE_RATE // 10
LOUD = 0.01
QUIET = np.random.default_rng(1).standard_normal(STEP).astype(np.float32) * 3e-4


class Box:
    """One satellite: a server that Hearken connects to."""

    def __init__(self, number: int, sound: NDArray[np.float32], *, streams: bool) -> None:
        self.name = f"room {number}"
        self.sound = sound
        self.stage = PipelineStage.WAKE if streams else PipelineStage.ASR
        self.streams = streams
        self.told: asyncio.Queue[float] = asyncio.Queue()
        """When the text of each reply came."""
        self.shown: list[str] = []
        self._writer: asyncio.StreamWriter | None = None
        self._running = asyncio.Event()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves Hearken."""
        while (event := await async_read_event(reader)) is not None:
            match event.type:
                case "run-satellite":
                    self._writer = writer
                    await async_write_event(Info().event(), writer)
                    if self.streams:
                        await async_write_event(RunPipeline(self.stage, PipelineStage.TTS).event(), writer)
                    self._running.set()
                case "transcript":
                    self.shown.append(event.data["text"])
                case "synthesize":
                    self.told.put_nowait(time.perf_counter())
        writer.close()

    async def speak(self, patience_s: float) -> float | None:
        """Says its sentence in real time, and is quiet until it is answered: how long that took, if it was."""
        await self._running.wait()
        assert self._writer is not None
        if not self.streams:
            await async_write_event(RunPipeline(self.stage, PipelineStage.TTS).event(), self._writer)
        began = time.perf_counter()
        ended = began + len(self.sound) / SAMPLE_RATE
        at = 0
        while self.told.empty() and time.perf_counter() < ended + patience_s:
            piece = self.sound[at : at + STEP] if at < len(self.sound) else QUIET
            await async_write_event(AudioChunk(SAMPLE_RATE, 2, 1, to_pcm16(piece)).event(), self._writer)
            at += STEP
            await asyncio.sleep(max(0.0, began + at / SAMPLE_RATE - time.perf_counter()))
        return None if self.told.empty() else self.told.get_nowait() - ended


def spoken(text: str, wake: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """A sentence in the voice of espeak-ng, after half a second of quiet."""
    speech = Espeak().synthesize(text, "en")
    loud = resample(speech.samples, speech.rate)
    lasts = int(np.flatnonzero(np.abs(loud) > LOUD)[-1])
    parts = [np.tile(QUIET, 5), loud[:lasts]]
    return np.concatenate(parts if wake is None else [np.tile(QUIET, 5), wake, *parts])


async def main(args: argparse.Namespace) -> int:
    """Prints a row; 1 where somebody heard another's words."""
    wake = None
    if args.wake is not None:
        from daemon.hear.audio import load

        wake = load(args.wake)
    row = await _measured(args.satellites, args.rounds, wake)
    print("satellites  answered  silent  mixed up   p50 s   p95 s  processor s each  MB alone     MB")
    print(
        f"{args.satellites:>10} {row['heard']:>9} {row['silent']:>7} {row['mixed']:>9}"
        f" {row['p50']:>7.2f} {row['p95']:>7.2f} {row['processor']:>17.2f} {row['before']:>9.0f} {row['memory']:>6.0f}"
    )
    return 1 if row["mixed"] else 0


def _megabytes() -> float:
    """What this process holds now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / (1 << 20)


def _ended(clip: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.concatenate([clip, *[QUIET] * 5])


async def _measured(count: int, rounds: int, wake: NDArray[np.float32] | None) -> dict[str, Any]:
    waits: list[float] = []
    silent = mixed = 0
    paths = Paths.of(None)
    async with contextlib.AsyncExitStack() as stack:
        house = await stack.enter_async_context(session(paths, simulated=True, audit=False))
        opened = house.opened
        await asyncio.to_thread(opened.prepare)
        turns = Turns(opened.pipeline, opened.inventory, opened.ledger, opened.later)
        engine = Engine(await open_engine("en", paths, opened.pipeline))
        clips = {text: spoken(text, None) for text in SENTENCES}
        alone = {text: (await engine.transcribe(_ended(clip), "en")).transcript.text for text, clip in clips.items()}
        heard = [text for text, found in alone.items() if found]
        boxes = [
            Box(number, spoken(heard[number % len(heard)], wake), streams=wake is not None) for number in range(count)
        ]
        said = {box.name: heard[number % len(heard)] for number, box in enumerate(boxes)}
        before, began = _megabytes(), time.process_time()
        incomplete = opened.pipeline.parts.comprehension.incomplete
        for box in boxes:
            server = await stack.enter_async_context(await asyncio.start_server(box.connected, "127.0.0.1", 0))
            at = Server("127.0.0.1", server.sockets[0].getsockname()[1])
            # Twenty people in twenty houses: none of them hears what another does.
            hearing = Hearing(engine, "en", SileroVad, MicroWakeWord, Rivals(), incomplete)
            place, connect = Microphone("kitchen", wyoming=at), partial(Session.connected, at)
            satellite = RemoteSatellite(box.name, place, connect, hearing, Espeak())
            task = asyncio.create_task(converse(satellite, turns.handle))
            stack.callback(task.cancel)
        for _ in range(rounds):
            found = await asyncio.gather(*(box.speak(20.0 + 10.0 * count) for box in boxes))
            waits += [item for item in found if item is not None]
            silent += found.count(None)
            # Its own reply and the question that it may be are over.
            await asyncio.sleep(12)
        memory, took = _megabytes(), time.process_time() - began
        others = {name: {alone[other] for other in heard} - {alone[own]} for name, own in said.items()}
        mixed = sum(text in others[box.name] for box in boxes for text in box.shown)
    waits.sort()
    return {
        "heard": len(waits),
        "silent": silent,
        "mixed": mixed,
        "p50": statistics.median(waits) if waits else float("nan"),
        "p95": waits[min(len(waits) - 1, int(0.95 * len(waits)))] if waits else float("nan"),
        "before": before,
        "memory": memory,
        "processor": took / (count * rounds),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--satellites", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--wake", type=Path, help="a recording of okay nabu: then all stream, and are woken here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        sys.exit(asyncio.run(main(options)))
