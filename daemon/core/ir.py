"""The intermediate representation (IR): what an utterance says, and nothing about which devices exist.

The grammar, the small model and the dialogue all produce a `Program`. Every value is frozen; names are kept as they
were spoken (*mentions*) and only `daemon.home` turns them into entities. `validate` is the one gate through which
foreign data (model output, stored rules) becomes a `Program`.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct, ValidationError

from daemon.core.errors import IRError
from daemon.core.slots import Common, Condition, Hours, Parameter, Target, When
from daemon.core.values import converted
from daemon.core.vocabulary import (
    ACTIONS,
    ATTRIBUTES,
    KINDS,
    Action,
    Attribute,
    Beyond,
    Comparator,
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
    "ACTIONS", "ATTRIBUTES", "KINDS", "AboutAgenda", "AboutList", "Action", "Attribute", "Beyond", "Broadcast", "Chat",
    "Clause", "Comparator", "Condition", "DialogueMove", "Fix", "Help", "Hours", "Inquiry", "Kind", "Lang", "Lesson",
    "Media", "Move", "Op", "Order", "Parameter", "Permission", "Program", "Prohibition", "Quantifier", "QueryKind",
    "Reference", "Source", "Target", "Timer", "Unit", "Unread", "When", "validate",
]  # fmt: skip


class Order(Common, frozen=True, tag="act"):
    """What is to be done, now or later, once or whenever something happens."""

    action: Action | None = None
    targets: tuple[Target, ...] = ()
    excluded: tuple[Target, ...] = ()
    parameter: Parameter | None = None
    elliptic: bool = False
    """The target may be left out in the language spoken (关了吧): what was spoken of just now, where anything was."""
    implicit: bool = False
    """A need rather than a command ("it's too dark in here"): the gate must not act on it unasked."""
    complaint: bool = False
    """What is wrong with a thing, which is named ("the fan is too fast"): done, but asked about where that is off."""
    anyone: bool = False
    """A standing permission to let people in ("unlock the door for whoever rings"): nobody is given that."""
    either: bool = False
    """Only one of the targets is meant, and only the speaker knows which: "the lamp or the fan"."""


class Prohibition(Common, frozen=True, tag="forbid"):
    """What is never to be done, or not while its conditions hold, or in some hours."""

    action: Action | None = None
    targets: tuple[Target, ...] = ()
    excluded: tuple[Target, ...] = ()
    parameter: Parameter | None = None
    hours: Hours | None = None
    """When it is forbidden; None: whenever its conditions hold."""


class Permission(Common, frozen=True, tag="permit"):
    """What may be done again."""

    action: Action | None = None
    targets: tuple[Target, ...] = ()
    excluded: tuple[Target, ...] = ()
    parameter: Parameter | None = None

    def order(self) -> Order:
        """What is permitted, as an order."""
        return Order(self.action, self.targets, self.excluded, self.parameter, **self._common)


class Inquiry(Common, frozen=True, tag="query"):
    """What somebody wants to know of the home."""

    query: QueryKind
    targets: tuple[Target, ...] = ()
    excluded: tuple[Target, ...] = ()
    parameter: Parameter | None = None
    rooms: bool = False
    """The rooms are asked for, not what is in them: "which rooms have lights on"."""
    contrary: bool = False
    """Said as what is not so, where yes and no agree with what was said: 没漏水吧."""

    @property
    def action(self) -> Action:
        """That of every question."""
        return "query"


class Timer(Common, frozen=True, tag="timer"):
    """A kitchen timer, or a reminder: not about devices."""

    op: Literal["start", "cancel", "cancel_all", "pause", "resume", "increase", "decrease", "query"] = "start"
    seconds: float | None = None
    name: str | None = None
    start_seconds: float | None = None
    """The original length, where a running timer is named by it: "my 20 minute timer"."""
    place: str | None = None
    """Where it was set, as spoken: "the timer in the kitchen"."""
    reminds: str | None = None
    """A reminder, of this ("take out the trash"); empty where nobody said of what. `when` says when it is."""


class AboutAgenda(Common, frozen=True, tag="later"):
    """A question about what was kept for later, or that it be dropped; or what time or day it is; or of the sun.

    Which of it is meant, its action, its targets and its time say. `cancel_all` means all that fits; `skip`, that what
    is for each day is not done on that of `when`.
    """

    op: Literal["list", "cancel", "cancel_all", "skip", "clock", "day", "sun"]
    action: Action | None = None
    targets: tuple[Target, ...] = ()
    excluded: tuple[Target, ...] = ()
    parameter: Parameter | None = None
    sort: Literal["timers", "rules", "times", "bans"] | None = None
    """Only such: timers; what waits for something to happen, or is forbidden; what waits for its time; what is
    forbidden. None: whatever there is."""
    last: bool = False
    """What was kept last: "cancel the last one"."""
    just: bool = False
    """Of what was kept for later just now."""


class AboutList(Common, frozen=True, tag="list"):
    """Something of a list that people keep: what to buy, what to do. About no device.

    `has`: are the items on it? `lists`: which lists are there? `drop`: the list itself goes. `off`: "take that off
    again", what was just put on one, or else a device. `also`: the same with these, after something of a list;
    `instead`: these for the one thing that was just put on it.
    """

    op: Literal["add", "remove", "off", "also", "instead", "clear", "tell", "count", "has", "lists", "make", "drop"]
    name: str | None = None
    """Which list: `shopping`, `todo` or any other by its own name; None where nobody said it."""
    items: tuple[str, ...] = ()
    """As they were said, and nothing but words. None of them for `remove`: what was just put on it."""
    implicit: bool = False
    """Said in passing: a need ("we are out of milk") is offered, what was bought is looked for and no more."""

    @property
    def elliptic(self) -> bool:
        """Whether it is nothing by itself."""
        return self.op in ("also", "instead")


class Broadcast(Common, frozen=True, tag="broadcast"):
    """Words for people to hear, as they were said: in the whole house or in `places`, less what is `spared`."""

    message: str
    places: tuple[Target, ...] = ()
    spared: tuple[Target, ...] = ()


class Lesson(Common, frozen=True, tag="learn"):
    """Words, and what they are to mean; or a question about what was learnt. The targets are what is meant.

    `name`: the target is also called `word`. `prefer`: by `word` the speaker means the target, or else `value`.
    `forget`: `word` is no longer to mean anything learnt; without a word, nothing is. `list`: what has been learnt?
    `names`: what is the target called?
    """

    op: Literal["name", "prefer", "forget", "list", "names"]
    word: str | None = None
    targets: tuple[Target, ...] = ()
    excluded: tuple[Target, ...] = ()
    value: float | str | None = None
    unit: Unit | None = None


class DialogueMove(Common, frozen=True, tag="dialogue"):
    """An answer or a remark about the conversation itself. For `time`, `when` is it."""

    move: Move
    index: int | None = None
    """1-based for `select`; -1 is "the last one"."""
    text: str | None = None
    """The free part: "the bedroom one" -> "bedroom"; "call it X" -> "X"."""
    value: float | str | None = None
    unit: Unit | None = None
    always: bool = False
    """ "..., always": the choice holds from now on."""
    targets: tuple[Target, ...] = ()
    """For `undo`: these only. None: all of it."""
    first: bool = False
    """For `undo`: as it was before the first change of this conversation, not only before the last."""


class Fix(DialogueMove, frozen=True, tag="fix"):
    """A move (`correct`, `follow`) that says what is to be done as well: other targets, another value or verb."""

    action: Action | None = None
    excluded: tuple[Target, ...] = ()
    parameter: Parameter | None = None
    query: QueryKind | None = None

    def order(self) -> Order:
        """What is to be done, as an order of its own."""
        return Order(self.action, self.targets, self.excluded, self.parameter, **self._common)

    def inquiry(self) -> Inquiry:
        """What is asked, as a question of its own."""
        return Inquiry(self.query or "state", self.targets, self.excluded, self.parameter, **self._common)


class Help(Common, frozen=True, tag="help"):
    """What can be said; with `query`, what there is."""

    topic: str | None = None
    """What was asked about, as spoken."""
    query: QueryKind | None = None


class Chat(Common, frozen=True, tag="chat"):
    """Talk that is not for us."""


class Unread(Common, frozen=True, tag="unread"):
    """Words that nobody understood, set off from what was understood of the same utterance."""

    text: str


Clause = (
    Order | Prohibition | Permission | Inquiry | Timer | AboutAgenda | AboutList | Broadcast | Lesson | DialogueMove
    | Fix | Help | Chat | Unread
)  # fmt: skip
"""One command, question or remark."""

_SLIGHT: Final = frozenset[Action]({
    "set", "increase", "decrease", "turn_on", "turn_off", "open", "close", "pause", "mute", "unmute", "next",
    "stop", "dock", "lock",
})  # fmt: skip
"""What is done at once and undone by its contrary."""


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
    def sole(self) -> Clause | None:
        """Its clause, where that is the only one."""
        return self.clauses[0] if len(self.clauses) == 1 else None

    @property
    def is_beyond(self) -> bool:
        """Whether it depends on something that nothing here can go by."""
        return any(item.when is not None and item.when.beyond is not None for item in self.clauses)

    @property
    def is_partial(self) -> bool:
        """Whether some of its words were not understood."""
        return any(isinstance(item, Unread) for item in self.clauses)

    @property
    def is_decided(self) -> bool:
        """Whether what is doubtful of it is meant to be: a need, a choice, talk, a sentence that breaks off."""
        return self.missing is not None or any(
            item.implicit or item.either or isinstance(item, Chat) for item in self.clauses
        )

    @property
    def is_slight(self) -> bool:
        """Whether no more is wanted than one thing switched, moved or set, here and now, a mere value, or a timer.

        Who is wrong about that is told so at once, and has lost a word; what is risky is asked about anyway.
        """
        said = self.sole
        if said is None or self.missing is not None or said.when is not None or said.conditions or said.negated:
            return False
        if not isinstance(said, Order):
            starts = isinstance(said, Timer) and said.op in ("start", "query")
            return starts or (isinstance(said, DialogueMove) and said.move == "value")
        few = len(said.targets) <= 1 and all(item.quantifier == "one" and not item.plural for item in said.targets)
        return said.action in _SLIGHT and few and not (said.excluded or said.implicit or said.either or said.anyone)

    @property
    def is_guess(self) -> bool:
        """Whether it is a doubtful reading of a whole sentence that was not decided to be one."""
        return self.needs_fallback and not self.is_decided


def validate(data: object) -> Program:
    """A `Program` from JSON data.

    Raises:
        IRError: unknown fields, words outside the closed sets, wrong types; one line that names the first of them.
    """
    try:
        return converted(data, Program)
    except ValidationError as error:
        raise IRError(f"not an IR: {error}") from None
