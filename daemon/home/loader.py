"""`devices.yaml` -> `HomeConfig`, strictly: every error names file, line, key, and what would be right."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar

from daemon.core.entities import Address, Entity, Person, SceneStep
from daemon.core.errors import ConfigError
from daemon.core.values import replace
from daemon.home.capabilities import parse_readings
from daemon.home.config import Discovery, HomeConfig, Override, Simulation
from daemon.home.console import parse_console
from daemon.home.devices import (
    DIALECTS,
    Naming,
    check_groups,
    check_id,
    parse_device,
    parse_group,
    parse_naming,
    parse_override,
    parse_scene,
    parse_steps,
)
from daemon.home.satellites import parse_microphone, parse_satellites, parse_wyoming
from daemon.home.sections import (
    parse_audit,
    parse_discovery,
    parse_interface,
    parse_later,
    parse_location,
    parse_meaning,
    parse_model,
    parse_mqtt,
    parse_rounds,
    parse_simulation,
    parse_thresholds,
)
from daemon.system.languages import LANGS
from daemon.system.nodes import Value, nearest, quoted, read_yaml

__all__ = ["HomeConfig", "load_home"]

_SECTIONS: Final = (
    "languages",
    "floors",
    "areas",
    "devices",
    "groups",
    "scenes",
    "people",
    "mqtt",
    "simulation",
    "thresholds",
    "rounds",
    "microphone",
    "satellites",
    "wyoming",
    "console",
    "location",
    "discovery",
    "audit",
    "interface",
    "later",
    "model",
    "meaning",
)

T = TypeVar("T")


def load_home(path: Path) -> HomeConfig:
    """The home that a file describes.

    Raises:
        ConfigError: the first thing in it that is wrong, with up to nine others. Nothing else is raised, whatever the
            file holds.
    """
    try:
        root = read_yaml(path)
    except RecursionError:
        raise ConfigError(path, None, "", "is nested too deeply", "nest fewer levels") from None
    return _Home(root.mapping(_SECTIONS), root).load()


class _Home:
    """One pass over the sections, in the order in which they refer to each other."""

    def __init__(self, sections: Mapping[str, Value], root: Value) -> None:
        self._sections = sections
        self._root = root
        self._mistakes = _Mistakes()
        self._languages = self._read_languages()
        self._floors = self._section("floors")
        self._areas = self._section("areas")
        self._people = self._section("people")
        self._entities: dict[str, Entity] = {}
        self._overrides: dict[str, Override] = {}
        self._places: dict[str, Value] = {}

    def load(self) -> HomeConfig:
        # What does not hang on anything else is looked through to the end; then what refers to it.
        for add in (self._floor_entities, self._area_entities, self._device_entities):
            self._add(add())
        settings = self._settings()
        self._mistakes.settle()
        self._add(self._group_entities())
        self._mistakes.settle()
        check_groups(self._entities.values(), self._places)
        self._add(self._scene_entities())
        self._add(self._person_entities())
        self._mistakes.settle()
        self._check_names()
        devices = self._devices()
        if not devices and settings.discovery is None:
            self._root.fail("has no devices", "add devices: with at least one entry")
        if self._overrides and settings.discovery is None:
            first = self._places[next(iter(self._overrides))]
            first.fail("nothing is discovered here", "add mqtt: for a broker that tells, or discovery:")
        found = self._sections
        return replace(
            settings,
            entities=tuple(item for item in self._entities.values() if item.id not in self._overrides),
            people=tuple(self._preferences()),
            scene_steps=dict(self._scene_steps()),
            simulation=parse_simulation(found["simulation"], devices) if "simulation" in found else Simulation(),
            overrides=tuple(self._overrides.values()),
        )

    def _settings(self) -> HomeConfig:
        """A home of settings only: what no device is needed for."""
        base, known = HomeConfig((), languages=self._languages), (self._areas, self._people, self._languages)
        return HomeConfig(
            (),
            languages=self._languages,
            mqtt=self._parsed("mqtt", parse_mqtt, None),
            thresholds=self._parsed("thresholds", parse_thresholds, base.thresholds),
            rounds=self._parsed("rounds", parse_rounds, base.rounds),
            microphone=self._parsed("microphone", lambda value: parse_microphone(value, *known), base.microphone),
            satellites=self._parsed("satellites", lambda value: parse_satellites(value, *known), {}),
            wyoming=self._parsed("wyoming", parse_wyoming, base.wyoming),
            console=self._parsed("console", parse_console, base.console),
            location=self._parsed("location", parse_location, None),
            # As the file says; a home on a broker of its own asks it, the simulated one has nobody to ask.
            discovery=self._parsed("discovery", parse_discovery, Discovery() if "mqtt" in self._sections else None),
            interface=self._parsed("interface", parse_interface, None),
            keep_days=self._parsed("audit", parse_audit, base.keep_days),
            late_s=self._parsed("later", parse_later, base.late_s),
            model=self._parsed("model", parse_model, base.model),
            encoder=self._parsed("meaning", parse_meaning, base.encoder),
        )

    def _parsed(self, section: str, parse: Callable[[Value], T], otherwise: T) -> T:
        """A section, or what holds where there is none, or where it is wrong."""
        with self._mistakes.noted():
            if section in self._sections:
                return parse(self._sections[section])
        return otherwise

    def _read_languages(self) -> tuple[str, ...]:
        if "languages" not in self._sections:
            return LANGS
        value = self._sections["languages"]
        found = tuple(item.word(LANGS, "language") for item in value.sequence())
        if not found or len(set(found)) < len(found):
            value.fail("is empty or has a language twice", "write for example [en, zh]")
        return found

    def _section(self, name: str) -> Mapping[str, Value]:
        return self._sections[name].mapping() if name in self._sections else {}

    def _add(self, entities: Iterator[tuple[Value, Entity]]) -> None:
        for value, entity in entities:
            with self._mistakes.noted():
                if entity.id in self._entities:
                    first = self._places[entity.id]
                    value.fail(f"the id {quoted(entity.id)} is taken (line {first.line})", "choose another id")
                self._entities[entity.id] = entity
                self._places[entity.id] = value

    def _naming(self, name: str, value: Value, entry: Mapping[str, Value]) -> Naming:
        check_id(name, value)
        return parse_naming(entry, value, self._languages)

    def _floor_entities(self) -> Iterator[tuple[Value, Entity]]:
        entries = {name: value.mapping(("name", "aliases", "level")) for name, value in self._floors.items()}
        levelled = any("level" in entry for entry in entries.values())
        for place, (name, value) in enumerate(self._floors.items()):
            with self._mistakes.noted():
                entry = entries[name]
                naming = self._naming(name, value, entry)
                level = entry["level"].whole(-20, 200) if "level" in entry else place if levelled else None
                yield value, Entity(id=name, kind="floor", names=naming.names, display=naming.display, level=level)

    def _area_entities(self) -> Iterator[tuple[Value, Entity]]:
        for name, value in self._areas.items():
            with self._mistakes.noted():
                entry = value.mapping(("name", "aliases", "floor"))
                naming = self._naming(name, value, entry)
                floor = entry["floor"].word(self._floors, "floor") if "floor" in entry else None
                yield value, Entity(id=name, kind="area", names=naming.names, display=naming.display, floor=floor)

    def _device_entities(self) -> Iterator[tuple[Value, Entity]]:
        for name, value in self._section("devices").items():
            with self._mistakes.noted():
                if "discovered" in value.mapping():
                    override = parse_override(name, value, self._areas, self._languages)
                    self._overrides[name] = override
                    yield value, override.entity
                    continue
                for entity in parse_device(name, value, self._areas, self._languages):
                    yield value, entity

    def _group_entities(self) -> Iterator[tuple[Value, Entity]]:
        groups = self._section("groups")
        known = {**self._entities, **groups}
        for name, value in groups.items():
            with self._mistakes.noted():
                yield value, parse_group(name, value, known, self._areas, self._floors, self._languages)

    def _scene_entities(self) -> Iterator[tuple[Value, Entity]]:
        devices = self._devices()
        for name, value in self._section("scenes").items():
            with self._mistakes.noted():
                yield value, parse_scene(name, value, devices, self._languages)

    def _scene_steps(self) -> Iterator[tuple[str, tuple[SceneStep, ...]]]:
        for name, value in self._section("scenes").items():
            if "steps" in value.mapping():
                yield name, parse_steps(value, self._entities)

    def _devices(self) -> dict[str, Entity]:
        return {item.id: item for item in self._entities.values() if item.kind == "device"}

    def _person_entities(self) -> Iterator[tuple[Value, Entity]]:
        for name, value in self._people.items():
            with self._mistakes.noted():
                entry = value.mapping(("name", "aliases", "prefers", "dialect", "topic"))
                naming = self._naming(name, value, entry)
                dialect = entry["dialect"].word(DIALECTS, "dialect") if "dialect" in entry else DIALECTS[1]
                # A person without a topic is known by name only: nothing tells where they are.
                address = Address(dialect, entry["topic"].text()) if "topic" in entry else None
                state = Value("state", value.file, value.line, value.key)
                yield (
                    value,
                    Entity(
                        id=name,
                        kind="person",
                        names=naming.names,
                        display=naming.display,
                        capabilities=parse_readings(state) if address else (),
                        address=address,
                    ),
                )

    def _preferences(self) -> Iterator[Person]:
        for name, value in self._people.items():
            entry = value.mapping()
            prefers = entry["prefers"].mapping() if "prefers" in entry else {}
            yield Person(name, self._entities[name].names, {key: self._wish(item) for key, item in prefers.items()})

    def _wish(self, value: Value) -> str:
        wish = value.text(80)
        if wish not in self._entities and "_" in wish:
            # A word is a wish of its own ("jazz"), but what looks like an id should be one.
            value.fail(f"there is nothing with the id {quoted(wish)}", nearest(wish, self._entities))
        return wish

    def _check_names(self) -> None:
        seen: dict[tuple[str, str, str | None], Entity] = {}
        for item in self._entities.values():
            where = item.floor if item.kind == "area" else item.area
            for name in item.names:
                first = seen.setdefault((item.kind, name.casefold(), where), item)
                if first is not item:
                    self._places[item.id].fail(
                        f"{quoted(name)} is also the name of {first.id} (line {self._places[first.id].line})",
                        "things in one place need different names",
                    )


_MOST: Final = 10


class _Mistakes:
    """Collects what is wrong in parts of a file that do not depend on each other."""

    def __init__(self) -> None:
        self._found: list[ConfigError] = []

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Goes on after a mistake in the block, unless there are ten already.

        Raises:
            ConfigError: the tenth mistake, with those before it.
        """
        try:
            yield
        except ConfigError as error:
            self._found.append(error)
            if len(self._found) >= _MOST:
                self.settle()

    def settle(self) -> None:
        """Raises what was found, if anything: whatever comes next would only repeat it.

        Raises:
            ConfigError: the first mistake of the file, with the others.
        """
        if self._found:
            first, *others = sorted(self._found, key=lambda item: item.line or 0)
            raise ConfigError(first.file, first.line, first.key, first.problem, first.remedy, tuple(others))
