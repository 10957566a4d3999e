"""Says programs in one language: all its words are in phrases.<lang>.yaml."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import yaml

from benchmarks.metamorphic.homes import HERE, SINGLE, Home, Room, Thing, words_of
from benchmarks.metamorphic.programs import Act, Ref
from benchmarks.utterances import chance
from daemon.core.values import replace

LANGS: Final = ("en", "zh")
_NOON: Final = 12
_EVENING: Final = 18
_HALF_HOUR: Final = 1800
_HOUR: Final = 3600


@cache
def phrases_of(lang: str) -> dict[str, Any]:
    """The wordings of a language."""
    made: dict[str, Any] = yaml.safe_load((HERE / f"phrases.{lang}.yaml").read_text(encoding="utf-8"))
    return made


class Speaker:
    """Someone who speaks a language in a home, and takes one of the wordings each time.

    Names may be `bent` first. `generic` says whether the only light of a room may be just "the light" of it.
    """

    def __init__(self, lang: str, home: Home, dice: random.Random) -> None:
        self.lang = lang
        self.home = home
        self.dice = dice
        self.table = phrases_of(lang)
        self.bent: dict[str, str] = {}
        self.generic = True
        self._at = LANGS.index(lang)

    def say(self, *path: Any, **parts: str) -> str:
        """One of the wordings that stand there in the table, filled."""
        return self._one(self._listed(path)).format_map(parts)

    def around(self, frame: str, sentence: str) -> str:
        """A sentence in one of the wordings of a frame."""
        return self.say(frame, s=sentence)

    # ------------------------------------------------------------------------------------------------ what is meant

    def name(self, thing: Thing) -> str:
        """What a thing is called, without its room."""
        name = self._of(thing.names)
        return self.bent.get(name, name)

    def room(self, room: Room) -> str:
        """What a room is called."""
        return self._of(room.names)

    def floor(self, floor: int) -> str:
        """How a floor is said."""
        return self._of(words_of()["floors"][floor]["said"])

    def it(self, ref: Ref, *, placed: bool | None = None) -> str:
        """What is meant.

        Args:
            ref: What that is.
            placed: Whether the place is said with it; None: where it must be, and now and then where it need not.
        """
        if ref.every:
            words = words_of()["sorts"][ref.only.sort]
            named = {"name": self._of(words["all"]), "one": self._of(words["one"])}
            where = ref.room if ref.room is not None else ref.floor
            if where is None and (placed or (placed is None and chance(self.dice, 0.3))):
                return self.say("all", "house", **named)
            return self._placed("all", named, None if placed is False else where)
        if len(ref.things) > 1:
            one, other = (self.it(replace(ref, things=(thing,)), placed=placed) for thing in ref.things)
            return self.say("both", a=one, b=other)
        thing = ref.only
        if thing.proper:
            return self.say("one", "proper", name=self.name(thing))
        if thing.sort in SINGLE:
            placed = False
        elif placed is None:
            placed = bool(self.home.alike(thing)) or chance(self.dice, 0.4)
        named = {"name": self._called(thing, alone=placed)}
        return self._placed("one", named, thing.room if placed else None)

    def _called(self, thing: Thing, *, alone: bool) -> str:
        """What one says of a thing: where it is the only light of a room that is named, also just "light"."""
        only = alone and self.generic and thing.sort == "light" and thing.names[self._at] not in self.bent
        if only and sum(item.room == thing.room for item in self.home.of("light")) == 1 and chance(self.dice, 0.5):
            return self._of(words_of()["sorts"]["light"]["one"])
        return self.name(thing)

    def _placed(self, kind: str, named: dict[str, str], where: Room | int | None) -> str:
        if where is None:
            return self.say(kind, "bare", **named)
        if isinstance(where, Room):
            return self.say(kind, "room", room=self.room(where), **named)
        return self.say(kind, "floor", floor=self.floor(where), **named)

    # ------------------------------------------------------------------------------------------------ what is done

    def act(self, act: Act, *, leading: bool = False, placed: bool | None = None, when: str = "") -> str:
        """An act as a command.

        Args:
            act: What is to be done.
            leading: Whether it must begin with its verb, as something stands before it.
            placed: As in `it`.
            when: A time that is put after the device, in wordings that go on there.
        """
        wordings: Sequence[str] = self.table["acts"][act.name]
        if leading:
            wordings = [item for item in wordings if not item.startswith("{")]
        if when:
            wordings = [item for item in wordings if not item.endswith("{it}") and "{it}的" not in item]
        said = self._one(wordings)
        parts = {"it": self.it(act.ref, placed=placed), "n": self.value(act)}
        if not when or said.endswith("{it}"):
            return said.format_map(parts)
        head, tail = said.split("{it}", 1)
        filled = (head + "{it}").format_map(parts), tail.format_map(parts).strip()
        return self.say("when", "between", head=filled[0], when=when, tail=filled[1])

    def value(self, act: Act) -> str:
        """The value of an act; empty where it has none."""
        match act.deed.form:
            case "level":
                return self._number(
                    self._listed((act.deed.unit if act.deed.unit == "degrees" else "percent",)), act.value
                )
            case "by":
                unit = "degree" if act.deed.unit == "degrees" and act.value == 1 else act.deed.unit
                return self._number(self._listed(("amounts", unit)), act.value)
            case "color":
                return self.say("colors", act.value)
            case "share":
                return self.say("shares", act.value)
        return ""

    # ------------------------------------------------------------------------------------------------ when

    def delay(self, seconds: int) -> str:
        """In so many seconds: minutes, or hours."""
        return self.say("after", d=self.span(seconds))

    def span(self, seconds: int) -> str:
        """So long."""
        if seconds == _HALF_HOUR:
            return self.say("half_hour")
        if seconds == _HOUR:
            return self.say("hour")
        if seconds % _HOUR:
            return self._number(self._listed(("minutes",)), seconds // 60, counted=True)
        return self._number(self._listed(("hours",)), seconds // _HOUR, counted=True)

    def clock(self, minutes: int) -> str:
        """A time of this afternoon or evening, in minutes after midnight: at the hour, a quarter past, or half past."""
        hour, minute = divmod(minutes, 60)
        part = "evening" if hour >= _EVENING else "afternoon"
        hour -= _NOON
        return self.say("clock", minute, h=str(hour), w=self._words(hour, counted=True), part=self.say("parts", part))

    # ------------------------------------------------------------------------------------------------ words

    def bend(self, thing: Thing) -> bool:
        """Hears one letter of a name wrongly from now on; whether there was one that can be."""
        name = self._of(thing.names)
        wrong: dict[str, str] = self.table["misheard"]
        known = {word for item in self.home.things for word in self._of(item.names).casefold().split()}
        places = [at for at, letter in enumerate(name) if letter in wrong]
        self.dice.shuffle(places)
        for at in places:
            bent = name[:at] + wrong[name[at]] + name[at + 1 :]
            if not set(bent.casefold().split()) - known:
                continue
            self.bent[name] = bent
            return True
        return False

    def _of(self, names: Sequence[str]) -> str:
        return names[self._at]

    def _listed(self, path: Sequence[Any]) -> list[str]:
        found: Any = self.table
        for key in path:
            found = found[key]
        return found  # type: ignore[no-any-return]  # the files are ours

    def _one(self, wordings: Sequence[str]) -> str:
        return self.dice.choice(wordings)

    def _number(self, wordings: Sequence[str], number: float, *, counted: bool = False) -> str:
        whole = int(number)
        return self._one(wordings).format(digits=whole, words=self._words(whole, counted=counted))

    def _words(self, number: int, *, counted: bool = False) -> str:
        """A number below 100 in words; `counted` where what is counted follows."""
        words = self.table["numbers"]
        if counted and number in words.get("counted", {}):
            return str(words["counted"][number])
        units, tens = words["units"], words["tens"]
        if number < len(units):
            return str(units[number])
        more = number % 10
        return str(tens[number // 10 - 2]) + (words["between"] + units[more] if more else "")
