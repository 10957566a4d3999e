"""How names are compared: spelling, and sound."""

import re
from weakref import ref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.home.names import contains, fold, key, possessed, tokens
from daemon.resolve.scoring import SIGNALS, WEIGHTS, name_signals, name_value, score
from daemon.resolve.sounds import confusable, readings


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bed Lamps", "bedlamp"),
        ("Children's room", "childrens room"),
        ("ＴＶ 灯", "tv灯"),
        ("電視", "电视"),
        ("switches", "Switch"),
        ("hall-light", "Hall light"),
    ],
)
def test_one_name_in_two_spellings(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("gas", "ga"), ("glass", "glas"), ("Light 1", "Light 2"), ("灯", "等")])
def test_two_names(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_a_number_is_a_word_of_its_own() -> None:
    assert tokens("Spot 12") == ("spot", "12")
    assert tokens("射灯12") == ("射", "灯", "12")


def test_whose_it_is() -> None:
    assert possessed("my lamp") == "lamp"
    assert possessed("我的台灯") == "台灯"
    assert possessed("lamp") is None


@pytest.mark.parametrize(
    ("heard", "name"),
    [
        ("wreck room", "rec room"),
        ("pull table light", "pool table light"),
        ("fire light", "foyer light"),
        ("老货机", "老伙计"),
        ("加丝器", "加湿器"),
        ("兰色灯", "蓝色灯"),
        ("牛奶灯", "流来灯"),
        ("星星灯", "心心灯"),
        ("发灯", "花灯"),
    ],
)
def test_what_sounds_alike(heard: str, name: str) -> None:
    assert name_signals(heard, name)["sound"] >= 0.84


@pytest.mark.parametrize(
    ("heard", "name"), [("work", "York"), ("high", "Hugh"), ("chicken", "kitchen"), ("hall light", "wall light")]
)
def test_what_only_looks_alike_is_never_sure(heard: str, name: str) -> None:
    features = {"name": name_value(name_signals(heard, name)), "capability": 1.0, "kind": 1.0, "area": 1.0}
    assert score(features) < 0.85


def test_every_reading_of_a_polyphone_is_known() -> None:
    assert {"chong qing", "zhong qing"} <= set(readings("重庆"))


@pytest.mark.parametrize(
    ("one", "other"), [("ni", "li"), ("zhang", "zan"), ("shi", "si"), ("ching", "cin"), ("fu", "hu")]
)
def test_confusable_syllables(one: str, other: str) -> None:
    assert confusable(one) == confusable(other)


def test_english_sounds_are_no_pinyin() -> None:
    assert confusable(readings("night")[0]) != confusable(readings("light")[0])


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    signals = name_signals(one, other)
    assert set(signals) <= set(SIGNALS)
    assert all(0 <= value <= 1 for value in signals.values())
    assert key(key(one)) == key(one)


@given(st.text("ab灯 _1'", max_size=8), st.text("ab灯 _1'", min_size=1, max_size=3))
def test_words_stand_in_a_text_where_no_letter_is_beside_them(text: str, words: str) -> None:
    found = words in text if "灯" in words else re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None
    assert contains(text, words) == found


def test_no_home_is_kept_with_what_was_compared_in_it() -> None:
    """A thousand homes were: each device that comes makes another, with all its words."""
    words = frozenset({"hall", "wall", "light"})
    kept = ref(words)
    assert name_signals("hall light", "wall light", words) != name_signals("hall light", "wall light")
    del words
    assert kept() is None


def test_the_score_is_a_share_of_one() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    assert score(dict.fromkeys(WEIGHTS, 1.0)) == 1
