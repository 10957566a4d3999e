"""The microphone: 10 ms frames through PortAudio (sounddevice), or `arecord` where PortAudio is not installed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
from collections import deque
from collections.abc import AsyncIterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from daemon.core.errors import AudioError
from daemon.hear.audio import FRAME, SAMPLE_RATE, Resampler, from_pcm16

if TYPE_CHECKING:
    from numpy.typing import NDArray

SILENT_S = 5.0
"""An open microphone that brings nothing for so long, not even silence, is gone: unplugged ones often just stop."""
BACKLOG = 3_000
"""Frames kept while nobody takes them (30 s); the oldest go first."""

REMEDY = "install PortAudio (`sudo apt install libportaudio2`) or `alsa-utils`, or let it `listen` to a file"

log = logging.getLogger(__name__)


class FrameSource(Protocol):
    """Where frames come from."""

    def __aiter__(self) -> AsyncIterator[NDArray[np.float32]]:
        """Frames of 10 ms, mono float32 at `SAMPLE_RATE`."""

    def pause(self) -> None:
        """Drops what is captured from now on."""

    def resume(self) -> None:
        """Captures again."""


class FrameQueue:
    """Frames that come when they come. Of what nobody takes, the oldest go first.

    Args:
        silent_s: Where nothing comes for so long, not even silence, the source is gone; None: it may be still.
    """

    def __init__(self, silent_s: float | None = None) -> None:
        self._frames: deque[NDArray[np.float32]] = deque(maxlen=BACKLOG)
        self._rest = np.zeros(0, np.float32)
        self._ready = asyncio.Event()
        self._paused = False
        self._closed = False
        self._alive = True
        self._problem: AudioError | None = None
        self._silent_s = silent_s
        self._behind = False

    async def __aiter__(self) -> AsyncIterator[NDArray[np.float32]]:
        while True:
            while self._frames:
                yield self._frames.popleft()
            if self._closed:
                if self._problem is not None:
                    raise self._problem
                return
            await self._more()

    def pause(self) -> None:
        """Drops what is captured from now on."""
        self._paused = True

    def resume(self) -> None:
        """Captures again."""
        self._paused = False

    async def _more(self) -> None:
        self._ready.clear()
        self._alive = False
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._silent_s):
                await self._ready.wait()
        if not self._alive and not self._closed:
            raise AudioError(f"the microphone has stopped: nothing came for {self._silent_s:g} s")

    def take(self, samples: NDArray[np.float32]) -> None:
        """Cuts what was captured into frames; runs in the event loop."""
        self._alive = True
        if self._paused or self._closed:
            self._rest = self._rest[:0]
            return
        samples = np.concatenate([self._rest, samples]) if self._rest.size else samples
        whole = len(samples) // FRAME * FRAME
        behind = len(self._frames) + whole // FRAME > BACKLOG
        if behind and not self._behind:
            log.warning("listening is behind the microphone: sound is lost")
        self._behind = behind
        self._frames.extend(samples[start : start + FRAME] for start in range(0, whole, FRAME))
        self._rest = samples[whole:]
        self._ready.set()

    def clear(self) -> None:
        """Forgets what nobody has taken yet."""
        self._frames.clear()
        self._rest = self._rest[:0]

    def fail(self, problem: AudioError) -> None:
        """Nothing comes any more, and why; what is still waiting is taken first."""
        if not self._closed:
            self._problem = problem
        self.finish()

    def finish(self) -> None:
        """Nothing comes any more."""
        self._closed = True
        self._ready.set()


class Microphone(FrameQueue):
    """An open microphone.

    ```python
    async with Microphone() as microphone:
        async for frame in microphone:
            ...
    ```

    Raises:
        AudioError: on entering: no PortAudio and no `arecord`, no such device, or it cannot record.
    """

    def __init__(self) -> None:
        super().__init__(SILENT_S)
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        sounddevice = _portaudio()
        if sounddevice is not None:
            await self._open_portaudio(sounddevice)
        elif shutil.which("arecord"):
            await self._open_arecord()
        else:
            raise AudioError(f"no microphone: PortAudio is not installed; {REMEDY}")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()
        await self._stack.aclose()

    async def _open_portaudio(self, sounddevice: Any) -> None:
        loop = asyncio.get_running_loop()
        try:
            rate = await asyncio.to_thread(_best_rate, sounddevice)
            resampler = None if rate == SAMPLE_RATE else Resampler(rate)

            def captured(data: Any, _count: int, _time: Any, _status: Any) -> None:
                samples = np.array(data[:, 0], np.float32)
                with contextlib.suppress(RuntimeError):  # the loop is gone: we are being closed
                    loop.call_soon_threadsafe(self.take, samples if resampler is None else resampler.feed(samples))

            def finished() -> None:
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(self._end, "the device ended the recording")

            stream = sounddevice.InputStream(
                samplerate=rate, channels=1, dtype="float32", blocksize=rate // 100,
                callback=captured, finished_callback=finished,
            )  # fmt: skip
            await asyncio.to_thread(stream.start)
        except (sounddevice.PortAudioError, ValueError) as error:
            raise AudioError(f"no microphone: {_one_line(error)}; `hearken doctor` lists the devices") from error
        self._stack.callback(stream.close)

    async def _open_arecord(self) -> None:
        process = await asyncio.create_subprocess_exec(
            "arecord", "-q", "-t", "raw", "-f", "S16_LE", "-r", str(SAMPLE_RATE), "-c", "1",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        try:
            first = await process.stdout.readexactly(2 * FRAME)
        except asyncio.IncompleteReadError as error:
            _, message = await process.communicate()
            raise AudioError(f"no microphone: {_one_line(message.decode(errors='replace'))}") from error
        self.take(from_pcm16(first))
        reader = asyncio.create_task(self._read_arecord(process))

        async def stop() -> None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await reader
            await process.communicate()

        self._stack.push_async_callback(stop)

    async def _read_arecord(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                self.take(from_pcm16(await process.stdout.readexactly(2 * FRAME)))
        self._end("`arecord` ended")

    def _end(self, why: str) -> None:
        self.fail(AudioError(f"the microphone has stopped: {why}"))


class Recorded:
    """Samples as a source of frames, as fast as they are taken: a file instead of a microphone."""

    def __init__(self, samples: NDArray[np.float32]) -> None:
        self._samples = samples
        self._paused = False

    async def __aiter__(self) -> AsyncIterator[NDArray[np.float32]]:
        for start in range(0, len(self._samples), FRAME):
            frame = self._samples[start : start + FRAME]
            if not self._paused:
                yield np.pad(frame, (0, FRAME - len(frame)))

    def pause(self) -> None:
        """Drops what comes from now on."""
        self._paused = True

    def resume(self) -> None:
        """Goes on."""
        self._paused = False


def devices() -> list[str]:
    """The sound devices by name, with what they can do; empty where there are none.

    Raises:
        AudioError: PortAudio is not installed.
    """
    sounddevice = _portaudio()
    if sounddevice is None:
        raise AudioError(f"PortAudio is not installed; {REMEDY}")
    return [
        f"{index} {item['name']} ({item['max_input_channels']} in, {item['max_output_channels']} out)"
        for index, item in enumerate(sounddevice.query_devices())
    ]


def reread() -> None:
    """Has PortAudio look anew at what is plugged in: it knows only what was there when it was started.

    A device that is plugged in again has another number, and the default may be another device. Blocking. What is being
    played meanwhile is cut off.
    """
    sounddevice = _portaudio()
    if sounddevice is not None:
        with contextlib.suppress(sounddevice.PortAudioError):
            # The only way there is, and the one that its documentation tells.
            sounddevice._terminate()  # noqa: SLF001
            sounddevice._initialize()  # noqa: SLF001


def _portaudio() -> Any:
    """The sounddevice module, or None where the system has no PortAudio library."""
    try:
        import sounddevice
    except OSError:
        return None
    return sounddevice


def _best_rate(sounddevice: Any) -> int:
    """16 kHz where the device takes it, else its own."""
    try:
        sounddevice.check_input_settings(channels=1, dtype="float32", samplerate=SAMPLE_RATE)
    except sounddevice.PortAudioError:
        return int(sounddevice.query_devices(None, "input")["default_samplerate"])
    return SAMPLE_RATE


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:200] or "the device gave no reason"
