"""zigbee2mqtt: state on `zigbee2mqtt/<friendly name>`, `/set`, `/get` and `/availability` below it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from daemon.core.entities import Capability, Entity, Value
from daemon.mqtt.bus import Message, Publication
from daemon.mqtt.dialects.base import Change, JsonDevice, JsonTopics, topic_of
from daemon.mqtt.dialects.payloads import dump, number, parse_object, word
from daemon.mqtt.dialects.zigbee2mqtt_words import from_device, is_mode, options_of, properties, to_device

_FADES = frozenset({"state", "brightness", "color", "color_temp"})
_MOVING = {"up": "opening", "opening": "opening", "down": "closing", "closing": "closing"}


class Zigbee2Mqtt(JsonTopics):
    """The house's side."""

    def encode(self, entity: Entity, writes: Sequence[Change]) -> tuple[Publication, ...]:
        """One message for all writes."""
        payload: dict[str, Any] = {}
        modes = any(write.attribute == "mode" for write in writes)
        for write in writes:
            if write.attribute == "command":
                said = _command(entity, write.value)
                if said is None:
                    return ()
                payload |= said
                continue
            capability = _settable(entity, write.attribute)
            raw = None if capability is None else to_device(entity, capability, write.value)
            if capability is None or raw is None:
                return ()
            if is_mode(entity, capability) and modes and write.value == "on":
                # The mode that is set in the same breath says it.
                continue
            payload[properties(entity, capability)[0]] = _brief(raw)
        if not payload:
            return ()
        transition = number(options_of(entity).get("transition"), 0, 6553)
        if transition is not None and any(write.attribute in _FADES for write in writes):
            payload["transition"] = transition
        return (Publication(f"{topic_of(entity)}/set", dump(payload)),)

    def together(self, group: Entity, told: Sequence[Sequence[Publication]]) -> Publication | None:
        """What each member is told in one message, on the topic of the group, where it is the same for all."""
        payloads = {each[0].payload for each in told if len(each) == 1}
        if len(payloads) != 1 or any(len(each) != 1 for each in told):
            return None
        return Publication(f"{topic_of(group)}/set", payloads.pop())

    def get(self, entity: Entity, attributes: Iterable[str]) -> tuple[Publication, ...]:
        """One message for all attributes."""
        wanted = {}
        for attribute in attributes:
            capability = entity.reads(attribute)
            if capability is not None and capability.gettable and attribute != "command":
                wanted[properties(entity, capability)[0]] = ""
        return (Publication(f"{topic_of(entity)}/get", dump(wanted)),) if wanted else ()

    def decode(self, entity: Entity, message: Message) -> dict[str, Value] | None:
        """What the state topic says. A device lists its last colour and its last white; only the one in use counts."""
        if message.topic != topic_of(entity) or (payload := parse_object(message.payload)) is None:
            return None
        found = _understood(entity, payload)
        mode = word(payload.get("color_mode"))
        if mode == "color_temp":
            found.pop("color", None)
        elif mode in ("xy", "hs"):
            found.pop("color_temp", None)
        if entity.capability("open_close") is not None:
            _judge_cover(payload, found)
        return found


class Zigbee2MqttDevice(JsonDevice):
    """The device's side: zigbee2mqtt itself, for one of its devices."""

    def requested(self, entity: Entity, message: Message) -> dict[str, Value] | None:
        """What a set says."""
        if message.topic != f"{topic_of(entity)}/set" or (payload := parse_object(message.payload)) is None:
            return None
        found: dict[str, Value] = {}
        for capability in entity.capabilities:
            name = properties(entity, capability)[0]
            if capability.name == "read" or name not in payload:
                continue
            if (value := from_device(entity, capability, payload[name])) is not None:
                found.setdefault(capability.attribute, value)
        if found.get("state") == "stopped":
            del found["state"]
            found["command"] = "stop"
        if "scene_recall" in payload:
            found["command"] = "activate"
        return found

    def report(self, entity: Entity, state: Mapping[str, Value]) -> tuple[Publication, ...]:
        """Everything that is known of the device, in one object."""
        payload: dict[str, Any] = {}
        for capability in entity.capabilities:
            value = state.get(capability.attribute)
            told = capability.readable or capability.name == "event"
            if value is None or not told or capability.attribute == "command":
                continue
            if capability.name == "open_close":
                payload["moving"] = {"opening": "UP", "closing": "DOWN"}.get(str(value), "STOP")
                if value == "stopped":
                    value = "closed" if state.get("position") == 0 else "open"
            raw = to_device(entity, capability, value)
            name = properties(entity, capability)[0]
            # A thermostat that is off says so in its mode; on, it says which.
            if raw is None or (
                payload.get(name) == "off" and is_mode(entity, entity.capability("on_off") or capability)
            ):
                continue
            payload[name] = raw
            if capability.name == "lock":
                payload["lock_state"] = value
        if "color" in payload:
            payload["color"].pop("hex", None)
            payload["color_mode"] = "color_temp" if state.get("color_mode") == "color_temp" else "xy"
        return (Publication(topic_of(entity), dump(payload), retain="event" not in state),)


def _settable(entity: Entity, attribute: str) -> Capability | None:
    return next((item for item in entity.capabilities if item.attribute == attribute and item.name != "read"), None)


def _command(entity: Entity, value: Value) -> dict[str, Any] | None:
    if value == "stop" and (cover := entity.capability("open_close")) is not None:
        return {properties(entity, cover)[0]: to_device(entity, cover, "stopped")}
    scene = number(options_of(entity).get("scene"), 0, 255)
    return {"scene_recall": scene} if value == "activate" and scene is not None else None


def _brief(raw: Any) -> Any:
    return {"hex": raw["hex"]} if isinstance(raw, dict) else raw


def _understood(entity: Entity, payload: Mapping[str, Any]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for capability in entity.capabilities:
        told = capability.readable or capability.name == "event"
        if not told or capability.attribute in found or capability.attribute == "command":
            continue
        names = properties(entity, capability)
        if capability.name == "lock":
            # What the bolt says goes before what was last asked of it.
            names = (*names[1:], names[0])
        for name in names:
            if payload.get(name) is None:
                continue
            if (value := from_device(entity, capability, payload[name])) is not None:
                found[capability.attribute] = value
                break
    return found


def _judge_cover(payload: Mapping[str, Any], found: dict[str, Value]) -> None:
    """A cover's state: moving, where it says so; else by its position, which is measured, where `state` is a wish."""
    for name in ("moving", "motor_state"):
        if (state := _MOVING.get(word(payload.get(name)) or "")) is not None:
            found["state"] = state
            return
    position = number(payload.get("position"), 0, 100)
    if position is not None:
        found["state"] = "closed" if position == 0 else "open"
