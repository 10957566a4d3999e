"""faster-whisper on the CPU: int8, weights from a folder, and gates against what it makes up where nobody speaks."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.core.errors import ModelCorrupt, ModelMissing, TranscriptionError
from daemon.hear.audio import Hypothesis, Roles, Transcript, level
from daemon.hear.detectors import SileroVad, VoiceDetector, speech_seconds
from daemon.system.config import make
from daemon.system.languages import engines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_PROMPT = 200
"""Characters of names: a long prompt slows the decoder down and is repeated where nobody speaks."""

MIN_LEVEL = -60.0
"""Decibels below full scale; what is quieter is silence."""
MIN_SPEECH = 0.12
"""Seconds of voice that a clip must hold."""
MIN_LOGPROB = -1.0
MAX_COMPRESSION = 2.4
"""Both as in Whisper's own decoding: below and above, the text is made up or goes round in circles."""
MAX_NO_SPEECH = 0.6

_BEAM = 5
"""So many beginnings are followed at once."""
FILES = ("model.bin", "config.json", "tokenizer.json")


class Whisper:
    """One loaded model. It is loaded when it is first needed, or by `prepare`.

    Args:
        folder: A CTranslate2 conversion with its tokenizer.
        name: What it is called in traces.
        vad: Decides whether there is any speech.
        prompts: By language, what stands before the home's names; else as the languages' files say.

    Raises:
        ModelMissing: a file is not there (faster-whisper would fetch it without being asked).
    """

    def __init__(
        self,
        folder: Path,
        *,
        name: str = "whisper",
        vad: VoiceDetector | None = None,
        prompts: Mapping[str, str] | None = None,
    ) -> None:
        for file in FILES:
            if not (folder / file).is_file():
                raise ModelMissing(f"{folder.name}/{file}", f"`{make('models')}` gets it")
        self.name = name
        self._folder = folder
        self._vad = vad or SileroVad()
        self._engines = engines()
        known = {lang: item.whisper for lang, item in self._engines.items() if item.whisper is not None}
        self.languages = frozenset(known)
        self._prompts = known if prompts is None else prompts
        self._names = ""
        self._model: Any = None
        self._lock = threading.Lock()

    def prepare(self, names: Sequence[str], roles: Roles | None = None) -> None:  # noqa: ARG002 - the prompt has no roles
        """Takes the home's names, the most important first, and loads the model."""
        self._names = _fitting(names, MAX_PROMPT)
        self._load()

    def transcribe(self, samples: NDArray[np.float32], lang: str) -> Transcript:
        """Mono float32 samples at 16 kHz to text; no hypothesis where nobody speaks."""
        if lang not in self.languages:
            raise TranscriptionError(f"{self.name}: it is not set up for {lang!r}")
        nothing = Transcript((), lang, self.name)
        if level(samples) < MIN_LEVEL or speech_seconds(samples, self._vad) < MIN_SPEECH:
            return nothing
        model = self._load()
        try:
            with self._lock:
                segments, _ = model.transcribe(
                    samples,
                    language=lang,
                    beam_size=_BEAM,
                    temperature=0.0,
                    condition_on_previous_text=False,
                    initial_prompt=self._prompt(lang) or None,
                )
                parts = [part for part in segments if _is_said(part)]
        except (RuntimeError, ValueError, IndexError) as error:
            raise TranscriptionError(f"{self.name}: {' '.join(str(error).split())[:200]}") from error
        text = " ".join("".join(part.text for part in parts).replace("\ufffd", "").split())
        if self._engines[lang].simplified:
            text = simplified(text)
        if not text or is_hallucination(text):
            return nothing
        return Transcript((Hypothesis(text, _confidence(parts)),), lang, self.name)

    def _prompt(self, lang: str) -> str:
        head = self._prompts.get(lang, "")
        return f"{head}{self._names}"

    def _load(self) -> Any:
        with self._lock:
            if self._model is None:
                import faster_whisper

                try:
                    self._model = faster_whisper.WhisperModel(
                        str(self._folder),
                        device="cpu",
                        compute_type="int8",
                        cpu_threads=min(4, os.cpu_count() or 1),
                        local_files_only=True,
                    )
                except Exception as error:  # the tokenizer raises a bare Exception
                    raise ModelCorrupt(f"{self._folder}: cannot be loaded ({' '.join(str(error).split())})") from error
            return self._model


def is_hallucination(text: str) -> bool:
    """Whether this is one of the texts that Whisper makes up from silence."""
    whole, parts = _hallucinations()
    plain = _plain(text)
    return not plain or plain in whole or any(part in plain for part in parts)


def confidence(logprob: float, no_speech: float) -> float:
    """0 to 1 from the mean log probability of a token and the probability of silence.

    A logistic curve: 0.97 at -0.1, 0.92 at -0.3, one half at -0.8; Whisper itself gives up at -1.
    """
    sure = 1.0 / (1.0 + math.exp(-5.0 * (logprob + 0.8)))
    return sure * (1.0 - max(0.0, no_speech - 0.2))


def _is_said(part: Any) -> bool:
    """Whether one segment passes the gates."""
    if part.avg_logprob < MIN_LOGPROB or part.compression_ratio > MAX_COMPRESSION:
        return False
    return not (part.no_speech_prob > MAX_NO_SPEECH and part.avg_logprob < MIN_LOGPROB / 2)


def _confidence(parts: Sequence[Any]) -> float:
    """The least sure segment decides: a command is as good as its worst part."""
    return min(confidence(part.avg_logprob, part.no_speech_prob) for part in parts)


def _fitting(names: Sequence[str], limit: int) -> str:
    chosen: list[str] = []
    for name in dict.fromkeys(names):
        if sum(map(len, chosen)) + 2 * len(chosen) + len(name) > limit:
            break
        chosen.append(name)
    return ", ".join(chosen) + "." if chosen else ""


@cache
def _hallucinations() -> tuple[frozenset[str], tuple[str, ...]]:
    text = (Path(__file__).parent / "data" / "hallucinations.txt").read_text(encoding="utf-8")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    whole = frozenset(_plain(line) for line in lines if not line.startswith("~"))
    return whole, tuple(_plain(line) for line in lines if line.startswith("~"))


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


@cache
def _converter() -> Any:
    import opencc

    return opencc.OpenCC("t2s")


def simplified(text: str) -> str:
    """Chinese in simplified script."""
    return str(_converter().convert(text))
