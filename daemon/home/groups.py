"""The `groups` section of a home file: lists of members, or what they have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from daemon.core.entities import Entity, Selector
from daemon.core.ir import KINDS
from daemon.home.devices import check_id, parse_naming
from daemon.home.nodes import Value
from daemon.home.registry import Registry


def parse_group(
    name: str,
    value: Value,
    known: Mapping[str, object],
    areas: Mapping[str, Value],
    floors: Mapping[str, Value],
    languages: tuple[str, ...],
) -> Entity:
    """One group.

    Args:
        name: Its id.
        value: Its entry.
        known: By id, all that may be a member.
        areas: By id, the areas of the home.
        floors: By id, its floors.
        languages: Those of the home.

    Raises:
        ConfigError: anything that is wrong with it.
    """
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
    """That no group is empty, or contains itself.

    Args:
        entities: Groups and all that may be in them.
        places: By id, where each stands in the file.

    Raises:
        ConfigError: one of them is or does.
    """
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
