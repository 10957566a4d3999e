"""The index of a home is kept out of the collector's sight: it must go by itself when the home changes."""

import contextlib
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
from daemon.system.worker import lasting

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


def test_a_changed_home_is_kept_as_well() -> None:
    registry = Registry([KITCHEN, LAMP])
    resolver = Resolver(registry, {})
    resolver.warm()
    registry.replace([KITCHEN, LAMP, Entity("fan", "device", ("Kitchen fan",), type="fan", area="kitchen")])
    assert resolver.resolve(Target(mention="kitchen fan"), Need(), Context(lang="en")).entities == ("fan",)
    assert not any(item is resolver._built for item in gc.get_objects())
    assert gc.isenabled()


class Knot:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.itself = self


def test_what_was_under_way_when_a_home_changed_does_not_stay_for_good() -> None:
    registry = Registry([KITCHEN, LAMP])
    resolver = Resolver(registry, {})
    knot = Knot()
    resolver.warm()
    dropped = weakref.ref(knot)
    del knot
    registry.replace([KITCHEN])
    resolver.warm()
    assert dropped() is None


def test_the_collector_goes_on_after_a_mistake() -> None:
    during = []
    with contextlib.suppress(ValueError), lasting():
        during.append(gc.isenabled())
        raise ValueError
    assert (during, gc.isenabled()) == ([False], True)
