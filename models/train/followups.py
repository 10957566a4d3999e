"""Banks of follow-ups -> pairs of an utterance behind what was before, and what it means.

    python -m models.train.followups --data models/train/work --pairs 300000

Seeded. `train.jsonl` and `heldout.jsonl` under DATA/followups are as those of `models.train.generate`, which it needs:
what says all of it by itself ("unsure" here) and what is not for us ("nothing") are taken from there. Writes the usual
words, too.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from daemon.compiler.draft import Draft, Part, Said
from daemon.compiler.followups import SORTS, STATES, FollowUp, FollowUps, Sort, State, Topic
from daemon.compiler.meanings import NOTHING, SLOTS, UNSURE
from daemon.compiler.tagger import ANYWHERE, Usual
from daemon.core.ir import Lang
from daemon.system.languages import LANGS
from daemon.understand.grammar import Grammar
from daemon.understand.normalize import normalize, plain_text
from models.train.generate import SIZES
from models.train.noise import Noise
from models.train.phrases import SLOT, Bank, load_all
from models.train.segments import remarks_of
from models.train.words import HERE, KINDS_FOR, Words
from models.train.writing import write

FOLDER: Final = "followups"
_ROOT: Final = HERE.parents[1]
_OF: Final = re.compile(r"\[([a-z, ]+)\]\s*")
_SPOILT: Final = 0.25
_BESIDE: Final = 0.15
"""The share of pairs beside which something is told."""
_OTHERS: Final = 0.7
"""So many of what says all of it itself, and of what is not for us, come upon each follow-up."""
_NUMBERS: Final[Mapping[Sort, str]] = {"climate": "temperature_to", "player": "volume_to", "fan": "speed_to"}
"""The meaning of `models.train.words` whose numbers suit a sort of thing; of the others, percent."""
_SPEEDS: Final = 0.4
"""So often a mode of what is no fan is a speed."""
_PARTS: Final = frozenset[Sort]({"light", "cover", "player", "fan"})
"""What may be set to a third, or by a half."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """What one speaker says for a meaning."""

    text: str
    meaning: str
    bank: str
    sorts: tuple[Sort, ...]
    states: tuple[State, ...]


class Composer:
    """Makes pairs of one language.

    Args:
        banks: What is said.
        words: What fills the slots.
        followups: What can be meant.
        remarks: What is told beside it.
        noise: The share of phrases that are spoilt.
    """

    def __init__(
        self, banks: Sequence[Bank], words: Words, followups: FollowUps, remarks: Sequence[str], noise: float
    ) -> None:
        self.phrases = [phrase for bank in banks for phrase in _phrases(bank, followups)]
        self._followups = followups
        self._words = words
        self._remarks = remarks
        self._noise = Noise(words, (phrase.text for phrase in self.phrases))
        self._share = noise

    def pair(self, rng: random.Random, phrase: Phrase, *, beside: float) -> dict[str, object] | None:
        """The line of one phrase; None where what fills it does not stay as it is."""
        topic = Topic(rng.choice(phrase.states), rng.choice(phrase.sorts))
        said: list[Said] = []
        spoilt = self._noise.spoiled(rng, phrase.text, self._share)

        def fill(match: re.Match[str]) -> str:
            words = plain_text(self._filling(rng, match[1], phrase.meaning, topic))
            said.append(Said(match[1], words))
            return words

        text = normalize(SLOT.sub(fill, spoilt), self._words.lang).text
        if rng.random() < beside:
            told, gap = plain_text(rng.choice(self._remarks)), ", " if rng.random() < 0.7 else self._gap
            text = normalize(rng.choice((f"{told}{gap}{text}", f"{text}{gap}{told}")), self._words.lang).text
        whole = topic.before(text)
        slots = [item.slot for item in said]
        if len(set(slots)) < len(slots) or any(whole.count(item.words) != 1 for item in said):
            return None
        if phrase.meaning not in self._followups.all:
            return _line(whole, self._words.lang, f"<{UNSURE}>", UNSURE, phrase.bank)
        said.sort(key=lambda item: SLOTS.index(item.slot))
        draft = Draft((Part(phrase.meaning, tuple(said)),))
        return _line(whole, self._words.lang, write(draft, whole), phrase.meaning, phrase.bank)

    @property
    def _gap(self) -> str:
        return "" if self._words.lang == "zh" else " "

    def _filling(self, rng: random.Random, slot: str, meaning: str, topic: Topic) -> str:
        words = self._words
        makers: dict[str, Callable[[], str]] = {
            "target": lambda: words.noun(rng, KINDS_FOR["any"]),
            "but": lambda: words.noun(rng, KINDS_FOR["any"], several=0.1),
            "n": lambda: self._amount(rng, meaning, topic.sort),
            "color": lambda: words.color(rng),
            "duration": lambda: words.moment(rng, "durations"),
            "time": lambda: words.pick(rng, "repeats") if meaning == "every" else words.moment(rng, "times"),
            "title": lambda: self._groceries(rng),
            "mode": lambda: words.pick(rng, "speeds" if topic.sort == "fan" or rng.random() < _SPEEDS else "modes"),
            "room": lambda: words.pick(rng, "rooms"),
            "word": lambda: words.pick(rng, "timer_words"),
        }
        return makers[slot]()

    def _amount(self, rng: random.Random, meaning: str, sort: Sort) -> str:
        words = self._words
        if sort in _PARTS and not meaning.startswith("tell") and rng.random() < 0.35:
            return words.pick(rng, "parts")
        by = meaning in ("up_by", "down_by") and sort == "climate"
        number = words.pick(rng, "minutes") if by else words.number(rng, _NUMBERS.get(sort, "brightness_to"))
        unit = "degrees" if sort == "climate" or (sort == "sensor" and rng.random() < 0.5) else "percents"
        return words.pick(rng, unit).replace("{n}", number) if rng.random() < 0.6 else number

    def _groceries(self, rng: random.Random) -> str:
        items = [self._words.pick(rng, "groceries") for _ in range(rng.choice((1, 1, 1, 2, 3)))]
        joint = self._words.pick(rng, "joints")
        return joint.join((self._words.pick(rng, "commas").join(items[:-1]), items[-1])) if len(items) > 1 else items[0]


def _phrases(bank: Bank, followups: FollowUps) -> Iterator[Phrase]:
    for meaning, said in bank.phrases.items():
        known = followups.all.get(meaning, FollowUp({}, frozenset(STATES), frozenset(SORTS)))
        states = tuple(state for state in STATES if state in known.after)
        for text in said:
            match = _OF.match(text)
            told = set(re.split("[, ]+", match[1])) if match is not None else known.of
            sorts = tuple(sort for sort in SORTS if sort in told)
            yield Phrase(text[match.end() :] if match is not None else text, meaning, bank.name, sorts, states)


def _line(text: str, lang: Lang, out: str, meaning: str, bank: str) -> dict[str, object]:
    return {"text": text, "lang": lang, "out": out, "ids": [meaning], "bank": bank}


def others(file: Path, lang: Lang, rng: random.Random, each: int) -> Iterator[dict[str, object]]:
    """So many lines of a file of pairs, behind anything: what names what it is about, and what is not for us."""
    found: dict[str, list[str]] = {NOTHING: [], UNSURE: []}
    for text in file.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line["lang"] == lang and (line["out"] == f"<{NOTHING}>" or "<target>" in line["out"]):
            found[NOTHING if line["out"] == f"<{NOTHING}>" else UNSURE].append(line["text"])
    for verdict, texts in found.items():
        for text in rng.sample(texts, min(each, len(texts))):
            topic = Topic(rng.choice(STATES), rng.choice(SORTS))
            yield _line(topic.before(text), lang, f"<{verdict}>", verdict, verdict)


def usual(banks: Sequence[Bank], followups: FollowUps) -> Usual:
    """The words that stand beside the slots, and those of the topics."""
    said = [(ANYWHERE, " ".join((*STATES, *SORTS)))]
    for bank in banks:
        for phrase in _phrases(bank, followups):
            parts = SLOT.split(phrase.text)[:: SLOT.groups + 1]
            said.append((phrase.meaning, " | ".join(normalize(part, bank.lang).text for part in parts)))
    for lang in LANGS:
        tables = Words.load(lang, Grammar.load(_ROOT / "rules"), held=False).tables
        said += [(ANYWHERE, word) for table in ("fillers", "ends") for word in tables[table]]
    return Usual.of(said)


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the files; prints how many pairs are in each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="where the pairs of `models.train.generate` are")
    parser.add_argument("--out", type=Path, default=_ROOT / "models" / FOLDER, help="the folder of the model")
    parser.add_argument("--pairs", type=int, default=300_000, help="of both languages together (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    grammar, followups = Grammar.load(_ROOT / "rules"), FollowUps.load(_ROOT / "rules")
    (args.data / FOLDER).mkdir(parents=True, exist_ok=True)
    args.out.mkdir(parents=True, exist_ok=True)
    sizes = {}
    for name, folder in (("train", HERE / FOLDER), ("heldout", HERE / FOLDER / "heldout")):
        held, lines = name == "heldout", []
        banks = load_all(folder, followups.meanings)
        for lang in LANGS:
            mine, rng = [bank for bank in banks if bank.lang == lang], random.Random(f"{args.seed} {lang} {name}")
            words, remarks = Words.load(lang, grammar, held=held), remarks_of(lang, held=held)
            composer = Composer(mine, words, followups, remarks["remarks"], 0.0 if held else _SPOILT)
            count = len(composer.phrases) if held else int(args.pairs / 2 / (1 + _OTHERS))
            made = [] if held else rng.choices(composer.phrases, k=count)
            pairs = (composer.pair(rng, phrase, beside=0.0 if held else _BESIDE) for phrase in made or composer.phrases)
            lines += [pair for pair in pairs if pair is not None]
            lines += others(args.data / f"{name}.jsonl", lang, rng, int(count * _OTHERS / 2))
        with (args.data / FOLDER / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        sizes[name] = f"{sum(bank.size for bank in banks)} phrases in {len(banks)} banks"
        print(f"{name}: {len(lines)} pairs of {sizes[name]}")
    (args.data / FOLDER / SIZES).write_text(json.dumps(sizes, indent=1) + "\n", encoding="utf-8")
    usual(load_all(HERE / FOLDER, followups.meanings), followups).save(args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
