"""What tells one thing or a moment, or takes one word: sensors, switches, buttons, choices, sirens, alarms, events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from daemon.core.entities import Value
from daemon.core.values import replace
from daemon.core.vocabulary import READINGS
from daemon.discovery.homeassistant.draft import Draft, says_of, words_of
from daemon.home import events
from daemon.home.capabilities import STANDARD, reading
from daemon.home.foreign_words import CLASS_TAGS, TYPES, UNITS
from daemon.home.sensing import sensed
from daemon.mqtt.dialects.homeassistant_words import Say, Tell

if TYPE_CHECKING:
    from daemon.discovery.homeassistant.assemble import Named

_UNITS: Final = {**UNITS, "lux": "lx", "KWh": "kWh", "ug/m3": "µg/m³", "μg/m³": "µg/m³", "ºC": "C", "Lux": "lx"}
_BY_UNIT: Final = {
    "C": "temperature",
    "F": "temperature",
    "lx": "illuminance",
    "V": "voltage",
    "A": "current",
    "W": "power",
    "kWh": "energy",
    "Hz": "frequency",
    "VA": "apparent_power",
    "hPa": "pressure",
    "dBm": "signal_strength",
}
"""What is measured in this unit, where no class says more."""
_ARMED: Final = ("armed_away", "armed_home", "armed_night", "armed_vacation", "armed_custom_bypass")


def sensor(draft: Draft) -> None:
    """A sensor of numbers, or of words."""
    draft.type = "sensor"
    unit = draft.text("unit_of_measurement")
    unit = _UNITS.get(unit, unit)
    attribute = sensed("sensor", draft.text("device_class") or None)
    if attribute == "value":
        attribute = _BY_UNIT.get(unit, attribute)
        if not unit and not draft.text("state_class"):
            attribute = "state"
    # Number or not, Home Assistant's sensors without class and unit do not say.
    form = "word" if attribute in ("state", "location") or not unit else "number"
    if draft.tell(attribute, "state_topic", "value_template", form=form):
        draft.able(reading(attribute, unit or READINGS.get(attribute)))


def binary_sensor(draft: Draft) -> None:
    """A sensor of yes and no."""
    draft.type = "sensor"
    device_class = draft.text("device_class")
    attribute = sensed("binary_sensor", device_class or None)
    draft.tags |= {device_class} & CLASS_TAGS
    words: dict[str, Value] = {draft.text("payload_on", "ON"): "on", draft.text("payload_off", "OFF"): "off"}
    if draft.tell(attribute, "state_topic", "value_template", **words_of(words)):
        draft.able(reading(attribute))


def switch(draft: Draft) -> None:
    """A switch or a plug."""
    draft.type, draft.main = TYPES.get(("switch", draft.text("device_class")), "switch"), True
    draft.switches()


def siren(draft: Draft) -> None:
    """A siren, which takes JSON where it has no template."""
    draft.type, draft.main = "alarm", True
    on, off = draft.text("payload_on", "ON"), draft.text("payload_off", "OFF")
    words: dict[str, Value] = {draft.text("state_on", on): "on", draft.text("state_off", off): "off"}
    if draft.tell("state", "state_topic", "state_value_template", **words_of(words)) and not draft.tells[-1].template:
        draft.tells[-1] = replace(draft.tells[-1], template="{{ (value_json | default({})).state | default(value) }}")
    topic = draft.topic("command_topic")
    template, off_template = draft.template("command_template"), draft.template("command_off_template")
    if not topic or template is None or off_template is None:
        return
    retain = draft.flag("retain")
    if template:
        draft.says.append(Say("state", topic, template, words=(("on", on),), retain=retain))
        draft.says.append(Say("state", topic, off_template or template, words=(("off", off),), retain=retain))
    else:
        draft.says.append(Say("state", topic, joint="state", words=(("on", on), ("off", off)), retain=retain))
    draft.able(STANDARD["on_off"])


def alarm(draft: Draft) -> None:
    """An alarm panel. What needs a code, which nobody says aloud, is left to its own keys, and known to need one."""
    draft.type, draft.main = "alarm", True
    draft.tell("state", "state_topic", "value_template")
    coded = bool(draft.text("code"))
    words: dict[str, str] = {}
    locked: list[str] = []
    listed = draft.config.data.get("supported_features")
    for state in _ARMED:
        name = state.removeprefix("armed_")
        if isinstance(listed, list) and f"arm_{name}" not in listed:
            continue
        if coded and draft.flag("code_arm_required", default=True):
            locked.append(state)
        else:
            words[state] = draft.text(f"payload_arm_{name}", f"ARM_{name.upper()}")
    if coded and draft.flag("code_disarm_required", default=True):
        locked.append("disarmed")
    else:
        words["disarmed"] = draft.text("payload_disarm", "DISARM")
    if words and draft.say("state", "command_topic", "command_template", **says_of(words)):
        draft.able(STANDARD["arm"], options=tuple(str(word) for word in words), coded=tuple(locked))
    elif locked and draft.text("command_topic"):
        draft.able(STANDARD["arm"], coded=tuple(locked))
    elif draft.tells:
        draft.able(reading("state"))


def number(draft: Draft) -> None:
    """A number to set."""
    low, high = draft.number("min", 1), draft.number("max", 100)
    unit = _UNITS.get(draft.text("unit_of_measurement"), draft.text("unit_of_measurement"))
    able = STANDARD["temperature" if draft.text("device_class") == "temperature" and unit in ("C", "F") else "value"]
    draft.tell(able.attribute, "state_topic", "value_template", form="number")
    if low < high and draft.say(able.attribute, "command_topic", "command_template", form="number"):
        step = draft.number("step", 1)
        draft.able(able, minimum=low, maximum=high, step=step if step > 0 else None, unit=unit or None)


def select(draft: Draft) -> None:
    """A choice among words."""
    draft.choice("option", draft.words("options"), prefix="", template="value_template", key="command_topic")


def button(draft: Draft) -> None:
    """Something to press."""
    payload = draft.text("payload_press", "PRESS")
    if draft.say("command", "command_topic", "command_template", **says_of({"activate": payload})):
        draft.able(STANDARD["activate"])


def scene(draft: Draft) -> None:
    """A scene of the device."""
    draft.type = "scene"
    if draft.say("command", "command_topic", **says_of({"activate": draft.text("payload_on", "ON")})):
        draft.able(STANDARD["activate"])


def device_tracker(draft: Draft) -> None:
    """Where something is: home, away, or a place by name."""
    draft.type = "sensor"
    words: dict[str, Value] = {
        draft.text("payload_home", "home"): "home",
        draft.text("payload_not_home", "not_home"): "not_home",
    }
    if draft.tell("location", "state_topic", "value_template", **words_of(words)):
        # Any other word is a place.
        topic, template = draft.tells[-1].topic, draft.tells[-1].template
        draft.tells.append(Tell("location", topic, template))
        draft.able(reading("location"))


COMPONENTS: Final = frozenset({"event", "device_automation"})
_BELL: Final = "doorbell"


def event(draft: Draft) -> None:
    """An event entity: JSON with the event's type in it, whatever else it tells."""
    draft.type = "sensor"
    draft.tags |= {draft.text("device_class")} & (CLASS_TAGS | {_BELL})
    words = {raw: events.word_of(raw) for raw in draft.words("event_types").values()}
    if words and draft.tell(events.NAME, "state_topic", "value_template", form="event", words=tuple(words.items())):
        _able(draft)


