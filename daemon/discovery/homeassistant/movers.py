"""What opens, locks or drives: covers, valves, locks, vacuums and mowers."""

from __future__ import annotations

from typing import Final

from daemon.core.entities import Value
from daemon.core.values import replace
from daemon.discovery.homeassistant.draft import Config, Draft, says_of, words_of
from daemon.home.capabilities import STANDARD, TOLD_POSITION, reading
from daemon.home.foreign_words import TYPES
from daemon.mqtt.dialects.homeassistant_words import Say, Tell

_VACUUM: Final = ("start", "stop", "return_home", "battery")
"""What a vacuum can do where it does not say; whether it can pause, it must say."""


def cover(draft: Draft) -> None:
    """A cover, with the tilt of its slats as a thing beside it."""
    device_class = draft.text("device_class")
    draft.type, draft.main = TYPES.get(("cover", device_class), "cover"), True
    if device_class == "damper":
        draft.type = "valve"
    closed, opened = draft.number("position_closed", 0), draft.number("position_open", 100)
    # Firmware of old, without a topic for its state, calls it the template of the value.
    older = not draft.text("position_template") and not draft.topic("state_topic")
    where = "value_template" if older else "position_template"
    measured = draft.tell("position", "position_topic", where, form="percent", low=closed, high=opened)
    place = draft.tells[-1] if measured else None
    states = draft.said("closed", "closing", "open", "opening", "stopped")
    told = draft.tell("state", "state_topic", "value_template", **words_of(states))
    if place is not None:
        one_topic = told and draft.tells[-1].topic == place.topic
        if one_topic or "state_stopped" in draft.config.data:
            # Where it stopped, its position says.
            draft.tells[-1] = replace(draft.tells[-1], words=_without(draft.tells[-1].words, "stopped"))
        if one_topic or not told or "state_stopped" in draft.config.data:
            draft.tells.append(replace(place, attribute="state", form="open"))
    _open_close(draft)
    if draft.say("position", "set_position_topic", "set_position_template", form="percent", low=closed, high=opened):
        draft.able(STANDARD["position"])
        if not draft.has("open_close"):
            # Without words of its own it goes to its ends.
            for word, position in (("open", opened), ("closed", closed)):
                draft.say("state", "set_position_topic", "set_position_template", **says_of({word: f"{position:g}"}))
            draft.able(STANDARD["open_close"], stoppable=False)
    elif measured:
        draft.able(TOLD_POSITION)
    _tilt(draft)


def valve(draft: Draft) -> None:
    """A valve."""
    draft.type, draft.main = "valve", True
    if draft.text("device_class") == "gas":
        draft.tags.add("gas")
    if draft.flag("reports_position"):
        closed, opened = draft.number("position_closed", 0), draft.number("position_open", 100)
        template = draft.template("value_template")
        if draft.tell("position", "state_topic", "value_template", form="percent", low=closed, high=opened):
            if not template:
                draft.tells[-1] = replace(
                    draft.tells[-1], template="{{ (value_json | default({})).position | default(value) }}"
                )
            draft.tells.append(replace(draft.tells[-1], attribute="state", form="open"))
        if draft.say("position", "command_topic", "command_template", form="percent", low=closed, high=opened):
            for word, position in (("open", opened), ("closed", closed)):
                draft.say("state", "command_topic", "command_template", **says_of({word: f"{position:g}"}))
            draft.able(STANDARD["open_close"], stoppable=_stop(draft))
            draft.able(STANDARD["position"])
        return
    states = draft.said("open", "closed", "opening", "closing")
    if draft.tell("state", "state_topic", "value_template", **words_of(states)) and not draft.tells[-1].template:
        # A state may come as the word or as {"state": "open"}.
        draft.tells[-1] = replace(draft.tells[-1], template="{{ (value_json | default({})).state | default(value) }}")
    _open_close(draft, stop="")


def lock(draft: Draft) -> None:
    """A lock."""
    draft.type, draft.main = "lock", True
    words: dict[str, Value] = {
        draft.text("state_locked", "LOCKED"): "locked",
        draft.text("state_unlocked", "UNLOCKED"): "unlocked",
        # A bolt that is half out keeps nobody out.
        draft.text("state_jammed", "JAMMED"): "unlocked",
        draft.text("state_open", "OPEN"): "unlocked",
    }
    draft.tell("state", "state_topic", "value_template", **words_of(words))
    lock, unlock = draft.text("payload_lock", "LOCK"), draft.text("payload_unlock", "UNLOCK")
    if draft.say("state", "command_topic", "command_template", **says_of({"locked": lock, "unlocked": unlock})):
        draft.able(STANDARD["lock"])


