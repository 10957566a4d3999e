"""What Hearken offers to others by Wyoming: its hearing (`asr`), its voice (`tts`), its understanding (`handle`).

Home Assistant's Assist can so have Hearken as its conversation agent. Whoever reaches the port commands the house.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from msgspec import Struct

from daemon import __version__
from daemon.core.errors import HearkenError, UsageError
from daemon.hear.audio import SAMPLE_RATE, Transcript
from daemon.hear.engine import Engine
from daemon.satellites.link import Link, LinkLost, decoded, keep_alive
from daemon.satellites.satellite import Handle, heard_as
from daemon.satellites.sound import Sound, events
from daemon.speak.speaker import speakable
from daemon.speak.voice import Voice
from daemon.system.languages import LANGS

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from wyoming.event import Event
    from wyoming.info import Info

    from daemon.home.config import Server

_LOG = logging.getLogger(__name__)
_MOST_CONNECTIONS: Final = 64
_IDLE_S: Final = 120.0
_MOST_SECONDS: Final = 30.0
"""Of one clip; a longer one is no command, and its rest is not listened to."""
_REMEMBERED_S: Final = 30.0
_MOST_REMEMBERED: Final = 64


class Offer(Struct, frozen=True):
    """What there is to offer. `engines` has what each language is heard with."""

    handle: Handle
    check: Callable[[dict[str, Any]], None]
    """Raises UsageError for a request that this home can't take."""
    engines: dict[str, Engine]
    voice: Voice | None
    languages: tuple[str, ...]
    """Of the home, its main one first."""
    language: Callable[[str], str]
    """Which language a text is in."""


class Services:
    """A Wyoming server; each connection asks for one thing after the other."""

    def __init__(self, server: Server, offer: Offer) -> None:
        self._server = server
        self._offer = offer
        self._open: set[asyncio.Task[None]] = set()
        self._heard = _Heard()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[int]:
        """Serves while the block runs; gives the port.

        Raises:
            UsageError: the port cannot be had.
        """
        try:
            serving = await asyncio.start_server(self._connected, self._server.host, self._server.port)
        except OSError as error:
            why = error.strerror or error
            raise UsageError(f"wyoming: nothing can be served at {self._server} ({why}); choose another port") from None
        try:
            yield int(serving.sockets[0].getsockname()[1])
        finally:
            serving.close()
            for task in self._open:
                task.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._open) >= _MOST_CONNECTIONS:
            writer.transport.abort()
            return
        keep_alive(writer)
        task = asyncio.create_task(self._serve(Link(reader, writer)))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, link: Link) -> None:
        asked = _Asked(link, self._offer, self._heard)
        try:
            while True:
                async with asyncio.timeout(_IDLE_S):
                    event = await link.read()
                await asked.take(event)
        except (LinkLost, TimeoutError) as error:
            _LOG.debug("a Wyoming connection ended: %s", error)
        except Exception:  # noqa: BLE001 - a fault in one connection must not end another one
            _LOG.exception("a Wyoming connection failed")
        finally:
            await link.close()


