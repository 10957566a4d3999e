"""Every meaning, said in the plainest way, is what the grammar makes of it."""

from pathlib import Path
from typing import Any, Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.compiler.draft import Draft, Part, Said, parse
from daemon.compiler.filling import Filling
from daemon.compiler.meanings import SLOTS, Meaning, Meanings
from daemon.core.errors import ConfigError, IRError
from daemon.core.ir import Kind, Lang
from daemon.core.values import replace, to_dict
from daemon.understand.grammar import Grammar
from daemon.understand.names import NamedThing, NameTable
from daemon.understand.normalize import normalize
from models.train.writing import write
from tests.tables import read_table

PLAIN = read_table(Path(__file__).parent / "plain.yaml")
WORDS = {
    "en": {
        "target": "the desk lamp", "n": "30", "color": "red", "mode": "cool", "source": "hdmi 1", "title": "jazz",
        "room": "kitchen", "duration": "ten minutes", "time": "half past six", "name": "movie night", "word": "bread",
        "set": "all the lights", "but": "the desk lamp",
    },
    "zh": {
        "target": "床头灯", "n": "30", "color": "红色", "mode": "制冷", "source": "hdmi 1", "title": "周杰伦",
        "room": "厨房", "duration": "十分钟", "time": "晚上八点", "name": "电影之夜", "word": "鸡蛋",
        "set": "所有的灯", "but": "床头灯",
    },
}  # fmt: skip
COVERS = {"open", "close", "position_to", "half_open", "is_open", "if_open", "negated_open", "negated_close"}
SETS = {"any_on", "which_on", "count_on", "any_open", "which_open"}
CASES = [(name, lang) for name, said in PLAIN.items() for lang in said]


def words_for(name: str, lang: str) -> dict[str, str]:
    words = dict(WORDS[lang])
    if name in COVERS:
        words["target"] = {"en": "the curtain", "zh": "窗帘"}[lang]
    if name in SETS:
        words["target"] = {"en": "lights" if name != "any_on" else "light", "zh": "灯"}[lang]
        if name.endswith("_open"):
            words["target"] = {"en": "windows" if name != "any_open" else "window", "zh": "窗户"}[lang]
    if name in ("warmer", "cooler"):
        words["target"] = {"en": "the thermostat", "zh": "空调"}[lang]
    if name == "close_except":
        words |= {"set": {"en": "all the curtains", "zh": "所有的窗帘"}[lang]}
        words |= {"but": {"en": "the left curtain", "zh": "左边的窗帘"}[lang]}
    if name == "who_home":
        words["name"] = "bob"
    return words


