"""Plans of all sorts, with restarts, clocks that are set and summer time between there and back.

Each act happens as often as its sentence says, and how things stand after the last end is how they stood before.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schedule.planned import Act, House, planned
from tests.virtual_time import run

DAY = 86_400
EXAMPLES = int(os.environ.get("PLANS", "4"))
"""`PLANS=500 pytest tests/schedule/test_later_plans.py` looks longer."""
STARTS = [
    # The first two begin just before an hour is left out, and comes twice.
    ("Europe/Amsterdam", "2026-03-27T18:03"),
    ("Europe/Amsterdam", "2026-10-23T18:03"),
    ("Australia/Lord_Howe", "2026-04-03T18:03"),
    ("Pacific/Apia", "2011-12-27T18:03"),
    ("Asia/Shanghai", "2026-11-21T14:25"),
]
SECONDS_OF_ACT = 5
"""So much later than planned an act may be, with all that is read before it."""
LATE = 310

NAMES = {
    "kettle": {"en": "the kettle", "zh": "水壶"},
    "heater": {"en": "the heater", "zh": "取暖器"},
    "fan": {"en": "the fan", "zh": "风扇"},
    "lamp": {"en": "the lamp", "zh": "台灯"},
}
VERBS = {"on": {"en": "turn on", "zh": "打开"}, "off": {"en": "turn off", "zh": "关掉"}}
OTHER = {"on": "off", "off": "on"}


@dataclass(frozen=True)
class Plan:
    """One sentence, with what it says: how often there, and how long until back."""

    device: str
    there: str
    minutes: int
    sort: str
    """now, after, at, daily, other (every other day), weekdays, rule."""
    until: bool
    """Its end was said as an hour."""
    delay: int
    hour: int
    lang: str

    @property
    def text(self) -> str:
        en = self.lang == "en"
        act = f"{VERBS[self.there][self.lang]}{' ' if en else ''}{NAMES[self.device][self.lang]}"
        clock = _hour(self.hour * 60 + 10, self.lang)
        end = _hour(self.hour * 60 + 10 + self.minutes, self.lang)
        if self.until:
            lasts = f" until {end}" if en else f"到{end}"
        else:
            lasts = f" for {self.minutes} minutes" if en else f"{self.minutes}分钟"
        match self.sort:
            case "now":
                return f"{act}{lasts}"
            case "after":
                return f"in {self.delay} minutes {act}{lasts}" if en else f"{self.delay}分钟后{act}{lasts}"
            case "at":
                return f"{act} at {clock}{lasts}" if en else f"{clock}{act}{lasts}"
            case "daily":
                return f"{act} every day at {clock}{lasts}" if en else f"每天{clock}{act}{lasts}"
            case "other":
                return f"{act} every other day at {clock}{lasts}" if en else f"隔天{clock}{act}{lasts}"
            case "weekdays":
                return f"{act} every weekday at {clock}{lasts}" if en else f"工作日{clock}{act}{lasts}"
            case _:
                return f"whenever the front door opens {act}{lasts}" if en else f"每次前门打开就{act}{lasts}"

    @property
    def standing(self) -> bool:
        return self.sort in ("daily", "other", "weekdays", "rule")


def _hour(minutes: int, lang: str) -> str:
    """A time of day as it is said."""
    hour, minute = minutes // 60, minutes % 60
    if lang == "en":
        return f"{(hour - 1) % 12 + 1}:{minute:02} {'am' if hour < 12 else 'pm'}"
    part = "早上" if hour < 12 else "中午" if hour == 12 else "下午" if hour < 18 else "晚上"
    return f"{part}{(hour - 1) % 12 + 1}点{minute}分"


def plans(device: str) -> st.SearchStrategy[Plan]:
    there = "off" if device in ("fan", "lamp") else "on"
    made = st.builds(
        Plan,
        device=st.just(device),
        there=st.just(there),
        minutes=st.sampled_from([2, 10, 45]),
        sort=st.sampled_from(["now", "after", "at", "daily", "other", "weekdays", "rule"]),
        until=st.booleans(),
        delay=st.integers(1, 300),
        hour=st.integers(6, 22),
        lang=st.sampled_from(["en", "zh"]),
    )
    return made.filter(lambda plan: not plan.until or plan.sort in ("at", "daily", "other", "weekdays"))


SAID = st.tuples(*(st.one_of(st.none(), plans(device)) for device in NAMES)).map(
    lambda found: [plan for plan in found if plan is not None]
)
HAPPENINGS = st.lists(st.tuples(st.sampled_from(["live", "restart", "door"]), st.integers(1, 9 * 3600)), max_size=6)
JUMPS = st.lists(
    st.tuples(
        st.sampled_from(["live", "restart", "door", "set"]), st.integers(1, 9 * 3600), st.integers(-90_000, 90_000)
    ),
    max_size=6,
)


def lived(start: tuple[str, str], story: Callable[[House], Awaitable[None]]) -> None:
    async def main() -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with planned(Path(folder), *start) as house:
                await story(house)

    run(main)


async def happens(house: House, what: str, seconds: int) -> int:
    """One thing after another; how often the front door opened."""
    match what:
        case "restart":
            await house.restart()
        case "door":
            # A sensor of which nothing is known after a restart is believed from its second message on.
            await house.place("door", "contact", "off")
            await house.live(60)
            await house.place("door", "contact", "on")
            await house.live(3600)
            await house.place("door", "contact", "off")
            return 1
        case _:
            await house.live(seconds)
    return 0


def pairs(plan: Plan, acts: list[Act]) -> list[tuple[Act, Act]]:
    """There and back, one after the other, each for as long as was said."""
    mine = [act for act in acts if act.device == plan.device]
    assert [act.wish for act in mine] == [plan.there, OTHER[plan.there]] * (len(mine) // 2)
    return list(zip(mine[::2], mine[1::2], strict=True))


@settings(max_examples=EXAMPLES)
@given(start=st.sampled_from(STARTS), said=SAID, happenings=HAPPENINGS)
def test_each_act_happens_as_often_as_its_sentence_says(
    start: tuple[str, str], said: list[Plan], happenings: list[tuple[str, int]]
) -> None:
    async def story(house: House) -> None:
        before = {device: house.simulated.truth(device) for device in NAMES}
        begun = house.wall()
        for plan in said:
            await house.say(plan.text, plan.lang)
        opened = sum([await happens(house, *item) for item in happenings])
        await house.live(DAY)
        ended = house.wall()
        standing = [entry.id for entry in house.agenda.entries if entry.standing]
        assert len(standing) == sum(plan.standing for plan in said)
        await house.agenda.drop(standing)
        await house.live(3600)  # what has begun ends
        assert not house.agenda.entries
        assert {device: house.simulated.truth(device) for device in NAMES} == before
        for plan in said:
            there = pairs(plan, house.acts)
            assert len(there) == _times(house, plan, begun, ended, opened), plan.text
            for act, back in there:
                assert abs(back.gone - act.gone - plan.minutes * 60) < SECONDS_OF_ACT, plan.text

    lived(start, story)


def _times(house: House, plan: Plan, begun: float, ended: float, opened: int) -> int:
    """How often a plan is to be carried out between two moments."""
    if plan.sort == "rule":
        return opened
    if not plan.standing:
        return 1
    days = set()
    for minute in range(int(begun // 60) + 1, int(ended // 60) + 1):
        local = house.local(minute * 60)
        if (local.hour, local.minute) == (plan.hour, 10):
            days.add(local.date())
    if plan.sort == "other":
        return sum((day - min(days)).days % 2 == 0 for day in days)
    return sum(plan.sort == "daily" or day.weekday() < 5 for day in days)


WHOLES = [
    ("turn off everything for 10 minutes", "en"),
    ("in 5 minutes turn off everything in the hall for 45 minutes", "en"),
    ("turn off the kettle, the heater, the fan and the lamp for 10 minutes", "en"),
    ("全部关掉十分钟", "zh"),
    ("关掉门厅所有的东西四十五分钟", "zh"),
]


@settings(max_examples=EXAMPLES)
@given(
    said=st.lists(st.sampled_from(WHOLES), min_size=1, max_size=2, unique=True),
    states=st.fixed_dictionaries(dict.fromkeys(NAMES, st.sampled_from(["on", "off"]))),
    apart=st.integers(1, 3600),
)
def test_what_was_off_before_stays_off_after(said: list[tuple[str, str]], states: dict[str, str], apart: int) -> None:
    async def story(house: House) -> None:
        for device, state in states.items():
            await house.simulated.place(device, {"state": state})
        before = {device: house.simulated.truth(device) for device in NAMES}
        for text, lang in said:
            await house.say(text, lang)
            await house.live(apart)
            await house.restart()
        await house.live(DAY)
        assert not house.agenda.entries
        assert {device: house.simulated.truth(device) for device in NAMES} == before

    lived(STARTS[-1], story)


@settings(max_examples=EXAMPLES)
@given(start=st.sampled_from(STARTS), said=SAID, happenings=JUMPS)
def test_a_clock_that_is_set_repeats_nothing(
    start: tuple[str, str], said: list[Plan], happenings: list[tuple[str, int, int]]
) -> None:
    async def story(house: House) -> None:
        before = {device: house.simulated.truth(device) for device in NAMES}
        for plan in said:
            await house.say(plan.text, plan.lang)
        back_s = -sum(min(0, jump) for what, _, jump in happenings if what == "set")
        for what, seconds, jump in happenings:
            if what == "set":
                house.set_by += jump
                await house.live(1)
            else:
                await happens(house, what, seconds)
        await house.live(3 * DAY)
        standing = {entry.origin.said for entry in house.agenda.entries if entry.standing}
        assert standing == {plan.text for plan in said if plan.standing}
        for plan in said:
            _nothing_again(house, plan, relived=back_s > DAY)
        over = [plan for plan in said if not plan.standing]
        assert {plan.device: house.simulated.truth(plan.device) for plan in over} == {
            plan.device: before[plan.device] for plan in over
        }

    lived(start, story)


def _nothing_again(house: House, plan: Plan, *, relived: bool) -> None:
    """There at most as often as was said, and back after each; what is left out was told as missed.

    Days before which a clock was put back by more than one are days anew.
    """
    mine = [act for act in house.acts if act.device == plan.device]
    there = [act for act in mine if act.wish == plan.there]
    assert len(mine) - len(there) in (len(there), len(there) - 1)
    if not plan.standing:
        assert len(there) <= 1
        assert there or any("missed" in told or "错过" in told for told in house.told)
    if plan.sort in ("daily", "other", "weekdays"):
        days = Counter(house.local(act.wall).date() for act in there)
        assert relived or set(days.values()) <= {1}
        assert plan.sort != "weekdays" or all(day.weekday() < 5 for day in days)
        assert plan.sort != "other" or relived or all((day - min(days)).days % 2 == 0 for day in days)
        late = [
            house.local(act.wall) - house.local(act.wall).replace(hour=plan.hour, minute=10, second=0) for act in there
        ]
        assert all(0 <= item.total_seconds() < LATE for item in late)
    if not plan.until and len(mine) == 2 * len(there):
        for act, back in pairs(plan, house.acts):
            assert abs(back.gone - act.gone - plan.minutes * 60) < SECONDS_OF_ACT
