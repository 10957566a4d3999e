"""The sources that a home file asks for."""

from __future__ import annotations

from daemon.discovery.find import Source
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.home.config import Discovery


def sources_of(discovery: Discovery | None) -> tuple[Source, ...]:
    """New sources; none where nothing is to be asked."""
    if discovery is None:
        return ()
    return tuple(Zigbee2MqttSource(base) for base in discovery.zigbee2mqtt)
