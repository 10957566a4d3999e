"""All that is kept, by its moments, whatever the clocks do; and the next moments of what stands."""

import math
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.values import replace
from daemon.schedule.agenda import MOST, Agenda, Standing, Store
from daemon.schedule.entries import Entry
from tests.schedule.kept import NOON, ORIGIN, ZONE, Clocks, entry
from tests.virtual_time import run

DAILY = "turn on the lamp every day at 1 pm"
DELAYED = "turn off the lamp in ten minutes"
HOUR = 3600.0


def timer(due: float | None, left: float | None = None) -> Entry:
    return Entry(0, "timer", ORIGIN, due, seconds=480.0, left=left)


def at(hour: int, day: int = 21) -> float:
    return datetime(2026, 11, day, hour, tzinfo=ZONE).timestamp()


@given(st.lists(st.none() | st.integers(-1000, 1000), max_size=9), st.data())
def test_it_is_in_the_order_of_its_moments(dues: list[int | None], data: st.DataObject) -> None:
    async def main() -> None:
        agenda = Clocks().agenda()
        for due in dues:
            await agenda.keep(entry(DAILY, due=None if due is None else NOON + due))
        gone = data.draw(st.sets(st.integers(0, 10)))
        await agenda.drop(gone)
        found = agenda.entries
        assert list(found) == sorted(found, key=lambda item: (math.inf if item.due is None else item.due, item.id))
        assert {item.id for item in found} == set(range(1, len(dues) + 1)) - gone
        assert len(agenda) == len(found)

    run(main)


async def test_a_number_is_never_given_again() -> None:
    agenda = Clocks().agenda()
    first, _ = await agenda.keep(timer(NOON))
    await agenda.drop([first.id])
    second, _ = await agenda.keep(timer(NOON))
    assert second.id > first.id


async def test_there_is_an_end_to_what_is_kept() -> None:
    agenda = Clocks().agenda()
    for _ in range(MOST):
        assert not agenda.full
        await agenda.keep(timer(None))
    assert agenda.full
    await agenda.drop([MOST])
    assert not agenda.full


async def test_each_change_is_told() -> None:
    agenda, told = Clocks().agenda(), list[int]()
    end = agenda.on_change(lambda: told.append(len(agenda)))
    kept, _ = await agenda.keep(timer(NOON))
    await agenda.put(replace(kept, due=NOON + 1))
    await agenda.drop([kept.id])
    await agenda.drop([kept.id])  # which changes nothing, and must wake nobody
    end()
    await agenda.keep(timer(NOON))
    assert told == [1, 1, 0]


@pytest.mark.parametrize("jump", [-7200.0, -4.0, 4.0, 7200.0])
async def test_a_length_goes_by_and_a_time_is_what_the_clock_says(jump: float) -> None:
    clocks = Clocks()
    agenda = clocks.agenda()
    length, _ = await agenda.keep(timer(NOON + 480))
    time, _ = await agenda.keep(entry(DAILY, due=NOON + 480))
    clocks.wait(100)
    clocks.wall += jump
    assert agenda.due(length) - clocks.wall == pytest.approx(380)
    assert agenda.due(time) - clocks.wall == pytest.approx(380 - jump)
    await agenda.follow_clock()
    assert agenda.get(time.id) == time
    stored = agenda.get(length.id)
    assert stored is not None
    # Drift is let be; a clock that was set is followed, so that it is right after a restart.
    assert (stored == length) == (abs(jump) < 5)
    assert agenda.due(stored) - clocks.wall == pytest.approx(380)


async def test_a_paused_timer_is_due_when_it_is_resumed_and_not_before() -> None:
    clocks = Clocks()
    agenda = clocks.agenda()
    kept, _ = await agenda.keep(timer(NOON + 480))
    paused = replace(kept, due=None, left=480.0)
    await agenda.put(paused)
    assert agenda.due(paused) == math.inf
    clocks.wait(1000)
    resumed = replace(kept, due=clocks.wall + 480)
    await agenda.put(resumed)
    assert agenda.due(resumed) == clocks.wall + 480


