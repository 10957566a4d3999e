"""Tells one of several apart by what is known, before anybody is asked: preferences, states, what was last meant.

And by what it is said to be told apart by: "the lamp next to the sofa" is the sofa lamp, and so is "the one by the
sofa".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

from daemon.core.entities import Entity
from daemon.core.ir import Parameter, Target
from daemon.core.resolution import Context, Resolution, Step
from daemon.core.values import replace
from daemon.home.actions import capability_for
from daemon.home.kinds import MEMBER, akin, belongs, fit, shows
from daemon.home.names import ending, owned, possessed, tokens
from daemon.home.registry import Registry
from daemon.home.verbs import FULFILLED
from daemon.resolve.candidates import one_of
from daemon.resolve.request import House, Request

# What an act ends: of several, the only one in such a state is meant.
_ENDS: Final[Mapping[str, frozenset[object]]] = {
    "turn_off": frozenset({"on", "playing", "paused", "idle", "cleaning"}),
    "close": frozenset({"open", "opening", "unlocked", "on", "playing", "paused", "idle", "cleaning"}),
    "lock": frozenset({"unlocked"}),
    "stop": frozenset({"playing", "opening", "closing", "cleaning", "on"}),
    "pause": frozenset({"playing", "cleaning"}),
    "resume": frozenset({"paused"}),
}
_BEGINS: Final[Mapping[str, frozenset[object]]] = {
    "turn_on": frozenset({"off"}),
    "open": frozenset({"closed", "closing", "off", "locked"}),
    "unlock": frozenset({"locked"}),
}
_ON: Final[frozenset[object]] = frozenset(FULFILLED["media_transport", "on"])
_HEARD: Final[tuple[frozenset[object], ...]] = (frozenset({"playing"}), _ON)
# Of several players, the only one in the first such state is meant, else the only one in the next.
_PLAYERS: Final[Mapping[str, tuple[frozenset[object], ...]]] = {
    "pause": _HEARD,
    "next": _HEARD,
    "previous": _HEARD,
    "mute": _HEARD,
    "unmute": _HEARD,
    "volume": _HEARD,
    "resume": (frozenset({"paused"}),),
    "play": (),
}
_MUSICAL: Final = frozenset({"next", "previous"})
"""Tracks are skipped on what plays music rather than on a television."""


def preferred(registry: Registry, request: Request) -> tuple[str, ...]:
    """The ids that the speaker may mean by a word, or its owner by "Amal's lamp", the likeliest first."""
    mention = request.target.mention
    said: tuple[str, ...] = tuple(word for word in (mention or request.target.kind, possessed(mention or "")) if word)
    found = list(registry.wishes(request.context.speaker, said))
    for person in registry.people:
        rest = next((rest for name in person.names if (rest := owned(mention or "", name))), None)
        if rest is not None:
            found += registry.wishes(person.id, (rest,))
            found += registry.wishes(person.id, (request.target.kind,)) if request.target.kind else ()
    return tuple(dict.fromkeys(wish.meaning for wish in found if wish.meaning in registry))


def owner_of(registry: Registry, request: Request) -> str | None:
    """The id of the person who is named as the owner of what is meant, or None."""
    mention = request.target.mention or ""
    return next((item.id for item in registry.people if any(owned(mention, name) for name in item.names)), None)


def narrowed(
    registry: Registry, request: Request, among: Sequence[Entity], *, near: bool
) -> tuple[Entity | None, str, tuple[Step, ...]]:
    """The one that is meant among several and what tells it, or None; and each step that was taken, for the trace.

    Args:
        registry: For the preferences.
        request: What is looked for.
        among: Entities that fit equally well.
        near: Whether all are in one place that was said or where the speaker is: only there does "turn on the light"
            mean the one that is off.
    """
    steps: list[Step] = []
    for evidence, look, known in _ways(registry, request, among, near=near):
        found = look()
        steps.append(Step(evidence, found.id if found is not None else None, tuple(known)))
        if found is not None:
            return found, evidence, tuple(steps)
    return None, "", tuple(steps)


def _ways(
    registry: Registry, request: Request, among: Sequence[Entity], *, near: bool
) -> Iterator[tuple[str, Callable[[], Entity | None], Sequence[str]]]:
    """Each look that may tell something here, with what it looks at."""
    yield "preference", lambda: _by_preference(registry, request, among), preferred(registry, request)
    if _of_players(request):
        yield "last", lambda: last_player(request, among), request.context.last
    states = [f"{item.id} {request.context.state_of(item.id, 'state')}" for item in among]
    if _PLAYERS.get(_of_players(request)):
        yield "state", lambda: player(request, among), states
    if (request.need.action or "") in _ENDS or ((request.need.action or "") in _BEGINS and near):
        yield "state", lambda: _by_state(request, among), states
    if request.target.plays is not None:
        yield "plays", lambda: _by_what_plays(request, among), ()
    if (wished := request.need.parameter) is not None and isinstance(wished.value, str):
        yield "option", lambda: _by_option(wished, among), ()
    if request.need.action in _MUSICAL:
        yield "kind", lambda: _only_speaker(among), ()


def of_told(registry: Registry, wanted: Sequence[Target], gone: Collection[str], context: Context) -> Sequence[Target]:
    """The rest of a list that was told just now, where something in it is spared: "all but the lamp off"."""
    if not (wanted and gone):
        return wanted
    told = registry.present(context.last)
    any_ = Target(kind=wanted[0].kind, quantifier="all", plural=True, confidence=wanted[0].confidence)
    spared = sum(item.id in gone for item in told)
    alike = all(fit(item, any_.kind) > 0 for item in told)
    asked = context.spoken.deed == "query" and 0 < spared < len(told) and alike
    return (replace(any_, kind=None, reference="them", plural=False),) if asked and wanted == (any_,) else wanted


def named_after(registry: Registry, things: Sequence[str], among: Sequence[Entity]) -> list[Entity]:
    """What bears a word of their names, that doesn't only say where they are: of a freezer, its thermometer."""
    return [item for item in among if any(_shares(item, thing, registry) for thing in registry.present(things))]


