"""What is meant where no name was said: a kind, a place, everything. Set algebra on ids; nothing is ever cut off."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from daemon.core.entities import Entity
from daemon.core.resolution import Resolution, Round, Step
from daemon.core.values import replace
from daemon.home import kinds
from daemon.home.actions import measures, pursues, readable_for
from daemon.home.names import tokens, without
from daemon.home.sensing import AMBIENT
from daemon.resolve.candidates import of_kind
from daemon.resolve.evidence import last_player, narrowed, standing
from daemon.resolve.members import (
    BROAD,
    ESSENTIAL,
    Fits,
    areas_of,
    around,
    beside_kin,
    by_its_place,
    called_plainly,
    closes,
    fan_of_last,
    inside,
    of_its_floor,
    only_called,
    present,
    says_little,
    spoken_of_last,
    spread,
    takes,
    without_risks,
)
from daemon.resolve.request import ONE_AT_A_TIME, House, Request, is_everything

_SIBLING: Final = 0.73
_SIBLING_FIT: Final = 0.2
"""What only resembles the kind is as sure as the one plus this share of its fit: blinds for a curtain are enough ..."""
_ONLY_ALIKE: Final = 0.7
"""... where one is all there is in the place; no gate for a garage door, and no two lights for a desk lamp."""
_PAIR: Final = 2
SAY_ALL: Final = 4
"""A question about up to so many is answered for each rather than asked back."""
_AS_MANY: Final = frozenset({"light", "cover"})
"""Kinds that a place alone means all of: "kitchen off". Of others there is one, or it has to be asked which."""
_SHINES: Final = frozenset({"state", "value", "brightness", "color", "color_temp"})
_DIAGNOSTIC: Final = "diagnostic"
_EXAMPLES: Final = 3


def everything_of(house: House, request: Request, kind: str) -> Resolution:
    """The members of a kind in the scope, as one or as a set."""
    target = request.target
    fitting, able = _fitting(house, request, kind)
    members = [(item, fit) for item, fit in able if fit >= kinds.MEMBER]
    if (last := spoken_of_last(house, request, members, able)) is not None:
        return _done(request, Resolution(target, "resolved", (last.id,), evidence="last"))
    # What is only by its name in a place is meant where nothing else there is.
    members = [(item, fit) for item, fit in members if house.places.told(request.scope, item)] or members
    confidence = min(request.scope.confidence, _ONLY_ALIKE if beside_kin(house, request, members, able) else 1.0)
    if not members and able:
        best = max(fit for _, fit in able)
        members = [(item, fit) for item, fit in able if fit == best]
        placed = request.scope.spoken or request.context.area is not None
        alone = len(members) == 1 and (best >= _ONLY_ALIKE or placed)
        confidence = min(confidence, _SIBLING + _SIBLING_FIT * best if alone else _ONLY_ALIKE)
    if target.state is not None:
        known = [(item, request.context.state_of(item.id, "state")) for item, _ in members]
        keep = {item.id for item, state in known if state is None or state == target.state}
        members = [(item, fit) for item, fit in members if item.id in keep]
    if not members and target.state is not None and able:
        return _done(request, Resolution(target, "empty", via=request.scope.via))
    if not members and (over := of_its_floor(house, request, kind)) is not None:
        return _done(request, Resolution(target, "resolved", (over.id,), via=request.scope.via))
    if not members:
        unable = tuple(item.id for item, fit in fitting if fit >= kinds.KIN and item.exposed)
        found = Resolution(target, "unsupported" if unable else "empty", unable[:_EXAMPLES], via=request.scope.via)
        return _done(request, found)
    if target.numberless and not request.need.reads and kind not in ONE_AT_A_TIME:
        return _several(house, request, kind, called_plainly(house, members, kind) or members, confidence)
    if request.plural or (request.need.reads and target.quantifier == "any"):
        return _several(house, request, kind, members, confidence)
    return fan_of_last(house, request) or _one(house, request, kind, members, confidence)


def _fitting(house: House, request: Request, kind: str) -> tuple[Fits, Fits]:
    """What may be called so in the scope, each with how well it fits; and those of them that can do it."""
    fitting = [(item, fit) for item, fit in house.index.of_kind(kind) if house.places.holds(request.scope, item)]
    if request.target.plays == "video" and any(kinds.shows(item) for item, _ in fitting):
        # A film wants a screen: where the screen here cannot show it, no loudspeaker is meant.
        fitting = [(item, fit) for item, fit in fitting if kinds.shows(item)]
    able = [(item, fit) for item, fit in fitting if takes(request, item, kind)]
    if kind == "device":
        able = [(item, fit) for item, fit in able if _tells_of_room(request, item)]
    if kind == "device" and (shut := [(item, fit) for item, fit in able if closes(request, item)]):
        able = shut  # where anything closes, nobody switches lamps off by "close everything"
    if (way := request.need.way) is not None:
        # Where something can cool, nothing that only heats is meant by "cool it to 22".
        able = [(item, fit) for item, fit in able if pursues(item, way)] or able
    return fitting, able


def _tells_of_room(request: Request, item: Entity) -> bool:
    """Whether what it measures is of its room, where that is asked: how warm a chip or the water is, is not."""
    asked = request.need.attribute in AMBIENT and request.need.reads
    return not asked or (_DIAGNOSTIC not in item.tags and kinds.is_of_air(item))


def in_place(house: House, request: Request) -> Resolution:
    """What a place alone means: its lights for on and off, what is needed for everything else."""
    need = request.need
    if need.reads:
        return _telling(house, request)
    if need.action in ("open", "close"):
        kinds_here = [kind for kind in ("cover", "light") if present(house, request, kind)]
        if len(kinds_here) > 1:
            options = [item for kind in kinds_here for item in house.index.of_kind(kind)]
            return _ambiguous(house, request, [item for item in options if inside(house, request, item[0])])
        kind = kinds_here[0] if kinds_here else "cover"
    else:
        kind = need.implied_kind or "light"
    if kind not in _AS_MANY:
        return everything_of(house, request, kind)
    return everything_of(house, replace(request, target=replace(request.target, quantifier="all")), kind)


def of_group(house: House, request: Request, group: Entity, confidence: float) -> Resolution:
    """The members of a group that can do it, less the risky and the essential ones."""
    members = [house.registry[item] for item in house.registry.expand(group.id)]
    able = [item for item in members if request.need.fits(item)]
    kept, left = without_risks(request, able, group.type or "group")
    wanted = _wanted(request)
    if wanted not in (None, len(able)) or (request.asks_which and len(able) > 1):
        return _ambiguous(house, request, [(item, 1.0) for item in able])
    if request.takes_any and not request.need.reads:
        kept, left = standing(request, kept)[:1], []
    if not kept and len(left) == len(able):
        # A group of risky things only, such as "all doors", has been named for them.
        kept, left = able, []
    return Resolution(
        request.target,
        "resolved" if kept else "unsupported",
        tuple(item.id for item in kept) or tuple(item.id for item in members[:_EXAMPLES]),
        via=group.id,
        confidence=confidence,
        left_out=tuple(item.id for item in left),
        is_set=True,
    )


def _telling(house: House, request: Request) -> Resolution:
    """Who can tell what is asked about a place; what only measures goes before what also does things."""
    need = request.need
    telling = [item for item in house.registry.devices if inside(house, request, item) and not says_little(need, item)]
    telling = [item for item in telling if _tells_of_room(request, item)]
    measuring = [item for item in telling if need.attribute is not None and measures(item, need.attribute)]
    sensors = [item for item in measuring or telling if item.type == "sensor"]
    several = request.plural or request.target.quantifier == "any" or need.attribute == "state"
    if measuring and (need.condition or len(measuring) <= SAY_ALL):
        # A thermostat knows how warm it is where the sensor sleeps.
        found = [*sensors, *(item for item in measuring if item not in sensors)]
    elif several:
        found = telling
    else:
        found = sensors if sensors and not (request.scope.whole and len(telling) <= SAY_ALL) else telling
    if not found:
        return Resolution(request.target, "empty", via=request.scope.via)
    if len(found) > SAY_ALL and not several and not (measuring and need.condition):
        return _ambiguous(house, request, [(item, 1.0) for item in found])
    entities = tuple(item.id for item in found)
    return Resolution(request.target, "resolved", entities, via=request.scope.via, is_set=len(found) > 1)


def _several(
    house: House, request: Request, kind: str, members: list[tuple[Entity, float]], confidence: float
) -> Resolution:
    target, scope, context = request.target, request.scope, request.context
    assumed, via = False, scope.via
    near = not scope.spoken and not request.need.reads and not is_everything(target)
    here = around(house, members, context.area) if near else []
    if here and (_wanted(request) != len(members) or len(here) == len(members)):  # "both doors", one of them here
        confidence = min(confidence, _standing_in(here, members))
        members, via = here, context.area
        assumed = context.area_assumed and _hardly_there(request, members)
    if not scope.spoken and via is None and not request.need.reads:
        # "The lights" of a speaker whose room is not known, or has none: only "all" reaches the whole home unasked.
        # But one lock too many that is locked harms nobody.
        assumed = target.plural and request.need.action != "lock" and spread(house, members)
        if assumed and (only := only_called(house, [item for item, _ in members], kind)) is not None:
            members, assumed = [(only, 1.0)], False
    if scope.split and spread(house, members):
        called = None if target.plural else by_its_place(house, request, [item for item, _ in members], kind)
        if called is None:
            places = [house.registry[area] for area in dict.fromkeys(areas_of(house, members))]
            return _ambiguous(house, request, [(place, 1.0) for place in places])
        members = [(called, 1.0)]  # "the light in the bedroom" is called just so, whatever other bedrooms there are
    wanted = _wanted(request)
    if wanted is not None and len(members) != wanted:
        return _ambiguous(house, request, members)
    kept, left = without_risks(request, [item for item, _ in members], kind)
    return _done(
        request,
        Resolution(
            target,
            "resolved" if kept else "empty",
            tuple(item.id for item in kept),
            via=via,
            confidence=confidence,
            left_out=tuple(item.id for item in left),
            is_set=True,
            assumed_scope=assumed,
        ),
    )


def _standing_in(here: list[tuple[Entity, float]], members: list[tuple[Entity, float]]) -> float:
    """How sure it is that those of this room are meant: a shutter is not "the blinds" where another room has blinds."""
    alike = max(fit for _, fit in here) <= kinds.MEMBER < max(fit for _, fit in members)
    return _ONLY_ALIKE if alike else 1.0


def _hardly_there(request: Request, members: list[tuple[Entity, float]]) -> bool:
    """Whether only one of several is as "dim the lights" takes them to be: lit.

    In a room that nobody named with it ("close the bedroom shade and dim the lights") others may be meant.
    """
    lit = sum(request.context.state_of(item.id, "state") == "on" for item, _ in members)
    changes = request.target.plural and request.need.action in ("increase", "decrease")
    return changes and lit == 1 and len(members) > _PAIR


def _wanted(request: Request) -> int | None:
    """How many there should be, where that was said."""
    target = request.target
    return target.count if target.quantifier == "n" else 2 if target.quantifier == "both" else None


def _that_are_set(request: Request, among: list[Entity]) -> list[Entity]:
    """Those that are set to something, where that is asked: what is only on or off is set to nothing."""
    if request.need.attribute != "set_point":
        return among
    return [item for item in among if (told := readable_for(item, "set_point")) and told.attribute != "state"] or among


def _one(
    house: House, request: Request, kind: str, members: list[tuple[Entity, float]], confidence: float
) -> Resolution:
    context, scope = request.context, request.scope
    near, evidence = scope.spoken and not scope.split and not scope.whole, ""
    if not scope.spoken and (spoken_of := last_player(request, [item for item, _ in members])) is not None:
        members, evidence = [(item, fit) for item, fit in members if item is spoken_of], "last"
    elif not scope.spoken and (here := around(house, members, context.area)):
        evidence = "room" if len(here) < len(members) else ""
        confidence = min(confidence, _standing_in(here, members))
        members, near = here, True
    best = max(fit for _, fit in members)
    confidence = min(confidence, _ONLY_ALIKE) if best <= kinds.DISTANT else confidence
    steps: tuple[Step, ...] = ()
    leaders = _that_are_set(request, [item for item, fit in members if fit == best])
    if request.need.reads and len(leaders) <= SAY_ALL:
        return Resolution(
            request.target, "resolved", _ids(leaders), via=scope.via, confidence=confidence, is_set=len(leaders) > 1
        )
    if len(leaders) > 1:
        # What is off would fit any "turn on"; what is on tells more than a name.
        named = by_its_place(house, request, leaders, kind) if near or scope.split else None
        chosen, evidence, steps = narrowed(house.registry, request, leaders, near=near and named is None)
        if chosen is None:
            over = None if near or scope.spoken else of_its_floor(house, request, kind)
            chosen, evidence = named or only_called(house, leaders, kind) or (over if over in leaders else None), "name"
        if chosen is None and request.takes_any:
            chosen, evidence = standing(request, leaders)[0], "any"
        if chosen is None and (near or scope.split) and _whole_light(house, request, kind, members):
            return _several(house, request, kind, members, confidence)
        if chosen is None:
            return replace(_ambiguous(house, request, [(item, best) for item in leaders]), steps=steps)
        leaders = [chosen]
    if ESSENTIAL in leaders[0].tags and kind in BROAD:
        return _ambiguous(house, request, [(leaders[0], best)])
    return _done(
        request,
        Resolution(request.target, "resolved", _ids(leaders), confidence=confidence, evidence=evidence, steps=steps),
    )


def _whole_light(house: House, request: Request, kind: str, members: Fits) -> bool:
    """Whether "the light" of a place is all that shines there, "the kitchen light" too; a lamp is one of several."""
    target = request.target
    if target.mention and (spread(house, members) or not request.scope.is_certain):
        return False  # of two rooms, either may be meant
    spoken = frozenset(tokens(place) for place in (*target.areas, *target.floors))
    words = without(tokens(target.mention or ""), spoken, max((len(run) for run in spoken), default=0))
    if target.reference == "that" or (words and house.kind_words.said(words) is None):
        return False
    need = request.need
    attribute = need.parameter.attribute if need.parameter is not None else None
    shines = need.action in ("turn_on", "turn_off", "open", "close") if attribute is None else attribute in _SHINES
    return kind == "light" and shines and request.target.quantifier == "one"


def _ambiguous(house: House, request: Request, members: Iterable[tuple[Entity, float]]) -> Resolution:
    found = of_kind(house, request, members)
    return _done(request, Resolution(request.target, "ambiguous", via=request.scope.via, candidates=found))


def _ids(entities: Iterable[Entity]) -> tuple[str, ...]:
    return tuple(item.id for item in entities)


def _done(request: Request, resolution: Resolution) -> Resolution:
    count = len(resolution.entities) or len(resolution.candidates)
    where = "named place" if request.scope.spoken else "anywhere"
    found = Round("structure", count, resolution.confidence, "stop", f"{resolution.status}: by kind, {where}")
    return replace(resolution, rounds=(found,))
