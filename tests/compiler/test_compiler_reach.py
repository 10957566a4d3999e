"""What belongs to the words of a slot: the unit of a number, the half of the day of a time, wherever they were said."""

import pytest

from daemon.compiler.draft import Draft, Part, Said, parse, placed
from daemon.compiler.filling import Filling
from daemon.compiler.meanings import Meanings
from daemon.core.errors import DraftRefused
from daemon.core.ir import Clause, Condition, Parameter, When
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import normalize

NOBODY = NameTable(())


def clause(filling: Filling, meanings: Meanings, sentence: str, draft: str | Draft) -> Clause:
    drafted = parse(draft, meanings) if isinstance(draft, str) else draft
    (made,) = filling.program(drafted, normalize(sentence), NOBODY).clauses
    return made


@pytest.mark.parametrize(
    ("sentence", "draft", "value", "unit"),
    [
        # Fahrenheit, celsius, and what this home counts in
        ("bung the aircon on 72 fahrenheit will you", "<temperature_to><target> the aircon<n> 72", 72, "F"),
        ("bung the aircon on 72f will you", "<temperature_to><target> the aircon<n> 72", 72, "F"),
        ("heating, seventy two degrees fahrenheit, cheers", "<temperature_to><target> heating<n> seventy two", 72, "F"),
        ("i fancy the boiler at 21 centigrade", "<temperature_to><target> the boiler<n> 21", 21, "C"),
        ("i fancy the boiler at 21.5 degrees", "<temperature_to><target> the boiler<n> 21.5", 21.5, None),
        ("i fancy the boiler at 21", "<temperature_to><target> the boiler<n> 21", 21, None),
        ("帮忙让空调来个72华氏度呗", "<temperature_to><target>空调<n>72", 72, "F"),
        ("帮忙让空调来个华氏七十二度呗", "<temperature_to><target>空调<n>七十二", 72, "F"),
        ("帮忙让空调来个摄氏24度呗", "<temperature_to><target>空调<n>24", 24, "C"),
        ("帮忙让空调来个二十四度半呗", "<temperature_to><target>空调<n>二十四", 24.5, None),
        ("帮忙让空调来个二十四度五呗", "<temperature_to><target>空调<n>二十四", 24.5, None),
        ("帮忙让空调来个二十四呗", "<temperature_to><target>空调<n>二十四", 24, None),
        # percent, tenths, steps
        ("bung the lounge lamp on 35 percent", "<brightness_to><target> the lounge lamp<n> 35", 35, "%"),
        ("bung the lounge lamp on 35%", "<brightness_to><target> the lounge lamp<n> 35", 35, "%"),
        ("bung the lounge lamp on 4 out of ten", "<brightness_to><target> the lounge lamp<n> 4", 40, "%"),
        ("the lounge lamp could do with 2 notches more", "<brightness_by_up><target> the lounge lamp<n> 2", 2, "step"),
        ("灯光嘛来个四成就行", "<brightness_to><target>灯光<n>四", 40, "%"),
        ("灯光嘛来个百分之四十就行", "<brightness_to><target>灯光<n>四十", 40, "%"),
        ("灯光嘛来个百分之四十就行", "<brightness_to><target>灯光<n>十", 40, "%"),  # never a part of a number
        ("电扇嘛来个2档就行", "<speed_to><target>电扇<n>2", 2, "step"),
        ("fan wants about 2 I reckon", "<speed_to><target> fan<n> 2", 2, None),
        ("fan wants about 20 percent I reckon", "<speed_to><target> fan<n> 20", 20, "%"),
        ("tank wants about 45 percent of damp", "<humidity_to><target> tank<n> 45", 45, "%"),
        ("tank wants about 45 of damp", "<humidity_to><target> tank<n> 45", 45, "%"),
        # which of two equal numbers it is
        ("whack lamp 2 to 2 percent", "<brightness_to><target> lamp 2<n> 2", 2, "%"),
        ("whack speaker 72 to 72 will you", "<volume_to><target> speaker 72<n> 72", 72, "%"),
        ("2 degrees is cold so whack heater 2 on 20 celsius", "<temperature_to><target> heater 2<n> 20", 20, "C"),
        ("2号灯来个2成就行", "<brightness_to><target>2号灯<n>2", 20, "%"),
    ],
)
def test_a_number_comes_with_its_unit(
    sentence: str, draft: str, value: float, unit: str | None, filling: Filling, meanings: Meanings
) -> None:
    parameter = clause(filling, meanings, sentence, draft).parameter
    assert parameter is not None
    assert (parameter.value, parameter.unit) == (value, unit)


