"""The campaign that says anything at all: a short run of it, and that it sees what it is there to see."""

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import pytest

from benchmarks import fuzz
from benchmarks.fuzz_checks import Fault, Names, faults, is_yes
from benchmarks.fuzz_consent import Consents
from benchmarks.fuzz_tally import Chunk, Tally
from benchmarks.fuzzed_homes import FuzzedHouse, is_risky, odd_home, plain_homes
from benchmarks.fuzzed_talk import said_in, utterances_of
from daemon.core.entities import Value
from daemon.schedule.entries import Entry, Origin

NOBODY = Names.of(())
DEVICES = {item.id: item for item in plain_homes()[0].entities}


def told(*chunks: Chunk) -> Tally:
    together = Tally()
    for tally in fuzz.all_played(chunks, 1):
        together.add(tally)
        together.findings += tally.findings
    return together


def test_a_short_campaign_finds_nothing() -> None:
    tally = told(*fuzz.chunks(200, 8, ["en", "zh"], model=False))
    assert fuzz.ends_well(tally), [str(item) for item in tally.findings]
    assert tally.utterances == 200
    assert tally.outcomes["clarify"]
    assert tally.outcomes["execute"]


class Few(ThreadPoolExecutor):
    """Threads for processes, each lot of which plays only so many homes."""

    lots: ClassVar[list[int]] = []

    def __init__(self, jobs: int, **_: object) -> None:
        super().__init__(jobs)
        self.lots.append(0)

    def submit(self, *args: Any, **named: Any) -> Any:
        self.lots[-1] += 1
        return super().submit(*args, **named)


def test_the_homes_of_a_long_campaign_are_all_played_in_their_order_by_new_processes_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fuzz, "ProcessPoolExecutor", Few)
    monkeypatch.setattr(fuzz, "played", lambda chunk: Tally(utterances=chunk.number))
    work = fuzz.chunks(45_000, 1, ["en"], model=False)
    assert [tally.utterances for tally in fuzz.all_played(work, 2)] == list(range(45))
    assert Few.lots == [20, 20, 5]


@pytest.mark.parametrize(
    "text",
    [
        " " * 11_000,
        "a " * 6_000,
        "!" * 11_000 + "play jazz",
        "\ufdfa" * 5_000,
        "turn on the lamp " + "except the lamp " * 30 + "if the door is open " * 8,
        "打开" + "所有的灯除了" * 60,
        "打开" * 300,
        "不" * 599,
        "1:" * 290,
    ],
)
def test_what_goes_on_for_ever_takes_no_second(text: str) -> None:
    tally = said_in(plain_homes()[0], [text])
    assert not tally.findings


def test_the_same_seed_says_the_same() -> None:
    made = [
        [utterances.one(rng, ["Hall light"]) for _ in range(200)] + [utterances.answer(rng, ["Hall light"])]
        for utterances, rng in ((utterances_of("en"), random.Random(4)) for _ in range(2))
    ]
    assert made[0] == made[1]
    assert odd_home(random.Random(3), utterances_of("en")) == odd_home(random.Random(3), utterances_of("en"))


def test_all_sorts_of_things_are_said() -> None:
    rng = random.Random(5)
    some = [utterances_of(None).one(rng, ["Hall light"]) for _ in range(20_000)]
    assert "" in some
    assert max(map(len, some)) > 10_000
    assert any("\u0300" <= character <= "\u036f" for text in some for character in text)
    assert any("Hall light" in text for text in some)
    assert all(text.encode() is not None for text in some)


@pytest.mark.parametrize(
    ("device", "changes", "risky"),
    [
        ("front_door_lock", {"state": "unlocked"}, True),
        ("front_door_lock", {"state": "locked"}, False),
        ("garage_door", {"state": "open"}, True),
        ("garage_door", {"position": 20}, True),
        ("garage_door", {"state": "closed"}, False),
        ("living_curtain", {"state": "open"}, False),
        ("fridge_plug", {"state": "off"}, True),
        ("fridge_plug", {"state": "on"}, False),
        ("living_ceiling", {"state": "off"}, False),
    ],
)
def test_what_is_risky_is_told_from_what_a_device_was_sent(
    device: str, changes: dict[str, Value], *, risky: bool
) -> None:
    assert is_risky(DEVICES[device], changes) is risky


@pytest.mark.parametrize(("stood", "risky"), [(0, True), (10, True), (20, False), (50, False), (None, True)])
def test_a_garage_door_is_risky_to_open_further_only(stood: int | None, *, risky: bool) -> None:
    assert is_risky(DEVICES["garage_door"], {"position": 20}, stood) is risky


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Yes.", True),
        ("yes, please", True),
        ("Yeah, yeah!", True),
        ("好的，谢谢", True),
        ("yes, and lock it again in ten minutes", True),
        ("对，然后打开台灯", True),
        ("yes, turn on the lamp", False),
        ("go ahead and turn on the lamp", False),
        ("yeah right", False),
        ("right", False),
        ("对了", False),
        ("yes, the other one", False),
        ("另一个也打开", False),
        ("", False),
    ],
)
def test_what_is_taken_for_a_yes(text: str, *, yes: bool) -> None:
    assert is_yes(text) is yes


