"""What of a home an utterance may be about, before anybody knows which words of it are names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from daemon.home.names import has_han, tokens
from daemon.resolve.scoring import SIGNALS, name_signals, name_value

if TYPE_CHECKING:
    from daemon.home.registry import Registry
    from daemon.resolve.index import Index

_LATIN, _HAN = 3, 6
"""So many words, and so many Chinese characters, are looked up together at the most."""
_PER_HAN: Final = 3
"""A Chinese character tells as much as so many letters."""
_PLAUSIBLE: Final = 0.6
"""What fits less than this is not told at all."""


def nearby(registry: Registry, index: Index, text: str, most: int) -> tuple[str, ...]:
    """Of the entities that are like some part of a text, the names by which they are; each entity once, best first.

    Every run of words is looked up as a mention is: by exact and similar names, and by meaning. A long name that was
    said in whole tells more than a short one, which any text may have in it.
    """
    best: dict[str, tuple[float, str]] = {}
    for run in _runs(text):
        for entity, name, value in _found(registry, index, _joined(run), most):
            found = (value * min(_told(run), _told(tokens(name))), name)
            if found[0] >= _PLAUSIBLE and found > best.get(entity, (0.0, "")):
                best[entity] = found
    ranked = sorted(best.values(), key=lambda item: (-item[0], -len(item[1])))
    return tuple(dict.fromkeys(name for _, name in ranked))[:most]


def _found(registry: Registry, index: Index, mention: str, most: int) -> Iterator[tuple[str, str, float]]:
    """Entities with a name of theirs and how well it fits, 0 to 1."""
    for hit in index.exact(mention):
        yield hit.entity, hit.name, 1.0
    for hits in islice(index.similar(mention), most):
        value = name_value(name_signals(mention, hits[0].name, index.words))
        yield from ((hit.entity, hit.name, value) for hit in hits)
    for entity, fit in index.meant(mention):
        yield entity, registry[entity].names[0], SIGNALS["meaning"] * fit


def _told(words: tuple[str, ...]) -> float:
    """How much so many letters tell, 0 to 1: one of them half of all."""
    return 1 - 0.5 ** sum(_PER_HAN if has_han(word) else len(word) for word in words)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    """Every run of words that may be a name."""
    words = tokens(text)
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + _HAN) + 1):
            run = words[start:end]
            if len(run) <= _LATIN or all(map(has_han, run)):
                yield run


def _joined(run: tuple[str, ...]) -> str:
    return ("" if all(map(has_han, run)) else " ").join(run)
