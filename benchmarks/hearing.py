"""What pocketsphinx makes of what is said: `python -m benchmarks.hearing en` (or `zh --model FOLDER`).

Random sentences of the grammar are spoken by espeak-ng in several voices, speeds and pitches, in rooms, through noise
and other talk; with HEARKEN_TEST_SPEECH set, its recordings of people are heard in the same ways. Everything is seeded.
What the text is then taken to mean is decided as in the daemon: "done" is acted on at once, "asked" is asked back.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from daemon.core.resolution import Context
from daemon.core.thresholds import Thresholds
from daemon.core.trace import Trace
from daemon.core.turn import Utterance as Said
from daemon.hear.audio import SAMPLE_RATE, Transcript, frames, load, resample, spoken_roles
from daemon.hear.detectors import SileroVad
from daemon.hear.listener import Listener, Utterance
from daemon.hear.sphinx import Sphinx
from daemon.hear.tongues import English, Mandarin, Tongue
from daemon.home.loader import load_home
from daemon.home.registry import Registry
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.named import kinds_of
from daemon.resolve.readings import Choice, Readings
from daemon.resolve.resolver import Resolver
from daemon.speak.voice import Espeak
from daemon.understand.grammar import Grammar

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
VOICES = {
    "tuned": ("", "f1", "f3", "m2", "m4", "m6", "klatt2"),
    "others": ("f2", "f4", "f5", "m1", "m3", "m5", "m7", "m8"),
}
"""espeak-ng's variants: those on which the confidence was tuned, and others."""
RATES = (120, 180)
"""Words per minute, from and to."""
PITCHES = (0.93, 1.08)
"""A whole voice lower or higher: a longer or shorter throat."""
VERDICTS = ("right", "asked", "silent", "wrong")


@dataclass(frozen=True, slots=True)
class Place:
    """What lies between mouth and microphone: seconds until an echo is 60 dB quieter, and dB below the voice."""

    name: str
    echo_s: float = 0.0
    noise_db: float | None = None
    talk_db: float | None = None


PLACES = (
    Place("quiet"),
    Place("noise, 20 dB below the voice", noise_db=20),
    Place("noise, 10 dB", noise_db=10),
    Place("noise, 5 dB", noise_db=5),
    Place("a room (0.4 s of echo)", echo_s=0.4),
    Place("a room, noise 15 dB", echo_s=0.4, noise_db=15),
    Place("another speaker, 20 dB", talk_db=20),
    Place("another speaker, 10 dB", talk_db=10),
)


class Mind:
    """What the daemon takes a transcript to mean, in the default home."""

    def __init__(self) -> None:
        home = load_home(ROOT / "devices.yaml")
        grammar = Grammar.load(ROOT / "rules")
        registry = Registry(home.entities, home.people)
        words = grammar.lexicon
        self.thresholds = Thresholds()
        self._resolver = Resolver(registry, kinds_of(words), places=words.place_words, contrasts=words.contrasts)
        self._comprehension = Comprehension(grammar, registry, self._resolver.nearby)
        self._readings = Readings(self._comprehension, self._resolver, self.thresholds)
        self.roles = dict(spoken_roles(home.entities))

    def choice(self, said: Said) -> Choice | None:
        """What is taken as said."""
        trace = Trace()
        heard = self._readings.of(said, trace)
        return self._readings.chosen(next(heard), heard, _context(said.lang), trace)

    def verdict(self, text: str | None, transcript: Transcript) -> str:
        """One of VERDICTS; of `None` nothing can be right."""
        if not transcript.text:
            return "silent"
        others = tuple((item.text, item.confidence) for item in transcript.hypotheses[1:])
        taken = self.choice(Said(transcript.text, transcript.lang, heard=transcript.confidence, alternatives=others))
        sure = min(taken.heard, taken.program.confidence) if taken is not None else 0.0
        if taken is None or self.thresholds.is_noise(sure):
            return "silent"
        if self.thresholds.is_doubtful(sure):
            return "asked"
        meant = self.choice(Said(text, transcript.lang)) if text is not None else None
        here = _context(transcript.lang)
        same = meant is not None and self._readings.same(meant.program, taken.program, here)
        return "right" if same or transcript.text == text else "wrong"


def _context(lang: str | None) -> Context:
    return Context(lang=lang or "en", area="living_room")


@dataclass(frozen=True, slots=True)
class Case:
    """One clip; without a text nothing of it is for us."""

    source: str
    text: str | None
    samples: NDArray[np.float32]


