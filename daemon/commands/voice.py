"""The ears and the mouth of this machine, as far as it has them, and what they say that nobody asked for just now."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from daemon.commands.options import emit, printable, show
from daemon.commands.text import request
from daemon.converse.conclusion import Announcement
from daemon.core.errors import HearkenError
from daemon.core.questions import EXPIRY_S
from daemon.system.config import Paths

if TYPE_CHECKING:
    from daemon.commands.mailbox import Mailbox
    from daemon.commands.session import House
    from daemon.hear.audio import Transcriber, Transcript
    from daemon.hear.ears import Ears, Heard
    from daemon.home.config import Microphone as Place
    from daemon.pipeline import Pipeline
    from daemon.speak.speaker import Speaker
    from daemon.system.control import Handler


async def open_engine(lang: str, paths: Paths, pipeline: Pipeline) -> Transcriber:
    """The best engine for a language that is installed, ready to hear this home's names.

    Raises:
        ModelMissing: none hears this language here.
        ModelError: its files cannot be used.
    """
    from daemon.hear.audio import spoken_roles
    from daemon.hear.ears import choose

    names, roles = pipeline.parts.comprehension.spoken_names(lang), spoken_roles(pipeline.parts.registry)

    def ready() -> Transcriber:
        engine = choose(lang, paths.models, paths.rules)
        engine.prepare(names, roles)
        return engine

    return await asyncio.to_thread(ready)


def heard_as(transcript: Transcript) -> dict[str, Any]:
    """What a request says about how it was heard: how surely, and what may have been said instead."""
    others = [[item.text, item.confidence] for item in transcript.hypotheses[1:] if item.text]
    return {"heard": transcript.confidence, "alternatives": others}


def with_hearing(result: dict[str, Any], heard: Heard) -> dict[str, Any]:
    """The result of what was heard, with how it was heard: in `heard`, in the trace, and `hear` among the times."""
    transcript = heard.transcript
    facts = {
        "text": transcript.text,
        "confidence": round(transcript.confidence, 3),
        "engine": transcript.engine,
        "from_s": round(heard.start_s, 2),
        "to_s": round(heard.end_s, 2),
    }
    if heard.problem is not None:
        facts["problem"] = heard.problem
    trace = [{"at_ms": 0.0, "stage": "hear", **facts}, *result.get("trace", ())]
    return result | {"heard": facts, "ms": {"hear": round(heard.ms, 3)} | result["ms"], "trace": trace}


_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Voice:
    """Hears and speaks; what is not there is left out, and `ability` says so."""

    _args: argparse.Namespace
    _handle: Handler
    _ears: Ears | None
    _speaker: Speaker | None
    _place: Place
    ability: str

    async def say(self, text: str, lang: str) -> None:
        """Speaks; a loudspeaker that fails is logged, and the text has been shown already."""
        if self._speaker is None or not text:
            return
        try:
            await self._speaker.say(text, lang)
        except HearkenError as error:
            _LOG.warning("cannot speak: %s", error)

    async def listen(self) -> None:
        """Hears commands until the microphone ends; returns at once where there is none."""
        if self._ears is None:
            return
        try:
            async for heard in self._ears.utterances():
                await self._heard(heard)
        except HearkenError as error:
            _LOG.warning("the microphone stopped: %s", error)

    async def _heard(self, heard: Heard) -> None:
        assert self._ears is not None
        transcript = heard.transcript
        if not transcript.text:
            return
        asked = request(self._args, transcript.text, satellite="microphone", **heard_as(transcript))
        known = {"lang": transcript.lang, "area": self._place.area, "speaker": self._place.speaker}
        try:
            result = with_hearing(await self._handle(known | asked), heard)
        except HearkenError as error:
            _LOG.warning("cannot do what was heard: %s", error)
            return
        _LOG.info('heard "%s" (%.2f)', transcript.text, transcript.confidence)
        if result["outcome"] == "ignore" and heard.opening != "answer":
            return  # noise and talk among people end in silence
        await asyncio.to_thread(show, result, as_json=self._args.json, trace=self._args.trace)
        await self.say(result["reply"], result["lang"])
        if result.get("question"):
            self._ears.reopen(EXPIRY_S)


@contextlib.asynccontextmanager
async def open_voice(args: argparse.Namespace, house: House, paths: Paths, handle: Handler) -> AsyncIterator[Voice]:
    """What of hearing and speaking works here; never raises for what is missing."""
    async with contextlib.AsyncExitStack() as stack:
        ears, hearing = None, "not listening"
        if not args.deaf:
            try:
                ears = await _open_ears(args, house, paths, stack)
                hearing = "listening"
            except (HearkenError, ImportError) as error:
                hearing = f"not listening: {error}"
        speaker, speaking = None, "silent"
        if not args.mute:
            try:
                speaker = await asyncio.to_thread(_open_speaker, paths, ears)
                speaking = "speaking"
            except (HearkenError, ImportError) as error:
                speaking = f"silent: {error}"
        yield Voice(args, handle, ears, speaker, house.home.microphone, f"{hearing}; {speaking}")


async def _open_ears(args: argparse.Namespace, house: House, paths: Paths, stack: contextlib.AsyncExitStack) -> Ears:
    from daemon.hear.detectors import MicroWakeWord, SileroVad
    from daemon.hear.ears import Ears
    from daemon.hear.lasting import LastingMicrophone
    from daemon.hear.listener import Listener
    from daemon.hear.microphone import Microphone

    pipeline = house.opened.pipeline
    lang = args.lang or pipeline.parts.languages[0]
    microphone = await stack.enter_async_context(LastingMicrophone(Microphone))
    engine = await open_engine(lang, paths, pipeline)
    listener = await asyncio.to_thread(lambda: Listener(SileroVad(), MicroWakeWord()))
    return Ears(
        source=microphone,
        listener=listener,
        transcriber=engine,
        lang=lang,
        incomplete=pipeline.parts.comprehension.incomplete,
        complete=pipeline.parts.comprehension.complete,
    )


def _open_speaker(paths: Paths, ears: Ears | None) -> Speaker:
    from daemon.speak.speaker import Player, Speaker, choose_voice

    return Speaker(choose_voice(paths.models), Player(paths.state / "reply.wav", ear=ears))


_MOST_WAITING = 32


class Herald:
    """An `Announcer`; one announcement after the other, so that they are not spoken into each other."""

    def __init__(self, voice: Voice, mailbox: Mailbox | None, *, as_json: bool) -> None:
        self._voice = voice
        self._mailbox = mailbox
        self._as_json = as_json
        self._waiting: asyncio.Queue[Announcement] = asyncio.Queue(_MOST_WAITING)

    def __call__(self, announcement: Announcement) -> None:
        """Says it soon."""
        try:
            self._waiting.put_nowait(announcement)
        except asyncio.QueueFull:
            _LOG.warning("too much is to be said at once; dropped: %s", announcement.reply)

    async def serve(self) -> None:
        """Says what comes, until it is cancelled."""
        while True:
            announcement = await self._waiting.get()
            if self._mailbox is not None and self._mailbox.serves(announcement.satellite):
                await self._mailbox.tell(announcement)
                continue
            await asyncio.to_thread(_show, announcement, as_json=self._as_json)
            if announcement.aloud:
                await self._voice.say(announcement.reply, announcement.lang)


def _show(announcement: Announcement, *, as_json: bool) -> None:
    if as_json:
        emit({"announcement": announcement.reply, "lang": announcement.lang, "satellite": announcement.satellite})
    else:
        print(printable(announcement.reply), flush=True)
