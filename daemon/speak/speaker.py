"""Says replies: text made speakable, the voice that is here for its language in a thread of its own, a player."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import time
import unicodedata
from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from daemon.core.errors import AudioError
from daemon.speak.sentences import sentences
from daemon.speak.voice import NO_MORE, Speech, Voice, joined

Route = Literal["portaudio", "aplay", "file", "satellite"]


class Ear(Protocol):
    """What must be deaf while Hearken speaks."""

    def mute(self) -> None:
        """Hearken speaks from now on."""

    def unmute(self) -> None:
        """Hearken has spoken."""


class Output(Protocol):
    """A way out for sound."""

    async def play(self, speech: Speech, more: AsyncIterable[Speech] = NO_MORE) -> Route:
        """Returns how it came out, when it has been heard: `speech`, and what follows it, as far as anybody listens.

        Raises:
            AudioError: it cannot be played.
        """


class Player:
    """One voice at a time: a second `play` waits for the first.

    Args:
        file: Where speech is written if there is no sound device; each reply replaces the last.
        ear: Muted while sound comes out of a loudspeaker (never for a file).
        route: Forces one way out; None takes the first that works.
    """

    def __init__(
        self,
        file: Path,
        *,
        ear: Ear | None = None,
        route: Route | None = None,
    ) -> None:
        self._file = file
        self._ear = ear
        self._route = route
        self._lock = asyncio.Lock()
        self._stop = asyncio.Event()

    async def play(self, speech: Speech, more: AsyncIterable[Speech] = NO_MORE) -> Route:
        """Returns how it came out, when it has been heard or written, or right after `stop`.

        Raises:
            AudioError: it cannot be played or written.
        """
        async with self._lock:
            route = await self._way_out()
            if route == "file":
                whole = await joined(speech, more)
                await asyncio.to_thread(_write, self._file, whole.to_wav())
            else:
                await self._sound(partial(_in_turn, _portaudio if route == "portaudio" else _aplay, more), speech)
            return route

    def stop(self) -> None:
        """Falls silent; what waits is still said."""
        self._stop.set()

    async def _way_out(self) -> Route:
        if self._route is None:
            best: Route = await asyncio.to_thread(_best_route)
            self._route = best
        return self._route

    async def _sound(self, backend: Any, speech: Speech) -> None:
        self._stop.clear()
        playing = asyncio.create_task(backend(speech))
        stopping = asyncio.create_task(self._stop.wait())
        if self._ear is not None:
            self._ear.mute()
        try:
            await asyncio.wait({playing, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if playing.done():
                playing.result()
        finally:
            for task in (playing, stopping):
                task.cancel()
            await asyncio.gather(playing, stopping, return_exceptions=True)
            if self._ear is not None:
                self._ear.unmute()


async def _in_turn(backend: Any, more: AsyncIterable[Speech], speech: Speech) -> None:
    """One after the other."""
    await backend(speech)
    async for item in more:
        await backend(item)


def _best_route() -> Route:
    """The first way out that has a device behind it."""
    try:
        import sounddevice
    except OSError:  # PortAudio is not installed
        cards = Path("/proc/asound/pcm")
        has_cards = cards.is_file() and bool(cards.read_text(encoding="ascii").strip())
        return "aplay" if has_cards and shutil.which("aplay") else "file"
    try:
        sounddevice.check_output_settings(channels=1, dtype="float32")
    except (sounddevice.PortAudioError, ValueError):
        return "file"
    return "portaudio"


async def _portaudio(speech: Speech) -> None:
    import sounddevice

    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    rest = [speech.samples]

    def fill(out: Any, count: int, _time: Any, _status: Any) -> None:
        piece, rest[0] = rest[0][:count], rest[0][count:]
        out[:, 0] = np.pad(piece, (0, count - len(piece)))
        if not rest[0].size:
            raise sounddevice.CallbackStop

    def finished() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone
            loop.call_soon_threadsafe(done.set)

    try:
        stream = sounddevice.OutputStream(
            samplerate=speech.rate,
            channels=1,
            dtype="float32",
            callback=fill,
            finished_callback=finished,
        )
        await asyncio.to_thread(stream.start)
    except (sounddevice.PortAudioError, ValueError) as error:
        raise AudioError(f"no sound: {' '.join(str(error).split())}") from error
    try:
        await done.wait()
    finally:
        await asyncio.shield(asyncio.to_thread(stream.close))


async def _aplay(speech: Speech) -> None:
    process = await asyncio.create_subprocess_exec(
        "aplay",
        "-q",
        "-t",
        "wav",
        "-",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await process.communicate(speech.to_wav())
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()
    if process.returncode:
        raise AudioError(f"no sound: {' '.join(said.decode(errors='replace').split())[:200]}")


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        raise AudioError(f"{path}: the reply cannot be written ({error.strerror})") from error


@dataclass(frozen=True, slots=True)
class Said:
    """What was said, how it came out (None: there was nothing to say), and how long its first sound was awaited."""

    text: str
    route: Route | None
    ms: float


class Speaker:
    """A voice and a way out."""

    def __init__(self, voice: Voice, player: Output) -> None:
        self._voice = voice
        self._player = player

    async def say(self, text: str, lang: str) -> Said:
        """Returns when it has been said.

        Raises:
            AudioError: the voice or the sound device failed.
            ModelMissing: the voice is not installed.
        """
        text = speakable(text)
        if not text:
            return Said("", None, 0.0)
        start = time.perf_counter()
        async with contextlib.aclosing(self._spoken(sentences(text), lang)) as more:
            speech = await anext(more)
            ms = (time.perf_counter() - start) * 1000
            return Said(text, await self._player.play(speech, more), ms)

    async def _spoken(self, texts: Sequence[str], lang: str) -> AsyncGenerator[Speech]:
        """The sound of each; while one is heard, the next is made."""
        making = self._making(texts[0], lang)
        try:
            for text in texts[1:]:
                speech = await making
                making = self._making(text, lang)
                yield speech
            yield await making
        finally:
            making.cancel()
            await asyncio.gather(making, return_exceptions=True)

    def _making(self, text: str, lang: str) -> asyncio.Task[Speech]:
        return asyncio.create_task(asyncio.to_thread(self._voice.synthesize, text, lang))


MAX_CHARACTERS = 400
"""Nobody listens to a longer reply."""
MAX_WORD = 40
"""A longer run without a space, in a script that has spaces, is no word."""

_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_TAG = re.compile(r"</?[A-Za-z!?][^<>]*>")
_ADDRESS = re.compile(r"\b(?:https?|ftp|mqtt)s?://\S+", re.IGNORECASE)
_MARKUP = re.compile(r"[*_`#~|<>\[\]{}\\^=]+")
_SPACE = re.compile(r"\s+")
_LONG = re.compile(rf"[!-\u02ff]{{{MAX_WORD + 1},}}")
_REPEATED = re.compile(r"([^\w\s])\1{2,}")
_WRITTEN = str.maketrans({"℃": "°C", "℉": "°F", "µ": "μ"})
_KEPT = "°"


def speakable(text: str) -> str:
    """The text to say; empty if nothing in it can be said. Doing it twice changes nothing more."""
    text = unicodedata.normalize("NFC", text).translate(_WRITTEN)
    text = "".join(_plain(character) for character in text)
    text = _LINK.sub(r"\1", text)
    text = _TAG.sub(" ", _ADDRESS.sub(" ", text))
    text = _MARKUP.sub(" ", text)
    text = _REPEATED.sub(r"\1", text)
    text = _LONG.sub(lambda run: run[0][:MAX_WORD], text)
    text = _SPACE.sub(" ", text).strip()
    text = _shortened(text)
    return text if any(character.isalnum() for character in text) else ""


def _plain(character: str) -> str:
    """The character, a space, or nothing."""
    if character in _KEPT:
        return character
    match unicodedata.category(character):
        case "Cc" | "Zl" | "Zp" | "Zs":
            return " "
        case "Cf" | "Cs" | "Co" | "Cn" | "So" | "Sk" | "Me":
            return ""
        case "Mn" if unicodedata.name(character, "").startswith("VARIATION SELECTOR"):
            return ""
    return character


def _shortened(text: str) -> str:
    """At most `MAX_CHARACTERS`, cut at the end of a sentence or a word."""
    if len(text) <= MAX_CHARACTERS:
        return text
    head = text[:MAX_CHARACTERS]
    ends = [head.rfind(mark) + 1 for mark in ".!?;。！？；"]
    if (end := max(ends)) > MAX_CHARACTERS // 2:
        return head[:end].strip()
    return (head[: head.rfind(" ")] if head.rfind(" ") > MAX_CHARACTERS // 2 else head).strip()
