"""What is meant without being named.

Who a question is for ("how warm is it", "is anyone home"), the contact in the frame of a door that was asked about, and
the vacuum where a room is to be cleaned ("clean the kitchen" says where to work, not where the vacuum stands), what is
meant by a kind alone, and where only a sensor was spoken of, which does nothing: "how warm is it?" - "get it up to 21".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from daemon.core.entities import Entity
from daemon.core.ir import Kind
from daemon.core.resolution import Candidate, Resolution
from daemon.core.values import replace
from daemon.core.vocabulary import BINARY
from daemon.home import kinds
from daemon.home.names import has_run, tokens
from daemon.home.registry import Registry
from daemon.home.sensing import AMBIENT
from daemon.resolve.candidates import by_name, nearest, one_of
from daemon.resolve.evidence import named_after
from daemon.resolve.members import by_its_place
from daemon.resolve.places import Scope
from daemon.resolve.request import IMPLIED, House, Need, Request
from daemon.resolve.rounds import Rounds
from daemon.resolve.sets import everything_of, in_place

_WHEREABOUTS: Final = frozenset({"location", "occupancy", "presence"})
_GOES: Final = frozenset({"pause", "resume"})
_MOVES: Final = frozenset({"opening", "closing"})
_PLUGS: Final = frozenset({"switch", "plug", "appliance"})
"""What tells of what is behind it only whether it has power."""


def whatever_tells(house: House, request: Request, beside: Iterable[str] = ()) -> Resolution:
    """What tells a value in the room of the microphone, else in the areas `beside`, else anywhere."""
    area = request.context.area
    for areas in (frozenset({area} if area is not None else ()), frozenset(beside)):
        if areas:
            via = next(iter(areas)) if len(areas) == 1 else None
            found = in_place(house, replace(request, scope=Scope(areas=areas, spoken=True, via=via)))
            if found.status != "empty":
                return found
    return in_place(house, replace(request, scope=Scope(spoken=True, whole=True)))


def everybody(house: House, request: Request) -> Resolution | None:
    """Everybody of whom it is known whether they are home, where that is asked; None where it is not."""
    nowhere = not request.scope.spoken or request.scope.whole
    if not nowhere or request.need.attribute not in _WHEREABOUTS:
        return None
    if request.target.kind not in (None, "sensor", "device") or request.target.senses is not None:
        return None
    if request.target.kind == "device" and any(request.need.fits(item) for item in house.registry.devices):
        return None  # a phone is at home as well as its owner
    found = tuple(item.id for item in house.registry.persons if request.need.fits(item))
    return Resolution(request.target, "resolved", found, is_set=True) if found else None


def outspoken(house: House, found: Resolution, need: Need) -> Resolution:
    """Where one thing only lets guess what is asked (is a battery low?), the one named after it that says.

    Whether a machine on a plug that is always on is done, or how it is, is told by what says so in words: 洗衣机状态.
    """
    asked = need.attribute
    if found.status != "resolved" or len(found.entities) != 1 or asked is None:
        return found
    item, devices = house.registry[found.entities[0]], house.registry.devices
    names = tuple(name.casefold() for name in item.names)
    plugged = not need.condition and item.type in _PLUGS and item.reads("power") is None
    if plugged and (asked == "running" or (asked == "state" and need.state is None)):
        names = (*names, found.target.mention.casefold()) if found.target.mention else names
        told = [other for other in devices if other.type == "sensor" and _says_in_words(other)]
    elif asked not in BINARY or item.reads(asked) is not None:
        return found
    else:
        told = [other for other in devices if other.reads(asked) is not None and need.fits(other)]
    able = [other.id for other in told if any(name.casefold().startswith(names) for name in other.names)]
    return replace(found, entities=tuple(able)) if len(able) == 1 else found


def _says_in_words(item: Entity) -> bool:
    told = item.reads("state") or item.reads("value")
    return told is not None and told.name == "read" and told.unit is None and item.exposed


def witness(house: House, found: Resolution, need: Need) -> Resolution:
    """Of what is found and cannot tell: the one sensor beside it that is of that kind, or named after it, and can.

    "Is the front door open", where the front door is a lock, is told by the contact in its frame.
    """
    beside = {house.index.area(item) for item in found.entities} - {None}
    names = tuple(name.casefold() for item in found.entities for name in house.registry[item].names)
    there = [item for item in house.registry.devices if house.index.area(item.id) in beside]
    able = [item for item in there if need.fits(item) and item.id not in found.entities]
    of_kind = [item.id for item in able if found.target.kind in item.tags]
    told = of_kind + [item.id for item in able if any(name.casefold().startswith(names) for name in item.names)]
    sensors = [item for item in able if item.type == "sensor"]
    told = told or [item.id for item in named_after(house.registry, found.entities, sensors)]
    told = told or [item.id for item in able if _is_of_the_only(house, found, item)]
    return replace(found, status="resolved", entities=tuple(told[:1])) if len({*told}) == 1 else found


def _is_of_the_only(house: House, found: Resolution, item: Entity) -> bool:
    """Whether a sensor is called after a kind of which there is but one in its room: "lock battery"."""
    area, kind = house.index.area(item.id), house.registry[found.entities[0]].type if found.entities else None
    fitting = () if kind is None else house.index.of_kind(kind)
    there = [one.id for one, fit in fitting if fit >= kinds.MEMBER and house.index.area(one.id) == area]
    called = any(house.kind_words.says(tokens(name), str(kind)) for name in item.names)
    return called and there == [*found.entities]


CAPABILITY = "clean_area"
UNKNOWN_PART: Final = 0.7
"""How sure a kind is whose description says nothing to us: "the sparkly lamp", where there is one lamp."""


def cleaned(house: House, request: Request) -> Resolution | None:
    """The vacuum that is to clean the place that was said, where one is meant."""
    target, registry = request.target, house.registry
    if not _is_about_rooms(request):
        return None
    if target.mention is None:
        vacuums = [item for item, fit in house.index.of_kind("vacuum") if fit >= kinds.MEMBER]
        return _cleaner(house, request, vacuums) if target.kind == "vacuum" else None
    elsewhere = replace(request, scope=Scope(), target=replace(target, areas=(), floors=(), reference=None))
    named = [item for item in by_name(house, elsewhere, target.mention) if item.features["capability"] > 0]
    vacuums = [item for item in (registry[found.entity] for found in named) if item.type == "vacuum"]
    return _cleaner(house, request, vacuums) if len(vacuums) == len(named) else None


def _is_about_rooms(request: Request) -> bool:
    """Whether a place was said as what is to be cleaned."""
    scope = request.scope
    return (
        request.target.cleans
        and request.need.action == "start"
        and scope.spoken
        and not scope.whole
        and scope.unknown is None
    )


def _cleaner(house: House, request: Request, among: Sequence[Entity]) -> Resolution | None:
    """Which of these vacuums is to clean the place that was said, and which rooms; None where there is none.

    The one that is there goes before those of no place, and these before all others. One that stands on the floor that
    was said, and no room, cleans whatever it can reach.
    """
    scope, places = request.scope, house.places
    there = [item for item in among if places.holds(scope, item)]
    nowhere = [item for item in among if item.area is None and item.floor is None]
    chosen = there or nowhere or list(among)
    if not chosen:
        return None
    rooms = () if there and not scope.exact else tuple(sorted(scope.areas))
    if len(chosen) > 1:
        return replace(one_of(house, request, chosen, scope.via), cleans=rooms)
    return Resolution(
        request.target, "resolved", (chosen[0].id,), via=scope.via, confidence=scope.confidence, cleans=rooms
    )


def less_rooms(
    house: House, need: Need, named: Sequence[Resolution], spared: Sequence[Resolution]
) -> tuple[tuple[Resolution, ...], tuple[Resolution, ...]] | None:
    """What a vacuum is to clean less the rooms that are spared, and what of these it cannot heed; None of other deeds.

    It stands in one of them itself. Of a round through the whole home it can leave out none.
    """
    vacuums = [house.registry[entity].type == "vacuum" for item in named for entity in item.entities]
    if need.action != "start" or not (vacuums and all(vacuums)):
        return None
    gone = {house.index.area(entity) for item in spared for entity in item.entities} | {item.via for item in spared}
    left = [replace(item, cleans=tuple(room for room in item.cleans if room not in gone)) for item in named]
    whole = any(not item.cleans for item in named)
    emptied = any(item.cleans and not kept.cleans for item, kept in zip(named, left, strict=True))
    kept = tuple(item for item in spared if whole or emptied or item.status != "resolved")
    return (tuple(named) if emptied else tuple(left)), kept


def kind_alone(house: House, request: Request, rounds: Rounds, rest: tuple[str, ...], kind: Kind) -> Resolution:
    """What a word for a kind means. One that also says which ("chandelier") is no other of the kind unasked."""
    found = everything_of(house, request, kind)
    plain = house.kind_words.plain(rest) is not None
    if found.status == "unsupported" and not plain:
        return _unable(house, request, rounds, found, rest, kind)
    if plain or request.target.plays is not None:
        return found  # "the music" is what is heard, whatever plays it
    if (found := less_others(house, request, rounds, found)).status != "resolved" or request.need.reads:
        return found
    bearers = tuple(item for item in found.entities if _is_so_called(house.registry[item], rest))
    if bearers and found.is_set:
        return replace(found, entities=bearers)
    return found if bearers else replace(found, confidence=min(found.confidence, UNKNOWN_PART))


def less_others(house: House, request: Request, rounds: Rounds, found: Resolution) -> Resolution:
    """What is left of what was found by its kind alone, less what the words cannot be meant for."""
    mention = request.target.mention
    if mention is None or found.status not in ("resolved", "ambiguous"):
        return found
    ids = {*found.entities, *(candidate.entity for candidate in found.candidates)}
    others = {item for item in ids if house.another(mention, house.registry[item])}
    if not others:
        return found
    entities = tuple(item for item in found.entities if item not in others)
    candidates = tuple(item for item in found.candidates if item.entity not in others)
    if not (entities if found.status == "resolved" else candidates):
        rounds.note("contrast", found.candidates, stop=True, reason="the words can only mean something else")
        return Resolution(found.target, "not_found", nearest=nearest(house, request, mention))
    return replace(found, entities=entities, candidates=candidates)


def going(house: House, request: Request) -> Resolution | None:
    """What was spoken of last and plays nothing, where it is only said to pause or to go on: the vacuum.

    A curtain that has arrived neither pauses nor goes on.
    """
    last = house.registry.present(request.context.last)
    goes = request.need.action in _GOES and request.target.plays is None
    moves = [item for item in last if item.capability("start_stop") is None]
    if any(request.context.state_of(item.id, "state") not in _MOVES for item in moves):
        return None
    if not (goes and last) or any(kinds.fit(item, "media_player") or not request.need.fits(item) for item in last):
        return None
    return Resolution(request.target, "resolved", tuple(item.id for item in last), evidence="last")


def _unable(
    house: House, request: Request, rounds: Rounds, found: Resolution, rest: tuple[str, ...], kind: Kind
) -> Resolution:
    """Of a kind that cannot do it, those that are so called: nobody calls a thermometer a smoke alarm."""
    called = tuple(
        item.id
        for item, _ in house.index.of_kind(kind)
        if item.exposed and house.places.holds(request.scope, item) and _is_so_called(item, rest)
    )
    if called:
        return replace(found, entities=called)
    rounds.note("kind", (), stop=True, reason="nothing of the kind is so called")
    return Resolution(request.target, "not_found", nearest=nearest(house, request, request.target.mention or ""))


def _is_so_called(item: Entity, words: tuple[str, ...]) -> bool:
    return any(has_run(tokens(name), words) for name in (*item.names, *item.tags))


def main_light(house: House, request: Request, words: tuple[str, ...], named: Sequence[Candidate]) -> Resolution | None:
    """The light that "the big light" is in a room where none is called so: the one above, or that of its very name."""
    area = request.scope.via if request.scope.spoken else request.context.area
    if area is None or not house.kind_words.says_main(words):
        return None
    lights = [item for item, fit in house.index.of_kind("light") if fit >= kinds.MEMBER]
    here = [item for item in lights if house.index.area(item.id) == area and request.need.fits(item)]
    if any(house.index.area(item.entity) in (area, None) for item in named):
        return None
    above = [item for item in here if any(house.kind_words.is_main(tokens(name)) for name in item.names)]
    meant = above[0] if len(above) == 1 else by_its_place(house, request, here, "light")
    return Resolution(request.target, "resolved", (meant.id,), evidence="name") if meant is not None else None


_PERHAPS: Final = 0.7
"""How sure it is that what is in another room is meant: enough for a question, never for an act."""


def acting_there(house: House, request: Request, meant: Sequence[Entity]) -> Resolution | None:
    """What does it where these sensors measure, or to the floor of that room; else the only thing that can, asked.

    None where other than sensors was spoken of, or several things are meant, or nothing in the home can do it.
    """
    if request.target.reference == "them":
        return None
    areas = {area for item in meant if (area := house.index.area(item.id)) is not None}
    if request.need.reads or len(areas) != 1 or any(item.type != "sensor" for item in meant):
        return None
    kind = request.target.kind or request.need.implied_kind or _kind_of(meant)
    if kind is None:
        return None
    (area,) = areas
    unsaid = replace(request.target, reference=None, kind=kind)
    room = Scope(areas=frozenset({area}), spoken=True, exact=True, via=area)
    found = everything_of(house, replace(request, target=unsaid, scope=room), kind)
    if found.status in ("resolved", "ambiguous"):
        return replace(found, target=request.target)
    # What was left out is rather here; "it" is what was spoken of, wherever that may be.
    elsewhere = Scope() if request.target.unsaid else Scope(spoken=True, whole=True)
    found = everything_of(house, replace(request, target=unsaid, scope=elsewhere), kind)
    if found.status not in ("resolved", "ambiguous"):
        return None
    return replace(found, target=request.target, confidence=min(found.confidence, _PERHAPS))


def indoors(house: House, request: Request, found: Resolution) -> Resolution:
    """What tells how it is in the whole home, or in a room that nobody knows: nothing outdoors, where anything else."""
    target = request.target
    whole = target.whole_home or (target.reference == "here" and not request.scope.spoken)
    if not whole or target.mention is not None or request.need.attribute not in AMBIENT or not request.need.reads:
        return found
    within = tuple(item for item in found.entities if not house.places.outdoors(house.registry[item]))
    return replace(found, entities=within) if within else found


def _kind_of(sensors: Sequence[Entity]) -> Kind | None:
    """What changes that which these measure."""
    found = {IMPLIED.get(item.attribute) for sensor in sensors for item in sensor.capabilities} - {None}
    return found.pop() if len(found) == 1 else None


PASSING: Final = frozenset({"occupancy", "motion"})
"""What tells that somebody is there."""


def passing_there(registry: Registry, found: Resolution, acted: Sequence[Resolution]) -> Resolution:
    """What sees whoever passes where that is which is acted on, if anything there does."""
    rooms = registry.rooms_of(one for item in acted for one in item.entities)
    there = tuple(item for item in found.entities if registry.room_of(item) in rooms)
    return replace(found, entities=there) if there else found
