"""What ends an act that is to last only so long, and how that lies beside the ends that are kept already. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from daemon.act.undo import undo
from daemon.core.entities import Value
from daemon.core.ir import Action, Order, Parameter, Target
from daemon.core.outcomes import Outcome, WayBack
from daemon.core.values import replace
from daemon.home.fulfilment import SWITCHING
from daemon.home.registry import Registry
from daemon.schedule.entries import Entry
from daemon.schedule.tracks import track

THEM = Target(reference="them")
BACK: dict[str, Action] = {
    "turn_on": "turn_off",
    "turn_off": "turn_on",
    "open": "close",
    "close": "open",
    "lock": "unlock",
    "unlock": "lock",
    "mute": "unmute",
    "unmute": "mute",
    "pause": "resume",
    "start": "stop",
}
"""What ends an act that is to last so long; whatever is not here is put back to what it was."""
_LIGHTS_UP = frozenset({"turn_on", "open"})
_CALMS = frozenset({"turn_off", "close", "lock", "mute", "stop"})
"""Ways back that leave a home safer and quieter than it was."""

Way = dict[Order, list[str]]
"""The commands that end an act, each with its devices."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How one act ends: what is to be kept, and what becomes of the ends that were kept before."""

    backs: Way
    unknown: tuple[str, ...]
    """The devices of which nobody knows how they were."""
    released: dict[int, set[str]]
    """By the id of a kept end, the devices that it is about no longer."""
    put_off: dict[int, set[str]]
    """The same, where it is to come right after the new ones."""


def ending(
    clause: Order, outcomes: Sequence[Outcome], registry: Registry, due: float, kept: Iterable[tuple[float, Entry]]
) -> Ending:
    """How an act ends that is to last until `due`, beside the ends that are `kept`, each with its moment.

    What ends before the others is done within them. Of two that end alike the newest length counts. An end that would
    come while the new act lasts does not come: what it was to put back is put back when that is over.
    """
    backs, unknown = _way_back(clause, outcomes, registry)
    levels = _levels(clause, outcomes)
    found = Ending({}, unknown, {}, {})
    ends = sorted(kept, key=lambda item: item[0])
    for back, device in [*_each(backs), *_said_again(clause, outcomes, backs, unknown, ends)]:
        mine = [(at, item) for at, item in ends if device in item.them and _meet(track(item.clause), track(back))]
        last = back
        for at, item in mine:
            plain = replace(item.order, when=None)
            if at > due and plain != last:
                break
            found.released.setdefault(item.id, set()).add(device)
            if at > due or plain == last:
                continue
            if clause.action not in BACK:
                # What comes on by its level comes on as bright as it was before this.
                lights_up = plain.parameter is None and plain.action in _LIGHTS_UP
                last = levels.get(device, plain) if lights_up else plain
            elif plain.parameter is not None and back.action in _LIGHTS_UP:
                found.put_off.setdefault(item.id, set()).add(device)
        found.backs.setdefault(last, []).append(device)
    return found


def worked(outcome: Outcome) -> bool:
    """Whether an act was done, as far as anybody can tell."""
    return outcome.status in ("done", "unconfirmed")


def moot(entry: Entry, off: Iterable[str]) -> tuple[str, ...]:
    """The devices of an end that has nothing to put back any more: what is off has no level, and stays off."""
    if entry.sort != "end" or track(entry.clause) not in SWITCHING:
        return ()
    return tuple(item for item in off if item in entry.them)


def _way_back(clause: Order, outcomes: Sequence[Outcome], registry: Registry) -> tuple[Way, tuple[str, ...]]:
    way = undo(outcomes, registry)
    back = BACK.get(clause.action or "")
    if back is not None:
        return _opposite(clause, back, outcomes, way), ()
    found: Way = {}
    for write in way.writes:
        known = registry[write.entity].reads(write.attribute)
        unit = write.unit or (known.unit if known is not None else None)
        verb = write.attribute == "state"
        made = Order(write.action, (THEM,)) if verb else _set(write.attribute, write.value, unit)  # type: ignore[arg-type]
        found.setdefault(made, []).append(write.entity)
    return found, way.unknown


def _opposite(clause: Order, back: Action, outcomes: Sequence[Outcome], way: WayBack) -> Way:
    """The opposite verb, for each device that was not so before; what stood part-way goes back there.

    What was so already stays so: "everything off for an hour" switches nothing on that was off. Only what was named
    itself is calmed all the same: "the heater on for an hour" ends, whoever had switched it on.
    """
    changed = {*way.unknown, *(write.entity for write in way.writes)}
    part_way = {
        write.entity: _set(write.attribute, write.value, write.unit)
        for write in way.writes
        if write.attribute == "position" and write.value not in (0, 100)
    }
    devices = dict.fromkeys(item.write.entity for item in outcomes if worked(item))
    some = any(target.quantifier == "all" for target in clause.targets)
    named = not some and (clause.targets == (THEM,) or len(devices) <= max(1, len(clause.targets)))
    found: Way = {}
    for device in devices:
        if device in changed or (named and back in _CALMS):
            found.setdefault(part_way.get(device, Order(back, (THEM,))), []).append(device)
    return found


def _levels(clause: Order, outcomes: Sequence[Outcome]) -> dict[str, Order]:
    """For each device that a level has switched on: its level from before."""
    found = {}
    for item in outcomes if clause.action not in BACK else ():
        before = {seen.attribute: seen.value for seen in item.before}
        attribute, was = item.write.attribute, before.get(item.write.attribute)
        if attribute in SWITCHING and was and before.get("state") == "off":
            found[item.write.entity] = _set(attribute, was, item.write.unit)
    return found


def _set(attribute: str, value: Value, unit: str | None) -> Order:
    return Order("set", (THEM,), parameter=Parameter(attribute, "set", value, unit))  # type: ignore[arg-type]


def _each(backs: Way) -> list[tuple[Order, str]]:
    return [(back, device) for back, devices in backs.items() for device in devices]


def _said_again(
    clause: Order,
    outcomes: Sequence[Outcome],
    backs: Way,
    unknown: Sequence[str],
    ends: Sequence[tuple[float, Entry]],
) -> list[tuple[Order, str]]:
    """What was set already, and is to go back at another moment now: that end, with its device."""
    changed = {*unknown, *(device for _, device in _each(backs))}
    found = {}
    for outcome in outcomes:
        device, attribute = outcome.write.entity, outcome.write.attribute
        if device in changed or not worked(outcome):
            continue
        mine = (item for _, item in ends if device in item.them)
        if (back := BACK.get(clause.action or "")) is not None:
            first = (item for item in mine if item.order.action == back)
        else:
            first = (item for item in mine if track(item.clause) == attribute)
        if (again := next(first, None)) is not None:
            found[device] = replace(again.order, when=None)
    return [(back, device) for device, back in found.items()]


def _meet(one: str, other: str) -> bool:
    """Whether two ends are about the same of a device."""
    return one == other or ("state" in (one, other) and not SWITCHING.isdisjoint((one, other)))
