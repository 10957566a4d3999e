"""Whatever is said is whole sentences: every key of the reply tables, every kind of message, every language."""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from daemon.act.answers import Able, Acted, Answer, Does, Ended, Hindered, Presses, StillOff, Told, Unmet, Was, Where
from daemon.act.facts import Fact
from daemon.converse.words import Speech
from daemon.core import messages as said
from daemon.core.entities import Capability, Entity, Preference, SceneStep, Value
from daemon.core.ir import Condition, Hours, Order, Parameter, Program, Prohibition, Target, When
from daemon.core.outcomes import Observation, Outcome, Problem, Reason, Write
from daemon.core.questions import Question
from daemon.core.resolution import Ruling
from daemon.home.events import Press
from daemon.home.registry import Registry
from daemon.memory.learnt import AllLearnt, Called, Learnt, LearntNow, Meant
from daemon.memory.learnt import Origin as LearntFrom
from daemon.schedule.entries import AboutTimer, Entry, Forbidden, Happens, Kept, Origin, TimerName, ToDo
from daemon.schedule.moments import Clock, Moments
from tests.rules import REPLIES
from tests.sentences import faults

RULES = Path(__file__).resolve().parents[2] / "rules"
LANGS = sorted(REPLIES.languages)
SENTENCES = {lang: REPLIES.forms(lang) for lang in LANGS}
PLACE = re.compile(r"{(\w+)}")
PARTS = re.compile(
    r"(fact|do|happens|given|month|clock|weekday|length|when|days|day|sun|condition_fact|later\.(frame|brief|lasts|if|within)"
    r"|forbidden\.(brief|while)|hours|(timer|reminder)\.(plain|named)|later\.nameless|list\.(name|counted)|help\.examples"
    r"|able\.(range|options|more)|answer\.(total\.part|(yes|no)(\.contrary)?$))(\.|$)"
)
"""Keys of what stands in a sentence and is none."""
CLOCKED = frozenset({"part", "hour", "next", "digits", "minutes", "year", "month", "weekday"})
"""Places that a calendar or a clock fills."""
SAID = frozenset({"words", "fact", "reply", "question"})
"""Places that take a whole sentence."""


def fillings(place: str, lang: str) -> tuple[object, ...]:
    if place in SAID:
        return ("desk lamp is on.",) if lang == "en" else ("书桌灯开了。",)
    numbers = ("day", "year", "digits", "minutes", "rooms", "done", "total")
    if place in numbers or place in CLOCKED:
        return ("3",)
    return ("boss lamp", "Dr. Who?", "{names}", "", None, "书房的灯")


def rendered(key: str, lang: str) -> Iterator[str]:
    places = sorted(set(PLACE.findall(str(SENTENCES[lang][key]))) - {"n"})
    for place in places or [""]:
        usual = {name: fillings(name, lang)[0] for name in places}
        for value, n in product(fillings(place, lang), (1, 2)):
            yield REPLIES.sentences([REPLIES.say(key, lang, n=n, **{**usual, place: value})], lang)
    if not CLOCKED & set(places):
        yield REPLIES.sentences([REPLIES.say(key, lang)], lang)


@pytest.mark.parametrize("lang", LANGS)
def test_every_sentence_stays_one_whatever_fills_it(lang: str) -> None:
    keys = [key for key in SENTENCES[lang] if not PARTS.match(key)]
    assert len(keys) > 250
    wrong = {(key, text, *found) for key in keys for text in rendered(key, lang) if (found := faults(text))}
    assert sorted(wrong) == []


@pytest.mark.parametrize("lang", LANGS)
def test_what_stands_in_a_sentence_is_never_empty(lang: str) -> None:
    for key in filter(PARTS.match, SENTENCES[lang]):
        for text in rendered(key, lang):
            assert text, key
            assert not set(faults(text)) - {"no end", "no capital"}, (key, text)


# -- every kind of message, in a home whose names begin with small letters and are not all different


def lamp(id_: str, name: str, area: str | None = "den", **more: object) -> Entity:
    able = (Capability("on_off", "state"), Capability("brightness", "brightness", unit="%"), Capability("mode", "mode"))
    return Entity(id_, "device", (name,), {"en": name, "zh": name}, area=area, type="lamp", capabilities=able, **more)  # type: ignore[arg-type]


