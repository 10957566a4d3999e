"""The ways in which a name is looked up, from the narrow to the broad, and whether another is worth it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from daemon.core.resolution import Candidate
from daemon.home.config import Thresholds
from daemon.resolve.candidates import by_description, by_likeness, by_meaning, by_name
from daemon.resolve.choosing import decide
from daemon.resolve.request import House, Request
from daemon.resolve.rounds import Rounds
from daemon.resolve.scoring import SIGNALS, ceiling

CATCH_ALL: Final = frozenset({"appliance", "switch", "sensor", "device"})
"""Kinds of all sorts of things: a dishwasher is an appliance, but the only appliance here may be a kettle."""
_BEST: Final[Mapping[str, float]] = {
    "exact": SIGNALS["exact"],
    "alike": max(SIGNALS["core"], SIGNALS["part"], SIGNALS["sound"]),
    "described": SIGNALS["described"],
    "meaning": SIGNALS["meaning"],
}
"""The look-ups in their order, and the `name` feature of the best that each can find."""


class LookUps:
    """The look-ups of one search: what each finds goes to the rounds."""

    def __init__(self, house: House, thresholds: Thresholds, rounds: Rounds) -> None:
        self._house = house
        self._thresholds = thresholds
        self._rounds = rounds
        self._alike_found: dict[str, list[Candidate]] = {}

    def left(self) -> Iterator[str]:
        """Those that may still be made, one after another."""
        yield from (look_up for look_up in _BEST if self._rounds.may(look_up))

    def make(self, request: Request, look_up: str, mention: str, words: tuple[str, ...], rest: tuple[str, ...]) -> bool:
        """Makes one; whether another is worth it.

        Args:
            request: What is looked for.
            look_up: Which one.
            mention: The name as spoken.
            words: Its words.
            rest: Those less the places that were said apart.
        """
        return self.take(request, look_up, self._found(request, look_up, mention, words, rest))

    def take(self, request: Request, look_up: str, found: Sequence[Candidate]) -> bool:
        """Takes in what a look-up found; whether another is worth it."""
        left = [item for item in _BEST if item != "meaning" or self._house.index.knows_meanings]
        left = [item for item in left if item != look_up and self._rounds.may(item)]
        return self._rounds.made(look_up, found, left, lambda: self._can_change(request, left))

    def alike(self, request: Request, mention: str, core: tuple[str, ...] = ()) -> list[Candidate]:
        """What is called something like it; looked up once."""
        if core or mention not in self._alike_found:
            self._alike_found[mention] = by_likeness(self._house, request, mention, core)
        return self._alike_found[mention]

    def _found(
        self, request: Request, look_up: str, mention: str, words: tuple[str, ...], rest: tuple[str, ...]
    ) -> Sequence[Candidate]:
        match look_up:
            case "alike":
                # Two of a catch-all kind are two things: no new kettle for a new coffee machine.
                vague = request.target.kind in CATCH_ALL
                core = () if vague else self._house.kind_words.core(rest)
                found = self.alike(request, mention, core)
                if rest == words or not rest:
                    return found
                # What is left without the place, where the place was said apart: "ceiling light" in the kitchen.
                name = joined(rest)
                return (*found, *by_name(self._house, request, name), *self.alike(request, name, core))
            case "described":
                return by_description(self._house, request, mention)
            case "meaning":
                return by_meaning(self._house, request, mention)
            case _:
                return by_name(self._house, request, mention)

    def _can_change(self, request: Request, left: Sequence[str]) -> bool:
        """Whether the best that the other look-ups can find would change what the gate says now."""
        best = max((ceiling(_BEST[item]) for item in left), default=0.0)
        within = [item for item in self._rounds.pool if item.features["area"] > 0]
        decided, _ = decide(self._house, request, self._thresholds, within)
        if decided is None or decided.status == "unsupported":
            return best >= self._thresholds.plausible
        lead = within[0].score
        # Another as good makes an act a question; only a better one makes a question an act.
        margin = self._thresholds.margin
        return best > lead + margin if decided.status == "ambiguous" else best > lead - margin


def joined(words: tuple[str, ...]) -> str:
    """Words as they are written: Latin ones with spaces."""
    return " ".join(words) if all(word.isascii() for word in words) else "".join(words)
