"""What a command depends on, and the model has not understood: then nothing is done before somebody says yes."""

from pathlib import Path

import pytest

from daemon.compiler.draft import Draft, Part, Said
from daemon.compiler.drafting import FILE, Conditions
from daemon.core.errors import ConfigError
from daemon.core.ir import Lang

CONDITIONS = Conditions.load(Path(__file__).resolve().parents[2] / "rules")


def on(target: str, *frames: Part) -> Draft:
    return Draft((Part("turn_on", (Said("target", target),), frames),))


@pytest.mark.parametrize(
    ("lang", "text", "target"),
    [
        ("en", "spark the hall lamp up once my sister has parked", "the hall lamp"),
        ("en", "hall lamp on unless its still bright out", "hall lamp"),
        ("en", "before the film starts get the fan going", "the fan"),
        ("en", "every morning id like the kettle going", "the kettle"),
        ("en", "the minute she nods off put the night light on", "the night light"),
        ("en", "if they ring the bell the hall lamp should come on", "the hall lamp"),
        ("zh", "除非外面还亮着把廊灯打开", "廊灯"),
        ("zh", "娃睡着了再把夜灯点上", "夜灯"),
        ("zh", "每天早上给我把水壶烧上", "水壶"),
        ("zh", "等我妹停好车把廊灯整亮", "廊灯"),
        ("zh", "天一黑了就把廊灯整亮", "廊灯"),
    ],
)
def test_a_condition_that_was_not_understood_is_noticed(lang: Lang, text: str, target: str) -> None:
    assert CONDITIONS.left_out(text, lang, on(target))


@pytest.mark.parametrize(
    ("lang", "text", "frame", "left_out"),
    [
        ("en", "hall lamp on if the telly is going", Part("if_on", (Said("target", "the telly"),)), False),
        ("en", "hall lamp on after ten minutes", Part("delayed", (Said("duration", "ten minutes"),)), False),
        (
            "en",
            "hall lamp on in ten minutes unless she naps",
            Part("delayed", (Said("duration", "ten minutes"),)),
            True,
        ),
        ("en", "hall lamp on ten minutes before dawn", Part("for_a_while", (Said("duration", "ten minutes"),)), True),
        ("zh", "十分钟以后把hall lamp点上", Part("delayed", (Said("duration", "十分钟"),)), False),
        ("zh", "十分钟以后把hall lamp点上除非她睡了", Part("delayed", (Said("duration", "十分钟"),)), True),
    ],
)
def test_beside_what_was_understood_of_it_as_well(lang: Lang, text: str, frame: Part, left_out: object) -> None:
    assert CONDITIONS.left_out(text, lang, on("hall lamp", frame)) is left_out


@pytest.mark.parametrize(
    ("lang", "text", "target"),
    [
        ("en", "would you pop the hall lamp on if you dont mind", "the hall lamp"),
        ("en", "get the fan going once more", "the fan"),
        ("en", "put the iffy lamp on, its beforehand im thinking of", "the iffy lamp"),  # parts of words are none
        ("en", "fire up the when in doubt lamp", "the when in doubt lamp"),  # nor are names
        ("en", "hall lamp on when you get a chance", "hall lamp"),
        ("zh", "要是方便的话把廊灯点上", "廊灯"),
        ("zh", "把等到花开灯点上", "等到花开灯"),
        ("zh", "廊灯整亮点儿就好了", "廊灯"),
    ],
)
def test_what_only_sounds_like_one_is_none(lang: Lang, text: str, target: str) -> None:
    assert not CONDITIONS.left_out(text, lang, on(target))


@pytest.mark.parametrize(
    ("lang", "text", "asks"),
    [
        ("en", "what does supper time do", True),
        ("en", "why did the fan go off", True),
        ("en", "does the fan hum", True),
        ("en", "so the fan, what happens with it", True),
        ("en", "what about a bit of fan", False),
        ("en", "could you get the fan going", False),
        ("en", "why not get the fan going", False),
        ("en", "the fan that is in the hall, get it going", False),
        ("zh", "晚饭模式会做什么", True),
        ("zh", "风扇怎么回事", True),
        ("zh", "廊灯是不是坏了", True),
        ("zh", "廊灯亮了吗", True),
        ("zh", "能不能给我把廊灯整亮", False),
        ("zh", "怎么还不给我把廊灯整亮", False),
        ("zh", "把廊灯整亮行吗", False),
        ("zh", "把廊灯整亮", False),
    ],
)
def test_a_question_is_none_that_only_asks_politely(lang: Lang, text: str, asks: object) -> None:
    assert CONDITIONS.asks(text, lang) is asks


