"""What "it", "them", "the other one" and "the rest" mean: by what was mentioned last, else by the request itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from daemon.core.entities import Entity
from daemon.core.ir import Kind, Parameter, Target
from daemon.core.resolution import Resolution
from daemon.core.values import replace
from daemon.home import kinds
from daemon.home.actions import capability_for
from daemon.home.sensing import AMBIENT
from daemon.resolve.candidates import one_of
from daemon.resolve.evidence import paired, player, standing
from daemon.resolve.places import Scope
from daemon.resolve.request import House, Request
from daemon.resolve.sets import everything_of
from daemon.resolve.unnamed import PASSING, acting_there, whatever_tells

_FAMILIES: Final[tuple[Kind, ...]] = ("light", "cover", "climate")
"""Beside a chandelier, the rest are lights; beside a television, the rest is everything."""


def remainder(house: House, request: Request, last: Sequence[Entity], before: Sequence[Entity]) -> Resolution:
    """Of what was spoken of before, or of its kind and its room, all that was not spoken of last.

    The kind and the place are what was said beside "the rest", if anything.
    """
    target = request.target
    spoken_of = {item.id for item in last}
    if not last:
        return Resolution(target, "missing")
    several = [item for item in before if item.id not in spoken_of]
    if several and len(before) > len(several) and target.kind in (None, "device") and not request.scope.spoken:
        able = tuple(item.id for item in several if request.need.fits(item))
        if not able:
            return Resolution(target, "unsupported", tuple(item.id for item in several))
        return Resolution(target, "resolved", able, evidence="last", is_set=True)
    kind = target.kind or _family(last)
    wide = replace(request, target=replace(target, reference=None, kind=kind, quantifier="all", plural=True))
    return replace(_wherever(house, wide, last, kind, spoken_of), target=target)


def _wherever(
    house: House, request: Request, last: Sequence[Entity], kind: str, gone: Collection[str] = ()
) -> Resolution:
    """All of a kind, less what is gone: where it was said, else in the room of what was spoken of, else everywhere."""
    found = Resolution(request.target, "empty")
    for place in _places(house, request, last, kind):
        found = _less(everything_of(house, place, kind), gone)
        if found.status != "empty":
            break
    return found


def _places(house: House, request: Request, last: Sequence[Entity], kind: str) -> list[Request]:
    """Where to look for the rest: in the place said, else in the room of what was spoken of, else everywhere."""
    if request.scope.spoken:
        return [request]
    anywhere = replace(request, context=replace(request.context, area=None))
    areas = {house.index.area(item.id) for item in last}
    area = areas.pop() if len(areas) == 1 else None
    if kind == "device" or area is None:
        return [request, anywhere]
    return [replace(request, scope=Scope(areas=frozenset({area}), spoken=True, exact=True, via=area)), anywhere]


def _family(last: Sequence[Entity]) -> Kind:
    return next((kind for kind in _FAMILIES if all(kinds.belongs(item, kind) for item in last)), "device")


def _less(found: Resolution, gone: Collection[str]) -> Resolution:
    kept = tuple(item for item in found.entities if item not in gone)
    left = tuple(item for item in found.left_out if item not in gone)
    if found.status != "resolved":
        return found
    return replace(found, status="resolved" if kept else "empty", entities=kept, left_out=left)


_SEVERAL: Final = frozenset({"them", "again"})
_BOTH: Final = 2
_OF_WHAT_IS_ON: Final = frozenset({"set", "increase", "decrease", "turn_off", "close"})
"""What is done to what is on rather than to what was switched off beside it."""
_GUESS: Final = 0.7
"""How sure it is that the only thing here that can do it is meant: enough for a question, never for an act."""
_LOUDER: Final = Parameter("volume", "increase")
_COMFORT: Final = {"C": (5.0, 35.0), "F": (40.0, 95.0)}
"""What a heater that does not tell its range may be set to."""

_LIKED: Final = {"C": (14.0, 30.0), "F": (57.0, 86.0)}
"""What people have their rooms warmed or cooled to."""


def resolve_reference(house: House, request: Request) -> Resolution:
    """The entities that a pronoun stands for, in this conversation."""
    target, context = request.target, request.context
    if request.scope.unknown is not None:
        return Resolution(target, "not_found", nearest=request.scope.nearest)
    if target.reference == "rest":
        return remainder(house, request, _devices(house, context.last), _devices(house, context.spoken.before))
    meant = [
        item for item in _meant(house, request) if house.places.holds(request.scope, item) and _is_so(request, item)
    ]
    family = _family(meant) if meant else "device"
    there = request.need.reads and request.scope.spoken  # "which of those are upstairs"
    if (
        len(meant) <= 1
        and target.reference == "them"
        and target.quantifier == "all"
        and family != "cover"
        and not there
    ):
        # 全部关掉: all of its sort in the room of what was spoken of, else all there is; the whole home is asked back.
        wide = replace(request, target=replace(target, reference=None, plural=True))
        return _wherever(house, wide, meant, family) if meant else everything_of(house, wide, family)
    if not meant:
        return _of_none(house, request)
    able = [item for item in meant if request.need.fits(item) and kinds.fit(item, target.kind) > 0]
    if not able:
        # An "it" that was only understood, not said, gives way: the volume is not that of the curtain before.
        # And a sensor that was only read does nothing: what works on what it measures is meant.
        # And a scene is no brighter: what is there is.
        # And how cold "it" is, is asked of the air, where what was spoken of can't tell.
        air = request.need.reads and request.need.attribute in AMBIENT
        vague = air or target.unsaid or all(item.kind == "scene" for item in meant)
        implied = acting_there(house, request, meant) or (_implied(house, request) if vague else None)
        implied = implied or _asked_between(house, request, meant)
        return implied if implied is not None else Resolution(target, "unsupported", tuple(item.id for item in meant))
    if (wanted := _how_many(target)) is not None and len(meant) != wanted:
        return one_of(house, request, able) if len(able) > wanted else Resolution(target, "missing")
    one = target.reference not in _SEVERAL and not (request.plural or target.unsaid or request.need.reads)
    if len(able) > 1 and one:
        return one_of(house, request, able)
    return Resolution(
        target, "resolved", tuple(item.id for item in able), evidence="last", is_set=len(able) > 1, confidence=1.0
    )


def _asked_between(house: House, request: Request, meant: Sequence[Entity]) -> Resolution | None:
    """What was spoken of before a sensor was read in between: "keep it on", where "how humid is it?" was only asked.

    A door that only a sensor watches is what was asked about, and can't be shut.
    """
    before = [item for item in _devices(house, request.context.spoken.before) if request.need.fits(item)]
    if request.need.reads or len(before) != 1 or not all(map(_measures, meant)):
        return None
    return Resolution(request.target, "resolved", (before[0].id,), evidence="last")


def _measures(item: Entity) -> bool:
    """Whether it is a sensor of the air, or of who is there, and of no thing."""
    return item.type == "sensor" and any(item.reads(name) is not None for name in (*AMBIENT, *PASSING))


def _is_so(request: Request, item: Entity) -> bool:
    """Whether it may be in the state that was said: "the one that isn't"."""
    wanted = request.target.state
    return wanted is None or request.context.state_of(item.id, "state") in (None, wanted)


def _of_none(house: House, request: Request) -> Resolution:
    """A pronoun that stands for nothing that was spoken of, or for none of it in the place said beside it."""
    target = request.target
    if target.reference == "that" and target.kind is not None and request.scope.spoken and request.need.reads:
        # "Is that lamp in the study on": who only asks is told of all that may be meant.
        return everything_of(house, replace(request, target=replace(target, reference=None)), target.kind)
    if target.state is not None or (target.reference == "them" and request.need.reads and request.context.last):
        return Resolution(target, "empty")
    if request.scope.spoken and (last := _devices(house, request.context.last)):
        # "Turn them off in the study": what is of their kind there
        kind, each = _family(last), target.reference == "them"
        there = replace(target, reference=None, kind=kind, quantifier="all" if each else "one", plural=each)
        found = replace(everything_of(house, replace(request, target=there), kind), target=target)
        return _like(house, found, last) if found.status == "ambiguous" else found
    implied = _implied(house, request) if target.reference in ("it", "that") else None
    return _as_pointed(target, implied) if implied is not None else Resolution(target, "missing")


def _like(house: House, found: Resolution, last: Sequence[Entity]) -> Resolution:
    """Of what may be meant there, the one that is like what was spoken of: after the heating, not the towel rail."""
    types = {item.type for item in last}
    among = [house.registry[item.entity] for item in found.candidates]
    alike = paired(last, [item for item in among if item.type in types])
    if len(alike) != 1:
        return found
    return replace(found, status="resolved", entities=(alike[0].id,), candidates=(), evidence="last", confidence=1.0)


def _as_pointed(target: Target, implied: Resolution) -> Resolution:
    """As sure as a guess, where it may be something in somebody's hand: "put that down"."""
    return replace(implied, confidence=min(implied.confidence, _GUESS)) if target.pointed else implied


