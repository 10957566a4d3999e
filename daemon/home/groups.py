"""The `groups` and `scenes` of a home file: members, or what they have in common; steps, or a scene of the broker.

Whatever is wrong with one of them is a `ConfigError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from daemon.core.entities import Address, Entity, SceneStep, Selector
from daemon.core.ir import KINDS
from daemon.home.actions import ACTION_OF, risk_of
from daemon.home.capabilities import STANDARD
from daemon.home.devices import DIALECTS, check_id, parse_naming
from daemon.home.registry import Registry
from daemon.home.sections import parse_state
from daemon.system.nodes import Value, nearest, quoted


def parse_group(
    name: str,
    value: Value,
    known: Mapping[str, object],
    areas: Mapping[str, Value],
    floors: Mapping[str, Value],
    languages: tuple[str, ...],
) -> Entity:
    """One group of what is `known`, of areas and floors, all by their ids."""
    check_id(name, value)
    entry = value.mapping(("name", "aliases", "area", "members"))
    naming = parse_naming(entry, value, languages)
    if "members" not in entry:
        value.fail("has no members", "add members: a list of ids, or {floor: ..., area: ..., type: ..., tag: ...}")
    members = entry["members"]
    selector = _selector(members, areas, floors) if isinstance(members.data, dict) else None
    return Entity(
        id=name,
        kind="group",
        names=naming.names,
        display=naming.display,
        area=entry["area"].word(areas, "area") if "area" in entry else None,
        members=() if selector else tuple(item.word(known, "member") for item in members.sequence()),
        selector=selector,
    )


def check_groups(entities: Iterable[Entity], places: Mapping[str, Value]) -> None:
    """That no group is empty, or contains itself; `places` has where each stands in the file."""
    registry = Registry(entities)
    groups = {item.id: item.members for item in registry if item.kind == "group"}
    done: set[str] = set()

    def visit(group: str, path: tuple[str, ...]) -> None:
        if group in path:
            chain = " -> ".join((*path[path.index(group) :], group))
            places[group].fail(f"the group contains itself ({chain})", "take one of them out")
        if group in done:
            return
        for member in groups[group]:
            if member in groups:
                visit(member, (*path, group))
        done.add(group)

    for group in groups:
        visit(group, ())
    for group in groups:
        if not registry.expand(group):
            places[group].fail("the group has no members", "name devices, or select some that exist")


def _selector(value: Value, areas: Mapping[str, Value], floors: Mapping[str, Value]) -> Selector:
    entry = value.mapping(("floor", "area", "type", "tag"))
    if not entry:
        value.fail("selects everything", "add floor:, area:, type: or tag:")

    def words(key: str, known: Mapping[str, Value] | frozenset[str], what: str) -> tuple[str, ...]:
        return tuple(item.word(known, what) for item in entry[key].sequence()) if key in entry else ()

    return Selector(
        areas=words("area", areas, "area"),
        floors=words("floor", floors, "floor"),
        types=words("type", KINDS, "type"),
        tags=tuple(item.text(40).casefold() for item in entry["tag"].sequence()) if "tag" in entry else (),
    )


def parse_scene(name: str, value: Value, devices: Mapping[str, Entity], languages: tuple[str, ...]) -> Entity:
    """One scene, which may touch these devices."""
    check_id(name, value)
    entry = value.mapping(("name", "aliases", "steps", "dialect", "topic", "description"))
    naming = parse_naming(entry, value, languages)
    if ("steps" in entry) == ("topic" in entry):
        value.fail("has to say what it does, in one way", "add steps:, or the topic: of a scene on the broker")
    steps = entry["steps"].mapping() if "steps" in entry else {}
    for device, step in steps.items():
        if device not in devices:
            step.fail(f"there is no device {quoted(device)}", nearest(device, devices))
    dialect = entry["dialect"].word(DIALECTS, "dialect") if "dialect" in entry else DIALECTS[0]
    return Entity(
        id=name,
        kind="scene",
        names=naming.names,
        display=naming.display,
        capabilities=(STANDARD["activate"],),
        members=tuple(steps),
        risk={"activate": "confirm"} if _risky(steps, devices) else {},
        address=Address(dialect, entry["topic"].text()) if "topic" in entry else None,
        description=entry["description"].text(400) if "description" in entry else "",
    )


def parse_steps(value: Value, devices: Mapping[str, Entity]) -> tuple[SceneStep, ...]:
    """What a scene with steps does that `parse_scene` accepts, one device after another."""
    return tuple(
        SceneStep(device, attribute, wanted)
        for device, step in value.mapping()["steps"].mapping().items()
        for attribute, wanted in parse_state(step, devices[device]).items()
    )


def is_risky_step(entity: Entity, attribute: str, value: object) -> bool:
    """Whether a step of a scene does what needs a yes when it is said by itself."""
    verb = ACTION_OF.get(str(value)) if attribute == "state" else "open" if attribute == "position" and value else None
    return verb is not None and risk_of(entity, verb) == "confirm"


def _risky(steps: Mapping[str, Value], devices: Mapping[str, Entity]) -> bool:
    """Whether a scene would do what has to be asked back when it is said by itself."""
    return any(
        is_risky_step(devices[name], attribute, wanted)
        for name, step in steps.items()
        for attribute, wanted in parse_state(step, devices[name]).items()
    )
