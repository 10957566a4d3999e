"""What heats, cools and moves air: climate, fans, humidifiers and water heaters."""

from __future__ import annotations

from typing import Any, Final

from daemon.core.entities import Value
from daemon.discovery.homeassistant.draft import Draft, says_of, words_of
from daemon.home.capabilities import FAHRENHEIT, STANDARD, reading
from daemon.home.foreign_words import UNITS
from daemon.mqtt.dialects.homeassistant_words import Say, Tell

_MODES: Final = {name: name for name in ("auto", "off", "cool", "heat", "dry", "fan_only")}
_WARM: Final = ("heat_cool", "auto", "heat", "cool", "fan_only", "dry")
_COOL: Final = ("cool", "heat_cool", "auto", "heat", "fan_only", "dry")
"""What turning on means where there is no word for it, best first."""
_ACTIONS: Final[dict[str, Value]] = {
    **dict.fromkeys(("heating", "cooling", "drying", "fan", "preheating", "defrosting"), "on"),
    **dict.fromkeys(("idle", "off"), "off"),
}
"""What a thermostat says that it does now -> whether it runs."""
_WATER: Final = ("performance", "eco", "electric", "gas", "heat_pump", "high_demand")


def climate(draft: Draft) -> None:
    """A thermostat or an air conditioner."""
    modes = draft.words("modes") or dict(_MODES)
    cools = "cool" in modes
    blows = bool({"dry", "fan_only"} & modes.keys()) or bool(draft.topic("swing_mode_command_topic"))
    conditions = cools and (blows or "heat" not in modes) and "modes" in draft.config.data
    draft.type, draft.main = "air_conditioner" if conditions else "thermostat", True
    _temperature(draft)
    if not draft.says and not draft.topic("mode_command_topic"):
        # One for heating and one for cooling: which one counts, its mode says.
        low = "temperature_high" if cools and "heat" not in modes else "temperature_low"
        unit = _unit(draft)
        draft.setting("temperature", prefix=low, **_range(draft, unit))
    elif not draft.has("temperature"):
        for prefix in ("temperature_low", "temperature_high"):
            if not draft.has("temperature"):
                draft.setting("temperature", prefix=prefix, **_range(draft, _unit(draft)))
    told = {ours: raw for ours, raw in modes.items() if ours != "off"}
    draft.choice("mode", told, prefix="mode")
    _power(draft, modes)
    _measured(draft)
    if draft.tell("running", "action_topic", "action_template", **words_of(_ACTIONS)):
        draft.able(reading("running"))
    draft.choice("preset", draft.words("preset_modes"), prefix="preset_mode", template="value_template")
    fans = draft.words("fan_modes") or {name: name for name in ("auto", "low", "medium", "high")}
    draft.choice("fan_speed", fans, prefix="fan_mode")
    swings = draft.words("swing_modes") or {"on": "on", "off": "off"}
    draft.choice("swing", swings, prefix="swing_mode")
    low_humidity, high_humidity = draft.number("min_humidity", 30), draft.number("max_humidity", 99)
    draft.setting("humidity", prefix="target_humidity", minimum=low_humidity, maximum=high_humidity)


def water_heater(draft: Draft) -> None:
    """A boiler: a set point and modes."""
    draft.type, draft.main = "heater", True
    _temperature(draft, low=43, high=60)
    modes = draft.words("modes") or {name: name for name in ("off", *_WATER)}
    draft.choice("mode", {ours: raw for ours, raw in modes.items() if ours != "off"}, prefix="mode")
    _power(draft, modes)
    _measured(draft)


