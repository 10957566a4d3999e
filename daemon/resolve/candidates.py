"""Proposes entities for a mention, and scores them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from daemon.core.entities import Entity
from daemon.core.ir import Target
from daemon.core.resolution import Candidate, Resolution
from daemon.core.vocabulary import KINDS
from daemon.home import kinds
from daemon.home.names import key, tokens
from daemon.resolve.index import Hit
from daemon.resolve.request import House, Request
from daemon.resolve.scoring import ELSEWHERE, SIGNALS, likeness, name_signals, name_value, score

LIKENESS: Final = frozenset({"fuzzy", "sound"})
_NAME_FLOOR: Final = 0.45
_MANY: Final = 48
"""Of names less alike than those of so many candidates, only those are scored that may still come before one."""
_HOPELESS: Final = 0.15
"""What kind and history, together, can make up for in the likeness of a name."""
_HEADLESS: Final = 0.8
"""What is left of a part of a name that leaves out what the thing is: enough to ask."""
_OF_IT: Final = 0.8
"""What is left of a name beside which another thing was said, of it or on it: enough to ask."""
_ANYTHING: Final = frozenset({"switch", "device", "appliance", "sensor"})
"""Kinds that are said of whatever is switched, or senses: 空调开关 is the air conditioner."""
_TELLING: Final = frozenset(KINDS) - {"switch", "plug", "device"}
_NEAR: Final = 0.6
"""From this likeness on, something is worth a "did you mean"."""
_UNABLE: Final = 0.2
"""By how much more alike something has to be that cannot do what is wanted."""
_AS_NEAR: Final = 0.15
"""What is less near than the nearest by this much is not named beside it."""
_NEAREST: Final = 3
_NOWHERE: Final = 0.5
"""The area feature of a device that is in no area, where an area was said or is known."""


def by_name(house: House, request: Request, mention: str) -> list[Candidate]:
    """Whatever bears this name, in the scope of the request or out of it. Best first."""
    hits = [hit for hit in house.index.exact(mention) if house.registry[hit.entity].kind not in ("area", "floor")]
    if request.target.quantifier == "one":
        # "Left desk lamp" is a desk lamp too, but not beside one that is called just so.
        taken = {house.index.area(hit.entity) for hit in hits if not hit.end}
        hits = [hit for hit in hits if not (hit.end and house.index.area(hit.entity) in taken)]
    return _scored(house, request, ((hit, {"relative": 1.0} if hit.relative else _exact(mention, hit)) for hit in hits))


def by_likeness(house: House, request: Request, mention: str, core: tuple[str, ...]) -> list[Candidate]:
    """Whatever is called something like it, or is alike but for the word for its kind. Best first.

    A mention that is itself a word of this home is taken at its word: nothing that only looks or sounds like it.
    """
    index = house.index
    known = bool(index.exact(mention)) or house.kind_words.known(tokens(mention))
    kind = request.target.kind
    pairs = [
        (Hit(entity, mention), {"core": 1.0})
        for entity in (index.with_core(core) if kind is not None else ())
        if kinds.fit(house.registry[entity], kind) >= kinds.MEMBER
    ]
    alike: list[tuple[float, dict[str, float], tuple[Hit, ...]]] = []
    for hits in index.similar(mention):
        signals = name_signals(mention, hits[0].name, index.words)
        signals = {signal: value for signal, value in signals.items() if not (known and signal in LIKENESS)}
        if "part" in signals and _lacks_head(house, request, mention, hits[0]):
            signals["part"] *= _HEADLESS
        if (value := name_value(signals)) >= _NAME_FLOOR:
            whole = (hit for hit in hits if not hit.relative or not house.another(mention, house.registry[hit.entity]))
            alike.append((value, signals, tuple(whole)))
    alike.sort(key=lambda item: -item[0])
    return _scored(house, request, (*pairs, *_worth_scoring(house, request, alike)))


def by_description(house: House, request: Request, mention: str) -> list[Candidate]:
    """Whatever all of this is told of: in names, tags, a description, or where it is. Best first."""
    found = ((Hit(entity, ""), {"described": share}) for entity, share in house.index.described(tokens(mention)))
    return _scored(
        house, request, (item for item in found if not house.another(mention, house.registry[item[0].entity]))
    )


def by_meaning(house: House, request: Request, mention: str) -> list[Candidate]:
    """Whatever a model of meaning proposes. Best first."""
    found = ((Hit(entity, ""), {"meaning": fit}) for entity, fit in house.index.meant(mention))
    known = (item for item in found if item[0].entity in house.registry)
    return _scored(
        house, request, (item for item in known if not house.another(mention, house.registry[item[0].entity]))
    )


def of_kind(house: House, request: Request, members: Iterable[tuple[Entity, float]]) -> tuple[Candidate, ...]:
    """Candidates for members of a kind, whose name says nothing. Best first."""
    scores = _Scores(house, request)
    found = [scores.candidate(entity, {"name": fit, "kind": fit}) for entity, fit in members]
    return tuple(sorted(found, key=lambda item: -item.score))


def one_of(house: House, request: Request, among: Iterable[Entity], via: str | None = None) -> Resolution:
    """That one of these is meant, whose name does not tell which."""
    found = of_kind(house, request, ((item, 1.0) for item in among))
    return Resolution(request.target, "ambiguous", via=via, candidates=found)


def nearest(house: House, request: Request, mention: str) -> tuple[str, ...]:
    """The ids of what may have been meant, for "did you mean": nearest first, and only what is really near.

    What cannot do what is wanted, or is another sort of thing, has to be much nearer. A room is no answer to the name
    of a thing: "coffee machine" is not like "office".
    """
    best: dict[str, float] = {}
    said = house.kind_words.last(tokens(mention))
    for hits in house.index.similar(mention):
        value = likeness(mention, hits[0].name, house.index.words)
        if value < _NEAR:
            continue
        for hit in hits:
            item = house.registry[hit.entity]
            if item.exposed and item.kind in ("device", "group", "scene") and not house.another(mention, item):
                if item.type == "sensor" and not request.need.reads and request.need.action is not None:
                    continue  # nobody is asked whether a thermometer was to be switched off
                able = can(house, request, item) and (said is None or kinds.fit(item, said) > 0)
                worth = value if able else value - _UNABLE
                best[hit.entity] = max(best.get(hit.entity, 0.0), worth)
    ranked = sorted((item for item in best.items() if item[1] >= _NEAR), key=lambda item: -item[1])
    return tuple(entity for entity, value in ranked[:_NEAREST] if value > ranked[0][1] - _AS_NEAR)


def beside_a_kind(house: House, target: Target) -> bool:
    """Whether a kind was said beside the name, rather than in it: the light of 电视灯, where the TV is called 电视."""
    kind, mention = target.kind, tokens(target.mention or "")
    if kind is None or kind in _ANYTHING or not mention or house.kind_words.says(mention, kind):
        return False
    own = house.kind_words.last(mention)
    if own is not None and kinds.related(own, kind):
        return False
    # 燃气阀 and 门 are no door: together they say 阀门.
    whole = (house.kind_words.last(tokens(f"{target.mention}{word}")) for word in house.kind_words.words(kind))
    return all(said in (kind, None) for said in whole)


def _exact(mention: str, hit: Hit) -> dict[str, float]:
    return {"exact": 1.0 if key(mention) == key(hit.name) else 0.99}


def _of_it(house: House, request: Request, entity: Entity) -> bool:
    """Whether the kind that was said beside the name is not what this thing is: 电视灯 is no TV.

    What is only plugged in or switched, and says no more of itself, may be anything that its owner calls it.
    """
    told = entity.kind != "device" or bool({entity.type, *entity.tags} & _TELLING)
    return told and _kind(house, request, entity) == 0.0


def _worth_scoring(
    house: House, request: Request, alike: Iterable[tuple[float, dict[str, float], tuple[Hit, ...]]]
) -> Iterator[tuple[Hit, dict[str, float]]]:
    """Who bears names (best first) that may still matter: all who fit, for a set is never cut, and a few who don't."""
    fitting = unfit = 0
    enough = 0.0
    for value, signals, hits in alike:
        if value < enough:
            return
        for hit in hits:
            entity = house.registry[hit.entity]
            if entity.kind in ("area", "floor"):
                continue
            fits = house.places.holds(request.scope, entity) and can(house, request, entity)
            if not fits and unfit >= _MANY:
                continue
            fitting, unfit = fitting + fits, unfit + (not fits)
            yield hit, signals
        if not enough and fitting >= _MANY:
            enough = value - _HOPELESS