HOME = Registry(
    [
        Entity("den", "area", ("den",), {"en": "den", "zh": "小屋"}),
        lamp("one", "boss lamp"),
        lamp("two", "boss lamp"),
        lamp("three", "iris"),
        lamp("four", "no. 4", area=None),
        Entity("party", "scene", ("party mode",), {"en": "party mode", "zh": "派对模式"}),
        Entity("party_too", "scene", ("party mode",), {"en": "party mode", "zh": "派对模式"}),
    ]
)
CLOCK = Clock()
SPEECH = Speech(REPLIES, HOME, CLOCK, Moments(CLOCK, None))
IDS = (("one",), ("one", "two"), ("four", "three"), ("party",), ("party", "party_too"))


def outcome(id_: str, value: Value, status: str = "done", attribute: str = "state", reason: str = "") -> Outcome:
    seen = Observation(id_, attribute, "off", "reply", 0.1) if reason == "disagrees" else None
    return Outcome(Write(id_, attribute, value, "set"), status, reason, seen)  # type: ignore[arg-type]


def fact(id_: str, value: Value | None, attribute: str = "state", source: str = "reply", age: float = 0.1) -> Fact:
    return Fact(id_, attribute, Observation(id_, attribute, value, source, age), None)  # type: ignore[arg-type]


VALUES: tuple[Value, ...] = ("on", "nonsense", 40)


def outcomes() -> Iterator[tuple[Outcome, ...]]:
    for ids, value, attribute in product(IDS, VALUES, ("state", "mode", "command", "color")):
        for status in ("done", "unconfirmed", "failed", "refused", "not_found"):
            for reason in ("", "moving", "already", "no_answer", "disagrees", "gone", "something_new"):
                yield tuple(outcome(item, value, status, attribute, reason) for item in ids)


