"""The sections of a home file about what hears and speaks: `microphone`, `satellites`, `wyoming`.

Whatever is wrong with one of them is a `ConfigError`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from daemon.home.config import WAKE_WORDS, EspHome, Microphone, Server, WakeWord, Wyoming
from daemon.home.secrets import parse_secret
from daemon.system.nodes import Value, quoted

_SATELLITE_PORT: Final = 10_700
_ESPHOME_PORT: Final = 6_053
_SERVED_PORT: Final = 10_800
_MOST_WORDS: Final = 4
"""Each is a model that runs all the time."""
_ADDRESS: Final = re.compile(r"(?:\[(?P<bare>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:/\[\]]+))(?::(?P<port>\d{1,5}))?")


def parse_microphone(
    value: Value, areas: Mapping[str, Value], people: Mapping[str, Value], languages: Sequence[str], *more: str
) -> Microphone:
    """The `microphone` section, or one of the `satellites`, which may have `more` keys."""
    entry = value.mapping(("area", "speaker", "lang", "wake", "sensitivity", *more))
    return Microphone(
        area=entry["area"].word(areas, "area") if "area" in entry else None,
        speaker=entry["speaker"].word(people, "person") if "speaker" in entry else None,
        lang=entry["lang"].word(languages, "language of this home") if "lang" in entry else None,
        wake=_wake(entry["wake"], languages) if "wake" in entry else Microphone().wake,
        sensitivity=entry["sensitivity"].number(0, 1) if "sensitivity" in entry else Microphone().sensitivity,
        wyoming=_server(entry["wyoming"], _SATELLITE_PORT) if "wyoming" in entry else None,
        esphome=_esphome(value, entry) if "esphome" in entry or "key" in entry else None,
    )


def _wake(value: Value, languages: Sequence[str]) -> tuple[WakeWord, ...]:
    """One word, several, or each with what is spoken behind it."""
    given: list[tuple[str, str | None, Value]]
    if isinstance(value.data, dict):
        given = [(name, item.word(languages, "language of this home"), item) for name, item in value.mapping().items()]
    else:
        given = [(item.text(), None, item) for item in value.sequence()]
    if not 0 < len(given) <= _MOST_WORDS:
        value.fail(f"these are {len(given)} wake words", f"write 1 to {_MOST_WORDS}")
    found = tuple(WakeWord(_word(name, item), lang) for name, lang, item in given)
    if len({item.word for item in found}) < len(found):
        value.fail("has a wake word twice", "write each once")
    return found


def _word(name: str, value: Value) -> str:
    if not name.endswith(".json"):
        if name not in WAKE_WORDS:
            remedy = f"{', '.join(WAKE_WORDS)} are built in; of another give the .json file that came with its model"
            value.fail(f"unknown wake word {quoted(name)}", remedy)
        return name
    path = (value.file.parent / name).resolve()
    if not path.is_file():
        value.fail(f"there is no file {quoted(name)}", "give a path from the folder of this file")
    return str(path)


def _esphome(value: Value, entry: Mapping[str, Value]) -> EspHome:
    if "esphome" not in entry:
        entry["key"].fail("belongs to no box", "write esphome: followed by the box's name or address")
    if "wyoming" in entry:
        value.fail("is both a Wyoming satellite and an ESPHome box", "keep one of the two keys")
    key = parse_secret(entry["key"], "an encryption key") if "key" in entry else None
    return EspHome(_server(entry["esphome"], _ESPHOME_PORT), key)


def parse_satellites(
    value: Value, areas: Mapping[str, Value], people: Mapping[str, Value], languages: Sequence[str]
) -> dict[str, Microphone]:
    """The `satellites` section.

    Raises:
        ConfigError: two of them are the same machine's.
    """
    found: dict[str, Microphone] = {}
    for name, item in value.mapping().items():
        new = parse_microphone(item, areas, people, languages, "wyoming", "esphome", "key")
        for other, known in found.items():
            if new.server is not None and new.server == known.server:
                item.fail(f"{new.server} is {quoted(other)} already", "each satellite has an address of its own")
        found[name] = new
    return found


def parse_wyoming(value: Value) -> Wyoming:
    """The `wyoming` section: what is offered, and what is taken from others."""
    entry = value.mapping(("serve", "asr", "tts", "limit"))
    for name in ("asr", "tts"):
        if name in entry and ":" not in entry[name].text():
            entry[name].fail("has no port", "write host:port")
    return Wyoming(
        serve=_served(entry["serve"]) if "serve" in entry else None,
        asr=_server(entry["asr"], 0) if "asr" in entry else None,
        tts=_server(entry["tts"], 0) if "tts" in entry else None,
        limit_s=entry["limit"].number(0.5, 60.0) if "limit" in entry else Wyoming().limit_s,
    )


def _served(value: Value) -> Server | None:
    local = Server("127.0.0.1", _SERVED_PORT)
    if isinstance(value.data, bool):
        return local if value.data else None
    entry = value.mapping(("host", "port"))
    return Server(
        host=entry["host"].text(253) if "host" in entry else local.host,
        port=entry["port"].whole(1, 65_535) if "port" in entry else local.port,
    )


def _server(value: Value, port: int) -> Server:
    """`host:port`; an IPv6 address stands in brackets."""
    found = _ADDRESS.fullmatch(value.text(260).removeprefix("tcp://"))
    given = int(found["port"] or port) if found is not None else 0
    if found is None or not 0 < given < 65_536:  # noqa: PLR2004 - the ports there are
        value.fail("is no address", f"write host:port, for example kitchen.lan:{port or _SATELLITE_PORT}")
    return Server(found["bare"] or found["host"], given)
