"""What the gate makes of doubt: in the reading, in the hearing, in a name, in the reach of an act."""

import pytest

from daemon.core.entities import SceneStep
from daemon.core.ir import Chat, Clause, DialogueMove, Help, Timer
from daemon.core.resolution import ClauseResolution, Resolution, Ruling
from daemon.core.thresholds import Thresholds
from daemon.decide.gate import Gate
from daemon.resolve.request import need_of
from tests.home.houses import House, clause_of, context_of, default_home

KETTLE = {"action": "turn_on", "target": "kettle"}
EVERYTHING = {"action": "turn_off", "target": {"kind": "light", "quantifier": "all", "whole_home": True}}


@pytest.fixture(scope="module")
def house() -> House:
    return House(default_home())


@pytest.mark.parametrize(
    ("read", "heard", "verdict", "reason"),
    [
        (1.0, 1.0, "act", "sure"),
        (0.5, 1.0, "ask", "confirm_reading"),
        (1.0, 0.5, "ask", "confirm_reading"),
        (0.2, 1.0, "refuse", "not_understood"),
        (1.0, 0.1, "refuse", "not_understood"),
    ],
)
def test_doubt_is_asked_back_and_noise_is_not_for_us(
    house: House, read: float, heard: float, verdict: str, reason: str
) -> None:
    _, decision = house.decide(clause_of(KETTLE), context_of({}), read=read, heard=heard)
    assert (decision.verdict, decision.reason) == (verdict, reason)


def test_a_reach_is_asked_back_from_a_number_on(house: House) -> None:
    clause, context = clause_of(EVERYTHING), context_of({})
    found = house.resolve(clause, context)
    count = len(found.entities)

    def verdict(limit: int) -> Ruling:
        return Gate(house.registry, Thresholds(ask_off_from=limit)).decide(clause, found, 1, 1, context)

    assert verdict(count).reason == "confirm_scope"
    assert verdict(count + 1).verdict == "act"


@pytest.mark.parametrize("clause", [Timer(), Help(), Chat(), DialogueMove("yes")])
def test_what_needs_no_device_is_let_through(house: House, clause: Clause) -> None:
    _, decision = house.decide(clause, context_of({}))
    assert decision.verdict == "act"


def test_what_a_scene_does_may_be_known_to_be_risky_only_later(house: House) -> None:
    scene = next(item for item in house.registry.scenes if not item.risk)
    clause, context = clause_of({"action": "activate", "targets": [{"mention": scene.names[0]}]}), context_of({})
    found = house.resolve(clause, context)
    steps = {scene.id: [SceneStep("front_door_lock", "state", "unlocked")]}
    assert Gate(house.registry).decide(clause, found, 1, 1, context).verdict == "act"
    assert Gate(house.registry, scenes=steps).decide(clause, found, 1, 1, context).reason == "confirm_risk"


def test_a_yes_that_is_needed_for_one_is_needed_for_all(house: House) -> None:
    targets = [{"mention": "kettle"}, {"mention": "front door"}]
    _, decision = house.decide(clause_of({"action": "open", "targets": targets}), context_of({}))
    assert (decision.verdict, decision.reason) == ("ask", "confirm_risk")
    assert set(decision.entities) == {"kettle", "front_door_lock"}


def test_one_unknown_name_stops_the_clause(house: House) -> None:
    targets = [{"mention": "kettle"}, {"mention": "sparklerino"}]
    _, decision = house.decide(clause_of({"action": "turn_on", "targets": targets}), context_of({}))
    assert (decision.verdict, decision.reason) == ("refuse", "not_found")


def test_conditions_find_their_sensors(house: House) -> None:
    condition = {"target": {"areas": ["bedroom"]}, "attribute": "temperature", "comparator": "gt", "value": 26}
    case = {"action": "turn_on", "target": "空调", "conditions": [condition]}
    found, decision = house.decide(clause_of(case), context_of({}))
    assert found.conditions[0].entities == ("bedroom_climate",)
    assert (decision.verdict, decision.entities) == ("act", ("living_ac",))


def test_the_room_of_the_speaker_is_offered_first(house: House) -> None:
    case = {"action": "turn_on", "target": {"kind": "lamp", "areas": ["bedroom", "study"]}, "area": "study"}
    _, decision = house.decide(clause_of(case), context_of(case))
    assert decision.options[0] == "study_desk_lamp"


def test_a_choice_settles_what_was_ambiguous(house: House) -> None:
    clause, context = clause_of({"action": "turn_on", "target": {"mention": "lamp", "kind": "lamp"}}), context_of({})
    found = house.resolve(clause, context).targets[0]
    one = house.resolver.chosen(found, ["study_desk_lamp"], need_of(clause), context)
    assert (one.status, one.entities, one.confidence) == ("resolved", ("study_desk_lamp",), 1.0)
    room = house.resolver.chosen(found, ["bedroom"], need_of(clause), context)
    assert set(room.entities) <= {"bedroom_lamp", "bedroom_desk_lamp"}


@pytest.mark.parametrize(
    ("entities", "reason"), [((), "empty"), (("kettle",), "unsupported")], ids=["of no members", "of one"]
)
def test_where_nothing_is_there_that_could_not_do_it_there_is_nothing(
    house: House, entities: tuple[str, ...], reason: str
) -> None:
    clause = clause_of(KETTLE)
    found = ClauseResolution((Resolution(clause.targets[0], "unsupported", entities),))
    assert Gate(house.registry).decide(clause, found, 1, 1, context_of({})).reason == reason
