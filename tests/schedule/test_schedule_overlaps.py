"""What lasts only so long, one upon the other: for, until, later, every day, and for good, with restarts between.

What is seen of a device is the newest that lasts still; after the last end it is as it was before the first. A model
that knows nothing of ends says so for each moment, and how often each device is sent something.
"""

import os
from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schedule.planned import House
from tests.schedule.test_schedule_plans import DAY, NAMES, STARTS, VERBS, lived

EXAMPLES = int(os.environ.get("PLANS", "8"))
"""`PLANS=2000 pytest tests/schedule/test_schedule_overlaps.py` looks longer."""
CLOSE_S = 20
"""What lies so close together may come in either order."""


@dataclass
class Device:
    """How one device ought to be."""

    base: str
    lasting: list[tuple[str, float]] = field(default_factory=list)
    """What lasts, the newest last, with its end."""
    sent: int = 0

    @property
    def state(self) -> str:
        return self.lasting[-1][0] if self.lasting else self.base

    def end(self) -> float:
        return min((end for _, end in self.lasting), default=float("inf"))

    def over(self, now: float) -> None:
        """What ends until now has ended."""
        while self.end() <= now:
            was = self.state
            self.lasting.remove(min(self.lasting, key=lambda item: item[1]))
            self.sent += was != self.state

    def told(self, wish: str, end: float | None, *, named: bool) -> None:
        """What was said of it, or comes now."""
        self.sent += 1
        if end is None:
            self.base, self.lasting = wish, []
            return
        left = [item for item in self.lasting if item[1] > end]
        if left and left[-1][0] == wish:
            del left[-1]
        if named and not self.lasting and (wish, self.base) == ("on", "on"):
            self.base = "off"  # what was named goes off, whoever had switched it on
        # What it is anyway needs no end.
        self.lasting = [*left, (wish, end)] if left or wish != self.base else []


@dataclass(frozen=True)
class Said:
    """One sentence, and how long nothing else happens after it."""

    devices: tuple[str, ...]
    """None of them: everything."""
    wish: str
    minutes: int | None
    """None: for good."""
    start: int | None
    """In so many minutes; None: now."""
    sort: str
    """for, until, daily."""
    lang: str
    apart: int
    happens: str

    def text(self, house: House) -> str:
        en = self.lang == "en"
        verb, names = VERBS[self.wish][self.lang], [NAMES[device][self.lang] for device in self.devices]
        joined = (" and " if en else "和").join(names) or ("everything" if en else "所有的东西")
        act = f"{verb}{' ' if en else ''}{joined}"
        if self.sort == "daily":
            at = house.local(house.wall() + 60 * (self.start or 1))
            act = f"every day at {at:%H:%M} {act}" if en else f"每天{at.hour}点{at.minute}分{act}"
        elif self.start is not None:
            act = f"in {self.start} minutes {act}" if en else f"{self.start}分钟后{act}"
        if self.minutes is None:
            return act
        if self.sort == "until":
            at = house.local(house.wall() + 60 * self.minutes)
            return f"{act} until {at:%H:%M}" if en else f"{act}到{at.hour}点{at.minute}分"
        return f"{act} for {self.minutes} minutes" if en else f"{act}{self.minutes}分钟"


LENGTHS = [3, 7, 11, 19, 37, 61]
SAYINGS = st.lists(
    st.builds(
        Said,
        devices=st.sampled_from([("heater",), ("fan",), ("heater", "fan"), ("lamp",), ()]),
        wish=st.sampled_from(["on", "off"]),
        minutes=st.sampled_from([None, *LENGTHS]),
        start=st.sampled_from([None, None, None, 2, 13, 29]),
        sort=st.sampled_from(["for", "for", "until", "daily"]),
        lang=st.sampled_from(["en", "zh"]),
        apart=st.integers(30, 1500),
        happens=st.sampled_from(["nothing", "restart", "set"]),
    ).filter(lambda said: (said.devices or said.wish == "off") and (said.sort != "until" or said.start is None)),
    min_size=1,
    max_size=6,
)