def _shares(one: Entity, other: Entity, registry: Registry) -> bool:
    """Whether their names have a word in common, or two characters, less those of the place."""
    area = registry.area_of(one.id)
    place = {word for name in (area.names if area is not None else ()) for word in tokens(name)}
    mine, its = ({word for name in item.names for word in tokens(name)} for item in (one, other))
    return len("".join((mine & its) - place)) > 1


def paired(some: Sequence[Entity], others: Sequence[Entity]) -> list[Entity]:
    """Of the others those whose names end most like theirs: beside the left lamp, the right lamp, not the spots."""
    alike = {
        item.id: max((ending(name, mine) for one in some for mine in one.names for name in item.names), default=0)
        for item in others
    }
    most = max(alike.values(), default=0)
    return [item for item in others if alike[item.id] == most]


def _by_preference(registry: Registry, request: Request, among: Sequence[Entity]) -> Entity | None:
    by_id = {item.id: item for item in among}
    return next((by_id[wish] for wish in preferred(registry, request) if wish in by_id), None)


def _by_option(parameter: Parameter, among: Sequence[Entity]) -> Entity | None:
    """The only one that has the very word among its options: of all players one knows "netflix"."""
    able = [(item, capability_for(item, parameter)) for item in among]
    found = [item for item, capability in able if capability is not None and parameter.value in capability.options]
    return found[0] if len(found) == 1 else None


def _by_what_plays(request: Request, among: Sequence[Entity]) -> Entity | None:
    """The only one that is for sound, where music is meant; the only one with a picture, where a film is."""
    found = [item for item in among if shows(item) == (request.target.plays == "video")]
    return found[0] if len(found) == 1 else None


def _only_speaker(among: Sequence[Entity]) -> Entity | None:
    speakers = [item for item in among if item.type == "speaker"]
    return speakers[0] if len(speakers) == 1 else None