def test_where_nothing_is_to_be_done_nothing_depends() -> None:
    assert not CONDITIONS.left_out("if only", "en", Draft(verdict="nothing"))


@pytest.mark.parametrize(
    ("lang", "text", "draft", "left_out"),
    [
        ("en", "give us the fan for ten minutes", on("the fan"), True),
        ("en", "fan on at half past six pm", on("fan"), True),
        ("en", "give us the fan, it went off a few minutes ago", on("the fan"), False),
        ("en", "lamp at 30 percent", Draft((Part("brightness_to", (Said("target", "lamp"), Said("n", "30"))),)), False),
        ("en", "hop three tracks ahead", Draft((Part("next"),)), True),
        ("en", "lamp three on will you", on("lamp three"), False),
        ("zh", "往后跳三首", Draft((Part("next"),)), True),
        ("zh", "风扇吹它二十分钟", on("风扇"), True),
        ("zh", "把风扇弄成开的", on("风扇"), False),
    ],
)
def test_an_amount_that_was_not_understood_is_noticed(lang: Lang, text: str, draft: Draft, left_out: object) -> None:
    assert CONDITIONS.left_out(text, lang, draft) is left_out


@pytest.mark.parametrize(
    ("lang", "text", "draft", "left_out"),
    [
        ("en", "get the lamps down to ten but not the one by the bed", on("the lamps"), True),
        ("en", "lamps on apart from hers", on("lamps"), True),
        (
            "en",
            "kill the lamps apart from hers",
            Draft((Part("off_except", (Said("set", "the lamps"), Said("but", "hers"))),)),
            False,
        ),
        ("en", "not bad, lamps on", on("lamps"), False),
        ("zh", "除了床头那个灯都给整亮", on("灯"), True),
        ("zh", "灯都给整亮，床头的留着", on("灯"), True),
        ("zh", "灯都给整亮", on("灯"), False),
    ],
)
def test_what_is_spared_is_not_lost(lang: Lang, text: str, draft: Draft, left_out: object) -> None:
    assert CONDITIONS.left_out(text, lang, draft) is left_out


def write(rules: Path, text: str) -> None:
    (rules / "en").mkdir()
    (rules / "en" / FILE).write_text(text + "\n", encoding="utf-8")


NONE = (
    "{depends: [], measures: [], harmless: [], framing: [], otherwise: [], "
    "spares: [], asks: [], begins: [], polite: []}"
)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("depends: [if]\nmeasures: []\nframing: []", "harmless is missing"),
        ("measures: []\nharmless: []\nframing: []\ndepends: {if: 1}", "4 depends this is a mapping"),
        ("depends: []\nmeasures: []\nharmless: []\nframing: []\nx: []", '5 x unknown key "x"'),
    ],
)
def test_a_wrong_file_is_told_with_its_line(text: str, complaint: str, tmp_path: Path) -> None:
    write(tmp_path, text)
    with pytest.raises(ConfigError) as told:
        Conditions.load(tmp_path)
    assert complaint in str(told.value).replace(":", "")
    assert FILE in str(told.value)


def test_a_list_without_words_finds_nothing(tmp_path: Path) -> None:
    write(tmp_path, NONE)
    assert not Conditions.load(tmp_path).left_out("if it rains lamp on", "en", on("lamp"))


def test_a_language_without_such_a_file_has_none(tmp_path: Path) -> None:
    write(tmp_path, NONE)
    made = Conditions.load(tmp_path)
    assert not made.left_out("除非外面还亮着把廊灯打开", "zh", on("廊灯"))
    assert made.left_out("廊灯调到 30", "zh", on("廊灯")), "a digit is an amount in any language"