def _scored(house: House, request: Request, hits: Iterable[tuple[Hit, dict[str, float]]]) -> list[Candidate]:
    best: dict[str, dict[str, float]] = {}
    for hit, signals in hits:
        value = name_value(signals)
        if value > best.get(hit.entity, {}).get("name", 0.0):
            best[hit.entity] = {"name": value, **signals}
    registry, scores = house.registry, _Scores(house, request)
    if beside_a_kind(house, request.target):
        for entity, features in best.items():
            if _of_it(house, request, registry[entity]):
                best[entity] = {name: _OF_IT * value for name, value in features.items()}
    found = [scores.candidate(registry[entity], features) for entity, features in best.items()]
    return sorted(found, key=lambda item: -item.score)


class _Scores:
    """Scores entities for one request. In a large home there are hundreds that nothing tells apart: scored once."""

    def __init__(self, house: House, request: Request) -> None:
        self._house = house
        self._request = request
        self._known: dict[tuple[object, ...], tuple[float, dict[str, float]]] = {}

    def candidate(self, entity: Entity, signals: Mapping[str, float]) -> Candidate:
        """The candidate that an entity is by these features of its name; those of itself are added."""
        house, request = self._house, self._request
        kind = None if "kind" in signals else _kind(house, request, entity)
        capability, area = can(house, request, entity), _area(house, request, entity)
        history = 0.5 if entity.id in request.context.last else 0.0
        case = (*signals.items(), kind, capability, area, history)
        known = self._known.get(case)
        if known is None:
            own = {"capability": float(capability), "area": area, "history": history}
            whole = {**({} if kind is None else {"kind": kind}), **signals, **own}
            known = self._known[case] = score(whole), {name: round(value, 3) for name, value in whole.items()}
        return Candidate(entity.id, *known)


