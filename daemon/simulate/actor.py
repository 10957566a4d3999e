"""One simulated device, what becomes of it when it is told something, and the bridge before it, which says too much."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from daemon.core.entities import Capability, Entity, Value
from daemon.home import events
from daemon.home.config import Behaviour
from daemon.mqtt.bus import Message
from daemon.mqtt.dialects import Device

if TYPE_CHECKING:
    from daemon.simulate.home import SimulatedHome

State = dict[str, Value]
"""Canonical attribute -> value."""

_MEASURED: Final[Mapping[str, Value]] = {
    "temperature": 21.5,
    "current_temperature": 21.5,
    "humidity": 45,
    "current_humidity": 45,
    "illuminance": 120,
    "power": 0,
    "energy": 0,
    "battery": 90,
    "voltage": 230,
    "current": 0,
    "co2": 600,
    "pm25": 8,
    "pm10": 12,
    "tvoc": 120,
    "pressure": 1013,
    "noise": 35,
    "location": "home",
    "state": "off",
}
_SETTINGS: Final[Mapping[str, Value]] = {
    "on_off": "off",
    "open_close": "closed",
    "lock": "locked",
    "media_transport": "idle",
    "start_stop": "idle",
    "arm": "disarmed",
    "brightness": 100,
    "position": 0,
    "color": "#ffffff",
    "color_temp": 2700,
    "temperature": 21,
    "humidity": 45,
    "fan_speed": 0,
    "volume": 30,
    "mute": False,
    "value": 0,
    "play_media": "",
    "clean_area": "nowhere",
}
_POWER_ON: Final = 40
_COMMANDS: Final[Mapping[str, str]] = {
    "play": "playing",
    "pause": "paused",
    "stop": "idle",
    "start": "cleaning",
    "resume": "cleaning",
    "dock": "returning",
}


def initial(entity: Entity, given: Mapping[str, Value]) -> State:
    """How a device starts: what was given, and something likely for the rest."""
    state: State = {}
    for capability in entity.capabilities:
        if capability.attribute not in ("command", events.NAME) and capability.attribute not in state:
            state[capability.attribute] = _default(entity, capability)
    state |= given
    if "color" in state and "color_temp" in state:
        del state["color_temp" if "color" in given else "color"]
    if entity.capability("position") is not None and "position" not in given and "state" in given:
        state["position"] = 100 if given["state"] == "open" else 0
    return state


def changed(entity: Entity, state: Mapping[str, Value], wishes: Mapping[str, Value]) -> State:
    """The state after a command, with what one attribute does to the others.

    A level turns its device on, zero turns it off; a colour replaces a white and the other way round; a cover's
    position and state are one thing, and so are a thermostat's mode "off" and its state.
    """
    after = {**state, **{key: value for key, value in wishes.items() if key != "command"}}
    if "command" in wishes:
        _carry_out(entity, after, str(wishes["command"]))
    _follow_level(entity, after, wishes)
    for wish, becomes in (("media", "playing"), ("area", "cleaning")):
        if wish in wishes and "state" in after:
            after["state"] = becomes
    _shine(after, wishes)
    if "position" in wishes and entity.capability("open_close") is not None:
        after["state"] = "closed" if wishes["position"] == 0 else "open"
    elif wishes.get("state") in ("open", "closed") and "position" in after:
        after["position"] = 100 if wishes["state"] == "open" else 0
    _follow_mode(entity, after, wishes)
    if "power" in after and "state" in after:
        after["power"] = 0 if after["state"] == "off" else after["power"] or _POWER_ON
    return after


def _shine(state: State, wishes: Mapping[str, Value]) -> None:
    if "color" in wishes:
        state.pop("color_temp", None)
    elif "color_temp" in wishes:
        state.pop("color", None)


def _default(entity: Entity, capability: Capability) -> Value:
    if capability.name == "read":
        return _MEASURED.get(capability.attribute, "off")
    if capability.options:
        return capability.options[0]
    if entity.type == "vacuum" and capability.name == "start_stop":
        return "docked"
    if capability.name == "setting":
        return capability.minimum or 0
    value = _SETTINGS.get(capability.name, "off")
    if isinstance(value, bool | str):
        return value
    low, high = capability.minimum, capability.maximum
    return min(max(value, low if low is not None else value), high if high is not None else value)


def _carry_out(entity: Entity, state: State, command: str) -> None:
    becomes = _COMMANDS.get(command)
    if becomes is None or entity.capability("activate") is not None:
        return
    if entity.capability("open_close") is not None:
        return
    if entity.capability("media_transport") is not None and command in ("start", "resume"):
        becomes = "playing"
    elif command in ("start", "stop") and entity.type not in ("vacuum", "lawn_mower"):
        becomes = {"start": "on", "stop": "off"}[command] if entity.capability("on_off") is not None else becomes
    if entity.type == "lawn_mower" and becomes == "cleaning":
        becomes = "mowing"
    state["state"] = becomes


def _follow_level(entity: Entity, state: State, wishes: Mapping[str, Value]) -> None:
    for level in ("brightness", "speed"):
        if entity.capability("on_off") is not None and level in wishes and "state" not in wishes:
            state["state"] = "off" if wishes[level] in (0, "off") else "on"
        # Nothing is on at nothing.
        if wishes.get("state") == "on" and state.get(level) == 0 and level not in wishes:
            state[level] = 100


def _follow_mode(entity: Entity, state: State, wishes: Mapping[str, Value]) -> None:
    mode = entity.capability("mode")
    if mode is None or "off" not in mode.options or entity.capability("on_off") is None:
        return
    if "mode" in wishes:
        state["state"] = "off" if wishes["mode"] == "off" else "on"
    elif wishes.get("state") == "off":
        state["mode"] = "off"
    elif wishes.get("state") == "on" and state.get("mode") == "off":
        state["mode"] = next((item for item in mode.options if item != "off"), "off")


class Timing(Struct, frozen=True):
    """How long simulated things take, in seconds."""

    late_s: float = 10.0
    """What a `late` device adds to its latency: more than anyone waits."""
    nap_s: float = 60.0
    """How long a `sleepy` device sleeps between two pushes."""
    travel_s: float = 12.0
    """A cover from one end to the other; 0: at once."""
    steps: int = 12
    """How often it tells its position on that way."""


class Actor:
    """Plays one device.

    As with zigbee2mqtt, a set is answered twice: first with the state as it was, then, when the command has gone out,
    with the wished state, whether or not the device took it. Only a get brings the truth, and what the device reports
    by itself. A device whose address says `optimistic: false` has no bridge before it: it tells what it is, when it has
    obeyed.
    """

    def __init__(self, entity: Entity, side: Device, behaviour: Behaviour, truth: State, stage: SimulatedHome) -> None:
        self.entity = entity
        self.side = side
        self.behaviour = behaviour
        self.truth = truth
        self._shown = dict(truth)
        self._stage = stage
        self._candid = entity.address is not None and entity.address.options.get("optimistic") is False
        self._pending: dict[str, Value] = {}
        self._halt: Callable[[], None] | None = None

    def begin(self) -> None:
        """Publishes what is retained, and falls asleep if that is its nature."""
        self._present()
        self._report(self._shown)
        if self.behaviour == "sleepy":
            self._stage.later(self._stage.timing.nap_s, self._wake)

    def announce(self) -> None:
        """Publishes its presence and what was last shown, again."""
        self._present()
        self._report(self._shown)

    def hear(self, message: Message) -> dict[str, Value] | None:
        """Takes one message; returns what it commands, if it commands anything."""
        wishes = self.side.requested(self.entity, message)
        if wishes:
            self.command(wishes)
            return wishes
        if self.side.asked(self.entity, message) and self.behaviour not in ("sleepy", "offline"):
            self._stage.soon(self, self.tell, self._delay())
        return None

    def command(self, wishes: Mapping[str, Value]) -> None:
        """Is told to change."""
        if self.behaviour == "offline":
            return
        if self.behaviour == "sleepy":
            self._pending |= wishes
            return
        if not self._candid:
            self._report(self._shown)
        self._stage.soon(self, lambda: self._obey(wishes), self._delay())

    def tell(self) -> None:
        """Publishes the truth."""
        self._shown = dict(self.truth)
        self._report(self._shown)

    def place(self, values: Mapping[str, Value]) -> None:
        """Changes from outside: someone opens the door, the sun comes out. The device reports it."""
        self._stand_still()
        if events.NAME in values:
            self._report({**self._shown, **values})  # a moment: told once, and never so
            return
        self.truth |= values
        if self.behaviour != "offline":
            self.tell()

    def _obey(self, wishes: Mapping[str, Value]) -> None:
        if self.behaviour != "stuck" and not self._travels(wishes):
            self._stand_still()
            self.truth = changed(self.entity, self.truth, wishes)
        if self._candid:
            self._shown = dict(self.truth)
        else:
            self._shown |= changed(self.entity, self._shown, wishes)
        if not self._candid or self.behaviour != "stuck":
            self._report(self._shown)

    def _travels(self, wishes: Mapping[str, Value]) -> bool:
        """Sets a cover in motion; False where there is nothing to move, or it stops."""
        start, timing = self.truth.get("position"), self._stage.timing
        if self.entity.capability("position") is None or not isinstance(start, int | float) or timing.travel_s <= 0:
            return False
        goal = changed(self.entity, self.truth, wishes).get("position")
        if not isinstance(goal, int | float) or goal == start or wishes.get("command") == "stop":
            return False
        self._stand_still()
        stride = 100 / timing.steps if goal > start else -100 / timing.steps
        pause = timing.travel_s / timing.steps

        def move() -> None:
            here = float(self.truth["position"]) + stride
            if (stride > 0 and here >= goal) or (stride < 0 and here <= goal):
                self._halt = None
                self.truth = changed(self.entity, self.truth, {"position": goal})
            else:
                self.truth["position"] = round(here)
                self._halt = self._stage.later(pause, move)
            self.tell()

        if self.entity.capability("open_close") is not None:
            self.truth["state"] = "opening" if stride > 0 else "closing"
        self._halt = self._stage.later(pause, move)
        return True

    def _stand_still(self) -> None:
        if self._halt is None:
            return
        self._halt()
        self._halt = None
        if "state" in self.truth:
            self.truth["state"] = "closed" if self.truth.get("position") == 0 else "open"

    def _wake(self) -> None:
        if self._pending:
            self.truth = changed(self.entity, self.truth, self._pending)
            self._pending = {}
        self.tell()
        self._stage.later(self._stage.timing.nap_s, self._wake)

    def _delay(self) -> float:
        return self._stage.timing.late_s if self.behaviour == "late" else 0.0

    def _report(self, state: Mapping[str, Value]) -> None:
        for publication in self.side.report(self.entity, state):
            self._stage.say(publication)

    def _present(self) -> None:
        for publication in self.side.presence(self.entity, online=self.behaviour != "offline"):
            self._stage.say(publication)
