"""Words for kinds, in any language: what a name says about what bears it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from daemon.home.entities import Entity
from daemon.home.names import tokens, without
from daemon.ir import Kind

_VAGUE: Final = frozenset({None, "switch", "plug", "appliance", "sensor", "cover", "media_player", "climate"})
"""Types that say so little that a name may say more: a switch called "Porch light" is a light."""


class KindWords:
    """The words for kinds, as token runs.

    Args:
        words: A word in any language ("lamp", "灯") and the kind that it says.
    """

    def __init__(self, words: Mapping[str, Kind]) -> None:
        runs = {run: kind for word, kind in words.items() if (run := tokens(word))}
        # "Front door" says which door: it is a name that ends with its kind, no word for a kind.
        self._kinds = {
            run: kind for run, kind in runs.items() if all(runs.get(run[at:]) != kind for at in range(1, len(run)))
        }
        self._runs = frozenset(self._kinds)
        self._longest = max((len(run) for run in self._runs), default=0)

    def said(self, words: tuple[str, ...]) -> Kind | None:
        """The kind that these tokens say, where they say one and nothing else: "door lock" is a lock."""
        rest = words
        while rest and rest not in self._kinds:
            shorter = self.core(rest)
            if shorter == rest:
                return None
            rest = shorter
        return self.last(words) if rest else None

    def last(self, words: tuple[str, ...]) -> Kind | None:
        """The kind that a name ends with: what it is, as opposed to which."""
        return next((kind for start in range(len(words)) if (kind := self._kinds.get(words[start:]))), None)

    def core(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """The tokens less a word for a kind, the one they end with if they do: what is special about a name."""
        for length in range(min(self._longest, len(words)), 0, -1):
            if words[-length:] in self._runs:
                return words[:-length]
        return without(words, self._runs, self._longest)

    def tagged(self, entities: Iterable[Entity]) -> Iterator[Entity]:
        """The entities, devices of a vague type tagged with the kinds that their names say."""
        for item in entities:
            if item.kind == "device" and item.type in _VAGUE:
                said = {kind for name in item.names if (kind := self.last(tokens(name))) is not None} - {item.type}
                yield replace(item, tags=item.tags | said) if said else item
            else:
                yield item
