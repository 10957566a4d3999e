"""Proposes entities by what a mention means: "the goggle box" is the television, 小太阳 the heater.

A mention is compared with every name and alias of a home, and with the words for the kinds of its things in every
language. Brute force: ten thousand names are one product of a matrix and a vector. The index is made beside whoever
asks, so that nobody waits for a large home: what is not ready proposes nothing. Names that were there before are not
read again.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TookTooLong
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from daemon.home.registry import Registry
from daemon.meaning.vectors import Vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AS_OFTEN: Final = 0.9
"""How well something fits that is meant as often as not: just worth a question, never an act."""
_PROPOSED: Final = 16
_KINDLY: Final = 0.96
"""What is left of a likeness to the word for a kind rather than to a name."""
_EXPOSED: Final = frozenset({"device", "group", "scene"})
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Made:
    rows: NDArray[np.float32]
    """A row for each text."""
    bearers: tuple[tuple[str, ...], ...]
    """For each row, who is called so or is of that kind."""
    weights: NDArray[np.float32]


class MeaningIndex:
    """One registry, as it is now; a `daemon.home.proposers.Meaning`.

    Args:
        registry: The home.
        vectors: Of texts.
        patience_s: How long a proposal waits for the index to be made.
    """

    def __init__(self, registry: Registry, vectors: Vectors, patience_s: float = 1.0) -> None:
        self._vectors = vectors
        self._patience_s = patience_s
        self._texts = _texts(registry)
        self._making: Future[_Made | None] | None = None

    def propose(self, mention: str) -> Iterator[tuple[str, float]]:
        """Ids of devices, groups and scenes with how well they fit, 0 to 1, best first. Never raises."""
        import numpy as np

        made = self._made()
        said = self._vectors.of([mention], keep=False) if made is not None and mention.strip() else None
        reader = self._vectors.reader
        if made is None or said is None or reader is None:
            return
        likeness = (made.rows @ said[0]) * made.weights
        best: dict[str, float] = {}
        for at in np.argsort(-likeness, kind="stable"):
            fit = _fit(float(likeness[at]), reader.card.alike)
            if fit <= 0 or len(best) >= _PROPOSED:
                break
            for entity in made.bearers[at]:
                best.setdefault(entity, fit)
        yield from best.items()

    def _made(self) -> _Made | None:
        """The index, if it is ready in time."""
        if not self._texts:
            return None
        if self._making is None:
            with_one = ThreadPoolExecutor(max_workers=1, thread_name_prefix="meaning")
            self._making = with_one.submit(self._make)
            with_one.shutdown(wait=False)
        try:
            return self._making.result(self._patience_s)
        except TookTooLong:
            _log.debug("what names mean is still being read")
            return None

    def _make(self) -> _Made | None:
        import numpy as np

        texts = list(self._texts)
        rows = self._vectors.of(texts, keep=True)
        if rows is None:
            return None
        weights = np.array([weight for weight, _ in self._texts.values()], np.float32)
        return _Made(rows, tuple(bearers for _, bearers in self._texts.values()), weights)


def _fit(likeness: float, alike: float) -> float:
    """How well a likeness fits: `AS_OFTEN` where the model says that it is right as often as not, 1 where it is 1."""
    if likeness >= alike:
        return AS_OFTEN + (1 - AS_OFTEN) * min(1.0, (likeness - alike) / max(1e-6, 0.9 * (1 - alike)))
    return max(0.0, AS_OFTEN * likeness / alike) if likeness > alike / 2 else 0.0


def _texts(registry: Registry) -> Mapping[str, tuple[float, tuple[str, ...]]]:
    """Every text that something is told by, with its weight and whom it means."""
    named: defaultdict[str, list[str]] = defaultdict(list)
    of_kind: defaultdict[str, list[str]] = defaultdict(list)
    for item in registry:
        if item.kind not in _EXPOSED or not item.exposed:
            continue
        for name in item.names:
            named[name].append(item.id)
        if item.type is not None:
            of_kind[item.type].append(item.id)
    found = {name: (1.0, _unique(bearers)) for name, bearers in named.items()}
    for kind, members in of_kind.items():
        for word in registry.kind_words.words(kind):
            found.setdefault(word, (_KINDLY, _unique(members)))
    return found


def _unique(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))
