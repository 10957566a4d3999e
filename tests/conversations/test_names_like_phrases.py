"""A device that is called like a set, or like what points back, takes no command over: the language's meaning wins."""

import pytest

from daemon.core.entities import Address, Entity
from daemon.core.turn import Utterance
from daemon.home.capabilities import STANDARD
from daemon.home.config import HomeConfig, Simulation
from tests.conversations.house import GRAMMAR, Time, open_house

LIGHTS = sorted(
    word for name in ("KIND", "KINDS") for word, kind in GRAMMAR.lexicon.words(name).items() if kind == "light"
)
FRAMES = {
    True: ("all {}", "all the {}", "every {}", "each {}", "both {}", "all of the {}", "any {}", "all my {}"),
    False: ("所有{}", "所有的{}", "全部{}", "全部的{}", "每个{}", "任意一个{}", "两个{}"),
}
PHRASES = [frame.replace("{}", word) for word in LIGHTS for frame in FRAMES[word.isascii()]]
OTHERS = (
    *("每盏灯", "每一盏灯", "家里的灯", "家里所有的灯", "全屋灯", "灯"),
    *("lights", "the lights", "all of the lights please"),
)
WHOLES = (
    "everything",
    "all the others",
    "the other one",
    "the rest",
    "all of them",
    "全部",
    "所有",
    "另一个",
    "其他的",
    "它们",
)


def device(id_: str, name: str, kind: str) -> Entity:
    address = Address("plain", f"home/{id_}")
    return Entity(id_, "device", (name,), type=kind, capabilities=(STANDARD["on_off"],), address=address)


def home(name: str) -> HomeConfig:
    devices = (
        device("one", "Reading lamp", "light"),
        device("two", "Bookcase", "light"),
        device("odd", name, "kettle"),
    )
    return HomeConfig(devices, simulation=Simulation())


async def meant(name: str, sentence: str) -> set[str]:
    async with open_house(home(name), Time()) as house:
        result = await house.opened.pipeline.handle(Utterance(sentence))
        return {target for item in result.commands for target in item.targets}


@pytest.mark.parametrize("phrase", sorted({*PHRASES[::3], "all the lights", "所有灯"}))
async def test_a_quantifier_and_a_kind_are_no_name(phrase: str) -> None:
    sentence = f"turn on {phrase}" if phrase.isascii() else f"打开{phrase}"
    assert await meant(phrase, sentence) != {"odd"}


@pytest.mark.parametrize("phrase", WHOLES)
async def test_the_whole_and_what_points_back_are_no_name(phrase: str) -> None:
    sentence = f"turn on {phrase}" if phrase.isascii() else f"打开{phrase}"
    assert await meant(phrase, sentence) != {"odd"}


@pytest.mark.parametrize("phrase", OTHERS)
async def test_however_all_of_a_kind_is_said_it_is_no_name(phrase: str) -> None:
    sentence = f"turn on {phrase}" if phrase.isascii() else f"打开{phrase}"
    assert await meant(phrase, sentence) != {"odd"}


@pytest.mark.parametrize(
    ("name", "sentence", "lights"),
    [
        ("lights", "turn on all the lights", {"one", "two"}),
        ("the lights", "turn on the lights", {"one", "two"}),
        ("lights", "turn on both lights", {"one", "two"}),
        ("灯", "把所有的灯打开", {"one", "two"}),
    ],
)
async def test_a_kind_is_of_its_own_kind(name: str, sentence: str, lights: set[str]) -> None:
    assert await meant(name, sentence) == lights


@pytest.mark.parametrize("kind", ["light", "plug"])
@pytest.mark.parametrize("name", ["Lights", "House lights"])
async def test_what_is_called_like_its_kind_keeps_its_name(name: str, kind: str) -> None:
    """A lamp called "Lights", and a plug with the lights on it."""
    devices = (device("one", "Reading lamp", "light"), device("odd", name, kind))
    async with open_house(HomeConfig(devices, simulation=Simulation()), Time()) as house:
        result = await house.opened.pipeline.handle(Utterance(f"turn on the {name.casefold()}"))
        assert "odd" in {target for item in result.commands for target in item.targets}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("Kitchen kettle", "turn on the kitchen kettle"), ("All stars", "turn on all stars"), ("水壶", "打开水壶")],
)
async def test_other_names_stay_names(name: str, sentence: str) -> None:
    assert await meant(name, sentence) == {"odd"}