@pytest.mark.parametrize(
    ("sentence", "draft"),
    [
        ("bung the bulb minus 20 percent", "<brightness_by_up><target> the bulb<n> 20"),
        ("bung the boiler on 30 percent brightness", "<temperature_to><target> the boiler<n> 30"),
        ("bung the boiler on 3 notches", "<temperature_to><target> the boiler<n> 3"),
        ("bung the boiler on 290 kelvin", "<temperature_to><target> the boiler<n> 290"),
        ("bung the telly on 20 degrees", "<volume_to><target> the telly<n> 20"),
        ("bung the telly on 20 fahrenheit", "<volume_to><target> the telly<n> 20"),
        ("bung the telly on 20 decibels", "<volume_to><target> the telly<n> 20"),
        ("bung the telly on 20 db", "<volume_to><target> the telly<n> 20"),
        ("bung the telly on for 20 minutes", "<volume_to><target> the telly<n> 20"),
        ("bung the bulb on 400 lux", "<brightness_to><target> the bulb<n> 400"),
        ("bung the bulb on 2700 kelvin", "<brightness_to><target> the bulb<n> 2700"),
        ("bung the bulb on 2700", "<brightness_to><target> the bulb<n> 2700"),
        ("bung the bulb on 40 watts", "<brightness_by_up><target> the bulb<n> 40"),
        ("bung the blind on 40 degrees", "<position_to><target> the blind<n> 40"),
        ("bung the tank on 40 c", "<humidity_to><target> the tank<n> 40"),
        ("bung the fan on 900 rpm", "<speed_to><target> the fan<n> 900"),
        ("空调嘛来个三成就行", "<temperature_to><target>空调<n>三"),
        ("电视嘛来个二十度就行", "<volume_to><target>电视<n>二十"),
        ("电视嘛来个二十分贝就行", "<volume_to><target>电视<n>二十"),
        ("电视嘛来个二十分钟就行", "<volume_to><target>电视<n>二十"),
        ("灯光嘛来个四百流明就行", "<brightness_to><target>灯光<n>四百"),
        ("灯光嘛来个三十华氏度就行", "<brightness_to><target>灯光<n>三十"),
        ("窗帘嘛来个三十度就行", "<position_to><target>窗帘<n>三十"),
        ("should the study be over 30 percent pop the fan on", "<turn_on><target> the fan<if_hot><room> study<n> 30"),
        ("书房要是到了三成热就来点风扇", "<turn_on><target>风扇<if_hot><room>书房<n>三"),
    ],
)
def test_a_number_of_something_else_is_no_draft(
    sentence: str, draft: str, filling: Filling, meanings: Meanings
) -> None:
    with pytest.raises(DraftRefused) as refused:
        clause(filling, meanings, sentence, draft)
    assert refused.value.name == "n"


@pytest.mark.parametrize(
    ("sentence", "draft", "value", "unit"),
    [
        ("should it top 85 f in the den pop the fan on", "<turn_on><target> the fan<if_hot><room> den<n> 85", 85, "F"),
        ("pop the fan on, den hits 30 celsius mind", "<turn_on><target> the fan<if_hot><room> den<n> 30", 30, "C"),
        ("pop the fan on, den hits 30 mind", "<turn_on><target> the fan<if_hot><room> den<n> 30", 30, None),
        ("书房冷到六十华氏度的话暖气走起", "<turn_on><target>暖气<if_cold><room>书房<n>六十", 60, "F"),
        ("书房冷到华氏六十度的话暖气走起", "<turn_on><target>暖气<if_cold><room>书房<n>六十", 60, "F"),
        ("书房冷到十六度半的话暖气走起", "<turn_on><target>暖气<if_cold><room>书房<n>十六", 16.5, None),
    ],
)
def test_so_does_the_number_of_a_condition(
    sentence: str, draft: str, value: float, unit: str | None, filling: Filling, meanings: Meanings
) -> None:
    (condition,) = clause(filling, meanings, sentence, draft).conditions
    assert (condition.value, condition.unit) == (value, unit)


def test_the_number_of_a_command_and_that_of_its_condition_each_have_their_own_unit(
    filling: Filling, meanings: Meanings
) -> None:
    sentence = "should the den top 80 fahrenheit whack the blind to 80 percent"
    with pytest.raises(DraftRefused):  # nobody knows which is which
        clause(filling, meanings, sentence, "<position_to><target> the blind<n> 80<if_hot><room> den<n> 80")
    first, second = sentence.index("80"), sentence.rindex("80")
    told = Draft(
        (
            Part(
                "position_to",
                (Said("target", "the blind"), Said("n", "80", at=second)),
                (Part("if_hot", (Said("room", "den"), Said("n", "80", at=first))),),
            ),
        )
    )
    made = clause(filling, meanings, sentence, told)
    assert made.parameter == Parameter("position", "set", 80, "%")
    assert [(item.value, item.unit) for item in made.conditions] == [(80, "F")]


