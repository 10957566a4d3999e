"""The home file: what it says is what is loaded, and every mistake is told where it stands."""

import contextlib
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.core.errors import ConfigError
from daemon.home.config import Console, EspHome, Microphone, ModelSettings, PasswordSource, Server, WakeWord
from daemon.home.loader import load_home
from tests.home.houses import ROOT, default_home
from tests.tables import read_table

SMALL = """\
floors:
  ground: {name: Ground floor}
areas:
  kitchen: {name: {en: Kitchen, zh: 厨房}, floor: ground}
devices:
  lamp:
    name: {en: Lamp, zh: 灯}
    area: kitchen
    type: lamp
    capabilities: [on_off, brightness: {min: 1, step: 5}]
"""


def load(tmp_path: Path, text: str) -> Any:
    file = tmp_path / "devices.yaml"
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    return load_home(file)


def test_the_default_home_is_as_promised() -> None:
    home = default_home()
    kinds = {kind: [item for item in home.entities if item.kind == kind] for kind in ("area", "floor", "scene")}
    assert {kind: len(items) for kind, items in kinds.items()} == {"area": 9, "floor": 2, "scene": 3}
    assert home.mqtt is None
    assert home.microphone == Microphone(area="living_room")
    assert {item.behaviour for item in home.simulation.devices.values()} == {
        "normal",
        "sleepy",
        "offline",
        "stuck",
        "late",
    }
    assert all(item.display.keys() >= {"en", "zh"} for item in home.entities)


def test_a_small_home(tmp_path: Path) -> None:
    home = load(tmp_path, SMALL)
    lamp = home.entities[-1]
    assert lamp.names == ("Lamp", "灯")
    assert lamp.name("zh") == "灯"
    assert lamp.address.dialect == "zigbee2mqtt"
    assert lamp.address.topic == "zigbee2mqtt/lamp"
    brightness = lamp.capability("brightness")
    assert (brightness.minimum, brightness.maximum, brightness.step, brightness.unit) == (1, 100, 5, "%")


def test_words_that_yaml_takes_for_booleans_stay_words(tmp_path: Path) -> None:
    home = load(tmp_path, SMALL + "simulation: {devices: {lamp: {state: {state: on}}}}\n")
    assert home.simulation.devices["lamp"].state == {"state": "on"}


def test_a_count_makes_numbered_devices_and_their_group(tmp_path: Path) -> None:
    home = load(tmp_path, SMALL + "    count: 3\n    topic: zigbee2mqtt/lamp {n}\n")
    group, *lamps = home.entities[2:]
    assert (group.id, group.kind, group.members) == ("lamp", "group", ("lamp_1", "lamp_2", "lamp_3"))
    assert [lamp.names for lamp in lamps] == [("Lamp 1", "灯1"), ("Lamp 2", "灯2"), ("Lamp 3", "灯3")]
    assert [lamp.address.topic for lamp in lamps if lamp.address] == [f"zigbee2mqtt/lamp {n}" for n in (1, 2, 3)]


def test_a_password_is_only_pointed_at(tmp_path: Path) -> None:
    home = load(tmp_path, SMALL + "mqtt: {host: broker, user: me, password: {file: secret}, tls: true}\n")
    assert home.mqtt.password == PasswordSource(file=tmp_path / "secret")
    assert home.mqtt.port == 8883
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, SMALL + "mqtt: {host: broker, password: hunter2}\n")
    assert "hunter2" not in str(caught.value)


def test_places_have_wake_words_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    own = tmp_path / "words" / "nihao.json"
    own.write_text("{}", encoding="utf-8")
    section = "microphone: {wake: [okay_nabu, alexa], sensitivity: 0.7}\n"
    section += (
        "satellites: {hall: {wake: hey_jarvis}, attic: {wake: {okay_nabu: en, words/nihao.json: en}}, shed: {}}\n"
    )
    home = load(tmp_path, SMALL + section)
    assert (home.microphone.wake, home.microphone.sensitivity) == ((WakeWord("okay_nabu"), WakeWord("alexa")), 0.7)
    assert home.satellites["hall"].wake == (WakeWord("hey_jarvis"),)
    assert home.satellites["attic"].wake == (WakeWord("okay_nabu", "en"), WakeWord(str(own.resolve()), "en"))
    assert (home.satellites["shed"].wake, home.satellites["shed"].sensitivity) == ((WakeWord("okay_nabu"),), 0.5)


