"""Phrase banks and word tables -> pairs of an utterance and what the model is to say of it.

    python -m models.train.generate --out models/train/work --pairs 300000

Seeded: the same banks make the same pairs. Each line of `train.jsonl`, `heldout.jsonl` and `untouched.jsonl` is
`{"text", "lang", "out", "ids", "bank"}`: the normalized utterance, the text of the draft (daemon/compiler/draft.py),
the meanings in it, and the bank it came from. Banks under `heldout/` and `untouched/` are never learnt from, nor are
the names in them; by those of the latter nothing is chosen either. `sizes.json` tells of what they were made.
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
from daemon.compiler.filling import Filling
from daemon.compiler.meanings import AND, NOTHING, SLOTS, UNSURE, Meaning, Meanings
from daemon.core.errors import IRError
from daemon.core.ir import KINDS, Kind, Lang
from daemon.core.values import replace
from daemon.system.languages import LANGS
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized, normalize, plain_text
from models.train.noise import Noise
from models.train.phrases import SLOT, Bank, load_all, merged
from models.train.segments import remarks_of
from models.train.words import HERE, KINDS_FOR, SUITS, Words
from models.train.writing import write

SIZES: Final = "sizes.json"
"""What the pairs of each file were made of, for the cards."""
_SPOILT: Final = 0.3
_ORDER: Final = {slot: at for at, slot in enumerate(SLOTS)}
_COMMAND: Final = "\ue000"
"""Stands for the command while the slots of a frame are filled."""
_PLACES: Final = 0.06
"""So often a place is the target: "turn off the kitchen"."""
_OF_SEVERAL: Final = frozenset({"any_on", "any_open", "which_on", "which_open", "count_on"})
_ROOT: Final = HERE.parents[1]

_SAID: Final = re.compile(r"(?<=> )[^<>]+")
"""The words of slots in the text of a draft."""
_BESIDE: Final = 0.15
"""The share of pairs beside which something is told ..."""
_PAUSED: Final = 0.7
"""... with a pause between."""
# How often each sort of utterance is made.
_SHARES: Final = {"command": 46, "polite": 7, "framed": 10, "two": 5, "undone": 5, "nothing": 22, "unsure": 5}


@dataclass(frozen=True, slots=True)
class Pair:
    """An utterance, and what is to be said of it."""

    text: str
    lang: Lang
    out: str
    ids: tuple[str, ...]
    bank: str

    def line(self) -> str:
        """As one line of JSON."""
        data = {"text": self.text, "lang": self.lang, "out": self.out, "ids": self.ids, "bank": self.bank}
        return json.dumps(data, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _Made:
    """A phrase with its slots filled; `said` in the order in which the model says them."""

    text: str
    meaning: str
    said: tuple[Said, ...] = ()
    frames: tuple[Part, ...] = ()

    @property
    def part(self) -> Part:
        return Part(self.meaning, self.said, self.frames)


class Generator:
    """Makes pairs of the banks of one language."""

    def __init__(
        self,
        banks: Sequence[Bank],
        words: Words,
        meanings: Meanings,
        remarks: Mapping[str, Sequence[str]] | None = None,
        *,
        noise: float = _SPOILT,
    ) -> None:
        self._banks = banks
        self._words = words
        self._meanings = meanings
        self._filling = Filling(meanings, words.grammar)
        self._share = noise
        self._told = [line for name in ("remarks", "reasons") for line in (remarks or {}).get(name, ())]
        self._needs = {item.id for item in meanings.all.values() if item.group == "need"}
        every = (phrase for bank in banks for said in bank.phrases.values() for phrase in said)
        self._noise = Noise(words, every)
        commands = {item.id for item in meanings.commands}
        frames = {item.id for item in meanings.frames}
        self._phrases = {
            "command": self._of(commands),
            "polite": self._of({"polite"}),
            "framed": self._of(frames),
            "two": self._of({AND}),
            "undone": self._of({"doubt"}),
            "nothing": self._of({item.id for item in meanings.all.values() if item.group == NOTHING}),
            "unsure": self._of({item.id for item in meanings.all.values() if item.group == UNSURE}),
        }
        self._sorts = [sort for sort in _SHARES if self._phrases[sort]]

    def pairs(self, count: int, rng: random.Random) -> Iterator[Pair]:
        """So many different pairs, or as many as there are."""
        seen: set[str] = set()
        weights = [_SHARES[sort] for sort in self._sorts]
        tries = 0
        while len(seen) < count and tries < 20 * count:
            tries += 1
            made = self._pair(rng, rng.choices(self._sorts, weights)[0])
            if made is not None and made.text not in seen:
                seen.add(made.text)
                yield made

    def once(self, rng: random.Random) -> Iterator[Pair]:
        """Each phrase once, unspoilt: what held-out banks are scored by."""
        for sort, by_meaning in self._phrases.items():
            for meaning, phrases in by_meaning.items():
                for bank, phrase in phrases:
                    tries = (self._said(rng, sort, meaning, bank, phrase, noise=0.0) for _ in range(8))
                    if (made := next((item for item in tries if item is not None), None)) is not None:
                        yield made

    def _of(self, ids: set[str]) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for bank in self._banks:
            for meaning, phrases in bank.phrases.items():
                if meaning in ids:
                    found.setdefault(meaning, []).extend((bank.name, phrase) for phrase in phrases)
        return found

    def _pair(self, rng: random.Random, sort: str) -> Pair | None:
        meaning, (bank, phrase) = self._any(rng, sort)
        made = self._said(rng, sort, meaning, bank, phrase, noise=self._share)
        return self._beside(rng, made) if made is not None and self._told and rng.random() < _BESIDE else made

    def _beside(self, rng: random.Random, made: Pair) -> Pair:
        """The pair with a remark before or behind it, or both: it says what it said."""
        text = made.text
        for before in rng.choice(((True,), (True,), (False,), (True, False))):
            told = plain_text(rng.choice(self._told))
            gap = ", " if rng.random() < _PAUSED else "" if self._words.lang == "zh" else " "
            text = f"{told}{gap}{text}" if before else f"{text}{gap}{told}"
        rest = text.replace(made.text, " ", 1)
        unclear = any(words and words in rest for words in _SAID.findall(made.out))  # which of two fills the slot?
        same = normalize(text, self._words.lang).text == text and made.text in text
        return made if unclear or not same or self._needs.intersection(made.ids) else replace(made, text=text)

    def _any(self, rng: random.Random, sort: str) -> tuple[str, tuple[str, str]]:
        """A phrase of a sort: a meaning that is said in many ways comes more often, though not in proportion."""
        by_meaning = self._phrases[sort]
        ids = list(by_meaning)
        meaning = rng.choices(ids, [len(by_meaning[item]) ** 0.6 for item in ids])[0]
        return meaning, rng.choice(by_meaning[meaning])

    def _said(
        self, rng: random.Random, sort: str, meaning: str, bank: str, phrase: str, *, noise: float
    ) -> Pair | None:
        spoilt = self._noise.spoiled(rng, phrase, noise)
        if sort in (NOTHING, UNSURE):
            return self._verdict(rng, spoilt, bank, sort)
        if sort == "command":
            made = self._filled(rng, spoilt, meaning)
            return self._checked((made,), made.text, bank) if made is not None else None
        first = self._command(rng, noise)
        if first is None:
            return None
        match sort:
            case "undone":
                around = phrase if rng.random() < 0.5 else self._words.pick(rng, "reported")
                return self._verdict(rng, around.replace("{cmd}", first.text), bank, NOTHING)
            case "polite":
                return self._checked((first,), spoilt.replace("{cmd}", first.text), bank)
            case "two":
                return self._two(rng, first, spoilt, bank)
            case _:
                return self._framed(rng, first, spoilt, meaning, bank)

    def _two(self, rng: random.Random, first: _Made, phrase: str, bank: str) -> Pair | None:
        second = self._command(rng, 0.0)
        if second is None or "{cmd2}" not in phrase:
            return None
        text = phrase.replace("{cmd}", first.text).replace("{cmd2}", second.text)
        early = phrase.find("{cmd}") < phrase.find("{cmd2}")
        return self._checked((first, second) if early else (second, first), text, bank)

    def _framed(self, rng: random.Random, first: _Made, phrase: str, meaning: str, bank: str) -> Pair | None:
        frame = self._filled(rng, phrase.replace("{cmd}", _COMMAND), meaning)
        if frame is None:
            return None
        whole = _Made(frame.text, first.meaning, first.said, (frame.part,))
        return self._checked((whole,), frame.text.replace(_COMMAND, first.text), bank)

    def _command(self, rng: random.Random, noise: float) -> _Made | None:
        """A command that may stand in a frame: no question, no need."""
        for _ in range(20):
            meaning, (_, phrase) = self._any(rng, "command")
            if self._meanings.all[meaning].group in ("act", "it"):
                return self._filled(rng, self._noise.spoiled(rng, phrase, noise), meaning)
        return None

    def _filled(self, rng: random.Random, phrase: str, meaning: str) -> _Made | None:
        """A phrase with its slots filled; None where the grammar cannot read what fills one."""
        said: list[Said] = []
        parts: list[str] = []
        end = 0
        for match in SLOT.finditer(phrase):
            slot, given = match[1], match[2]
            parts.append(phrase[end : match.start()])
            end = match.end()
            words, kind = self._words_for(rng, self._meanings.all[meaning], slot, given)
            name = self._slot(slot, meaning)
            if any(item.slot == name for item in said):
                return None  # which of two is meant for the one slot, nobody can tell
            plain = plain_text(words)
            said.append(Said(name, plain, self._hint(plain, kind)))
            parts.append(words)
        parts.append(phrase[end:])
        allowed = self._meanings.all[meaning].slots
        if any(item.slot not in allowed for item in said):
            return None  # what the meaning has no place for would be lost
        said.sort(key=lambda item: _ORDER[item.slot])
        return _Made("".join(parts), meaning, tuple(said))

    def _slot(self, slot: str, meaning: str) -> str:
        """The slot of the meaning that a slot of a phrase is: {tv} is its target, and so is a name."""
        allowed = self._meanings.all[meaning].slots
        if slot in KINDS or (slot == "name" and slot not in allowed):
            return "target"
        return "room" if slot == "room2" else slot

    def _words_for(self, rng: random.Random, meaning: Meaning, slot: str, given: str | None) -> tuple[str, Kind | None]:
        words, id_ = self._words, meaning.id
        if given is not None:
            return given, slot if slot in KINDS else None  # type: ignore[return-value] # it is one of KINDS
        suits = KINDS_FOR[SUITS.get(id_, "any")]
        makers: dict[str, Callable[[], str]] = {
            "target": lambda: words.place(rng) if rng.random() < _PLACES else words.noun(rng, suits),
            "set": lambda: words.noun(rng, suits, several=1.0, named=0.0),
            "but": lambda: words.noun(rng, suits, several=0.1),
            "n": lambda: words.number(rng, id_),
            "color": lambda: words.color(rng),
            "time": lambda: words.moment(rng, "times"),
            "duration": lambda: words.moment(rng, "durations"),
        }
        tables = {
            "room": "rooms",
            "room2": "rooms",
            "mode": "speeds" if id_ == "speed_to" else "modes",
            "name": "people" if id_ == "who_home" else "scenes" if "name" in meaning.slots else "names",
            "word": "timer_words",
            "title": "titles",
            "source": "sources",
        }
        if slot in makers:
            return makers[slot](), None
        if slot in tables:
            return words.pick(rng, tables[slot]), None
        return words.noun(rng, (slot,), several=0.6 if id_ in _OF_SEVERAL else 0.2, named=0.0), None

    def _hint(self, words: str, kind: Kind | None) -> Kind | None:
        """The kind that the model is to add: where it is known, and the words do not say it to the grammar."""
        if kind is None:
            return None
        target = self._words.target(words)
        return kind if target is None or target.kind is None else None

    def _checked(self, made: Sequence[_Made], text: str, bank: str) -> Pair | None:
        """The pair, where a program can be made of it: what cannot be read back is not learnt."""
        said = normalize(text, self._words.lang)
        draft = Draft(tuple(item.part for item in made))
        pieces = [piece for part in draft.parts for piece in (part, *part.frames)]
        if any(item.words not in said.text or not item.words for piece in pieces for item in piece.said):
            return None
        try:
            self._filling.program(draft, Normalized(said.text, self._words.lang, said.text), NameTable(()))
        except IRError:
            return None
        ids = tuple(dict.fromkeys(piece.meaning for piece in pieces))
        return Pair(said.text, self._words.lang, write(draft, said.text), ids, bank)

    def _verdict(self, rng: random.Random, text: str, bank: str, verdict: str) -> Pair | None:
        meaning = self._meanings.all["near"]
        text = SLOT.sub(lambda match: self._words_for(rng, meaning, match[1], match[2])[0], text)
        said = normalize(text, self._words.lang).text
        word = NOTHING if verdict == NOTHING else UNSURE
        return Pair(said, self._words.lang, f"<{word}>", (word,), bank) if said else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the files; prints how many pairs are in each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the three files")
    parser.add_argument("--pairs", type=int, default=300_000, help="of both languages together (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--banks", type=Path, default=HERE, help="the folder with banks/, heldout/ and untouched/")
    args = parser.parse_args(arguments)
    grammar, meanings = Grammar.load(_ROOT / "rules"), Meanings.load(_ROOT / "rules")
    args.out.mkdir(parents=True, exist_ok=True)
    sizes = {}
    for name, folder in (("train", "banks"), ("heldout", "heldout"), ("untouched", "untouched")):
        held = name != "train"
        banks = load_all(args.banks / folder, meanings)
        banks = banks if held else merged(banks, meanings)
        with (args.out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            total = 0
            for lang in LANGS:
                mine = [bank for bank in banks if bank.lang == lang]
                if not mine:
                    continue
                generator = Generator(mine, Words.load(lang, grammar, held=held), meanings, remarks_of(lang, held=held))
                rng = random.Random(f"{args.seed} {lang}")
                for pair in generator.once(rng) if held else generator.pairs(args.pairs // 2, rng):
                    file.write(pair.line() + "\n")
                    total += 1
        sizes[name] = f"{sum(bank.size for bank in banks)} phrases in {len(banks)} banks"
        print(f"{name}: {total} pairs of {sizes[name]}")
    (args.out / SIZES).write_text(json.dumps(sizes, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
