from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.core.errors import ConfigError
from daemon.core.ir import DialogueMove, Order, Program, Timer
from daemon.core.vocabulary import ATTRIBUTES
from daemon.understand.grammar import Grammar
from daemon.understand.names import NamedThing, NameTable
from daemon.understand.normalize import Normalized, normalize

RULES = Path(__file__).parents[2] / "rules"
ENGLISH = [
    "turn",
    "on",
    "off",
    "the",
    "lamp",
    "kitchen",
    "all",
    "except",
    "if",
    "and",
    "to",
    "50",
    "percent",
    "is",
    "not",
    "no",
    "i mean",
    ",",
    "frob",
]
CHINESE = [
    "把",
    "灯",
    "打开",
    "关",
    "客厅",
    "的",
    "所有",
    "除了",
    "如果",
    "和",
    "调到",
    "百分之",
    "不是",
    "说错了",
    "，",
    "嘎",
]
WORDS = st.lists(st.sampled_from(ENGLISH + CHINESE), max_size=14)


@given(st.text(max_size=300) | WORDS.map(" ".join) | WORDS.map("".join))
@settings(max_examples=300)
def test_any_text_returns_readings_in_order(grammar: Grammar, home: NameTable, text: str) -> None:
    readings = grammar.read(normalize(text), home)
    assert [item.confidence for item in readings] == sorted((item.confidence for item in readings), reverse=True)
    assert all(0 <= clause.confidence <= 1 for item in readings for clause in item.clauses)


def test_every_state_of_the_lexicon_is_one_of_an_attribute(grammar: Grammar) -> None:
    assert {value.split()[0] for value in grammar.lexicon.words("STATE").values()} <= ATTRIBUTES


def test_what_is_meant_instead_may_be_unknown(grammar: Grammar, home: NameTable) -> None:
    assert grammar.read(normalize("start the car and wait for me and switch lanes"), home) == ()


