"""A group that its bridge knows is told by one message, and each of its members is judged by itself."""

from collections.abc import Sequence
from typing import Any

import pytest

from daemon.act.reader import Asker
from daemon.core.entities import Address, Capability, Entity
from daemon.core.outcomes import Outcome, Write
from daemon.core.values import replace
from daemon.mqtt.dialects import DIALECTS
from tests.act.world import Bridge, FakeBus, Home, device, run

NAMES = ("attic", "bench", "cellar")
GROUP = Entity(
    "all", "group", ("everything bright",), members=NAMES, address=Address("zigbee2mqtt", "zigbee2mqtt/bright")
)
TOLD = "zigbee2mqtt/bright/set"


def off(*names: str) -> list[Write]:
    return [Write(name, "state", "off", "turn_off") for name in names]


def carry_out(
    writes: Sequence[Write], *entities: Entity, broken: bool = False, **bridges: dict[str, Any]
) -> tuple[dict[str, Outcome], list[tuple[str, str]]]:
    """The outcomes by device, and what was sent but gets."""

    async def main() -> tuple[dict[str, Outcome], list[tuple[str, str]]]:
        home = await Home.of(*(entities or (*map(device, NAMES), GROUP)))
        for name in NAMES:
            told = {"truth": {"state": "ON"}, "group": "zigbee2mqtt/bright"} | bridges.get(name, {})
            home.bus.deliver(f"zigbee2mqtt/{name}", told["truth"], retained=True)
            Bridge(home.bus, f"zigbee2mqtt/{name}", **told)
        home.bus.broken = broken
        outcomes = await home.executor.execute(writes)
        sent = [(item.topic, item.payload.decode()) for item in home.bus.published if item.topic.endswith("/set")]
        return {item.write.entity: item for item in outcomes}, sent

    return run(main)


def test_one_message_tells_all() -> None:
    outcomes, sent = carry_out(off(*NAMES))
    assert sent == [(TOLD, '{"state":"OFF"}')]
    assert {name: item.status for name, item in outcomes.items()} == dict.fromkeys(NAMES, "done")
    assert all(item.evidence is not None and item.evidence.source == "reply" for item in outcomes.values())
    assert all(item.published == tuple(sent) for item in outcomes.values())


def test_each_member_is_judged_by_itself_and_told_again_alone() -> None:
    outcomes, sent = carry_out(off(*NAMES), bench={"obeys_s": [None]}, cellar={"answers_s": None, "obeys_s": [None]})
    assert {name: (item.status, item.reason) for name, item in outcomes.items()} == {
        "attic": ("done", ""),
        "bench": ("failed", "disagrees"),
        "cellar": ("unconfirmed", "no_answer"),
    }
    assert sent[0] == (TOLD, '{"state":"OFF"}')
    assert sorted(sent[1:]) == [
        ("zigbee2mqtt/bench/set", '{"state":"OFF"}'),
        ("zigbee2mqtt/cellar/set", '{"state":"OFF"}'),
    ]


def test_what_is_echoed_for_the_group_and_for_the_member_proves_nothing() -> None:
    """The second echo comes between the first get and its answer."""
    lying = {"obeys_s": [None], "echo_s": 0.1, "answers_s": 0.3}
    outcomes, _ = carry_out(off(*NAMES), bench=lying)
    assert outcomes["bench"].status == "failed"


@pytest.mark.parametrize(
    ("writes", "changed"),
    [
        pytest.param(off("attic", "bench"), (), id="not all of them"),
        pytest.param([*off("attic", "bench"), Write("cellar", "state", "on", "turn_on")], (), id="not the same"),
        pytest.param(off(*NAMES), (device("cellar", state_off="aus"),), id="not in the same words"),
        pytest.param(off(*NAMES), (device("cellar", state_property="state_l2"),), id="a gang"),
        pytest.param(off(*NAMES), (replace(GROUP, address=None),), id="no group to the bridge"),
        pytest.param(
            off(*NAMES),
            (replace(device("cellar"), address=Address("plain", "zigbee2mqtt/cellar")),),
            id="another dialect",
        ),
    ],
)
def test_otherwise_each_is_told_alone(writes: list[Write], changed: tuple[Entity, ...]) -> None:
    home = {item.id: item for item in (*map(device, NAMES), GROUP, *changed)}
    _, sent = carry_out(writes, *home.values())
    assert {topic for topic, _ in sent} == {f"zigbee2mqtt/{item.entity}/set" for item in writes}


def test_a_member_that_may_not_be_controlled_is_not_told_with_the_others() -> None:
    home = {item.id: item for item in (*map(device, NAMES), GROUP, replace(device("cellar"), exposed=False))}
    outcomes, sent = carry_out(off(*NAMES), *home.values())
    assert outcomes["cellar"].status == "refused"
    assert [topic for topic, _ in sent] == ["zigbee2mqtt/attic/set", "zigbee2mqtt/bench/set"]


def test_the_largest_group_goes_first_and_nobody_is_told_twice() -> None:
    pair = replace(GROUP, id="pair", members=NAMES[:2], address=Address("zigbee2mqtt", "zigbee2mqtt/pair"))
    _, sent = carry_out(off(*NAMES), *map(device, NAMES), pair, GROUP)
    assert [topic for topic, _ in sent] == [TOLD]


def test_a_connection_that_breaks_leaves_all_of_them_unconfirmed() -> None:
    outcomes, sent = carry_out(off(*NAMES), broken=True)
    assert {item.reason for item in outcomes.values()} == {"connection_lost"}
    assert sent == []


# -- asking

TEMPERATURE = Capability("read", "temperature")
MUTE = Capability("read", "temperature", gettable=False)


@pytest.mark.parametrize(
    ("entity", "attributes", "gets"),
    [
        (device("lamp", "on_off", "brightness"), ("state",), ['{"state":""}']),
        # One message for all; each attribute once, in the order in which they were wanted.
        (
            device("lamp", "on_off", "brightness"),
            ("brightness", "state", "brightness"),
            ['{"brightness":"","state":""}'],
        ),
        (device("lamp", "on_off"), ("state", "volume"), ['{"state":""}']),
        (device("lamp", "on_off"), (), []),
        # Who never answers a get is not woken by one.
        (device("sensor", MUTE, kind="sensor"), ("temperature",), []),
        (replace(device("sensor", TEMPERATURE), address=None), ("temperature",), []),
        (replace(device("sensor", TEMPERATURE), address=Address("morse", "x")), ("temperature",), []),
    ],
)
async def test_only_what_can_be_answered_is_asked(entity: Entity, attributes: tuple[str, ...], gets: list[str]) -> None:
    bus = FakeBus()
    asker = Asker(bus, DIALECTS)
    await asker.ask(entity, attributes)
    assert [item.payload.decode() for item in bus.published] == gets
    assert any(asker.askable(entity, item) for item in attributes) == bool(gets)
