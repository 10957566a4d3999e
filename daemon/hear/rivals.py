"""Which other sentences sound like the one that was heard: those with a few other words, the likeliest first.

`rules/<lang>/alike.yaml` has the words that are always tried, as they do the opposite or another amount, and those that
change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from daemon.hear.acceptor import Acceptor, Words
from daemon.hear.network import Tokenizer
from daemon.system.nodes import Value, read_yaml

MOST = 8
"""So many are scored against what was heard, each by itself: that costs a fiftieth of the clip's time on one core."""
MOST_NEAR = 100
"""So many are searched together for the best of them."""


class Alike(Struct, frozen=True):
    """Heard words that are confused with each other, and heard words that change nothing."""

    groups: tuple[tuple[Words, ...], ...] = ()
    nothing: frozenset[str] = frozenset()

    @classmethod
    def load(cls, path: Path, tokens: Tokenizer) -> Alike:
        """Reads a table; where there is none, only likeness decides.

        Raises:
            ConfigError: it is not as its comments say.
        """
        if not path.is_file():
            return cls()
        keys = read_yaml(path).mapping(("alike", "nothing"))

        def heard(text: str) -> Words:
            return tuple(word for word, _ in tokens(text) or ())

        groups = [tuple(heard(item.text()) for item in group.sequence()) for group in _items(keys, "alike")]
        nothing = {word for item in _items(keys, "nothing") for word in heard(item.text())}
        return cls(tuple(groups), frozenset(nothing))

    def plain(self, words: Sequence[str]) -> Words:
        """Without the words that change nothing."""
        return tuple(word for word in words if word not in self.nothing)

    def opposites(self, words: Words) -> Iterator[Words]:
        """The sentences with a word of a group in the place of another, whether anybody says them or not."""
        for group in self.groups:
            for said in group:
                for at in range(len(words) - len(said) + 1):
                    if said and words[at : at + len(said)] == said:
                        yield from ((*words[:at], *other, *words[at + len(said) :]) for other in group if other != said)


def _items(keys: Mapping[str, Value], key: str) -> list[Value]:
    return keys[key].sequence() if key in keys else []


def rivals(
    words: Words, acceptor: Acceptor, alike: Alike, difference: Callable[[Words, Words], float]
) -> Iterator[Words]:
    """Sentences that may have been said instead, `MOST_NEAR` of them at most: opposites, then what sounds nearest.

    `difference` tells how unlike some words sound to others.
    """
    known = alike.plain(words)
    found = [other for other in dict.fromkeys(alike.opposites(words)) if acceptor.accepts(other)]
    near = sorted(
        (difference(old, new), other) for old, new, other in acceptor.neighbours(words) if alike.plain(other) != known
    )
    yield from dict.fromkeys([*found, *(other for _, other in near)][:MOST_NEAR])
