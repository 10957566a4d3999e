from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daemon.understand.grammar import Grammar
from daemon.understand.names import NamedThing, NameTable, Spotted
from daemon.understand.normalize import normalize, plain_text


def table(**names: str) -> NameTable:
    things = [NamedThing(text, role) for role, texts in names.items() for text in texts.split("|")]  # type: ignore[arg-type]
    return NameTable(things)


def spotted(names: NameTable, text: str) -> Spotted:
    plain = plain_text(text)
    return names.replace(plain, names.find(plain))


def found(names: NameTable, text: str) -> list[str]:
    return [mention.text for mention in spotted(names, text).mentions.values()]


def test_the_longest_name_wins() -> None:
    names = table(device="开关|关爱灯", area="Bed|Bedroom")
    assert found(names, "打开关爱灯") == ["关爱灯"]
    assert found(names, "the bedroom") == ["bedroom"]


def test_english_names_end_at_words() -> None:
    names = table(device="fan", area="Hall")
    assert found(names, "the fans in hallway") == []
    assert found(names, "the halls light") == ["hall"]


def test_names_hide_words_of_the_grammar(grammar: Grammar) -> None:
    for name, sentence in [
        ("Turn Table", "turn off the turn table"),
        ("Off-road TV", "turn on the off road tv"),
        ("关爱灯", "打开关爱灯"),
        ("和风灯", "把和风灯关掉"),
        ("Except Mine", "turn off all the lights except except mine"),
        ("Rock and Roll", "turn off rock and roll and the lamp"),
    ]:
        names = grammar.names([NamedThing(name, "device")])
        (best, *_) = grammar.read(normalize(sentence), names)
        clause = best.clauses[0]
        mentions = [target.mention for target in (*clause.targets, *clause.excluded)]
        assert plain_text(name) in mentions, sentence


def test_a_short_plain_word_is_a_name_only_where_nothing_else_fits(grammar: Grammar) -> None:
    names = grammar.names([NamedThing("Stop", "scene"), NamedThing("Light", "device")])
    assert grammar.read(normalize("stop the blinds"), names)[0].clauses[0].action == "stop"
    assert grammar.read(normalize("turn off all the lights"), names)[0].clauses[0].targets[0].mention is None


def test_numbers_in_names_may_be_said_either_way(grammar: Grammar) -> None:
    names = grammar.names([NamedThing("Room One", "area"), NamedThing("灯3", "device")])
    assert grammar.read(normalize("turn off the lights in room 1"), names)[0].clauses[0].targets[0].areas == (
        "room one",
    )
    assert grammar.read(normalize("打开灯三"), names)[0].clauses[0].targets[0].mention == "灯3"


def test_a_name_that_says_place_and_attribute_is_not_always_meant(grammar: Grammar) -> None:
    names = grammar.names([NamedThing("Bedroom", "area"), NamedThing("Bedroom temperature", "device")])
    readings = grammar.read(normalize("set the bedroom temperature to 20"), names)
    assert readings[0].clauses[0].targets[0].mention == "bedroom temperature"
    assert readings[1].clauses[0].targets[0].areas == ("bedroom",)
    parameter = readings[1].clauses[0].parameter
    assert parameter is not None
    assert parameter.attribute == "temperature"


NAME = st.text(alphabet="abc 灯客厅12é", min_size=1, max_size=6)


@given(st.lists(NAME, max_size=5), st.text(alphabet="abc 灯客厅12é, ", max_size=20))
def test_restoring_gives_the_text_back(names: list[str], text: str) -> None:
    plain = plain_text(text)
    made = spotted(NameTable(NamedThing(name, "device") for name in names), text)
    assert made.restore(made.text) == plain


@given(st.lists(NAME.filter(lambda name: bool(plain_text(name))), min_size=1, max_size=5))
def test_every_name_alone_is_found(names: list[str]) -> None:
    made = NameTable(NamedThing(name, "device") for name in names)
    for name in names:
        assert found(made, name) == [plain_text(name)]


def test_what_the_language_says_by_itself_is_the_name_of_no_device(grammar: Grammar) -> None:
    names = {"device": "All the lights|所有灯|Desk lamp|All stars", "group": "Every lamp"}
    things = [NamedThing(text, role) for role, texts in names.items() for text in texts.split("|")]  # type: ignore[arg-type]
    own = grammar.fragments.spotter.phrases.own
    assert {item.text for item in things if own(plain_text(item.text))} == {"All the lights", "所有灯", "Every lamp"}
    taken = grammar.fragments.spotter.found("turn off every lamp", grammar.names(things))
    assert [item.text for item in taken] == ["every lamp"]  # a group, called so on purpose