def resolve_named(house: House, request: Request, named: Resolution) -> Resolution:
    """What "it" stands for where it was named just before: "never mind the lamp, shut it off again".

    Of all that is called so (`named`), what was spoken of last. Where the name is of something else, it is open.
    """
    target = request.target
    if target.reference == "rest":
        last_ids = set(request.context.last)
        spoken_of = last_ids.intersection(named.entities)
        return replace(_less(named, last_ids), target=target) if spoken_of else Resolution(target, "missing")
    last = [item for item in _devices(house, request.context.last) if request.need.fits(item)]
    here = [item for item in last if house.places.holds(request.scope, item)]
    if target.mention is None:
        alike = [item.id for item in here if kinds.fit(item, target.kind) > 0]
        meant = tuple(alike) if len(alike) == 1 or target.plural else ()
        return Resolution(target, "resolved", meant, evidence="last", is_set=len(meant) > 1) if meant else named
    among = {item.entity for item in named.candidates}
    meant = tuple(item.id for item in here if item.id in among)
    if named.status == "ambiguous" and len(meant) == 1:
        return Resolution(target, "resolved", meant, evidence="last")
    if named.status == "resolved" and last and not {item.id for item in last} & set(named.entities):
        either = [*(house.registry[item] for item in named.entities), *last]
        return one_of(house, request, either)
    return named


