"""`devices`: what is in the home, as Hearken understands it; what the broker tells; a file to begin with.

Whatever was told, the file to begin with loads: what could not stand in it is left out, and stays as it is found.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from daemon.act.audit import Audit
from daemon.commands.nearby import show_nearby
from daemon.commands.options import common, emit, load_any, printable
from daemon.commands.written import as_string, free, plain, size, slug
from daemon.core.errors import UsageError
from daemon.discovery.inventory import Inventory
from daemon.home.config import Discovery, HomeConfig, MqttSettings
from daemon.home.devices import TYPES, is_id
from daemon.home.registry import Registry
from daemon.memory.memory import Memory, Store
from daemon.satellites.nearby import nearby
from daemon.system import control
from daemon.system.config import COMMAND, Paths
from daemon.system.nodes import LONGEST_NAME, LONGEST_TEXT, MAX_BYTES

_SPARE: Final = 1_000
"""Bytes of a file that are not for devices."""


def skeleton(home: HomeConfig, told: list[dict[str, Any]], today: date) -> str:
    """The text of a `devices.yaml` that says the same as what was told, without what the present file has itself."""
    own = {item.id for item in (*home.entities, *(override.entity for override in home.overrides))}
    devices = [item for item in told if item["kind"] == "device" and item.get("found") and item["id"] not in own]
    areas = _areas(item for item in told if item["kind"] == "area")
    new = (item["id"] for item in told if item["id"] not in own)
    needed = {areas[id_] for id_ in (*new, *(item.get("area") for item in devices)) if id_ in areas}
    lines = [f"# What the broker told of on {today:%Y-%m-%d}. What is left out here stays as it is found."]
    if own:
        lines.append("# The present home file has things of its own: put these lines into its sections.")
    lines += ["", *_asked(home)]
    if needed:
        lines += ["", "areas:", *(f"  {as_string(id_)}: {{name: {as_string(name)}}}" for id_, name in sorted(needed))]
    entries = list(_entries(devices, areas, {*own, *(item["id"] for item in told)}))
    if entries:
        lines += ["", "devices:", *_that_fit(entries, MAX_BYTES - _SPARE - size(lines))]
    return "\n".join(lines) + "\n"


_Place = tuple[str, str]
"""The id and the name of an area."""


def _areas(told: Iterable[Mapping[str, Any]]) -> dict[str, _Place]:
    """By the id of each area, the one that stands for it: of two of one name the first stands for both."""
    by_name: dict[str, _Place] = {}
    found = {}
    for item in told:
        name = _name(item)
        if name is not None and is_id(item["id"]):
            found[item["id"]] = by_name.setdefault(name.casefold(), (item["id"], name))
    return found


def _entries(devices: Iterable[Mapping[str, Any]], areas: Mapping[str, _Place], ids: set[str]) -> Iterator[list[str]]:
    """The lines of each device; one that the file could not even point to is left out."""
    numbers: Counter[str] = Counter()
    called: set[tuple[str, _Place | None]] = set()
    for item in devices:
        id_ = item["id"]
        if plain(id_, LONGEST_TEXT) != id_:
            continue
        own = free(slug(_name(item) or ""), id_, ids, numbers)
        place, name = areas.get(item.get("area", "")), _name(item)
        alone = name is not None and (name.casefold(), place) not in called
        if alone and name is not None:
            called.add((name.casefold(), place))
        yield _device(item, own, name if alone else None, place)


def _device(item: Mapping[str, Any], own: str, name: str | None, place: _Place | None) -> list[str]:
    able = ", ".join(dict.fromkeys(one["attribute"] for one in item.get("capabilities", ())))
    said = plain(f"{item.get('dialect', '')}: {able}", LONGEST_TEXT)
    lines = [f"  {own}:  # {said}", f"    discovered: {as_string(item['id'])}"]
    lines.append(f"    name: {as_string(name)}" if name is not None else "    # name: one that nothing else there has")
    lines.append(f"    area: {as_string(place[0])}" if place is not None else "    # area: where it is")
    if item.get("type") in TYPES:
        lines.append(f"    type: {item['type']}")
    return [*lines, "    # aliases: [what else people call it]"]


def _that_fit(entries: list[list[str]], room: int) -> Iterator[str]:
    """The lines of as many devices as a home file may hold."""
    for number, lines in enumerate(entries):
        room -= size(lines)
        if room < 0:
            yield f"  # {len(entries) - number} more would make this file too long: they stay as they are found."
            return
        yield from lines


def _asked(home: HomeConfig) -> Iterator[str]:
    """The broker, and where on it devices are told of."""
    if home.mqtt is not None:
        yield from _mqtt(home.mqtt)
    if home.discovery is not None and (home.mqtt is None or home.discovery != Discovery()):
        where = home.discovery
        told = {"zigbee2mqtt": list(where.zigbee2mqtt) or False, "homeassistant": where.homeassistant or False,
                "tasmota": where.tasmota or False}  # fmt: skip
        yield f"discovery: {{{', '.join(f'{name}: {json.dumps(topics)}' for name, topics in told.items())}}}"


def _mqtt(settings: MqttSettings) -> Iterator[str]:
    yield "mqtt:"
    yield f"  host: {as_string(settings.host)}"
    yield f"  port: {settings.port}"
    if settings.user is not None:
        yield f"  user: {as_string(settings.user)}"
    if (source := settings.password) is not None:
        for kind, value in (("env", source.env), ("file", source.file), ("credential", source.credential)):
            if value is not None:
                yield f"  password: {{{kind}: {as_string(str(value))}}}"
    if (tls := settings.tls) is not None:
        given = {"ca": tls.ca, "certificate": tls.certificate, "key": tls.key}
        inner = ", ".join(f"{name}: {as_string(str(path))}" for name, path in given.items() if path is not None)
        yield f"  tls: {{{inner}}}" if inner else "  tls: true"
    if settings.version is not None:
        yield f"  version: {as_string(settings.version)}"


def _name(item: Mapping[str, Any]) -> str | None:
    """Its first name, as a home file may have it; None where nothing is left of it."""
    return plain(next(iter(item.get("names", ())), ""), LONGEST_NAME) or None


Ask = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        "devices",
        parents=[common()],
        help="check the home file and list what is in it",
        description="Checks the home file and lists what is in it; with the daemon running, also what the broker tells "
        "of and what every device last said.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only what is called so, with everything about it")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--tags", action="store_true", help="the tags, each with what bears it")
    what.add_argument("--diff", action="store_true", help="what the file overrides or lacks of what the broker tells")
    what.add_argument("--nearby", action="store_true", help="satellites that announce themselves on the network")
    what.add_argument("--adopt", type=Path, metavar="FILE", help="write a home file for what the broker tells of")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """Prints what was asked for; 1 where a name is not known."""
    paths = Paths.of(args.home)
    # What is wrong with the file is said, whoever answers then.
    home = load_any(paths.home)
    if args.names and (args.tags or args.diff or args.nearby or args.adopt):
        raise UsageError("NAME does not go with --tags, --diff, --nearby or --adopt")
    if args.nearby:
        show_nearby(await nearby(), home, as_json=args.json)
        return 0
    async with contextlib.AsyncExitStack() as stack:
        ask: Ask | None = None if args.home else await stack.enter_async_context(control.asking(paths.socket))
        if home.discovery is None and (args.adopt or (args.diff and ask is None)):
            raise UsageError(f"{paths.home} names no broker that could tell of devices; add mqtt:")
        if ask is None and (args.diff or args.adopt):
            from daemon.commands.session import session

            house = await stack.enter_async_context(session(paths, audit=False))
            ask = partial(answer, house.opened.inventory)
        if ask is None:
            if home.discovery is not None:
                note = f"this is {paths.home} alone; a daemon that runs, asked without --home, knows the rest"
                print(note, file=sys.stderr)
            registry = Registry(home.entities, home.people)
            await Memory(registry, Store(paths.learnt)).open()
            file = Inventory(registry, audit=Audit(paths.state / "audit.db"))
            ask = partial(answer, file)
        told = await ask({"op": "devices", "names": args.names, "what": _what(args)})
    if args.adopt:
        _write(args.adopt, skeleton(home, told["devices"], datetime.now().astimezone().date()))
    elif args.tags or args.diff:
        _show_table(told, as_json=args.json)
    else:
        _show_devices(told["devices"], args)
    return 0


async def answer(inventory: Inventory, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request `{"op": "devices", "names": [...], "what": "list" | "tags" | "diff" | "found"}`.

    Raises:
        UsageError: it is not a request.
        HearkenError: a name is not known.
    """
    names = asked.get("names", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UsageError("names is no list of names")
    match asked.get("what", "list"):
        case "tags":
            return dict(inventory.tags())
        case "diff":
            unsayable = await asyncio.to_thread(inventory.unsayable)
            return {**inventory.difference(), "unsayable": {name: list(ids) for name, ids in unsayable.items()}}
        case "found":
            return {"devices": [await inventory.describe(item) for item in inventory.find(())]}
        case "list":
            found = inventory.find(names)
            return {"devices": [await inventory.describe(item, acts=bool(names)) for item in found]}
    raise UsageError(f"there is nothing to tell as {asked.get('what')!r}")


def _what(args: argparse.Namespace) -> str:
    return "tags" if args.tags else "diff" if args.diff else "found" if args.adopt else "list"


def _write(file: Path, text: str) -> None:
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise UsageError(f"{file} is there already; name a new file") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None
    print(f"{file} is written; {COMMAND} devices --home {file} checks it")


def _show_table(told: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        emit(told)
        return
    for what, found in told.items():
        listed = found.items() if isinstance(found, dict) else [(name, "") for name in found]
        print(printable(f"{what}: {len(found)}"))
        for name, more in listed:
            text = ", ".join(map(str, more)) if isinstance(more, list) else str(more)
            print(printable(f"  {name:<32} {text}".rstrip()))


def _show_devices(found: list[dict[str, Any]], args: argparse.Namespace) -> None:
    for facts in found:
        if args.json or args.names:
            emit(facts)
        else:
            print(printable(_line(facts)))
    if not args.names and not args.json:
        kinds = [facts["kind"] for facts in found]
        print(", ".join(f"{kinds.count(kind)} {kind}s" for kind in ("device", "area", "floor", "group", "scene")))


def _line(facts: dict[str, Any]) -> str:
    able = ", ".join(dict.fromkeys(item["attribute"] for item in facts.get("capabilities", ())))
    inside = f"{len(facts['members'])} devices" if "members" in facts else ""
    place = facts.get("area") or facts.get("floor") or ""
    what = facts.get("type") or facts["kind"]
    names = ", ".join((*facts.get("names", ()), *facts.get("learnt_names", ())))
    return f"{facts['id']:<24} {what:<16} {place:<14} {able or inside:<44} {names}"
