"""Whatever a peer sends, or fails to: it is tried again later, and nobody else notices."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

import pytest
from wyoming.audio import AudioChunk
from wyoming.event import async_read_event, async_write_event
from wyoming.info import Info
from wyoming.pipeline import PipelineStage, RunPipeline

from daemon.hear.audio import to_pcm16
from daemon.home.config import Server
from daemon.satellites.link import Link, LinkLost, packed
from tests.brokers import SOON_S
from tests.hear.levels import QUIET, SPEECH
from tests.satellites.rooms import Home, conversing, satellite, sound
from tests.serving import Serving

if TYPE_CHECKING:
    from wyoming.event import Event, Eventable

Act = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
CHUNK = packed(AudioChunk(16_000, 2, 1, bytes(2_048)))


def chunk(data: dict[str, object], sound: bytes) -> bytes:
    return line(type="audio-chunk", data=data, payload_length=len(sound)) + sound


def line(**event: object) -> bytes:
    return json.dumps(event).encode() + b"\n"


@contextlib.asynccontextmanager
async def peer(act: Act) -> AsyncIterator[tuple[int, asyncio.Queue[None]]]:
    """Acts with each connection; the queue has an entry for each that has ended."""
    ended: asyncio.Queue[None] = asyncio.Queue()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            await act(reader, writer)
        ended.put_nowait(None)

    server = await Serving.start(connected)
    try:
        yield server.port, ended
    finally:
        await server.end()


def sends(data: bytes) -> Act:
    """Sends this, and waits until it is left."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(packed(Info()) + data)
        await reader.read()

    return act


async def floods(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(packed(Info()))
    while True:
        writer.write(CHUNK * 64)
        await writer.drain()


BROKEN = {
    "not text": sends(b"\x00\xff garbage \x80" * 100 + b"\n"),
    "endless line": sends(b"x" * (1 << 21)),
    "a list": sends(b"[1, 2]\n"),
    "no type": sends(b"{}\n"),
    "a number for a type": sends(b'{"type": 5}\n'),
    "data that is no object": sends(line(type="pong", data="none")),
    "a chunk without format": sends(chunk({}, b"abcd")),
    "no rate": sends(chunk({"rate": 0, "width": 2, "channels": 1}, b"abcd")),
    "an odd rate": sends(
        line(type="audio-chunk", data={"rate": [], "width": 2, "channels": 1}, payload_length=4) + b"abcd"
    ),
    "half a sample": sends(
        line(type="audio-chunk", data={"rate": 16_000, "width": 2, "channels": 1}, payload_length=3) + b"abc"
    ),
    "half a sample in stereo": sends(
        line(type="audio-chunk", data={"rate": 8_000, "width": 2, "channels": 2}, payload_length=3) + b"abc"
    ),
    "a terabyte": sends(line(type="audio-chunk", payload_length=1 << 40)),
    "a word for a length": sends(line(type="audio-chunk", payload_length="many")),
    "less than nothing": sends(line(type="audio-chunk", data_length=-5, payload_length=-5)),
    "no such stage": sends(line(type="run-pipeline", data={"start_stage": "nothing", "end_stage": "tts"})),
    "stages in the wrong order": sends(line(type="run-pipeline", data={"start_stage": "tts", "end_stage": "wake"})),
    "deep": sends(b'{"type": "info", "data": ' + b"[" * 100_000 + b"\n"),
    "small talk without end": sends(line(type="ping", data={"text": "x"}) * 20_000),
    "sound without end": floods,
}


@pytest.mark.parametrize("act", BROKEN.values(), ids=BROKEN)
async def test_what_is_no_protocol_ends_the_connection_and_nothing_else(
    act: Act, caplog: pytest.LogCaptureFixture
) -> None:
    async with peer(act) as (port, ended), conversing(satellite(port, "attic"), home := Home()):
        async with asyncio.timeout(SOON_S):
            await ended.get()
            await ended.get()  # it was tried again
    assert home.asked == []
    assert not [record for record in caplog.records if record.exc_info or record.levelno > logging.WARNING]
    assert len([record for record in caplog.records if "is away" in record.message]) <= 3


async def test_another_conversation_goes_on_beside_a_flood() -> None:
    shown: asyncio.Queue[Event] = asyncio.Queue()

    async def speaks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said = AudioChunk(16_000, 2, 1, to_pcm16(sound((QUIET, 0.5), (SPEECH, 1), (QUIET, 1.5))))
        items: list[Eventable] = [Info(), RunPipeline(PipelineStage.ASR, PipelineStage.TTS), said]
        for item in items:
            await async_write_event(item.event(), writer)
        while (event := await async_read_event(reader)) is not None:
            shown.put_nowait(event)

    home = Home()
    async with (
        peer(floods) as (loud, _),
        peer(speaks) as (quiet, _),
        conversing(satellite(loud, "attic"), home),
        conversing(satellite(quiet, "kitchen"), home),
        asyncio.timeout(SOON_S),
    ):
        while (await shown.get()).type != "audio-stop":
            pass
    assert [(item["satellite"], item["text"]) for item in home.asked] == [("kitchen", "1.0")]


async def test_one_that_takes_nothing_is_left() -> None:
    async def stares(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await writer.wait_closed()

    async with peer(stares) as (port, _):
        link = await Link.to(Server("127.0.0.1", port))
        much = (link.send(AudioChunk(16_000, 2, 1, bytes(1 << 20)), 0.05) for _ in range(64))
        with pytest.raises(LinkLost, match="takes nothing"):
            await _one_after_the_other(much)
        await link.close()


async def _one_after_the_other(much: Iterable[Awaitable[None]]) -> None:
    for item in much:
        await item
