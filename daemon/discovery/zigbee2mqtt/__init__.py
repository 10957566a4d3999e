"""What zigbee2mqtt tells of its devices, groups and scenes on `<base>/bridge/...`."""

from daemon.discovery.zigbee2mqtt.source import Zigbee2MqttSource

__all__ = ["Zigbee2MqttSource"]
