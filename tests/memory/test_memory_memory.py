"""What was learnt is alive in the registry, counted, and forgotten again."""

from pathlib import Path

import pytest

from daemon.core.entities import Entity, Person
from daemon.core.errors import HearkenError
from daemon.core.questions import Choice
from daemon.home.registry import Registry
from daemon.memory.learnt import Habit, Learnt, Naming, Origin, Reserved
from daemon.memory.ledger import Ledger
from daemon.memory.memory import MOST, Memory, Store

LAMP = Entity("lamp", "device", ("Lamp",))
FAN = Entity("fan", "device", ("Fan",))
LOCK = Entity("lock", "device", ("Front door",), type="lock")
AMAL = Person("amal", ("Amal",), {"lamp": "fan"})


def home() -> Registry:
    return Registry((LAMP, FAN, LOCK), (AMAL, Person("mei", ("Mei",))))


def name(word: str, entity: str = "lamp") -> Learnt:
    return Learnt("name", word, entity, Origin("told", 1.0))


def wish(word: str, meaning: str, speaker: str | None = None, at: float = 1.0, area: str | None = None) -> Learnt:
    return Learnt("preference", word, meaning, Origin("told", at), None, speaker, area)


def reserved(word: str) -> Reserved | None:
    return "word" if word == "on" else None


async def test_a_learnt_name_is_one_of_the_entity_s_at_once() -> None:
    registry = home()
    memory = Memory(registry)
    await memory.learn(name("Bob"))
    assert (registry["lamp"].names, registry["lamp"].learnt) == (("Lamp", "Bob"), ("Bob",))
    await memory.forget(memory.called("bob"))
    assert (registry["lamp"].names, registry["lamp"].learnt) == (("Lamp",), ())


async def test_what_follows_from_the_home_is_made_before_a_lesson_is_done_and_only_where_the_home_has_changed() -> None:
    registry, versions = home(), list[int]()

    async def changed() -> None:
        versions.append(registry.version)

    memory = Memory(registry, changed=changed)
    begun = registry.version
    await memory.learn(name("Bob"))
    await memory.learn(wish("reading", "lamp"))
    await memory.forget(memory.called("reading"))
    await memory.forget(memory.called("Bob"))
    assert versions == [begun + 1, begun + 2]


async def test_learnt_names_stay_when_the_home_changes() -> None:
    registry = home()
    memory = Memory(registry)
    await memory.learn(name("Bob"))
    registry.replace((Entity("lamp", "device", ("Old lamp",)), FAN))
    assert registry["lamp"].names == ("Old lamp", "Bob")


async def test_a_name_of_what_is_gone_is_kept_and_waits(tmp_path: Path) -> None:
    registry = Registry((FAN,))
    memory = Memory(registry, Store(tmp_path / "learnt.db"))
    await memory.learn(name("Bob"))
    assert not memory.applies(memory.items[0])
    again = Memory(registry, Store(tmp_path / "learnt.db"))
    await again.open()
    assert [item.word for item in again.items] == ["Bob"]
    registry.replace((FAN, LAMP))
    assert registry["lamp"].learnt == ("Bob",)


async def test_a_name_belongs_to_one_thing() -> None:
    registry = home()
    memory = Memory(registry)
    await memory.learn(name("Bob"))
    await memory.learn(name("BOB", "fan"))
    assert (registry["lamp"].learnt, registry["fan"].learnt) == ((), ("BOB",))


async def test_whose_wish_goes_first() -> None:
    registry = home()
    memory = Memory(registry)
    assert [item.meaning for item in registry.wishes("amal", ["lamp"])] == ["fan"]
    assert registry.wishes("mei", ["lamp"]) == registry.wishes(None, ["lamp"]) == ()
    await memory.learn(wish("lamp", "lock"))
    await memory.learn(wish("lamp", "lamp", "amal"))
    assert [item.meaning for item in registry.wishes("amal", ["Lamp"])] == ["lamp", "fan", "lock"]
    assert [item.meaning for item in registry.wishes("mei", ["lamp"])] == ["lock"]
    assert [item.meaning for item in registry.wishes("nobody", ["lamp"])] == ["lock"]


async def test_what_was_chosen_in_one_room_stays_beside_what_was_chosen_in_another() -> None:
    registry = home()
    memory = Memory(registry)
    await memory.learn(wish("lamp", "lamp", area="hall", at=1.0))
    await memory.learn(wish("lamp", "fan", area="bath", at=2.0))
    await memory.learn(wish("lamp", "lock", at=0.0))
    assert [item.meaning for item in registry.wishes(None, ["lamp"])] == ["lock", "fan", "lamp"]
    await memory.learn(wish("lamp", "fan", area="hall", at=3.0))
    assert [item.meaning for item in memory.items] == ["fan", "lock", "fan"]


async def test_use_is_counted_and_kept(tmp_path: Path) -> None:
    registry = home()
    memory = Memory(registry, Store(tmp_path / "learnt.db"), clock=lambda: 77.0)
    await memory.learn(name("Bob"))
    memory.used(["bob"], None, ["lamp"])
    memory.used(["bob"], None, ["fan"])
    await memory.close()
    again = Memory(registry, Store(tmp_path / "learnt.db"))
    await again.open()
    assert [(item.uses, item.used_at) for item in again.items] == [(1, 77.0)]


