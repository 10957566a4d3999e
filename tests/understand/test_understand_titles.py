"""Titles as they were said."""

import pytest

from daemon.core.ir import Order, Parameter, Program
from daemon.understand import normalize
from daemon.understand.normalize import as_said, plain_text


def program(title: str) -> Program:
    return Program((Order("play", parameter=Parameter("media", value=title)),), "grammar", "en")


def title(plain: str, original: str) -> object:
    parameter = as_said(program(plain), original).clauses[0].parameter
    return parameter and parameter.value


@pytest.mark.parametrize(
    ("plain", "original", "said"),
    [
        ("river song", "play River Song", "River Song"),
        ("ac dc", "play AC/DC", "AC/DC"),
        ("爵士", "播放《爵士》", "爵士"),
        ("dont stop", "play Don't Stop!", "Don't Stop"),
        ("jazz", "JAZZ", "JAZZ"),
        ("1000 years", "play 1,000 Years", "1,000 Years"),
        ("elsewhere", "play something", "elsewhere"),
    ],
)
def test_a_title_is_told_as_it_was_said(plain: str, original: str, said: str) -> None:
    assert title(plain, original) == said


@pytest.mark.parametrize("around", ["!" * 5000, "a " * 5000, "《" * 5000])
def test_a_title_is_looked_for_only_where_it_may_begin(around: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def plain(text: str) -> str:
        looked_at.append(text)
        return plain_text(text)

    monkeypatch.setattr(normalize, "plain_text", plain)
    assert title("jazz", f"{around}Jazz") == "Jazz"
    assert len(looked_at) <= 5100
