"""What the encoder learns from: words that mean the same thing."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from daemon.core.ir import KINDS
from daemon.understand.grammar import Grammar
from models.train.encoder_words import things
from models.train.phrases import SLOT, Bank

_AROUND: Final = {
    "en": ("the {}", "my {}", "our {}", "that {}", "the old {}", "the {} thing", "that {} over there", "the little {}"),
    "zh": ("那个{}", "我的{}", "家里的{}", "那台{}", "咱家{}", "小{}", "{}那玩意儿"),
}
_BARE: Final = 0.55
_HAN: Final = re.compile("[\u4e00-\u9fff]")
# What helps with a need, in the words of things.yaml.
_HELPS: Final = {
    "need_light": ("lamp", "ceiling light"),
    "need_warmth": ("heater", "central heating", "air conditioner"),
    "need_cool": ("air conditioner", "fan"),
    "need_air": ("fan", "window", "air purifier", "fresh air system"),
    "need_quiet": ("television", "speaker"),
    "need_louder": ("television",),
    "need_clean": ("vacuum", "mop"),
    "need_moist": ("humidifier",),
    "need_dry": ("dehumidifier",),
    "need_shade": ("curtain", "blind", "awning"),
    "need_sun": ("curtain", "blind"),
}


class Senses:
    """Groups of words that mean the same thing, from the table of things, the lexicon, the banks and WordNet.

    Args:
        banks: Of those that are learnt from; "{tv=goggle box}" says what people call it.
        grammar: Its lexicon has words for kinds.
        wordnet: The folder with `data.noun`, or None.
    """

    def __init__(self, banks: Sequence[Bank], grammar: Grammar, wordnet: Path | None) -> None:
        self.things = things()
        self.held = [(word, at) for at, thing in enumerate(self.things) for word in thing.held]
        kept = {word for word, _ in self.held}
        self.groups = [[word for word in thing.all if word not in kept] for thing in self.things]
        self.purposes = [[word for word in thing.purposes if word not in kept] for thing in self.things]
        self._known = {word: at for at, thing in enumerate(self.things) for word in thing.all}
        self._of_kinds(banks, grammar, kept)
        self.needs = self._of_needs(banks)
        self.synonyms = _artifacts(wordnet) if wordnet is not None else []

    def pairs(self, rng: random.Random, count: int) -> list[tuple[str, str]]:
        """So many pairs; what is in one pair is meant by nothing in another."""
        if self.synonyms and rng.random() < 0.3:
            chosen = rng.sample(self.synonyms, count)
            return [(_around(rng, first), second) for first, second in (rng.sample(item, 2) for item in chosen)]
        found = []
        for at in rng.sample(range(len(self.groups)), min(count, len(self.groups))):
            one = rng.choice(self.groups[at])
            draw = rng.random()
            if draw < 0.2 and self.purposes[at]:
                other = rng.choice(self.purposes[at])
            elif draw < 0.3 and self.needs[at]:
                other = rng.choice(self.needs[at])
            else:
                other = _around(rng, rng.choice(self.groups[at]))
            found.append((other, one))
        return found

    def _of_kinds(self, banks: Sequence[Bank], grammar: Grammar, kept: set[str]) -> None:
        said: defaultdict[str, set[str]] = defaultdict(set)
        for word, sort in grammar.lexicon.kind_words.items():
            if word not in grammar.lexicon.particular_kinds:
                said[sort].add(word)
        for bank in banks:
            for phrases in bank.phrases.values():
                for phrase in phrases:
                    for slot in SLOT.finditer(phrase):
                        if slot[2] and slot[1] in KINDS:
                            said[slot[1]].add(slot[2].lower())
        for kind, words in said.items():
            at = self._known.get(kind.replace("_", " "))
            if at is not None:
                self.groups[at] += [word for word in words if self._known.get(word, at) == at and word not in kept]

    def _of_needs(self, banks: Sequence[Bank]) -> list[list[str]]:
        found: list[list[str]] = [[] for _ in self.things]
        for bank in banks:
            for need, helps in _HELPS.items():
                plain = [phrase for phrase in bank.phrases.get(need, ()) if "{" not in phrase]
                for word in helps:
                    found[self._known[word]] += plain
        return found


def _around(rng: random.Random, word: str) -> str:
    lang = "zh" if _HAN.search(word) else "en"
    return word if rng.random() < _BARE else rng.choice(_AROUND[lang]).format(word)


def _artifacts(wordnet: Path) -> list[list[str]]:
    """What WordNet calls one artifact: its words, and what is said of it."""
    found = []
    for line in (wordnet / "data.noun").read_text(encoding="utf-8").splitlines():
        head, _, gloss = line.partition(" | ")
        parts = head.split(" ")
        if len(parts) < 4 or parts[1] != "06":
            continue
        words = [parts[4 + 2 * at].replace("_", " ").lower() for at in range(int(parts[3], 16))]
        told = gloss.split(";")[0].split('"')[0].strip()[:90]
        if told:
            found.append([*words, told])
    return found