def player(request: Request, among: Sequence[Entity]) -> Entity | None:
    """The only one of these players that plays, else the only one that is on; None where nothing is wanted of one."""
    tiers = _PLAYERS.get(_of_players(request), ())
    states = [request.context.state_of(item.id, "state") for item in among]
    if not all(fit(item, "media_player") >= MEMBER for item in among) or None in states:
        return None
    for tier in tiers:
        fitting = [item for item, state in zip(among, states, strict=True) if state in tier]
        if fitting:
            return fitting[0] if len(fitting) == 1 else None
    return None


def behind(target: Target, named: Sequence[Resolution], context: Context) -> Context:
    """The context of a target behind others of another kind: "the bathroom fan and the light in there"."""
    other = bool(named) and target.reference == "there" and named[-1].target.kind != target.kind
    there = named[-1].entities if other else ()
    return replace(context, spoken=context.spoken.then(there)) if there else context


def standing(request: Request, among: Sequence[Entity]) -> list[Entity]:
    """Those for which an act would end or begin something, as far as is known; all, where it would for none."""
    action = request.need.action or ""
    wanted = _ENDS.get(action) or _BEGINS.get(action)
    if wanted is None:
        return list(among)
    states = {item.id: request.context.state_of(item.id, "state") for item in among}
    return [item for item in among if states[item.id] is None or states[item.id] in wanted] or list(among)


def last_player(request: Request, among: Sequence[Entity]) -> Entity | None:
    """The player of which this conversation spoke last, unless it is known to be off."""
    if not _of_players(request):
        return None
    for spoken_of in (request.context.last, request.context.spoken.before):
        found = [item for item in among if item.id in spoken_of and fit(item, "media_player") >= MEMBER]
        if len(found) == 1 and request.target.plays not in (None, "video" if shows(found[0]) else "audio"):
            return None  # "pause the music", after something was said of the film
        if len(found) == 1:
            state = request.context.state_of(found[0].id, "state")
            return found[0] if state is None or state in _ON else None
    return None


def _of_players(request: Request) -> str:
    """What is wanted of a player, a key of their table; empty where it is something else."""
    parameter = request.need.parameter
    wanted = "volume" if parameter is not None and parameter.attribute == "volume" else request.need.action or ""
    return wanted if wanted in _PLAYERS else ""


def _by_state(request: Request, among: Sequence[Entity]) -> Entity | None:
    """The only one in a state that the act ends, or else begins with."""
    action = request.need.action or ""
    wanted = _ENDS.get(action) or _BEGINS[action]
    states = {item.id: request.context.state_of(item.id, "state") for item in among}
    # Where one state is unknown it might be the one that is meant.
    if any(state is None for state in states.values()):
        return None
    fitting = [item for item in among if states[item.id] in wanted]
    return fitting[0] if len(fitting) == 1 else None


def told_apart(house: House, request: Request) -> Resolution | None:
    """What has in its name, or among its tags, what was said to tell it, of its kind or the sort spoken of last.

    None where something else was said, or nothing here is called so.
    """
    target, inside = request.target, house.kind_words.inside
    parts = house.kind_words.apart(tokens(target.mention or ""))
    ones = target.kind == "device"  # "the twinkly one"
    if not ones and (len(parts) < 2 or house.index.exact(target.mention or "")):  # noqa: PLR2004 - it and its landmark
        return None
    told = sum((part for part in parts if ones or house.kind_words.said(part) is None), ())
    if not told or (target.quantifier != "one" and not ones):
        return None
    able = [item for item in house.registry.devices if item.exposed and request.need.fits(item)]
    able = [item for item in able if house.places.holds(request.scope, item) and belongs(item, target.kind or "")]
    able = [item for item in able if any(inside(tokens(said), told) for said in (*item.names, *item.tags))]
    last = house.registry.present(request.context.last) if ones else []
    kin = [item for item in able if all(akin(item, other) for other in last)] or able
    here = [item for item in kin if house.index.area(item.id) == request.context.area] or kin
    if len(here) == 1:
        return Resolution(target, "resolved", (here[0].id,), via=request.scope.via, evidence="name")
    return one_of(house, request, here, request.scope.via) if here else None