async def test_a_restart_changes_nothing(tmp_path: Path) -> None:
    clocks = Clocks()
    agenda = clocks.agenda(Store(tmp_path / "later.db"))
    for kept in (timer(NOON + 480), entry(DAILY, "lamp", due=at(13)), timer(None, left=30.0)):
        await agenda.keep(kept)
    await agenda.drop([1])
    await agenda.keep(entry(DELAYED, "lamp", due=NOON + 600))
    clocks.wait(60)
    clocks.gone = 0.0  # another process, and its clock that only goes on begins anew
    again = clocks.agenda(Store(tmp_path / "later.db"))
    await again.open()
    assert again.entries == agenda.entries
    assert [again.due(item) for item in again.entries] == [NOON + 600, at(13), math.inf]
    fresh, safe = await again.keep(timer(NOON))
    assert (fresh.id, safe) == (5, True)


async def test_where_nothing_can_be_written_it_lasts_as_long_as_the_process(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    clocks = Clocks()
    agenda = clocks.agenda(Store(file / "later.db"))
    kept, safe = await agenda.keep(timer(NOON + 480))
    assert (len(agenda), safe) == (1, False)
    assert agenda.due(kept) == NOON + 480


async def standing(text: str, due: float, clocks: Clocks) -> tuple[Agenda, Standing, Entry]:
    agenda = clocks.agenda()
    kept, _ = await agenda.keep(entry(text, "lamp", due=due))
    return agenda, Standing(agenda, clocks.moments), kept


@pytest.mark.parametrize(
    ("text", "now", "following"),
    [
        (DAILY, at(13), at(13, 22)),
        (DAILY, at(13) + 7 * HOUR, at(13, 22)),
        ("every weekday at 1 pm turn on the lamp", at(13), at(13, 23)),  # a Saturday
        ("turn on the lamp at 1 pm", at(13), None),
        ("turn on the lamp at 1 pm on saturday", at(13), None),
        (DELAYED, at(13), None),
    ],
)
@pytest.mark.parametrize("done", [True, False])
async def test_what_stands_is_put_off_and_the_rest_is_over(
    text: str,
    now: float,
    following: float | None,
    *,
    done: bool,
) -> None:
    clocks = Clocks(wall=now)
    agenda, keeper, kept = await standing(text, at(13), clocks)
    await keeper.put_off(kept, done=done)
    expected = replace(kept, due=following, fired=now if done else None)
    assert agenda.entries == (() if following is None else (expected,))


@pytest.mark.parametrize(
    ("back", "fired", "due"),
    [
        (2 * HOUR, None, at(13)),
        (2 * HOUR, at(13), at(13, 22)),  # what was done today is not done again
        (24 * HOUR, at(13, 20), at(13)),
        (3 * 24 * HOUR, at(13, 21), at(13, 19)),  # a clock that was wrong by days had fired nothing that counts
    ],
)
async def test_a_clock_that_is_put_back_brings_back_what_was_not_done(
    back: float, fired: float | None, due: float
) -> None:
    clocks = Clocks(wall=at(14))
    agenda, keeper, kept = await standing(DAILY, at(13, 22), clocks)
    await agenda.put(replace(kept, fired=fired))
    await keeper.follow_clock()
    clocks.wall -= back
    await keeper.follow_clock()
    assert [item.due for item in agenda.entries] == [due]


async def test_a_clock_that_only_goes_on_moves_nothing() -> None:
    clocks = Clocks(wall=at(12))
    agenda, keeper, _ = await standing(DAILY, at(13), clocks)
    await keeper.follow_clock()
    later, _ = await agenda.keep(entry(DAILY, "fan", due=at(13, 23)))  # not before the day after tomorrow
    for _ in range(3):
        clocks.wait(HOUR / 8)
        await keeper.follow_clock()
    assert agenda.get(later.id) == later