class Model:
    """What ought to be of all that was said."""

    def __init__(self, states: dict[str, str]) -> None:
        self.devices = {device: Device(state) for device, state in states.items()}
        self.coming: list[tuple[float, Said, float | None]] = []
        """When what is for later comes, and when it ends."""
        self.moments: list[float] = []

    def said(self, said: Said, house: House) -> None:
        now = house.gone()
        length = None if said.minutes is None else said.minutes * 60.0
        if said.sort == "until" and length is not None:
            length -= house.wall() % 60  # until the minute begins
        if said.sort == "daily":
            first = now + 60 * (said.start or 1) - house.wall() % 60
            times = [first + day * DAY for day in range(2)]
        else:
            times = [now + 60 * (said.start or 0)]
        for at in times:
            self.coming.append((at, said, None if length is None else at + length))
        self.moments += times
        self.go(now)

    def go(self, now: float) -> None:
        """Time goes by."""
        while True:
            at = min((item[0] for item in self.coming), default=float("inf"))
            end = min(device.end() for device in self.devices.values())
            if min(at, end) > now:
                return
            if end <= at:
                self.moments.append(end)
                for device in self.devices.values():
                    device.over(end)
                continue
            item = min(self.coming, key=lambda one: one[0])
            self.coming.remove(item)
            for name in item[1].devices or self.devices:
                self.devices[name].told(item[1].wish, item[2], named=bool(item[1].devices))

    def still(self, now: float) -> bool:
        """Whether nothing happens just now."""
        return all(abs(now - at) > CLOSE_S for at in (*self.moments, *(item.end() for item in self.devices.values())))

    @property
    def in_order(self) -> bool:
        """Whether it can be told in which order all happened."""
        moments = sorted(self.moments)
        return all(after - before > CLOSE_S for before, after in pairwise(moments))


@settings(max_examples=EXAMPLES)
@given(
    sayings=SAYINGS,
    states=st.fixed_dictionaries(dict.fromkeys(NAMES, st.sampled_from(["on", "off"]))),
    jumps=st.booleans(),
)
def test_what_is_seen_is_the_newest_that_lasts_still(
    sayings: list[Said], states: dict[str, str], *, jumps: bool
) -> None:
    async def story(house: House) -> None:
        for device, state in states.items():
            await house.simulated.place(device, {"state": state})
        house.simulated.received.clear()
        model = Model(states)
        for said in sayings:
            if jumps and said.sort in ("until", "daily"):
                continue  # until eight is not so long any more where the clock is set
            text = said.text(house)
            model.said(said, house)
            await house.say(text, said.lang)
            if said.happens == "restart":
                await house.restart()
            if said.happens == "set" and jumps:
                house.set_by += said.apart * 7 - 4000
            if not await lives(house, model, said.apart):
                return
        if not await lives(house, model, DAY * 0.9):
            return
        await house.agenda.drop([entry.id for entry in house.agenda.entries if entry.standing])
        model.coming.clear()
        await lives(house, model, 2 * 3600)
        assert not house.agenda.entries
        sent = {name: sum(act.device == name for act in house.acts) for name in states}
        assert sent == {name: device.sent for name, device in model.devices.items()}

    lived(STARTS[-1], story)


async def lives(house: House, model: Model, seconds: float) -> bool:
    """Time goes by in the house and in the model; whether it can be told in which order all happens."""
    until = house.gone() + seconds
    while house.gone() < until:
        await house.live(min(until - house.gone(), 300))
        model.go(house.gone())
        if not model.in_order:
            return False
        if not model.still(house.gone()):
            continue
        seen = {name: house.simulated.truth(name)["state"] for name in model.devices}
        assert seen == {name: device.state for name, device in model.devices.items()}
    return True


LEVELS = st.lists(
    st.tuples(
        st.sampled_from(["turn off the lamp", "turn on the lamp", *(f"set the lamp to {n} percent" for n in (20, 50))]),
        st.sampled_from(LENGTHS),
        st.integers(30, 1500),
        st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=EXAMPLES)
@given(said=LEVELS, before=st.sampled_from([{"state": "on", "brightness": 80}, {"state": "off", "brightness": 80}]))
def test_a_light_is_as_bright_after_the_last_end_as_before_the_first(
    said: list[tuple[str, int, int, bool]], before: dict[str, str | float]
) -> None:
    async def story(house: House) -> None:
        await house.simulated.place("lamp", before)
        for text, minutes, apart, restarts in said:
            if "turn on" in text and house.simulated.truth("lamp")["state"] == "on":
                continue  # "on for an hour" of what is on says that it is to be off then
            await house.say(f"{text} for {minutes} minutes", "en")
            if restarts:
                await house.restart()
            await house.live(apart)
        await house.live(DAY)
        assert not house.agenda.entries
        after = house.simulated.truth("lamp")
        assert after["state"] == before["state"]
        assert before["state"] == "off" or after == before  # what is off has no level

    lived(STARTS[-1], story)
