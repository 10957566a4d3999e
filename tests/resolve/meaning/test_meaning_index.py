"""What a mention means: proposals from vectors, what is kept of them, and that nothing of it acts or fails."""

import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from numpy.typing import NDArray

from daemon.core.entities import Entity
from daemon.core.ir import Order, Target
from daemon.core.resolution import ClauseResolution, Context, Resolution, Spoken
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.decide.gate import Gate
from daemon.home.capabilities import STANDARD
from daemon.home.registry import Registry
from daemon.resolve.meaning.index import AS_OFTEN, MeaningIndex, Meanings
from daemon.resolve.request import Need
from daemon.resolve.resolver import Resolver
from tests.home.houses import KIND_WORDS
from tests.resolve.meaning.readers import Words, vectors_of


def device(id_: str, name: str, type_: str | None = None, *, exposed: bool = True) -> Entity:
    return Entity(id_, "device", (name,), type=type_, capabilities=(STANDARD["on_off"],), exposed=exposed)


ITEMS = (
    device("screen", "Samsung", "tv"),
    device("warm", "取暖器"),
    device("lamp", "lamp"),
    device("secret", "radiator", exposed=False),
    Entity("hall", "area", ("heater",)),
)


def home(items: Sequence[Entity] = ITEMS) -> Registry:
    registry = Registry(items)
    Resolver(registry, KIND_WORDS)  # tells the registry what words say a kind
    return registry


def index_of(words: Words | None, folder: Path | None = None, items: Sequence[Entity] = ITEMS) -> MeaningIndex:
    return Meanings(vectors_of(words, folder), patience_s=30).of(home(items))


@pytest.mark.parametrize(
    ("mention", "meant"),
    [("radiator", "warm"), ("小太阳", "warm"), ("goggle box", "screen"), ("telly", "screen")],
)
def test_a_name_or_the_word_for_a_kind_may_be_meant_in_any_language(mention: str, meant: str) -> None:
    ((best, fit),) = index_of(Words()).propose(mention)
    assert best == meant
    assert fit > AS_OFTEN


def test_what_means_nothing_of_this_home_proposes_nothing() -> None:
    index = index_of(Words())
    assert list(index.propose("zebra")) == []
    assert list(index.propose("  ")) == []


def test_what_another_home_has_is_not_taken_for_what_this_one_has() -> None:
    assert list(index_of(Words()).propose("hot hut")) == []
    with_one = (*ITEMS, device("hut", "sweat box"))
    assert [entity for entity, _ in index_of(Words(), items=with_one).propose("hot hut")] == ["hut"]


def test_what_a_thing_is_told_of_proposes_it_and_takes_nothing_from_its_names() -> None:
    told = replace(device("screen", "Samsung"), description="goggle box")
    several = replace(device("warm", "Corner"), names=("Corner", "取暖器", "小太阳"), description="heater")
    index = index_of(Words(), items=(told, several))
    assert [entity for entity, _ in index.propose("telly")] == ["screen"]
    assert list(index.propose("radiator")) == [("warm", 1.0)]


def test_areas_and_hidden_things_are_never_proposed() -> None:
    proposed = [entity for word in ("radiator", "heater") for entity, _ in index_of(Words()).propose(word)]
    assert set(proposed) == {"warm"}


def test_without_a_model_or_with_a_broken_one_there_are_no_proposals() -> None:
    assert list(index_of(None).propose("telly")) == []
    words = Words()
    words.broken = True
    assert list(index_of(words).propose("telly")) == []
    words.broken = False
    index = index_of(words)
    assert [entity for entity, _ in index.propose("telly")] == ["screen"]
    words.broken = True
    assert list(index.propose("goggle box")) == []


