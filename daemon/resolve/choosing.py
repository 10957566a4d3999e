"""Which of the candidates are meant: the best, equals, or one that is told apart by what is known and whose it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from daemon.core.entities import Entity
from daemon.core.ir import Target
from daemon.core.resolution import Candidate, Context, Resolution, Step
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.home import kinds
from daemon.home.names import possessed, tokens
from daemon.resolve.candidates import one_of, signal_of
from daemon.resolve.evidence import narrowed, owner_of, preferred, standing
from daemon.resolve.members import BROAD
from daemon.resolve.request import ONE_AT_A_TIME, House, Request
from daemon.resolve.sets import SAY_ALL, of_group
from daemon.system.languages import told

STRONG: Final = 0.9
"""From this `name` feature on something is called so, whatever it can do."""
_DOUBT: Final = 0.01
_WHOLE: Final = frozenset({"exact", "relative", "core", "part"})
"""Signals of a name that was said, rather than of one that is like it."""


def decide(
    house: House, request: Request, limits: Thresholds, found: Sequence[Candidate]
) -> tuple[Resolution | None, str]:
    """What candidates (best first) mean, or None where nothing is good enough; and why, for the trace."""
    able = [item for item in found if item.features["capability"] > 0]
    if not able and found and found[0].features["name"] >= STRONG:
        same = tuple(item.entity for item in found if found[0].score - item.score < limits.margin)
        unable = Resolution(request.target, "unsupported", same, candidates=tuple(found))
        return unable, "so called, but it cannot do that"
    pool = able if request.need.certain else list(found)
    if not pool or pool[0].score < limits.plausible:
        return None, "nothing is good enough"
    leaders = _of_the_kind(house, request, _leaders(house, limits, pool))
    reason = f"{len(leaders)} within the margin of {pool[0].score:.2f}"
    if len(leaders) == 1 and _is_one_of(house, request, leaders[0]):
        members = (replace(leaders[0], entity=item) for item in house.registry.expand(leaders[0].entity))
        leaders = [item for item in members if request.need.fits(house.registry[item.entity])] or leaders
        reason = "the name of each of so many alike"
    entities = [house.registry[item.entity] for item in leaders]
    confidence = min(pool[0].score, request.scope.confidence)
    if signal_of(leaders[0]) == "meaning":
        # What only means something like it is asked about, whatever else speaks for it.
        confidence = min(confidence, limits.sure - _DOUBT)
    if len(leaders) == 1 and (elsewhere := _as_well_called(house, request, leaders[0], pool)):
        here = Step("room", leaders[0].entity, elsewhere)
        return replace(settled(house, request, entities, confidence, "room"), steps=(here,)), reason
    if len(leaders) == 1:
        return replace(settled(house, request, entities, confidence, ""), signal=signal_of(leaders[0])), reason
    if _all_are_meant(request, leaders):
        return settled(house, request, entities, confidence, ""), reason
    area = request.context.area
    near = request.scope.spoken or all(house.index.area(item.id) == area for item in entities)
    chosen, evidence, steps = narrowed(house.registry, request, entities, near=near)
    if chosen is not None:
        return replace(settled(house, request, [chosen], confidence, evidence), steps=steps), reason
    if request.takes_any and all(signal_of(item) in _WHOLE for item in leaders):
        return replace(settled(house, request, standing(request, entities)[:1], confidence, "any"), steps=steps), reason
    asked = Resolution(request.target, "ambiguous", candidates=tuple(leaders), confidence=confidence, steps=steps)
    return asked, reason


def _as_well_called(house: House, request: Request, leader: Candidate, pool: Sequence[Candidate]) -> tuple[str, ...]:
    """The ids of what has the name as well as the leader has, and is not where the speaker is."""
    area = request.context.area
    if request.scope.spoken or area is None or house.index.area(leader.entity) != area:
        return ()
    rivals = (item for item in pool if item.features["name"] >= leader.features["name"])
    return tuple(item.entity for item in rivals if house.index.area(item.entity) != area)


def _is_one_of(house: House, request: Request, leader: Candidate) -> bool:
    """Whether the name of so many alike was said of one: "the socket" of three. 射灯 are all, 插座 is one."""
    group = house.registry[leader.entity]
    if not group.numbered or request.need.reads or request.plural or request.target.quantifier != "one":
        return False
    members = (house.registry[item] for item in house.registry.expand(group.id))
    return not told(request.context.lang).numberless or any(item.type in ONE_AT_A_TIME for item in members)


def settled(house: House, request: Request, entities: Sequence[Entity], confidence: float, evidence: str) -> Resolution:
    """These are meant; groups and places stand for their members."""
    if len(entities) == 1 and entities[0].kind == "group":
        return of_group(house, request, entities[0], confidence)
    ids = dict.fromkeys(member for item in entities for member in house.registry.expand(item.id))
    able = tuple(item for item in ids if request.need.fits(house.registry[item]))
    return Resolution(
        request.target,
        "resolved" if able else "unsupported",
        able or tuple(ids),
        confidence=confidence,
        is_set=len(entities) > 1,
        evidence=evidence,
    )


def _leaders(house: House, limits: Thresholds, pool: Sequence[Candidate]) -> list[Candidate]:
    best = pool[0]
    own = set(house.registry.expand(best.entity)) - {best.entity}
    close = [item for item in pool if best.score - item.score < limits.margin and item.entity not in own]
    if best.features.get("exact") == 1:
        # The very name goes before a plural, a part or a name less its area, unless that one is nearer.
        close = [
            item for item in close if item.features.get("exact") == 1 or item.features["area"] > best.features["area"]
        ]
    return close


def _of_the_kind(house: House, request: Request, leaders: list[Candidate]) -> list[Candidate]:
    """Of a door and a lamp of one name, the door that was said; of a cover and a lamp, the cover that is opened."""
    if len(leaders) == 1 or request.plural:
        return leaders
    if request.need.reads:
        # What tells it goes before what only lets guess at it.
        asked = request.need.attribute or "state"
        leaders = [item for item in leaders if house.registry[item.entity].reads(asked) is not None] or leaders
    leaders = [item for item in leaders if item.features["kind"] > 0] or leaders
    if request.need.action in ("open", "close") and request.need.action not in told(request.context.lang).switches:
        # 打开 and 关 are also said of what is switched.
        covers = [item for item in leaders if house.registry[item.entity].capability("open_close") is not None]
        leaders = covers or leaders
    return leaders


def _all_are_meant(request: Request, leaders: Sequence[Candidate]) -> bool:
    target = request.target
    if request.need.reads:
        return len(leaders) <= SAY_ALL
    if target.quantifier in ("both", "n"):
        return len(leaders) == (target.count if target.quantifier == "n" else 2)
    if request.plural:
        return all(signal_of(item) in _WHOLE for item in leaders)
    # Locking one lock too many harms nobody: "lock the front door" means all that is on it.
    return request.need.action == "lock" and all(signal_of(item) in _WHOLE for item in leaders)


def owned(house: House, request: Request) -> Resolution | None:
    """What somebody's own is, where that is known; None where nobody's was said."""
    if not _is_owned(house, request):
        return None
    registry = house.registry
    anywhere, holds = not request.scope.spoken, house.places.holds
    wishes = (item for item in preferred(registry, request) if anywhere or holds(request.scope, registry[item]))
    wish = next(wishes, None)
    if wish is None:
        return None
    found = settled(house, request, [registry[wish]], 1.0, "preference")
    return replace(found, target=request.target, steps=(Step("preference", wish),))


def less_room(house: House, request: Request) -> Request:
    """The request; of somebody's own less the room and the states, which do not tell whose a thing is."""
    if not _is_owned(house, request) or not house.registry.people or request.plural:
        return request
    return replace(request, context=Context(request.context.lang, speaker=request.context.speaker))


