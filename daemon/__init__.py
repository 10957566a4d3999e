"""Hearken: an offline voice assistant for homes on MQTT."""

__version__ = "0.1.0"