ACT = Order("turn_on", (Target("lamp"),))
LONGER = When(delay_s=60, duration_s=60)
SETTING = Order("set", (Target("lamp"),), when=LONGER, parameter=Parameter("brightness"))
OF = Program((ACT,), "grammar", "en")
ORIGIN = Origin("said", "en", "console", 0.0)
PLANS = tuple(
    Entry(at + 1, sort, ORIGIN, CLOCK.wall() + 60, Program((clause,), "grammar", "en"), entities=ids)  # type: ignore[arg-type]
    for at, (sort, clause, ids) in enumerate(product(("time", "end"), (ACT, SETTING), (*IDS, ("gone",))))
)
BANS = tuple(
    Entry(30 + at, "ban", ORIGIN, None, Program((clause,), "grammar", "en"), entities=ids, watched=watched)
    for at, (ids, (clause, watched)) in enumerate(
        product(
            (*IDS, ("gone",)),
            (
                (Prohibition("turn_on"), ()),
                (Prohibition(), ()),
                (Prohibition("turn_on", parameter=Parameter("temperature", by="heat")), ()),
                (Prohibition("set", parameter=Parameter("brightness", value=40.0)), ()),
                (Prohibition("turn_on", conditions=(Condition(Target("lamp"), value="on"),)), (("two",),)),
                (Prohibition("turn_on", hours=Hours("22:00", "06:00")), ()),
                (Prohibition("turn_on", hours=Hours("sunset", None, ("sun",))), ()),
                (Prohibition("turn_on", hours=Hours(None, "07:30")), ()),
            ),
        )
    )
)
TIMERS = tuple(
    Entry(50 + at, "timer", ORIGIN, CLOCK.wall() + 60, name=name, seconds=60, reminds=task, left=left)
    for at, (name, task, left) in enumerate(product((None, "tea"), (None, "", "call mum!"), (None, 5.0)))
)
QUESTIONS = tuple(
    Question(kind, reason, Program((clause,), "grammar", "en"), ids, 10.0, dimension=dimension, word=word)  # type: ignore[arg-type]
    for kind, reason in (
        *product(("choose",), ("which", "not_found")),
        *product(
            ("confirm",),
            ("confirm_risk", "confirm_name", "confirm_reading", "confirm_scope", "learn_habit", "forbidden"),
        ),
        *((kind, f"missing_{kind}") for kind in ("target", "value", "rest", "when", "half", "length")),
        ("choose", "nearest"),
    )
    for clause, ids, dimension, word in product((ACT, SETTING), IDS, (None, "area", "kind"), ("lamp", None))
    if reason != "nearest" or clause.parameter is not None
)
AGES = (60.0, float("inf"))
REASONS = get_args(Reason)
LEARNT = tuple(
    Learnt(kind, "bob", meaning, LearntFrom("told"), speaker=who)  # type: ignore[arg-type]
    for kind, meaning, who in product(("name", "preference"), ("one", "21", "red"), (None, "party"))
)
SAMPLES: Mapping[type[said.Message], tuple[said.Message, ...]] = {
    Acted: tuple(Acted(items, everywhere) for items in outcomes() for everywhere in (False, True)),
    Ended: tuple(Ended(items) for items in outcomes()),
    StillOff: tuple(StillOff(ids, tuple(outcome(item, 40) for item in of)) for ids, of in product(IDS, IDS)),
    Told: tuple(
        Told(Answer(kind, attribute, facts, verdict, matching, unknown))  # type: ignore[arg-type]
        for kind, verdict in (
            *product(("is", "any", "all"), (True, False)),
            *product(("state", "value", "count", "which", "how_long"), (None,)),
        )
        for attribute, ids, value in product(("state", "brightness", "mode"), IDS[:3], ("on", 40, "Rain. Later sun."))
        for facts in (
            tuple(fact(item, value, attribute) for item in ids),
            (*(fact(item, value, attribute) for item in ids), fact("four", None, attribute, "none")),
            tuple(fact(item, value, attribute, "stale", age) for item, age in zip(ids, AGES, strict=False)),
            (),
        )
        for matching, unknown in (((), ()), (ids, ()), ((), ids))
    ),
    Able: tuple(Able(ids, attribute) for ids, attribute in product(IDS[:3], (None, "brightness", "child_lock"))),
    Does: tuple(
        Does("one", steps)
        for steps in (
            (),
            (SceneStep("one", "state", "off"), SceneStep("two", "state", "off"), SceneStep("one", "color", "#0000ff")),
            (SceneStep("gone", "brightness", 10),),
        )
    ),
    Presses: tuple(
        Presses(them, (Press("press"), Press("double"), Press("hold", "left"), Press("press", "2")), lacked)
        for them in (("one",), ("one", "two"))
        for lacked in (True, False)
    ),
    Was: tuple(
        Was(tuple(Write(item, attribute, value, "set") for item in ("one", "two")))
        for attribute, value in (("state", "on"), ("brightness", 40), ("mode", "eco"))
    ),
    Where: (Where(("one",)), Where(("one", "two")), Where(("one", "three"))),
    Unmet: tuple(
        Unmet(facts, holds)
        for holds in (True, False, None)
        for facts in ((), (fact("one", "on"),), (fact("one", 40, "brightness"), fact("two", None, "mode", "none")))
    ),
    Hindered: tuple(
        Hindered(tuple(Problem(item, reason, attribute, low, high, "C", options=options) for item in ids))
        for reason in REASONS
        for attribute, ids, options in product(("state", "mode", "temperature"), IDS, ((), ("eco",), ("eco", "dry")))
        for low, high in ((None, None), (5.0, 30.0), (None, 30.0))
    ),
    said.Asked: tuple(map(said.Asked, QUESTIONS)),
    said.Refused: tuple(
        said.Refused(Ruling("refuse", reason, ids, nearest=near, mention=mention), asked, action)
        for reason in ("not_found", "empty", "unsupported", "no_last", "something_new")
        for ids, near, mention in product(((), *IDS), ((), ("one",), ("one", "two")), (None, "sparkler"))
        for asked, action in ((None, "open"), ("battery", None), ("location", None))
    ),
    Kept: (*(Kept((item,)) for item in (*PLANS, *TIMERS, *BANS)), Kept(PLANS[:7]), Kept(())),
    Forbidden: tuple(Forbidden(item, unknown) for item, unknown in product(BANS, (False, True))),
    AboutTimer: tuple(AboutTimer("timer.left", item) for item in TIMERS),
    AllLearnt: (AllLearnt(()), AllLearnt(LEARNT), *(AllLearnt((item,)) for item in LEARNT)),
    LearntNow: tuple(map(LearntNow, LEARNT)),
    Called: tuple(map(Called, IDS)),
    Meant: (Meant("lamp", None), Meant("brightness", Preference("brightness", "40", unit="%"))),
    said.Say: (said.say("not_understood"), said.say("answer.state", names=said.Names(("one", "two")), value="on")),
    said.Moment: (said.Moment(0.0, "clock"), said.Moment(0.0, "day")),
    said.Words: (said.Words("boss lamp is on."),),
}
"""What is a reply by itself."""
PHRASES: Mapping[type[said.Message], tuple[said.Message, ...]] = {
    said.Names: tuple(said.Names(ids, joint, at) for ids, joint, at in product(IDS, ("and", "or"), (False, True))),
    said.Listing: tuple(
        said.Listing(tuple(map(TimerName, them)), how)
        for them, how in product((TIMERS[:1], TIMERS[:2], TIMERS), ("names", "choices", "facts"))
    ),
    said.ListName: (said.ListName("shopping"), said.ListName("camping")),
    said.AttributeWord: (said.AttributeWord("brightness"), said.AttributeWord("child_lock")),
    said.Topic: (said.Topic("lamp"), said.Topic("brightness"), said.Topic("film")),
    said.Amount: (said.Amount(40, "brightness", "%"), said.Amount("eco"), said.Amount(value=True)),
    said.Length: (said.Length(0), said.Length(59.6), said.Length(90_061, exact=True)),
    said.Due: (said.Due(When(delay_s=60), CLOCK.wall() + 60), said.Due(None, CLOCK.wall())),
    TimerName: tuple(map(TimerName, TIMERS)),
    ToDo: tuple(ToDo(clause, ids) for clause, ids in product((ACT, SETTING), (*IDS, ("gone",), ()))),
    Happens: tuple(
        Happens((Condition(Target("lamp"), value=value, negated=no),), "and", (ids,))
        for value, no, ids in product(("on", 40), (False, True), IDS[:3])
    ),
}
"""What stands in a reply."""


