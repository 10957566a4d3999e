"""Names that are only nearly said in an utterance: what is looked up fast misses none that counts."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.core.entities import Entity
from daemon.core.resolution import Context
from daemon.home.names import tokens
from daemon.home.registry import Registry
from daemon.resolve.index import Index
from daemon.resolve.passing import _NEARLY, _SPELT
from daemon.resolve.scoring import name_signals
from tests.dialogue.mind import mind
from tests.home.houses import KIND_WORDS

NAMES = (
    *("mirror light", "hall light", "bedroom fan", "reading lamp three", "towel heater", "dishwasher", "old friend"),
    *("镜前灯", "门厅灯", "卧室风扇", "电视背景灯", "老伙计", "毛巾架", "台灯二号"),
)
INDEX = Index(Registry(Entity(f"thing_{at}", "device", (name,)) for at, name in enumerate(NAMES)), KIND_WORDS, ())
SLIPS = st.sampled_from([*string.ascii_lowercase, " ", *"镜前等灯登门听厅老火伙计电视背景"])


@given(st.sampled_from(NAMES), st.lists(st.tuples(st.integers(0, 20), SLIPS), max_size=3))
@settings(deadline=None)
def test_whatever_is_nearly_a_name_is_among_what_is_compared(name: str, slips: list[tuple[int, str]]) -> None:
    said = list(name)
    for at, letter in slips:
        said[at % len(said)] = letter
    words = " ".join("".join(said).split())
    close = {hit.name for hits in INDEX.close(words, _SPELT, len(NAMES)) for hit in hits} if words else set()
    for other in NAMES:
        signals = name_signals(words, other, INDEX.words)
        if "exact" not in signals and len(tokens(words)) == len(tokens(other)):
            alike = (signals.get("fuzzy", 0.0) + signals.get("sound", 0.0)) / 2
            assert alike < _NEARLY or other in close, (words, other)


def test_only_names_of_as_many_words_are_compared_the_most_alike_first() -> None:
    def found(words: str) -> list[str]:
        return [hit.name for hits in INDEX.close(words, _SPELT, 3) for hit in hits]

    assert found("mirrer light")[0] == "mirror light"
    assert found("镜前等")[0] == "镜前灯"
    assert all(len(tokens(name)) == 1 for name in found("dishwashes"))
    assert found("mirror") == []
    assert found("light hall mirror bedroom") == []


@pytest.mark.parametrize(
    ("text", "words", "entity"),
    [
        ("the kettle is whistling", "kettle", "kettle"),
        ("that fridge hums all night", "fridge", "fridge_plug"),
        ("电视吵死了", "电视", "living_tv"),
        ("扫地机又卡住了", "扫地机", "vacuum"),
    ],
)
def test_a_word_for_a_kind_is_a_name_where_one_thing_is_called_so_and_that_is_wanted(
    text: str, words: str, entity: str
) -> None:
    found = mind().resolver.spoken_of(text, Context("en"), plain=True)
    assert found is not None
    assert (found.words, found.entities) == (words, (entity,))
    assert mind().resolver.spoken_of(text, Context("en")) is None


@pytest.mark.parametrize(
    "text",
    [
        "the desk lamp flickers",  # there are two
        "the window is rattling",  # nothing is called so
        "the kettle and the fridge hum",
        "台灯一闪一闪的",
    ],
)
def test_nothing_is_spoken_of_where_several_may_be(text: str) -> None:
    assert mind().resolver.spoken_of(text, Context("en"), plain=True) is None
