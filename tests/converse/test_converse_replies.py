"""The reply tables: complete in every language, and deaf to what names and payloads may contain."""

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from daemon.converse.replies import Replies
from daemon.core.errors import ConfigError
from tests.rules import REPLIES
from tests.tables import read_table

RULES = Path(__file__).resolve().parents[2] / "rules"
TABLES = {path.parent.name: read_table(path) for path in RULES.glob("*/replies.yaml")}
PLACE = re.compile(r"{(\w+)}")


def test_there_are_english_and_chinese() -> None:
    assert {"en", "zh"} <= set(TABLES)


@pytest.mark.parametrize("lang", sorted(TABLES))
@pytest.mark.parametrize("section", sorted(TABLES["en"]))
def test_every_language_has_the_same_keys(lang: str, section: str) -> None:
    # Where the parts of a day begin, which words are plurals, what is counted with what: that is the language's own.
    if section not in ("dayparts", "plurals", "measures"):
        assert set(TABLES[lang][section]) == set(TABLES["en"][section])


@pytest.mark.parametrize("key", sorted(key for key in TABLES["en"]["sentences"] if not key.startswith("clock.")))
def test_every_language_has_the_same_places(key: str) -> None:
    places = {lang: set(PLACE.findall(str(table["sentences"][key]))) for lang, table in TABLES.items()}
    assert all(found == places["en"] for found in places.values())


@pytest.mark.parametrize("lang", sorted(TABLES))
def test_both_forms_have_the_same_places(lang: str) -> None:
    for forms in TABLES[lang]["sentences"].values():
        if isinstance(forms, dict):
            assert {"one"} < set(forms) <= {"one", "many", "none", "same"}
            # One is said without its number, and many may be too many to be named.
            assert set(PLACE.findall(forms.get("many", ""))) - {"n"} <= set(PLACE.findall(forms["one"]))


@pytest.mark.parametrize(
    ("name", "lang", "said"),
    [
        ("Attic temperature", "en", "Attic temperature is 9."),
        ("Attic sensor", "en", "Attic sensor: temperature is 9."),
        ("阁楼温度", "zh", "阁楼温度是9。"),
        ("阁楼", "zh", "阁楼的温度是9。"),
    ],
)
def test_what_a_name_says_itself_is_not_said_twice(name: str, lang: str, said: str) -> None:
    word = REPLIES.attribute("temperature", lang)
    assert REPLIES.say("answer.value", lang, name=name, attribute=word, value=9) == said


@pytest.mark.parametrize(
    ("items", "lang", "said"),
    [
        (["TV"], "en", "TV"),
        (["TV", "fan"], "en", "TV and fan"),
        (["TV", "fan", "lamp"], "en", "TV, fan and lamp"),
        (["a", "b", "c", "d", "e"], "en", "a, b, c and 2 more"),
        (["灯", "风扇"], "zh", "灯和风扇"),
        (["a", "b", "c", "d", "e"], "zh", "a、b、c等，还有2个"),
        (["same", "same"], "en", "same"),
    ],
)
def test_names_are_listed_as_they_are_spoken(items: list[str], lang: str, said: str) -> None:
    assert REPLIES.names(items, lang) == said


@pytest.mark.parametrize(
    ("value", "attribute", "unit", "lang", "said"),
    [
        (21.5, "temperature", "C", "en", "21.5 °C"),
        (21.0, "temperature", "C", "zh", "21度"),
        (40, "brightness", "%", "zh", "百分之40"),
        ("on", "state", None, "en", "on"),
        ("on", "contact", None, "en", "open"),
        ("off", "motion", None, "zh", "没动静"),
        (True, "plug", None, "en", "yes"),
        (True, "muted", None, "en", "muted"),
        ("sleep", "mode", None, "en", "sleep"),
        (float("nan"), "power", "W", "en", "? watts"),
    ],
)
def test_values_are_said_in_words(value: object, attribute: str, unit: str | None, lang: str, said: str) -> None:
    assert REPLIES.value(value, lang, attribute=attribute, unit=unit) == said


