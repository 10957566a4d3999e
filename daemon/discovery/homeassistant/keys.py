"""Short keys of discovery payloads, and what they stand for.

Home Assistant's documentation ("MQTT", "Discovery messages") lists about 250; nearly all are put together of the same
short words, so the words stand here, and then the keys that are not made so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_WORDS: Final[Mapping[str, str]] = {
    "act": "action",
    "avty": "availability",
    "avail": "available",
    "b": "blue",
    "bri": "brightness",
    "cla": "class",
    "cln": "clean",
    "clr": "color",
    "cls": "close",
    "clsd": "closed",
    "cmd": "command",
    "cod": "code",
    "curr": "current",
    "dev": "device",
    "dir": "direction",
    "ent": "entity",
    "evt": "event",
    "fx": "effect",
    "g": "green",
    "hi": "high",
    "hum": "humidity",
    "inv": "invert",
    "k": "kelvin",
    "lo": "low",
    "loc": "locate",
    "lst": "list",
    "meas": "measurement",
    "mirs": "mireds",
    "nite": "night",
    "opnd": "opened",
    "osc": "oscillation",
    "paus": "pause",
    "pct": "percentage",
    "pl": "payload",
    "pos": "position",
    "pow": "power",
    "pr": "preset",
    "prs": "press",
    "r": "red",
    "req": "required",
    "rng": "range",
    "rst": "reset",
    "scl": "scale",
    "sp": "spot",
    "spd": "speed",
    "stat": "state",
    "strt": "start",
    "sup": "support",
    "t": "topic",
    "tpl": "template",
    "trig": "trigger",
    "uniq": "unique",
    "unlk": "unlock",
    "val": "value",
    "whit": "white",
}
_WHOLE: Final[Mapping[str, str]] = {
    "act_stat_t": "activity_state_topic",
    "act_val_tpl": "activity_value_template",
    "atype": "automation_type",
    "av_tones": "available_tones",
    "clrm": "color_mode",
    "clrm_stat_t": "color_mode_state_topic",
    "clrm_val_tpl": "color_mode_value_template",
    "cmps": "components",
    "cod_dis_req": "code_disarm_required",
    "cont_type": "content_type",
    "def_ent_id": "default_entity_id",
    "dsp_prc": "display_precision",
    "e": "encoding",
    "en": "enabled_by_default",
    "ent_cat": "entity_category",
    "ent_pic": "entity_picture",
    "evt_typ": "event_types",
    "exp_aft": "expire_after",
    "fanspd_lst": "fan_speed_list",
    "fanspd_t": "fan_speed_topic",
    "fanspd_tpl": "fan_speed_template",
    "flsh": "flash",
    "flsh_tlng": "flash_time_long",
    "flsh_tsht": "flash_time_short",
    "frc_upd": "force_update",
    "hum_cmd_t": "target_humidity_command_topic",
    "hum_cmd_tpl": "target_humidity_command_template",
    "hum_stat_t": "target_humidity_state_topic",
    "hum_stat_tpl": "target_humidity_state_template",
    "hum_state_tpl": "target_humidity_state_template",
    "ic": "icon",
    "img_e": "image_encoding",
    "img_t": "image_topic",
    "init": "initial",
    "json_attr": "json_attributes",
    "json_attr_t": "json_attributes_topic",
    "json_attr_tpl": "json_attributes_template",
    "l_ver_t": "latest_version_topic",
    "l_ver_tpl": "latest_version_template",
    "lrst_t": "last_reset_topic",
    "lrst_val_tpl": "last_reset_value_template",
    "migr_discvry": "migrate_discovery",
    "o": "origin",
    "obj_id": "object_id",
    "off_dly": "off_delay",
    "on_cmd_type": "on_command_type",
    "ops": "options",
    "opt": "optimistic",
    "p": "platform",
    "pause_mw_cmd_tpl": "pause_command_template",
    "pl_arm_custom_b": "payload_arm_custom_bypass",
    "pl_inst": "payload_install",
    "pl_not_avail": "payload_not_available",
    "pl_ret": "payload_return_to_base",
    "pl_rst_pr_mode": "payload_reset_preset_mode",
    "pl_stpa": "payload_start_pause",
    "pl_toff": "payload_turn_off",
    "pl_ton": "payload_turn_on",
    "pos": "reports_position",
    "ptrn": "pattern",
    "rel_s": "release_summary",
    "rel_u": "release_url",
    "ret": "retain",
    "src_type": "source_type",
    "stat_jam": "state_jammed",
    "strt_mw_cmd_t": "start_mowing_command_topic",
    "strt_mw_cmd_tpl": "start_mowing_command_template",
    "stype": "subtype",
    "sug_dsp_prc": "suggested_display_precision",
    "sup_clrm": "supported_color_modes",
    "sup_dur": "support_duration",
    "sup_feat": "supported_features",
    "sup_vol": "support_volume_set",
    "swing_h_modes": "swing_horizontal_modes",
    "tilt_inv_stat": "tilt_invert_state",
    "tilt_opt": "tilt_optimistic",
    "tit": "title",
    "trns": "transition",
    "unit_of_meas": "unit_of_measurement",
    "url_t": "url_topic",
    "url_tpl": "url_template",
}
_SET_POINT: Final = frozenset({"cmd", "stat", "hi", "lo", "unit"})
"""What follows `temp` where that is short for "temperature"; elsewhere (`max_temp`) it stands so in the long key."""
_DEVICE: Final[Mapping[str, str]] = {
    "cns": "connections",
    "cu": "configuration_url",
    "hw": "hw_version",
    "ids": "identifiers",
    "mdl": "model",
    "mdl_id": "model_id",
    "mf": "manufacturer",
    "sa": "suggested_area",
    "sn": "serial_number",
    "sw": "sw_version",
}
_ORIGIN: Final[Mapping[str, str]] = {"sw": "sw_version", "url": "support_url"}


def long(key: str) -> str:
    """The long form of a key of a component; a long one stays."""
    if (found := _WHOLE.get(key)) is not None:
        return found
    words = key.split("_")
    if words[0] == "swing" and words[1:2] == ["h"]:
        words[1] = "horizontal"
    for at, word in enumerate(words[:-1]):
        if word == "temp" and (words[:at] == ["curr"] or (at == 0 and words[1] in _SET_POINT)):
            words[at] = "temperature"
    return "_".join(_WORDS.get(word, word) for word in words)


def expanded(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A payload with long keys, base topics (`~`) put in, in its device and origin too."""
    found: dict[str, Any] = {}
    for key, value in payload.items():
        found.setdefault(long(key), value)
    for key, table in (("device", _DEVICE), ("origin", _ORIGIN)):
        if isinstance(inner := found.get(key), Mapping):
            found[key] = {table.get(name, name): value for name, value in inner.items()}
    if isinstance(listed := found.pop("availability", None), list | Mapping):
        items = listed if isinstance(listed, list) else [listed]
        found["availability"] = [
            {long(key): value for key, value in item.items()} for item in items if isinstance(item, Mapping)
        ]
    return _based(found)


def _based(found: dict[str, Any]) -> dict[str, Any]:
    base = found.get("~")
    if not isinstance(base, str):
        return found
    for key, value in found.items():
        if key == "topic" or key.endswith("_topic"):
            found[key] = _topic(value, base)
    for item in found.get("availability") or ():
        item["topic"] = _topic(item.get("topic"), base)
    return found


def _topic(value: object, base: str) -> object:
    if not isinstance(value, str):
        return value
    if value.startswith("~"):
        value = f"{base}{value[1:]}"
    return f"{value[:-1]}{base}" if value.endswith("~") else value
