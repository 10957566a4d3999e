"""What is said of the time of several commands, one after the other: what one leaves out is as it was said before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from daemon.core.ir import Clause, Inquiry, Order, Target, Timer, Unread, When
from daemon.core.values import replace
from daemon.core.vocabulary import PRONOUNS, WEEK
from daemon.understand.build_act import switched

_AGAINST: Final = {
    "turn_on": {"turn_off", "close"},
    "turn_off": {"turn_on", "open"},
    "open": {"close", "turn_off"},
    "close": {"open", "turn_on"},
    "lock": {"unlock", "open"},
    "unlock": {"lock", "close"},
    "start": {"stop", "pause", "dock", "turn_off", "close"},
    "play": {"stop", "pause", "turn_off"},
    "set": {"turn_off", "close"},
}
"""Action -> what takes it back."""
_ALIKE: Final = ({"turn_on", "open"}, {"turn_off", "close"})
"""What is the same of whatever can only be one of them."""
_ENDS: Final = frozenset({"turn_off", "close", "stop", "pause"})
_BEGINS: Final = frozenset({"turn_on", "open", "start"})
_DOUBTFUL: Final = 0.5
"""Asked about in every home."""
_HALF, _DAY, _HOUR, _SMALL_HOURS = 12 * 60, 24 * 60, 60, 5 * 60
"""In minutes."""


def along(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """The clauses, each at the time of the one before where it says no more than how that is to be."""
    out: list[Clause] = []
    for clause in clauses:
        out.append(along_with(clause, out[-1]) if out else clause)
    return tuple(out)


def along_with(clause: Clause, before: Clause) -> Clause:
    """As "the radio on at eight, volume fifteen", "open it at eight and set it to half": of the same, and so then, too.

    What would take back what is for later may be for now, and is doubtful: "the lamp on at seven, turn it off".
    """
    later = before.when is not None and endless(before.when) is not None
    if not (later and isinstance(clause, Order) and isinstance(before, Order)) or clause.when or clause.conditions:
        return clause
    if not _is_of_the_same(clause, before):
        return clause
    if clause.action in _AGAINST.get(before.action or "", ()):
        return replace(clause, confidence=min(clause.confidence, _DOUBTFUL))
    return at_the_time_of(clause, before)


def at_the_time_of(clause: Order, giver: Clause) -> Order:
    """The clause with the conditions of another, and its time where it has none of its own.

    How long is said of its own verb: "at seven turn on the TV for ten minutes and turn off the fan".
    """
    clause = replace(clause, conditions=giver.conditions, condition_join=giver.condition_join)
    if clause.when is not None or giver.when is None:
        return clause
    lasts = giver.when.time is not None or giver.when.delay_s is not None
    return replace(clause, when=replace(giver.when, duration_s=None) if lasts else giver.when)


def besides(clause: Clause, before: Sequence[Clause]) -> Clause:
    """What is done along with what was said before it, and so when that is: "wake me at three, *and then too* ..."."""
    giver = before[-1] if before else None
    then = giver.when if giver is not None else None
    if giver is None or then is None or not (then.time or then.delay_s or then.repeating or then.vague):
        return clause
    if not isinstance(clause, Order) or clause.when is not None or clause.conditions:
        return clause
    return at_the_time_of(clause, giver)


def in_those_rooms(first: Clause | None, second: Clause) -> Order | None:
    """One start of a vacuum that is sent out and then told where: "start the vacuum, clean just the hall"."""
    if not (isinstance(first, Order) and isinstance(second, Order)) or len(first.targets) != 1 or second.when:
        return None
    where = [(target.kind, target.mention, bool(target.areas)) for target in second.targets] == [("vacuum", None, True)]
    said = first.excluded or first.targets[0].areas or first.targets[0].floors
    if not where or said or not first.action == second.action == "start":
        return None
    named = replace(first.targets[0], areas=second.targets[0].areas, cleans=True)
    return replace(second, targets=(named,), when=first.when, conditions=first.conditions)


def endless(when: When) -> When | None:
    """The time less how long it lasts; None where nothing is left."""
    left = replace(when, duration_s=None, until=None, until_twelve=False)
    return left if left != When() else None


def in_order(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """The clauses, each on the day and in the half of the day of the one before, where it says neither.

    As "every day at eight pm the lamp on, and at eleven off", "tomorrow at seven open the blinds, at eight the window".
    """
    out: list[Clause] = []
    for clause in _checked(clauses):
        if out and _is_said_again(out[-1], clause):
            continue
        if out and (ended := _ended_by(out[-1], clause)) is not None:
            out[-1] = ended
            continue
        if out and (both := _habit(out[-1], clause)) is not None:
            out[-1], clause = both  # noqa: PLW2901 - as it is meant
        if out and (daily := _as_often(out[-1], clause)) is not None:
            out[-1] = daily
        last = next((item for item in reversed(out) if _is_timed(item.when)), None)
        if last is not None and isinstance(clause, Order) and isinstance(last, Order | Timer) and clause.when:
            clause = _after(clause, last, clause.when, last.when or When())  # noqa: PLW2901 - as it is meant
        out.append(clause)
    return tuple(out)


def _is_said_again(before: Clause, clause: Clause) -> bool:
    """Whether it is the order before it once more, of all that this was about (灯关了，都关), or how that ends anyway.

    As "keep it on till it's under sixty, then it can stop".
    """
    if not (isinstance(before, Order) and isinstance(clause, Order)) or clause.parameter or clause.excluded:
        return False
    if before.when is not None and before.when.until_so and clause.action in _ENDS and _is_of_the_same(clause, before):
        return clause.when in (None, before.when) and clause.conditions in ((), before.conditions)
    same = clause.action == before.action or {clause.action, before.action} in _ALIKE
    them = [(target.reference, target.areas, target.floors) for target in clause.targets] == [("them", (), ())]
    then = clause.when in (None, before.when) and clause.conditions in ((), before.conditions)
    return same and them and then and not (before.parameter or clause.negated or before.negated)


def _ended_by(before: Clause, clause: Clause) -> Order | None:
    """What waits for something, and lasts so long: "when somebody passes turn it on, and off two minutes later".

    And what goes on so long before it is ended, or is to: 让它再转五分钟就关, 七点打开风扇，吹一刻钟.
    """
    first, then = before.when, clause.when
    if not (isinstance(before, Order) and isinstance(clause, Order) and then) or clause.conditions:
        return None
    if not _is_of_the_same(clause, before):
        return None
    if {before.action, clause.action} <= _BEGINS and then == When(duration_s=then.duration_s) and not clause.parameter:
        return replace(before, when=replace(first or When(), duration_s=then.duration_s))
    if clause.action not in _AGAINST.get(before.action or "", ()):
        return None
    if (
        first is None
        and before.action in _BEGINS
        and not before.conditions
        and then == When(duration_s=then.duration_s)
    ):
        return replace(before, when=then)
    if first is None or not first.repeating or endless(first) != first or then != When(delay_s=then.delay_s):
        return None
    return replace(before, when=replace(first, duration_s=then.delay_s))


def _habit(before: Clause, clause: Clause) -> tuple[Order, Order] | None:
    """Who says when it is to come on and when to go off again means each time: 有人经过就开灯，两分钟没人再关掉."""
    if not (isinstance(before, Order) and isinstance(clause, Order) and before.when and clause.when):
        return None
    opposite = clause.action in _AGAINST.get(before.action or "", ()) and _is_of_the_same(clause, before)
    if not (opposite and before.when.repeating and clause.when.repeating):
        return None
    return replace(before, when=replace(before.when, every=True)), replace(
        clause, when=replace(clause.when, every=True)
    )


def _as_often(before: Clause, clause: Clause) -> Order | None:
    """What is as often as what takes it back: "the lamp on at dusk and off at sunrise, every day"."""
    first, then = before.when, clause.when
    if not (isinstance(before, Order) and isinstance(clause, Order) and _is_timed(first) and _is_timed(then)):
        return None
    assert first is not None
    assert then is not None
    if first.days or first.day_offset is not None or not then.days or then.once or not _is_of_the_same(clause, before):
        return None
    return replace(before, when=replace(first, days=then.days, interval=then.interval))


def _checked(clauses: Sequence[Clause]) -> Sequence[Clause]:
    """What is looked at at a time, and what is to be done if it isn't so: that is done then, on that condition.

    As "every night at eleven check the door and lock it if it isn't locked".
    """
    out: list[Clause] = []
    for clause in clauses:
        asked = out[-1] if out else None
        timed = isinstance(asked, Inquiry) and asked.when is not None and asked.when.time is not None
        if not (asked and timed and isinstance(clause, Order) and clause.conditions and clause.when is None):
            out.append(clause)
            continue
        it = [item.reference for item in clause.targets] in (["it"], ["them"], ["that"])
        targets = asked.targets if it else clause.targets
        out[-1] = switched(replace(clause, targets=targets, when=asked.when))
    return out


def hanging(clauses: Sequence[Clause], hangs: Callable[[str], bool]) -> tuple[Clause, ...]:
    """The clauses; what stands behind words that nobody understands, and on which it depends, is marked so.

    Where nothing stands behind them, it is what stands before.

    Args:
        clauses: In their order.
        hangs: Whether what is done depends on such words.
    """
    first = next((at for at, item in enumerate(clauses) if isinstance(item, Unread) and hangs(item.text)), None)
    if first is None:
        return tuple(clauses)
    behind = any(isinstance(item, Order) for item in clauses[first:])
    return tuple(depending(item) if at > first or not behind else item for at, item in enumerate(clauses))


def depending(clause: Clause) -> Clause:
    """The clause, of which something was not understood that it depends on."""
    return (
        replace(clause, when=replace(clause.when or When(), beyond="unread")) if isinstance(clause, Order) else clause
    )


def no_hour(made: Clause, before: Sequence[Clause], *, said: bool) -> None:
    """Lets nothing be set to what may be the next hour: "turn on the lamp at eight and the TV at nine".

    Args:
        made: What is to be done next.
        before: What was said before it: no value, but a time.
        said: Whether its value is a bare number behind "at".

    Raises:
        ValueError: it may be one.
    """
    last, value = before[-1] if before else None, made.parameter.value if made.parameter is not None else None
    if not said or last is None or last.parameter is not None or last.when is None or not isinstance(value, float):
        return
    if _is_timed(last.when) and _minutes(last.when) is not None and _may_be_a_time(value):
        raise ValueError("an hour, and no value")


def _may_be_a_time(value: float) -> bool:
    """Whether a number may be an hour, or one with its minutes: "at eleven", "at ten thirty"."""
    hour, minute = divmod(value, 100)
    return 1 <= value <= _HALF // _HOUR or (value > 100 and hour <= 2 * _HALF // _HOUR and minute < _HOUR)  # noqa: PLR2004 - 100 % is a level


def _is_timed(when: When | None) -> bool:
    return when is not None and when.time is not None and not (when.repeating or when.beyond or when.vague)


def _after(clause: Order, last: Clause, when: When, before: When) -> Order:
    if endless(when) == endless(before):
        return clause  # then, too
    same = isinstance(last, Order) and _is_of_the_same(clause, last)
    if when.delay_s is not None and not (when.repeating or when.beyond):
        # "At eight turn on the kettle, ten minutes later turn it off"; of another thing, it may be from now on.
        if not same:
            return replace(clause, confidence=min(clause.confidence, _DOUBTFUL))
        offset = (before.offset_s or 0.0) + when.delay_s
        return replace(clause, when=replace(before, offset_s=offset, duration_s=when.duration_s, until=when.until,
                                            until_twelve=when.until_twelve))  # fmt: skip
    if not _is_timed(when) or when.days or when.day_offset is not None:
        return clause
    when = replace(when, days=before.days, once=before.once, week=before.week, interval=before.interval,
                   day_offset=before.day_offset)  # fmt: skip
    return replace(clause, when=_in_the_half(when, before, same=same))


def _in_the_half(when: When, before: When, *, same: bool) -> When:
    """The time in the half of the day that the one before tells; of the `same` thing, it is the next such hour."""
    start, said = _minutes(before), _minutes(when)
    if start is None or said is None or before.offset_s or when.offset_s:
        return when
    if before.twelve:
        ordered = when.twelve and (same or start % _HALF < said % _HALF)
        return replace(when, follows=before.follows or before.time) if ordered else when
    if when.twelve:
        halves = sorted({said % _HALF, said % _HALF + _HALF})
        later = [half for half in halves if half > start and (same or half // _HALF == start // _HALF)]
        if not later and not same:
            return when  # "the heating off at ten pm, and the kettle on at seven"
        said = later[0] if later else halves[0]
        when = replace(when, time=f"{said // _HOUR:02}:{said % _HOUR:02}", twelve=False)
    return _next_day(when, before) if same and said <= start else when


def _next_day(when: When, before: When) -> When:
    """The time on the day after that of the one before: "tomorrow on at ten pm, and off at seven"."""
    if before.daytime == "night" and (_minutes(when) or 0) < _SMALL_HOURS:
        return replace(when, daytime="night")  # which begins in the evening, and lasts until then
    if when.day_offset is not None:
        return replace(when, day_offset=when.day_offset + 1)
    days = tuple(WEEK[(WEEK.index(day) + 1) % len(WEEK)] if day in WEEK else day for day in when.days)
    return replace(when, days=days)


def _minutes(when: When) -> int | None:
    """The time of the day in minutes; None where the sun tells it."""
    hour, _, minutes = (when.time or "").partition(":")
    return int(hour) * _HOUR + int(minutes) if minutes else None


def _is_of_the_same(clause: Order, before: Order) -> bool:
    plain = [replace(target, confidence=1.0) for target in clause.targets]
    return plain == [replace(target, confidence=1.0) for target in before.targets] or all(map(_is_unsaid, plain))


def _is_unsaid(target: Target) -> bool:
    """Whether it is nothing that has a name: "it", or what was spoken of."""
    named = target.mention or target.kind or target.areas or target.floors or target.whole_home
    return not named and (target.reference is None or target.reference in PRONOUNS)
