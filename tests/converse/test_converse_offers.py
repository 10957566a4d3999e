"""How the options of a question are offered: by what tells them apart."""

import pytest

from daemon.converse.questions import offer
from daemon.home.registry import Registry
from tests.home.houses import default_home
from tests.rules import REPLIES

REGISTRY = Registry(default_home().entities, default_home().people)
DESKS = ("bedroom_desk_lamp", "study_desk_lamp")


@pytest.mark.parametrize(
    ("options", "dimension", "lang", "said"),
    [
        (DESKS, "area", "en", ["the one in Bedroom", "the one in Study"]),
        (DESKS, "area", "zh", ["卧室的", "书房的"]),
        (("hall_light", "stairs_light"), "floor", "zh", ["一楼的", "二楼的"]),
        (("living_tv", "living_speaker"), "kind", "en", ["the TV", "the speaker"]),
    ],
)
def test_options_are_offered_by_what_tells_them_apart(
    options: tuple[str, ...], dimension: str, lang: str, said: list[str]
) -> None:
    assert offer(options, dimension, REGISTRY, REPLIES, lang) == said


def test_options_that_share_the_room_are_offered_by_name() -> None:
    options = ("living_ceiling", "living_strip")
    assert offer(options, "area", REGISTRY, REPLIES, "en") == [REGISTRY[item].name("en") for item in options]
