"""What of a home an utterance may be about: told to a model before anybody knows which words are names."""

from collections.abc import Iterable

import pytest

from daemon.core.entities import Entity
from daemon.home.capabilities import STANDARD
from daemon.home.registry import Registry
from daemon.resolve.resolver import Resolver
from tests.home.houses import KIND_WORDS


class Box:
    """A model of meaning that knows one thing."""

    def prepare(self) -> None:
        pass

    def propose(self, mention: str) -> Iterable[tuple[str, float]]:
        return [("tv", 0.95)] if mention == "goggle box" else []


def device(id_: str, *names: str) -> Entity:
    return Entity(id_, "device", names, capabilities=(STANDARD["on_off"],))


LAMPS = tuple(device(f"lamp{at}", f"lamp {at}", f"light number {at}") for at in range(30))
SHORT = tuple(
    device(f"s{at}", name) for at, name in enumerate(("on", "it", "e", "in", "th", "mak", "les", "s", "k", "l"))
)
OTHERS = (
    device("study", "Study lamp", "desk light", "writing lamp", "the study one"),
    device("tv", "Samsung"),
    device("floor", "落地灯"),
    device("fan", "卧室风扇"),
    Entity("attic", "area", ("Attic",)),
)


def found(text: str, *items: Entity) -> tuple[str, ...]:
    return Resolver(Registry(items), KIND_WORDS, meanings=[lambda _registry: Box()]).nearby(text, 10)


def test_what_was_said_in_whole_comes_first_and_no_more_than_ten_are_told() -> None:
    told = found("turn on lamp 17 please", *LAMPS)
    assert told[0] == "lamp 17"
    assert len(told) == 10


def test_short_names_that_any_text_has_in_it_do_not_push_out_what_was_meant() -> None:
    told = found("make it less bright in the study please", *SHORT, *OTHERS)
    assert told[0] in ("Study lamp", "the study one")
    assert not {"e", "th", "s", "k", "l"} & set(told)


def test_a_thing_of_many_names_is_told_once() -> None:
    told = found("the study lamp and the desk light", *OTHERS)
    assert len({"Study lamp", "desk light", "writing lamp", "the study one"} & set(told)) == 1


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("could you put the goggle box on", "Samsung"),
        ("把落地灯打开", "落地灯"),
        ("把骆地灯打开", "落地灯"),
        ("卧室封扇开一下", "卧室风扇"),
        ("swich the attik off", "Attic"),
    ],
)
def test_it_is_looked_up_by_letters_sound_and_meaning(text: str, wanted: str) -> None:
    assert wanted in found(text, *OTHERS)


@pytest.mark.parametrize("text", ["", "，", "!?"])
def test_where_nothing_was_said_nothing_is_told(text: str) -> None:
    assert found(text, *OTHERS) == ()
