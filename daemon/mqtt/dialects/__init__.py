"""Dialects: how families of devices say things on MQTT."""

from collections.abc import Mapping
from types import MappingProxyType

from daemon.mqtt.dialects.base import Change, Device, Dialect, Plain, PlainDevice
from daemon.mqtt.dialects.homeassistant import HomeAssistant
from daemon.mqtt.dialects.templates import Templates
from daemon.mqtt.dialects.zigbee2mqtt import Zigbee2Mqtt, Zigbee2MqttDevice


def dialects(templates: Templates) -> Mapping[str, Dialect]:
    """The name in an address -> the house's side of the dialect, with what renders the templates of devices."""
    return MappingProxyType({"zigbee2mqtt": Zigbee2Mqtt(), "plain": Plain(), "homeassistant": HomeAssistant(templates)})


DIALECTS: Mapping[str, Dialect] = dialects(Templates())
"""The same, without the templates that may take long."""

DEVICES: Mapping[str, Device] = MappingProxyType({"zigbee2mqtt": Zigbee2MqttDevice(), "plain": PlainDevice()})
"""The name in an address -> the device's side, for simulations: of those that a home file may name."""

__all__ = ["DEVICES", "DIALECTS", "Change", "Device", "Dialect", "dialects"]
