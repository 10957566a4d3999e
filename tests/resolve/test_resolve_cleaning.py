"""Which vacuum cleans which rooms, and what is sent to it."""

from daemon.act.planner import plan
from daemon.core.entities import Capability, Entity
from daemon.core.ir import Order, Target
from daemon.core.resolution import Context, Ruling
from daemon.decide.gate import Gate
from daemon.home.registry import Registry
from daemon.resolve.resolver import Resolver

START, ROOMS = Capability("start_stop", "state"), Capability("clean_area", "area")


def home(*vacuums: Entity) -> Registry:
    floors = [Entity("up", "floor", ("Upstairs",)), Entity("down", "floor", ("Downstairs",))]
    areas = [
        Entity("kitchen", "area", ("Kitchen",), floor="down"),
        Entity("hall", "area", ("Hall",), floor="down"),
        Entity("attic", "area", ("Attic",), floor="up"),
    ]
    return Registry([*floors, *areas, *vacuums])


def vacuum(name: str, area: str | None, *capabilities: Capability) -> Entity:
    return Entity(name, "device", (name,), type="vacuum", area=area, capabilities=capabilities)


def judged(registry: Registry, target: Target, area: str | None = None) -> Ruling:
    clause, context = Order("start", (target,)), Context("en", area=area)
    found = Resolver(registry).resolve_clause(clause, context)
    return Gate(registry).decide(clause, found, 1.0, 1.0, context)


def test_a_vacuum_that_knows_rooms_is_told_which() -> None:
    registry = home(vacuum("rover", "hall", START, ROOMS))
    target = Target(kind="vacuum", areas=("kitchen", "hall"), cleans=True)
    decision = judged(registry, target)
    assert (decision.verdict, decision.entities, decision.cleans) == ("act", ("rover",), ("hall", "kitchen"))
    sent = plan(Order("start", (target,)), decision.entities, registry, {}, cleans=decision.cleans).writes
    assert [(item.attribute, item.value, item.action) for item in sent] == [("area", "Hall, Kitchen", "clean_area")]


def test_one_that_does_not_is_asked_about() -> None:
    registry = home(vacuum("rover", "kitchen", START))
    decision = judged(registry, Target(kind="vacuum", areas=("kitchen",), cleans=True))
    assert (decision.verdict, decision.reason) == ("ask", "confirm_whole")
    sent = plan(Order("start"), decision.entities, registry, {}, cleans=decision.cleans).writes
    assert [(item.attribute, item.value) for item in sent] == [("command", "start")]


def test_where_it_stands_is_not_what_it_cleans() -> None:
    registry = home(vacuum("rover", "hall", START, ROOMS), vacuum("dusty", "attic", START, ROOMS))
    decision = judged(registry, Target(kind="vacuum", areas=("hall",)))
    assert (decision.verdict, decision.entities, decision.cleans) == ("act", ("rover",), ())


def test_the_one_on_that_floor_cleans_all_it_can_reach() -> None:
    registry = home(vacuum("rover", "hall", START, ROOMS), vacuum("dusty", "attic", START, ROOMS))
    decision = judged(registry, Target(kind="vacuum", floors=("upstairs",), cleans=True))
    assert (decision.verdict, decision.entities, decision.cleans) == ("act", ("dusty",), ())


def test_one_of_no_room_goes_before_one_of_another() -> None:
    registry = home(vacuum("rover", None, START, ROOMS), vacuum("dusty", "attic", START, ROOMS))
    decision = judged(registry, Target(kind="vacuum", reference="here", cleans=True), area="kitchen")
    assert (decision.entities, decision.cleans) == (("rover",), ("kitchen",))


def test_of_several_elsewhere_one_is_asked_for() -> None:
    registry = home(vacuum("rover", "hall", START, ROOMS), vacuum("dusty", "attic", START, ROOMS))
    decision = judged(registry, Target(kind="vacuum", areas=("kitchen",), cleans=True))
    assert (decision.verdict, decision.reason) == ("ask", "which")