def test_only_new_names_are_read_when_the_home_changes() -> None:
    words = Words()
    meanings = Meanings(vectors_of(words), patience_s=30)
    list(meanings.of(home()).propose("telly"))
    words.asked.clear()
    more = home((*ITEMS, device("new", "flat screen")))
    found = dict(meanings.of(more).propose("telly"))
    assert words.asked == ["flat screen", "telly"]
    assert set(found) == {"screen", "new"}


def test_names_are_read_once_for_all_starts_and_what_was_said_is_not_kept(tmp_path: Path) -> None:
    list(index_of(Words(), tmp_path).propose("goggle box"))
    words = Words()
    found = list(index_of(words, tmp_path).propose("goggle box"))
    assert [entity for entity, _ in found] == ["screen"]
    assert words.asked == ["goggle box"]


def test_another_model_reads_anew_and_leaves_no_file_of_the_old(tmp_path: Path) -> None:
    list(index_of(Words("one"), tmp_path).propose("telly"))
    other = Words("two")
    list(index_of(other, tmp_path).propose("telly"))
    assert "Samsung" in other.asked
    assert [file.name for file in tmp_path.iterdir()] == ["meaning-two.npz"]


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 nothing", b"\x93NUMPY"])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    list(index_of(Words(), tmp_path).propose("telly"))
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage)
    assert [entity for entity, _ in index_of(Words(), tmp_path).propose("telly")] == ["screen"]
    with np.load(file) as data:
        assert "Samsung" in data["texts"]


def test_a_folder_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("here")
    assert [entity for entity, _ in index_of(Words(), blocked / "below").propose("telly")] == ["screen"]