@pytest.mark.parametrize(
    ("name", "lang", "said"),
    [
        ("p17", "en", "fizz rate"),
        ("p18", "zh", "泡泡量"),
        # In the other language, nobody told what it is called.
        ("p17", "zh", "p17"),
        ("p18", "en", "p18"),
        ("wobbleFactor", "en", "wobble factor"),
        # What there is a word for is called so, whatever its maker says.
        ("brightness", "en", "brightness"),
        ("child_lock", "zh", "童锁"),
    ],
)
def test_a_setting_without_a_word_is_called_as_its_maker_says(name: str, lang: str, said: str) -> None:
    labels = {
        ("p17", "en"): "fizz rate",
        ("p18", "zh"): "泡泡量",
        ("brightness", "en"): "glow",
        ("child_lock", "zh"): "锁",
    }
    labelled = REPLIES.labelled(lambda name, lang: labels.get((name, lang)))
    assert labelled.attribute(name, lang) == said
    assert labelled.languages == REPLIES.languages
    assert REPLIES.attribute("p17", "en") == "p17"


@pytest.mark.parametrize(
    ("items", "en", "zh"),
    [
        (["a"], "a", "a"),
        (["a", "b"], "a and b", "a，再b"),
        (["a", "b", "c", "d"], "a, b, c and d", "a，b，c，再d"),
        (["a", "b", "a"], "a and b", "a，再b"),
    ],
)
def test_what_is_to_be_done_is_listed_whole(items: list[str], en: str, zh: str) -> None:
    assert (REPLIES.acts(items, "en"), REPLIES.acts(items, "zh")) == (en, zh)


@given(name=st.text(alphabet="ab{}names 灯").map(str.strip).filter(bool))
def test_a_name_is_never_a_template(name: str) -> None:
    said = REPLIES.say("done.state.on", "en", names=name)
    assert said == name.replace("{", "(").replace("}", ")") + " is on."


def test_one_and_many_differ() -> None:
    assert REPLIES.say("done.state.off", "en", n=1, names="Lamp") == "Lamp is off."
    assert REPLIES.say("done.state.off", "en", n=2, names="Lamps") == "Lamps are off."


def test_sentences_are_joined_once_each() -> None:
    assert REPLIES.sentences(["A.", "", "B.", "A."], "en") == "A. B."
    assert REPLIES.sentences(["好。", "行。"], "zh") == "好。行。"


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has no language"):
        Replies.load(tmp_path)


def test_a_missing_sentence_is_named(tmp_path: Path) -> None:
    for lang, table in TABLES.items():
        changed = dict(table)
        if lang == "zh":
            changed["sentences"] = {key: text for key, text in table["sentences"].items() if key != "cancelled"}
        (tmp_path / lang).mkdir()
        (tmp_path / lang / "replies.yaml").write_text(yaml.safe_dump(changed, allow_unicode=True), "utf-8")
    with pytest.raises(ConfigError, match=r"zh/replies\.yaml: sentences\.cancelled: is missing"):
        Replies.load(tmp_path)


def test_a_broken_table_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "replies.yaml").write_text("sentences:\n  a: [\n", "utf-8")
    with pytest.raises(ConfigError, match=r"en/replies\.yaml:3"):
        Replies.load(tmp_path)


def test_every_sentence_is_said_somewhere() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in RULES.with_name("daemon").rglob("*.py"))
    # Put together in daemon/converse/wording.py and its neighbours.
    acts = (
        "done.",
        "ended.",
        "already.",
        "unconfirmed.",
        "unsupported.",
        "implausible.",
        "ask.",
        "fact.",
        "answer.usual.",
    )
    times = (
        "happens.",
        "given.",
        "do.",
        "later.",
        "weekday.",
        "month.",
        "sun.",
        "hours.",
        "forbidden.kept.",
        "forbidden.brief.",
    )
    # In daemon/decide/parts.py.
    parts = ("unheeded.bare.",)
    # In daemon/lists/lists.py and daemon/decide/kept.py, and in daemon/understand/unable.py.
    lists = ("list.", "unable.")
    # In daemon/converse/answering.py.
    families = (*lists, *acts, *times, *parts, "no_option.", "answer.yes.", "answer.no.")
    sentences = TABLES["en"]["sentences"]
    assert [key for key in sentences if not key.startswith(families) and f'"{key}"' not in source] == []
    assert [key for key in TABLES["en"]["options"] if f'option("{key}"' not in source] == []
