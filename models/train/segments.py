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
from daemon.compiler.segmenter import GOES_ON, ORDER, QUESTION, TALK, WAITS
from daemon.core.ir import Lang
from daemon.system.languages import LANGS
from daemon.system.nodes import read_yaml
from daemon.understand.grammar import Grammar
from daemon.understand.lexicon import WordClass
from daemon.understand.normalize import plain_text
from models.train.words import HERE, KINDS_FOR, Words

FILES: Final = {False: "segments.jsonl", True: "segments_heldout.jsonl"}
_REMARKS: Final = ("remarks", "reasons", "greetings", "closings", "asides", "reported", "harmless")
_WAITING: Final = ("fronts", "backs", "now")
"""What is said in front of an order that is to wait, or behind it; and what is no such thing."""
_WRITTEN: Final[Mapping[str, str]] = {"orders": ORDER, "questions": QUESTION}
"""Clauses as they stand in the middle of talk, by their lists beside the remarks ..."""
_SHARE: Final = 0.4
"""... and how many of all clauses of their sorts are such."""
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
        remarks: What is said around it, by where (`_REMARKS`, `_WAITING`); `joints`, `so`, `leaning` and `talk_joints`;
            and more clauses (`_WRITTEN`).
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
            yield from self._waiting(rng, Said(joint + rng.choice(clauses[sort]), sort))
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
            yield Said(rng.choice(self._remarks["fronts"]), WAITS)
        elif where < 0.24:
            yield self._said(rng, "harmless")
        elif where < 0.28:
            yield Said(rng.choice(self._remarks["now"]), GOES_ON)
        yield clause
        if 0.28 <= where < 0.42:
            yield Said(rng.choice(self._remarks["backs"]), WAITS)
        elif 0.42 <= where < 0.46:
            yield Said(rng.choice(self._remarks["now"]), GOES_ON)
        elif 0.46 <= where < 0.5:
            yield self._said(rng, "harmless")

    def _joint(self, rng: random.Random, at: int) -> str:
        """What an order begins with, behind others or behind talk; most begin with nothing."""
        if rng.random() < (0.6 if at else 0.25):
            joint = rng.choice(self._remarks["joints" if at else "so"])
            return joint + ("" if self._lang == "zh" else " ")
        return ""

    def _leaning(self, rng: random.Random) -> Said:
        """What goes on with the order before it: another thing, a correction, an exception."""
        phrase = rng.choice(self._remarks["leaning"])
        while "{" in phrase:
            slot = phrase[phrase.index("{") + 1 : phrase.index("}")]
            phrase = phrase.replace(f"{{{slot}}}", self._filled(rng, slot), 1)
        return Said(phrase, GOES_ON)

    def _filled(self, rng: random.Random, slot: str) -> str:
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
            case _:
                return words.noun(rng, KINDS_FOR["any"])

    def _talk(self, rng: random.Random, count: int) -> Iterator[Said]:
        for _ in range(count):
            sort = rng.random()
            told = self._remarks["reported" if sort < 0.25 else "remarks"] if sort < 0.6 else self._clauses[TALK]
            joint = rng.choice(self._remarks["talk_joints"]) if rng.random() < 0.15 else ""
            gap = "" if self._lang == "zh" or not joint else " "
            yield Said(f"{joint}{gap}{rng.choice(told)}", TALK)

    def _said(self, rng: random.Random, where: str) -> Said:
        return Said(rng.choice(self._remarks[where]), TALK)


def remarks_of(lang: str, *, held: bool) -> dict[str, list[str]]:
    """What people say around orders, for what is learnt from or for what is held out; all joints are in both."""
    found: dict[str, list[str]] = {}
    for file in sorted((HERE / "remarks" / lang).glob("*.yaml")):
        for name, items in read_yaml(file).mapping().items():
            listed = [item.text() for item in items.sequence()]
            split = name in _REMARKS or name in _WAITING or name in _WRITTEN
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
                for some in ("orders", "leaning"):
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