@pytest.mark.parametrize(
    "piece", ["turn on the lamp and ", "把灯打开", "((((", "the ", "除了", "if ", "a,", "二", "\ue000"]
)
def test_ten_thousand_characters_are_no_command(grammar: Grammar, home: NameTable, piece: str) -> None:
    assert grammar.read(normalize(piece * (10_000 // len(piece))), home) == ()


@pytest.mark.parametrize(
    "text", ["turn on spots 1 to 99999999999", "打开射灯1到99999999999号", "打开前99999999999盏射灯", "射灯至7号不算"]
)
def test_a_row_has_an_end_and_a_beginning(grammar: Grammar, home: NameTable, text: str) -> None:
    programs = grammar.read(normalize(text), home)
    assert all(len(clause.targets) <= 100 for program in programs for clause in program.clauses)


@pytest.mark.parametrize("text", ["turn on the tv" + " no turn on the tv" * 30, "打开灯" + "不对打开灯" * 110])
def test_endless_corrections_end_in_one_command_or_none(grammar: Grammar, home: NameTable, text: str) -> None:
    assert all(len(program.clauses) == 1 for program in grammar.read(normalize(text), home))


@pytest.mark.parametrize(
    ("asked", "done"),
    [
        ("turn on the lamp or the fan", "turn on the lamp and the fan"),
        ("turn on the lights in the kitchen or bedroom", "turn on the lights in the kitchen and bedroom"),
        ("turn on the lamp, ask me first", "turn on the lamp"),
        ("打开台灯或者风扇", "打开台灯和风扇"),
        ("打开台灯,先问我", "打开台灯"),
        ("set the lamp to green and red", "set the lamp to 50 and red"),
        ("turn off the lamp or the fan", "dont turn off the lamp or the fan"),
    ],
)
def test_what_leaves_a_choice_is_asked_about(grammar: Grammar, home: NameTable, asked: str, done: str) -> None:
    def open_to_choice(program: Program) -> bool:
        return program.needs_fallback or any(clause.either for clause in program.clauses)

    assert all(open_to_choice(program) for program in grammar.read(normalize(asked), home))
    assert not open_to_choice(grammar.read(normalize(done), home)[0])


@given(st.permutations(["the kitchen light", "the tv", "the old friend", "the bedroom lamp"]))
def test_clauses_keep_their_order(grammar: Grammar, home: NameTable, names: list[str]) -> None:
    sentence = " and ".join(f"turn {'on' if index % 2 else 'off'} {name}" for index, name in enumerate(names))
    (best, *_) = grammar.read(normalize(sentence), home)
    assert [clause.targets[0].mention for clause in best.clauses] == [name.removeprefix("the ") for name in names]
    assert [clause.action for clause in best.clauses] == ["turn_off", "turn_on", "turn_off", "turn_on"]


def test_ten_clauses(grammar: Grammar, home: NameTable) -> None:
    assert len(grammar.read(normalize(", ".join(["turn on the kitchen light"] * 10)), home)[0].clauses) == 10
    assert len(grammar.read(normalize("，".join(["打开厨房灯"] * 10)), home)[0].clauses) == 10


ENGLISH_LATER = ["in five minutes", "tomorrow at seven", "at half past nine", "at sunset", "in an hour"]
CHINESE_LATER = ["五分钟后", "明天早上七点", "半小时之后", "日落的时候", "七点半", "今晚八点", "天黑以后", "过十分钟"]


@given(
    st.sampled_from(["turn off", "turn on"]),
    st.permutations(["the old friend", "the tv", "the bedroom lamp"]),
    st.sampled_from([", {when} ", ", and {when} ", " and {when}, ", " and then {when} "]),
    st.sampled_from(ENGLISH_LATER),
)
def test_what_is_for_later_is_not_for_now(
    grammar: Grammar, home: NameTable, verb: str, names: list[str], join: str, when: str
) -> None:
    sentence = f"{verb} {names[0]}{join.format(when=when)}{verb} {names[1]}"
    _now_and_later(grammar, home, sentence, names[0].removeprefix("the "), names[1].removeprefix("the "))


@given(
    st.sampled_from(["打开", "关掉", "关闭"]),
    st.permutations(["老伙计", "电视", "关爱灯"]),
    st.sampled_from(["{when}", "，{when}", "，{when}再", "然后{when}", "{when}再"]),
    st.sampled_from(CHINESE_LATER),
)
def test_what_is_for_later_in_chinese_is_not_for_now(
    grammar: Grammar, home: NameTable, verb: str, names: list[str], join: str, when: str
) -> None:
    _now_and_later(grammar, home, f"{verb}{names[0]}{join.format(when=when)}{verb}{names[1]}", names[0], names[1])


def _now_and_later(grammar: Grammar, home: NameTable, sentence: str, now: str, later: str) -> None:
    readings = grammar.read(normalize(sentence), home)
    assert readings, sentence
    told = [(clause.targets[0].mention, clause.when is not None) for clause in readings[0].clauses]
    assert told == [(now, False), (later, True)], sentence


def test_excluded_names_are_never_targets(grammar: Grammar, home: NameTable) -> None:
    for sentence in [
        "turn off all the lights except the bedroom lamp",
        "关掉所有的灯,除了老伙计",
        "把除了老伙计以外的灯都关掉",
    ]:
        clause = grammar.read(normalize(sentence), home)[0].clauses[0]
        assert clause.excluded
        assert not {item.mention for item in clause.excluded} & {item.mention for item in clause.targets}


def confidence(grammar: Grammar, home: NameTable, sentence: str) -> float:
    readings = grammar.read(normalize(sentence), home)
    return readings[0].confidence if readings else 0.0


def test_confidence_falls_from_names_to_guesses(grammar: Grammar, home: NameTable) -> None:
    ladder = [
        "turn on the bedroom lamp",  # a name of this home
        "turn on the lamp",  # a kind
        "turn on the cellar lamp",  # a room that this home may not have
        "turn on the thingamajig",  # any word
        "turn on the thing that i bought yesterday with anna at the shop",  # hardly a name
        "its too dark in here",  # not a command at all
    ]
    found = [confidence(grammar, home, sentence) for sentence in ladder]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found)
    assert found[0] == grammar.sure.name


def test_a_need_asks_first(grammar: Grammar, home: NameTable) -> None:
    for sentence in ["its too dark in here", "有点冷"]:
        program = grammar.read(normalize(sentence), home)[0]
        assert program.clauses[0].implicit
        assert program.needs_fallback


def test_broken_off_sentences_say_what_is_missing(grammar: Grammar, home: NameTable) -> None:
    for sentence, missing in [
        ("turn on the", "target"),
        ("把", "target"),
        ("set the temperature", "value"),
        ("把灯", "value"),
    ]:
        program = grammar.read(normalize(sentence), home)[0]
        assert (program.missing, program.needs_fallback) == (missing, True)


def test_an_answer_may_also_be_a_command(grammar: Grammar, home: NameTable) -> None:
    first, second = grammar.read(normalize("stop"), home), grammar.read(normalize("volume 20"), home)
    assert isinstance(first[0].clauses[0], DialogueMove)
    assert not isinstance(second[0].clauses[0], DialogueMove)


def test_a_place_at_the_end_may_be_meant_for_both(grammar: Grammar, home: NameTable) -> None:
    readings = grammar.read(normalize("close the curtain and dim the lights in the bedroom"), home)
    assert readings[0].clauses[0].targets[0].areas == ()
    assert readings[1].clauses[0].targets[0].areas == ("bedroom",)
    assert readings[1].confidence < readings[0].confidence


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("dim the bedroom lamp a bit", '"the bedroom lamp" target'),
        ("dim the bedroom lamp sideways", '"sideways" left over'),
        ("set the bedroom lamp to", "(no frame has these)"),
        ("dim the bedroom lamp unless", "no part fits at 'unless'"),
        ("把关爱灯调暗一点", '"关爱灯" target'),
        ("把关爱灯调到", "(no frame has these)"),
    ],
)
def test_an_explanation_tells_what_parts_a_text_has(grammar: Grammar, home: NameTable, said: str, told: str) -> None:
    shown, *rows = grammar.explain(normalize(said), home)
    assert "<" in shown
    assert told in "\n".join(rows)