def plain(value: Any) -> Any:
    """As data, less how sure it is."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key != "confidence"}
    return [plain(item) for item in value] if isinstance(value, list) else value


def drafted(name: str, lang: str, meanings: Meanings) -> tuple[str, Draft]:
    """The plain sentence for a meaning, and the draft that a perfect model makes of it."""
    words = words_for(name, lang)
    command = {"en": "turn on the fan", "zh": "打开风扇"}[lang]
    fan = {"en": "the fan", "zh": "风扇"}[lang]
    sentence = PLAIN[name][lang]
    said = tuple(Said(slot, words[slot]) for slot in SLOTS if f"{{{slot}}}" in sentence)
    for slot, word in words.items():
        sentence = sentence.replace(f"{{{slot}}}", word)
    if "{cmd}" not in sentence:
        return sentence, Draft((Part(name, said),))
    return sentence.replace("{cmd}", command), Draft((Part("turn_on", (Said("target", fan),), (Part(name, said),)),))


@pytest.mark.parametrize(("name", "lang"), CASES)
def test_a_meaning_is_what_the_grammar_makes_of_its_plainest_sentence(
    name: str, lang: Lang, meanings: Meanings, grammar: Grammar
) -> None:
    scenes = [NamedThing(WORDS[lang]["name"], "scene"), NamedThing("bob", "person")]
    names = grammar.names(scenes if name in ("scene", "who_home") else [])
    sentence, draft = drafted(name, lang, meanings)
    said = normalize(sentence, lang)
    read = grammar.read(said, names)
    assert read, sentence
    made = Filling(meanings, grammar).program(draft, said, names)
    assert plain(to_dict(made)["clauses"]) == plain(to_dict(read[0])["clauses"]), sentence


@pytest.mark.parametrize(("name", "lang"), CASES)
def test_a_draft_survives_being_written_and_read(name: str, lang: Lang, meanings: Meanings) -> None:
    sentence, draft = drafted(name, lang, meanings)
    assert parse(write(draft, normalize(sentence).text), meanings) == draft


def test_every_meaning_has_a_plain_sentence_or_is_known_to_have_none(meanings: Meanings) -> None:
    said = {item.id for item in (*meanings.commands, *meanings.frames)}
    assert said - set(PLAIN) == {"need_clean", "polite"} & said
    assert set(PLAIN) <= said


_NAMES = st.lists(st.sampled_from(["the", "red", "lamp", "by", "sofa", "2", "50", "bob"]), min_size=1, max_size=4)


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    meanings = Meanings.load(Path(__file__).resolve().parents[2] / "rules")

    def part(pool: list[Meaning]) -> Part:
        meaning = draw(st.sampled_from(pool))
        said = []
        for slot in meaning.slots:
            if draw(st.booleans()):
                kind = draw(st.sampled_from([None, "tv", "heater"])) if slot in ("target", "set", "but") else None
                said.append(Said(slot, " ".join(draw(_NAMES)), cast("Kind | None", kind)))
        return Part(meaning.id, tuple(said))

    commands, frames = list(meanings.commands), list(meanings.frames)
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        around = tuple(part(frames) for _ in range(draw(st.integers(0, 2))))
        parts.append(replace(part(commands), frames=around))
    return Draft(tuple(parts))


@given(drafts())
def test_any_draft_survives_being_written_and_read(draft: Draft) -> None:
    meanings = Meanings.load(Path(__file__).resolve().parents[2] / "rules")
    words = [item.words for part in draft.parts for piece in (part, *part.frames) for item in piece.said]
    assert parse(write(draft, " and ".join(words)), meanings) == draft


@pytest.mark.parametrize("verdict", ["nothing", "unsure"])
def test_a_verdict_survives_as_well(verdict: Literal["nothing", "unsure"], meanings: Meanings) -> None:
    assert parse(write(Draft(verdict=verdict), "hello"), meanings) == Draft(verdict=verdict)


@pytest.mark.parametrize(
    "text",
    [
        "", "hello", "<turn_on>the lamp", "<target> the lamp", "<turn_on><target>", "<turn_on><two>", "<two><turn_on>",
        "<delayed><duration> ten minutes", "<turn_on><is:tv>", "<turn_on><target> the lamp<is:sofa>", "<explode>",
        "<turn_on><target> a<is:tv><is:tv>", "<nothing><turn_on>", "<turn_on><two><delayed>", "<polite>", "x<nothing>",
    ],
)  # fmt: skip
def test_what_is_no_draft_is_refused(text: str, meanings: Meanings) -> None:
    with pytest.raises(IRError):
        parse(text, meanings)


@pytest.mark.parametrize(
    ("sentence", "draft"),
    [
        ("make it so", Draft((Part("brightness_to", (Said("n", "so"),)),))),
        ("make it so", Draft((Part("brightness_to"),))),
        ("make it so", Draft((Part("color_to", (Said("color", "so"),)),))),
        ("do it then", Draft((Part("turn_on", (), (Part("timed", (Said("time", "then"),)),)),))),
        ("do it then", Draft((Part("turn_on", (Said("target", "it"), Said("target", "it"))),))),
        ("hm", Draft(verdict="nothing")),
        # What was not said, and what would have to be said twice.
        ("do it then", Draft((Part("turn_on", (Said("target", "the lamp"),)),))),
        ("lamp 2", Draft((Part("brightness_to", (Said("target", "lamp 2"), Said("n", "2"))),))),
        ("lamp on", Draft((Part("turn_on", (Said("target", "lamp"),)), Part("turn_off", (Said("target", "lamp"),))))),
    ],
)
def test_words_that_say_no_such_thing_make_no_program(
    sentence: str, draft: Draft, meanings: Meanings, grammar: Grammar
) -> None:
    with pytest.raises(IRError):
        Filling(meanings, grammar).program(draft, normalize(sentence), NameTable(()))


def test_a_kind_is_only_a_hint_where_the_words_say_none(meanings: Meanings, grammar: Grammar) -> None:
    filling = Filling(meanings, grammar)
    said = normalize("flick the goggle box and the fan")
    box = filling.target(Said("target", "the goggle box", "tv"), said, NameTable(()))
    fan = filling.target(Said("target", "the fan", "tv"), said, NameTable(()))
    assert (box.mention, box.kind, fan.kind) == ("goggle box", "tv", "fan")


@pytest.mark.parametrize(
    "text",
    [
        "act: {a: {about: x, clause: {intent: act, targets: [$nobody]}}}",
        "act: {a: {about: x, klause: {intent: act}}}",
        "act: {a: {about: x, clause: 3}}",
        "act: {a: {about: x}}\nquery: {a: {about: x}}",
        "act: 5",
    ],
)
def test_a_wrong_file_is_told(text: str, tmp_path: Path) -> None:
    (tmp_path / "meanings.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError):
        Meanings.load(tmp_path)