def can(house: House, request: Request, entity: Entity) -> bool:
    """Whether an entity, or any member of it, can do what is needed."""
    if entity.kind == "group":
        return any(request.need.fits(house.registry[member]) for member in house.registry.expand(entity.id))
    return request.need.fits(entity)


def _lacks_head(house: House, request: Request, mention: str, hit: Hit) -> bool:
    """Whether what was said is only what a name begins with: who says the car does not mean the car's charger.

    Where the act says what is meant ("the next track in the staff room"), that need not be said again; nor where
    something is closed that can be: nothing else that is so called is.
    """
    implied, item = request.need.implied_kind, house.registry[hit.entity]
    if implied is not None and kinds.fit(item, implied) >= kinds.MEMBER:
        return False
    if request.need.action == "close" and item.capability("open_close") is not None:
        return False
    said, name = tokens(mention), tokens(hit.name)
    return house.kind_words.lacks_head(said, name) and not house.places.find(name[-1])[0]


def _kind(house: House, request: Request, entity: Entity) -> float:
    """A group is of the kind that any of its members is."""
    if entity.kind != "group":
        return kinds.fit(entity, request.target.kind)
    members = house.registry.expand(entity.id)
    return max((kinds.fit(house.registry[member], request.target.kind) for member in members), default=0.0)


def _area(house: House, request: Request, entity: Entity) -> float:
    if request.scope.spoken:
        if entity.kind in ("scene", "person"):
            return 1.0
        if entity.kind == "group" and entity.area is None:
            members: Sequence[str] = house.registry.expand(entity.id)
            return float(all(house.places.holds(request.scope, house.registry[item]) for item in members))
        if house.places.holds(request.scope, entity):
            return 1.0
        return _NOWHERE if house.places.untold(request.scope, entity) else 0.0
    if request.context.area is None or entity.kind != "device":
        return 1.0
    area = house.index.area(entity.id)
    return _NOWHERE if area is None else 1.0 if area == request.context.area else ELSEWHERE


def signal_of(candidate: Candidate) -> str:
    """The signal that a candidate's name rests on."""
    present = [name for name in candidate.features if name in SIGNALS]
    return max(present, key=lambda name: SIGNALS[name] * candidate.features[name], default="kind")
