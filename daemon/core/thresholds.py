"""Every number by which it is decided whether to act, to ask or to stay silent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_RISING: Final = (
    ("noise", "asked"),
    ("asked", "reading"),
    ("asked", "slight_value"),
    ("slight_value", "slight"),
    ("reading", "acted"),
    ("plausible", "at_hand"),
    ("at_hand", "at_hand_alike"),
    ("at_hand_alike", "sure"),
    ("rather_talk", "talk"),
    ("talk", "talk_that_bears"),
    ("talk_that_bears", "talk_whatever"),
    ("corrects", "corrects_surely"),
)
"""Pairs of which the first is less than the second."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a home file may set under `thresholds`. All but the counts are 0 to 1.

    A name is judged by `plausible`, `sure` and `margin`; what was heard or read by `noise`, `reading` and what lies
    beside it, from less to more: noise < asked < reading < acted.
    """

    sure: float = 0.84
    """A candidate from here on is good enough to act on."""
    at_hand: float = 0.775
    """In the speaker's room, or the one that was said, from here on, where nothing else may be called so ..."""
    at_hand_alike: float = 0.8
    """... and where what was said is only written or spoken like its name."""
    plausible: float = 0.77
    """Below it, a candidate is not even offered; it may still be named as the nearest."""
    margin: float = 0.035
    """By how much the best must lead the second."""
    noise: float = 0.3
    """A reading (grammar or model, and hearing) below it is not for us."""
    asked: float = 0.55
    """As sure at most is what must be asked back whoever says it: a lower hypothesis, the model's doubt."""
    rival: float = 0.3
    """So much of the best hypothesis' confidence makes another one, that does something else, a reason to ask."""
    reading: float = 0.6
    """A reading below it is asked back."""
    acted: float = 0.61
    """As sure at least is what the small model takes as said."""
    slight: float = 0.78
    """From here on the small models are believed in what is slight; in all else, as their calibration asks ..."""
    slight_value: float = 0.64
    """... and from this one on where the value was said, and they tell what it is of."""
    silent: float = 0.9
    """So sure the small model must be that something was not for us, to be believed against the grammar."""
    begins: float = 0.15
    """Less likely a clause is not cut from the request before it without a question."""
    rather_talk: float = 0.5
    """From here on a clause of a long utterance is rather talk: nothing that it says is done unasked."""
    talk: float = 0.8
    """So sure it must be that a clause of a long utterance is talk, to be left out ..."""
    talk_whatever: float = 0.99
    """... right behind an order that its words may take back; and ..."""
    talk_that_bears: float = 0.9
    """... where its words could change what is done: "not", "only", "if"."""
    waits: float = 0.8
    """So sure it must be that something is said that an order waits for, to hold up what is understood without it."""
    corrects: float = 0.7
    """So sure it must be that something takes back what stands before it, to read what follows in its place."""
    corrects_surely: float = 0.85
    """... and so sure to do that unasked."""
    told_of: float = 0.93
    """So sure that all of an utterance is talk, not to do unasked what it seems to order."""
    ask_from: int = 20
    """A whole-home act on this many devices is asked back ..."""
    ask_off_from: int = 100
    """... and one that only turns off, closes or locks from this many on."""
    ask_everything_from: int = 10
    """"Turn everything off", said of no place, is the whole home: asked back from so many on. On, from two on."""
    ask_plural_from: int = 6
    """"The lights" of several rooms, where nobody said "all" and no room is known, are asked back from so many on."""

    def is_doubtful(self, confidence: float) -> bool:
        """Whether what was heard or read so surely has to be asked back before anything is done."""
        return confidence < self.reading

    def is_noise(self, confidence: float) -> bool:
        """Whether what was heard or read is so doubtful that it is not for us."""
        return confidence < self.noise

    def doubted(self, confidence: float) -> float:
        """The confidence of what is to be asked back in every home, however low its `reading` lies."""
        return min(confidence, self.asked) if confidence >= self.reading else confidence

    def contradiction(self) -> tuple[str, str] | None:
        """Two of them that contradict each other, the one that is to be the lower first; None where none do."""
        return next(((low, high) for low, high in _RISING if getattr(self, low) >= getattr(self, high)), None)