class _Asked:
    """One connection: what was asked for so far."""

    def __init__(self, link: Link, offer: Offer, heard: _Heard) -> None:
        self._link = link
        self._offer = offer
        self._heard = heard
        self._lang: str | None = None
        self._sound = Sound()
        self._pieces: list[NDArray[np.float32]] = []
        self._doing: dict[str, Callable[[Event], Awaitable[None]]] = {
            "describe": self._describe,
            "transcribe": self._transcribe,
            "audio-start": self._started,
            "audio-chunk": self._chunk,
            "audio-stop": self._stopped,
            "synthesize": self._synthesize,
            "transcript": self._understand,
            "ping": self._pong,
        }

    async def take(self, event: Event) -> None:
        """Does what an event asks for; of what is not known, nothing."""
        if event.type in self._doing:
            await self._doing[event.type](event)

    async def _describe(self, _event: Event) -> None:
        await self._link.send(info(self._offer))

    async def _pong(self, event: Event) -> None:
        from wyoming.ping import Ping, Pong

        await self._link.send(Pong(text=decoded(Ping, event).text))

    async def _transcribe(self, event: Event) -> None:
        from wyoming.asr import Transcribe

        self._lang = spoken(decoded(Transcribe, event).language)

    async def _started(self, _event: Event) -> None:
        self._sound, self._pieces = Sound(), []

    async def _chunk(self, event: Event) -> None:
        from wyoming.audio import AudioChunk

        if sum(map(len, self._pieces)) < _MOST_SECONDS * SAMPLE_RATE:
            self._pieces.append(self._sound.samples(decoded(AudioChunk, event)))

    async def _stopped(self, _event: Event) -> None:
        from wyoming.asr import Transcript as Text
        from wyoming.error import Error

        samples = np.concatenate([np.zeros(0, np.float32), *self._pieces])
        self._pieces = []
        lang = self._lang or next((item for item in self._offer.languages if item in self._offer.engines), "")
        if lang not in self._offer.engines:
            await self._link.send(Error(text=f"nothing here hears {lang or 'any language'!r}", code="language"))
            return
        found = await self._offer.engines[lang].transcribe(samples, lang)
        if found.problem is not None:
            await self._link.send(Error(text=found.problem, code="asr"))
            return
        self._heard.note(found.transcript)
        await self._link.send(Text(text=found.transcript.text, language=lang))

    async def _synthesize(self, event: Event) -> None:
        from wyoming.error import Error
        from wyoming.tts import Synthesize

        asked = decoded(Synthesize, event)
        text = speakable(str(asked.text))
        voice = asked.voice
        lang = spoken(voice.language or str(voice.name).removeprefix(_VOICE)) if voice is not None else None
        lang = lang or self._offer.language(text)
        if self._offer.voice is None or not text:
            await self._link.send(Error(text="there is nothing that can be said", code="tts"))
            return
        try:
            speech = await asyncio.to_thread(self._offer.voice.synthesize, text, lang)
        except HearkenError as error:
            await self._link.send(Error(text=str(error), code="tts"))
            return
        for item in events(speech):
            await self._link.send(item)

    async def _understand(self, event: Event) -> None:
        """Carries out a text, with what the asker tells of where it was said."""
        from wyoming.asr import Transcript as Text
        from wyoming.handle import Handled, NotHandled

        said = decoded(Text, event)
        context = said.context if isinstance(said.context, dict) else {}
        request = _request(str(said.text), said.language, context) | self._heard.of(str(said.text))
        try:
            self._offer.check(request)
        except UsageError:
            # A room or a person that is not known by this name here: as if nobody had said where.
            request = {key: value for key, value in request.items() if key not in ("area", "speaker")}
        try:
            result = await self._offer.handle(request)
        except HearkenError as error:
            await self._link.send(NotHandled(text=str(error), context=context or None))
            return
        done = result["outcome"] not in ("reject", "ignore")
        kind = Handled if done else NotHandled
        await self._link.send(kind(text=result["reply"], context=context or None))


class _Heard:
    """How surely a text was heard, for when it comes back to be understood: the protocol has no place for that."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[float, dict[str, Any]]] = OrderedDict()

    def note(self, transcript: Transcript) -> None:
        self._known[transcript.text] = (time.monotonic(), heard_as(transcript))
        self._known.move_to_end(transcript.text)
        if len(self._known) > _MOST_REMEMBERED:
            self._known.popitem(last=False)

    def of(self, text: str) -> dict[str, Any]:
        at, how = self._known.get(text, (0.0, {}))
        return how if how and time.monotonic() - at < _REMEMBERED_S else {}


def _request(text: str, language: object, context: dict[str, Any]) -> dict[str, Any]:
    """A request of the control socket. One conversation for each satellite, device, or chat, in this order."""
    who = next((str(context[key]) for key in ("satellite_id", "device_id", "conversation_id") if context.get(key)), "")
    request = {"op": "text", "text": text, "satellite": who[:200] or "wyoming"}
    told = {"lang": spoken(language), "area": context.get("area"), "speaker": context.get("speaker")}
    return request | {key: value for key, value in told.items() if isinstance(value, str)}


def spoken(language: object) -> str | None:
    """One of our languages ("en" of "en-US"); None where it is none of ours."""
    lang = str(language or "").casefold().replace("_", "-").split("-")[0]
    return lang if lang in LANGS else None


_VOICE: Final = "hearken-"
"""What a voice of ours is called, before its language."""


def info(offer: Offer) -> Info:
    """What is told of our services."""
    from wyoming.info import AsrModel, AsrProgram, Attribution, HandleModel, HandleProgram, Info, TtsProgram, TtsVoice

    ours = Attribution(name="Hearken", url="")

    def about(name: str, what: str) -> dict[str, Any]:
        return {
            "name": name,
            "attribution": ours,
            "installed": True,
            "description": what,
            "version": __version__,
        }

    models = [AsrModel(**about(item.name, item.name), languages=[lang]) for lang, item in offer.engines.items()]
    voices = [
        TtsVoice(**about(f"{_VOICE}{lang}", f"{offer.voice.name} ({lang})"), languages=[lang])
        for lang in sorted(offer.voice.languages if offer.voice is not None else ())
        if offer.voice is not None
    ]
    understands = HandleModel(**about("hearken", "This home"), languages=list(offer.languages))
    return Info(
        asr=[AsrProgram(**about("Hearken", "Hearken's hearing"), models=models)] if models else [],
        tts=[TtsProgram(**about("Hearken", "Hearken's voice"), voices=voices)] if voices else [],
        handle=[
            HandleProgram(
                **about("Hearken", "Hearken understands, acts and reads back"),
                models=[understands],
                supports_home_control=True,
            )
        ],
    )
