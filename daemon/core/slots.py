"""What fills the slots of a clause: which entities, what to change, on what condition, when. As spoken, and frozen."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from daemon.core.vocabulary import (
    PRONOUNS,
    Action,
    Attribute,
    Beyond,
    Comparator,
    Kind,
    Op,
    Quantifier,
    Reference,
    Unit,
)


class Target(Struct, frozen=True, forbid_unknown_fields=True):
    """Which entities are meant, as spoken.

    A target with neither `mention`, `kind`, `areas`, `floors` nor `reference` stands for a name that was left out.
    """

    mention: str | None = None
    """The name as spoken, a free span of the normalized text: "the lamp by the sofa"."""
    kind: Kind | None = None
    areas: tuple[str, ...] = ()
    """Area names as spoken ("kitchen"), not ids; `daemon.home` resolves them."""
    floors: tuple[str, ...] = ()
    quantifier: Quantifier = "one"
    count: int | None = None
    """How many, where `quantifier` is `n`."""
    plural: bool = False
    """A bare plural ("the lights") rather than "all the lights": it never reaches a large home by itself."""
    numberless: bool = False
    """A kind of one place in a language that has no plural (厨房的风扇): one, or as many as there are."""
    ordinal: int | None = None
    """Which of several, 1-based: "the second bulb", "bulb number 2"; -1 is the last one."""
    reference: Reference | None = None
    unsaid: bool = False
    """The reference was understood, not said: "turn on the lamp and set it" against "and set the volume"."""
    pointed: bool = False
    """What was spoken of before is meant, or what is held in a hand: "put that down" against "turn that down"."""
    mine: bool = False
    """ "my lamp": that of the speaker, where it is known which one is."""
    whole_home: bool = False
    """ "everywhere", "in the whole house"."""
    state: str | None = None
    """Restricts to members in this state: "the lights that are on"."""
    senses: Attribute | None = None
    """Restricts to what tells this: "the leak sensors"."""
    plays: Literal["audio", "video"] | None = None
    """Prefers what plays this: "the music", "the movie"."""
    shares: bool = False
    """Its place is that of the one named before it, where something there is called so: 客厅的灯和电视."""
    cleans: bool = False
    """Its places are what it is to clean, not where it stands: "vacuum the kitchen"."""
    confidence: float = 1.0
    """0 to 1: how sure the reading is of this slot."""

    def only(self, *slots: str) -> bool:
        """Whether it says nothing but these, however surely."""
        return all(getattr(self, name) == default for name, default in _UNSAID if name not in slots)

    @property
    def points(self) -> bool:
        """Whether it is a pronoun for what was spoken of, and nothing else: "it", "all of them"."""
        return self.reference in PRONOUNS and self.only("reference", "quantifier")


_UNSAID = tuple((name, getattr(Target(), name)) for name in Target.__struct_fields__ if name != "confidence")


class Parameter(Struct, frozen=True, forbid_unknown_fields=True):
    """What to change and how. `value` is a number in `unit`, or a word (a colour, a mode, a source)."""

    attribute: Attribute
    op: Op = "set"
    value: float | str | None = None
    unit: Unit | None = None
    wish: str | None = None
    """What the speaker likes best or uses to set stands for the value: of what, as spoken ("show", "brightness")."""
    by: Literal["cool", "heat"] | None = None
    """How a temperature is to be reached, where the verb says it: "cool the room to 22"."""
    powers: bool = False
    """The verb switches on as well, which the value alone would not: 空调开到26度."""
    toward: Literal["increase", "decrease"] | None = None
    """The way that it goes, as said: "turn it up to 40", "up a bit". "A bit more" is more of what was done before."""
    moderate: bool = False
    """No more, or no less, than is usual: "not too bright"."""
    confidence: float = 1.0


class Condition(Struct, frozen=True, forbid_unknown_fields=True):
    """One test on the home, read fresh when it is needed.

    With `than`, it is none by itself: what the value of the one before it, which has none, is compared with.
    """

    target: Target
    attribute: Attribute = "state"
    comparator: Comparator = "eq"
    value: float | str | None = None
    high: float | None = None
    """The upper bound, for `between`."""
    unit: Unit | None = None
    negated: bool = False
    for_s: float | None = None
    """So long it must have been so: "if the door is open for five minutes"."""
    button: str | None = None
    """Of an `event`: which button of several, or which way: "the left button of the remote is pressed"."""
    confidence: float = 1.0


class Hours(Struct, frozen=True, forbid_unknown_fields=True):
    """The hours in which something is forbidden, or a trigger counts, as local times "HH:MM", "sunrise" or "sunset".

    Without a start they begin at midnight, without an end they last until then; an end before the start is that of the
    next day.
    """

    start: str | None = None
    end: str | None = None
    days: tuple[str, ...] = ()
    """"mon".."sun", or single days as ISO dates, on which they begin; none: every day."""


class When(Struct, frozen=True, forbid_unknown_fields=True):
    """When to act, where that is not now. At most one of `delay_s` and `time`; `duration_s` may stand with either."""

    delay_s: float | None = None
    time: str | None = None
    """Local time of day, "HH:MM", or "sunrise" / "sunset"."""
    twelve: bool = False
    """Nobody said which half of the day `time` is in: "at 7" ("07:00") may be 19:00."""
    follows: str | None = None
    """The time of what is done before it, where nobody said its half of the day either: the first `time` after that."""
    offset_s: float | None = None
    """So long after `time`, or before it where negative: "half an hour before sunset"."""
    days: tuple[str, ...] = ()
    """"mon".."sun", or ("daily",): each of them, for a standing rule."""
    once: bool = False
    """The next of `days` only: "on Monday", not "every Monday"."""
    interval: int | None = None
    """So many days from each to the next of a standing time: 2 of "every other day", 14 of "every other Monday"."""
    week: int | None = None
    """The calendar week that such a day is in, from Monday on: 0 this one, 1 the next (下周三); None where unsaid."""
    day_offset: int | None = None
    """0 today, 1 tomorrow; None where no day was named."""
    duration_s: float | None = None
    """Undo after this time: "for 20 minutes"."""
    until: str | None = None
    """As `time`: "until seven"."""
    until_twelve: bool = False
    """As `twelve`, of `until`."""
    until_so: bool = False
    """It lasts until the conditions of the clause come true: "until it is below 22". They are none of its beginning."""
    daytime: Literal["am", "pm", "night"] | None = None
    """The part of the day, where it was said without a time: "tomorrow morning"."""
    vague: bool = False
    """Later, and nobody said when: "in a while", "tomorrow morning"."""
    repeating: bool = False
    """True for a condition that is a trigger: "when(ever) the door opens"."""
    every: bool = False
    """Each time that the trigger happens, not the next time only: "whenever the door opens"."""
    hours: Hours | None = None
    """Where the trigger counts in these hours only: "whenever the door opens after dark"."""
    also: tuple[When, ...] = ()
    """Other times of the same ("at six and at seven"), until each has a clause of its own (`moments.at_each_time`)."""
    beyond: Beyond | None = None
    """What was said of when, or of what it depends on, that nothing here can go by: then nothing is done at all."""
    said: str | None = None
    """The words for that, as spoken."""
    confidence: float = 1.0


class Common(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="intent"):
    """What every clause can have; `Clause` is one of the variants below, told apart by `intent`.

    What a variant has no field for can be read of it all the same, and is not there.
    """

    conditions: tuple[Condition, ...] = ()
    condition_join: Literal["and", "or"] = "and"
    when: When | None = None
    negated: bool = False
    """"don't turn on ...": nothing may be done."""
    confidence: float = 1.0
    """0 to 1, of the clause as a whole; slots have their own."""

    @property
    def _common(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in Common.__struct_fields__}

    @property
    def action(self) -> Action | None:
        """The verb, where it has one."""
        return None

    @property
    def targets(self) -> tuple[Target, ...]:
        """What it is about."""
        return ()

    @property
    def excluded(self) -> tuple[Target, ...]:
        """What it spares."""
        return ()

    @property
    def parameter(self) -> Parameter | None:
        """What it changes, or asks after."""
        return None

    @property
    def implicit(self) -> bool:
        """Whether it is a need rather than a command."""
        return False

    @property
    def elliptic(self) -> bool:
        """Whether it leaves out what it is done to."""
        return False

    @property
    def either(self) -> bool:
        """Whether it leaves open which of its targets is meant."""
        return False

    @property
    def is_plain(self) -> bool:
        """Whether it is for now, on no condition, and of all that it names."""
        return not (self.negated or self.conditions or self.excluded or self.when)

    @property
    def leans(self) -> bool:
        """Whether it is about nothing but what was spoken of: "turn it off"."""
        return bool(self.targets) and all(target.reference in PRONOUNS for target in self.targets)

    @property
    def is_scene(self) -> bool:
        """Whether it is a scene by its name: "movie night"."""
        return self.action == "activate"
