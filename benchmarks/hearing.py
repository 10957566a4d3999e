"""What pocketsphinx makes of sentences in and out of its grammar: `python benchmarks/hearing.py en` (or zh FOLDER).

The sentences are spoken by espeak-ng; with HEARKEN_TEST_SPEECH set, its recordings of people are heard too. "Done" is a
confidence that lets the gate act, "asked" one that makes it ask.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from daemon.core.thresholds import Thresholds
from daemon.hear.audio import frames, load, resample, spoken_roles
from daemon.hear.detectors import SileroVad
from daemon.hear.listener import Listener, Utterance
from daemon.hear.sphinx import Sphinx
from daemon.hear.tongues import English, Mandarin, Tongue
from daemon.home.loader import load_home
from daemon.speak.voice import Espeak

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
SEEDS = (12, 31)
COUNT = 80
"""Sentences of the grammar per seed."""
RATES = (130, 150, 175)
"""Words per minute."""


@dataclass(frozen=True, slots=True)
class Case:
    """One clip; `known` is whether its text is in the grammar."""

    source: str
    known: bool
    text: str
    samples: NDArray[np.float32]


def main(lang: str, folder: str | None = None) -> None:
    """Prints one table, and every wrong act."""
    tongue: Tongue = English() if lang == "en" else Mandarin(Path(folder or ""))
    roles = dict(spoken_roles(load_home(ROOT / "devices.yaml").entities))
    roles["standing light"] = roles["Hall light"]  # what one of the recordings speaks of
    engine = Sphinx(tongue, ROOT / "rules" / lang / "speech.peg")
    engine.prepare(list(roles), roles)
    counts: Counter[tuple[str, bool, str]] = Counter()
    spent = heard_s = 0.0
    for case in [*recordings(tongue, engine), *synthesized(lang, engine)]:
        clip = cut(case.samples)
        if clip is None:
            counts[case.source, case.known, "silence"] += 1
            continue
        start = time.process_time()
        transcript = engine.transcribe(clip, lang)
        spent += time.process_time() - start
        heard_s += len(clip) / 16_000
        verdict = judged(case, transcript.text, transcript.confidence)
        counts[case.source, case.known, verdict] += 1
        if verdict == "done, wrong":
            print(f'  {case.source}: "{case.text}" heard as "{transcript.text}" ({transcript.confidence:.2f})')
    print(f"{lang}: {spent / heard_s:.2f} s of processor time per second of clip")
    for source in ("recorded", "spoken"):
        for known in (True, False):
            row = {verdict: count for (*key, verdict), count in counts.items() if key == [source, known]}
            place = "in" if known else "not in"
            print(f"{source}, {place} the grammar ({sum(row.values())}): {dict(sorted(row.items()))}")


def judged(case: Case, text: str, confidence: float) -> str:
    """What the home would make of it; articles do not matter."""
    thresholds = Thresholds()
    if confidence < thresholds.noise:
        return "silence"
    if confidence < thresholds.reading:
        return "asked"
    return "done, right" if case.known and plain(text) == plain(case.text) else "done, wrong"


def plain(text: str) -> str:
    """Without the words that change nothing."""
    return text.replace("the ", "").replace("把", "")


def recordings(tongue: Tongue, engine: Sphinx) -> Iterator[Case]:
    """Recordings of people, where there are any."""
    folder = os.environ.get("HEARKEN_TEST_SPEECH")
    if not folder:
        return
    for line in (Path(folder) / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        clip = json.loads(line)
        tokens = tongue.tokens(clip["text"] or "")
        known = tokens is not None and engine.knows(word for word, _ in tokens)
        text = tongue.joined(" ".join(word if tongue.lang == "en" else text for word, text in tokens or ()))
        yield Case("recorded", known, text if known else str(clip["text"]), load(Path(folder) / clip["file"]))


def synthesized(lang: str, engine: Sphinx) -> Iterator[Case]:
    """Random sentences of the grammar, and those of `others.<lang>.txt`."""
    voices = {rate: Espeak(rate) for rate in RATES}
    others = (Path(__file__).parent / f"others.{lang}.txt").read_text(encoding="utf-8").splitlines()
    for seed in SEEDS:
        draw = random.Random(seed)
        texts = [(True, engine.example(draw)) for _ in range(COUNT)] + [(False, text) for text in others if text]
        for known, text in texts:
            speech = voices[draw.choice(RATES)].synthesize(text, lang)
            yield Case("spoken", known, text, resample(speech.samples, speech.rate))


def cut(samples: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """The first clip that the listener makes of it, in a quiet room."""
    noise = np.random.default_rng(0)
    room = (noise.standard_normal(len(samples) + 30_000) * 3e-4).astype(np.float32)
    room[12_000 : 12_000 + len(samples)] += samples
    listener = Listener(SileroVad())
    events = (event for frame in frames(room) for event in listener.feed(frame))
    return next((event.samples for event in events if isinstance(event, Utterance)), None)


if __name__ == "__main__":
    main(*sys.argv[1:] or ["en"])