def vacuum(draft: Draft) -> None:
    """A vacuum; its state comes as one JSON object."""
    draft.type, draft.main = "vacuum", True
    told = draft.template("value_template") or "{{ value_json.state }}"
    if topic := draft.topic("state_topic"):
        draft.tells.append(Tell("state", topic, told))
    listed = draft.config.data.get("supported_features")
    features = [str(item) for item in listed] if isinstance(listed, list) else list(_VACUUM)
    if topic and "battery" in features:
        draft.tells.append(Tell("battery", topic, "{{ value_json.battery_level }}", "number"))
        draft.able(reading("battery"))
    payloads: dict[str, str] = {}
    for feature, commands, key, payload in (
        ("start", ("start", "resume"), "payload_start", "start"),
        ("pause", ("pause",), "payload_pause", "pause"),
        ("stop", ("stop",), "payload_stop", "stop"),
        ("return_home", ("dock",), "payload_return_to_base", "return_to_base"),
    ):
        if feature in features:
            payloads |= {command: draft.text(key, payload) for command in commands}
    if draft.say("command", "command_topic", **says_of(payloads)):
        if "start" in payloads:
            draft.able(STANDARD["start_stop"])
        if "dock" in payloads:
            draft.able(STANDARD["dock"])
    elif topic:
        draft.able(reading("state"))  # it only tells what it is at
    if speeds := draft.words("fan_speed_list"):
        _speeds(draft, speeds)


def lawn_mower(draft: Draft) -> None:
    """A mower, which has a topic for each command."""
    draft.type, draft.main = "lawn_mower", True
    draft.tell("state", "activity_state_topic", "activity_value_template")
    for command, name, payload in (
        ("start", "start_mowing", "start_mowing"),
        ("resume", "start_mowing", "start_mowing"),
        ("pause", "pause", "pause"),
        ("dock", "dock", "dock"),
    ):
        draft.say("command", f"{name}_command_topic", f"{name}_command_template", **says_of({command: payload}))
    said = {ours for say in draft.says for ours, _ in say.words}
    if "start" in said:
        draft.able(STANDARD["start_stop"])
    if "dock" in said:
        draft.able(STANDARD["dock"])


def _open_close(draft: Draft, stop: str = "STOP") -> None:
    data = draft.config.data
    words = {
        ours: draft.text(key, payload)
        for ours, key, payload in (("open", "payload_open", "OPEN"), ("closed", "payload_close", "CLOSE"))
        if data.get(key, payload) is not None
    }
    if len(words) < 2 or not draft.say("state", "command_topic", "command_template", **says_of(words)):  # noqa: PLR2004
        return
    draft.able(STANDARD["open_close"], stoppable=_stop(draft, stop))


def _stop(draft: Draft, default: str = "") -> bool:
    """Whether it can be stopped; notes how."""
    payload = draft.text("payload_stop", "" if draft.config.data.get("payload_stop", default) is None else default)
    return bool(payload) and draft.say("command", "command_topic", "command_template", **says_of({"stop": payload}))


def _without(words: tuple[tuple[str, Value], ...], value: Value) -> tuple[tuple[str, Value], ...]:
    return tuple(pair for pair in words if pair[1] != value)


def _tilt(draft: Draft) -> None:
    """The slats: a value from 0 to 100."""
    low, high = draft.number("tilt_min", 0), draft.number("tilt_max", 100)
    topic, template = draft.topic("tilt_command_topic"), draft.template("tilt_command_template")
    if not topic or template is None:
        return
    data = {**draft.config.data, "entity_category": "config"}
    slats = Draft(Config("number", draft.config.topic, draft.config.key, data), draft.templates)
    slats.says.append(Say("value", topic, template, "percent", low=low, high=high, retain=draft.flag("retain")))
    slats.tell("value", "tilt_status_topic", "tilt_status_template", form="percent", low=low, high=high)
    slats.able(STANDARD["value"], minimum=0, maximum=100, unit="%")
    draft.beside.append(slats)


def _speeds(draft: Draft, speeds: dict[str, str]) -> None:
    if not draft.say("speed", "set_fan_speed_topic", **says_of(speeds)):
        return
    if topic := draft.topic("state_topic"):
        words = tuple((raw, ours) for ours, raw in speeds.items())
        draft.tells.append(Tell("speed", topic, "{{ value_json.fan_speed }}", words=words))
    draft.able(STANDARD["fan_speed"], options=tuple(speeds), minimum=None, maximum=None, step=None, unit=None)
