"""The words of the IR: closed sets, the same in every language. `daemon.core.ir` has what is said with them."""

from __future__ import annotations

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

BuiltIn = Literal[
    "state",
    "brightness",
    "color",
    "color_temp",
    "temperature",
    "humidity",
    "volume",
    "muted",
    "position",
    "speed",
    "mode",
    "fan_mode",
    "swing",
    "shuffle",
    "repeat",
    "preset",
    "source",
    "option",
    "value",
    "illuminance",
    "weather",
    "agenda",
    "todo",
    "power",
    "energy",
    "battery",
    "motion",
    "contact",
    "occupancy",
    "co2",
    "pm25",
    "pressure",
    "moisture",
    "smoke",
    "location",
    "presence",
    "gas",
    "carbon_monoxide",
    "sound",
    "vibration",
    "tamper",
    "problem",
    "safety",
    "update",
    "running",
    "powered",
    "plug",
    "charging",
    "battery_low",
    "connectivity",
    "cold",
    "heat",
    "light",
    "aqi",
    "pm1",
    "pm10",
    "tvoc",
    "ozone",
    "nitrogen_dioxide",
    "nitrogen_monoxide",
    "nitrous_oxide",
    "sulphur_dioxide",
    "voltage",
    "current",
    "frequency",
    "apparent_power",
    "reactive_power",
    "power_factor",
    "energy_storage",
    "irradiance",
    "uv_index",
    "noise",
    "signal_strength",
    "wind_speed",
    "wind_direction",
    "precipitation",
    "precipitation_intensity",
    "gas_volume",
    "water",
    "stored_volume",
    "data_size",
    "data_rate",
    "distance",
    "duration",
    "weight",
    "ph",
    "price",
    "media",
    "set_point",
    "event",
]
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
Op = Literal["set", "increase", "decrease", "max", "min"]
Comparator = Literal["eq", "ne", "lt", "le", "gt", "ge", "between"]
Beyond = Literal["event", "often", "several", "since", "date", "no_time", "unread"]
"""Why a time or a condition can't be gone by.

`event`: nobody tells when it happens ("when the movie ends"). `often`: again and again, or so many times. `several`: at
several times. `date`: a day of the calendar, or for days. `since`: nobody knows how long something has been so.
`no_time`: no clock shows it. `unread`: it was not understood.
"""
QueryKind = Literal["state", "value", "is", "any", "all", "count", "which", "how_long", "where", "can", "why"]
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
ATTRIBUTES: frozenset[str] = frozenset(get_args(BuiltIn))
KINDS: frozenset[str] = frozenset(get_args(Kind))
