"""What goes on from what was before, in free words: the plain words for it, and the model that finds them."""

from pathlib import Path

import pytest

from daemon.compiler.calibration import Calibration
from daemon.compiler.draft import Draft, Part, Said
from daemon.compiler.followups import FILE, OPEN, Follower, FollowUps, State, Topic
from daemon.compiler.loading import FOLLOWER, NAME, Wanted, compiler
from daemon.compiler.tagger import NO_SIGNS, Guess
from daemon.core.errors import ConfigError
from daemon.core.ir import Lang
from daemon.models.store import Store
from daemon.system.languages import LANGS
from daemon.understand.grammar import Grammar
from daemon.understand.names import NamedThing, NameTable
from daemon.understand.normalize import normalize

ROOT = Path(__file__).resolve().parents[2]
FOLLOWUPS = FollowUps.load(ROOT / "rules")
SAID: dict[Lang, dict[str, str]] = {
    "en": {
        "target": "the desk lamp",
        "but": "the desk lamp",
        "room": "kitchen",
        "n": "40 percent",
        "color": "green",
        "mode": "low",
        "duration": "ten minutes",
        "time": "half past nine",
        "word": "pasta",
        "title": "oat milk",
    },
    "zh": {
        "target": "书桌灯",
        "but": "书桌灯",
        "room": "厨房",
        "n": "百分之四十",
        "color": "绿色",
        "mode": "低速",
        "duration": "十分钟",
        "time": "晚上九点半",
        "word": "鸡蛋",
        "title": "牛奶",
    },
}
DAYS: dict[Lang, list[str]] = {
    "en": ["every day", "weekdays", "on mondays", "every weekend"],
    "zh": ["每天", "工作日", "周末", "周三"],
}
CURVE = Calibration((0.0,) * len(NO_SIGNS), 2.0, 0.8, 0.5)


def draft(meaning: str, lang: Lang, **said: str) -> Draft:
    slots = FOLLOWUPS.meanings.all[meaning].slots
    return Draft((Part(meaning, tuple(Said(slot, said.get(slot, SAID[lang][slot])) for slot in slots)),))


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("meaning", FOLLOWUPS.all)
def test_plain_words_are_such_as_the_grammar_reads(meaning: str, lang: Lang, grammar: Grammar) -> None:
    asks = FOLLOWUPS.all[meaning].after <= OPEN  # what is no more than an answer is read as one
    title = {"en": "jazz", "zh": "爵士乐"}[lang] if meaning == "play_other" else SAID[lang]["title"]
    every = DAYS[lang] if meaning == "every" else [SAID[lang]["time"]]
    for time in every:
        ways = FOLLOWUPS.words(draft(meaning, lang, time=time, title=title), lang)
        names = NameTable([NamedThing("书桌灯", "device"), NamedThing("desk lamp", "device")])
        read = (all(grammar.read(normalize(one, lang), names) for one in way.split("; ")) for way in ways)
        assert asks or any(read), ways


