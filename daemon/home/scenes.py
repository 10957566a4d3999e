"""The `scenes` section of a home file: steps of our own, or a scene that the broker knows."""

from __future__ import annotations

from collections.abc import Mapping

from daemon.core.entities import Address, Entity, SceneStep
from daemon.home.actions import ACTION_OF, risk_of
from daemon.home.capabilities import STANDARD
from daemon.home.devices import DIALECTS, check_id, parse_naming
from daemon.home.nodes import Value, nearest, quoted
from daemon.home.sections import parse_state


def parse_scene(name: str, value: Value, devices: Mapping[str, Entity], languages: tuple[str, ...]) -> Entity:
    """One scene.

    Args:
        name: Its id.
        value: Its entry.
        devices: By id, what it may touch.
        languages: Those of the home.

    Raises:
        ConfigError: anything that is wrong with it.
    """
    check_id(name, value)
    entry = value.mapping(("name", "aliases", "steps", "dialect", "topic", "description"))
    naming = parse_naming(entry, value, languages)
    if ("steps" in entry) == ("topic" in entry):
        value.fail("has to say what it does, in one way", "add steps:, or the topic: of a scene on the broker")
    steps = entry["steps"].mapping() if "steps" in entry else {}
    for device, step in steps.items():
        if device not in devices:
            step.fail(f"there is no device {quoted(device)}", nearest(device, devices))
    dialect = entry["dialect"].word(DIALECTS, "dialect") if "dialect" in entry else DIALECTS[0]
    return Entity(
        id=name,
        kind="scene",
        names=naming.names,
        display=naming.display,
        capabilities=(STANDARD["activate"],),
        members=tuple(steps),
        risk={"activate": "confirm"} if _risky(steps, devices) else {},
        address=Address(dialect, entry["topic"].text()) if "topic" in entry else None,
        description=entry["description"].text(400) if "description" in entry else "",
    )


def parse_steps(value: Value, devices: Mapping[str, Entity]) -> tuple[SceneStep, ...]:
    """What a scene with steps does that `parse_scene` accepts, one device after another."""
    return tuple(
        SceneStep(device, attribute, wanted)
        for device, step in value.mapping()["steps"].mapping().items()
        for attribute, wanted in parse_state(step, devices[device]).items()
    )


def _risky(steps: Mapping[str, Value], devices: Mapping[str, Entity]) -> bool:
    """Whether a scene would do what has to be asked back when it is said by itself."""
    for name, step in steps.items():
        device = devices[name]
        wanted = parse_state(step, device)
        verb = ACTION_OF.get(wanted.get("state", ""))
        if verb is not None and risk_of(device, verb) == "confirm":
            return True
        if wanted.get("position") and risk_of(device, "open") == "confirm":
            return True
    return False