def fan(draft: Draft) -> None:
    """A fan: percent on its own range of speeds, presets, and whether it swings."""
    draft.type, draft.main = "fan", True
    draft.switches("state_value_template")
    low, high = draft.number("speed_range_min", 1), draft.number("speed_range_max", 100)
    if low < high + 1:
        steps = high - low + 1
        step = {"step": 100 / steps, "minimum": 100 / steps} if steps < 100 else {}  # noqa: PLR2004 - percent
        draft.setting(
            "fan_speed",
            prefix="percentage",
            form="percent",
            template="value_template",
            low=low - 1,
            high=high,
            **step,
        )
    draft.choice("preset", draft.words("preset_modes"), prefix="preset_mode", template="value_template")
    on = draft.text("payload_oscillation_on", "oscillate_on")
    off = draft.text("payload_oscillation_off", "oscillate_off")
    draft.choice("swing", {"on": on, "off": off}, prefix="oscillation", template="value_template")


def humidifier(draft: Draft) -> None:
    """A humidifier or dehumidifier."""
    draft.type, draft.main = "dehumidifier" if draft.text("device_class") == "dehumidifier" else "humidifier", True
    draft.switches("state_value_template")
    low, high = draft.number("min_humidity", 0), draft.number("max_humidity", 100)
    draft.setting("humidity", prefix="target_humidity", minimum=low, maximum=high)
    draft.choice("mode", draft.words("modes"), prefix="mode")
    if draft.tell("current_humidity", "current_humidity_topic", "current_humidity_template", form="number"):
        draft.able(reading("current_humidity"))


def _unit(draft: Draft) -> str:
    said = draft.text("temperature_unit", "C")
    return UNITS.get(said, said) if UNITS.get(said, said) in ("C", "F") else "C"


def _range(draft: Draft, unit: str, low: float = 7, high: float = 35) -> dict[str, Any]:
    bounds = (low, high) if unit == "C" else (low * 9 / 5 + 32, high * 9 / 5 + 32)
    bottom, top = draft.number("min_temp", round(bounds[0])), draft.number("max_temp", round(bounds[1]))
    step = draft.number("temp_step", 1)
    return {"unit": unit, "step": step if step > 0 else None} | (
        {"minimum": bottom, "maximum": top} if bottom < top else {"minimum": None, "maximum": None}
    )


def _temperature(draft: Draft, low: float = 7, high: float = 35) -> None:
    unit = _unit(draft)
    standard = FAHRENHEIT if unit == "F" else STANDARD["temperature"]
    draft.setting("temperature", prefix="temperature", **{"step": standard.step, **_range(draft, unit, low, high)})


def _measured(draft: Draft) -> None:
    unit = _unit(draft)
    if draft.tell("current_temperature", "current_temperature_topic", "current_temperature_template", form="number"):
        draft.able(reading("current_temperature", unit))
    if draft.tell("current_humidity", "current_humidity_topic", "current_humidity_template", form="number"):
        draft.able(reading("current_humidity"))


def _power(draft: Draft, modes: dict[str, str]) -> None:
    """Turning on and off, with a word of its own or by the mode."""
    on, off = draft.text("payload_on", "ON"), draft.text("payload_off", "OFF")
    topic, template = draft.topic("mode_state_topic"), draft.template("mode_state_template")
    if topic and template is not None and "off" in modes and not draft.topic("power_state_topic"):
        draft.tells.append(Tell("state", topic, template, words=((modes["off"], "off"),), otherwise="on"))
    if draft.say("state", "power_command_topic", "power_command_template", **says_of({"on": on, "off": off})):
        draft.tell("state", "power_state_topic", "power_state_template", **words_of({on: "on", off: "off"}))
        draft.able(STANDARD["on_off"])
        return
    mode = next((say for say in draft.says if say.attribute == "mode"), None)
    if mode is None or "off" not in modes:
        return
    preferred = _COOL if draft.type == "air_conditioner" else _WARM
    ways = [name for name in preferred if name in modes] or [name for name in modes if name != "off"]
    words: list[tuple[Value, str]] = [("off", modes["off"])]
    if ways:
        words.append(("on", modes[ways[0]]))
    draft.says.append(Say("state", mode.topic, mode.template, words=tuple(words), retain=mode.retain))
    draft.able(STANDARD["on_off"])
