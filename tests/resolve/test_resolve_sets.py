"""Properties of finding in any home: what is excluded is never returned, and no set is ever cut off."""

from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.core.entities import Entity
from daemon.core.ir import Order, Target
from daemon.core.resolution import Context
from daemon.core.values import replace
from daemon.home.capabilities import STANDARD
from daemon.home.registry import Registry
from daemon.resolve.resolver import Resolver
from tests.home.houses import KIND_WORDS

CONTEXT = Context("en")
TYPES = st.sampled_from(["light", "lamp", "plug", "fan", "curtain", "lock", "garage_door", "sensor"])
CAPABILITIES = {
    "curtain": (STANDARD["open_close"],),
    "garage_door": (STANDARD["open_close"],),
    "lock": (STANDARD["lock"],),
    "sensor": (),
}
NAMES = st.sampled_from(
    ["light", "ceiling light", "灯", "台灯", "desk lamp", "fan", "窗帘", "big one", "老伙计", "kitchen"]
)


@st.composite
def homes(draw: st.DrawFn) -> Registry:
    areas = draw(st.integers(1, 5))
    entities = [Entity("floor", "floor", ("upstairs", "楼上"))]
    entities += [Entity(f"area{n}", "area", (f"room {n}", f"房间{n}"), floor="floor") for n in range(areas)]
    for number in range(draw(st.integers(1, 40))):
        kind = draw(TYPES)
        entities.append(
            Entity(
                f"device{number}",
                "device",
                (draw(NAMES),),
                type=kind,
                area=draw(st.none() | st.integers(0, areas - 1).map("area{}".format)),
                capabilities=CAPABILITIES.get(kind, (STANDARD["on_off"],)),
                tags=draw(st.sets(st.sampled_from(["light", "essential", "gas"]), max_size=1).map(frozenset)),
                exposed=draw(st.booleans() | st.just(value=True)),
            )
        )
    return Registry(entities)


TARGETS = st.builds(
    Target,
    mention=st.none() | NAMES,
    kind=st.none() | st.sampled_from(["light", "lamp", "fan", "curtain", "device", "lock", "cover"]),
    areas=st.lists(st.integers(0, 6).map("room {}".format), max_size=2).map(tuple),
    floors=st.sampled_from([(), (), ("upstairs",)]),
    quantifier=st.sampled_from(["one", "all", "both", "any"]),
    whole_home=st.booleans(),
    plural=st.booleans(),
)
ACTIONS = st.sampled_from(["turn_on", "turn_off", "open", "close", "toggle", "lock", "unlock", "stop"])


@settings(max_examples=200, deadline=None)
@given(registry=homes(), target=TARGETS, spared=TARGETS, action=ACTIONS)
def test_what_is_excluded_is_never_returned(registry: Registry, target: Target, spared: Target, action: str) -> None:
    resolver = Resolver(registry, KIND_WORDS)
    clause = Order(action, (target,), (spared,))  # type: ignore[arg-type] # drawn from the actions
    found = resolver.resolve_clause(clause, CONTEXT)
    gone = {entity for item in found.excluded for entity in item.entities}
    assert not gone.intersection(found.entities)
    assert not gone.intersection(found.left_out)
    # And nothing else goes: sparing never adds anything, nor takes what it does not name.
    alone = resolver.resolve_clause(replace(clause, excluded=()), CONTEXT)
    if all(item.status == "resolved" for item in alone.targets):
        assert set(found.entities) == set(alone.entities) - gone


@settings(max_examples=200, deadline=None)
@given(
    registry=homes(), action=st.sampled_from(["turn_on", "turn_off"]), kind=st.sampled_from(["light", "fan", "lamp"])
)
def test_all_of_a_kind_is_every_one_that_can(registry: Registry, action: str, kind: str) -> None:
    resolver = Resolver(registry, KIND_WORDS)
    target = Target(kind=kind, quantifier="all", whole_home=True)  # type: ignore[arg-type] # drawn from the kinds
    found = resolver.resolve_clause(Order(action, (target,)), CONTEXT)  # type: ignore[arg-type] # as above
    able = {item.id for item in registry.devices if item.exposed and item.capability("on_off")}
    exact = {item.id for item in registry.devices if item.type == kind} & able
    everyone = set(found.entities) | set(found.left_out)
    assert exact <= everyone <= able


@settings(max_examples=200, deadline=None)
@given(registry=homes(), target=TARGETS, action=ACTIONS, area=st.none() | st.just("area0"))
def test_whatever_is_resolved_can_be_done(registry: Registry, target: Target, action: str, area: str | None) -> None:
    resolver = Resolver(registry, KIND_WORDS)
    clause = Order(action, (target,))  # type: ignore[arg-type] # drawn from the actions
    found = resolver.resolve_clause(clause, replace(CONTEXT, area=area))
    for item in found.targets:
        assert set(item.entities) <= {entity.id for entity in registry}
        assert len(set(item.entities)) == len(item.entities)
        if item.status == "resolved":
            assert item.entities
            assert all(registry[entity].exposed for entity in item.entities)
        if item.status == "ambiguous":
            assert item.candidates
        if target.areas and item.status == "resolved" and item.confidence >= 0.85 and not target.whole_home:
            named = {f"area{name.removeprefix('room ')}" for name in target.areas}
            # What is so called and in no room known may be in this one.
            assert {registry[entity].area for entity in item.entities} <= {*named, None}
