"""What a turn says of what stands before it: the way that it goes, and the slots that it fills."""

import pytest

from daemon.dialogue.edits import base_of, edit_of
from tests.dialogue.mind import mind

SLOTS = ("targets", "excluded", "action", "query", "parameter", "when")


@pytest.mark.parametrize(
    ("text", "way", "slots"),
    [
        ("no, the hall light", "instead", {"targets"}),
        ("不对，是门厅灯", "instead", {"targets"}),
        ("no, off", "instead", {"action"}),
        ("not off, set it to 40", "instead", {"action", "parameter"}),
        ("no, forty's plenty", "instead", {"action", "parameter"}),
        ("and the hall light too", "also", {"targets"}),
        ("门厅灯也是", "also", {"targets"}),
        ("except the kettle", "less", {"excluded"}),
        ("don't turn off the kettle", "less", {"action", "excluded"}),
        ("back a bit", "back", {"action", "parameter"}),
        ("40 percent", "open", {"parameter"}),
        ("百分之四十", "open", {"parameter"}),
        ("forty is too bright, thirty", "open", {"parameter"}),
        ("for ten minutes", "open", {"when"}),
        ("make it friday", "open", {"when"}),
        ("eight is too early, nine o'clock", "open", {"when"}),
        ("八点太早了，九点吧", "open", {"when"}),
        ("关了吧", "open", {"action"}),
    ],
)
def test_which_slots_a_turn_fills(text: str, way: str, slots: set[str]) -> None:
    edit = edit_of(mind().comprehension.read_text(text)[0].clauses[0], mind().tongue.named)
    assert edit is not None
    assert edit.way == way
    assert {name for name in SLOTS if getattr(edit, name)} == slots
    assert edit.fills(*slots)


@pytest.mark.parametrize("text", ["yes", "undo that", "thank you", "again"])
def test_what_is_no_edit(text: str) -> None:
    assert edit_of(mind().program(text).clauses[0]) is None


def test_a_mere_value_is_one_that_is_to_be_set() -> None:
    edit = edit_of(mind().program("halfway").clauses[0])
    assert edit is not None
    assert edit.order is not None
    assert (edit.order.action, edit.order.parameter) == ("set", edit.parameter)
    assert edit.worded == edit.order


@pytest.mark.parametrize(
    ("outcome", "price"),
    [({}, ["undo"]), ({"before": "on"}, []), ({"sent": False}, [])],
)
def test_what_it_costs_to_take_the_place_of_an_act(outcome: dict[str, object], price: list[str]) -> None:
    dialogue = mind().after("turn on the kettle", "kettle", **outcome)
    assert dialogue.program is not None
    base = base_of(dialogue.program, dialogue, mind().registry, 1.0)
    assert [getattr(clause, "move", None) for clause in base.price()] == price
