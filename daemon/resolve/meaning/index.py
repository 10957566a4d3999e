"""Proposes entities by what a mention means: "the goggle box" is the television, 小太阳 the heater.

A mention is compared with every name, alias and description of a home, with the words for the kinds of its things in
every language, and with words for what other homes have: what is nearer to a sauna than to anything here means nothing
here. The chance that one thing is meant, of all of these, is the softmax of the likenesses.

Brute force: ten thousand names are one product of a matrix and a vector. The index is made beside whoever asks, so that
nobody waits for a large home: until it is ready, what was known of the home before proposes, or nothing does. Names
that were there before are not read again.
"""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from daemon.core.values import replace
from daemon.home.registry import Registry
from daemon.resolve.meaning.limits import Limits, centred, centres, fitted
from daemon.resolve.meaning.vectors import Vectors
from daemon.system.worker import Worker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AS_OFTEN: Final = 0.9
"""How well something fits that is meant as often as not: just worth a question, never an act."""
_PROPOSED: Final = 16
_TIE: Final = 1e-4
"""Of two words for one thing, the nearer one goes first."""
_SLOWLY: Final = 0.25
"""How a fit grows with small chances: slowly, so that what is second or third likely is still proposed."""
_UNSURE: Final = 0.8
"""What is left of a fit where nothing is near enough to be meant at all: a proposal, and no question."""
_LEAST: Final = 0.2
_CERTAIN: Final = 0.8
"""A chance of nine in ten fits as well as can be."""
_FAR: Final = 0.2
"""The cosine of what has nothing in common."""
_CLOSING_S: Final = 2.0
_EXPOSED: Final = frozenset({"device", "group", "scene"})
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Made:
    names: NDArray[np.float32]
    """A row for each text of the home."""
    texts: tuple[str, ...]
    """Which those are."""
    sorts: NDArray[np.int64]
    """For each text, which of the known things it is a word for, or -1."""
    words: NDArray[np.float32]
    """A row for each word for a known thing."""
    starts: NDArray[np.int64]
    """For each known thing, where its words begin."""
    limits: Limits
    """What is near."""
    centres: NDArray[np.float32] | None
    """What is taken away of each vector, by its script; None: nothing is."""

    def sorted(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """How like each known thing each row is: (rows, things)."""
        import numpy as np

        if not len(self.starts):
            return np.zeros((len(rows), 0), np.float32)
        return np.maximum.reduceat(rows @ self.words.T, self.starts, axis=1)


class Meanings:
    """Makes the indices of a home, one for each state of it: beside whoever asks, and only the newest.

    Args:
        vectors: Of texts.
        patience_s: How long a proposal waits for its index to be made. Not at all where others would wait with it.
    """

    def __init__(self, vectors: Vectors, patience_s: float = 0.0) -> None:
        self.vectors = vectors
        self.patience_s = patience_s
        self._worker = Worker("meaning")
        self._lock = threading.Lock()
        self._making: Future[_Made | None] | None = None
        self._failed = False
        self.last: _Made | None = None
        """What was made last, for this home or for what it was before."""

    def of(self, registry: Registry) -> MeaningIndex:
        """The index of a registry as it is now; nothing is read yet."""
        return MeaningIndex(registry, self)

    def make(self, texts: Iterable[str]) -> Future[_Made | None]:
        """Begins to read texts; what was to be read before, and is not begun, is given up."""
        with self._lock:
            if self._making is not None:
                self._making.cancel()
            self._making = self._worker.submit(partial(self._make, tuple(texts)))
            return self._making

    def say(self, error: Exception) -> None:
        """Logs a failure, once."""
        if not self._failed:
            self._failed = True
            _log.warning("what names mean is not known: %s: %s", type(error).__name__, error)

    def close(self) -> None:
        """Ends what is being read; waits a moment for it."""
        self.vectors.close()
        self._worker.close(_CLOSING_S)

    def _make(self, texts: tuple[str, ...]) -> _Made | None:
        try:
            self.last = self._made(texts)
        except Exception as error:  # noqa: BLE001 - a model may fail in any way; the house goes on without it
            self.say(error)
            return None
        return self.last

    def _made(self, texts: tuple[str, ...]) -> _Made | None:
        import numpy as np

        reader = self.vectors.reader
        if reader is None:
            return None
        things = reader.card.things
        words = [word for thing in things for word in thing]
        rows = self.vectors.of([*texts, *words])
        if rows is None:
            return None
        starts = np.cumsum([0, *map(len, things)])[:-1] if things else np.zeros(0, np.int64)
        limits, shared = reader.card.limits, None
        if limits is None and words:
            shared = centres(words, rows[len(texts) :])
            rows = centred([*texts, *words], rows, shared)
            limits = fitted(rows[len(texts) :], starts)
        if limits is None:
            _log.warning("the encoder is not used: what is near cannot be told by the words that are known")
            return None
        made = _Made(
            names=rows[: len(texts)],
            texts=texts,
            sorts=np.zeros(0, np.int64),
            words=rows[len(texts) :],
            starts=starts,
            limits=limits,
            centres=shared,
        )
        like = made.sorted(made.names)
        known = like.max(1, initial=-1.0) >= limits.same
        sorts = np.where(known, like.argmax(1), -1) if things else np.full(len(texts), -1)
        return replace(made, sorts=sorts.astype(np.int64))


class MeaningIndex:
    """One registry, as it was when this was made; a `daemon.resolve.proposers.Meaning`."""

    def __init__(self, registry: Registry, meanings: Meanings) -> None:
        self._meanings = meanings
        self._texts = _texts(registry)
        self._lock = threading.Lock()
        self._making: Future[_Made | None] | None = None
        self._grouped: tuple[_Made, NDArray[np.int64]] | None = None

    def prepare(self) -> None:
        """Begins to make the index, which the first proposal otherwise does. Never waits."""
        if self._texts:
            self._begun()

    def propose(self, mention: str) -> Sequence[tuple[str, float]]:
        """Ids of devices, groups and scenes with how well they fit, 0 to 1, best first. Never raises."""
        if not self._texts or not mention.strip():
            return ()
        try:
            made = self._made()
            row = self._meanings.vectors.said(mention) if made is not None else None
            if made is None or row is None:
                return ()
            said = row[None]
            return self._proposed(made, said if made.centres is None else centred([mention], said, made.centres))
        except Exception as error:  # noqa: BLE001 - as above: a name that nobody gave is no reason to fail
            self._meanings.say(error)
            return ()

    def _proposed(self, made: _Made, said: NDArray[np.float32]) -> Sequence[tuple[str, float]]:
        import numpy as np

        limits = made.limits
        alike = made.names @ said[0]
        # Words for one thing are as near as the nearest of them, and so is all that one entity is told by.
        groups = self._groups(made)
        things = np.full(max(len(made.starts), int(groups.max()) + 1), -1.0, np.float32)
        things[: len(made.starts)] = made.sorted(said)[0]
        np.maximum.at(things, groups, alike)
        near = things[groups]
        top = things.max()
        whole = np.exp((things - top) / limits.tight).sum()
        chances = np.exp((near - top) / limits.tight) / whole
        best: dict[str, float] = {}
        for at in np.argsort(-chances - _TIE * alike, kind="stable"):
            fit = _fit(float(chances[at]), sure=bool(near[at] >= limits.alike))
            if fit <= 0 or near[at] <= _FAR or len(best) >= _PROPOSED:
                break
            for entity in self._texts[made.texts[at]]:
                best.setdefault(entity, fit)
        return tuple(best.items())

    def _groups(self, made: _Made) -> NDArray[np.int64]:
        """For each text what it is a word for: a known thing, or, numbered after those, whoever is told by it."""
        import numpy as np

        kept = self._grouped
        if kept is None or kept[0] is not made:
            numbers: dict[tuple[str, ...], int] = {}
            bearers = [numbers.setdefault(self._texts[text], len(numbers)) for text in made.texts]
            groups = np.where(made.sorts >= 0, made.sorts, len(made.starts) + np.array(bearers, np.int64))
            self._grouped = kept = (made, groups)
        return kept[1]

    def _made(self) -> _Made | None:
        """The index, if it is ready in time; else that of what the home was before, less what is no longer said."""
        try:
            return self._begun().result(self._meanings.patience_s)
        except (TimeoutError, CancelledError):
            return self._still(self._meanings.last)

    def _still(self, made: _Made | None) -> _Made | None:
        """What of another index holds here: a name that was forgotten means nobody, a given one its new bearer."""
        if made is None:
            return None
        rows = [at for at, text in enumerate(made.texts) if text in self._texts]
        if not rows:
            return None
        texts = tuple(made.texts[at] for at in rows)
        return replace(made, names=made.names[rows], texts=texts, sorts=made.sorts[rows])

    def _begun(self) -> Future[_Made | None]:
        with self._lock:
            if self._making is None:
                self._making = self._meanings.make(self._texts)
            return self._making


def _fit(chance: float, *, sure: bool) -> float:
    """How well something fits that is meant with this chance: `AS_OFTEN` for one half; much less where not sure."""
    over = 2 * chance - 1
    fit = AS_OFTEN * (2 * chance) ** _SLOWLY if over < 0 else AS_OFTEN + (1 - AS_OFTEN) * min(1.0, over / _CERTAIN)
    fit *= 1.0 if sure else _UNSURE
    return fit if fit >= _LEAST else 0.0


def _texts(registry: Registry) -> Mapping[str, tuple[str, ...]]:
    """Every text that something is told by, with whom it means."""
    named: defaultdict[str, list[str]] = defaultdict(list)
    of_kind: defaultdict[str, list[str]] = defaultdict(list)
    for item in registry:
        if item.kind not in _EXPOSED or not item.exposed:
            continue
        for text in (*item.names, item.description):
            if text:
                named[text].append(item.id)
        if item.type is not None:
            of_kind[item.type].append(item.id)
    for kind, members in of_kind.items():
        for word in registry.kind_words.words(kind):
            named[word] += members
    return {text: tuple(dict.fromkeys(bearers)) for text, bearers in named.items()}