def test_an_explanation_without_words_says_nothing(grammar: Grammar, home: NameTable) -> None:
    assert grammar.explain(normalize(""), home) == [""]


def test_both_languages_in_one_sentence(grammar: Grammar, home: NameTable) -> None:
    assert grammar.read(normalize("把TV打开"), home)[0].clauses[0].targets[0].mention == "tv"
    assert grammar.read(normalize("turn on 老伙计"), home)[0].clauses[0].targets[0].mention == "老伙计"


def test_kind_words_are_kinds(grammar: Grammar) -> None:
    words = grammar.lexicon.kind_words
    assert words["lights"] == words["灯"] == "light"
    assert words["robot vacuum"] == words["扫地机器人"] == "vacuum"


def test_nothing_is_spotted_without_a_home(grammar: Grammar) -> None:
    program = grammar.read(normalize("turn on the kitchen lights"), NameTable())[0]
    assert program.clauses[0].targets[0].areas == ("kitchen",)
    assert program.confidence == grammar.sure.room < grammar.sure.kind


def broken(tmp_path: Path, **changes: str) -> Path:
    """The rules, with these files ("en/lexicon.yaml") written anew."""
    names = ["grammar.peg", "confidence.yaml", "frames.yaml"]
    names += [f"{lang}/{name}" for lang in ("en", "zh") for name in ("grammar.peg", "lexicon.yaml")]
    names += [f"{lang}/parts.peg" for lang in ("en", "zh") if f"{lang}/grammar.peg" not in changes]
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(changes.get(name) or (RULES / name).read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "text", "line", "problem"),
    [
        ("en/grammar.peg", "en <- Clause_en\n\nClause_en <- gone", 3, "gone is not defined"),
        ("zh/grammar.peg", "# nothing", None, "no rule to start from"),
        ("zh/grammar.peg", "zh <- zh_a\nzh_a <- zh_b\nzh_b <- zh_a", 3, "begins with itself"),
        ("zh/grammar.peg", 'zh <- action__set\naction__set <- ""', None, "also defined in"),
        ("en/lexicon.yaml", "words:\n  COLOR:\n    red: [red]\n", 3, "not a list of words"),
        ("en/lexicon.yaml", "words: {}\nwrods: {}\n", 2, 'unknown key "wrods"'),
        ("en/lexicon.yaml", "words: {\n", 2, "expected"),
        ("en/lexicon.yaml", "- words\n", 1, "write a mapping"),
        ("zh/lexicon.yaml", "numbers:\n  units: {一: one}\n", 2, "write a number"),
        ("zh/lexicon.yaml", "fillers:\n  middle: 啊\n", 2, 'unknown key "middle"'),
        ("en/lexicon.yaml", "verbs:\n  turn: turning\n", 2, "does not have two forms"),
    ],
)
def test_a_mistake_is_told_with_file_and_line(
    tmp_path: Path, file: str, text: str, line: int | None, problem: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        Grammar.load(broken(tmp_path, **{file: text}))
    assert caught.value.file == tmp_path / file
    assert caught.value.line == line
    assert problem in str(caught.value)


def test_a_missing_grammar_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"grammar\.peg: is missing"):
        Grammar.load(tmp_path)


@pytest.mark.parametrize("name", ["grammar.peg", "lexicon.yaml"])
def test_what_a_language_lacks_is_told_by_name(tmp_path: Path, name: str) -> None:
    rules = broken(tmp_path)
    (rules / "zh" / name).unlink()
    with pytest.raises(ConfigError, match=f"zh/{name}: is missing"):
        Grammar.load(rules)