def main() -> None:
    """Prints a table, and every wrong act."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("lang", choices=["en", "zh"])
    parser.add_argument("--model", type=Path, help="the folder of pocketsphinx-zh")
    parser.add_argument("--count", type=int, default=125, help="sentences for each place")
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--voices", choices=list(VOICES), default="others")
    args = parser.parse_args()
    tongue: Tongue = English() if args.lang == "en" else Mandarin(args.model or Path())
    mind = Mind()
    mind.roles["standing light"] = mind.roles["Hall light"]  # what one of the recordings speaks of
    engine = Sphinx(tongue, ROOT / "rules" / args.lang / "speech.peg")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    engine.prepare(list(mind.roles), mind.roles)
    counts: Counter[tuple[str, str]] = Counter()
    spent = heard_s = 0.0
    for case in cases(args, engine):
        clip = cut(case.samples)
        start = time.process_time()
        transcript = engine.transcribe(clip, args.lang) if clip is not None else Transcript((), args.lang, "")
        spent += time.process_time() - start
        heard_s += len(clip) / SAMPLE_RATE if clip is not None else 0.0
        verdict = mind.verdict(case.text, transcript)
        counts[case.source, verdict] += 1
        if verdict == "wrong":
            print(
                f'  {case.source}: "{case.text}" heard as "{transcript.text}" ({transcript.confidence:.2f})', flush=True
            )
    print(f"| {args.lang} | {' | '.join(VERDICTS)} |")
    for source in dict.fromkeys(source for source, _ in counts):
        print(f"| {source} | {' | '.join(str(counts[source, verdict]) for verdict in VERDICTS)} |")
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{spent / heard_s:.2f} s of processor time per second of clip, {memory:.0f} MB; {engine.size}")


def cases(args: argparse.Namespace, engine: Sphinx) -> Iterator[Case]:
    """Everything that is heard."""
    draw = random.Random(args.seed)
    others = (Path(__file__).parent / f"others.{args.lang}.txt").read_text(encoding="utf-8").splitlines()
    heard = list(recordings(args.lang))
    speaker = Speaker(args.lang, VOICES[args.voices], draw)
    sentences = dict.fromkeys(islice(engine.examples(draw), 20 * args.count * len(PLACES)))
    texts = iter(sentences)
    for place in PLACES:
        for case in heard:
            if case.text is not None:
                yield Case(f"recorded, {place.name}", case.text, placed(case.samples, place, speaker))
        for text in islice(texts, args.count):
            yield Case(f"spoken, {place.name}", text, placed(speaker.say(text), place, speaker))
    for case in heard:
        if case.text is None:
            yield Case("recorded, no command", None, placed(case.samples, PLACES[0], speaker))
    for text in filter(None, others):
        yield Case("spoken, no command", None, placed(speaker.say(text), PLACES[0], speaker))


def recordings(lang: str) -> Iterator[Case]:
    """Recordings of people, where there are any."""
    folder = os.environ.get("HEARKEN_TEST_SPEECH")
    if not folder:
        return
    for line in (Path(folder) / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        clip = json.loads(line)
        command = clip["kind"] == "smart_home_command" and clip["lang"] == lang
        yield Case("recorded", str(clip["text"]).lower() if command else None, load(Path(folder) / clip["file"]))


class Speaker:
    """Somebody else each time."""

    def __init__(self, lang: str, voices: tuple[str, ...], draw: random.Random) -> None:
        self._lang = lang
        self._voices = voices
        self.draw = draw
        talk = (Path(__file__).parent / f"others.{lang}.txt").read_text(encoding="utf-8").split("\n")
        self._talk = [line for line in talk if line]

    def say(self, text: str) -> NDArray[np.float32]:
        """A text, at 16 kHz."""
        speech = Espeak(self.draw.randint(*RATES), self.draw.choice(self._voices)).synthesize(text, self._lang)
        return resample(speech.samples, round(speech.rate * self.draw.uniform(*PITCHES)))

    def talk(self, size: int) -> NDArray[np.float32]:
        """Talk that is not for us, so many samples of it."""
        said = np.zeros(0, np.float32)
        while len(said) < size:
            said = np.concatenate([said, self.say(self.draw.choice(self._talk))])
        return said[:size]


def placed(voice: NDArray[np.float32], place: Place, speaker: Speaker) -> NDArray[np.float32]:
    """How it sounds there: a quiet second before, and two behind."""
    noise = np.random.default_rng(speaker.draw.getrandbits(32))
    loudness = float(np.sqrt(np.mean(np.square(voice))))
    room = np.zeros(len(voice) + 3 * SAMPLE_RATE)
    room[SAMPLE_RATE : SAMPLE_RATE + len(voice)] = voice
    if place.echo_s:
        # Polack's model of a room: noise that dies away, behind the sound that comes straight.
        size = round(place.echo_s * SAMPLE_RATE)
        tail = noise.standard_normal(size) * np.exp(-6.9 * np.arange(size) / size)
        tail[: SAMPLE_RATE // 200] = 0.0
        echo = np.convolve(room, tail / np.sqrt(np.sum(np.square(tail))))[: len(room)]
        room += 0.5 * echo
    room += 3e-4 * noise.standard_normal(len(room))
    if place.noise_db is not None:
        # Brown noise and white: fans, traffic, hiss.
        hum = np.convolve(noise.standard_normal(len(room) + 200), np.exp(-np.arange(200) / 20.0), "valid")[: len(room)]
        sound = hum / hum.std() + 0.3 * noise.standard_normal(len(room))
        room += sound * loudness * 10.0 ** (-place.noise_db / 20) / sound.std()
    if place.talk_db is not None:
        # He begins and ends somewhat earlier or later, else the clip would never end.
        talk = speaker.talk(len(voice))
        begin = SAMPLE_RATE + round(speaker.draw.uniform(-0.3, 0.3) * SAMPLE_RATE)
        scale = loudness * 10.0 ** (-place.talk_db / 20) / max(float(np.sqrt(np.mean(np.square(talk)))), 1e-6)
        room[begin : begin + len(talk)] += scale * talk
    return np.asarray(np.clip(room, -1.0, 1.0), np.float32)


def cut(samples: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """The first clip that the listener makes of it."""
    listener = Listener(SileroVad())
    events = chain((event for frame in frames(samples) for event in listener.feed(frame)), listener.finish())
    return next((event.samples for event in events if isinstance(event, Utterance)), None)


if __name__ == "__main__":
    main()
