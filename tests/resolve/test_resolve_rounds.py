"""How long a name is looked for: what a round is worth, and when it ends."""

from collections.abc import Iterable, Sequence

import pytest

from daemon.core.entities import Entity
from daemon.core.ir import Target
from daemon.core.resolution import Candidate, Context, Resolution, Round
from daemon.home.capabilities import STANDARD
from daemon.home.config import RoundSettings
from daemon.home.registry import Registry
from daemon.resolve.request import Need
from daemon.resolve.resolver import Resolver
from daemon.resolve.rounds import Rounds, worth
from tests.home.houses import KIND_WORDS

LOOK_UPS = ("exact", "alike", "described", "meaning")


def lamp(name: str, **more: str) -> Entity:
    device = name.lower().replace(" ", "_")
    return Entity(device, "device", (name,), type="lamp", capabilities=(STANDARD["on_off"],), **more)  # type: ignore[arg-type] # plain words


HOME = Registry(
    (
        lamp("Sputnik", description="stands beside the velvet sofa"),
        lamp("Reading lamp"),
        lamp("Ceiling lamp"),
        lamp("Grandfather"),
    )
)


def find(mention: str, settings: RoundSettings | None = None) -> Resolution:
    resolver = Resolver(HOME, KIND_WORDS, rounds=settings)
    return resolver.resolve(Target(mention=mention), Need(action="turn_on"), Context(lang="en"))


def looked_up(found: Resolution) -> list[str]:
    return [item.name for item in found.rounds if item.parts is not None]


def test_a_name_that_is_known_is_found_in_one_round() -> None:
    found = find("grandfather")
    (first, *_) = found.rounds
    assert looked_up(found) == ["exact"]
    assert (first.decision, first.reason) == ("stop", "enough")
    assert first.sufficiency >= 0.7


def test_a_name_that_is_alike_takes_two() -> None:
    found = find("grand farther")
    assert looked_up(found) == ["exact", "alike"]
    assert (found.status, found.entities) == ("resolved", ("grandfather",))
    assert [item.decision for item in found.rounds if item.parts is not None] == ["continue", "stop"]


def test_what_is_only_described_takes_three_and_is_never_sure() -> None:
    found = find("the one by the velvet sofa")
    assert looked_up(found) == ["exact", "alike", "described"]
    found = find("velvet sofa")
    assert found.entities == ("sputnik",)
    assert found.confidence < 0.85


@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_rounds_are_counted(most: int) -> None:
    assert looked_up(find("zyzzyva", RoundSettings(most=most))) == list(LOOK_UPS[:most])


@pytest.mark.parametrize("mention", ["grandfather", "reeding lam", "velvet sofa", "zyzzyva", "lamp", "sealing lamb"])
def test_no_look_up_is_made_twice(mention: str) -> None:
    made = looked_up(find(mention))
    assert len(made) == len(set(made)) <= 4


@pytest.mark.parametrize(
    ("sufficiency", "can_change", "go_on"),
    [
        (0.70, True, False),
        (0.69, True, True),
        (0.69, False, False),
        (0.50, False, False),
        (0.50, True, True),
        (0.49, False, True),
    ],
)
def test_the_rule(sufficiency: float, can_change: bool, go_on: bool) -> None:  # noqa: FBT001 - a table
    found, reason = worth(sufficiency, lambda: can_change, RoundSettings())
    assert found is go_on
    assert reason


def candidates(*scores: float) -> Sequence[Candidate]:
    features = {"kind": 1.0, "area": 1.0, "capability": 1.0}
    return [Candidate(f"d{at}", score, {"name": score, "fuzzy": score, **features}) for at, score in enumerate(scores)]


def made(*rounds: Iterable[Candidate], settings: RoundSettings | None = None) -> list[Round]:
    registry = Registry([lamp(f"D{at}") for at in range(5)])
    search = Rounds("d0", settings or RoundSettings(), registry)
    for name, found in zip(LOOK_UPS, rounds, strict=False):
        search.made(name, found, ["meaning"], lambda: True)
    return search.notes


def test_novelty_is_what_no_round_had_proposed() -> None:
    first, second, third = made(candidates(0.5), candidates(0.5, 0.4), candidates(0.5, 0.4))
    assert first.parts is not None
    assert second.parts is not None
    assert third.parts is not None
    assert [item.parts.novelty for item in (first, second, third) if item.parts] == [1.0, 0.5, 0.0]
    assert third.quality < second.quality < first.quality
    assert first.sufficiency == second.sufficiency == third.sufficiency == first.quality


def test_quality_is_the_sum_of_its_weighted_parts() -> None:
    (only,) = made(candidates(0.6))
    assert only.parts is not None
    parts = only.parts
    assert only.quality == pytest.approx(
        0.4 * parts.similarity + 0.3 * parts.richness + 0.2 * parts.novelty + 0.1 * parts.evidence
    )
    assert parts.similarity == 0.6
    (alone,) = made(candidates(0.6), settings=RoundSettings(similarity=1, richness=0, novelty=0, evidence=0))
    assert alone.quality == 0.6


def test_a_round_without_candidates_is_worth_nothing() -> None:
    (only,) = made([])
    assert (only.quality, only.decision) == (0.0, "continue")


class Meanings:
    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def propose(self, mention: str) -> Iterable[tuple[str, float]]:
        yield from {"old sage": [("grandfather", 1.0), ("gone", 1.0)]}.get(mention, [])

    def prepare(self) -> None:
        pass


def test_a_model_of_meaning_plugs_in_and_only_proposes() -> None:
    resolver = Resolver(HOME, KIND_WORDS, meanings=[Meanings])
    found = resolver.resolve(Target(mention="old sage"), Need(action="turn_on"), Context(lang="en"))
    assert looked_up(found) == list(LOOK_UPS)
    assert found.entities == ("grandfather",)
    assert found.confidence < 0.85
