"""Who belongs to a set, and which member is "the second one"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from daemon.core.entities import CapabilityName, Entity
from daemon.core.resolution import Candidate, Resolution
from daemon.core.values import replace
from daemon.core.vocabulary import BINARY
from daemon.home import kinds
from daemon.home.actions import member_for, readable_for, vague
from daemon.home.names import has_run, tokens, without
from daemon.home.sensing import AT_WORK, witness
from daemon.resolve.candidates import one_of
from daemon.resolve.request import House, Need, Request
from daemon.system.languages import in_digits, told

Fits = list[tuple[Entity, float]]
"""Entities, each with how well it fits a kind, 0 to 1."""
_NAMED_BY_KIND: Final = frozenset({"lock", "door", "garage_door", "gate", "valve", "alarm"})
"""Who says one of these kinds means its risky members too; they are asked back."""
ESSENTIAL: Final = "essential"
BROAD: Final = frozenset({"device", "switch", "plug", "appliance"})
"""Kinds whose words say nothing of what a thing is for."""
_SETTING: Final = "setting"
_ALIKE: Final = 0.5
"""From this fit on, a word for another kind may be meant for it where nothing in the room is better called so."""
_WORKS: Final[tuple[CapabilityName, ...]] = ("on_off", "media_transport", "start_stop")
"""What is on or off rather than open, closed or measured."""


def takes(request: Request, item: Entity, kind: str) -> bool:
    """Whether it can do, or tell, what is wanted of a kind; "everything" is what is switched."""
    if request.target.senses is not None and witness(item, request.target.senses) is None:
        return False
    if request.need.reads and request.need.attribute in BINARY and says_little(request.need, item):
        return False
    if kind == "device" and request.need.attribute == "state" and request.need.state in ("on", "off"):
        # Nor does anybody who asks what is on think of an open curtain, or of a sensor.
        return request.need.fits(item) and any(item.capability(name) is not None for name in _WORKS)
    if kind == "device" and request.need.action == "stop":
        return request.need.fits(item) and _under_way(request, item)
    if kind == "device" and not request.need.reads and request.need.parameter is None:
        # "Everything" is what is switched; nobody closes the water main by that. Only locks are locked.
        switched = item.capability("on_off") is not None or request.need.action == "lock"
        return request.need.fits(item) and (switched or closes(request, item))
    return request.need.fits(item)


def closes(request: Request, item: Entity) -> bool:
    """Whether "close" is said of it as of a window; and "open", in a language in which nobody opens a lamp."""
    way, target = request.need.action, request.target
    said = way == "close" or (way == "open" and way not in told(request.context.lang).switches)
    shuts = item.capability("open_close") is not None and item.type != "valve"
    return said and shuts and target.kind == "device" and target.reference is None


def _under_way(request: Request, item: Entity) -> bool:
    """Whether it moves or plays, or may: of a shutter nobody knows. Nobody switches the plugs off by "stop"."""
    member = member_for(item, "stop")
    if member is None or member.capability == "on_off":
        return False
    return member.capability == "open_close" or request.context.state_of(item.id, "state") in AT_WORK


def says_little(need: Need, item: Entity) -> bool:
    """Whether nobody said what this sensor tells: it may answer for itself, not when a room is asked what is open."""
    if need.attribute == "state" and need.state in (None, "on", "off"):
        return False
    capability = readable_for(item, need.attribute or "state", need.state)
    return capability is not None and vague(capability)


def without_risks(request: Request, members: Sequence[Entity], kind: str) -> tuple[list[Entity], list[Entity]]:
    """The members that a set reaches, and those that it spares and tells of."""
    if request.need.reads:
        return list(members), []
    left = [
        item for item in members if ESSENTIAL in item.tags or (kind not in _NAMED_BY_KIND and request.need.risky(item))
    ]
    # Nobody who says "everything" thinks of a status LED.
    return [item for item in members if item not in left], [item for item in left if _SETTING not in item.tags]


def inside(house: House, request: Request, item: Entity) -> bool:
    """Whether it is where was said, and can do it."""
    return request.need.fits(item) and house.places.holds(request.scope, item)


def present(house: House, request: Request, kind: str) -> bool:
    """Whether there is one of the kind where was said that can do it and need not be asked about."""
    return any(
        fit >= kinds.MEMBER and inside(house, request, item) and not request.need.risky(item)
        for item, fit in house.index.of_kind(kind)
    )


def around(house: House, members: Fits, area: str | None) -> Fits:
    """Those in an area, if one is known; what is only by its name in it where nothing else there is."""
    inside = [(item, fit) for item, fit in members if area is not None and house.index.area(item.id) == area]
    return [(item, fit) for item, fit in inside if item.area == area] or inside


def beside_kin(house: House, request: Request, members: Fits, able: Fits) -> bool:
    """Whether those of other rooms may not be who is meant: "the blinds" may be the shutter of this room."""
    area, target = request.context.area, request.target
    if target.quantifier == "all" and not target.plural:
        return False  # "all blinds" are all that are called so
    if not members or area is None or request.scope.spoken or request.need.reads or around(house, members, area):
        return False
    return bool(around(house, [(item, fit) for item, fit in able if _ALIKE <= fit < kinds.MEMBER], area))


def of_its_floor(house: House, request: Request, kind: str) -> Entity | None:
    """The only one of the kind that is called after the floor of the one room that is meant: "Upstairs Heating".

    It does its work there, wherever it hangs. Where no place was said, the room is the one that is spoken in.
    """
    area = next(iter(request.scope.areas)) if len(request.scope.areas) == 1 else None
    area = area if request.scope.spoken else request.context.area
    floor = house.registry.floor_of(area) if area is not None else None
    if floor is None or request.need.reads:
        return None
    over = [tokens(name) for name in floor.names]
    found = [
        item
        for item, fit in house.index.of_kind(kind)
        if fit >= kinds.KIN
        and request.need.fits(item)
        and any(has_run(tokens(name), run) for name in item.names for run in over)
    ]
    return found[0] if len(found) == 1 else None


def like_last(house: House, request: Request) -> Resolution | None:
    """As "the one downstairs": of the sort that was spoken of last, what is there; None where nothing there is."""
    target, last = request.target, house.registry.present(request.context.last)
    placed = request.scope.spoken and request.scope.unknown is None and target.reference is None
    if target.kind != "device" or target.quantifier != "one" or target.plural or not placed or not last:
        return None
    kin = (item for item in house.registry.devices if all(kinds.akin(item, other) for other in last))
    alike = [item for item in kin if request.need.fits(item)]
    there = [item for item in alike if house.places.holds(request.scope, item)]
    if len(there) == 1:
        return Resolution(target, "resolved", (there[0].id,), via=request.scope.via, evidence="last")
    if not there or are_lights(house, request):
        return None
    return one_of(house, request, there, request.scope.via)


def are_lights(house: House, request: Request) -> bool:
    """Whether it is as "the kitchen one" after lights: a room's lights are as good as one."""
    target, last = request.target, house.registry.present(request.context.last)
    one = target.quantifier == "one" and not target.plural and target.reference is None and request.scope.spoken
    return one and bool(last) and all(kinds.belongs(item, "light") for item in last)