def _how_many(target: Target) -> int | None:
    """How many are said to be meant: "both", "all three"."""
    return _BOTH if target.quantifier == "both" else target.count


def _several(house: House, request: Request) -> list[Entity]:
    """Who "they" are: what was spoken of last, where those are several; else all that the same was done to in a row.

    Where their number is said, so many of those, or what was spoken of last and before that.
    """
    spoken, wanted = request.context.spoken, _how_many(request.target)
    if wanted is not None:
        return _devices(house, spoken.so_many(wanted) or spoken.last)
    last = _devices(house, spoken.last)
    return last if len(last) > 1 else _devices(house, spoken.run) or last


def _meant(house: House, request: Request) -> list[Entity]:
    context = request.context
    if request.target.reference == "them":
        return _several(house, request)
    if request.target.reference != "other":
        on = [item for item in _devices(house, context.spoken.on) if request.need.fits(item)]
        return on if on and request.need.action in _OF_WHAT_IS_ON else _devices(house, context.last)
    # What the same was done to, or of the same sort; else the others of the same name, or of the kind in the place.
    last = _devices(house, context.last)
    others = [item for item in _devices(house, context.spoken.before) if item.id not in context.last]
    types = {item.type for item in last}
    if others and any(item.type in types or item.id in context.spoken.run for item in others):
        return others
    names, areas = {one.name(context.lang) for one in last}, {(one.type, house.index.area(one.id)) for one in last}
    further = [item for item in house.registry.devices if item.id not in context.last]
    called = [item for item in further if item.name(context.lang) in names]
    beside = [item for item in further if (item.type, house.index.area(item.id)) in areas]
    return called or paired(last, beside) or others


def _implied(house: House, request: Request) -> Resolution | None:
    """What is meant where nothing was spoken of: "make it 72" is about the heating, "pause it" about a player."""
    target, need = request.target, request.need
    if need.reads:
        unnamed = replace(request, target=replace(target, reference=None))
        return whatever_tells(house, unnamed) if need.attribute in AMBIENT else None
    kind: Kind | None = target.kind or need.implied_kind
    if kind is not None:
        found = everything_of(house, request, kind)
        return found if found.status in ("resolved", "ambiguous") else None
    there = [item for item in house.registry.devices if house.places.holds(request.scope, item)]
    able = _here(house, request, [item for item in there if need.action is not None and need.fits(item)])
    by_value = _by_value(request, able)
    able = by_value or standing(request, able)
    if len(able) == 1:
        sure, evidence = (1.0, "state") if by_value else (_GUESS, "")
        return Resolution(target, "resolved", (able[0].id,), confidence=sure, evidence=evidence)
    return one_of(house, request, able) if able else None


def _by_value(request: Request, able: Sequence[Entity]) -> list[Entity]:
    """What a bare number or a bare "up" is about: the heating that takes it, the only player that is heard."""
    parameter = request.need.parameter
    if parameter is None or parameter.attribute != "value":
        return []
    if parameter.op in ("increase", "decrease"):
        players = [item for item in able if item.capability("volume") is not None]
        heard = player(replace(request, need=replace(request.need, parameter=_LOUDER)), players)
        return [heard] if heard is not None else []
    return [item for item in able if kinds.fit(item, "climate") >= kinds.MEMBER and _in_range(item, parameter)]


def _in_range(item: Entity, parameter: Parameter) -> bool:
    capability = capability_for(item, parameter)
    if capability is None or capability.name != "temperature" or not isinstance(parameter.value, int | float):
        return False
    low, high = _COMFORT["F" if capability.unit == "F" else "C"]
    low = low if capability.minimum is None else capability.minimum
    high = high if capability.maximum is None else capability.maximum
    return low <= parameter.value <= high


def is_room_temperature(house: House, value: float, ids: Iterable[str] = ()) -> bool:
    """Whether a bare number for a room is a temperature that people like, to these or to any that can be set to one."""
    set_points = [
        capability
        for item in (house.registry.devices if not ids else (house.registry[id_] for id_ in ids))
        if (capability := item.capability("temperature")) is not None
    ]
    units = {"F" if item.unit == "F" else "C" for item in set_points} or {"C"}
    return any(low <= value <= high for low, high in map(_LIKED.__getitem__, units))


def _here(house: House, request: Request, able: list[Entity]) -> list[Entity]:
    here = [item for item in able if house.index.area(item.id) == request.context.area]
    return here or able


def _devices(house: House, ids: Iterable[str]) -> list[Entity]:
    found = dict.fromkeys(member for item in ids for member in house.registry.expand(item))
    return [house.registry[item] for item in found]
