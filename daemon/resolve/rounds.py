"""Adaptive retrieval: one to four rounds of looking up, each with its quality, until there is enough to decide on.

    quality     = 40 % similarity + 30 % richness + 20 % novelty + 10 % evidence      (of one round)
    sufficiency = the best quality of any round so far

From a sufficiency of 70 % on the search stops, below 50 % it goes on; between them it goes on only where another round
can change the gate's decision. The numbers are `daemon.home.config.RoundSettings`, all 0 to 1.

| part       | what it is                                                                                       |
| ---------- | ------------------------------------------------------------------------------------------------ |
| similarity | how like the mention the best candidate's name is; half of it where it is elsewhere or can't do it |
| richness   | how much of what was said the best candidate accounts for; half of it where it is elsewhere      |
| novelty    | the share of the round's candidates that no round before has proposed                            |
| evidence   | the share of letters, sound, words, kind, place and ability that have spoken for the best so far |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from rapidfuzz import fuzz

from daemon.core.resolution import Candidate, Quality, Round
from daemon.core.thresholds import Thresholds
from daemon.home.config import RoundSettings
from daemon.home.names import fold
from daemon.home.registry import Registry
from daemon.resolve.candidates import by_description, by_likeness, by_meaning, by_name
from daemon.resolve.choosing import decide
from daemon.resolve.request import House, Request
from daemon.resolve.scoring import SIGNALS, ceiling

_WHOLE: Final = frozenset({"exact", "relative", "core", "part"})
_SPEAKS: Final = 0.8
"""From this value on, a signal speaks for a candidate."""
_UNFIT: Final = 0.5


def worth(sufficiency: float, can_change: Callable[[], bool], settings: RoundSettings) -> tuple[bool, str]:
    """Whether another round is worth it, by the two bounds and what is left to change, and why."""
    if sufficiency >= settings.enough:
        return False, "enough"
    if sufficiency < settings.too_little:
        return True, "too little"
    if can_change():
        return True, "another look-up may change the decision"
    return False, "no look-up can change the decision"


class Rounds:
    """The rounds of one search."""

    def __init__(self, mention: str, settings: RoundSettings, registry: Registry) -> None:
        self._mention = mention
        self._settings = settings
        self._registry = registry
        self._made: list[str] = []
        self._pool: dict[str, Candidate] = {}
        self._sufficiency = 0.0
        self.notes: list[Round] = []
        """All rounds, and what was found out between them, in order."""

    @property
    def pool(self) -> list[Candidate]:
        """All candidates of all rounds, each once, best first."""
        return sorted(self._pool.values(), key=lambda item: -item.score)

    def may(self, look_up: str) -> bool:
        """Whether this look-up may be made: it was not yet, and there is a round left."""
        return look_up not in self._made and len(self._made) < self._settings.most

    def made(
        self, look_up: str, found: Iterable[Candidate], left: Sequence[str], can_change: Callable[[], bool]
    ) -> bool:
        """Takes in what a look-up found; whether to go on."""
        candidates = tuple(found)
        quality = self._quality(candidates)
        for item in candidates:
            before = self._pool.get(item.entity)
            if before is None or item.score > before.score:
                self._pool[item.entity] = item
        self._made.append(look_up)
        total = self._total(quality)
        self._sufficiency = max(self._sufficiency, total)
        go_on, reason = False, "nothing left to look up"
        if any(map(self.may, left)):
            go_on, reason = worth(self._sufficiency, can_change, self._settings)
        self.notes.append(
            Round(
                look_up,
                len(candidates),
                total,
                "continue" if go_on else "stop",
                reason,
                self._sufficiency,
                quality,
            )
        )
        return go_on

    def note(self, name: str, found: Sequence[Candidate], *, stop: bool, reason: str) -> None:
        """What was found out from the structure of what was said, without a look-up by name."""
        score = found[0].score if found else 0.0
        self.notes.append(Round(name, len(found), score, "stop" if stop else "continue", reason))

    def _total(self, quality: Quality) -> float:
        weights = self._settings
        return round(
            weights.similarity * quality.similarity
            + weights.richness * quality.richness
            + weights.novelty * quality.novelty
            + weights.evidence * quality.evidence,
            4,
        )

    def _quality(self, found: Sequence[Candidate]) -> Quality:
        if not found:
            return Quality()
        best = max(found, key=lambda item: (_fit(item), item.score))
        new = sum(item.entity not in self._pool for item in found)
        return Quality(
            similarity=_fit(best),
            richness=self._richness(best),
            novelty=new / len(found),
            evidence=_evidence(best, self._pool.get(best.entity)),
        )

    def _richness(self, best: Candidate) -> float:
        where = 1.0 if best.features["area"] > 0 else _UNFIT
        if _WHOLE & best.features.keys():
            return where
        if "described" in best.features:
            return where * best.features["described"]
        said = fold(self._mention)
        names = self._registry[best.entity].names
        return where * max((fuzz.partial_ratio(said, fold(name)) / 100 for name in names), default=0.0)


def _fit(item: Candidate) -> float:
    features = item.features
    usable = features["area"] > 0 and features["capability"] > 0
    return features["name"] if usable else _UNFIT * features["name"]


def _evidence(best: Candidate, before: Candidate | None) -> float:
    """How many of six independent signals speak for a candidate, in this round or one before."""
    features = dict(before.features) if before is not None else {}
    for name, value in best.features.items():
        features[name] = max(value, features.get(name, 0.0))
    whole = max((features.get(name, 0.0) for name in _WHOLE), default=0.0)
    signals = (
        max(whole, features.get("fuzzy", 0.0)),
        max(whole, features.get("sound", 0.0)),
        max(whole, features.get("described", 0.0), features.get("meaning", 0.0)),
        features["kind"],
        features["area"],
        features["capability"],
    )
    return sum(value >= _SPEAKS for value in signals) / len(signals)


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
        """Makes one; whether another is worth it. `rest` are the words less the places that were said apart."""
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