def spoken_of_last(house: House, request: Request, members: Fits, able: Fits) -> Entity | None:
    """What was spoken of last, where nothing in this room is better called so: "the door" of the garage."""
    if request.target.mention is not None or request.plural or not beside_kin(house, request, members, able):
        return None
    found = [item for item, fit in around(house, able, request.context.area) if item.id in request.context.last]
    return found[0] if len(found) == 1 else None


def spread(house: House, members: Iterable[tuple[Entity, float]]) -> bool:
    """Whether these are in more than one area."""
    return len({house.index.area(item.id) for item, _ in members}) > 1


def areas_of(house: House, members: Iterable[tuple[Entity, float]]) -> Iterable[str]:
    """The area of each that is in one."""
    return (area for item, _ in members if (area := house.index.area(item.id)) is not None)


_NUMBERED: Final = re.compile(r"^(.*?)[ #]*(\d{1,4})\D{0,2}$")


def called_plainly(house: House, members: Sequence[tuple[Entity, float]], kind: str) -> list[tuple[Entity, float]]:
    """Those that are called by nothing but the word for the kind: of all lamps there, what is simply 台灯."""
    return [
        (item, fit) for item, fit in members if any(house.kind_words.plain(tokens(name)) == kind for name in item.names)
    ]


def only_called(house: House, among: Sequence[Entity], kind: str) -> Entity | None:
    """The only one whose name says what it is: "the fan", beside a fan called Sergeant Pepper. No light: all shine."""
    if kind in ("light", "vacuum", "lawn_mower", *BROAD):
        return None  # a vacuum is meant by its verb as well, and not called anything then
    called = [item for item in among if any(house.kind_words.says(tokens(name), kind) for name in item.names)]
    return called[0] if len(called) == 1 else None


