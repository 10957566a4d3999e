"""`devices`: what the home file says, as Hearken understands it."""

from __future__ import annotations

import argparse
from typing import Any

from daemon.commands.homes import load_any
from daemon.commands.options import common, emit
from daemon.config import Paths
from daemon.errors import HearkenError
from daemon.home.actions import ACTIONS, risk_of
from daemon.home.entities import Entity
from daemon.home.registry import Registry


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser("devices", parents=[common()], help="check the home file and list what is in it")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only what is called so, with everything about it")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """Prints the entities; 1 where a name is not known."""
    paths = Paths.of(args.home)
    home = load_any(paths.home)
    registry = Registry(home.entities, home.people)
    wanted = [name.casefold() for name in args.names]
    found = [item for item in registry if not wanted or _called(item, wanted)]
    for item in found:
        facts = describe(item, registry)
        if args.json or wanted:
            emit(facts)
        else:
            print(_line(facts))
    if not wanted and not args.json:
        counts = f"{len(registry.devices)} devices, {len(registry.areas)} areas, {len(registry.floors)} floors"
        print(f"{counts}, {len(registry.groups)} groups, {len(registry.scenes)} scenes")
    if wanted and not found:
        raise HearkenError(
            f"nothing is called {', '.join(args.names)} in {paths.home} ({len(registry)} entities searched)"
        )
    return 0


def describe(entity: Entity, registry: Registry) -> dict[str, Any]:
    """Everything about one entity, JSON-ready."""
    area, floor = registry.area_of(entity.id), registry.floor_of(entity.id)
    facts: dict[str, Any] = {
        "id": entity.id,
        "kind": entity.kind,
        "type": entity.type,
        "names": list(entity.names),
        "area": area.id if area is not None and entity.kind != "area" else None,
        "floor": floor.id if floor is not None and entity.kind != "floor" else None,
        "capabilities": [
            {
                key: value
                for key, value in (
                    ("name", item.name),
                    ("attribute", item.attribute),
                    ("min", item.minimum),
                    ("max", item.maximum),
                    ("unit", item.unit),
                    ("options", list(item.options)),
                    ("answers", item.gettable),
                )
                if value not in (None, [])
            }
            for item in entity.capabilities
        ],
        "tags": sorted(entity.tags),
        "asks_before": [action for action in ACTIONS if risk_of(entity, action) == "confirm"],
        "members": list(registry.expand(entity.id)) if entity.kind in ("group", "area", "floor") else [],
        "topic": entity.address.topic if entity.address is not None else None,
    }
    return {key: value for key, value in facts.items() if value not in (None, [])}


def _called(entity: Entity, wanted: list[str]) -> bool:
    return entity.id.casefold() in wanted or any(name.casefold() in wanted for name in entity.names)


def _line(facts: dict[str, Any]) -> str:
    able = ", ".join(dict.fromkeys(item["attribute"] for item in facts.get("capabilities", ())))
    inside = f"{len(facts['members'])} devices" if "members" in facts else ""
    place = facts.get("area") or facts.get("floor") or ""
    what = facts.get("type") or facts["kind"]
    return f"{facts['id']:<24} {what:<16} {place:<14} {able or inside:<44} {', '.join(facts['names'])}"
