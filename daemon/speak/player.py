"""Plays speech: PortAudio (sounddevice), else `aplay`, else a WAV file."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from daemon.core.errors import AudioError

if TYPE_CHECKING:
    from daemon.speak.voice import Speech

Route = Literal["portaudio", "aplay", "file"]


class Ear(Protocol):
    """What must be deaf while Hearken speaks."""

    def mute(self) -> None:
        """Hearken speaks from now on."""

    def unmute(self) -> None:
        """Hearken has spoken."""


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

    async def play(self, speech: Speech) -> Route:
        """Returns how it came out, when it has been heard or written, or right after `stop`.

        Raises:
            AudioError: it cannot be played or written.
        """
        async with self._lock:
            route = await self._way_out()
            if route == "file":
                await asyncio.to_thread(_write, self._file, speech.to_wav())
            else:
                await self._sound(_portaudio if route == "portaudio" else _aplay, speech)
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
