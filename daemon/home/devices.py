"""Entries of a home file -> entities: devices, groups and scenes. Whatever is wrong with one is a `ConfigError`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from daemon.core.entities import Address, Capability, Entity, Risk, SceneStep, Selector
from daemon.core.ir import KINDS
from daemon.core.values import replace
from daemon.home.actions import ACTION_OF, risk_of
from daemon.home.capabilities import STANDARD, parse_capabilities, parse_readings, parse_settings
from daemon.home.config import Override
from daemon.home.registry import Registry
from daemon.home.sections import parse_state
from daemon.home.verbs import ACTIONS
from daemon.system.nodes import LONGEST_NAME, Value, nearest, quoted

KEYS: Final = (
    "name",
    "aliases",
    "area",
    "type",
    "capabilities",
    "reads",
    "settings",
    "tags",
    "risk",
    "dialect",
    "topic",
    "options",
    "sleepy",
    "max_age_s",
    "description",
    "exposed",
    "count",
    "discovered",
)
DIALECTS: Final = ("zigbee2mqtt", "plain")
_ROOTS: Final[Mapping[str, str]] = {"zigbee2mqtt": "zigbee2mqtt", "plain": "home"}
_RISKS: Final[tuple[Risk, ...]] = ("none", "confirm")
_MAX_COUNT: Final = 200
_ID: Final = re.compile(r"[\w][\w.\-]{0,63}")
TYPES: Final = KINDS - {"scene", "group", "device"}


class Naming(Struct, frozen=True):
    """What an entry is called: display names by language, and every name in order."""

    display: dict[str, str]
    names: tuple[str, ...]

    def numbered(self, number: int) -> Naming:
        """The name of one of several alike: "Spot" -> "Spot 3"."""
        return Naming(
            {lang: _numbered(name, number) for lang, name in self.display.items()},
            tuple(_numbered(name, number) for name in self.names),
        )


def is_id(name: str) -> bool:
    """Whether it can stand as an id in a topic or a command line."""
    return _ID.fullmatch(name) is not None


def check_id(name: str, value: Value) -> None:
    """Complains about what is no id."""
    if not is_id(name):
        value.fail(f"{quoted(name)} can't be an id", "use letters, digits, _, - and dots, at most 64")


def parse_naming(entry: Mapping[str, Value], parent: Value, languages: tuple[str, ...]) -> Naming:
    """The `name` (text, or text by language) and the `aliases` of an entry."""
    if "name" not in entry:
        parent.fail("has no name", "add name: followed by what it is called")
    value = entry["name"]
    if isinstance(value.data, dict):
        by_lang = value.mapping(languages)
        display = {lang: by_lang[lang].text(LONGEST_NAME) for lang in languages if lang in by_lang}
        if not display:
            value.fail("is empty", f"write a name for {' or '.join(languages)}")
    else:
        display = {languages[0]: value.text(LONGEST_NAME)}
    names = tuple(dict.fromkeys(display.values()))
    return Naming(display, (*names, *_aliases(entry, names)))


def parse_device(name: str, value: Value, areas: Mapping[str, Value], languages: tuple[str, ...]) -> Iterator[Entity]:
    """The devices of one entry; with `count`, that many numbered ones, and their group, which bears the entry's id."""
    check_id(name, value)
    entry = value.mapping(KEYS)
    naming = parse_naming(entry, value, languages)
    count = entry["count"].whole(2, _MAX_COUNT) if "count" in entry else None
    template = _device(name, entry, naming, areas)
    template = replace(template, capabilities=_capabilities(entry, value))
    if count is None:
        yield template
        return
    members = tuple(f"{name}_{number}" for number in range(1, count + 1))
    yield Entity(
        id=name,
        kind="group",
        names=naming.names,
        display=naming.display,
        area=template.area,
        members=members,
        numbered=True,
    )
    for number, member in enumerate(members, 1):
        each = naming.numbered(number)
        address = template.address and replace(template.address, topic=_numbered_topic(template.address.topic, number))
        yield replace(template, id=member, names=each.names, display=each.display, address=address)


