"""Acting and answering: decisions in, facts out."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from daemon.act.acting import Acting, foreseen, missing
from daemon.act.answers import Acted, Hindered, StillOff, Told, Where
from daemon.act.executor import Access
from daemon.core.decisions import Act, Keep, Query, Undo
from daemon.core.entities import Capability, Entity, SceneStep
from daemon.core.messages import Asked, Message, Say, say
from daemon.core.outcomes import Ban, WayBack, Write
from daemon.core.questions import EXPIRY_S, NEAREST, NOTHING_SETTLED, STILL_OFF, Settled
from daemon.core.resolution import Context
from daemon.core.result import Command, Report
from daemon.core.trace import Trace
from daemon.core.turn import Turn
from daemon.core.values import replace
from tests.act.world import Bridge, Home, device, run
from tests.schedule.kept import program

DEVICES = (
    device("lamp", "on_off", "brightness"),
    device("fan", "on_off", kind="plug"),
    device(
        "ac",
        "on_off",
        Capability("temperature", "temperature", minimum=16, maximum=30, unit="C"),
        kind="air_conditioner",
    ),
    device("thermometer", Capability("read", "temperature", unit="C"), kind="sensor"),
    Entity("movie", "scene", ("movie",)),
    Entity("tv", "device", ("tv",), type="tv", area="lounge"),
    Entity("lounge", "area", ("lounge",)),
)
GONE = ("sold", "given_away")
"""Who was here once."""
SCENES = {"movie": (SceneStep("lamp", "brightness", 20), SceneStep("fan", "state", "off"))}
TRUTH: dict[str, dict[str, Any]] = {
    "lamp": {"state": "ON", "brightness": 254},
    "fan": {"state": "OFF"},
    "ac": {"system_mode": "off", "occupied_cooling_setpoint": 26},
    "thermometer": {"temperature": 21.5},
}


def turn(text: str, settled: Settled = NOTHING_SETTLED, *, attended: bool = True) -> Turn:
    return Turn(program(text), 0, Context("en"), settled, 1.0, Trace(), text, attended=attended)


@dataclass
class World:
    """A few devices that obey, unless a test tells them otherwise."""

    home: Home
    acting: Acting
    bridges: dict[str, Bridge] = field(default_factory=dict)

    @classmethod
    async def of(cls, **bridges: dict[str, Any]) -> "World":
        home = await Home.of(*DEVICES, *map(device, GONE))
        home.registry.replace(DEVICES)
        access = Access(home.states, home.reader, home.executor, lambda: home.bus.connected)
        world = cls(home, Acting(registry=home.registry, access=access, scenes=SCENES, clock=lambda: 5.0))
        for name, truth in TRUTH.items():
            world.bridges[name] = Bridge(home.bus, f"zigbee2mqtt/{name}", dict(truth), **bridges.get(name, {}))
            world.bridges[name].tell()
        await asyncio.sleep(120)
        return world

    @property
    def sent(self) -> list[tuple[str, str]]:
        published = [item for item in self.home.bus.published if item.topic.endswith("/set")]
        return [(item.topic.split("/")[1], item.payload.decode()) for item in published]


def became(
    work: Callable[[World], Awaitable[Report]], **bridges: dict[str, Any]
) -> tuple[Report, list[tuple[str, str]]]:
    async def main() -> tuple[Report, list[tuple[str, str]]]:
        world = await World.of(**bridges)
        return await work(world), world.sent

    return run(main)


def did(text: str, *entities: str, attended: bool = True, **more: Any) -> tuple[Report, list[tuple[str, str]]]:
    """What became of an act, and what was sent."""
    bridges = more.pop("bridges", {})
    settled = more.pop("settled", NOTHING_SETTLED)
    decision = Act(turn(text, settled, attended=attended), "sure", entities, **more)
    return became(lambda world: world.acting.act(decision), **bridges)


def kinds(report: Report) -> list[str]:
    """What is said: the keys of plain messages, the kinds of the others."""
    return [item.key if isinstance(item, Say) else type(item).__name__ for item in report.said]


@pytest.mark.parametrize(
    ("text", "entities", "outcome", "said", "sent"),
    [
        ("turn off the lamp", ["lamp"], "execute", ["Acted"], [("lamp", '{"state":"OFF"}')]),
        ("turn off the lamp", ["lamp", "sold"], "execute", ["Acted", "gone"], [("lamp", '{"state":"OFF"}')]),
        ("turn off the lamp", ["sold"], "reject", ["gone"], []),
        ("turn off the lamp", [], "reject", ["empty"], []),
        ("set the lamp to 50 percent", ["fan"], "reject", ["Hindered"], []),
        ("set the lamp to 150 percent", ["lamp"], "reject", ["Hindered", "Asked"], []),
        # All or nothing, where one can't.
        ("set the lamp to 50 percent", ["lamp", "fan"], "reject", ["Hindered"], []),
    ],
)
def test_what_became_of_it(text: str, entities: list[str], outcome: str, said: list[str], sent: Any) -> None:
    report, published = did(text, *entities)
    assert (report.outcome, kinds(report), published) == (outcome, said, sent)
    assert report.entities == tuple(entities)


def test_what_was_sent_is_told_once_for_all_alike() -> None:
    report, _ = did("turn on the lamp", "lamp", "fan")
    assert report.commands == (Command("turn_on", ("lamp", "fan")),)
    assert [item.status for item in report.outcomes] == ["done", "done"]


def test_what_answers_otherwise_is_executed_and_failed() -> None:
    report, sent = did("turn off the lamp", "lamp", bridges={"lamp": {"obeys_s": (None,)}})
    assert (report.outcome, [item.status for item in report.outcomes]) == ("execute", ["failed"])
    assert len(sent) == 2  # once more, and no more than that


def test_without_a_broker_nothing_is_sent_and_nothing_executed() -> None:
    async def away(world: World) -> Report:
        world.home.bus.lose()
        return await world.acting.act(Act(turn("turn off the lamp"), "sure", ("lamp",)))

    report, sent = became(away)
    assert (report.outcome, report.commands, sent) == ("reject", (), [])
    assert [item.status for item in report.outcomes] == ["refused"]


def test_a_scene_is_told_as_the_scene() -> None:
    report, sent = did("turn on the lamp", "movie")
    assert report.commands == (Command("activate", ("movie",)),)
    assert {name for name, _ in sent} == {"lamp", "fan"}


@pytest.mark.parametrize(
    ("bans", "sent", "said"),
    [
        ((Ban("fan"),), ["lamp"], ["Acted", "spared"]),
        ((Ban("fan", why=say("forbidden")),), ["lamp"], ["Acted", "spared", "forbidden"]),
        ((Ban("fan"), Ban("lamp")), [], ["spared"]),
        ((Ban("fan", "state", "on"),), ["lamp", "fan"], ["Acted"]),
    ],
)
def test_a_scene_leaves_alone_what_is_forbidden(bans: tuple[Ban, ...], sent: list[str], said: list[str]) -> None:
    report, published = did("turn on the lamp", "movie", bans=bans)
    assert [name for name, _ in published] == sent
    assert kinds(report) == said


@pytest.mark.parametrize(
    ("attended", "entities", "asked"), [(True, ["ac"], True), (False, ["ac"], False), (True, ["ac", "lamp"], False)]
)
def test_a_set_point_of_what_is_off_is_said_and_switching_it_on_is_offered(
    attended: bool,  # noqa: FBT001 - a column
    entities: list[str],
    asked: bool,  # noqa: FBT001 - a column
) -> None:
    text = "set the ac to 22 degrees" if entities == ["ac"] else "turn on the lamp"
    report, _ = did(text, *entities, attended=attended)
    assert any(isinstance(item, StillOff) for item in report.said) == (entities == ["ac"])
    assert (report.question is not None) == asked
    if report.question is not None:
        assert (report.question.reason, report.question.options) == (STILL_OFF, ("ac",))
        assert report.question.expires_at == 5.0 + EXPIRY_S
        assert report.question.program.clauses[0].action == "turn_on"
        assert report.said[-1] == Asked(report.question)


@pytest.mark.parametrize(
    ("text", "outcome", "kind", "offered"),
    [
        ("set the ac to 35 degrees", "reject", "confirm", 30),
        ("set the ac to 10 degrees", "reject", "confirm", 16),
    ],
)
def test_what_is_out_of_range_is_offered_nearest(text: str, outcome: str, kind: str, offered: float) -> None:
    report, sent = did(text, "ac")
    assert sent == []
    assert report.outcome == outcome
    assert report.question is not None
    [clause] = report.question.program.clauses
    assert clause.parameter is not None
    assert (report.question.kind, report.question.reason) == (kind, NEAREST)
    assert clause.parameter.value == offered


def test_what_was_agreed_to_before_is_settled_in_the_offer() -> None:
    settled = Settled(confirmed=("ac",))
    report, _ = did("set the ac to 35 degrees", "ac", settled=settled)
    assert report.question is not None
    assert report.question.settled == {0: settled}


# -- undo

BACK = WayBack((Write("lamp", "state", "off", "turn_off"), Write("fan", "state", "on", "turn_on")))


@pytest.mark.parametrize(
    ("back", "bans", "said", "sent"),
    [
        (BACK, (), ["undone", "Acted"], ["lamp", "fan"]),
        (replace(BACK, unknown=("ac",)), (), ["Acted", "cannot_undo"], ["lamp", "fan"]),
        (BACK, (Ban("fan", "state", "on"),), ["Acted", "spared"], ["lamp"]),
        (BACK, (Ban("fan", "state", "off"),), ["undone", "Acted"], ["lamp", "fan"]),
    ],
)
def test_undone_is_only_said_of_the_whole(
    back: WayBack, bans: tuple[Ban, ...], said: list[str], sent: list[str]
) -> None:
    decision = Undo(turn("turn on the lamp"), "undo", ("lamp", "fan"), back, bans=bans)
    report, published = became(lambda world: world.acting.undo(decision))
    assert (kinds(report), [name for name, _ in published]) == (said, sent)


def test_undone_is_not_said_of_what_did_not_obey() -> None:
    decision = Undo(turn("turn on the lamp"), "undo", ("lamp", "fan"), BACK)
    report, _ = became(lambda world: world.acting.undo(decision), fan={"obeys_s": (None,)})
    assert kinds(report) == ["Acted"]


# -- questions


def answered(text: str, *entities: str, **bridges: dict[str, Any]) -> Report:
    return became(lambda world: world.acting.query(Query(turn(text), "sure", entities)), **bridges)[0]


@pytest.mark.parametrize(
    ("text", "entities", "bridges", "source"),
    [
        ("what is the temperature", ["thermometer"], {}, "reply"),
        ("what is the temperature", ["thermometer"], {"thermometer": {"answers_s": None}}, "stale"),
    ],
)
def test_an_answer_rests_on_a_reading_with_its_origin(
    text: str, entities: list[str], bridges: dict[str, Any], source: str
) -> None:
    report = answered(text, *entities, **bridges)
    assert report.outcome == "query"
    assert [(item.entity, item.source) for item in report.readings] == [("thermometer", source)]
    assert report.read == ("thermometer",)


def test_what_cannot_tell_or_has_gone_is_said_so() -> None:
    unable, gone = answered("what is the temperature", "fan"), answered("what is the temperature", "sold")
    assert (unable.outcome, [type(item) for item in unable.said]) == ("reject", [Told])
    assert (gone.outcome, kinds(gone)) == ("reject", ["gone"])


def test_them_are_those_of_which_it_holds() -> None:
    report = answered("which lights are on", "lamp", "fan")
    assert (report.entities, report.read) == (("lamp",), ("lamp", "fan"))


def test_where_a_thing_is_its_room_tells() -> None:
    assert answered("where is the tv", "tv").said == (Where(("tv",)),)


# -- what will be sent


@pytest.mark.parametrize(
    ("text", "entities", "expected"),
    [
        ("turn off the lamp", ("lamp", "fan"), (Command("turn_off", ("lamp", "fan")),)),
        ("set the lamp to 50 percent", ("lamp",), (Command("set", ("lamp",), "brightness", 50, "%"),)),
        # By how much is known now, to what is not.
        (
            "make the lamp 20 percent brighter",
            ("lamp",),
            (Command("increase", ("lamp",), "brightness", None, "%", 20),),
        ),
        ("toggle the lamp", ("lamp",), (Command("toggle", ("lamp",)),)),
        ("turn on the lamp", ("movie",), (Command("activate", ("movie",)),)),
    ],
)
def test_what_is_foreseen(text: str, entities: tuple[str, ...], expected: tuple[Command, ...]) -> None:
    async def main() -> tuple[Command, ...]:
        world = await World.of(lamp={})
        world.bridges["lamp"].tell(brightness=127)
        decision = Keep(turn(text), "sure", entities)
        plan = await world.acting.plan(decision)
        return foreseen(decision, plan.writes, world.home.registry)

    assert run(main) == expected


def test_whoever_was_meant_and_has_gone() -> None:
    async def main() -> tuple[str, ...]:
        settled = Settled(choices=(GONE[:1],), confirmed=GONE)
        return (await World.of()).acting.gone(Act(turn("turn on the lamp", settled), "sure", ("lamp",)))

    gone = run(main)
    assert gone == GONE
    assert missing(gone, ("lamp",)).reason == "gone"


def test_facts_are_no_words() -> None:
    """What an act says is messages: which words those are, `converse` knows."""
    report, _ = did("turn off the lamp", "lamp", left_out=("fan",))
    assert all(isinstance(item, Message) for item in report.said)
    assert isinstance(report.said[0], Acted)
    assert kinds(report)[-1] == "left_out"
    assert not any(isinstance(item, Hindered) for item in report.said)
