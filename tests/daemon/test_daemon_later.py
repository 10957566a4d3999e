"""What is kept for later, across processes: made, listed, cancelled, done after a restart, and told where missed."""

import json
import sqlite3
import time

from tests.daemon.processes import Place, command, running


def due_at(place: Place, moment: float) -> None:
    """Moves everything that is kept to another moment, while no daemon runs."""
    base = sqlite3.connect(place.root / "state" / "hearken" / "later.db")
    with base:
        base.execute("UPDATE later SET due = ?", (moment,))
    base.close()


async def test_it_is_done_after_a_restart(place: Place) -> None:
    async with running(place):
        said = await command(place, "text", "turn on old friend in ten minutes")
        assert said.out == "In 10 minutes I'll turn on Old friend.\n"
        listed = (await command(place, "later", "--json")).objects
        assert [(item["id"], item["sort"], item["entities"]) for item in listed] == [(1, "time", ["old_friend"])]
    due_at(place, time.time() - 5)
    async with running(place) as daemon:
        assert await daemon.replies(1) == ["Old friend is on."]
        daemon.type("is old friend on")
        assert (await daemon.replies(2))[1] == "Yes, Old friend is on."
        assert (await command(place, "later")).out == "nothing is kept for later\n"
    async with running(place) as daemon:
        daemon.type("is old friend on")
        assert (await daemon.replies(1)) == ["No, Old friend is off."]  # a new simulated home, and nothing done again


async def test_what_was_missed_is_told_and_not_done(place: Place) -> None:
    async with running(place):
        await command(place, "text", "turn on old friend in ten minutes")
    due_at(place, time.time() - 3600)
    async with running(place) as daemon:
        [told] = await daemon.replies(1)
        assert told.startswith("I missed something: I was to turn on Old friend")
        daemon.type("is old friend on")
        assert (await daemon.replies(2))[1] == "No, Old friend is off."


async def test_it_is_listed_and_cancelled_without_a_daemon(place: Place) -> None:
    said = await command(place, "text", "turn on old friend at 11 pm", "set a tea timer for 3 hours")
    assert said.out.splitlines()[1] == "The tea timer: 3 hours from now."
    assert "only while a daemon runs" in said.complaint
    assert "tea timer" in (await command(place, "later", "list")).out
    unknown = await command(place, "later", "cancel", "7")
    assert (unknown.code, "number 7" in unknown.complaint) == (1, True)
    left = (await command(place, "later", "--json", "cancel", "2")).objects
    assert [item["id"] for item in left] == [1]


async def test_an_announcement_as_an_object(place: Place) -> None:
    async with running(place):
        await command(place, "text", "turn on old friend in ten minutes")
    due_at(place, time.time() - 1)
    async with running(place, "--json") as daemon:
        [line] = await daemon.replies(1)
        assert json.loads(line)["announcement"] == "Old friend is on."
