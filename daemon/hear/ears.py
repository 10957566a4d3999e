"""From frames to what was said: the listener, the engine that hears this language here, and the wait for the rest."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from daemon.core.errors import HearkenError, ModelMissing
from daemon.hear.audio import Transcriber, Transcript
from daemon.hear.listener import Expired, Listener, Opening, Paused, Utterance, Woken
from daemon.hear.sphinx import Sphinx
from daemon.hear.tongues import English, Mandarin
from daemon.hear.whisper import Whisper
from daemon.models.store import Store
from daemon.system.languages import engines, languages

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from daemon.hear.microphone import FrameSource

log = logging.getLogger(__name__)

_SURE = 0.8
"""Heard less surely, a sentence gets the usual time to go on, whatever it says."""


class Heard(Struct, frozen=True):
    """One utterance as text.

    `ms` is what the engine took, most often while the end of the command was still awaited; `problem` says why there is
    no text, where the engine failed.
    """

    transcript: Transcript
    opening: Opening
    start_s: float
    end_s: float
    ms: float
    problem: str | None = None


class _Result(Struct, frozen=True):
    transcript: Transcript
    ms: float
    problem: str | None


@dataclass(slots=True, kw_only=True)
class Ears:
    """Turns frames into what was said; the engine runs in a thread of its own.

    Whoever breaks off (`incomplete`: "turn on the") gets more time, and who surely has said it all (`complete`) is not
    kept waiting; a text that is neither gets the usual time.
    """

    source: FrameSource
    listener: Listener
    transcriber: Transcriber
    lang: str
    incomplete: Callable[[str], bool] = lambda _text: False
    complete: Callable[[str], bool] = lambda _text: False
    notice: Callable[[Woken | Expired], None] = lambda _event: None
    _early: tuple[int | None, _Result] | None = field(default=None, init=False)

    def mute(self) -> None:
        """Hearken speaks."""
        self.source.pause()
        self.listener.mute()

    def unmute(self) -> None:
        """Hearken has spoken."""
        self.listener.unmute()
        self.source.resume()

    def reopen(self, seconds: float) -> None:
        """Listens for an answer, without the wake word."""
        self.listener.reopen(seconds)

    async def utterances(self) -> AsyncIterator[Heard]:
        """Each utterance as text, until the source ends. An empty text means: sound, but no words."""
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="hear") as thread:
            async for frame in self.source:
                for event in self.listener.feed(frame):
                    if (heard := await self._on(event, thread)) is not None:
                        yield heard
            for event in self.listener.finish():
                if (heard := await self._on(event, thread)) is not None:
                    yield heard

    async def _on(self, event: Woken | Paused | Utterance | Expired, thread: ThreadPoolExecutor) -> Heard | None:
        if isinstance(event, (Woken, Expired)):
            return None
        if isinstance(event, Paused):
            # What was said so far is heard while the silence is still awaited: most often it is all there will be.
            result = await self._transcribe(event.samples, thread)
            self._early = (event.number, result)
            if self.incomplete(result.transcript.text):
                self.listener.extend()
            elif result.transcript.confidence >= _SURE and self.complete(result.transcript.text):
                self.listener.hasten()
            return None
        early, self._early = self._early, None
        result = early[1] if early and early[0] == event.pause else await self._transcribe(event.samples, thread)
        return Heard(result.transcript, event.opening, event.start_s, event.end_s, result.ms, result.problem)

    async def _transcribe(self, samples: NDArray[np.float32], thread: ThreadPoolExecutor) -> _Result:
        loop = asyncio.get_running_loop()
        start = time.perf_counter()
        problem = None
        try:
            transcript = await loop.run_in_executor(thread, self.transcriber.transcribe, samples, self.lang)
        except HearkenError as error:
            log.warning("%s could not hear this: %s", self.transcriber.name, error)
            transcript, problem = Transcript((), self.lang, self.transcriber.name), str(error)
        return _Result(transcript, (time.perf_counter() - start) * 1000, problem)


class Ability(Struct, frozen=True):
    """How well one language is heard: `note` is one line for a person, with the command that gets what is missing."""

    lang: str
    available: bool
    engine: str | None
    note: str


def choose(lang: str, models: Path, rules: Path, *, prefer: str | None = None) -> Transcriber:
    """The best engine for a language: Whisper where its weights are, the largest first, else pocketsphinx.

    Args:
        lang: What is spoken.
        models: The folder with `manifest.yaml` and the installed models.
        rules: The folder with the languages.
        prefer: A model's name, or `pocketsphinx`, to be taken instead.

    Raises:
        ModelMissing: nothing here hears this language, or not the model that was asked for.
        ConfigError: the manifest is wrong.
        UsageError: `prefer` is no model.
    """
    store = Store(models)
    if prefer not in (None, "pocketsphinx"):
        model = store.manifest.get(str(prefer))
        folder = store.require(model.name)
        if model.engine == "faster-whisper":
            return Whisper(folder, name=model.name)
    elif prefer is None:
        for model in store.installed("faster-whisper", lang):
            return Whisper(store.folder(model), name=model.name)
    return _sphinx(lang, store, rules)


def survey(models: Path, rules: Path) -> tuple[Ability, ...]:
    """How each language is heard here.

    Raises:
        ConfigError: the manifest is wrong.
    """
    store = Store(models)
    return tuple(_ability(lang, store, rules) for lang in languages(rules))


def _sphinx(lang: str, store: Store, rules: Path) -> Sphinx:
    grammar = rules / lang / "speech.peg"
    known = engines(rules).get(lang)
    sounds = known.sphinx if known is not None and grammar.is_file() else None
    if sounds == "words":
        return Sphinx(English(lang), grammar)
    for model in store.installed("pocketsphinx", lang) if sounds == "syllables" else ():
        return Sphinx(Mandarin(store.folder(model), lang), grammar, name=model.name)
    raise ModelMissing(f"for speech in {lang!r}", _remedy(store, lang))


def _ability(lang: str, store: Store, rules: Path) -> Ability:
    for model in store.installed("faster-whisper", lang):
        return Ability(lang, available=True, engine=model.name, note=f"{lang}: {model.name}")
    try:
        engine = _sphinx(lang, store, rules)
    except HearkenError as error:
        return Ability(lang, available=False, engine=None, note=f"{lang}: {error}")
    note = f"{lang}: {engine.name}, which knows only the sentences of rules/{lang}/speech.peg; {_remedy(store, lang)}"
    return Ability(lang, available=True, engine=engine.name, note=note)


def _remedy(store: Store, lang: str) -> str:
    better = [model.name for model in store.manifest.defaults() if lang in model.languages]
    return f"`make models` gets {better[0]}" if better else "`python -m daemon models` lists what can be had"
