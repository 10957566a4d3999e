"""What ends an act that is to last only so long, and how that lies beside the ends that are kept already. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from daemon.act.planner import undo
from daemon.act.values import same
from daemon.core.entities import Value
from daemon.core.ir import Action, Order, Parameter, Target
from daemon.core.outcomes import Outcome, WayBack, Write
from daemon.core.values import replace
from daemon.home.actions import VERB_OF_STATE
from daemon.home.registry import Registry
from daemon.home.verbs import SWITCHING
from daemon.schedule.entries import Entry, track

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
_LIGHTS_UP = "turn_on"
_LEVELS = SWITCHING - {"position"}
"""What is known beside whether a device is on; the position of a cover says all there is of it."""
_COVERS = frozenset({"open", "close"})
CALMS = frozenset({"turn_off", "close", "lock", "mute", "stop"})
"""Ways back that leave a home safer and quieter than it was."""

Way = dict[Order, list[str]]
"""The commands that end an act, each with its devices."""
Kept = Sequence[tuple[float, Entry]]
"""The ends that are kept, each with its moment."""


class Ending(Struct, frozen=True):
    """How one act ends: what is to be kept, and what becomes of the ends that were kept before."""

    backs: Way
    unknown: tuple[str, ...]
    """The devices of which nobody knows how they were."""
    released: dict[int, set[str]]
    """By the id of a kept end, the devices that it is about no longer."""
    put_off: dict[int, set[str]]
    """The same, where it is to come right after the new ones."""
    levels: list[tuple[int, Order, str]]
    """What is to be set right after a kept end (its id), of a device that comes on then: its level from before."""


def ending(clause: Order, outcomes: Sequence[Outcome], registry: Registry, due: float, kept: Kept) -> Ending:
    """How an act ends that is to last until `due`, beside the ends that are `kept`.

    Acts that last lie one upon the other: what is seen of a device is the newest that lasts still, and each end brings
    back what lies beneath. So an end that would come while the new act lasts does not come; what it was to put back is
    put back when that is over. Of two that do the same the newest length counts.
    """
    clause = _as_done(clause, outcomes)
    backs, unknown, calm = _way_back(clause, outcomes, registry)
    found = Ending({}, (), {}, {}, [])
    ends = sorted(kept, key=lambda item: (item[0], item[1].id))
    lost: dict[str, None] = {}
    for device, what, own in _acts(clause, outcomes, backs):
        beneath = _Beneath(clause, what, own, _wishes(outcomes, device), known=device not in unknown)
        mine = [(at, item) for at, item in ends if device in item.them and _meet(track(item.clause), what)]
        beneath.look(mine, due, _levels(clause, outcomes).get(device))
        for item in (*beneath.over, *beneath.later):
            found.released.setdefault(item.id, set()).add(device)
        for item in beneath.later:
            found.put_off.setdefault(item.id, set()).add(device)
        found.levels.extend((number, level, device) for number, level in beneath.levels)
        back = beneath.back or (calm.get(device) if beneath.known and not beneath.over else None)
        if back is not None:
            found.backs.setdefault(back, []).append(device)
        elif not beneath.known:
            lost[device] = None
    return replace(found, unknown=tuple(lost))


def _as_done(clause: Order, outcomes: Sequence[Outcome]) -> Order:
    """The act as it was done: who runs a fan for an hour has it switched on, and off again."""
    done = {item.write.action for item in outcomes if worked(item) and item.write.attribute == "state"}
    return replace(clause, action="turn_on") if clause.action == "start" and done == {"turn_on"} else clause


class _Beneath:
    """What lies beneath one act on one device, and what becomes of the ends that it meets there."""

    def __init__(self, clause: Order, what: str, back: Order | None, wishes: Wishes, *, known: bool) -> None:
        self._clause = clause
        self._what = what
        self._wishes = wishes
        self.known = known
        self.back = back
        """None: what is beneath is as was wished, or nobody knows it."""
        self.over: list[Entry] = []
        """The ends of what lasts no longer than the act, or is renewed by it."""
        self.later: list[Entry] = []
        """Those of a level that is to come back together with the light."""
        self.levels: list[tuple[int, Order]] = []

    def look(self, ends: Kept, due: float, level: Order | None) -> None:
        """Goes down through the ends, by their moments; `level` is what the act has changed while it was off.

        What goes off before its own level is due again has it again when it comes on.
        """
        beside = [(at, item) for at, item in ends if self._what == "state" and _is_level(item.order)]
        reached, own = due, self.back if self.back is not None and _is_level(self.back) else None
        for at, item in ends:
            plain = replace(item.order, when=None)
            if (at, item) in beside:
                continue
            if at > due and not self._renewed(plain):
                twin = any(when == at and _is_level(other.order) for when, other in ends)
                was = level if level is not None or self.back is own else own
                if was is not None and plain.action == _LIGHTS_UP and not twin:
                    self.levels.append((item.id, was))
                break
            reached = max(reached, at)
            self.over.append(item)
            self.known = True
            if plain.action == _LIGHTS_UP and self._what in _LEVELS:
                # What comes on by its level comes on as bright as it was before this.
                plain = level or (self.back if self.back is not None and _is_level(self.back) else own or plain)
            self.back = None if self._wished(plain) else plain
        if self.back is not None and self.back.action == _LIGHTS_UP:
            self.later = [item for at, item in beside if at <= reached]

    def _renewed(self, plain: Order) -> bool:
        """Whether an act whose end this is did the same as the new one: what is beneath that is as was wished."""
        if self.back is not None or not self.known:
            return plain == self.back
        opposite = BACK.get(self._clause.action or "")
        place = plain.parameter.attribute if plain.parameter is not None else None
        return place == self._what if opposite is None else plain.action == opposite or place == "position"

    def _wished(self, plain: Order) -> bool:
        parameter = plain.parameter
        if parameter is None or plain.action == "arm":
            return plain.action == self._clause.action and self._clause.parameter is None
        value = self._wishes.get(parameter.attribute)
        return value is not None and same(parameter.attribute, value, parameter.value)


def superseded(outcomes: Iterable[Outcome], kept: Kept) -> dict[int, dict[str, bool]]:
    """The ends that a newer act has done away with, by their ids: for which devices, and whether it goes another way.

    What was done for good stays, and is not ended by what was said before it.
    """
    found: dict[int, dict[str, bool]] = {}
    for outcome in outcomes:
        write = outcome.write
        if not worked(outcome) or write.delta is not None:
            continue
        for at, item in kept:
            if write.entity not in item.them or not _overrides(write, item.order):
                continue
            found.setdefault(item.id, {})[write.entity] = not _alike(write, item.order)
            if item.order.action == _LIGHTS_UP:  # with the level that was to come back with it
                twins = (one for when, one in kept if when == at and write.entity in one.them and _is_level(one.order))
                for one in twins:
                    found.setdefault(one.id, {}).setdefault(write.entity, False)
    return found


def worked(outcome: Outcome) -> bool:
    """Whether an act was done, as far as anybody can tell."""
    return outcome.status in ("done", "unconfirmed")


def moot(entry: Entry, off: Iterable[str]) -> tuple[str, ...]:
    """The devices of an end that has nothing to put back any more: what is off has no level, and stays off."""
    if entry.sort != "end" or track(entry.clause) not in SWITCHING:
        return ()
    return tuple(item for item in off if item in entry.them)


def _way_back(
    clause: Order, outcomes: Sequence[Outcome], registry: Registry
) -> tuple[Way, tuple[str, ...], Mapping[str, Order]]:
    """What puts back what was changed, what nobody knows, and how what was so already is calmed all the same."""
    way = undo(outcomes, registry)
    back = BACK.get(clause.action or "")
    if back is not None:
        return *_opposite(back, outcomes, way), _calm(clause, back, outcomes)
    found: Way = {}
    for write in way.writes:
        found.setdefault(_order(write, registry), []).append(write.entity)
    return found, way.unknown, {}


def _opposite(back: Action, outcomes: Sequence[Outcome], way: WayBack) -> tuple[Way, tuple[str, ...]]:
    """The opposite verb, for each device that was not so before; what stood part-way goes back there.

    What was so already stays so: "everything off for an hour" switches nothing on that was off.
    """
    changed = {*way.unknown, *(write.entity for write in way.writes)}
    exact = {
        write.entity: _exact(write)
        for write in way.writes
        if write.action == "arm" or (write.attribute == "position" and write.value not in (0, 100))
    }
    found: Way = {}
    for device in dict.fromkeys(item.write.entity for item in outcomes if worked(item)):
        if device in changed:
            found.setdefault(exact.get(device, Order(back, (THEM,))), []).append(device)
    return found, ()


def _calm(clause: Order, back: Action, outcomes: Sequence[Outcome]) -> Mapping[str, Order]:
    """For what was named itself: "the heater on for an hour" ends, whoever had switched it on."""
    devices = dict.fromkeys(item.write.entity for item in outcomes if worked(item))
    some = any(target.quantifier == "all" for target in clause.targets)
    named = not some and (clause.targets == (THEM,) or len(devices) <= max(1, len(clause.targets)))
    return dict.fromkeys(devices, Order(back, (THEM,))) if named and back in CALMS else {}


def _order(write: Write, registry: Registry) -> Order:
    if write.attribute == "state":
        return _exact(write) if write.action == "arm" else Order(write.action, (THEM,))  # type: ignore[arg-type]
    known = registry[write.entity].reads(write.attribute)
    return _set(write.attribute, write.value, write.unit or (known.unit if known is not None else None))


def _exact(write: Write) -> Order:
    if write.action == "arm":
        way = str(write.value).removeprefix("armed_").replace("_", " ")
        return Order("arm", (THEM,), parameter=Parameter("mode", "set", way))
    return _set(write.attribute, write.value, write.unit)


def _acts(clause: Order, outcomes: Sequence[Outcome], backs: Way) -> list[tuple[str, str, Order | None]]:
    """Each device, what of it was changed, and what puts that back; None for what was so already."""
    writes = [item.write for item in outcomes if worked(item)]
    found: list[tuple[str, str, Order | None]] = []
    for back, devices in backs.items():
        what = track(back)
        for device in devices:
            level = next((one.attribute for one in writes if one.entity == device and one.attribute in _LEVELS), what)
            found.append((device, level if what == "state" and clause.action not in BACK else what, back))
    for write in writes:
        what = track(clause) if clause.action in BACK else write.attribute
        if not any(device == write.entity and _meet(one, what) for device, one, _ in found):
            found.append((write.entity, what, None))
    return found


Wishes = Mapping[str, Value]
"""What was set of one device, by attribute."""


def _wishes(outcomes: Sequence[Outcome], device: str) -> Wishes:
    return {item.write.attribute: item.write.value for item in outcomes if item.write.entity == device}


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


def _is_level(order: Order) -> bool:
    return order.parameter is not None and order.parameter.attribute in _LEVELS


def _overrides(write: Write, end: Order) -> bool:
    """Whether nothing is left of what an end is about once this was written."""
    what = track(end)
    if write.attribute == what:
        return True
    if write.attribute in _LEVELS:
        return end.action == _LIGHTS_UP  # what is dimmed while it is on for an hour goes off after it
    return (write.attribute, what) == ("state", "position") or (write.attribute == "position" and end.action in _COVERS)


def _alike(write: Write, end: Order) -> bool:
    """Whether what was written and an end come to the same."""
    if end.action == _LIGHTS_UP and write.attribute in _LEVELS:
        return True
    if end.parameter is None:
        return end.action in (write.action, VERB_OF_STATE.get(write.value))
    return write.attribute == end.parameter.attribute and same(write.attribute, write.value, end.parameter.value)


def _meet(one: str, other: str) -> bool:
    """Whether two ends are about the same of a device."""
    return one == other or ("state" in (one, other) and not SWITCHING.isdisjoint((one, other)))
