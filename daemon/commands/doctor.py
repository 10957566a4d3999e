"""`doctor`: what works on this machine, what does not, and what to do about it. One line each."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import platform
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from daemon.commands.options import common, emit
from daemon.core.errors import HearkenError
from daemon.core.values import replace
from daemon.system import control
from daemon.system.config import Paths, make
from daemon.system.languages import MAIN
from daemon.system.nodes import quoted

if TYPE_CHECKING:
    from daemon.commands.models import Standing
    from daemon.home.config import EspHome, HomeConfig, Server

_PACKAGES = (
    "paho.mqtt",
    "faster_whisper",
    "onnxruntime",
    "tokenizers",
    "rapidfuzz",
    "pypinyin",
    "llama_cpp",
    "pocketsphinx",
    "pymicro_wakeword",
)
_OPTIONAL = {"llama_cpp": f"`{make('llama')}` builds it; without it the small model has no second opinion"}
_CONNECT_S = 5.0
_NAMED = 5
_TELLING = 10
"""Of fewer wakes nobody can say anything."""


class Finding(Struct, frozen=True):
    """One thing that was looked at. `bad` means that something which is configured does not work."""

    subject: str
    state: Literal["ok", "absent", "bad"]
    note: str


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        "doctor", parents=[common()], help="check this machine, the home file and the broker"
    )
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """1 where something that is configured does not work."""
    from daemon.commands.options import load_any

    paths = Paths.of(args.home)
    findings = [Finding("python", "ok", platform.python_version()), *(_package(name) for name in _PACKAGES)]
    home = None
    try:
        home = load_any(paths.home)
        findings.append(Finding("home", "ok", f"{paths.home}: {len(home.entities)} entities"))
    except HearkenError as error:
        findings.append(Finding("home", "bad", str(error)))
    looking = asyncio.create_task(_guarded("nearby", lambda: _nearby(home)))
    for subject, check in (
        ("broker", lambda: _broker(home, paths)),
        ("daemon", lambda: _daemon(paths)),
        ("templates", lambda: _templates(paths)),
        ("names", lambda: _names(home, paths)),
        ("hearing", lambda: _hearing(paths)),
        ("microphone", _microphone),
        ("voice", _voice),
    ):
        findings.append(await _guarded(subject, check))
    findings += await _wyoming(home)
    findings += await _boxes(home, paths)
    findings += await _wakes(paths)
    findings.append(await looking)
    findings += await _models(home, paths)
    for finding in findings:
        if args.json:
            emit({"subject": finding.subject, "state": finding.state, "note": finding.note})
        else:
            print(f"{finding.state:<7} {finding.subject:<18} {finding.note}")
    return 1 if any(finding.state == "bad" for finding in findings) else 0


async def _guarded(subject: str, check: Callable[[], Awaitable[Finding]]) -> Finding:
    try:
        return await check()
    except HearkenError as error:
        return Finding(subject, "bad", str(error))
    except Exception as error:  # noqa: BLE001 - a doctor does not fall ill: whatever it is, it is a finding
        return Finding(subject, "bad", f"{type(error).__name__}: {error}")


def _package(name: str) -> Finding:
    try:
        importlib.import_module(name)
    except (ImportError, OSError) as error:
        if name in _OPTIONAL:
            return Finding(name, "absent", _OPTIONAL[name])
        return Finding(name, "bad", f"{error}; `{make('setup')}` installs it")
    return Finding(name, "ok", "")


async def _broker(home: HomeConfig | None, paths: Paths) -> Finding:
    if home is None or home.mqtt is None:
        return Finding("broker", "ok", "none configured: an embedded one, with the simulated home")
    from daemon.mqtt.connection import Connection
    from daemon.mqtt.settings import Broker

    broker = replace(Broker.of(home.mqtt, paths.home), status_topic=None)
    async with Connection(broker) as bus:
        await bus.ready(_CONNECT_S)
    return Finding("broker", "ok", f"{broker.address} accepts us")


async def _daemon(paths: Paths) -> Finding:
    if await control.running(paths.socket):
        return Finding("daemon", "ok", f"runs, and answers at {paths.socket}")
    return Finding("daemon", "absent", f"not running; `{make('run')}` starts it")


async def _templates(paths: Paths) -> Finding:
    """What the running daemon no longer renders."""
    async with control.asking(paths.socket) as ask:
        off = {} if ask is None else (await ask({"op": "devices", "what": "diff"})).get("off", {})
    if off:
        return Finding("templates", "bad", "; ".join(f"{name}: {why}" for name, why in off.items()))
    return Finding("templates", "ok", "" if ask else "not known: the daemon is not running")


async def _names(home: HomeConfig | None, paths: Paths) -> Finding:
    """The names that nothing can be called by, of all that the running daemon knows, else of the home file."""
    from daemon.home.registry import Registry
    from daemon.resolve.named import unsayable
    from daemon.understand.grammar import Grammar

    async with control.asking(paths.socket) as ask:
        told = {} if ask is None else (await ask({"op": "devices", "what": "diff"})).get("unsayable", {})
    if ask is None and home is not None:
        grammar = await asyncio.to_thread(Grammar.load, paths.rules)
        told = unsayable(Registry(home.entities, home.people), grammar.fragments.spotter.phrases)
    if told:
        named = ", ".join(f"{name!r}" for name in sorted(told))
        return Finding("names", "bad", f"{named}: no device can be called so, for it means something by itself")
    return Finding("names", "ok", "")


async def _wyoming(home: HomeConfig | None) -> list[Finding]:
    """The satellites, and the others whose hearing or voice is used."""
    if home is None:
        return []
    asked: list[tuple[str, Server, str]] = [
        (f"satellite {name}", item.wyoming, "") for name, item in home.satellites.items() if item.wyoming is not None
    ]
    named = (("wyoming asr", home.wyoming.asr), ("wyoming tts", home.wyoming.tts))
    asked += [(name, server, "; our own is used meanwhile") for name, server in named if server is not None]
    if home.wyoming.serve is not None:
        asked.append(("wyoming serve", home.wyoming.serve, "; is the daemon running?"))
    return list(await asyncio.gather(*(_peer(*item) for item in asked)))


async def _peer(subject: str, server: Server, remedy: str) -> Finding:
    from daemon.satellites.link import ask, describe, described

    try:
        told = described(await ask(server, describe, _CONNECT_S))
    except HearkenError as error:
        return Finding(subject, "bad", f"{error}{remedy}")
    wanted = subject.removeprefix("wyoming ")
    if wanted in ("asr", "tts") and wanted not in told:
        return Finding(subject, "bad", f"{server} offers no {wanted}, but {told or 'nothing'}{remedy}")
    return Finding(subject, "ok", f"{server}: {told}")


async def _boxes(home: HomeConfig | None, paths: Paths) -> list[Finding]:
    """The ESPHome boxes."""
    boxes = {name: item.esphome for name, item in (home.satellites if home is not None else {}).items()}
    return list(await asyncio.gather(*(_box(name, item, paths) for name, item in boxes.items() if item is not None)))


async def _box(name: str, box: EspHome, paths: Paths) -> Finding:
    from daemon.commands.voice import key_of
    from daemon.satellites.box import Box

    subject, server = f"satellite {name}", box.server
    try:
        async with Box.connected(server, key_of(name, box, paths), _CONNECT_S) as found:
            told = f'{server}: ESPHome "{found.ability.name}"'
            found.ability.check()
    except HearkenError as error:
        return Finding(subject, "bad", f"{server}: {error}")
    risk = "" if box.key is not None else "; not encrypted: who is on that network can listen in, and speak for the box"
    return Finding(subject, "ok", told + risk)


async def _nearby(home: HomeConfig | None) -> Finding:
    """Satellites that announce themselves; nobody is connected to that the home file does not name."""
    from daemon.satellites.nearby import nearby

    try:
        found = await nearby()
    except HearkenError as error:
        return Finding("nearby", "absent", str(error))
    new = [quoted(item.name) for item in found if home is None or not item.known(home)]
    if not new:
        return Finding("nearby", "ok", "no satellite announces itself that the home file does not name")
    more = f" and {len(new) - _NAMED} more" if len(new) > _NAMED else ""
    told = f"{', '.join(new[:_NAMED])}{more} announce themselves"
    return Finding("nearby", "ok", f"{told}: `python -m daemon devices --nearby` has the lines for the home file")


async def _hearing(paths: Paths) -> Finding:
    from daemon.hear.ears import survey

    parts = await asyncio.to_thread(survey, paths.models, paths.rules)
    state: Literal["ok", "absent"] = "ok" if any(part.available for part in parts) else "absent"
    return Finding("hearing", state, "; ".join(part.note for part in parts))


async def _models(home: HomeConfig | None, paths: Paths) -> list[Finding]:
    from daemon.commands.models import check_name, standings

    try:
        if home is not None:
            check_name(home.model, paths.home, paths.models)
        found = await asyncio.to_thread(lambda: list(standings(home, paths, deep=True)))
    except HearkenError as error:
        return [Finding("models", "bad", str(error))]
    return [_model(item) for item in found]


def _model(item: Standing) -> Finding:
    if item.problem:
        return Finding(item.name, "bad" if item.wanted else "absent", item.problem)
    return Finding(item.name, "ok", "" if item.wanted else "not used: the home file does not say model: {use: true}")


async def _microphone() -> Finding:
    from daemon.hear.microphone import devices

    try:
        found = await asyncio.to_thread(devices)
    except HearkenError as error:
        return Finding("microphone", "absent", str(error))
    if not found:
        return Finding("microphone", "absent", "no sound device")
    deaf = "while Hearken speaks it is not listened to (half-duplex), so that no word cuts a reply short here"
    return Finding("microphone", "ok", f"{'; '.join(found)}; {deaf}")


async def _wakes(paths: Paths) -> list[Finding]:
    """How often each place was woken, and how often for nothing, since the running daemon was started."""
    async with control.asking(paths.socket) as ask:
        told = {} if ask is None else await ask({"op": "wakes"})
    return [_woken(f"wakes {name}", item["wakes"], item["in_vain"]) for name, item in told.items()]


def _woken(subject: str, wakes: int, in_vain: int) -> Finding:
    told = f"{wakes} since the daemon was started; after {in_vain} nobody spoke, or nothing was understood"
    often = wakes >= _TELLING and in_vain > wakes / 3
    return Finding(subject, "ok", f"{told}: a lower `sensitivity` wakes it less often" if often else told)


async def _voice() -> Finding:
    from daemon.speak.voice import Espeak

    speech = await asyncio.to_thread(lambda: Espeak().synthesize("ready", MAIN))
    return Finding("voice", "ok", f"espeak-ng speaks ({speech.seconds:.1f} s)")
