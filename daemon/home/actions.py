"""What the words of the IR mean for a device: which of its capabilities a verb, a parameter or a question reaches.

A verb is a cluster: "open" is `open_close: open` for a curtain, `lock: unlocked` for a lock and `on_off: on` for a
lamp. The members are in order of preference; a device takes the first one that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from daemon.core.entities import Capability, CapabilityName, Entity, Risk, Value
from daemon.core.ir import Parameter
from daemon.core.values import replace
from daemon.core.vocabulary import BINARY, TOLD
from daemon.home import events, settings
from daemon.home.sensing import AMBIENT, Witness, witness
from daemon.home.verbs import ACTIONS, Member

PARAMETERS: Final[Mapping[str, tuple[CapabilityName, ...]]] = {
    "state": ("on_off", "open_close", "lock"),
    "brightness": ("brightness",),
    "color": ("color",),
    "color_temp": ("color_temp",),
    "temperature": ("temperature",),
    "humidity": ("humidity",),
    "volume": ("volume",),
    "position": ("position",),
    "speed": ("fan_speed",),
    "fan_mode": ("fan_speed", "mode"),
    "mode": ("mode", "preset", "arm"),
    "preset": ("preset", "mode"),
    "swing": ("swing",),
    "source": ("media_select",),
    "media": ("play_media", "media_select"),
    "option": ("option", "mode", "preset"),
    "value": ("value",),
}
"""Parameter attribute -> the capabilities that take it, in order of preference."""

_WORDED: Final = frozenset({"mode", "preset", "option", "value"})
"""What may also be meant of a setting, by a word that it alone takes: "set the cooker to porridge"."""

_WORDED_TOO: Final = frozenset({"fan_speed", "media_select", "swing"})
"""What else is set by words of its own: a vacuum on turbo."""

_BY_UNIT: Final[Mapping[str | None, tuple[CapabilityName, ...]]] = {
    "%": ("value", "brightness", "position", "volume", "fan_speed", "humidity"),
    "C": ("temperature",),
    "F": ("temperature",),
    "K": ("color_temp",),
    None: ("value", "temperature", "brightness", "position", "volume", "fan_speed", "humidity"),
}
"""Where only a number was said ("set the blinds to 40 %"), what a device has decides, in this order."""

_STEPS: Final[Mapping[str, float]] = {
    **dict.fromkeys(("brightness", "position", "volume", "speed"), 10.0),
    "humidity": 5.0,
    "temperature": 1.0,
    "color_temp": 500.0,
    "value": 1.0,
}

VERB_OF_STATE: Final[Mapping[Value, str]] = {
    "on": "turn_on",
    "off": "turn_off",
    "open": "open",
    "closed": "close",
    "locked": "lock",
    "unlocked": "unlock",
}
"""A state -> the verb that leads to it, and back to it."""
OPPOSITES: Final[Mapping[Value, str]] = {
    "on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked"
}  # fmt: skip
"""A state -> what it is where it is not that."""
ACTION_OF: Final[Mapping[Value, str]] = {**VERB_OF_STATE, "disarmed": "disarm"}
"""As well the state that nothing goes back to by itself."""

_RISKY: Final[Mapping[str | None, frozenset[str]]] = {
    # Where a plain switch is called a lock or a door, what it lets through may open it.
    **dict.fromkeys(("lock", "door"), frozenset({"open", "unlock", "turn_on", "toggle"})),
    **dict.fromkeys(("garage_door", "gate", "gas"), frozenset({"open", "turn_on", "toggle"})),
    "hot": frozenset({"open", "turn_on", "toggle", "start"}),
    "alarm": frozenset({"turn_off", "disarm", "toggle"}),
    "vital": frozenset({"turn_off", "toggle", "disarm", "close", "stop"}),
}
"""Type or tag -> the directions that need a yes."""

_WAYS: Final[Mapping[str, frozenset[str]]] = {
    "cool": frozenset({"air_conditioner"}),
    "heat": frozenset({"heater", "thermostat"}),
}
"""What cools and what heats, of that which has no modes."""

DISARMED: Final = frozenset({"disarmed", "disarm", "off"})
"""Words for a mode of an alarm that watches nothing."""

_RUNG: Final = ("sound", "vibration", "smoke", "gas", "carbon_monoxide", "moisture", "safety", "problem", "state")
"""What something that rings may tell by a state, rather than as a moment."""
REACHED: Final = Capability("read", "connectivity", gettable=False)
"""Told by the availability of a device rather than by itself."""
_WHEREABOUTS: Final = frozenset({"state", "location", "occupancy", "presence"})
"""What a person is asked for: all of it is whether they are home."""
_ASIDE: Final = frozenset({"battery", "voltage", "signal_strength"})
"""What a sensor tells of itself."""


def members(entity: Entity, action: str) -> Iterator[Member]:
    """The ways in which this device can carry out a verb, preferred first."""
    for member in ACTIONS.get(action, ()):
        capability = entity.capability(member.capability)
        if capability is None or (member.types and entity.type not in member.types):
            continue
        if member.capability == "open_close" and member.value == "stop" and not capability.stoppable:
            continue
        yield member


def member_for(entity: Entity, action: str) -> Member | None:
    """The way in which this device carries out a verb, or None where it cannot."""
    return next(members(entity, action), None)


def capability_for(entity: Entity, parameter: Parameter) -> Capability | None:
    """The capability through which this device takes a parameter, or None where it cannot."""
    if settings.is_setting(parameter.attribute):
        return _setting_for(entity, parameter)
    names = PARAMETERS.get(parameter.attribute, ())
    word = parameter.value.casefold() if isinstance(parameter.value, str) else None
    if parameter.attribute == "value" and (word is None or settings.is_usual(word)):
        names = _BY_UNIT.get(parameter.unit, _BY_UNIT[None] if word is None else _BY_UNIT["%"])  # "low" is no degree
    found = [item for name in names for item in entity.capabilities if item.name == name]
    if parameter.attribute == "media":
        # A source is no title: what plays the radio need not play whatever one names.
        found = [item for item in found if item.name == "play_media" or _is_option(parameter.value, item)]
    if word is not None:
        fitting = next((item for item in found if word in item.options), None)
        if fitting is None and found and not settings.is_usual(word):
            fitting = settings.with_option(entity, word)  # "the sound to ocean" is no volume
        return fitting or next(iter(found), None) or _setting_so_called(entity, parameter, word)
    return next(iter(found), None) or _setting_so_called(entity, parameter)


def _setting_for(entity: Entity, parameter: Parameter) -> Capability | None:
    """The setting that was named; of a device without it, the built-in attribute that the same word means."""
    own = settings.found(entity, parameter.attribute)
    also = settings.ALSO.get(settings.concept(parameter.attribute)) if own is None else None
    return own if also is None else capability_for(entity, replace(parameter, attribute=also))


def _setting_so_called(entity: Entity, parameter: Parameter, word: str | None = None) -> Capability | None:
    """The setting that a built-in word means of a device that can do nothing else by that word."""
    own = settings.found(entity, parameter.attribute)
    if own is None and word is not None and parameter.attribute in _WORDED:
        worded = [item for item in entity.capabilities if item.name in _WORDED_TOO]
        able = [item for item in worded if settings.option(word, item.options)]
        own = settings.with_option(entity, word) or (able[0] if len(able) == 1 else None)
    return settings.main(entity) if own is None and word is None and parameter.attribute == "value" else own


def _is_option(value: object, capability: Capability) -> bool:
    return isinstance(value, str) and value.casefold() in capability.options


def readable_for(entity: Entity, attribute: str, state: object = None) -> Capability | None:
    """The capability that tells what was asked, or None.

    `state` is the device's main state: what tells the word that was asked about, else whatever its first readable
    capability tells.
    """
    found = evidence_of(entity, attribute, state)
    return None if found is None else found[0]


def evidence_of(entity: Entity, attribute: str, state: object = None) -> tuple[Capability, Witness] | None:
    """As `readable_for`, with how its values are to be understood."""
    if entity.kind == "person":
        own = (entity.reads("state") or entity.reads("location")) if attribute in _WHEREABOUTS else None
        return None if own is None else (own, Witness(own.attribute))
    if attribute == events.NAME:
        return _moment(entity, state)
    if settings.is_setting(attribute):
        return _evidence_of_setting(entity, attribute, state)
    return _evidence_of(entity, attribute, state)


def _evidence_of_setting(entity: Entity, attribute: str, state: object) -> tuple[Capability, Witness] | None:
    own = settings.found(entity, attribute)
    if own is not None:
        return (own, Witness(own.attribute)) if own.readable else None
    return evidence_of(entity, settings.ALSO[attribute], state) if attribute in settings.ALSO else None


def _evidence_of(entity: Entity, attribute: str, state: object) -> tuple[Capability, Witness] | None:
    if attribute == "contact" and (cover := entity.capability("open_close")) is not None:
        return cover, Witness("state")
    if attribute == "location" and state is None and entity.capability("dock") is not None:
        attribute = "state"  # where what goes about is: in its dock, or under way
    if (found := witness(entity, attribute, state)) is not None:
        return found
    if attribute == "connectivity" and entity.address is not None:
        # Whether it can be reached is known of any device, from what the broker says of it.
        return REACHED, Witness("connectivity")
    if attribute == "value" and (measured := _only_measure(entity)) is not None:
        return measured, Witness(measured.attribute)
    if (own := settings.found(entity, attribute)) is not None and own.readable:
        return own, Witness(own.attribute)  # the mode of a plug, which is a setting of its own
    first = next((item for item in entity.capabilities if item.readable), None)
    if first is None:
        return None
    if attribute == "state":
        return first, Witness(first.attribute)
    # Nobody said what this sensor tells: by its name it may be asked for anything.
    return (first, Witness("state")) if attribute in BINARY and vague(first) else None


def _only_measure(entity: Entity) -> Capability | None:
    """What a sensor measures, where that is one thing besides its battery: "if the thermometer is above 26".

    Of what tells of nothing but a battery, that is what it measures: the car's.
    """
    reads = [item for item in entity.capabilities if item.name == "read"]
    found = [item for item in reads if item.attribute not in _ASIDE] or reads
    return found[0] if len(found) == 1 and found[0].attribute not in (*BINARY, *TOLD, "state") else None


def vague(capability: Capability) -> bool:
    """Whether it tells on or off, and nobody said of what."""
    return capability.name == "read" and capability.attribute == "state"


def pursues(entity: Entity, way: str) -> bool:
    """Whether this device can cool, or heat: by a mode of that name, else by what it is."""
    modes = entity.capability("mode")
    return way in modes.options if modes is not None else entity.type in _WAYS.get(way, ())


def _moment(entity: Entity, state: object) -> tuple[Capability, Witness] | None:
    """What tells that something happens to it; of a bell or an alarm, also by a state that it was set off."""
    if (moment := entity.capability(events.NAME)) is not None:
        return moment, Witness(events.NAME)
    if state != events.PRESS:
        return None
    told = (able for name in _RUNG if entity.type == "sensor" and (able := entity.reads(name)) is not None)
    return next(((able, Witness(able.attribute)) for able in told), None)


def measures(entity: Entity, attribute: str) -> bool:
    """Whether this device measures an attribute of its place, rather than being set to it."""
    capability = readable_for(entity, attribute) if attribute in AMBIENT else None
    return capability is not None and capability.name == "read"


def step_of(capability: Capability) -> float:
    """What "a bit" changes, in the capability's own unit."""
    if capability.name == settings.NAME:
        return settings.step(capability)
    if capability.step is not None:
        return capability.step
    step = _STEPS.get(capability.attribute, 1.0)
    return step * 2 if capability.unit == "F" else step


