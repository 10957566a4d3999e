"""An ESPHome box in the test: it speaks the protocol on a socket as the firmware does, encrypted or not."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import urllib.request
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import av
from aioesphomeapi import api_pb2
from aioesphomeapi._frame_helper.noise_encryption import ESPHOME_NOISE_BACKEND, NOISE_PROTOCOL_NAME
from aioesphomeapi.core import MESSAGE_TYPE_TO_PROTO
from aioesphomeapi.model import VoiceAssistantEventType, VoiceAssistantFeature
from aioesphomeapi.noise import DecryptCipher, EncryptCipher
from cryptography.exceptions import InvalidTag
from noise.connection import NoiseConnection

from daemon.hear.audio import to_pcm16
from tests.brokers import SOON_S
from tests.serving import Serving

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

pb: Any = api_pb2
KEY = base64.b64encode(bytes(range(32))).decode()
OTHER_KEY = base64.b64encode(bytes(32)).decode()
PHRASE = "Okay Nabu"
F = VoiceAssistantFeature
PUCK = F.VOICE_ASSISTANT | F.API_AUDIO | F.TIMERS | F.ANNOUNCE | F.START_CONVERSATION
"""As a Home Assistant Voice PE."""
ECHO = F.VOICE_ASSISTANT | F.API_AUDIO | F.SPEAKER
"""As a small box with a plain loudspeaker."""
_NUMBERS = {kind: number for number, kind in MESSAGE_TYPE_TO_PROTO.items()}
_PIECE = 1_024


@dataclass
class Device:
    """A box. Its microphone hears what `says` is given; `told` has the events that it was told, and their data."""

    name: str = "kitchen-voice"
    key: str | None = KEY
    features: VoiceAssistantFeature = PUCK
    formats: tuple[tuple[str, int, int], ...] = (("flac", 48_000, 1),)
    flags: int = 0
    deaf_to_urls: bool = False
    """Behind a wall that lets nothing back to us."""
    port: int = 0
    told: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    timers: list[Any] = field(default_factory=list)
    played: list[tuple[str, float]] = field(default_factory=list)
    """What it fetched and played: kind of the file, and its seconds."""
    subscribed: bool = False
    connections: int = 0
    _wire: Any = None
    _server: Serving | None = None
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _work: set[asyncio.Task[None]] = field(default_factory=set)
    _again: bool = False
    _answered: bool = False
    _streams: bool = False
    _sound: bytearray = field(default_factory=bytearray)

    @property
    def events(self) -> list[str]:
        return [kind for kind, _ in self.told]

    def last(self, kind: str) -> dict[str, str]:
        return next(data for name, data in reversed(self.told) if name == kind)

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Device]:
        await self.start()
        try:
            yield self
        finally:
            await self.unplug()

    async def start(self) -> None:
        self._server = await Serving.start(self._connected, self.port)
        self.port = self._server.port

    async def unplug(self) -> None:
        """As if its plug was pulled."""
        assert self._server is not None
        await self._server.end()
        for task in self._work:
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)

    async def until(self, holds: Callable[[Device], Any]) -> None:
        async with asyncio.timeout(SOON_S), self._news:
            await self._news.wait_for(lambda: holds(self))

    async def has(self, *kinds: str) -> None:
        """Waits until it was told these in this order, whatever else it was told in between."""

        def holds(_: Device) -> bool:
            rest = iter(self.events)
            return all(kind in rest for kind in kinds)

        await self.until(holds)

    async def wakes(self, phrase: str = PHRASE) -> None:
        """Somebody says its wake word, or presses its button."""
        await self.until(lambda _: self.subscribed)
        self._answered = False
        self.sends(pb.VoiceAssistantRequest(start=True, flags=self.flags, wake_word_phrase=phrase))
        await self.until(lambda _: self._answered)

    def says(self, samples: NDArray[np.float32]) -> None:
        """What its microphone hears, for as long as it listens."""
        data = to_pcm16(samples)
        for at in range(0, len(data), _PIECE):
            self.sends(pb.VoiceAssistantAudio(data=data[at : at + _PIECE]))

    async def stops(self) -> None:
        """Somebody presses its button to end it."""
        self.sends(pb.VoiceAssistantRequest(start=False))

    def sends(self, message: Any) -> None:
        self._wire.send(message)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        wire = _Noise(reader, writer, self) if self.key is not None else _Plain(reader, writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, InvalidTag):
            await wire.begin()
            while (message := await wire.read()) is not None:
                await self._take(message, wire)
        async with self._news:
            if self._wire is wire:
                self._wire, self.subscribed = None, False
            self._news.notify_all()

    async def _take(self, message: Any, wire: Any) -> None:
        match message:
            case pb.HelloRequest():
                wire.send(pb.HelloResponse(api_version_major=1, api_version_minor=12, name=self.name))
            case pb.PingRequest():
                wire.send(pb.PingResponse())
            case pb.DeviceInfoRequest():
                wire.send(
                    pb.DeviceInfoResponse(
                        name=self.name, model="Voice", voice_assistant_feature_flags=int(self.features)
                    )
                )
            case pb.ListEntitiesRequest():
                formats = [
                    pb.MediaPlayerSupportedFormat(format=kind, sample_rate=rate, num_channels=channels, purpose=1)
                    for kind, rate, channels in self.formats
                ]
                wire.send(pb.ListEntitiesMediaPlayerResponse(object_id="player", key=1, supported_formats=formats))
                wire.send(pb.ListEntitiesDoneResponse())
            case pb.SubscribeVoiceAssistantRequest():
                self._wire, self.subscribed = wire, message.subscribe
            case _:
                await self._assist(message)
        async with self._news:
            self._news.notify_all()

    async def _assist(self, message: Any) -> None:
        match message:
            case pb.VoiceAssistantResponse():
                self._answered = not message.error
            case pb.VoiceAssistantEventResponse():
                data = {item.name: item.value for item in message.data}
                await self._told(
                    VoiceAssistantEventType(message.event_type).name.removeprefix("VOICE_ASSISTANT_"), data
                )
            case pb.VoiceAssistantAudio():
                self._sound += message.data
            case pb.VoiceAssistantAnnounceRequest():
                self.told.append(("ANNOUNCE", {"text": message.text, "url": message.media_id}))
                self._again = message.start_conversation
                self._plays(message.media_id)
            case pb.VoiceAssistantTimerEventResponse():
                self.timers.append(message)

    async def _told(self, kind: str, data: dict[str, str]) -> None:
        self.told.append((kind, data))
        if kind == "INTENT_END":
            self._again = data["continue_conversation"] == "1"
        elif kind == "TTS_END" and F.SPEAKER not in self.features:
            self._plays(data["url"])
        elif kind == "TTS_STREAM_END":
            self.played.append(("pcm", len(self._sound) / 32_000))
            self._sound.clear()

    def _plays(self, url: str) -> None:
        task = asyncio.create_task(self._play(url))
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _play(self, url: str) -> None:
        success = True
        try:
            if not self.deaf_to_urls:
                self.played.append(await asyncio.to_thread(fetched, url))
        except OSError:  # it is not there any more
            success = False
        self.sends(pb.VoiceAssistantAnnounceFinished(success=success))
        async with self._news:
            self._news.notify_all()
        if self._again:
            self._again = False
            await self.wakes("")


def fetched(url: str) -> tuple[str, float]:
    """A clip: what its file is, and its seconds."""
    with urllib.request.urlopen(url, timeout=SOON_S) as answer:
        kind = answer.headers["Content-Type"]
        with av.open(io.BytesIO(answer.read()), mode="r") as file:
            frames = list(file.decode(audio=0))
    return kind, sum(frame.samples for frame in frames) / frames[0].sample_rate


class _Plain:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def begin(self) -> None:
        """There is no handshake."""

    async def read(self) -> Any:
        if await self.reader.readexactly(1) != b"\x00":
            self.writer.write(b"\x00\x00\x00")  # as the firmware does: nothing that it understands
            return None
        size, number = await self._number(), await self._number()
        return _message(number, await self.reader.readexactly(size))

    async def _number(self) -> int:
        value = shift = 0
        while True:
            byte = (await self.reader.readexactly(1))[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def send(self, message: Any) -> None:
        data = message.SerializeToString()
        self.writer.write(b"\x00" + _varint(len(data)) + _varint(_NUMBERS[type(message)]) + data)


class _Noise:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, device: Device) -> None:
        self.reader, self.writer = reader, writer
        self._device = device
        self._out: EncryptCipher
        self._in: DecryptCipher

    async def begin(self) -> None:
        proto = NoiseConnection.from_name(NOISE_PROTOCOL_NAME, backend=ESPHOME_NOISE_BACKEND)
        proto.set_as_responder()
        proto.set_psks(base64.b64decode(self._device.key or ""))
        proto.set_prologue(b"NoiseAPIInit\x00\x00")
        proto.start_handshake()
        await self._frame()
        self._write(b"\x01" + self._device.name.encode() + b"\x00" + b"a0b1c2d3e4f5\x00")
        try:
            proto.read_message((await self._frame())[1:])
        except InvalidTag:
            self._write(b"\x01Handshake MAC failure")
            raise
        self._write(b"\x00" + bytes(proto.write_message()))
        self._out = EncryptCipher(proto.noise_protocol.cipher_state_encrypt)
        self._in = DecryptCipher(proto.noise_protocol.cipher_state_decrypt)

    async def read(self) -> Any:
        data = self._in.decrypt(await self._frame())
        return _message(int.from_bytes(data[:2], "big"), data[4:])

    def send(self, message: Any) -> None:
        data = message.SerializeToString()
        head = _NUMBERS[type(message)].to_bytes(2, "big") + len(data).to_bytes(2, "big")
        self._write(self._out.encrypt(head + data))

    async def _frame(self) -> bytes:
        head = await self.reader.readexactly(3)
        if head[0] != 1:
            self.writer.write(b"\x01\x00\x00")  # it wants encryption
            raise asyncio.IncompleteReadError(b"", None)
        return await self.reader.readexactly(int.from_bytes(head[1:], "big"))

    def _write(self, frame: bytes) -> None:
        self.writer.write(b"\x01" + len(frame).to_bytes(2, "big") + frame)


def _message(number: int, data: bytes) -> Any:
    message = MESSAGE_TYPE_TO_PROTO[number]()
    message.ParseFromString(data)
    return message


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