def test_an_esphome_box_has_its_key_elsewhere(tmp_path: Path) -> None:
    home = load(
        tmp_path, SMALL + "satellites: {hall: {esphome: hall.local, key: {env: HALL}}, attic: {esphome: 'a:7'}}\n"
    )
    assert home.satellites["hall"].esphome == EspHome(Server("hall.local", 6053), PasswordSource(env="HALL"))
    assert home.satellites["attic"].esphome == EspHome(Server("a", 7))


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ("a: {esphome: hall, key: c3dvcmRmaXNo}", "an encryption key does not belong in this file"),
        ("a: {key: {env: X}}", "belongs to no box"),
        ("a: {esphome: hall, wyoming: 'hall:1'}", "both a Wyoming satellite and an ESPHome box"),
        ("a: {esphome: 'hall:1'}, b: {wyoming: 'hall:1'}", 'hall:1 is "a" already'),
    ],
)
def test_a_satellite_is_one_box(entries: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        load(tmp_path, f"{SMALL}satellites: {{{entries}}}\n")
    assert "c3dv" not in str(caught.value)


@pytest.mark.parametrize(
    ("section", "wanted"),
    [
        ("", Console()),
        ("console: true\n", Console()),
        ("console: false\n", None),
        ("console: {port: 8080}\n", Console(Server("127.0.0.1", 8080))),
        ("console: {host: '::1'}\n", Console(Server("::1", 4327))),
        ("console: {token: {env: T}, host: 0.0.0.0}\n", Console(Server("0.0.0.0", 4327), PasswordSource(env="T"))),
        ("console: {names: [Pi.lan, pi]}\n", Console(names=("pi.lan", "pi"))),
    ],
)
def test_pages_are_for_this_machine_alone_unless_the_file_says_so(
    section: str, wanted: Console | None, tmp_path: Path
) -> None:
    assert load(tmp_path, f"{SMALL}{section}").console == wanted


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ("host: 0.0.0.0", "lets everybody on the network command this home; add token"),
        ("host: '::'", "lets everybody on the network command this home"),
        ("host: pi.lan", "lets everybody on the network command this home"),
        ("token: c3dvcmRmaXNo", "a token does not belong in this file"),
        ("tls: {key: a.pem}", "a certificate and its key belong together"),
        ("tls:", "a certificate and its key belong together"),
        ("port: 70000", "70000"),
        ("names: ['http://pi.lan']", "is no name of a machine"),
        ("names: ['*']", "is no name of a machine"),
        ("hosts: x", 'unknown key "hosts"'),
    ],
)
def test_pages_that_anybody_could_use_are_refused_with_their_line(entries: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=re.escape(says)) as caught:
        load(tmp_path, f"{SMALL}console:\n  {entries}\n")
    assert caught.value.line == len(SMALL.splitlines()) + 2
    assert caught.value.key.startswith("console")
    assert "c3dv" not in str(caught.value)


def test_a_scene_with_a_risky_step_is_risky(tmp_path: Path) -> None:
    lock = "  door: {name: Door, type: lock, capabilities: [lock]}\n"
    home = load(tmp_path, f"{SMALL}{lock}scenes:\n  in: {{name: Come in, steps: {{door: {{state: unlocked}}}}}}\n")
    assert home.entities[-1].risk == {"activate": "confirm"}
    assert home.scene_steps["in"][0].value == "unlocked"
    home = load(tmp_path, f"{SMALL}{lock}scenes:\n  out: {{name: Go, steps: {{door: {{state: locked}}}}}}\n")
    assert home.entities[-1].risk == {}


@pytest.mark.parametrize(
    ("section", "wanted"),
    [
        ("", ModelSettings()),
        ("model: {use: false, name: decoder}\n", None),
        ("model: {limit: 3}\n", ModelSettings(limit_s=3.0)),
        ("model: {use: true}\n", ModelSettings()),
        ("model: {use: true, name: a-large-one, limit: 5}\n", ModelSettings("a-large-one", 5.0)),
    ],
)
def test_the_small_model_is_on_unless_the_file_says_so(
    section: str, wanted: ModelSettings | None, tmp_path: Path
) -> None:
    assert load(tmp_path, f"{SMALL}{section}").model == wanted


@pytest.mark.parametrize(
    ("section", "wanted"), [("", None), ("meaning: {encoder: multilingual-e5-small}\n", "multilingual-e5-small")]
)
def test_our_own_encoder_is_taken_unless_the_file_names_another(
    section: str, wanted: str | None, tmp_path: Path
) -> None:
    assert load(tmp_path, f"{SMALL}{section}").encoder == wanted


MISTAKES = read_table(Path(__file__).parent / "tables" / "mistakes.yaml")