class Slow(Words):
    """Reads names when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.let_go = Event(), Event()

    def read(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.begun.set()
        assert self.let_go.wait(30)
        return super().read(texts)


def ready(index: MeaningIndex) -> MeaningIndex:
    """Once it is made."""
    index._begun().exception(30)
    return index


def test_nobody_waits_for_a_large_home() -> None:
    words = Slow()
    index = Meanings(vectors_of(words)).of(home())
    assert list(index.propose("telly")) == []
    words.let_go.set()
    assert [entity for entity, _ in ready(index).propose("telly")] == ["screen"]


def test_what_is_prepared_is_begun_before_anybody_asks() -> None:
    words = Slow()
    resolver = Resolver(home(), KIND_WORDS, meanings=[Meanings(vectors_of(words)).of])
    resolver.warm()
    assert words.begun.wait(30)
    words.let_go.set()


def test_until_a_changed_home_is_read_what_was_known_of_it_proposes_what_is_still_there() -> None:
    words = Slow()
    words.let_go.set()
    meanings = Meanings(vectors_of(words))
    ready(meanings.of(home()))
    assert meanings.last is not None
    words.let_go.clear()
    words.begun.clear()
    changed = meanings.of(home((device("lamp", "lamp"), device("warm", "取暖器"), device("new", "flat screen"))))
    changed.prepare()
    assert words.begun.wait(30)
    # While somebody reads names, what is said can be read beside it.
    words.let_go.set()
    words.read = partial(Words.read, words)  # type: ignore[method-assign]
    assert [entity for entity, _ in changed.propose("小太阳")] == ["warm"]
    assert [entity for entity, _ in ready(changed).propose("telly")] == ["new"]


def test_a_name_that_was_forgotten_or_given_away_means_nobody_any_more_before_the_home_is_read_anew() -> None:
    words = Slow()
    words.let_go.set()
    meanings = Meanings(vectors_of(words))
    named = replace(device("box", "Box"), names=("Box", "telly"))
    ready(meanings.of(home((named, replace(device("warm", "Stove"), names=("Stove", "radiator"))))))
    words.let_go.clear()
    words.begun.clear()
    given = replace(device("other", "Other"), names=("Other", "radiator"))
    changed = meanings.of(home((device("box", "Box"), device("warm", "Stove"), given)))
    changed.prepare()
    assert words.begun.wait(30)
    words.read = partial(Words.read, words)  # type: ignore[method-assign]  # what is said is read while names are
    assert list(changed.propose("goggle box")) == []
    assert [entity for entity, _ in changed.propose("小太阳")] == ["other"]
    words.let_go.set()


def test_of_several_changes_only_the_newest_is_read() -> None:
    words = Slow()
    meanings = Meanings(vectors_of(words))
    first, second, third = (meanings.of(home((device("a", name),))) for name in ("one", "two", "three"))
    for index in (first, second, third):
        index.prepare()
        assert words.begun.wait(30)
    words.let_go.set()
    assert [entity for entity, _ in ready(third).propose("three")] == []
    assert "one" in words.asked
    assert "two" not in words.asked
    assert "three" in words.asked
    assert list(second.propose("lamp")) == []


def test_at_the_end_what_was_read_is_kept_and_the_rest_is_read_the_next_time(tmp_path: Path) -> None:
    words = Slow()
    many = (*ITEMS, *(device(f"d{at}", f"thing {at}") for at in range(500)))
    meanings = Meanings(vectors_of(words, tmp_path))
    index = meanings.of(home(many))
    index.prepare()
    assert words.begun.wait(30)
    meanings.vectors.close()
    words.let_go.set()
    meanings.close()
    assert list(ready(index).propose("lamp")) == []
    asked, again = set(words.asked), Words()
    assert 0 < len(asked) < 500
    assert [entity for entity, _ in index_of(again, tmp_path, many).propose("lamp")][:1] == ["lamp"]
    assert asked.isdisjoint(set(again.asked) - {"lamp"})


class Odd(Words):
    """Fails in a way that no model should."""

    def read(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise ZeroDivisionError("deep inside")


class Narrow(Words):
    """Reads vectors that fit no others, once it is broken."""

    def read(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not self.broken:
            return super().read(texts)
        return np.ones((len(texts), 2), np.float32)


def test_whatever_fails_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    meanings = Meanings(vectors_of(Odd()), patience_s=30)
    for _ in range(3):
        assert list(meanings.of(home()).propose("telly")) == []
    for late in (Words(), Narrow()):
        index = ready(Meanings(vectors_of(late)).of(home()))
        late.broken = True
        assert [list(index.propose(mention)) for mention in ("goggle box", "小太阳")] == [[], []]
    told = [item.getMessage() for item in caplog.records if item.levelno >= logging.WARNING]
    assert len(told) == 3
    assert "deep inside" in told[0]
    assert "no more" in told[1]
    assert "ValueError" in told[2]


def resolved(mention: str, context: Context | None = None, limits: Thresholds | None = None) -> Resolution:
    meanings = Meanings(vectors_of(Words()), patience_s=30)
    resolver = Resolver(home(), KIND_WORDS, limits, meanings=[meanings.of])
    return resolver.resolve(Target(mention=mention), Need(action="turn_on"), context or Context(lang="en"))


@pytest.mark.parametrize("context", [Context(lang="en"), Context(lang="en", spoken=Spoken(("screen",)))])
@pytest.mark.parametrize("sure", [0.84, 0.5])
def test_what_only_means_the_same_is_asked_about_whatever_else_speaks_for_it(context: Context, sure: float) -> None:
    limits = Thresholds(sure=sure, plausible=0.4)
    found = resolved("goggle box", context, limits)
    assert (found.status, found.entities) == ("resolved", ("screen",))
    assert found.confidence < sure
    clause = Order("turn_on", targets=(Target(mention="goggle box"),))
    verdict = Gate(home(), limits).decide(
        clause, ClauseResolution(targets=(found,), entities=found.entities), 1.0, 1.0, context
    )
    assert (verdict.verdict, verdict.reason) == ("ask", "confirm_name")


def test_a_name_that_is_known_is_not_looked_for_by_its_meaning() -> None:
    found = resolved("samsung")
    assert found.confidence > Thresholds().sure
    assert "meaning" not in [item.name for item in found.rounds]
