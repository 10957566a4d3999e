"""Whether an utterance is for us, and what it may mean, where the grammar has no reading.

For whoever compiles what the grammar cannot read:

    judge = Judge(shelf)
    found = judge.judge(normalized.text)      # about a millisecond; the first call loads the model
    if found is None:                         # there is no encoder: go on without it
        ...
    elif found.for_us < FOR_US:               # chat, the television, a question to somebody else: be silent
        ...
    elif found.agrees(meaning_id):            # a second opinion on what a model drafted
        ...

Its probabilities are calibrated on phrase banks that it never learnt from: of what it gives 0.8, eight in ten are
right. It knows words and their order, but no names, numbers or devices, and says nothing of them.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from daemon.errors import ModelError

if TYPE_CHECKING:
    from daemon.meaning.encoder import Card, Reader

NOTHING: Final = "nothing"
"""The meaning of what is not for us, in `Judgement.chances`."""
UNSURE: Final = "unsure"
"""The meaning of what is about the home, though nobody could say what is to be done."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an utterance may mean. All probabilities are calibrated, 0 to 1."""

    for_us: float
    """That anything is to come of it: a command, a question about the home, or a need."""
    chances: Mapping[str, float]
    """Of each identifier of `rules/meanings.yaml`, `NOTHING` and `UNSURE` among them; together 1."""
    frames: tuple[tuple[str, float], ...]
    """Of what may be said around a command (a delay, a second command), what is likelier than not."""

    @property
    def best(self) -> str:
        """The likeliest meaning."""
        return max(self.chances, key=lambda name: self.chances[name])

    @property
    def sure(self) -> float:
        """The probability of the likeliest meaning."""
        return max(self.chances.values())


class Judge:
    """Judges utterances by the encoder, which `reader` gives, or None where there is none; it may block."""

    def __init__(self, reader: Callable[[], Reader | None]) -> None:
        self._reader = reader

    def judge(self, text: str) -> Judgement | None:
        """What a normalized utterance may mean; None where there is no encoder. Blocking; never raises."""
        reader = self._reader()
        if reader is None or not text.strip():
            return None
        try:
            logits = reader.read([text]).logits[0].tolist()
        except ModelError as error:
            _log.warning("an utterance was not judged: %s", error)
            return None
        card = reader.card
        chances = probabilities(logits, card)
        framing = logits[len(card.meanings) :]
        said = ((name, 1 / (1 + math.exp(-value))) for name, value in zip(card.frames, framing, strict=True))
        return Judgement(
            for_us=1 - chances.get(NOTHING, 0.0),
            chances=chances,
            frames=tuple((name, chance) for name, chance in said if chance > 0.5),  # noqa: PLR2004 - likelier than not
        )


def probabilities(logits: Sequence[float], card: Card) -> Mapping[str, float]:
    """The calibrated probability of each meaning of one text; they add up to 1."""
    scaled = [value / card.temperature for value in logits[: len(card.meanings)]]
    grown = [math.exp(value - max(scaled)) for value in scaled]
    return dict(zip(card.meanings, (value / sum(grown) for value in grown), strict=True))