def test_every_kind_of_message_is_among_the_samples() -> None:
    assert {*SAMPLES, *PHRASES} == set(Speech.RENDERERS)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", SAMPLES, ids=lambda item: item.__name__)
def test_every_reply_is_whole_sentences(kind: type[said.Message], lang: str) -> None:
    replies = {SPEECH.reply((item,), lang): item for item in SAMPLES[kind]}
    assert [(text, found, item) for text, item in replies.items() if text and (found := faults(text))][:5] == []


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", PHRASES, ids=lambda item: item.__name__)
def test_what_stands_in_a_reply_says_something(kind: type[said.Message], lang: str) -> None:
    phrases = {SPEECH.words(item, lang): item for item in PHRASES[kind]}
    wrong = {"no end", "no capital"}
    assert [(text, item) for text, item in phrases.items() if not text or set(faults(text)) - wrong][:5] == []


@pytest.mark.parametrize(("lang", "which", "joint"), [("en", "Which one", " or "), ("zh", "哪一个", "还是")])
def test_no_question_has_one_option(lang: str, which: str, joint: str) -> None:
    asked = [SPEECH.reply((item,), lang) for item in SAMPLES[said.Asked]]
    asked.append(SPEECH.reply((said.say("later.which", 2, options=Kept(PLANS[:1] * 2, "choices")),), lang))
    one_timer = said.Listing((TimerName(TIMERS[0]),), "choices")
    asked.append(SPEECH.reply((said.say("timer.which", 1, options=one_timer),), lang))
    assert [text for text in asked if which in text and joint not in text] == []


def test_two_of_one_name_and_place_are_told_apart_by_a_number() -> None:
    question = Question("choose", "which", OF, ("party", "party_too"), 10.0, dimension="name")
    assert SPEECH.reply((said.Asked(question),), "en") == "Which one: party mode number 1 or party mode number 2?"
    assert SPEECH.reply((said.Asked(question),), "zh") == "哪一个：第1个派对模式还是第2个派对模式？"


def test_several_sentences_of_one_message_begin_with_capital_letters() -> None:
    silent = outcome("three", "on", "refused", reason="offline")
    assert SPEECH.reply((Acted((outcome("one", "on"), silent)),), "en") == "Boss lamp is on. Iris is offline."
    assert SPEECH.reply((LearntNow(LEARNT[0]),), "en") == "All right. Bob is boss lamp in den."
    assert REPLIES.sentences(["iPad is on.", "tv is off."], "en") == "iPad is on. Tv is off."
