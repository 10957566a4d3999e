"""Homes that tell things, and what was read of them."""

from collections.abc import Mapping

from daemon.core.entities import Capability, Entity, Value
from daemon.core.outcomes import Observation, Source
from daemon.home.registry import Registry

THERMOMETER = (Capability("read", "temperature", unit="C"), Capability("read", "humidity", unit="%"))
CONTACT = (Capability("read", "contact", gettable=False),)
SENSORS = Registry(
    [
        Entity("t1", "device", ("t1",), type="sensor", capabilities=THERMOMETER),
        Entity("t2", "device", ("t2",), type="sensor", capabilities=THERMOMETER),
        Entity("tf", "device", ("tf",), type="sensor", capabilities=(Capability("read", "temperature", unit="F"),)),
        Entity(
            "heating",
            "device",
            ("heating",),
            type="thermostat",
            capabilities=(
                Capability("temperature", "temperature", unit="C"),
                Capability("read", "current_temperature", unit="C"),
            ),
        ),
        Entity("w1", "device", ("w1",), type="sensor", tags=frozenset({"window"}), capabilities=CONTACT),
        Entity("w2", "device", ("w2",), type="sensor", tags=frozenset({"window"}), capabilities=CONTACT),
        Entity("motion", "device", ("motion",), type="sensor", capabilities=(Capability("read", "motion"),)),
        Entity("lamp", "device", ("lamp",), type="light", capabilities=(Capability("on_off", "state"),)),
        Entity("lamp2", "device", ("lamp2",), type="light", capabilities=(Capability("on_off", "state"),)),
        Entity(
            "tv",
            "device",
            ("tv",),
            type="tv",
            capabilities=(Capability("on_off", "state"), Capability("volume", "volume")),
        ),
        Entity("door", "device", ("door",), type="lock", capabilities=(Capability("lock", "state"),)),
        Entity("garage", "device", ("garage",), type="garage_door", capabilities=(Capability("open_close", "state"),)),
        Entity("ann", "person", ("ann",), capabilities=(Capability("read", "location"),)),
    ]
)
ROOMS = Registry(
    [
        *(Entity(name, "area", (name,)) for name in ("bedroom", "study")),
        *(
            Entity(name, "device", (name,), type=kind, area=area, capabilities=capabilities)
            for name, kind, area, capabilities in (
                ("bed", "sensor", "bedroom", THERMOMETER),
                ("ac", "air_conditioner", "bedroom", (Capability("read", "current_temperature", unit="C"),)),
                ("desk", "sensor", "study", THERMOMETER),
            )
        ),
    ]
)

Readings = Mapping[tuple[str, str], tuple[Value, Source]]


def observed(readings: Readings) -> dict[tuple[str, str], Observation]:
    """What these readings come to, each a second old."""
    return {pair: Observation(*pair, value, source, 1.0) for pair, (value, source) in readings.items()}
