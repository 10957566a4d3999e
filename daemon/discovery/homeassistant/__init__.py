"""What announces itself in the form of Home Assistant's MQTT discovery."""

from daemon.discovery.homeassistant.source import HomeAssistantSource

__all__ = ["HomeAssistantSource"]
