"""What is spared, what is left, and "all" that is said beside the verb: how the targets of a command hang together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from daemon.core.ir import ATTRIBUTES, Action, Clause, Inquiry, Kind, Order, Target
from daemon.core.values import replace
from daemon.understand.build_value import COVERS
from daemon.understand.corrections import is_offered
from daemon.understand.parts import Parts, Reading, parts_of

_LIGHTS: Final = frozenset({"light", "lamp"})
_VAGUE: Final = frozenset({None, "device", "appliance", "switch"})
_LEFT: Final = frozenset({"rest", "them"})
_OFF: Final = frozenset({"turn_off", "close"})
_OPPOSITE: Final[dict[str, Action]] = {
    "turn_on": "turn_off", "turn_off": "turn_on", "open": "close", "close": "open",
}  # fmt: skip
_ON: Final = frozenset({"turn_on", "open"})
_MOST_IN_A_ROW: Final = 100
"""Things of one name that "1 to ..." may be; more of them are nobody's."""


def every(targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """The targets where "all" stands beside the verb (灯都关了); beside several names it only says: each of these."""
    if len(targets) != 1 or targets[0].quantifier not in ("one", "all"):
        return targets
    return (replace(targets[0], quantifier="all", plural=False, numberless=False),)


def sharing(targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """The targets, where a place takes its kind from what is said after it: "upstairs and the downstairs lights"."""
    if len(targets) < 2 or targets[-1].kind != "light":  # noqa: PLR2004 - one shares with another
        return targets
    return tuple(_lit(target) for target in targets)


def tells_which(before: Sequence[Clause], made: Clause) -> bool:
    """Whether what is said with it may say which of several are meant: "turn on the plugs with the child lock on"."""
    last, said = before[-1] if before else None, made.parameter
    several = (
        isinstance(last, Order)
        and last.parameter is None
        and any(item.plural or item.quantifier == "all" for item in last.targets)
    )
    return several and said is not None and said.attribute not in ATTRIBUTES and said.value in ("on", "off")


def all_alike(targets: tuple[Target, ...], plurals: Mapping[str, str]) -> tuple[Target, ...]:
    """The targets, where "all" is said of the first: "all curtains and blinds", though one is called "Blinds"."""
    if len(targets) < 2 or targets[0].quantifier != "all":  # noqa: PLR2004 - one is no list
        return targets
    return tuple(
        replace(target, mention=None, quantifier="all", plural=True) if target.mention in plurals else target
        for target in targets
    )


def each_of(target: Target, parts: Parts, reading: Reading) -> tuple[Target, ...]:
    """Every one of "spots 1 to 3", "the first and the last spot", "the first two spots", by its number."""
    node = parts.part("Numbers")
    if node is None:
        return (target,)
    stem = (target.mention or "").rstrip("0123456789")
    in_name = (target.mention or "").removeprefix(stem)
    numbers = _numbers(parts_of(node), reading, int(in_name) if in_name else None)
    if in_name:  # 射灯1到三号
        return tuple(replace(target, mention=f"{stem}{number}") for number in numbers)
    return tuple(replace(target, ordinal=one, quantifier="one", count=None, plural=False) for one in numbers)


def _numbers(said: Parts, reading: Reading, first: int | None) -> list[int]:
    """In the order in which they were said; from the last on, below 0.

    Args:
        said: The numbers.
        reading: The sentence.
        first: What was said before them.
    """
    found = [first] if first is not None else []
    for node in said.node.children:
        if node.rule == "ORDINAL":
            found.append(int(reading.lexicon.value("ORDINAL", reading.text(node))))
        elif node.rule.partition("_")[0] in ("INTEGER", "Few", "Through"):
            number = int(reading.numbers.value(reading.text(node)))
            through = node.rule.startswith("Through") and found and number - found[-1] <= _MOST_IN_A_ROW
            found += range(found[-1] + 1, number + 1) if through else [number]
    row = said.mark("row")
    if row is not None:
        several = min(found[-1], _MOST_IN_A_ROW)
        return list(range(1, several + 1)) if row == "first" else list(range(-several, 0))
    return found


def numbered_alike(targets: tuple[Target, ...], among: Sequence[Target]) -> tuple[Target, ...]:
    """The targets, where a number alone is one of what was named beside it: "the spots, but not the second"."""
    if not among:
        return targets
    of = replace(among[0], quantifier="one", count=None, plural=False, numberless=False)
    return tuple(_numbered(of, target) if is_offered(target) else target for target in targets)


def _numbered(of: Target, number: Target) -> Target:
    stem = (of.mention or "").rstrip("0123456789")
    sure = min(of.confidence, number.confidence)
    if stem != (of.mention or ""):
        return replace(of, mention=f"{stem}{number.ordinal}", confidence=sure)
    return replace(of, ordinal=number.ordinal, confidence=sure)


def of_the_last(targets: tuple[Target, ...], before: Clause) -> tuple[Target, ...]:
    """The targets, where they are of what was said before.

    "That one" is what was spared ("all to 30 except the lamp, that one red"); what is open, behind the question whether
    the windows are, is a window.
    """
    if len(targets) != 1 or not isinstance(before, Order | Inquiry) or not before.targets:
        return targets
    [one] = targets
    if isinstance(before, Inquiry):
        of_them = one.state is not None and is_everything(replace(one, state=None))
        return tuple(replace(item, state=one.state, quantifier="all") for item in before.targets if of_them) or targets
    several = all(item.quantifier == "all" or item.plural for item in before.targets)
    pronoun = one.reference in ("it", "that") and one.kind is None and one.mention is None
    return before.excluded if several and pronoun and len(before.excluded) == 1 else targets


def is_everything(target: Target) -> bool:
    """Whether it is nothing but "everything"."""
    all_of_it = target.kind == "device" and target.quantifier == "all"
    return all_of_it and target.only("kind", "quantifier", "plural")


def left(targets: tuple[Target, ...], excluded: Sequence[Target]) -> tuple[Target, ...]:
    """The targets beside an exception: "the others" are then all that it leaves, of what it is itself."""
    if excluded and len(targets) > 1 and is_everything(targets[-1]):
        targets = targets[:-1]  # "all the lights, everything but the hall light"
    return tuple(_left(target, excluded) for target in targets) if excluded else targets


def sparing(clause: Clause, before: Clause, *, kept: bool) -> Clause | None:
    """The command before, with what this one spares of it; None where this one is a command of its own.

    "Turn off the lights, don't turn off the lamp", "... leave the lamp on".

    Args:
        clause: What was said after it.
        before: The command before.
        kept: Whether the clause says that something is to stay as it is.

    Raises:
        ValueError: of what is spared, something is not.
    """
    if not isinstance(before, Order) or before.is_scene or before.negated:
        return None
    if before.when != clause.when or clause.conditions:
        return None
    if not any(target.quantifier != "one" or target.areas or target.floors for target in before.targets):
        return None
    on, off = clause.action in _ON, clause.action in _OFF
    same = clause.action in (None, before.action) or (on and before.action in _ON) or (off and before.action in _OFF)
    opposite = (on and before.action in _OFF) or (off and before.action in _ON)
    if not ((clause.negated and (same or kept)) or (kept and opposite)):
        return None
    if isinstance(clause, Order) and clause.excluded:
        raise ValueError("of what is spared, something is not")
    return replace(before, excluded=(*before.excluded, *clause.targets))


def but_the_rest(clauses: list[Clause]) -> list[Clause]:
    """The clauses; "leave the ones upstairs on and turn off the others" does nothing upstairs: those are spared."""
    kept, rest = clauses[-2:]
    if not (isinstance(kept, Order) and isinstance(rest, Order)) or kept.action != _OPPOSITE.get(rest.action or ""):
        return clauses
    plain = kept.when is None and kept.parameter is None and not (kept.conditions or kept.excluded)
    several = all(target.quantifier == "all" or target.mention is None for target in kept.targets)
    if not (plain and several) or any(target.reference != "rest" for target in rest.targets):
        return clauses
    return [*clauses[:-2], replace(rest, excluded=(*kept.targets, *rest.excluded))]


def but_for(before: Clause, clause: Clause) -> Clause:
    """The clause before; of all that is not to be done, less what is: "don't turn off everything, just the TV"."""
    if not isinstance(before, Order) or not isinstance(clause, Order) or not before.negated or clause.negated:
        return before
    several = any(target.quantifier == "all" or target.plural for target in before.targets)
    named = all(target.mention or target.areas or target.kind not in (None, "device") for target in clause.targets)
    places = {area for target in before.targets for area in target.areas}
    elsewhere = places and all(target.areas and places.isdisjoint(target.areas) for target in clause.targets)
    if before.action != clause.action or elsewhere or not (several and clause.targets and named):
        return before
    return replace(before, excluded=(*before.excluded, *clause.targets))


def spared_rightly(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses, what is spared being spared of what it can be of.

    "The lights off downstairs, lock the doors, leave the bedroom light" spares no door.
    """
    out = list(clauses)
    for at, clause in enumerate(clauses):
        if not isinstance(clause, Order) or not clause.excluded or _can_spare(clause, clause.excluded):
            continue
        for index in reversed(range(at)):
            giver = out[index]
            if isinstance(giver, Order) and _can_spare(giver, clause.excluded):
                out[index] = replace(giver, excluded=(*giver.excluded, *clause.excluded))
                out[at] = replace(clause, excluded=())
                break
    return out


def taken_back(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses, less those of whose only thing it is said behind that it is not to be: "TV off, no, not the TV"."""
    out = list(clauses)
    for at, clause in enumerate(clauses):
        if not isinstance(clause, Order) or not clause.excluded:
            continue
        known = [index for index in range(at + 1) if _is_just(out[index], clause.excluded)]
        if known and len(clauses) > 1:
            out[at] = replace(clause, excluded=())
            return taken_back([item for index, item in enumerate(out) if index != known[-1]])
    return out


def _is_just(clause: Clause, spared: Sequence[Target]) -> bool:
    """Whether a command is about what is spared, and nothing else."""
    if not isinstance(clause, Order) or len(clause.targets) != 1:
        return False
    [target] = clause.targets
    return all(
        (item.mention or item.areas)
        and item.mention in (None, target.mention if target.quantifier == "one" else None)
        and (item.mention is None or item.kind in (None, target.kind))
        and item.areas in ((target.areas,) if item.mention is None else ((), target.areas))
        for item in spared
    )


def _can_spare(order: Order, excluded: Sequence[Target]) -> bool:
    """Whether things of these kinds may be among what it is about: of one thing, nothing can be spared."""
    single = all(target.quantifier == "one" and target.mention for target in order.targets)
    return not (single or order.is_scene) and all(_alike(target, item) for target in order.targets for item in excluded)


def _alike(target: Target, spared: Target) -> bool:
    kinds = {target.kind, spared.kind}
    return len(kinds) == 1 or kinds <= _LIGHTS or not kinds.isdisjoint(_VAGUE)


def left_alone(clause: Clause, *, kept: bool) -> Clause:
    """As "... and leave the lamp on", beside another command: what is not to be done to it. For a time, it is done."""
    undone = _OPPOSITE.get(clause.action or "") if kept and clause.when is None else None
    return replace(clause, action=undone, negated=True) if isinstance(clause, Order) and undone else clause


def _left(target: Target, excluded: Sequence[Target]) -> Target:
    if target.reference not in _LEFT or (target.reference == "them" and target.quantifier != "all"):
        return target
    # Of what, if that was not said, is a guess: a large set of it is asked back.
    guessed = target.kind is None
    return replace(target, reference=None, quantifier="all", plural=guessed, kind=target.kind or _family(excluded))


def _placed(target: Target) -> bool:
    return bool(target.areas or target.floors or target.reference)


def _lit(target: Target) -> Target:
    place = (target.areas or target.floors) and target.kind is None and target.mention is None
    return replace(target, kind="light", quantifier="all") if place and target.reference is None else target


def _family(excluded: Sequence[Target]) -> Kind:
    if all(target.mention is None and target.quantifier == "all" and not _placed(target) for target in excluded):
        return "device"  # beside all the lights, what is left is no light
    kinds = {target.kind for target in excluded}
    if kinds <= _LIGHTS:
        return "light"
    return "cover" if kinds <= COVERS else "device"
