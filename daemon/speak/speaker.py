"""Says replies: text made speakable, the voice that is here for its language in a thread of its own, a player."""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.core.errors import AudioError, HearkenError
from daemon.models.store import Store
from daemon.speak.voice import Espeak, Piper, Speech, Voice
from daemon.system.languages import LANGS

if TYPE_CHECKING:
    from daemon.speak.player import Player, Route


@dataclass(frozen=True, slots=True)
class Said:
    """What was said, how it came out (None: there was nothing to say), and what the synthesis took."""

    text: str
    route: Route | None
    seconds: float
    ms: float


class Speaker:
    """A voice and a way out."""

    def __init__(self, voice: Voice, player: Player) -> None:
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
            return Said("", None, 0.0, 0.0)
        start = time.perf_counter()
        speech: Speech = await asyncio.to_thread(self._voice.synthesize, text, lang)
        ms = (time.perf_counter() - start) * 1000
        return Said(text, await self._player.play(speech), speech.seconds, ms)


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


log = logging.getLogger(__name__)


class Voices:
    """Several voices as one: the first that knows the language speaks, the next one if it fails."""

    def __init__(self, voices: Sequence[Voice]) -> None:
        self._voices = tuple(voices)
        self.name = "+".join(voice.name for voice in voices)
        self.languages = frozenset().union(*(voice.languages for voice in voices))

    def synthesize(self, text: str, lang: str) -> Speech:
        """Says a text.

        Raises:
            AudioError: no voice knows the language, or all failed.
        """
        problem: HearkenError | None = None
        for voice in self._voices:
            if lang not in voice.languages:
                continue
            try:
                return voice.synthesize(text, lang)
            except HearkenError as error:
                log.warning("%s cannot speak: %s", voice.name, error)
                problem = error
        raise problem or AudioError(f"no voice for {lang!r}")


def choose_voice(models: Path, *, command: str = "piper") -> Voices:
    """The voices that are here, the best first.

    Raises:
        ModelMissing: not even espeak-ng is installed.
        ConfigError: the manifest is wrong.
    """
    store = Store(models)
    found: dict[str, Path] = {}
    for lang in LANGS:
        for model in store.installed("piper", lang):
            found.setdefault(lang, next(store.folder(model).glob("*.onnx")))
    voices: list[Voice] = [Piper(found, command)] if found and shutil.which(command) else []
    return Voices([*voices, Espeak()])
