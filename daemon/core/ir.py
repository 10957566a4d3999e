"""The intermediate representation (IR): what an utterance says, and nothing about which devices exist.

The grammar, the small model and the dialogue all produce a `Program`. Every value is frozen; names are kept as they
were spoken (*mentions*) and only `daemon.home` turns them into entities. `validate` is the one gate through which
foreign data (model output, stored rules) becomes a `Program`.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, ValidationError

from daemon.core.errors import IRError
from daemon.core.values import converted
from daemon.core.vocabulary import (
    ACTIONS,
    ATTRIBUTES,
    KINDS,
    Action,
    Attribute,
    Beyond,
    Comparator,
    Intent,
    Kind,
    Lang,
    Media,
    Move,
    Op,
    Quantifier,
    QueryKind,
    Reference,
    Source,
    Unit,
)

__all__ = [
    "ACTIONS", "ATTRIBUTES", "KINDS", "Action", "Agenda", "Attribute", "Beyond", "Clause", "Comparator",
    "Condition", "DialogueMove", "Hours", "Intent", "Kind", "Lang", "Lesson", "Media", "Move", "Op", "Parameter",
    "Program", "Quantifier", "QueryKind", "Reference", "Source", "Target", "Timer", "Unit", "When",
    "validate",
]  # fmt: skip


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
    toward: Literal["increase", "decrease"] | None = None
    """The way that it goes, as said, where a value is set: "turn it up to 40"."""
    confidence: float = 1.0


class Condition(Struct, frozen=True, forbid_unknown_fields=True):
    """One test on the home, read fresh when it is needed."""

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
    confidence: float = 1.0


class When(Struct, frozen=True, forbid_unknown_fields=True):
    """When to act, where that is not now. At most one of `delay_s` and `time`; `duration_s` may stand with either."""

    delay_s: float | None = None
    time: str | None = None
    """Local time of day, "HH:MM", or "sunrise" / "sunset"."""
    twelve: bool = False
    """Nobody said which half of the day `time` is in: "at 7" ("07:00") may be 19:00."""
    offset_s: float | None = None
    """So long after `time`, or before it where negative: "half an hour before sunset"."""
    days: tuple[str, ...] = ()
    """"mon".."sun", or ("daily",): each of them, for a standing rule."""
    once: bool = False
    """The next of `days` only: "on Monday", not "every Monday"."""
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
    daytime: Literal["am", "pm", "night"] | None = None
    """The part of the day, where it was said without a time: "tomorrow morning"."""
    vague: bool = False
    """Later, and nobody said when: "in a while", "tomorrow morning"."""
    repeating: bool = False
    """True for a condition that is a trigger: "when(ever) the door opens"."""
    every: bool = False
    """Each time that the trigger happens, not the next time only: "whenever the door opens"."""
    beyond: Beyond | None = None
    """What was said of when, or of what it depends on, that nothing here can go by: then nothing is done at all."""
    said: str | None = None
    """The words for that, as spoken."""
    confidence: float = 1.0


class Timer(Struct, frozen=True, forbid_unknown_fields=True):
    """A kitchen timer: not about devices."""

    op: Literal["start", "cancel", "cancel_all", "pause", "resume", "increase", "decrease", "query"] = "start"
    seconds: float | None = None
    name: str | None = None
    start_seconds: float | None = None
    """The original length, where a running timer is named by it: "my 20 minute timer"."""
    place: str | None = None
    """Where it was set, as spoken: "the timer in the kitchen"."""
    reminds: str | None = None
    """A reminder, of this ("take out the trash"); empty where nobody said of what. When it is, the clause says."""


class DialogueMove(Struct, frozen=True, forbid_unknown_fields=True):
    """An answer or a remark about the conversation itself."""

    move: Move
    index: int | None = None
    """1-based for `select`; -1 is "the last one"."""
    text: str | None = None
    """The free part: "the bedroom one" -> "bedroom"; "call it X" -> "X"."""
    value: float | str | None = None
    unit: Unit | None = None
    always: bool = False
    """ "..., always": the choice holds from now on."""
    when: When | None = None
    """For `time`."""


class Lesson(Struct, frozen=True, forbid_unknown_fields=True):
    """Words, and what they are to mean; or a question about what was learnt. The clause's targets are what is meant.

    `name`: the target is also called `word`. `prefer`: by `word` the speaker means the target, or else `value`.
    `forget`: `word` is no longer to mean anything learnt; without a word, nothing is. `list`: what has been learnt?
    `names`: what is the target called?
    """

    op: Literal["name", "prefer", "forget", "list", "names"]
    word: str | None = None
    value: float | str | None = None
    unit: Unit | None = None


class Agenda(Struct, frozen=True, forbid_unknown_fields=True):
    """A question about what was kept for later, or that it be dropped; or what time, or what day, it is now.

    Which of it is meant, the clause says: its action, its targets, its time. `cancel_all` means all that fits.
    """

    op: Literal["list", "cancel", "cancel_all", "clock", "day"]
    sort: Literal["timers", "rules", "times", "bans"] | None = None
    """Only such: timers; what waits for something to happen, or is forbidden; what waits for its time; what is
    forbidden. None: whatever there is."""
    last: bool = False
    """What was kept last: "cancel the last one"."""


class Hours(Struct, frozen=True, forbid_unknown_fields=True):
    """The hours in which something is forbidden, as local times "HH:MM", "sunrise" or "sunset".

    Without a start they begin at midnight, without an end they last until then; an end before the start is that of the
    next day.
    """

    start: str | None = None
    end: str | None = None
    days: tuple[str, ...] = ()
    """"mon".."sun", on which they begin; none: every day."""


class Clause(Struct, frozen=True, forbid_unknown_fields=True):
    """One command or question."""

    intent: Intent
    action: Action | None = None
    targets: tuple[Target, ...] = ()
    excluded: tuple[Target, ...] = ()
    parameter: Parameter | None = None
    query: QueryKind | None = None
    conditions: tuple[Condition, ...] = ()
    condition_join: Literal["and", "or"] = "and"
    when: When | None = None
    timer: Timer | None = None
    dialogue: DialogueMove | None = None
    lesson: Lesson | None = None
    agenda: Agenda | None = None
    hours: Hours | None = None
    """When it is forbidden; None: whenever its conditions hold."""
    topic: str | None = None
    """For `help`: what was asked about, as spoken. With `query` `which`: what is there, rather than what to say."""
    rooms: bool = False
    """The rooms are asked for, not what is in them: "which rooms have lights on"."""
    elliptic: bool = False
    """The target may be left out in the language spoken (关了吧): what was spoken of just now, where anything was."""
    implicit: bool = False
    """A need rather than a command ("it's too dark in here"): the gate must not act on it unasked."""
    negated: bool = False
    """"don't turn on ...": nothing may be done."""
    anyone: bool = False
    """A standing permission to let people in ("unlock the door for whoever rings"): nobody is given that."""
    either: bool = False
    """Only one of the targets is meant, and only the speaker knows which: "the lamp or the fan"."""
    confidence: float = 1.0
    """0 to 1, of the clause as a whole; slots have their own."""


class Program(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything one utterance says."""

    clauses: tuple[Clause, ...]
    source: Source
    lang: Lang
    text: str = ""
    """The normalized text that was understood."""
    confidence: float = 1.0
    needs_fallback: bool = False
    """The grammar has no sure reading: ask the model, then the user."""
    missing: str | None = None
    """What was expected where a sentence breaks off: "target", "value", or another part of it ("more", "place", "time",
    "except", "condition"), or the bound of a condition ("above", "below": "if it's hot"); None for a whole sentence."""

    @property
    def is_guess(self) -> bool:
        """Whether it is a doubtful reading of a whole sentence that was not decided to be one: no need, no choice."""
        decided = any(clause.implicit or clause.either or clause.intent == "chat" for clause in self.clauses)
        return self.needs_fallback and self.missing is None and not decided


def validate(data: object) -> Program:
    """A `Program` from JSON data.

    Raises:
        IRError: unknown fields, words outside the closed sets, wrong types; one line that names the first of them.
    """
    try:
        return converted(data, Program)
    except ValidationError as error:
        raise IRError(f"not an IR: {error}") from None
