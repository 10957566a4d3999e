"""What is never near, however alike it is written."""

from pathlib import Path

import pytest

from daemon.core.entities import Entity
from daemon.resolve.alike import Contrasts
from daemon.understand.lexicon import Lexicon

RULES = Path(__file__).resolve().parents[2] / "rules"
CONTRASTS = Contrasts(Lexicon.load(RULES).contrasts)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("downstairs", "Upstairs"),
        ("rear gate", "Front gate"),
        ("left blind", "Right blind"),
        ("outdoor plug", "Indoor plug"),
        ("big lamp", "Small lamp"),
        ("his reading lamp", "Her reading lamp"),
        ("bathroom fan", "Bedroom fan"),
        ("spot 13", "Spot 30"),
        ("room a light", "Room B light"),
        ("gas valve", "Water valve"),
        ("second window", "First window"),
        ("楼下的灯", "楼上的灯"),
        ("后门", "前门"),
        ("左边窗帘", "右边窗帘"),
        ("大灯", "小灯"),
        ("次卧灯", "主卧灯"),
        ("东窗", "西窗"),
        ("外面的插座", "里面的插座"),
        ("浴室灯", "卧室灯"),
        ("燃气阀", "热水阀"),
    ],
)
def test_apart(said: str, name: str) -> None:
    assert CONTRASTS.apart(said, name)
    assert CONTRASTS.apart(name, said)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("rear door", "Back door"),
        ("lounge lamp", "Living room lamp"),
        ("master bedroom lamp", "Bedroom lamp"),
        ("front lamp", "Lamp"),
        ("spot 3", "Spot"),
        ("left lamp", "Left and right lamp"),
        ("kitchn light", "Kitchen light"),
        ("卧室主灯", "卧室灯"),
        ("厕所灯", "卫生间灯"),
        ("东西", "东窗"),
    ],
)
def test_not_apart(said: str, name: str) -> None:
    assert not CONTRASTS.apart(said, name)
    assert not CONTRASTS.apart(name, said)


def test_a_name_without_its_place_is_that_of_its_place() -> None:
    lamp = Entity(id="lamp", kind="device", names=("Corner lamp",))
    assert CONTRASTS.another("kitchen corner lamp", lamp, ["Study"])
    assert not CONTRASTS.another("office corner lamp", lamp, ["Study"])
    assert not CONTRASTS.another("kitchen corner lamp", lamp)
    named = Entity(id="lamp", kind="device", names=("Corner lamp", "Kitchen lamp"))
    assert not CONTRASTS.another("kitchen corner lamp", named, ["Study"])
