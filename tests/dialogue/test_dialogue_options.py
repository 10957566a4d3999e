"""What tells the options of a question apart, and how they are recognised again in an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.values import replace
from daemon.dialogue.options import besides, dimension, partly, recognise
from daemon.home.registry import Registry
from tests.home.houses import default_home

REGISTRY = Registry(default_home().entities, default_home().people)
THINGS = tuple(item.id for item in REGISTRY.devices)
DESKS = ("bedroom_desk_lamp", "study_desk_lamp")


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("the bedroom", "bedroom_desk_lamp"),
        ("in the study please", "study_desk_lamp"),
        ("the office one", "study_desk_lamp"),
        ("卧室的", "bedroom_desk_lamp"),
        ("书房", "study_desk_lamp"),
        ("办公室那个", "study_desk_lamp"),
        ("the bed room", "bedroom_desk_lamp"),
        ("我说书芳的", "study_desk_lamp"),
    ],
)
def test_an_option_is_recognised_by_its_room(text: str, chosen: str) -> None:
    assert recognise(text, DESKS, REGISTRY) == (chosen,)


@pytest.mark.parametrize(
    "text",
    [
        *("the lamp", "desk lamp", "yes", "", "我不知道", "purple monkey"),
        # Pieces of a name, of any length, are no name: a breath must not switch the lamp of the bedroom.
        *("o", "en", "be", "he", "是", "我", "书", "室"),
        # What is not meant.
        *("not the bedroom one", "anything but the study", "不是卧室的", "除了书房", "it isn't the study"),
    ],
)
def test_what_tells_nothing_apart_chooses_nothing(text: str) -> None:
    assert recognise(text, DESKS, REGISTRY) == ()


@given(st.text(max_size=80))
def test_no_text_breaks_the_recognition(text: str) -> None:
    assert set(recognise(text, DESKS, REGISTRY)) <= set(DESKS)


@pytest.mark.parametrize("text", ["the study, no the bedroom", "卧室还是书房呢", "the bedroom the study"])
def test_both_may_be_named(text: str) -> None:
    assert recognise(text, DESKS, REGISTRY) == DESKS


def test_a_name_may_have_a_word_in_it_that_spares_elsewhere() -> None:
    drier = replace(REGISTRY["humidifier"], id="drier", names=("除湿机",))
    registry = Registry([REGISTRY["humidifier"], drier], ())
    assert recognise("除湿机", ("humidifier", "drier"), registry) == ("drier",)


@pytest.mark.parametrize("text", ["turn on the light", "the light", "light", "lights on please"])
def test_the_end_of_a_word_is_no_name(text: str) -> None:
    pair = [replace(REGISTRY["bedroom_blinds"], id=side, names=(f"{side} blind",)) for side in ("left", "right")]
    assert recognise(text, ("left", "right"), Registry(pair, ())) == ()


def test_the_longer_name_wins() -> None:
    options = ("bedroom_lamp", "bedroom_desk_lamp")
    names = {item: REGISTRY[item].name("en").casefold() for item in options}
    assert recognise(names["bedroom_desk_lamp"], options, REGISTRY) == ("bedroom_desk_lamp",)


@pytest.mark.parametrize(
    ("options", "apart"),
    [
        (DESKS, "area"),
        (("hall_light", "stairs_light"), "area"),
        (("living_tv", "living_speaker"), "kind"),
        (("living_ceiling", "living_strip"), "name"),
        (("bedroom", "study"), "area"),
    ],
)
def test_what_tells_options_apart(options: tuple[str, ...], apart: str) -> None:
    assert dimension(options, REGISTRY) == apart


@pytest.mark.parametrize(
    ("text", "options", "kinds", "chosen"),
    [
        ("the box", ("living_tv", "living_speaker"), ("the box", "the speaker"), ("living_tv",)),
        ("the box", ("living_tv", "living_speaker"), (), ()),
    ],
)
def test_what_was_offered_by_its_kind_is_recognised_by_it(
    text: str, options: tuple[str, ...], kinds: tuple[str, ...], chosen: tuple[str, ...]
) -> None:
    assert recognise(text, options, REGISTRY, kinds) == chosen


@pytest.mark.parametrize(
    ("core", "chosen"), [("床头", ("bedroom_lamp",)), ("灯", ()), ("bed", ()), ("绿", ()), ("床 头", ())]
)
def test_part_of_a_name_without_spaces(core: str, chosen: tuple[str, ...]) -> None:
    assert partly(core, ("bedroom_lamp", "hall_light"), REGISTRY) == chosen


def test_what_is_said_besides() -> None:
    assert besides("study", DESKS[1:], REGISTRY).strip() == ""
    assert "homework" in besides("the homework in the study is hard", DESKS[1:], REGISTRY)


@given(st.lists(st.sampled_from(THINGS), min_size=2, max_size=5, unique=True), st.data())
def test_a_name_never_chooses_what_is_called_otherwise(options: list[str], data: st.DataObject) -> None:
    meant = data.draw(st.sampled_from(options))
    name = REGISTRY[meant].name("en").casefold()
    found = recognise(name, options, REGISTRY)
    assert set(found) <= set(options)
    alike = {item for item in options if name in (word.casefold() for word in REGISTRY[item].names)}
    if len(alike) == 1:
        assert meant in found