async def test_the_third_same_choice_is_asked_about() -> None:
    memory = Memory(home())
    choice = Choice("the lamp", "lamp")
    assert [await memory.chose(choice, None) for _ in range(4)] == [False, False, True, False]


async def test_another_choice_begins_anew() -> None:
    memory = Memory(home())
    first, second = Choice("it", "lamp"), Choice("it", "fan")
    asked = [await memory.chose(item, None) for item in (first, first, second, first, first, first)]
    assert asked == [False] * 5 + [True]


async def test_each_speaker_has_habits_of_their_own() -> None:
    memory = Memory(home())
    choice = Choice("it", "lamp")
    assert [await memory.chose(choice, who) for who in ("amal", "mei", "amal", "mei", "amal")] == [False] * 4 + [True]


async def test_a_no_is_for_good_even_after_a_restart(tmp_path: Path) -> None:
    choice = Choice("it", "lamp")
    memory = Memory(home(), Store(tmp_path / "learnt.db"))
    await memory.declined(choice, None)
    again = Memory(home(), Store(tmp_path / "learnt.db"))
    await again.open()
    assert not any([await again.chose(choice, None) for _ in range(7)])


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("", "empty"),
        (" ?! ", "empty"),
        ("x" * 41, "too_long"),
        ("Bo\x1bb", "unfit"),
        ("Bo\u202eb", "unfit"),
        ("on", "reserved"),
        ("FAN", "taken"),
        ("lamp", "already"),
    ],
)
def test_what_cannot_be_a_name(word: str, reason: str) -> None:
    problem = Naming(home(), reserved).problem(word, LAMP)
    assert problem is not None
    assert problem.reason == reason


async def test_the_ledger_edits() -> None:
    registry = home()
    ledger = Ledger(registry, Memory(registry), reserved)
    await ledger.name("Bob", "Lamp")
    await ledger.rename("bob", "Robert")
    assert registry["lamp"].learnt == ("Robert",)
    await ledger.prefer("show", "netflix", "Amal")
    assert [(item["word"], item["meaning"], item.get("speaker")) for item in ledger.facts()] == [
        ("Robert", "lamp", None),
        ("show", "netflix", "amal"),
    ]
    await ledger.forget("robert")
    await ledger.forget("show", "amal")
    assert ledger.facts() == []


async def test_the_ledger_refuses() -> None:
    registry = home()
    ledger = Ledger(registry, Memory(registry), reserved)
    for attempt, problem in (
        (ledger.name("Bob", "sofa"), "unknown"),
        (ledger.name("on", "lamp"), "commands need"),
        (ledger.name("Fan", "lamp"), "name of fan"),
        (ledger.name("Fort", "lock"), "--yes"),
        (ledger.prefer("show", "x" * 99), "40 characters"),
        (ledger.prefer("show", "news", "Zoe"), "no speaker"),
        (ledger.forget("nothing"), "nothing was learnt"),
        (ledger.rename("nothing", "else"), "nothing was learnt"),
    ):
        with pytest.raises(HearkenError, match=problem):
            await attempt
    await ledger.name("Fort", "lock", agreed=True)
    assert registry["lock"].learnt == ("Fort",)


async def test_the_ledger_has_room_for_as_many_words_as_are_learnt_by_speech() -> None:
    memory = Memory(home())
    ledger = Ledger(memory._registry, memory, reserved)
    memory._learnt = {item.key: item for item in (wish(f"word {number}", "1") for number in range(MOST))}
    for refused in (ledger.name("Bob", "lamp"), ledger.prefer("show", "news")):
        with pytest.raises(HearkenError, match="500 words are learnt"):
            await refused
    await ledger.prefer("Word 7", "news")
    await ledger.forget("word 8")
    await ledger.name("Bob", "lamp")
    await ledger.rename("Bob", "Robert")
    assert len(memory.items) == MOST
    assert not memory.has_room("Bob")


async def test_choices_are_counted_of_a_bounded_number_of_words(tmp_path: Path) -> None:
    memory = Memory(home(), Store(tmp_path / "learnt.db"))
    memory._habits = {}
    often = Choice("the lamp", "lamp")
    await memory.chose(often, None)
    for number in range(1_200):
        memory._habits[f"w{number}", None, None] = Habit(f"w{number}", None, None, "lamp", 1)
    assert [await memory.chose(often, None) for _ in range(2)] == [False, True]
    assert len(memory._habits) == 1_000
    again = Memory(home(), Store(tmp_path / "learnt.db"))
    await again.open()
    assert list(again._habits) == list(memory._habits)


async def test_what_can_be_learnt_has_an_end() -> None:
    memory = Memory(home())
    memory._learnt = {item.key: item for item in (name(f"word {number}") for number in range(MOST - 1))}
    assert memory.has_room("one more")
    await memory.learn(name("one more"))
    assert [memory.has_room(word) for word in ("another", "one more")] == [False, True]
