"""Lights, in the three schemas of Home Assistant's "MQTT Light"."""

from __future__ import annotations

from typing import Any, Final

from daemon.core.values import replace
from daemon.discovery.homeassistant.draft import Draft, says_of, words_of
from daemon.home.capabilities import STANDARD
from daemon.mqtt.dialects.homeassistant_words import Form, Say, Tell
from daemon.mqtt.dialects.payloads import mired_to_kelvin, number

_COLORS: Final[tuple[Form, ...]] = ("rgb", "hs", "xy")
_WHITES: Final = frozenset({"color_temp", "white"})
_FULL: Final = 255


def light(draft: Draft) -> None:
    """A light."""
    draft.type, draft.main = "light", True
    match draft.text("schema", "default"):
        case "json":
            _json(draft)
        case "template":
            _template(draft)
        case _:
            _plain(draft)
    if effects := draft.words("effect_list"):
        _effects(draft, effects)


def _plain(draft: Draft) -> None:
    """One topic for each thing."""
    on, off = draft.text("payload_on", "ON"), draft.text("payload_off", "OFF")
    kind, scale = draft.text("on_command_type", "last"), draft.number("brightness_scale", _FULL)
    draft.tell("state", "state_topic", "state_value_template", **words_of({on: "on", off: "off"}))
    _legacy(draft, on, off)
    if kind == "brightness" and draft.topic("brightness_command_topic"):
        # It comes on with a brightness only.
        draft.say(
            "state",
            "brightness_command_topic",
            "brightness_command_template",
            **says_of({"on": f"{scale:g}"}),
        )
        draft.say("state", "command_topic", **says_of({"off": off}))
    else:
        draft.say("state", "command_topic", **says_of({"on": on, "off": off}))
    if not draft.says:
        return
    draft.able(STANDARD["on_off"])
    wakes = {"first": "first", "brightness": ""}.get(kind, "last")
    if draft.setting("brightness", prefix="brightness", form="percent", template="value_template", high=scale):
        _waking(draft, wakes)
    kelvin = draft.flag("color_temp_kelvin")
    form: Form = "kelvin" if kelvin else "mired"
    if draft.setting("color_temp", prefix="color_temp", form=form, template="value_template", **_tones(draft)):
        _waking(draft, wakes)
    for color in (*_COLORS, "rgbw", "rgbww"):
        inner: Form = "hs" if color == "hs" else "xy" if color == "xy" else "rgb"
        if draft.topic(f"{color}_command_topic") and not draft.has("color"):
            draft.setting("color", prefix=color, form=inner, template="value_template")
            _waking(draft, wakes)
            _pad(draft, len(color) - len("rgb") if color.startswith("rgbw") else 0)
    _mode(draft, "color_mode_state_topic", "color_mode_value_template")


def _legacy(draft: Draft, on: str, off: str) -> None:
    """`value_template` is what some call the template of the state."""
    if draft.tells and not draft.tells[-1].template and (template := draft.template("value_template")):
        words = words_of({on: "on", off: "off"})
        draft.tells[-1] = replace(draft.tells[-1], template=template, **words)


def _json(draft: Draft) -> None:
    """One JSON object for everything."""
    listed = draft.config.data.get("supported_color_modes")
    modes = [str(item) for item in listed] if isinstance(listed, list) else []
    if not modes:
        modes = [name for name in ("color_temp", "rgb", "hs", "xy") if draft.flag(name)]
    topic, retain = draft.topic("command_topic"), draft.flag("retain")
    if not topic:
        return
    scale = draft.number("brightness_scale", _FULL)
    _told(draft, "state", "{{ value_json.state }}", **words_of({"ON": "on", "OFF": "off"}))
    draft.says.append(Say("state", topic, joint="state", words=(("on", "ON"), ("off", "OFF")), retain=retain))
    draft.able(STANDARD["on_off"])

    def joint(name: str, form: Form, template: str, told: Form | None = None, **more: Any) -> None:
        attribute = STANDARD[name].attribute
        scaled: dict[str, Any] = {"low": 0, "high": scale} if form == "percent" else {}
        _told(draft, attribute, template, form=told or form, **scaled)
        draft.says.append(Say(attribute, topic, form=form, joint=attribute, wakes="first", retain=retain, **scaled))
        draft.able(STANDARD[name], **more)

    if draft.flag("brightness") or set(modes) - {"onoff"}:
        joint("brightness", "percent", "{{ value_json.brightness }}")
    if "color_temp" in modes:
        form: Form = "kelvin" if draft.flag("color_temp_kelvin") else "mired"
        joint("color_temp", form, "{{ value_json.color_temp }}", **_tones(draft))
    for color in ("rgb", "rgbw", "rgbww", "hs", "xy"):
        if color in modes and not draft.has("color"):
            joint("color", "rgb" if color.startswith("rgb") else color, "{{ value_json.color }}", "color")  # type: ignore[arg-type]
    if draft.has("color") and draft.has("color_temp"):
        _mode(draft, "state_topic", template="{{ value_json.color_mode }}")


