"""What a sure reading says against what was meant: both programs, compared by what would be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, get_args

from daemon.core.ir import Action, Clause, Inquiry, Order, Parameter, Program, Target, Timer

Verdict = Literal[
    "talk", "question", "opposite", "number", "act", "value", "thing", "time", "answer", "kept", "agreed", "asked",
    "unread",
]  # fmt: skip
"""What became of a phrase.

| word     | the grammar ...                                                                      |
| -------- | ------------------------------------------------------------------------------------ |
| talk     | is sure of a command where nothing was meant, or nobody could know what              |
| question | is sure of a command where a question, a need or a refusal was meant                 |
| opposite | does the opposite                                                                    |
| number   | hears more commands than there are, or fewer                                         |
| act      | does something else                                                                  |
| value    | does it to another value                                                             |
| thing    | does it to something else                                                            |
| time     | does it at another time, or under other conditions                                   |
| answer   | answers another question, or one that is none                                        |
| kept     | answers, or says what it is told to leave, where something was to be done            |
| agreed   | says the same; of talk: does nothing                                                 |
| asked    | is not sure: a home asks, refuses or asks the small model                            |
| unread   | reads nothing                                                                        |
"""
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
CONTRADICTIONS: Final = VERDICTS[: VERDICTS.index("agreed")]
"""The worst first."""

_SAME: Final[dict[Action | None, Action]] = {
    "open": "turn_on",
    "close": "turn_off",
    "start": "turn_on",
    "play": "resume",
}
"""What a device makes the same thing of: "open" a lamp is to turn it on."""
_OPPOSITES: Final = frozenset(
    frozenset(pair)
    for pair in (
        ("turn_on", "turn_off"), ("lock", "unlock"), ("increase", "decrease"), ("resume", "pause"), ("mute", "unmute"),
        ("turn_on", "lock"), ("turn_off", "unlock"), ("next", "previous"), ("resume", "stop"), ("turn_on", "stop"),
    )
)  # fmt: skip
_ASKED_ALIKE: Final = (
    frozenset({None, "running", "powered", "contact"}),
    frozenset({"co2", "aqi", "pm25"}),
    frozenset({"brightness", "set_point"}),
    frozenset({"battery", "battery_low"}),
)
"""Questions about these are answered by one another."""
_NEAR: Final = 1.0
"""Values that differ by no more are the same: degrees of another unit are rounded."""


def judged(meant: Program | None, read: Program | None, *, sure: bool, vague: bool = False) -> Verdict:
    """What became of a phrase.

    Args:
        meant: What it says; None where it is not for us, or nobody could know what to do.
        read: What the grammar makes of it, if anything.
        sure: Whether it would be acted on in a home that has what was named.
        vague: Whether it is about the home, though nobody could know what to do: a command that leaves open what it
            is about ("a bit more") agrees with that, for only what was spoken of before can tell.
    """
    if read is None:
        return "unread"
    if not sure:
        return "asked"
    if meant is None:
        return _heard_in_talk(read, vague=vague)
    deeds, wanted = _deeds(read), _deeds(meant)
    if not wanted:
        return _instead_of_a_question(read, meant)
    if not deeds:
        return "kept"
    if len(deeds) != len(wanted):
        return "number"
    return min((_deed(*pair) for pair in zip(deeds, wanted, strict=True)), key=VERDICTS.index)


def _heard_in_talk(read: Program, *, vague: bool) -> Verdict:
    deeds = _deeds(read)
    if deeds and not (vague and all(map(_is_bare, deeds))):
        return "talk"
    return "answer" if _questions(read) else "agreed"


def _instead_of_a_question(read: Program, meant: Program) -> Verdict:
    if deeds := _deeds(read):
        return "agreed" if all(_is_left(deed, meant.clauses) for deed in deeds) else "question"
    answers, asked = _questions(read), _questions(meant)
    same = len(answers) == len(asked) and all(map(_same_question, answers, asked))
    return "agreed" if same or not (answers or asked) else "answer"


def _deeds(program: Program) -> list[Clause]:
    """The clauses by which something is done, now or later."""
    return [
        clause
        for clause in program.clauses
        if isinstance(clause, Order | Timer) and not clause.negated and not clause.implicit
    ]


def _questions(program: Program) -> list[Clause]:
    return [clause for clause in program.clauses if isinstance(clause, Inquiry)]


def _is_bare(deed: Clause) -> bool:
    """Whether it says neither what it is about nor what of that."""
    nobody = all(not (item.mention or item.kind or item.areas or item.floors) for item in deed.targets)
    return nobody and (deed.parameter is None or deed.parameter.attribute == "value")


def _is_left(deed: Clause, meant: Sequence[Clause]) -> bool:
    """Whether a deed brings about no more than what it says to leave so: "leave it off" and "turn it off"."""
    return any(clause.negated and frozenset((_action(clause), _action(deed))) in _OPPOSITES for clause in meant)


def _deed(read: Clause, meant: Clause) -> Verdict:
    """How one deed differs from another."""
    actions = {_action(read), _action(meant)}
    if frozenset(actions) in _OPPOSITES:
        return "opposite"
    attributes = {_attribute(read), _attribute(meant)} - {"value"}
    if (
        len(actions) > 1
        or not (isinstance(read, Order | Timer) and isinstance(meant, Order | Timer))
        or len(attributes) > 1
    ):
        return "act"
    if not _same_value(read, meant):
        return "value"
    if not (_same_targets(read.targets, meant.targets) and len(read.excluded) == len(meant.excluded)):
        return "thing"
    return "agreed" if _times(read) == _times(meant) else "time"


def _action(clause: Clause) -> Action | None:
    """The action, by what comes of it: what rises and falls does so by its parameter."""
    op = clause.parameter.op if clause.parameter is not None else None
    if op in ("increase", "decrease"):
        return op
    return _SAME.get(clause.action, clause.action)


def _attribute(clause: Clause) -> str | None:
    attribute = clause.parameter.attribute if clause.parameter is not None else None
    return None if attribute == "state" else attribute


def _same_value(read: Clause, meant: Clause) -> bool:
    if read.parameter is None or meant.parameter is None:
        return read.parameter is meant.parameter
    ours, theirs = _amount(read.parameter), _amount(meant.parameter)
    if read.parameter.attribute == "media":
        return _within(str(ours), str(theirs)) or _within(str(theirs), str(ours))
    if isinstance(ours, str) or isinstance(theirs, str) or ours is None or theirs is None:
        return ours == theirs
    return abs(ours - theirs) <= _NEAR


def _within(title: str, said: str) -> bool:
    """Whether a title is what was said, or that with its sort: "the river song" is a song called river."""
    return len(title) >= len(said) / 2 and title in said


def _amount(parameter: Parameter) -> float | str | None:
    """The value; "a bit" is none, and as far as it goes is the end of the scale."""
    if parameter.unit == "step" or (parameter.op in ("max", "min") and parameter.attribute == "speed"):
        return None
    return {"max": 100.0, "min": 0.0}.get(parameter.op, parameter.value)


def _times(clause: Clause) -> tuple[object, ...]:
    """When, and under which conditions: how many, and whether each of them is at once."""
    when = clause.when
    timed = (when.delay_s, when.time, when.duration_s) if when is not None else (None, None, None)
    timer = clause.seconds if isinstance(clause, Timer) else None
    tests = tuple((item.attribute, item.comparator, item.value, item.negated) for item in clause.conditions)
    return timed, timer, tests


def _same_targets(read: Sequence[Target], meant: Sequence[Target]) -> bool:
    """Whether the same is meant; what nobody named, and "it", may be anything."""
    if not read or not meant or any(target.reference for target in (*read, *meant)):
        return True
    ours, theirs = sorted(map(_named, read)), sorted(map(_named, meant))
    return len(ours) == len(theirs) and all(map(_same_names, ours, theirs))


def _same_names(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two targets are the same; a number may be a part of a name, or tell which: "strip three"."""
    return one[1:] == other[1:] and (one[0].startswith(other[0]) or other[0].startswith(one[0]))


def _named(target: Target) -> tuple[str, ...]:
    """Whom a target means: by name, or by kind and place."""
    return (target.mention or target.kind or "", *sorted(target.areas), *sorted(target.floors))


def _same_question(read: Clause, meant: Clause) -> bool:
    """Whether two questions are about the same: how something stands says whether it is on."""
    one, other = _attribute(read), _attribute(meant)
    return one == other or any({one, other} <= alike for alike in _ASKED_ALIKE)
