"""From frames to what was said: the listener, the engine that hears this language here, and the wait for the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from daemon.core.errors import HearkenError, ModelMissing
from daemon.hear.audio import Transcriber, Transcript
from daemon.hear.contest import Contest, Rivals
from daemon.hear.engine import Engine, Recognized
from daemon.hear.listener import Expired, Listener, Opening, Outdone, Paused, Utterance, Woken
from daemon.hear.sphinx import Sphinx
from daemon.hear.tally import Tally
from daemon.hear.tongues import English, Mandarin
from daemon.hear.whisper import Whisper
from daemon.models.store import Store
from daemon.system.config import COMMAND, make
from daemon.system.languages import engines, languages

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from daemon.hear.microphone import FrameSource

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


class Tongue(Struct, frozen=True):
    """A language, and what hears it."""

    engine: Engine
    lang: str


def plain_word(word: str) -> str:
    """A wake word by whatever name it is told: "Okay Nabu" is "okay_nabu"."""
    return " ".join(word.casefold().replace("_", " ").split())


@dataclass(slots=True, kw_only=True)
class Ears:
    """Turns frames into what was said, by an engine that others may ask as well.

    Whoever breaks off (`incomplete`: "turn on the") gets more time, and who surely has said it all (`complete`) is not
    kept waiting; a text that is neither gets the usual time. `notice` is told of what is no utterance.
    """

    source: FrameSource
    listener: Listener
    engine: Engine
    lang: str
    incomplete: Callable[[str], bool] = lambda _text: False
    complete: Callable[[str], bool] = lambda _text: False
    notice: Callable[[Woken | Expired | Outdone], None] = lambda _event: None
    rivals: Rivals = field(default_factory=Rivals)
    """All that listens in this house: what several hear, one of them answers."""
    tally: Tally = field(default_factory=Tally)
    tongues: Mapping[str, Tongue] = field(default_factory=dict)
    """What is spoken behind a wake word, by its plain name; behind others, and without one, it is `lang`."""
    _tongue: Tongue | None = field(default=None, init=False)
    _early: tuple[int | None, Recognized] | None = field(default=None, init=False)
    _contest: Contest | None = field(default=None, init=False)
    _who: object = field(default_factory=object, init=False)

    def mute(self) -> None:
        """Hearken speaks."""
        self._withdraw()
        self.source.pause()
        self.listener.mute()

    def unmute(self) -> None:
        """Hearken has spoken."""
        self.listener.unmute()
        self.source.resume()

    @property
    def speaks(self) -> Tongue:
        """What is spoken here now."""
        return self._tongue or Tongue(self.engine, self.lang)

    def attend(self, word: str) -> None:
        """What comes now is spoken in the language of this wake word."""
        self._tongue = self.tongues.get(plain_word(word))

    def wake(self, word: str = "") -> None:
        """The wake word, where it is known, was heard elsewhere, before what comes now."""
        self.attend(word)
        self._withdraw()
        self._contest = self.rivals.woken(self._who)
        self.listener.wake()

    def reopen(self, seconds: float) -> None:
        """Listens for an answer, without the wake word."""
        self._withdraw()
        self.listener.reopen(seconds)

    def dismiss(self) -> None:
        """What is being said is not to be answered."""
        self._withdraw()
        self._early = None
        self.listener.dismiss()

    def _withdraw(self) -> None:
        if self._contest is not None:
            self._contest.without(self._who)
        self._contest = None

    async def utterances(self) -> AsyncIterator[Heard]:
        """Each utterance as text, until the source ends. An empty text means: sound, but no words."""
        try:
            async for heard in self._utterances():
                yield heard
        finally:
            self._withdraw()

    async def _utterances(self) -> AsyncIterator[Heard]:
        async for frame in self.source:
            for event in self.listener.feed(frame):
                if (heard := await self._on(event)) is not None:
                    yield heard
        for event in self.listener.finish():
            if (heard := await self._on(event)) is not None:
                yield heard

    async def _on(self, event: Woken | Paused | Utterance | Expired) -> Heard | None:
        if isinstance(event, (Woken, Expired)):
            self._withdraw()
            self._contest = self.rivals.woken(self._who) if isinstance(event, Woken) else None
            if isinstance(event, Woken):
                self.tally.woken()
                self.attend(event.word)
            elif event.opening == "wake":
                self.tally.vain()
            self.notice(event)
            return None
        if not await self._answers(event.samples):
            return None
        if isinstance(event, Paused):
            # What was said so far is heard while the silence is still awaited: most often it is all there will be.
            result = await self.speaks.engine.transcribe(event.samples, self.speaks.lang)
            self._early = (event.number, result)
            if self.incomplete(result.transcript.text):
                self.listener.extend()
            elif result.transcript.confidence >= _SURE and self.complete(result.transcript.text):
                self.listener.hasten()
            return None
        early, self._early = self._early, None
        if early is not None and early[0] == event.pause:
            result = early[1]
        else:
            result = await self.speaks.engine.transcribe(event.samples, self.speaks.lang)
        return Heard(result.transcript, event.opening, event.start_s, event.end_s, result.ms, result.problem)

    async def _answers(self, samples: NDArray[np.float32]) -> bool:
        """Whether what was said is for us, and not for another place that heard it better."""
        contest, self._contest = self._contest, None
        if contest is None or await contest.won(self._who, samples):
            return True
        if self._contest is None:  # else it was woken again meanwhile
            self.dismiss()
        self.tally.served()  # by another one
        self.notice(Outdone())
        return False


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
    return f"`{make('models')}` gets {better[0]}" if better else f"`{COMMAND} models` lists what can be had"
