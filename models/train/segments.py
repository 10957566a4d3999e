"""Pairs of `models.train.generate`, and remarks -> long utterances, with where each clause begins and what it is.

    python -m models.train.segments --data models/train/work --lines 110000

Seeded. Each line of `segments.jsonl` and `segments_heldout.jsonl` is `{"text", "lang", "clauses": [[start, sort]]}`: a
normalized utterance, and its clauses in order; each goes on to the next. Of two remarks side by side there is one.
What is held out is made of held-out banks, and of every fifth line of each list in `remarks/<lang>/*.yaml`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from daemon.compiler.meanings import NOTHING, UNSURE, Meanings
from daemon.compiler.segmenter import CORRECTS, GOES_ON, ORDER, QUESTION, TALK, WAITS
from daemon.core.ir import Lang
from daemon.system.languages import LANGS
from daemon.system.nodes import read_yaml
from daemon.understand.grammar import Grammar
from daemon.understand.lexicon import WordClass
from daemon.understand.normalize import plain_text
from models.train.words import HERE, KINDS_FOR, Words

FILES: Final = {False: "segments.jsonl", True: "segments_heldout.jsonl"}
_REMARKS: Final = ("remarks", "stories", "reasons", "greetings", "closings", "asides", "reported", "harmless")
_WAITING: Final = ("fronts", "backs", "now")
"""What is said in front of an order that is to wait, or behind it; and what is no such thing."""
_AT_ITS_TIME: Final = 0.35
"""How many orders that are to wait are to do so until a time (`whens`)."""
_LONG, _SHORT, _REPORTED = 0.3, 0.5, 0.65
"""How much of all talk is `stories`, `remarks` and `reported`, each with those before; the rest is from the pairs."""
_CORRECTING: Final = ("corrects", "instead", "tags")
"""What takes an order back, what is meant instead, and what may stand behind that."""
_WRITTEN: Final[Mapping[str, str]] = {"orders": ORDER, "questions": QUESTION}
"""Clauses as they stand in the middle of talk, by their lists beside the remarks ..."""
_SHARE: Final = 0.4
"""... and how many of all clauses of their sorts are such."""
_CORRECTED, _IN_PART, _TAGGED, _STUTTERS = 0.13, 0.65, 0.2, 0.05
"""How many orders are taken back, of these how many in part, and after how many that is said once more; and how many
orders are said with some words twice."""
_HELD: Final = 5
"""Every fifth line is held out, but of joints."""
_SORT_OF: Final = {"query": QUESTION, "need": TALK, NOTHING: TALK, UNSURE: None}
"""Of the groups of meanings; the others are orders. Beside an order, a need is why it is given."""

_ROOT: Final = HERE.parents[1]


@dataclass(frozen=True, slots=True)
class Said:
    """One clause."""

    text: str
    sort: str
    """One of `SORTS`, or `GOES_ON`."""


class Composer:
    """Makes utterances of one language.

    Args:
        lang: Which.
        clauses: What is said, by sort.
        remarks: What is said around it, by where (`_REMARKS`, `_WAITING`, `_CORRECTING`); `whens`, `joints`, `so`,
            `leaning` and `talk_joints`; and more clauses (`_WRITTEN`).
        words: What fills the slots of what leans.
    """

    def __init__(
        self,
        lang: Lang,
        clauses: Mapping[str, Sequence[str]],
        remarks: Mapping[str, Sequence[str]],
        words: Words,
    ) -> None:
        self._lang = lang
        self._clauses = clauses
        self._written = {sort: remarks[name] for name, sort in _WRITTEN.items()}
        self._remarks = remarks
        self._words = words

    def made(self, rng: random.Random) -> tuple[str, list[tuple[int, str]]] | None:
        """An utterance and its clauses; None where normalizing it changes more than its commas."""
        said = list(self._talk(rng, rng.randint(1, 3)) if rng.random() < 0.1 else self._request(rng))
        heard = rng.random()
        commas = 0.0 if heard < 0.45 else 0.5 if heard < 0.6 else 1.0
        text, clauses = "", list[tuple[int, str]]()
        for item in said:
            words = plain_text(item.text)
            if not words:
                continue
            if text:
                text += ", " if rng.random() < commas and not (item.sort == GOES_ON and rng.random() < 0.5) else " "
                if self._lang == "zh":
                    text = text.removesuffix(" ")
            if not clauses or {clauses[-1][1], item.sort} != {TALK}:
                clauses.append((len(text), item.sort))
            text += words
        return (text, clauses) if text and plain_text(text) == text else None

    def _request(self, rng: random.Random) -> Iterator[Said]:
        """One to five orders and questions, with what people say around them."""
        if rng.random() < 0.4:
            yield self._said(rng, "greetings")
        if rng.random() < 0.4:
            yield from self._talk(rng, rng.choice((1, 1, 2)))
        count = rng.choices((1, 2, 3, 4, 5), (30, 30, 22, 11, 7))[0]
        for at in range(count):
            sort = QUESTION if rng.random() < 0.2 else ORDER
            joint = self._joint(rng, at)
            clauses = self._written if rng.random() < _SHARE else self._clauses
            yield from self._waiting(
                rng, Said(joint + self._stuttered(rng, self._filled(rng, rng.choice(clauses[sort]))), sort)
            )
            yield from self._corrected(rng, sort)
            while sort == ORDER and rng.random() < 0.22:
                yield self._leaning(rng)
            if rng.random() < (0.35 if at == count - 1 else 0.18):
                yield self._said(rng, "reasons")
            if rng.random() < 0.1:
                yield from self._talk(rng, 1)
            if rng.random() < 0.05:
                yield self._said(rng, "asides")
        if rng.random() < 0.25:
            yield self._said(rng, "closings")

    def _waiting(self, rng: random.Random, clause: Said) -> Iterator[Said]:
        """A clause with what it waits for, now and then; and with what sounds like that, and is none."""
        where = rng.random() if clause.sort == ORDER else 1.0
        if where < 0.16:
            yield self._waits(rng, "fronts")
        elif where < 0.24:
            yield self._said(rng, "harmless")
        elif where < 0.28:
            yield Said(rng.choice(self._remarks["now"]), GOES_ON)
        yield clause
        if 0.28 <= where < 0.42:
            yield self._waits(rng, "backs")
        elif 0.42 <= where < 0.46:
            yield Said(rng.choice(self._remarks["now"]), GOES_ON)
        elif 0.46 <= where < 0.5:
            yield self._said(rng, "harmless")

    def _waits(self, rng: random.Random, where: str) -> Said:
        return Said(self._phrase(rng, "whens" if rng.random() < _AT_ITS_TIME else where), WAITS)

    def _corrected(self, rng: random.Random, sort: str) -> Iterator[Said]:
        """Now and then what takes the order before it back, and what is meant instead: a part of an order, or all."""
        while sort == ORDER and rng.random() < _CORRECTED:
            yield Said(self._phrase(rng, "corrects"), CORRECTS)
            if rng.random() < _IN_PART:
                yield Said(self._phrase(rng, "instead"), GOES_ON)
            else:
                clauses = rng.choice((self._written, self._clauses))
                yield Said(self._filled(rng, rng.choice(clauses[ORDER])), ORDER)
            if rng.random() < _TAGGED:
                yield self._said(rng, "tags")

    def _stuttered(self, rng: random.Random, said: str) -> str:
        """Now and then some words twice, as of one who looks for the next: "set the set the lamp", 把那个把那个灯."""
        if rng.random() >= _STUTTERS:
            return said
        words = list(said) if self._lang == "zh" else said.split()
        at = rng.randrange(len(words))
        again = words[at : at + rng.randint(1, 3)]
        return ("" if self._lang == "zh" else " ").join([*words[:at], *again, *words[at:]])

    def _joint(self, rng: random.Random, at: int) -> str:
        """What an order begins with, behind others or behind talk; most begin with nothing."""
        if rng.random() < (0.6 if at else 0.25):
            joint = rng.choice(self._remarks["joints" if at else "so"])
            return joint + ("" if self._lang == "zh" else " ")
        return ""

    def _leaning(self, rng: random.Random) -> Said:
        """What goes on with the order before it: another thing, a correction, an exception."""
        return Said(self._phrase(rng, "leaning"), GOES_ON)

    def _phrase(self, rng: random.Random, where: str) -> str:
        return self._filled(rng, rng.choice(self._remarks[where]))

    def _filled(self, rng: random.Random, phrase: str) -> str:
        while "{" in phrase:
            slot = phrase[phrase.index("{") + 1 : phrase.index("}")]
            phrase = phrase.replace(f"{{{slot}}}", self._slot(rng, slot), 1)
        return phrase

    def _slot(self, rng: random.Random, slot: str) -> str:
        words = self._words
        match slot:
            case "n":
                return words.number(rng, "brightness_to")
            case "room":
                return words.pick(rng, "rooms")
            case "color":
                return words.color(rng)
            case "duration":
                return words.moment(rng, "durations")
            case "time":
                return words.moment(rng, "times")
            case _:
                return words.noun(rng, KINDS_FOR["any"])

    def _talk(self, rng: random.Random, count: int) -> Iterator[Said]:
        for _ in range(count):
            at = rng.random()
            lists = (("stories", _LONG), ("remarks", _SHORT), ("reported", _REPORTED))
            where = next((name for name, until in lists if at < until), None)
            told = self._phrase(rng, where) if where is not None else rng.choice(self._clauses[TALK])
            joint = rng.choice(self._remarks["talk_joints"]) if rng.random() < 0.15 else ""
            gap = "" if self._lang == "zh" or not joint else " "
            yield Said(f"{joint}{gap}{told}", TALK)

    def _said(self, rng: random.Random, where: str) -> Said:
        return Said(self._phrase(rng, where), TALK)


def remarks_of(lang: str, *, held: bool) -> dict[str, list[str]]:
    """What people say around orders, for what is learnt from or for what is held out; all joints are in both."""
    found: dict[str, list[str]] = {}
    for file in sorted((HERE / "remarks" / lang).glob("*.yaml")):
        for name, items in read_yaml(file).mapping().items():
            listed = [item.text() for item in items.sequence()]
            split = name in (*_REMARKS, *_WAITING, *_CORRECTING, *_WRITTEN)
            found.setdefault(name, []).extend(
                text for at, text in enumerate(listed) if not split or (at % _HELD == 0) is held
            )
    return found


def clauses_of(file: Path, lang: str, meanings: Meanings) -> dict[str, list[str]]:
    """The pairs of a file by what they are; what is of two commands, or half of one, is left out."""
    found: dict[str, list[str]] = {TALK: [], ORDER: [], QUESTION: []}
    for line in file.read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        if pair["lang"] != lang:
            continue
        ids = pair["ids"]
        groups = [item if item in (NOTHING, UNSURE) else meanings.all[item].group for item in ids]
        if "frames" in groups or len(groups) > 1 or "<two>" in pair["out"]:
            continue  # what an order waits for is a clause here, and where it stands in these nobody has told
        sort = next((_SORT_OF[group] for group in groups if group in _SORT_OF), ORDER)
        if sort is not None:
            found[sort].append(pair["text"])
    return found


def _waits(text: str, grammar: Grammar) -> bool:
    """Whether an order as it was written says when, or on what condition: where that stands in it nobody has told."""
    said = plain_text(text)
    words = WordClass(dict.fromkeys(grammar.lexicon.words("DEPENDS", "DEPENDS_FIRST", "LIMITS"), ""))
    return words.replaced(said) != said or bool(grammar.times(said))


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the files; prints how many lines are in each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder with what `models.train.generate` made")
    parser.add_argument("--lines", type=int, default=110_000, help="of both languages together (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    grammar, meanings = Grammar.load(_ROOT / "rules"), Meanings.load(_ROOT / "rules")
    for held, name in FILES.items():
        source = args.data / ("heldout.jsonl" if held else "train.jsonl")
        count = args.lines // len(LANGS) // (20 if held else 1)
        with (args.data / name).open("w", encoding="utf-8") as file:
            for lang in LANGS:
                words = Words.load(lang, grammar, held=held)
                clauses = clauses_of(source, lang, meanings)
                remarks = remarks_of(lang, held=held)
                for some in ("orders", "leaning", "instead"):
                    remarks[some] = [text for text in remarks[some] if not _waits(text, grammar)]
                composer = Composer(lang, clauses, remarks, words)
                rng = random.Random(f"{args.seed} {lang} {held}")
                done = 0
                while done < count:
                    if (made := composer.made(rng)) is not None:
                        line = {"text": made[0], "lang": lang, "clauses": made[1]}
                        file.write(json.dumps(line, ensure_ascii=False) + "\n")
                        done += 1
        print(f"{name}: {count * len(LANGS)} utterances")
    return 0


if __name__ == "__main__":
    sys.exit(main())