def by_its_place(house: House, request: Request, among: Sequence[Entity], kind: str) -> Entity | None:
    """The only one whose name is the place said and the kind: of all lights there "bedroom light"."""
    target, here = request.target, request.context.area
    spoken = (*target.areas, *target.floors)
    said = spoken or (house.registry[here].names if here is not None and not request.scope.spoken else ())
    places = frozenset(tokens(name) for name in said)
    longest = max((len(run) for run in places), default=0)
    # In the language spoken: what is simply 台灯 may be one desk lamp of several in English.
    found = [
        item
        for item in among
        if house.kind_words.plain(without(tokens(item.name(request.context.lang)), places, longest)) == kind
    ]
    return found[0] if len(found) == 1 else None


def so_called(house: House, among: Iterable[str], mention: str) -> tuple[str, ...]:
    """Those in whose names these words are: of all radiators "the towel one"."""
    words = tokens(mention)
    return tuple(item for item in among if any(has_run(tokens(name), words) for name in house.registry[item].names))


def nth(house: House, request: Request, found: Resolution) -> Resolution:
    """Of the set that was found, the one with the number that was said; a question where that is not one.

    Nobody counts lamps in the order in which a file lists them: what has no number has no place in a row.
    """
    if found.status not in ("resolved", "ambiguous"):
        return replace(found, target=request.target)
    ids = found.entities or tuple(item.entity for item in found.candidates)
    entities = [house.registry[item] for item in ids]
    row = _row(entities, request.context.lang)
    wanted = request.target.ordinal or 0
    if wanted < 0 and -wanted <= len(row):
        wanted = sorted(row)[wanted]
    one = row.get(wanted, [])
    if len(one) == 1 and (len(row) > 1 or len(entities) == 1):
        return replace(
            found, target=request.target, status="resolved", entities=(one[0].id,), candidates=(), is_set=False
        )
    options = one_of(house, request, one or entities).candidates
    return replace(found, target=request.target, status="ambiguous", entities=(), candidates=options)


def _row(entities: Sequence[Entity], lang: str) -> dict[int, list[Entity]]:
    """The entities by the number in their names, where they differ by nothing else; else nothing."""
    row: dict[int, list[Entity]] = {}
    stems = set()
    for item in entities:
        numbered = _NUMBERED.match(in_digits(item.name(lang)))
        if numbered is None:
            return {}
        stems.add(numbered[1].strip().casefold())
        row.setdefault(int(numbered[2]), []).append(item)
    return row if len(stems) == 1 else {}


def kind_goes_before(house: House, request: Request, named: Sequence[Candidate], words: tuple[str, ...]) -> bool:
    """Whether a bare kind ("the light") means one that is here or that can, not the one so named elsewhere.

    Args:
        house: The home.
        request: What is looked for.
        named: What is so named.
        words: The name, less the places that were said with it.
    """
    kind = request.target.kind
    if kind is None:
        return False
    if not any(item.features["capability"] > 0 for item in named):
        return True
    # "The light strip" is the one so called, in whatever room; "the light" is that of this room.
    if house.kind_words.plain(words) is None:
        return False
    if request.scope.spoken or request.context.area is None or any(item.features["area"] == 1 for item in named):
        return False
    return any(
        fit >= kinds.MEMBER and house.index.area(item.id) == request.context.area and request.need.fits(item)
        for item, fit in house.index.of_kind(kind)
    )


_OF_AIR: Final = frozenset({"speed", "swing"})


def fan_of_last(house: House, request: Request) -> Resolution | None:
    """As "and fan speed low" after the air conditioner: it is its fan, and its swing. None where it is not so."""
    said, target, last = request.need.parameter, request.target, request.context.last
    if said is None or said.attribute not in _OF_AIR or target.kind not in ("fan", None) or target.mention:
        return None
    if request.scope.spoken or target.reference is not None:
        return None
    items = house.registry.present(last)
    climes = [item.id for item in items if kinds.belongs(item, "climate") and request.need.fits(item)]
    one = len(climes) == len(items) == 1
    return Resolution(target, "resolved", tuple(climes), evidence="last") if one else None
