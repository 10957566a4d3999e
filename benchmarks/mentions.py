"""How often what is meant is among the first five proposals, for names that nobody gave.

    python benchmarks/mentions.py [--encoder NAME] [--json]

The table beside this script has things of a home and what people say who do not use their names. Four ways to rank are
compared on the same mentions: the letters alone (rapidfuzz), Hearken's look-ups by letters, sound and letter groups,
the encoder alone, and both together. A home has names in one language; the mentions are in the same one, or in the
other.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import yaml
from rapidfuzz import fuzz, process

from daemon.core.entities import Entity
from daemon.home.capabilities import STANDARD
from daemon.home.registry import Registry
from daemon.resolve.index import Index
from daemon.resolve.meaning.index import AS_OFTEN, Meanings
from daemon.resolve.meaning.vectors import Shelf, Vectors
from daemon.resolve.named import kinds_of
from daemon.resolve.resolver import Resolver
from daemon.resolve.scoring import SIGNALS, name_signals, name_value
from daemon.system.config import Paths
from daemon.understand.grammar import Grammar

TABLE = Path(__file__).with_suffix(".yaml")
FIRST = 5
Ranking = Callable[[str], Mapping[str, float]]


class House:
    """The things of the table, named in one language."""

    def __init__(self, things: list[dict[str, object]], lang: str, grammar: Grammar, vectors: Vectors) -> None:
        on = (STANDARD["on_off"],)
        items = [
            Entity(str(item["id"]), "device", (str(item[lang]),), type=str(item["type"]), capabilities=on)
            for item in things
        ]
        self.registry = Registry(items)
        words = kinds_of(grammar.lexicon)
        Resolver(self.registry, words)  # tells the registry what words say a kind
        self._index = Index(self.registry, words)
        self.meant = Meanings(vectors, patience_s=60).of(self.registry)

    def letters(self, mention: str) -> dict[str, float]:
        """By letters alone."""
        names = {item.id: item.names[0].lower() for item in self.registry}
        found = process.extract(mention.lower(), names, scorer=fuzz.WRatio, limit=FIRST)
        return {str(entity): score for _, score, entity in found}

    def alike(self, mention: str) -> dict[str, float]:
        """As Hearken looks without the encoder."""
        best: dict[str, float] = {}
        for hits in self._index.similar(mention):
            value = name_value(name_signals(mention, hits[0].name, self._index.words))
            for hit in hits:
                best[hit.entity] = max(best.get(hit.entity, 0.0), value)
        return best

    def meaning(self, mention: str) -> dict[str, float]:
        """By the encoder alone."""
        return {entity: SIGNALS["meaning"] * fit for entity, fit in self.meant.propose(mention)}

    def both(self, mention: str) -> dict[str, float]:
        """As Hearken looks with it: whatever speaks louder."""
        best = self.alike(mention)
        for entity, value in self.meaning(mention).items():
            best[entity] = max(best.get(entity, 0.0), value)
        return best


def measured(house: House, mentions: list[tuple[str, str]]) -> Iterator[tuple[str, float]]:
    """Each way to rank with its recall among the first five."""
    ways: dict[str, Ranking] = {
        "letters": house.letters, "alike": house.alike, "encoder": house.meaning, "both": house.both,
    }  # fmt: skip
    for name, way in ways.items():
        hits = 0
        for entity, mention in mentions:
            ranked = sorted(way(mention).items(), key=lambda item: -item[1])[:FIRST]
            hits += entity in dict(ranked)
        yield name, round(hits / len(mentions), 3)


def proposed(house: House, mentions: list[tuple[str, str]]) -> dict[str, float]:
    """Of all mentions, how many lead to a question about the right thing, and how many about a wrong one."""
    right = wrong = 0
    for entity, mention in mentions:
        found = [item for item in house.meant.propose(mention) if item[1] >= AS_OFTEN]
        right += bool(found) and found[0][0] == entity
        wrong += bool(found) and found[0][0] != entity
    return {"asked_right": round(right / len(mentions), 3), "asked_wrong": round(wrong / len(mentions), 3)}


def rows(models: Path, encoder: str | None = None) -> Iterator[Mapping[str, object]]:
    """A row for each language of the names and of the mentions.

    Args:
        models: The folder of the models.
        encoder: A larger one of its manifest, in the stead of ours.
    """
    grammar, vectors = Grammar.load(Paths.of().rules), Vectors(Shelf(models, encoder))
    if vectors.reader is None:
        print("no encoder is installed: only what works without it is measured", file=sys.stderr)
    things = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    for named in ("en", "zh"):
        house = House(things, named, grammar, vectors)
        for said in ("en", "zh"):
            mentions = [(str(item["id"]), mention) for item in things for mention in item["mentions"][said]]
            began = time.perf_counter()
            row = {"names": named, "said": said, "mentions": len(mentions), **dict(measured(house, mentions))}
            row |= proposed(house, mentions)
            yield row | {"ms": round(1000 * (time.perf_counter() - began) / (5 * len(mentions)), 2)}


def main() -> int:
    """Prints a line per home and language of the mentions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--encoder", metavar="NAME", help="a larger one of models/manifest.yaml, in the stead of ours")
    args = parser.parse_args()
    for row in rows(Paths.of().models, args.encoder):
        print(json.dumps(row) if args.json else "  ".join(f"{key} {value}" for key, value in row.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