def test_a_phrasing_is_added_in_the_files_alone(tmp_path: Path) -> None:
    rules = broken(tmp_path)
    grammar = (rules / "en" / "grammar.peg").read_text(encoding="utf-8")
    added = grammar.replace('en_dim <- ("dim down"', 'en_dim <- ("tone down the glow of" / "dim down"', 1)
    assert added != grammar
    (rules / "en" / "grammar.peg").write_text(added, encoding="utf-8")
    made = Grammar.load(rules)
    names = made.names([NamedThing("Bedroom lamp", "device")])
    clause = made.read(normalize("tone down the glow of the bedroom lamp"), names)[0].clauses[0]
    assert clause.action == "decrease"


def test_a_third_language_is_data(tmp_path: Path) -> None:
    rules = broken(tmp_path)
    page = (RULES.parent / "docs" / "language.md").read_text(encoding="utf-8")
    section = next(part for part in page.split("```peg\n")[1:] if part.startswith("de <-")).split("```")[0]
    (rules / "de").mkdir()
    (rules / "de" / "grammar.peg").write_text(section, encoding="utf-8")
    words = (
        'numbers: {spaced: true, units: {zwanzig: 20}}\nwords: {KIND: {light: "licht, lampe"}, UNIT: {"%": prozent}}\n'
    )
    (rules / "de" / "lexicon.yaml").write_text(words, encoding="utf-8")
    made = Grammar.load(rules)
    names = made.names([NamedThing("Stehlampe", "device"), NamedThing("Küche", "area")])
    for said, action, mention, areas in [
        ("Schalte das Licht in der Küche an!", "turn_on", None, ("küche",)),
        ("mach die stehlampe aus", "turn_off", "stehlampe", ()),
        ("stell die stehlampe auf zwanzig prozent", "set", "stehlampe", ()),
    ]:
        (program, *_) = made.read(normalize(said), names)
        (clause,) = program.clauses
        assert (program.lang, clause.action, clause.targets[0].mention) == ("de", action, mention)
        assert clause.targets[0].areas == areas
    assert made.read(normalize("turn on the light"), names)[0].lang == "en"


def test_a_polite_request_is_data(tmp_path: Path) -> None:
    rules = broken(tmp_path)
    lexicon = (rules / "en" / "lexicon.yaml").read_text(encoding="utf-8")
    added = lexicon.replace("requests:\n  doing: ", "requests:\n  doing: might i suggest, ", 1)
    assert added != lexicon
    (rules / "en" / "lexicon.yaml").write_text(added, encoding="utf-8")
    made = Grammar.load(rules)
    names = made.names([NamedThing("Bedroom lamp", "device")])
    (program, *_) = made.read(normalize("might i suggest switching off the bedroom lamp"), names)
    assert program.clauses[0].action == "turn_off"


@pytest.mark.parametrize("said", ["turning off the bedroom lamp", "turned off the bedroom lamp", "she switched it off"])
def test_another_form_of_the_verb_is_no_command_by_itself(grammar: Grammar, home: NameTable, said: str) -> None:
    assert grammar.read(normalize(said), home) == ()


def test_a_possessive_is_no_plural(grammar: Grammar, home: NameTable) -> None:
    (program, *_) = grammar.read(normalize("set the bedroom lamp's brightness to 40"), home)
    assert program.clauses[0].targets[0].mention == "bedroom lamp"
    assert program.clauses[0].targets[0].quantifier == "one"


def test_english_that_is_not_understood_is_not_tried_as_chinese(grammar: Grammar, home: NameTable) -> None:
    assert grammar.read(normalize("whatever the bedroom lamp did sideways"), home) == ()


@pytest.mark.parametrize(
    ("text", "written", "answered"),
    [
        ("turn on the old friend", "zh", "zh"),
        ("打开老伙计", "en", "en"),
        ("turn on 老伙计", "zh", "zh"),
        ("打开 old friend", "en", "en"),
        ("turn on 老伙计", "en", "en"),
        ("打开 old friend", "zh", "zh"),
    ],
)
def test_a_sentence_in_another_language_than_was_told_is_read_in_its_own(
    grammar: Grammar, home: NameTable, text: str, written: str, answered: str
) -> None:
    first = grammar.read(Normalized(normalize(text).text, written, text), home)[0]
    assert isinstance(first.clauses[0], Order)
    assert first.clauses[0].action in ("turn_on", "open")
    assert first.lang == answered


def test_a_word_of_another_language_does_not_make_a_sentence_talk(grammar: Grammar, home: NameTable) -> None:
    # 开始 begins sayings; that is no matter of the English rules, which the name is for.
    first = grammar.read(normalize("开始一个三分钟叫tea的计时器"), home)[0]
    assert isinstance(first.clauses[0], Timer)


def test_what_undoes_may_also_play_on(grammar: Grammar, home: NameTable) -> None:
    undone, played = grammar.read(normalize("恢复"), home)[:2]
    assert isinstance(undone.clauses[0], DialogueMove)
    assert isinstance(played.clauses[0], Order)