@pytest.mark.parametrize(
    ("sentence", "draft", "when"),
    [
        ("pop the lamp on at six in the evening", "<turn_on><target> the lamp<timed><time> six", When(time="18:00")),
        ("pop the lamp on 7pm please", "<turn_on><target> the lamp<timed><time> 7", When(time="19:00")),
        (
            "pop the lamp on at half past six",
            "<turn_on><target> the lamp<timed><time> six",
            When(time="06:30", twelve=True),
        ),
        (
            "pop the lamp on at six tomorrow morning",
            "<turn_on><target> the lamp<timed><time> six",
            When(time="06:00", day_offset=1),
        ),
        ("台灯晚上八点亮起来", "<turn_on><target>台灯<timed><time>八点", When(time="20:00", daytime="night")),
        ("台灯下午三点半亮起来", "<turn_on><target>台灯<timed><time>三点", When(time="15:30")),
        (
            "pop the lamp on in an hour and a half",
            "<turn_on><target> the lamp<delayed><duration> an hour",
            When(delay_s=5400),
        ),
        (
            "pop the lamp on in twenty five minutes",
            "<turn_on><target> the lamp<delayed><duration> five minutes",
            When(delay_s=1500),
        ),
        ("台灯过一个半小时再亮", "<turn_on><target>台灯<delayed><duration>半小时", When(delay_s=5400)),
        ("台灯亮四十分钟就行", "<turn_on><target>台灯<for_a_while><duration>十分钟", When(duration_s=2400)),
        # Another slot's words are not taken.
        ("lamp one at six", "<turn_on><target> lamp one<timed><time> six", When(time="06:00", twelve=True)),
    ],
)
def test_a_time_comes_with_all_that_was_said_of_it(
    sentence: str, draft: str, when: When, filling: Filling, meanings: Meanings
) -> None:
    assert clause(filling, meanings, sentence, draft).when == when


@pytest.mark.parametrize("said", ["换成青椒", "氛围灯换成紫薯", "来个红豆", "换成白菜吧", "换成黄瓜吧"])
def test_a_word_is_not_cut_for_a_value(filling: Filling, meanings: Meanings, said: str) -> None:
    colour = next(word for word in "青紫红白黄" if word in said)
    with pytest.raises(DraftRefused):
        clause(filling, meanings, said, f"<color_to><color>{colour}")


@pytest.mark.parametrize("said", ["换成青的", "换成青吧", "换成青就行", "要青色的光", "换成青,谢谢", "青一点"])
def test_but_what_may_stand_behind_it(filling: Filling, meanings: Meanings, said: str) -> None:
    colour = "青色" if "青色" in said else "青"
    made = clause(filling, meanings, said, f"<color_to><color>{colour}")
    assert made.parameter is not None
    assert made.parameter.value == "cyan"


def test_a_command_without_a_number_needs_none(filling: Filling, meanings: Meanings) -> None:
    made = clause(filling, meanings, "fan wants low I reckon", "<speed_to><target> fan<mode> low")
    assert made.parameter is not None
    assert (made.parameter.value, made.parameter.unit) == ("low", None)


def test_words_are_placed_whole_the_longest_first_and_where_the_model_says(meanings: Meanings) -> None:
    text = "in 20 minutes whack lamp 2 to 2"
    draft = parse("<brightness_to><target> lamp 2<n> 2", meanings)
    (part,) = placed(draft, text).parts
    assert [item.at for item in part.said] == [text.index("lamp 2"), text.rindex("2")]
    told = Draft((Part("brightness_to", (Said("n", "2", at=text.rindex("2")),)),))
    assert placed(told, text).parts[0].said[0].at == text.rindex("2")
    with pytest.raises(DraftRefused):
        placed(Draft((Part("brightness_to", (Said("n", "2", at=0),)),)), text)


@pytest.mark.parametrize(
    ("sentence", "value", "unit"),
    [
        ("75 fahrenheit", 75, "F"), ("百分之三十", 30, "%"), ("华氏七十五度半", 75.5, "F"), ("七成半", 75, "%"),
        ("8 out of 10", 80, "%"), ("20 minutes", None, None), ("二十分钟", None, None), ("the lamp", None, None),
        ("99999", None, None), ("", None, None),
    ],
)  # fmt: skip
def test_the_grammar_reads_a_value_alone(
    sentence: str, value: float | None, unit: str | None, grammar: Grammar
) -> None:
    said = normalize(sentence)
    found = grammar.fragments.value(said.text, said.lang)
    assert (found.value, found.unit) == (value, unit) if found is not None else value is None


@pytest.mark.parametrize("sentence", ["bung the bulb minus 20 percent", "bung the bulb down 20 percent"])
def test_what_goes_down_by_minus_so_much_goes_down(sentence: str, filling: Filling, meanings: Meanings) -> None:
    parameter = clause(filling, meanings, sentence, "<brightness_by_down><target> the bulb<n> 20").parameter
    assert parameter is not None
    assert (parameter.op, parameter.value, parameter.unit) == ("decrease", 20, "%")


def test_a_condition_keeps_what_it_is_about(filling: Filling, meanings: Meanings) -> None:
    sentence = "should it top 85 f in the den pop the fan on"
    (made,) = clause(filling, meanings, sentence, "<turn_on><target> the fan<if_hot><room> den<n> 85").conditions
    assert isinstance(made, Condition)
    assert (made.attribute, made.comparator, made.target.areas) == ("temperature", "gt", ("den",))