def direction(entity: Entity, action: str, parameter: Parameter | None = None) -> str:
    """The word that a device's `risk` has for what would really happen: "open" on a lock is "unlock"."""
    if parameter is not None and settings.is_setting(parameter.attribute):
        return "set"
    if action in ("set", "increase", "decrease") and parameter is not None:
        capability = capability_for(entity, parameter)
        if capability is not None and capability.name == "arm":
            return "disarm" if parameter.value in DISARMED else "arm"
        if capability is None or capability.name != "position":
            return action
        return "close" if _closes(action, parameter) else "open"
    member = member_for(entity, action)
    if member is None:
        return action
    return "activate" if member.capability == "activate" else ACTION_OF.get(member.value, action)


def risk_of(entity: Entity, action: str, parameter: Parameter | None = None) -> Risk:
    """Whether an act needs a yes: what the device's own `risk` says, else what its type and tags say.

    Unlocking, opening a garage door, a gate or a gas valve and disarming are risky, and so are switching
    off what somebody relies on and switching on what burns; locking and closing never are.
    """
    words = (direction(entity, action, parameter), action)
    for word in words:
        if word in entity.risk:
            return entity.risk[word]
    risky = frozenset[str]().union(*(_RISKY.get(label, ()) for label in (entity.type, *entity.tags)))
    if entity.capability("lock") is not None:
        risky |= _RISKY["lock"]
    alarm = entity.capability("arm")
    if alarm is not None:
        risky |= _RISKY["alarm"]
    if alarm is not None and "disarmed" in alarm.coded:
        risky -= _RISKY["alarm"]  # nobody can do it by saying so
    if words[0] == "set" and risky and parameter is not None and settings.is_setting(parameter.attribute):
        return "confirm"  # what a lock, a gate or an alarm does by itself is at stake too
    return "confirm" if risky.intersection(words) else "none"


def is_risky(entity: Entity) -> bool:
    """Whether anything that can be done to it needs a yes."""
    return any(risk_of(entity, action) == "confirm" for action in (*ACTIONS, *entity.risk))


def _closes(action: str, parameter: Parameter) -> bool:
    if action == "decrease" or parameter.op in ("decrease", "min"):
        return True
    return action == "set" and parameter.op == "set" and parameter.value == 0