@pytest.mark.parametrize(
    ("told", "en", "zh", "wrong"),
    [
        ("a: {about: x, after: did}", "to {n}", "调", "same slots"),
        ("a: {about: x, after: did}", "to {many}", "调到{many}", "same slots"),
        ("a: {about: x, after: never}", "go", "好", "unknown word never"),
        ("a: {about: x, after: did, of: lights}", "go", "好", "unknown word lights"),
        ("a: {about: x, after: did}", "go", None, "each language"),
        ("a: {about: x, after: did}", None, None, "each language"),
    ],
)
def test_a_wrong_table_is_refused(told: str, en: str | None, zh: str | None, wrong: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(f"it:\n  {told}\n", encoding="utf-8")
    for lang, words in (("en", en), ("zh", zh)):
        (tmp_path / lang).mkdir()
        line = f"a: '{words}'\n" if words is not None else "{}\n"
        (tmp_path / lang / FILE).write_text(line, encoding="utf-8")
    with pytest.raises(ConfigError, match=wrong):
        FollowUps.load(tmp_path)


def test_a_language_may_have_none(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("it:\n  a: {about: x, after: did}\n", encoding="utf-8")
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / FILE).write_text("a: go\n", encoding="utf-8")
    found = FollowUps.load(tmp_path)
    assert found.langs == {"en"}
    said = Follower(Sure(Draft((Part("a"),))), dict.fromkeys(LANGS, CURVE), found)
    assert said.plainly("走起", "zh", Topic("did")) is None
    assert said.plainly("off you pop", "en", Topic("did")) is not None


class Sure:
    def __init__(self, said: Draft) -> None:
        self.said = said
        self.asked: list[str] = []

    def guess(self, text: str) -> Guess:
        self.asked.append(text)
        return Guess(self.said, "", NO_SIGNS)


def test_a_value_may_have_a_word_too_many() -> None:
    assert FOLLOWUPS.words(draft("to", "en", n="half is"), "en") == (
        "set it to half is",
        "set it to half",
        "set it to is",
    )


@pytest.mark.parametrize(("state", "taken"), [("did", True), ("told", True), ("list", False), ("which", False)])
def test_nothing_is_meant_that_does_not_follow(state: State, *, taken: bool) -> None:
    tagger = Sure(draft("power_off", "en"))
    found = Follower(tagger, dict.fromkeys(LANGS, CURVE), FOLLOWUPS).plainly("kill it", "en", Topic(state, "light"))
    assert tagger.asked == [f"{state} light : kill it"]
    assert (found.words if found is not None else None) == (("turn it off",) if taken else None)


@pytest.mark.parametrize(("bias", "taken"), [(2.0, False), (4.0, True)])
def test_a_yes_must_be_surer_than_anything_else(bias: float, *, taken: bool) -> None:
    curves = {lang: Calibration((0.0,) * len(NO_SIGNS), bias, 0.8, 0.5) for lang in LANGS}
    found = Follower(Sure(draft("agreed", "en")), curves, FOLLOWUPS).plainly("righto", "en", Topic("whether", "light"))
    assert found is not None
    assert found.sure is taken


def test_what_is_not_sure_says_so() -> None:
    unsure = {lang: Calibration((0.0,) * len(NO_SIGNS), 0.5, 0.8, 0.5) for lang in LANGS}
    found = Follower(Sure(draft("to", "zh")), unsure, FOLLOWUPS).plainly("四成吧", "zh", Topic("did", "light"))
    assert found is not None
    assert (found.words, found.sure) == (("把它调到百分之四十",), False)


def test_the_model_is_what_the_manifest_says_and_small() -> None:
    store = Store(ROOT / "models")
    status = store.status(store.manifest.get(FOLLOWER), deep=True)
    assert (status.state, status.problem) == ("installed", "")
    assert (status.model.size or 0) < 30e6


@pytest.mark.parametrize(
    ("topic", "said", "plain"),
    [
        (Topic("did", "light"), "nope, kill it again, it's attracting moths", "turn it off"),
        (Topic("did", "light"), "still squinting over here", "a bit more"),
        (Topic("did", "climate"), "ah, twenty two will be plenty", "set it to twenty two"),
        (Topic("did", "cover"), "only two thirds though", "set it to two thirds"),
        (Topic("did", "light"), "sorry, i was talking about the desk lamp", "no, the desk lamp"),
        (Topic("timer"), "and twelve minutes for the rice while you're at it", "set a rice timer for twelve minutes"),
        (Topic("list"), "ah and bin bags, we're out", "put bin bags on the shopping list"),
        (Topic("planned", "light"), "hmm, half past ten would suit me better", "at half past ten instead"),
        (Topic("whether", "light"), "nah, don't bother", "no"),
        (Topic("did", "light"), "还是太暗，看不清字", "再大一点"),
        (Topic("did", "climate"), "二十四就够了", "把它调到二十四"),
        (Topic("timer"), "米饭那个再给五分钟", "米饭计时器加五分钟"),
        (Topic("list"), "哦对，鸡蛋也给写上", "购物清单加上鸡蛋"),
        (Topic("planned", "light"), "还是十点吧", "改成十点"),
    ],
)
async def test_free_words_are_said_again_in_plain_ones(topic: Topic, said: str, plain: str, grammar: Grammar) -> None:
    made = compiler(ROOT / "models", ROOT / "rules", grammar, Wanted(NAME, 60.0))
    found = await made.plainly(normalize(said), topic)
    made.close()
    assert made.missing is None
    assert found is not None
    assert plain in found.words


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        (Topic("did", "light"), "turn on the fan in the bedroom"),
        (Topic("did", "cover"), "your brother called, he's running late again"),
        (Topic("told", "sensor"), "did you feed the cat this morning"),
        (Topic("did", "light"), "把卧室的窗帘拉上"),
        (Topic("timer"), "妈妈今天几点下班"),
    ],
)
async def test_what_stands_for_itself_or_is_talk_is_left_alone(topic: Topic, said: str, grammar: Grammar) -> None:
    made = compiler(ROOT / "models", ROOT / "rules", grammar, Wanted(NAME, 60.0))
    assert await made.plainly(normalize(said), topic) is None
    made.close()
