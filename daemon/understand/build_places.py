"""What the places of several targets say of each other: one place for all, or one thing in several places."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.core.ir import Clause, Inquiry, Order, Target
from daemon.core.values import replace
from daemon.understand.build_target import elsewhere, target_from
from daemon.understand.parts import Parts, Reading, parts_of

_PLACES = ("AREA", "ROOM", "FLOOR", "LEVEL")
_NAMES = ("KIND", "KINDS", "NAMEKIND", "NAMEKINDS", "DEVICE", "GROUP", "ROW")
_TWO = 2


def with_places(said: tuple[Target, ...], inner: list[Parts], reading: Reading) -> tuple[Target, ...]:
    """The targets, where a place alone is said of what stands before it.

    "Turn on the fan, in the hallway" is one fan, and not all that is there; "the lights in the kitchen and the study"
    are both lights; 书房,灯关掉 are those of the study.
    """
    out = list(said[:1])
    if len(said) == 2 and _is_place(said[0]) and reading.joint(inner[0].node.end, inner[1].node.start) == ",":  # noqa: PLR2004
        return (_led(said[1], said[0]),) if said[1].kind and not _is_placed(said[1]) else said
    for before, place, parts, item in zip(said, said[1:], inner, inner[1:], strict=False):
        named = out[-1]
        if not _is_place(place) or place.whole_home or not named.kind or named.kind == "device" or before.reference:
            out.append(place)
        elif named.areas or named.floors:
            out.append(replace(elsewhere(place, named, reading), quantifier=named.quantifier, plural=named.plural,
                               numberless=named.numberless))  # fmt: skip
        elif len(said) == 2 and reading.joint(parts.node.end, item.node.start) == ",":  # noqa: PLR2004 - more are a list
            out[-1] = replace(named, areas=place.areas, floors=place.floors)
        else:
            out.append(place)
    return tuple(out)


def of_one_place(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """The clauses, what is asked in one breath asked of the one place: "temperature and humidity in the bathroom"."""
    out = list(clauses)
    for to, of in [(at, at + 1) for at in range(len(out) - 1)] + [(at + 1, at) for at in range(len(out) - 1)]:
        asked, other = out[to], out[of]
        if isinstance(asked, Inquiry) and isinstance(other, Inquiry) and _is_measured(asked) and _is_measured(other):
            placed = all(target.areas or target.floors for target in other.targets) and not asked.targets
            out[to] = replace(asked, targets=other.targets) if placed else asked
    return tuple(out)


def _is_measured(clause: Inquiry) -> bool:
    """Whether it asks what is measured somewhere, of nothing by its name."""
    named = any(target.mention or target.kind for target in clause.targets)
    return clause.query == "value" and clause.parameter is not None and not (named or clause.conditions)


def _is_place(target: Target) -> bool:
    bare = target.kind in (None, "device") and not (target.mention or target.reference)
    return bare and bool(target.areas or target.floors)


def _is_placed(target: Target) -> bool:
    return bool(target.areas or target.floors or target.reference or target.whole_home)


def beside(
    clauses: list[Clause], fronts: list[bool], leads: list[bool], parts: Parts, reading: Reading
) -> tuple[list[Clause], list[bool], list[bool]]:
    """The clauses, the last of which these parts are; whether a condition leads each, and whether a place does.

    What is not wanted goes first: what is spoken of goes on to be what is wanted.
    """
    fill = [False] * len(clauses)
    fronts = [*fronts, parts.has("front"), *fill][: len(clauses)]
    leads = [*leads, is_led(parts, reading), *fill][: len(clauses)]
    unwanted = clauses[-1]
    if not parts.has("unwanted"):
        return clauses, fronts, leads
    if len(clauses) > 1 and isinstance(clauses[-2], Order) and isinstance(unwanted, Order):
        wanted = clauses[-2]
        if any(target.quantifier == "all" for target in wanted.targets):  # of several, it is rather spared
            spared = replace(wanted, excluded=(*wanted.excluded, *unwanted.targets))
            return [*clauses[:-2], spared], fronts[:-1], leads[:-1]
        if len(wanted.targets) == 1 and not any(map(_is_placed, unwanted.targets)):
            [there] = wanted.targets
            placed = [replace(target, areas=there.areas, floors=there.floors) for target in unwanted.targets]
            unwanted = replace(unwanted, targets=tuple(placed))
    return [unwanted, *clauses[:-1]], [fronts[-1], *fronts[:-1]], [leads[-1], *leads[:-1]]


def is_led(parts: Parts, reading: Reading) -> bool:
    """Whether a command begins with its place: "in the bedroom close the blinds and ...", 书房,灯关掉,窗帘拉上."""
    children = parts.node.children
    scopes = [child.start for child in children if child.rule.startswith("Scope")]
    others = [child.start for child in children if not child.rule.startswith("Scope")]
    if scopes and (scopes[0] <= parts.node.start or scopes[0] < min(others, default=0)):
        return True
    first = children[:2]
    if len(first) < 2 or not all(child.rule.startswith("Target") for child in first):  # noqa: PLR2004
        return False
    apart = reading.joint(first[0].end, first[1].start) == ","
    return apart and _is_place(target_from(parts_of(first[0]), reading))


def led(clauses: Sequence[Clause], leads: Sequence[bool]) -> list[Clause]:
    """The clauses, each in the place with which one before it began, where it names none.

    Of a single thing that is not there, another is meant.

    Args:
        clauses: In their order.
        leads: Whether they begin with their place.
    """
    out: list[Clause] = []
    place: Target | None = None
    for clause, leading in zip(clauses, leads, strict=True):
        if isinstance(clause, Order | Inquiry) and clause.targets:
            places = {(target.areas, target.floors) for target in clause.targets}
            placed = places != {((), ())} or any(target.whole_home for target in clause.targets)
            if leading or (placed and (place is None or places != {(place.areas, place.floors)})):
                led_by = leading and len(places) == 1 and isinstance(clause, Order)  # a question asks about its place
                place = clause.targets[0] if led_by else None
            elif place is not None and not placed:
                targets = tuple(_led(target, place) for target in clause.targets)
                clause = replace(clause, targets=targets)  # noqa: PLW2901 - the clause as it is meant
        out.append(clause)
    return out


def _led(target: Target, place: Target) -> Target:
    if target.kind is None or target.reference is not None:
        return target
    shares = target.quantifier == "one" and not target.plural
    return replace(target, areas=place.areas, floors=place.floors, shares=shares)


def sharing_place(said: tuple[Target, ...], inner: list[Parts]) -> tuple[Target, ...]:
    """The targets, with the place of the one before them for those that name none.

    It was said for them all (客厅的灯和窗帘), or they stand beside it with no article ("Emma's lamp and blinds").
    """
    if not said or _is_place(said[0]):
        return said
    nowhere: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    place, out = nowhere, [said[0]]
    for target, before, parts in zip(said[1:], inner, inner[1:], strict=False):
        if _is_placed(out[-1]) and not out[-1].shares:
            place = (out[-1].areas, out[-1].floors) if before.has("of") else nowhere
        near = any(place) or not (parts.has("article") or parts.has("quantifier"))
        shares = near and not _is_placed(target)
        out.append(replace(target, areas=place[0], floors=place[1], shares=True) if shares else target)
    return tuple(out)


def in_the_same(targets: tuple[Target, ...], before: Sequence[Clause]) -> tuple[Target, ...]:
    """The targets, in "those rooms": all in which something was said of the things that were spoken of last.

    Raises:
        ValueError: no room was named.
    """
    run: list[Clause] = []
    for clause in reversed(before):
        placed = any(target.areas for target in clause.targets)
        if run and not (placed and _kinds(clause) == _kinds(run[-1])):
            break
        run += [clause] if placed else []
    areas = tuple(dict.fromkeys(area for clause in reversed(run) for item in clause.targets for area in item.areas))
    if not areas:
        raise ValueError("in which rooms?")
    return tuple(replace(target, areas=areas) for target in targets)


def _kinds(clause: Clause) -> set[str | None]:
    return {target.kind for target in clause.targets}


def in_groups(said: tuple[Target, ...], inner: list[Parts]) -> tuple[Target, ...]:
    """The targets, where each place is that of all that was named since the one before.

    "The TV and the speaker in the hall, the lamp and the fan in the study": each of the four has its room.
    """
    behind = [_is_place_last(parts) and not target.reference for target, parts in zip(said, inner, strict=True)]
    if len({(item.areas, item.floors) for item, last in zip(said, behind, strict=True) if last}) < _TWO:
        return said
    out: list[Target] = []
    place: Target | None = None
    for target, last in zip(reversed(said), reversed(behind), strict=True):
        if last:
            place = target
        elif place is not None and (_is_placed(target) or target.quantifier not in ("one", "all")):
            place = None
        elif place is not None:
            target = replace(target, areas=place.areas, floors=place.floors, shares=True)  # noqa: PLW2901 - as it is meant
        out.append(target)
    return tuple(reversed(out))


def _is_place_last(parts: Parts) -> bool:
    """Whether a thing is named, and then its place: "the fan in the study", not "the study fan"."""
    places = [node.start for name in _PLACES for node in parts.words.get(name, ())]
    named = [node.start for name in _NAMES for node in parts.words.get(name, ())]
    return bool(places and named) and min(places) > max(named)


def in_each_place(target: Target) -> tuple[Target, ...]:
    """As "the lights in the kitchen or the hall": those of the one, those of the other."""
    return tuple(replace(target, areas=(area,)) for area in target.areas) if len(target.areas) > 1 else (target,)


def each_a(targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """As "the bedroom or the study lamp", which is the lamp of the one or of the other."""
    last = targets[-1] if targets else Target()
    if not (last.kind or last.mention) or not last.areas:
        return targets
    if last.kind is not None and any(area in (last.mention or "") for area in last.areas):
        last = replace(last, mention=None)  # "the study lamp" is no lamp of the bedroom by that name
    return tuple(
        replace(last, areas=target.areas, confidence=min(target.confidence, last.confidence))
        if target.areas and target.only("areas")
        else target
        for target in (*targets[:-1], last)
    )