def _is_owned(house: House, request: Request) -> bool:
    target = request.target
    return target.mine or owner_of(house.registry, request) is not None or possessed(target.mention or "") is not None


def of_one_kind(
    house: House,
    request: Request,
    last: Target,
    found: Resolution,
    resolve: Callable[[Target], Resolution],
    sure: float,
) -> Resolution:
    """What a name means beside a last one that says its kind, where something of that kind bears the name too.

    "Birch and elm lights" are two lights, though an air conditioner is called Birch; 白桦和榆树灯 may be either, and is
    asked about. Where no light is called so, it is what it is by itself (`found`).
    """
    target, kind = request.target, last.kind
    bare = target.mention is not None and target.kind is None and target.quantifier == "one" and not target.reference
    if not bare or kind is None or kind in BROAD or last.mention is None or found.status == "not_found":
        return found
    own = [house.registry[item] for item in found.entities]
    if found.status == "resolved" and all(kinds.fit(item, kind) >= kinds.KIN for item in own):
        return found
    words = tokens(last.mention)
    core = house.kind_words.core(words)
    rest = words[len(core) :] if words[: len(core)] == core else ()
    join = " " if rest and rest[0].isascii() else ""
    named = resolve(replace(target, mention=join.join((target.mention or "", *rest)), kind=kind))
    meant = [house.registry[item] for item in named.entities]
    if (
        named.status != "resolved"
        or named.confidence < sure
        or any(kinds.fit(item, kind) < kinds.KIN for item in meant)
    ):
        return found
    if found.status == "ambiguous" or last.plural:
        return replace(named, target=target)
    return one_of(house, request, (*own, *meant))