def _template(draft: Draft) -> None:
    """One message made by a template for everything."""
    topic, retain = draft.topic("command_topic"), draft.flag("retain")
    on, off = draft.template("command_on_template"), draft.template("command_off_template")
    if not topic or not on or not off:
        return
    if state := draft.template("state_template"):
        _told(draft, "state", state, **words_of({"on": "on", "off": "off"}))
    common: dict[str, Any] = {"template": on, "off_template": off, "retain": retain}
    draft.says.append(Say("state", topic, joint="state", words=(("on", "on"), ("off", "off")), **common))
    draft.able(STANDARD["on_off"])
    if "brightness" in on or draft.template("brightness_template"):
        if told := draft.template("brightness_template"):
            _told(draft, "brightness", told, form="percent", low=0, high=_FULL)
        draft.says.append(
            Say("brightness", topic, form="percent", low=0, high=_FULL, joint="brightness", wakes="first", **common)
        )
        draft.able(STANDARD["brightness"])
    if "color_temp" in on:
        form: Form = "kelvin" if draft.flag("color_temp_kelvin") else "mired"
        if told := draft.template("color_temp_template"):
            _told(draft, "color_temp", told, form=form)
        draft.says.append(Say("color_temp", topic, form=form, joint="color_temp", wakes="first", **common))
        draft.able(STANDARD["color_temp"], **_tones(draft))
    if "red" in on or "hue" in on:
        parts = [draft.template(f"{name}_template") for name in ("red", "green", "blue")]
        if all(parts):
            _told(draft, "color", ",".join(str(part) for part in parts), form="rgb")
        draft.says.append(
            Say("color", topic, form="rgb" if "red" in on else "hs", joint="color", wakes="first", **common)
        )
        draft.able(STANDARD["color"])


def _told(draft: Draft, attribute: str, template: str, **more: Any) -> None:
    if topic := draft.topic("state_topic"):
        draft.tells.append(Tell(attribute, topic, template, **more))


def _waking(draft: Draft, wakes: str) -> None:
    draft.says[-1] = replace(draft.says[-1], wakes=wakes)  # type: ignore[arg-type]


def _pad(draft: Draft, whites: int) -> None:
    """Red, green and blue alone, to what takes white channels as well: these are dark then."""
    if whites and not draft.says[-1].template:
        draft.says[-1] = replace(draft.says[-1], template="{{ value }}" + ",0" * whites)


def _mode(draft: Draft, key: str, template_key: str = "", *, template: str = "") -> None:
    if not (draft.has("color") and draft.has("color_temp")):
        return
    topic, found = draft.topic(key), template or draft.template(template_key)
    if topic and found is not None:
        words = tuple((mode, "color_temp") for mode in sorted(_WHITES))
        draft.tells.append(Tell("color_mode", topic, found, words=words, otherwise="color"))


def _tones(draft: Draft) -> dict[str, Any]:
    """The range of white tones, in kelvin."""
    warm, cold = draft.number("max_mireds", 0), draft.number("min_mireds", 0)
    low = number(draft.config.data.get("min_kelvin"), 1000, 20000) or (mired_to_kelvin(warm) if warm >= 50 else 0)  # noqa: PLR2004
    high = number(draft.config.data.get("max_kelvin"), 1000, 20000) or (mired_to_kelvin(cold) if cold >= 50 else 0)  # noqa: PLR2004
    low, high = low or mired_to_kelvin(500), high or mired_to_kelvin(153)
    return {"minimum": low, "maximum": high} if low < high else {}


def _effects(draft: Draft, effects: dict[str, str]) -> None:
    """What it can show beside a steady light."""
    schema = draft.text("schema", "default")
    words = tuple((raw, ours) for ours, raw in effects.items())
    if schema == "default":
        draft.choice("option", effects, prefix="effect", template="value_template")
        return
    state = next((say for say in draft.says if say.joint == "state"), None)
    told = "{{ value_json.effect }}" if schema == "json" else draft.template("effect_template")
    if state is None or (schema == "json" and not draft.flag("effect", default=True)):
        return
    if told:
        _told(draft, "option", told, words=words)
    draft.says.append(replace(state, attribute="option", joint="effect", words=tuple(effects.items()), wakes="first"))
    draft.able(STANDARD["option"], options=tuple(effects))