def parse_override(name: str, value: Value, areas: Mapping[str, Value], languages: tuple[str, ...]) -> Override:
    """An entry that says `discovered`: what it does not give is as the broker tells."""
    check_id(name, value)
    entry = value.mapping(KEYS)
    for key in ("count", "dialect", "topic"):
        if key in entry:
            entry[key].fail("what is discovered has this from the broker", "remove it, or remove discovered:")
    naming = parse_naming(entry, value, languages) if "name" in entry else Naming({}, _aliases(entry, ()))
    entity = _device(name, entry, naming, areas)
    if {"capabilities", "reads", "settings"} & entry.keys():
        entity = replace(entity, capabilities=_capabilities(entry, value))
    return Override(entity, entry["discovered"].text(), frozenset(entry))


def _device(name: str, entry: Mapping[str, Value], naming: Naming, areas: Mapping[str, Value]) -> Entity:
    return Entity(
        id=name,
        kind="device",
        names=naming.names,
        display=naming.display,
        type=entry["type"].word(TYPES, "type") if "type" in entry else None,
        area=entry["area"].word(areas, "area") if "area" in entry else None,
        tags=frozenset(item.text(40).casefold() for item in entry["tags"].sequence())
        if "tags" in entry
        else frozenset(),
        risk=_risk(entry["risk"]) if "risk" in entry else {},
        address=_address(name, entry),
        max_age_s=entry["max_age_s"].number(1, 1_000_000) if "max_age_s" in entry else 60.0,
        description=entry["description"].text(400) if "description" in entry else "",
        exposed=entry["exposed"].flag() if "exposed" in entry else True,
    )


def _aliases(entry: Mapping[str, Value], names: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for alias in entry["aliases"].sequence() if "aliases" in entry else ():
        text = alias.text(LONGEST_NAME)
        if text.casefold() in {name.casefold() for name in (*names, *found)}:
            alias.fail(f"the name {quoted(text)} stands here twice", "remove one of them")
        found.append(text)
    return tuple(found)


def _capabilities(entry: Mapping[str, Value], value: Value) -> tuple[Capability, ...]:
    can = parse_capabilities(entry["capabilities"]) if "capabilities" in entry else ()
    told = parse_readings(entry["reads"]) if "reads" in entry else ()
    own = parse_settings(entry["settings"]) if "settings" in entry else ()
    if not can and not told and not own:
        value.fail("can neither do nor tell anything", "add capabilities: or reads:")
    told_already = {item.attribute for item in can}
    for item in own:
        if item.attribute in told_already | {one.attribute for one in told}:
            entry["settings"].fail(f"{quoted(item.attribute)} is a capability already", "remove it here")
    for item in told:
        if item.attribute in told_already:
            remedy = f"write current_{item.attribute} for what is measured, or remove it here"
            entry["reads"].fail(f"{quoted(item.attribute)} is told by a capability already", remedy)
    sleepy = entry["sleepy"].flag() if "sleepy" in entry else False
    return tuple(replace(item, gettable=False) if sleepy else item for item in (*can, *told, *own))


def _risk(value: Value) -> dict[str, Risk]:
    found: dict[str, Risk] = {}
    for action, level in value.mapping((*ACTIONS, "set")).items():
        word = level.word(_RISKS, "risk")
        found[action] = "confirm" if word == "confirm" else "none"
    return found


def _address(name: str, entry: Mapping[str, Value]) -> Address:
    dialect = entry["dialect"].word(DIALECTS, "dialect") if "dialect" in entry else DIALECTS[0]
    topic = entry["topic"].text() if "topic" in entry else f"{_ROOTS[dialect]}/{name}"
    if any(sign in topic for sign in "+#") or topic.startswith(("/", "$")) or topic.endswith("/"):
        entry["topic"].fail(f"{quoted(topic)} is no topic to write to", "leave out + and #, and / at its ends")
    options = {key: item.scalar() for key, item in entry["options"].mapping().items()} if "options" in entry else {}
    return Address(dialect, topic, dict(options))


def _numbered(name: str, number: int) -> str:
    return f"{name} {number}" if name.isascii() else f"{name}{number}"


def _numbered_topic(topic: str, number: int) -> str:
    return topic.replace("{n}", str(number)) if "{n}" in topic else f"{topic}_{number}"


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
