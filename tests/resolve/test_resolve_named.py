"""The names that the grammar is told of a home: what a source is called in short."""

import pytest

from daemon.core.entities import Capability, Entity
from daemon.home.registry import Registry
from daemon.resolve.named import named_things


def inputs(*sources: str, called: str = "Television") -> set[str]:
    able = Capability("media_select", "source", options=tuple(source.casefold() for source in sources))
    registry = Registry([Entity("tv", "device", (called,), type="tv", capabilities=(able,))])
    return {item.text for item in named_things(registry) if item.role == "input"}


@pytest.mark.parametrize(
    ("sources", "short"),
    [
        (("BBC iPlayer", "Netflix"), {"iplayer"}),
        (("Radio 6 Music", "Radio 4"), {"radio 6", "6 music", "music"}),
        (("Radio Nova", "Radio Uno"), set[str]()),
        (("Nova Radio", "Radio Nova"), set[str]()),
        (("HDMI 1", "HDMI 2"), set[str]()),
    ],
)
def test_a_source_is_also_called_by_the_words_that_no_other_has(sources: tuple[str, ...], short: set[str]) -> None:
    assert inputs(*sources) - {source.casefold() for source in sources} >= short
    for common in ("radio", "hdmi", "nova"):
        assert common not in inputs(*sources)


def test_the_name_of_a_thing_stays_its_own() -> None:
    assert "attic" not in inputs("Attic Radio", called="Attic")
