"""MQTT: the only package that imports an MQTT library."""
