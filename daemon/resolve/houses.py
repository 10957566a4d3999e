"""A registry, with all that is needed to look something up in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from daemon.home.kinds import KindWords
from daemon.home.registry import Registry
from daemon.resolve.alike import Contrasts
from daemon.resolve.index import Index
from daemon.resolve.places import Places
from daemon.resolve.proposers import Meaning
from daemon.resolve.request import House


def made(
    registry: Registry, words: KindWords, meanings: Sequence[Callable[[Registry], Meaning]], contrasts: Contrasts
) -> House:
    """The home as it is now."""
    index = Index(registry, words, [meaning(registry) for meaning in meanings], contrasts)
    return House(registry, index, Places(registry, index, contrasts), words, contrasts)
