"""The sources that a home file asks for."""

from __future__ import annotations

from daemon.discovery.find import Source
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.discovery.tasmota import TasmotaSource
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.home.config import Discovery


def sources_of(discovery: Discovery | None) -> tuple[Source, ...]:
    """New sources; none where nothing is to be asked."""
    if discovery is None:
        return ()
    sources: list[Source] = [Zigbee2MqttSource(base) for base in discovery.zigbee2mqtt]
    if discovery.homeassistant is not None:
        sources.append(HomeAssistantSource(discovery.homeassistant, discovery.zigbee2mqtt))
    if discovery.tasmota is not None:
        sources.append(TasmotaSource(discovery.tasmota))
    return tuple(sources)