@pytest.mark.parametrize("case", MISTAKES, ids=[case["what"] for case in MISTAKES])
def test_a_mistake_is_told_where_it_stands(tmp_path: Path, case: dict[str, Any]) -> None:
    text = case["file"] if "file" in case else SMALL.replace(case["replace"], case["by"], 1)
    assert text != SMALL
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    error = caught.value
    assert (error.line, error.key) == (case["line"], case["key"])
    assert case["says"] in f"{error.problem}; {error.remedy}"
    assert "\n" not in str(error)


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_home(tmp_path / "nothing.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"areas:\n  a: \xff\xfe\n")
    with pytest.raises(ConfigError, match="UTF-8") as caught:
        load_home(tmp_path / "binary.yaml")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "bomb",
    [
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "devices: " + "[" * 5000,
        "a: &a {b: *a}",
        "x" * 2_000_000,
    ],
    ids=["aliases", "depth", "itself", "size"],
)
def test_a_bomb_is_refused(tmp_path: Path, bomb: str) -> None:
    with pytest.raises(ConfigError):
        load(tmp_path, bomb)


LINES = (ROOT / "devices.yaml").read_text(encoding="utf-8").splitlines()
ODD = st.sampled_from(
    ["", "- x", "  x: 1", "devices: {", "a: [1", "{}", "name: {en: A}", "&a", "*b", "\t", "? x", "!!x y", "0"]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_nothing_but_a_config_error_is_ever_raised(tmp_path: Path, data: st.DataObject) -> None:
    lines = list(LINES)
    for _ in range(data.draw(st.integers(1, 3))):
        if not lines:
            break
        at = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.sampled_from(["drop", "swap", "odd", "noise", "cut"])):
            case "drop":
                del lines[at]
            case "swap":
                lines[at - 1], lines[at] = lines[at], lines[at - 1]
            case "odd":
                lines.insert(at, data.draw(ODD))
            case "noise":
                lines[at] = data.draw(st.text(max_size=30)).replace("\ud800", "")
            case _:
                lines = lines[: at + 1]
    file = tmp_path / "mutated.yaml"
    file.write_text("\n".join(lines), encoding="utf-8", errors="replace")
    with contextlib.suppress(ConfigError):
        load_home(file)


def test_several_mistakes_are_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(
            tmp_path,
            """\
            areas:
              kitchen: {name: Kitchen, flor: ground}
            devices:
              lamp: {name: Lamp, area: kitchn, capabilities: [on_off]}
              fan: {name: Fan, area: kitchen, capabilities: [on_off]}
              plug: {area: kitchen, capabilities: [on_of]}
            groups:
              both: {name: Both, members: [lamp, fan]}
            mqtt: {port: 1883}
            location: {latitude: 200, longitude: 0}
            """,
        )
    told = [(mistake.line, mistake.key) for mistake in caught.value.every]
    # Not the group: that there is no lamp is only because the lamp itself could not be read.
    assert told == [
        (2, "areas.kitchen.flor"),
        (4, "devices.lamp.area"),
        (6, "devices.plug"),
        (9, "mqtt"),
        (10, "location.latitude"),
    ]
    assert "\n" not in str(caught.value)


def test_no_more_than_ten_mistakes_are_told(tmp_path: Path) -> None:
    devices = "".join(f"  lamp{number}: {{name: Lamp {number}, colour: red}}\n" for number in range(30))
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, f"devices:\n{devices}")
    assert [mistake.line for mistake in caught.value.every] == list(range(2, 12))


@pytest.mark.parametrize(
    ("given", "line", "complaint"),
    [
        ("reading: 0.5", 2, "asked (0.55) and reading (0.5) contradict each other"),
        ("sure: 0.9\n  reading: 0.25\n  asked: 0.2", 3, "noise (0.3) and asked (0.2) contradict each other"),
        ("reading: 0.7", 2, "reading (0.7) and acted (0.61) contradict each other"),
        ("sure: 0.7", 2, "at_hand_alike (0.8) and sure (0.7) contradict each other"),
        ("sure: 1.7", 2, "thresholds.sure"),
    ],
)
def test_thresholds_that_contradict_each_other_are_told(tmp_path: Path, given: str, line: int, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, f"thresholds:\n  {given}\n" + SMALL)
    assert complaint in str(caught.value)
    assert f"devices.yaml:{caught.value.line}:" in str(caught.value)
    assert caught.value.line in (line, line + 1)


def test_thresholds_are_set_together(tmp_path: Path) -> None:
    home = load(tmp_path, "thresholds: {reading: 0.5, asked: 0.45}\n" + SMALL)
    assert (home.thresholds.asked, home.thresholds.reading, home.thresholds.noise) == (0.45, 0.5, 0.3)
