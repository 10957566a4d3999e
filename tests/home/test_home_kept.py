"""What is made of a home is large: it must go by itself when the home changes, without the collector."""

import gc
import weakref

import pytest

from daemon.core.entities import Entity
from daemon.core.ir import Target
from daemon.core.resolution import Context
from daemon.home.kinds import KindWords
from daemon.home.registry import Registry
from daemon.resolve.index import Index
from daemon.resolve.places import Places
from daemon.resolve.request import Need
from daemon.resolve.resolver import Resolver

KITCHEN = Entity("kitchen", "area", ("Kitchen",))
LAMP = Entity("lamp", "device", ("Kitchen lamp",), type="light", area="kitchen")


@pytest.mark.parametrize("made", ["index", "places"])
def test_what_was_made_of_a_home_goes_without_the_collector(made: str) -> None:
    registry = Registry([KITCHEN, LAMP])
    gc.disable()
    try:
        index = Index(registry, KindWords({}))
        places = Places(registry, index)
        assert next(index.similar("kichen lamp"))
        assert places.find("kichen")[0] == [KITCHEN]
        dropped = weakref.ref(index if made == "index" else places)
        del index, places
        assert dropped() is None
    finally:
        gc.enable()


def test_what_was_made_of_a_home_goes_when_the_home_changes() -> None:
    registry = Registry([KITCHEN, LAMP])
    resolver = Resolver(registry)
    gc.disable()
    try:
        before = weakref.ref(resolver._house.get().index)
        registry.replace([KITCHEN, LAMP, Entity("fan", "device", ("Kitchen fan",), type="fan", area="kitchen")])
        assert resolver.resolve(Target(mention="kitchen fan"), Need(), Context(lang="en")).entities == ("fan",)
        assert before() is None
    finally:
        gc.enable()
