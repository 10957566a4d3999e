"""A home in which something is about to be said: what sentences are made from."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from benchmarks.metamorphic.homes import Home, Thing
from benchmarks.metamorphic.judging import Expected
from benchmarks.metamorphic.programs import (
    DEEDS,
    Act,
    Ref,
    States,
    before,
    effect_of,
    random_act,
    random_states,
)
from benchmarks.metamorphic.saying import Speaker
from benchmarks.utterances import chance
from daemon.core.values import replace

PLAIN: Final = ("on", "off", "open", "close")
SETTINGS: Final = tuple(name for name, deed in DEEDS.items() if deed.form in ("level", "color"))
SURE: Final = tuple(name for name, deed in DEEDS.items() if deed.form in ("to", "level", "color") and not deed.risky)
"""Deeds that come to the same however often they are done."""
DELAYS: Final = tuple(60 * item for item in (2, 5, 10, 12, 15, 20, 25, 30, 45, 60, 120, 180))
_BEGUN: Final = 14 * 60 + 25
"""Minutes after midnight: when everything is said."""
_CLOCK: Final = tuple(60 * hour + minute for hour in range(15, 24) for minute in (0, 15, 30))
_THROWS: Final = 30

NOTHING: Final = Expected({})
Made = tuple[str, Expected]
"""A sentence, and what must come of it."""


@dataclass(slots=True)
class Draft:
    """A home in which something is about to be said."""

    dice: random.Random
    home: Home
    lang: str
    states: States = field(init=False)
    speaker: Speaker = field(init=False)

    def __post_init__(self) -> None:
        self.states = random_states(self.home, self.dice)
        self.speaker = Speaker(self.lang, self.home, self.dice)

    def act(self, *among: str, taken: Sequence[Act] = (), single: bool = False) -> Act:
        """A random act apart from those `taken`, with something to do.

        Raises:
            Unfit: there is none.
        """
        things = [thing for act in taken for thing in act.ref.things]
        for _ in range(_THROWS):
            found = random_act(self.home, self.dice, things, among=among)
            if found is not None and not (single and len(found.ref.things) > 1):
                return self.ready(found)
        raise Unfit

    def ready(self, act: Act) -> Act:
        """The act, in a home that stands so that it changes something."""
        before(act, self.states)
        return act

    def acts(self, most: int = 2) -> list[Act]:
        """A program: mostly one act. None of them needs a yes."""
        found: list[Act] = []
        for _ in range(min(most, self.dice.choice((1, 1, 1, 2, 2, 3, 4)))):
            found.append(self.harmless(taken=found))
        return found

    def harmless(self, *, taken: Sequence[Act] = ()) -> Act:
        """An act that nobody asks back."""
        act = self.act(taken=taken)
        while act.deed.risky:
            act = self.act(taken=taken)
        return act

    def said(self, acts: Sequence[Act], joint: str | None = None, *, leading: bool = False) -> str:
        """The acts as one sentence, in their order."""
        text = self.speaker.act(acts[0], leading=leading)
        for act in acts[1:]:
            way = joint or self.dice.choice(("and", "then", "comma", "also"))
            # After one that was said of some room, "all the lights" might be those of that room.
            said = self.speaker.act(act, leading=True, placed=True if act.ref.every else None)
            text = self.speaker.say("joints", way, a=text, b=said)
        return text

    def expected(self, *acts: Act) -> Expected:
        """What comes of acts that are done now."""
        return Expected(effect_of(acts, self.states), risky=any(act.deed.risky for act in acts))

    def moment(self) -> tuple[float, str]:
        """A time today: in how many seconds, and its words."""
        if chance(self.dice, 0.6):
            seconds = self.dice.choice(DELAYS)
            return seconds, self.speaker.delay(seconds)
        minutes = self.dice.choice(_CLOCK)
        return (minutes - _BEGUN) * 60, self.speaker.clock(minutes)

    def alike(self) -> tuple[Act, Thing]:
        """An act to one thing, and another thing of that name elsewhere."""
        act = self.act(*SURE, single=True)
        others = [item for item in self.home.alike(act.ref.only) if item.sort == act.ref.only.sort]
        if not others:
            raise Unfit
        return act, self.dice.choice(others)

    def to(self, act: Act, thing: Thing) -> Act:
        """The same act to another thing."""
        return self.ready(replace(act, ref=Ref((thing,))))


class Unfit(Exception):
    """This home has nothing for this change: the dice are thrown again."""
