"""Clause parts -> `Clause`: who is meant, what is to be done or told, when, and on what conditions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from daemon.core.ir import (
    ATTRIBUTES,
    AboutAgenda,
    AboutList,
    Broadcast,
    Chat,
    Clause,
    Condition,
    DialogueMove,
    Fix,
    Help,
    Inquiry,
    Kind,
    Lesson,
    Move,
    Order,
    Parameter,
    Permission,
    QueryKind,
    Target,
    Timer,
    Unit,
    When,
)
from daemon.core.values import replace
from daemon.core.vocabulary import PRONOUNS
from daemon.understand.build_act import build_act, gated
from daemon.understand.build_clock import woken
from daemon.understand.build_condition import joined, tested, until
from daemon.understand.build_confidence import least_sure, surely
from daemon.understand.build_forbid import forbidden
from daemon.understand.build_level import is_of_a_thing, of_the_air
from daemon.understand.build_places import each_a, in_each_place, in_groups, sharing_place, with_places
from daemon.understand.build_query import build_query
from daemon.understand.build_sets import all_alike, each_of, every, is_everything, left, numbered_alike, sharing
from daemon.understand.build_talk import build_lesson, build_words, topic
from daemon.understand.build_target import build_target, elsewhere, plays_of, scoped, target_from
from daemon.understand.build_value import Said, attribute_of, build_value
from daemon.understand.build_when import build_timer, timed
from daemon.understand.corrections import instead
from daemon.understand.moments import around
from daemon.understand.parts import Parts, Reading, any_has, parts_of

_MARKED: Mapping[str, type[Clause]] = {
    "chat": Chat, "help": Help, "learn": Lesson, "dialogue": DialogueMove, "later": AboutAgenda,
    "permit": Permission, "list": AboutList, "broadcast": Broadcast,
}  # fmt: skip
"""Marks of the grammar -> what they say that a clause is."""
_ENDS = frozenset({"turn_off", "close", "lock", "stop", "mute", "pause"})
_POINTING = frozenset({"it", "that"})
_FIXES = frozenset({"correct", "follow", "only", "back"})
"""Moves that say what is to be done as well."""


def build_clause(parts: Parts, reading: Reading) -> Clause:
    """The clause of a `Clause` node, as if it stood alone."""
    targets, excluded, either = _named(parts, reading)
    targets = gated(targets, parts, reading)
    said = build_value(parts, reading, targets[0].kind if targets else None)
    ending = parts.part("Ending")
    conditions, when = tested(parts, reading) if ending is None else until(parts, parts_of(ending), reading)
    conditions = of_the_air(conditions, targets) if when is not None and when.until_so else conditions
    if when is not None and when.time and parts.has("standing") and not (when.days or when.day_offset is not None):
        when = replace(when, days=("daily",))  # "automatically when it gets dark", "always at ten"
    made = build_words(kind_of(parts), parts, reading) or _variant(parts, reading, targets, excluded, said)
    made = replace(
        made,
        conditions=conditions,
        condition_join=joined(parts),
        when=_timed(made, conditions, when, parts, reading),
        negated=parts.has("negated"),
        confidence=least_sure(targets, excluded, conditions),
    )
    if isinstance(made, Inquiry):
        made = build_query(made, parts, said, reading)
    elif isinstance(made, Order):
        made = replace(
            _titled(_wished(made, parts, reading), parts, reading),
            elliptic=parts.has("elliptic"),
            implicit=parts.has("implicit") or (parts.has("complains") and not is_of_a_thing(made)),
            complaint=parts.has("complains") and is_of_a_thing(made),
            anyone=parts.has("anyone"),
            either=either and not made.negated,
        )
        if made.negated:
            made = forbidden(made, parts, reading)
    return surely(made, parts, reading.sure)


def _timed(
    made: Clause, conditions: tuple[Condition, ...], when: When | None, parts: Parts, reading: Reading
) -> When | None:
    when = woken(when, parts.mark("wakes"))
    if not isinstance(made, Timer):
        return when
    return timed(made, conditions, when, hour=around(parts.parts.get("When", ()), reading))


def _variant(
    parts: Parts, reading: Reading, targets: tuple[Target, ...], excluded: tuple[Target, ...], said: Said
) -> Clause:
    """The clause with what only its like has.

    Raises:
        ValueError: something is named that such a clause is never about.
    """
    kind, move = kind_of(parts), parts.mark("move")
    query = cast("QueryKind | None", parts.mark("query"))
    if kind is DialogueMove and move in _FIXES:
        return _fix(cast("Move", move), targets, excluded, parts, said, reading)
    if kind is Inquiry:
        if query == "any":
            targets = tuple(replace(item, quantifier="any") if item.quantifier == "all" else item for item in targets)
        return Inquiry(query or "state", targets, excluded, rooms=parts.has("rooms"), contrary=parts.has("contrary"))
    if kind in (Order, Permission):
        action, parameter = build_act(targets, parts, said)
        return (Order if kind is Order else Permission)(action, targets, excluded, parameter)
    if kind is AboutAgenda:
        action, parameter = build_act(targets, parts, said)
        about = attribute_of(parts, reading) if action is None else None
        parameter = parameter if about is None else Parameter(about)
        return AboutAgenda(
            cast("Literal['list', 'cancel', 'cancel_all', 'clock', 'day', 'sun']", parts.mark("agenda")),
            action, targets, excluded, parameter, last=parts.has("last"),
            sort=cast("Literal['timers', 'rules', 'times', 'bans'] | None", parts.mark("sort")),
        )  # fmt: skip
    if kind is Lesson:
        return replace(build_lesson(parts, reading), targets=targets, excluded=excluded)
    if kind is DialogueMove:
        choice = parts.part("Choice")
        return DialogueMove("select", text=reading.text(choice) if choice else None)
    if targets or excluded:
        raise ValueError(f"{kind.__name__} about something")
    if kind is Timer:
        return build_timer(parts.parts["Timer"][0], reading)
    topic = parts.part("Topic")
    return Help(reading.text(topic) if topic else None, query) if kind is Help else Chat()


def _named(parts: Parts, reading: Reading) -> tuple[tuple[Target, ...], tuple[Target, ...], bool]:
    """What the clause is about, what it spares, and whether only one of the targets is meant, nobody knows which."""
    inner = [parts_of(node) for node in parts.parts.get("Target", ())]
    targets, either = _meant(parts, inner, reading)
    places = [parts_of(node) for node in parts.parts.get("Scope", ())]
    excluded = _excluded([parts, *inner, *places], reading)
    if parts.has("dropped") and len(excluded) == 1 and (spoken := _spoken_of(targets, excluded[0])) is not None:
        targets, excluded = (spoken,), ()
    if excluded:
        targets, excluded = _taken_away(targets, numbered_alike(excluded, targets))
    if parts.has("every"):
        targets = every(targets)
    if kind_of(parts) is Order and parts.mark("action") in _ENDS and any_has(inner, "howmany"):
        # "Turn off any lights still on" is about as many as there are; "one of the lights" is about one.
        targets = tuple(
            replace(target, quantifier="all") if target.quantifier == "any" else target for target in targets
        )
    if parts.has("pointed"):
        targets = tuple(replace(target, pointed=target.reference in _POINTING) for target in targets)
    targets = left(sharing(targets), excluded)
    if places:
        targets = _within(targets, target_from(places[-1], reading), parts)
    if (marked := parts.mark("kind")) is not None:
        # "light up the house" is about its lights, though it does not say so.
        targets = tuple(_of_kind(target, cast("Kind", marked)) for target in targets)
    does = kind_of(parts) is Order and parts.mark("action") != "activate"
    if does and (plays := plays_of(parts, reading)) is not None:
        targets = tuple(replace(target, plays=plays) for target in targets or (Target(kind="media_player"),))
    return targets, excluded, either


def _within(targets: tuple[Target, ...], scope: Target, parts: Parts) -> tuple[Target, ...]:
    """The targets in the place of the whole clause; that place where nothing else is named.

    Raises:
        ValueError: all of them have another place, so that this one would be dropped.
    """
    if scope.areas and targets and all(item.areas and item.areas != scope.areas for item in targets):
        raise ValueError("two places")
    placed = tuple(scoped(target, scope) for target in targets) or (
        (scope,) if parts.mark("action") or parts.mark("query") or parts.has("again") or parts.word("MORE") else ()
    )
    return tuple(replace(target, cleans=True) for target in placed) if parts.mark("action") == "start" else placed


def kind_of(parts: Parts) -> type[Clause]:
    """Which variant was marked, or follows from what was said."""
    if (marked := parts.mark("intent")) is not None:
        return _MARKED[marked]
    if "Timer" in parts.parts:
        return Timer
    return Inquiry if parts.has("query") else Order


def _titled(clause: Order, parts: Parts, reading: Reading) -> Order:
    """The clause with the title of what is to be played."""
    if (node := parts.part("Title")) is None:
        return clause
    word = parts.word("MEDIA")
    sort = cast("Unit | None", reading.lexicon.value("MEDIA", reading.text(word)) if word is not None else None)
    title = parts_of(node).part("Title") or node
    return replace(clause, action="play", parameter=Parameter("media", "set", reading.text(title), sort))


def _wished(clause: Order, parts: Parts, reading: Reading) -> Order:
    """The clause with what the speaker likes best as its value, where that was said."""
    if (node := parts.part("Wish")) is None:
        return clause
    wish = topic(reading.text(node), reading)
    attribute = wish if wish in ATTRIBUTES else "source"
    return replace(clause, action="set", parameter=Parameter(attribute, wish=wish))


def _fix(
    move: Move, targets: tuple[Target, ...], excluded: tuple[Target, ...], parts: Parts, said: Said, reading: Reading
) -> Fix:
    """What is to be done, or asked, as well or instead."""
    query = cast("QueryKind | None", parts.mark("query"))
    if query is not None:
        action, parameter = None, build_query(Inquiry(query, targets), parts, said, reading).parameter
    else:
        action, parameter = build_act(targets, parts, said)
        if action is None and parameter is None and not targets and said.attribute is not None:
            parameter = Parameter(said.attribute)  # "no, I mean the humidity"
    return Fix(move, text=_words_of(targets), action=action, targets=targets, excluded=excluded, parameter=parameter,
               query=query)  # fmt: skip


def _words_of(targets: tuple[Target, ...]) -> str | None:
    """The words that a correction names something by."""
    target = targets[0] if targets else None
    return (target.mention or " ".join((*target.areas, *target.floors)) or None) if target is not None else None


def _of_kind(target: Target, kind: Kind) -> Target:
    if target.kind is not None or target.mention is not None or target.reference not in (None, "here"):
        return target
    return replace(target, kind=kind, quantifier="all")


def _meant(parts: Parts, inner: list[Parts], reading: Reading) -> tuple[tuple[Target, ...], bool]:
    """The targets, less those that were taken back; and whether only one of them is meant, nobody knows which."""
    said = tuple([target_from(item, reading) for item in inner])
    said = all_alike(said, reading.lexicon.words("KINDS"))
    if parts.has("apart") and len(said) == 2 and _is_open(said[0]):  # noqa: PLR2004 - "open it, the curtain"
        said, inner = said[1:], inner[1:]
    said = with_places(in_groups(sharing_place(said, inner), inner), inner, reading)
    either = any_has((parts, *inner), "either") or _adjoined(said, parts, inner)
    said = tuple(one for target, item in zip(said, inner, strict=True) for one in each_of(target, item, reading))
    if either and kind_of(parts) is Order:
        said = each_a(tuple(single for target in said for single in in_each_place(target)))
    swapped = parts.part("Instead")
    if swapped is None:
        return said, either and len(said) > 1 and kind_of(parts) is Order
    others = tuple(build_target(node, reading) for node in parts_of(swapped).parts.get("Target", ()))
    others = instead(said, tuple(_there(target, said, reading) for target in others))
    return ((*said, *others), True) if parts.has("ask") else (others, False)


def _there(target: Target, said: tuple[Target, ...], reading: Reading) -> Target:
    """What is named instead; where that is a place alone, what was named before, but there."""
    bare = target.kind in (None, "device") and not (target.mention or target.reference)
    if (
        not (bare and (target.areas or target.floors))
        or len(said) != 1
        or said[0].mention is None
        or said[0].kind is None
    ):
        return target
    there = elsewhere(target, said[0], reading)
    return there if there.mention is not None else target


def _is_open(target: Target) -> bool:
    """Whether a target is nothing but "it", "that" or "everything"."""
    if target.reference in ("it", "that"):
        return target.only("reference")
    return is_everything(target)


def _adjoined(said: tuple[Target, ...], parts: Parts, inner: list[Parts]) -> bool:
    """Whether two places stand side by side, as in 主卧卫生间的灯: the one of the other, or both? 都 says both."""
    for target, item in zip(said, inner, strict=True):
        if len(target.areas) == 2 and item.has("adjoined"):  # noqa: PLR2004 - three are a list
            return not parts.has("every")
    return False


def _excluded(places: list[Parts], reading: Reading) -> tuple[Target, ...]:
    """What is excepted, in the clause or inside one of its targets."""
    found: list[Target] = []
    for parts in places:
        for node in parts.parts.get("Except", ()):
            for item in parts_of(node).parts.get("Target") or [node]:
                found += each_of(build_target(item, reading), parts_of(item), reading)
    return tuple(found)


def _spoken_of(targets: tuple[Target, ...], dropped: Target) -> Target | None:
    """As "never mind the lamp, shut it off": what "it" is, by its name. None where "it" is not said."""
    if len(targets) != 1 or dropped.reference not in (None, "that"):
        return None
    [said] = targets
    if said.reference not in PRONOUNS or not said.only("reference", "quantifier", "plural"):
        return None
    return replace(dropped, reference="it", confidence=min(dropped.confidence, said.confidence))


def _taken_away(
    targets: tuple[Target, ...], excluded: tuple[Target, ...]
) -> tuple[tuple[Target, ...], tuple[Target, ...]]:
    """As "the hall light and the fan, never mind the fan": what was taken back is neither meant nor spared."""
    kept = tuple(target for target in targets if target not in excluded)
    return (kept, tuple(target for target in excluded if target not in targets)) if kept else (targets, excluded)