def automation(draft: Draft) -> None:
    """One trigger: what is done (`type`), to which button (`subtype`)."""
    draft.type = "sensor"
    option = events.word_of(f"{draft.text('subtype')} {draft.text('type')}")
    if draft.text("automation_type") != "trigger" or not option:
        return
    payload = draft.text("payload")
    words = ((payload, option),) if payload else ()
    otherwise = None if payload else option
    if draft.tell(events.NAME, "topic", "value_template", words=words, otherwise=otherwise):
        _able(draft)


def moments_as_one(named: Sequence[Named]) -> list[Named]:
    """The components of a device, with all of them that tell of moments as one, which is called as the device is.

    Where several entities do, each event has the name of its own.
    """
    pressed = [item for item in named if item.draft.config.component in COMPONENTS]
    if not pressed:
        return list(named)
    first, tells = pressed[0], []
    for item in pressed:
        own = item.own if len(pressed) > 1 and item.draft.config.component == "event" else ""
        for tell in item.draft.tells:
            words = tuple((raw, f"{own} {option}".strip().casefold()) for raw, option in tell.words)
            tells.append(replace(tell, words=words))
    whole = Draft(first.draft.config, first.draft.templates, type="sensor", tells=tells)
    whole.tags = set().union(*(item.draft.tags for item in pressed))
    _able(whole)
    others = [item for item in named if item not in pressed]
    return (
        [*others, replace(first, draft=whole, own="" if first.device else first.own)] if whole.capabilities else others
    )


def _able(draft: Draft) -> None:
    options = [
        str(ours) for tell in draft.tells for ours in (*(word for _, word in tell.words), tell.otherwise) if ours
    ]
    if (capability := events.event(options)) is not None:
        draft.capabilities.append(capability)
