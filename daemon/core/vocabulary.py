"""The words of the IR: closed sets, the same in every language. `daemon.core.ir` has what is said with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from msgspec import Meta

Lang = Annotated[str, Meta(pattern="^[a-z]{2,3}$")]
"""The name of a folder of `rules/`: docs/language.md."""
Source = Literal["grammar", "model", "dialogue"]
Action = Literal[
    "turn_on",
    "turn_off",
    "toggle",
    "open",
    "close",
    "stop",
    "lock",
    "unlock",
    "arm",
    "disarm",
    "set",
    "increase",
    "decrease",
    "activate",
    "start",
    "pause",
    "resume",
    "next",
    "previous",
    "mute",
    "unmute",
    "dock",
    "play",
    "query",
]
"""A verb as spoken. `open` and `close` are clusters: what a device can do picks the member (see `daemon.home`)."""

_MEASURED: Mapping[str, str | None] = {
    "state": None,
    "value": None,
    "temperature": "C",
    "current_temperature": "C",
    "humidity": "%",
    "current_humidity": "%",
    "moisture": "%",
    "illuminance": "lx",
    "irradiance": "W/m²",
    "uv_index": None,
    "pressure": "hPa",
    "noise": "dB",
    "aqi": None,
    "co2": "ppm",
    "carbon_monoxide": "ppm",
    "pm1": "µg/m³",
    "pm25": "µg/m³",
    "pm10": "µg/m³",
    "tvoc": "ppb",
    "ozone": "µg/m³",
    "nitrogen_dioxide": "µg/m³",
    "nitrogen_monoxide": "µg/m³",
    "nitrous_oxide": "µg/m³",
    "sulphur_dioxide": "µg/m³",
    "wind_speed": "km/h",
    "wind_direction": "°",
    "precipitation": "mm",
    "precipitation_intensity": "mm/h",
    "power": "W",
    "energy": "kWh",
    "energy_storage": "kWh",
    "apparent_power": "VA",
    "reactive_power": "var",
    "power_factor": None,
    "voltage": "V",
    "current": "A",
    "frequency": "Hz",
    "battery": "%",
    "water": "L",
    "stored_volume": "L",
    "gas_volume": "m³",
    "signal_strength": "dBm",
    "data_size": "MB",
    "data_rate": "Mbit/s",
    "speed": "km/h",
    "distance": "m",
    "duration": "min",
    "weight": "kg",
    "ph": None,
    "price": None,
    "position": "%",
    "location": None,
}

TOLD = ("weather", "agenda", "todo")
"""What is told in words of others: repeated as it is told, with who says so."""

_YES_OR_NO = (
    *("motion", "occupancy", "presence", "contact", "lock", "smoke", "gas", "sound", "light", "vibration", "tamper"),
    *("problem", "safety", "update", "running", "powered", "plug", "charging", "battery_low", "connectivity"),
    *("cold", "heat"),
)
BINARY = frozenset({*_YES_OR_NO, "carbon_monoxide", "moisture"})
"""What may be "on" or "off", as in Home Assistant: `on` is motion, an open door, an open lock, an alarm, a problem.

Carbon monoxide, moisture and gas may be numbers as well."""

READINGS: Mapping[str, str | None] = {**_MEASURED, **dict.fromkeys((*TOLD, *_YES_OR_NO))}
"""What a sensor can tell, with its usual unit; None for words and bare numbers."""

ATTRIBUTES: frozenset[str] = frozenset(
    {"brightness", "color", "color_temp", "volume", "muted", "mode", "fan_mode", "swing", "shuffle", "repeat", "preset"}
    | {"source", "option", "media", "set_point", "event"}
    | (READINGS.keys() - {"lock", "current_temperature", "current_humidity"})
)
"""What a parameter, a condition or a question is about; `daemon.home.sensing` has which reading tells what.
`set_point`, of a question, is whatever it is set to rather than what it measures; `event`, of a condition, is a moment
and no state: a button that is pressed (`daemon.home.events`)."""

Attribute = Annotated[str, Meta(pattern=r"^\w{1,80}$")]
"""One of the built-in ones, or a setting of this home by its name: "child_lock", "灵敏度" (`daemon.home.settings`)."""

Media = Literal[
    "music",
    "track",
    "album",
    "artist",
    "playlist",
    "podcast",
    "station",
    "movie",
    "show",
    "video",
    "audiobook",
    "genre",
]
"""What sort of thing is played; `music` is any of it."""

Unit = Literal[
    "%", "C", "F", "K", "W", "kW", "kWh", "lx", "ppm", "A", "V", "ml", "cm", "rpm", "step", "s", "min", "h", "fraction",
    "music", "track", "album", "artist", "playlist", "podcast", "station", "movie", "show", "video", "audiobook",
    "genre",
]  # fmt: skip
"""`K` is kelvin (colour temperature), `fraction` a multiple of the present value ("half": 0.5 of it),
`step` a count of the capability's own step ("a bit": 1, "a lot": 3). Of a title (`media`)
it is the sort of thing that is so called, a word of `Media`."""

Kind = Literal[
    "light",
    "lamp",
    "switch",
    "plug",
    "cover",
    "curtain",
    "blind",
    "shade",
    "shutter",
    "awning",
    "garage_door",
    "gate",
    "door",
    "window",
    "lock",
    "valve",
    "climate",
    "thermostat",
    "air_conditioner",
    "heater",
    "fan",
    "humidifier",
    "dehumidifier",
    "air_purifier",
    "vacuum",
    "lawn_mower",
    "media_player",
    "tv",
    "speaker",
    "appliance",
    "sensor",
    "alarm",
    "camera",
    "scene",
    "group",
    "device",
]
"""A weak hint to what is meant; a capability decides what can be done. `device` is "anything"."""

Quantifier = Literal["one", "all", "any", "both", "n"]
Reference = Literal["it", "that", "them", "here", "there", "again", "other", "rest"]
PRONOUNS: frozenset[Reference | None] = frozenset({"it", "that", "them"})
"""What points to that which was spoken of, and to nothing else."""
WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
Op = Literal["set", "increase", "decrease", "max", "min"]
Comparator = Literal["eq", "ne", "lt", "le", "gt", "ge", "between", "than"]
Beyond = Literal["event", "often", "several", "since", "date", "no_time", "unread"]
"""Why a time or a condition can't be gone by.

`event`: nobody tells when it happens ("when the movie ends"). `often`: again and again, or so many times. `several`: at
several times. `date`: a day of the calendar, or for days. `since`: nobody knows how long something has been so.
`no_time`: no clock shows it. `unread`: it was not understood.
"""
QueryKind = Literal["state", "value", "is", "any", "all", "count", "which", "how_long", "where", "can", "why", "usual"]
Move = Literal[
    "yes",
    "no",
    "cancel",
    "stop",
    "wait",
    "leave",
    "thank",
    "select",
    "other",
    "not",
    "any",
    "both",
    "neither",
    "all",
    "repeat",
    "undo",
    "always",
    "value",
    "time",
    "correct",
    "enough",
    "follow",
    "only",
    "back",
]
"""`select` says which of what was offered is meant, `not` which is not. `time` tells when ("at six", "in the evening")
or how long. `enough` says that there is nothing to add. `correct` says something in place of what was just done or
asked: its clause has the other target, value or verb. `follow` goes on from it, with the targets or the verb of its
clause: "and the hall light too", "and off again"."""

ACTIONS: frozenset[str] = frozenset(get_args(Action))
KINDS: frozenset[str] = frozenset(get_args(Kind))