def planted(monkeypatch: pytest.MonkeyPatch, device: str, after: int, texts: list[str], pause_s: float = 0.0) -> Tally:
    """What is counted where a device does what is risky, of which nothing was said, at the so-manieth look at it."""
    looks = iter(range(2 * len(texts)))
    found = [(DEVICES[device], dict[str, Value](state="open"))]
    monkeypatch.setattr(FuzzedHouse, "risks", lambda _house: found if next(looks) == after else [])
    return said_in(plain_homes()[0], texts, pause_s)


UNLOCKED = ["unlock the front door", "yes"]
SAID, PAUSED, ANSWERED, AFTERWARDS = range(4)


@pytest.mark.parametrize(
    ("device", "after", "texts", "counted"),
    [
        ("garage_door", SAID, ["good evening"], True),
        ("front_door_lock", SAID, UNLOCKED, True),
        ("front_door_lock", PAUSED, UNLOCKED, True),
        ("front_door_lock", ANSWERED, UNLOCKED, False),
        ("garage_door", ANSWERED, UNLOCKED, True),  # a yes to another question
        ("front_door_lock", ANSWERED, ["unlock the front door", "yeah right"], True),
        ("front_door_lock", AFTERWARDS, UNLOCKED, True),  # nothing was kept for then
        ("front_door_lock", AFTERWARDS, ["unlock the front door in an hour", "yes"], False),
        ("garage_door", AFTERWARDS, ["unlock the front door in an hour", "yes"], True),
        ("front_door_lock", 4, [*UNLOCKED, "is the hall light on"], True),  # a yes of before
        ("front_door_lock", 5, [*UNLOCKED, "turn on the hall light in an hour"], True),
    ],
)
def test_a_risky_act_that_rests_on_no_yes_is_counted(
    monkeypatch: pytest.MonkeyPatch, device: str, after: int, texts: list[str], *, counted: bool
) -> None:
    tally = planted(monkeypatch, device, after, texts)
    assert tally.faults["risk"] == counted
    assert fuzz.ends_well(tally) is not counted


def test_a_yes_counts_for_what_was_kept_for_later_only_as_long_as_that_is_kept() -> None:
    consents = Consents()
    consents.asks("kitchen", "Really?", ["lock"])
    consents.keep([plan(1)], consents.agreed("bedroom", "yes"))
    assert not consents.for_later([plan(1)])
    consents.keep([plan(1), plan(2)], consents.agreed("kitchen", "yes"))
    consents.drop("kitchen")
    assert consents.for_later([plan(1), plan(2)]) == {"lock"}
    consents.keep([plan(1), plan(3, of=2)])  # its end
    assert consents.for_later([plan(3)]) == {"lock"}
    assert not consents.for_later([plan(1)])


def test_a_chain_of_yeses_is_broken_by_anything_else() -> None:
    consents = Consents()
    consents.asks("kitchen", "Really?", ["lock"])
    assert consents.agreed("kitchen", "yes") == {"lock"}
    consents.asks("kitchen", "Really?", ["gate"])
    assert consents.agreed("kitchen", "yes") == {"lock", "gate"}
    assert not consents.agreed("kitchen", "the other one")
    assert consents.agreed("kitchen", "yes") == {"gate"}
    consents.expire()
    assert not consents.agreed("kitchen", "yes")


def plan(number: int, of: int | None = None) -> Entry:
    return Entry(number, "time", Origin("", "en", "kitchen", 0.0), of=of)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({}, None),
        ({"reply": " "}, "reply"),
        ({"reply": " ", "outcome": "ignore"}, None),
        ({"reply": "{names} is on."}, "reply"),
        ({"reply": "None is on."}, "reply"),
        ({"reply": "None."}, None),
        ({"reply": "The lamp is on ."}, "reply"),
        ({"reply": "My favourite is..."}, None),
        ({"outcome": "done"}, "json"),
        ({"confidence": float("nan")}, "json"),
        ({"ir": {"clauses": [], "source": "nobody", "lang": "en"}}, "json"),
        ({"lang": "fr"}, "json"),
    ],
)
def test_a_result_that_is_wrong_is_seen(changed: dict[str, Any], fault: Fault | None) -> None:
    result = {"outcome": "execute", "reply": "The lamp is on.", "lang": "en", "ir": None, "confidence": 1.0} | changed
    assert [item for item, _ in faults("turn on the lamp", [], result, NOBODY)] == ([fault] if fault else [])


@pytest.mark.parametrize(("mention", "seen"), [("lamp", False), ("the lamp", False), ("fan", True), ("pmal", True)])
def test_a_name_that_nobody_said_is_seen(mention: str, *, seen: bool) -> None:
    clause = {"intent": "act", "action": "turn_on", "targets": [{"mention": mention}]}
    program = {"clauses": [clause], "source": "grammar", "lang": "en", "text": "turn on the lamp"}
    result = {"outcome": "execute", "reply": "Done.", "lang": "en", "ir": program}
    assert bool(list(faults("turn on the lamp", [], result, NOBODY))) is seen
