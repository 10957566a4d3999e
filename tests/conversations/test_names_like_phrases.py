"""A device that is called like a set, or like what points back, takes no command over: the language's meaning wins."""

import pytest

from daemon.commands.devices import answer
from daemon.core.entities import Address, Entity
from daemon.core.turn import Utterance
from daemon.core.values import replace
from daemon.home.capabilities import STANDARD
from daemon.home.config import HomeConfig, Simulation
from tests.conversations.house import Time, open_house
from tests.rules import GRAMMAR

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


NTH = ("the second one", "the first one", "second one", "the last one", "第二个", "第一个", "最后一个", "第三个")
HOMES = ("the whole house", "the house", "全屋", "家里", "整个屋子")


@pytest.mark.parametrize("phrase", NTH)
async def test_which_of_several_is_no_name(phrase: str) -> None:
    sentence = f"turn on {phrase}" if phrase.isascii() else f"打开{phrase}"
    assert await meant(phrase, sentence) == set()


@pytest.mark.parametrize("phrase", NTH)
async def test_which_of_several_is_an_answer_whatever_is_called_so(phrase: str) -> None:
    sentence = f"turn on {phrase}" if phrase.isascii() else f"打开{phrase}"
    devices = [device(f"lamp{at}", name, "light") for at, name in enumerate(("Oak lamp", "Elm lamp", "Ash lamp"))]
    asked = "turn on a lamp or the bookcase" if phrase.isascii() else "打开Oak lamp还是Elm lamp"
    async with open_house(
        HomeConfig((*devices, device("odd", phrase, "kettle")), simulation=Simulation()), Time()
    ) as house:
        await house.opened.pipeline.handle(Utterance(asked))
        result = await house.opened.pipeline.handle(Utterance(sentence))
        assert "odd" not in {target for item in result.commands for target in item.targets}


@pytest.mark.parametrize("phrase", HOMES)
async def test_the_home_is_all_of_it(phrase: str) -> None:
    lights = f"turn on the lights in {phrase}" if phrase.isascii() else f"打开{phrase}的灯"
    assert await meant(phrase, lights) == {"one", "two"}
    whole = f"turn on everything in {phrase}" if phrase.isascii() else f"打开{phrase}所有东西"
    assert await meant(phrase, whole) != {"odd"}


@pytest.mark.parametrize(
    ("name", "sentence", "lights"),
    [
        ("Light", "turn on the light", {"one"}),
        ("the lamp", "turn the lamp on", {"one"}),
        ("灯", "打开灯", {"one"}),
        ("Fan", "turn on the light", {"one"}),
    ],
)
async def test_a_kind_is_said_of_its_own_kind_alone(name: str, sentence: str, lights: set[str]) -> None:
    devices = (device("one", "Bookcase", "light"), device("odd", name, "kettle"))
    async with open_house(HomeConfig(devices, simulation=Simulation()), Time()) as house:
        result = await house.opened.pipeline.handle(Utterance(sentence))
        assert {target for item in result.commands for target in item.targets} == lights


@pytest.mark.parametrize(
    ("name", "kind", "sentence"),
    [
        ("Fan", "kettle", "turn on the fan"),  # there is no other
        ("Lamp", "plug", "turn on the lamp"),
        ("Heater", "thermostat", "turn on the heater"),
        ("Second lamp", "light", "turn on the second lamp"),
        ("Number two", "kettle", "turn on number two"),
        ("二号", "kettle", "打开二号"),
        ("热水壶", "kettle", "打开热水壶"),
    ],
)
async def test_what_may_be_meant_keeps_its_name(name: str, kind: str, sentence: str) -> None:
    devices = (device("one", "Reading lamp", "light"), device("odd", name, kind))
    async with open_house(HomeConfig(devices, simulation=Simulation()), Time()) as house:
        result = await house.opened.pipeline.handle(Utterance(sentence))
        assert {target for item in result.commands for target in item.targets} == {"odd"}


@pytest.mark.parametrize(
    ("name", "sentence", "said"),
    [
        ("40", "dim the reading lamp to 40 percent", "set"),
        ("Forty", "dim the reading lamp to forty percent", "set"),
        ("一半", "把Reading lamp调到一半", "set"),
        ("五十", "把Reading lamp调到五十", "set"),
        ("Six minutes", "in six minutes turn on the reading lamp", "schedule"),
        ("Half past nine", "turn on the reading lamp at half past nine in the evening", "schedule"),
        ("九点半", "晚上九点半打开Reading lamp", "schedule"),
        ("六分钟", "六分钟后打开Reading lamp", "schedule"),
    ],
)
async def test_a_number_or_a_time_is_a_name_where_nothing_is_counted_with_it(
    name: str, sentence: str, said: str
) -> None:
    lamp = replace(device("one", "Reading lamp", "light"), capabilities=(STANDARD["on_off"], STANDARD["brightness"]))
    odd = device("odd", name, "kettle")
    async with open_house(HomeConfig((lamp, odd), simulation=Simulation()), Time()) as house:
        result = await house.opened.pipeline.handle(Utterance(sentence))
        commands = [item for item in result.commands if said == "set"]
        commands += [item for kept in result.scheduled for item in kept.commands if said == result.outcome]
        assert [item.targets for item in commands] == [("one",)]
        named = await house.opened.pipeline.handle(Utterance(f"turn on {name}" if name.isascii() else f"打开{name}"))
        assert [item.targets for item in named.commands] == [("odd",)]


async def test_such_names_are_told_of() -> None:
    names = ("light", "第二个", "all the lamps", "全屋", "it", "Kettle", "Number two")
    devices = [device(f"odd{at}", name, "kettle") for at, name in enumerate(names)]
    reading = device("one", "Reading lamp", "light")
    meter = Entity("meter", "device", ("The whole house",), type="sensor")
    async with open_house(HomeConfig((*devices, reading, meter), simulation=Simulation()), Time()) as house:
        told = await answer(house.opened.inventory, {"what": "diff"})
    assert told["unsayable"] == {name: [f"odd{at}"] for at, name in enumerate(names[:5])}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("Kitchen kettle", "turn on the kitchen kettle"), ("All stars", "turn on all stars"), ("水壶", "打开水壶")],
)
async def test_other_names_stay_names(name: str, sentence: str) -> None:
    assert await meant(name, sentence) == {"odd"}
