"""Lists that people keep: whatever is done, nothing is lost that nobody took off, and nothing is doubled."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.result import Change
from daemon.lists.lists import LONGEST, LONGEST_NAME, MOST, MOST_ITEMS, Lists, Store, tidied

ITEMS = st.sampled_from(["milk", "Milk", "eggs", "two litres of juice", "牛奶", "'); DROP TABLE lists; --"])
NAMES = st.sampled_from(["shopping", "todo", "camping", "露营"])
STEPS: st.SearchStrategy[tuple[str, str, list[str]]] = st.one_of(
    st.tuples(st.just("add"), NAMES, st.lists(ITEMS, max_size=3)),
    st.tuples(st.just("remove"), NAMES, st.lists(ITEMS, max_size=3)),
    st.tuples(st.sampled_from(["clear", "drop", "undo"]), NAMES, st.just([])),
)


async def do(lists: Lists, what: str, name: str, items: list[str], done: list[Change]) -> None:
    """One step, and what it must do and must not."""
    before = dict(lists.contents)
    match what:
        case "undo":
            if done:
                await lists.take_back(done.pop())
            return
        case "add":
            change, kept = await lists.add(name, items)
            assert set(before.get(name, ())) <= set(lists.contents[name])
            assert all(lists.on(name, item) for item in items)
        case "remove":
            if name not in before:
                return
            change, kept = await lists.remove(name, items)
            assert not any(lists.on(name, item) for item in items)
        case _:
            if name not in before:
                return
            change, kept = await lists.clear(name, drop=what == "drop")
            assert not lists.contents.get(name)
    done.append(change)
    assert kept
    assert {key: value for key, value in lists.contents.items() if key != name} == {
        key: value for key, value in before.items() if key != name
    }


@given(st.lists(STEPS, max_size=25))
def test_whatever_is_done_taking_all_of_it_back_leaves_what_was(steps: list[tuple[str, str, list[str]]]) -> None:
    async def play() -> None:
        lists, done = Lists(), list[Change]()
        await lists.add("shopping", ["bread"])
        was = dict(lists.contents)
        for what, name, items in steps:
            await do(lists, what, name, items, done)
            for held in lists.contents.values():
                assert len({item.casefold() for item in held}) == len(held)
        while done:
            await lists.take_back(done.pop())
        assert dict(lists.contents) == was

    asyncio.run(play())


async def test_taking_back_leaves_what_others_did_since() -> None:
    lists = Lists()
    await lists.add("shopping", ["milk", "eggs"])
    cleared, _ = await lists.clear("shopping")
    await lists.add("shopping", ["soap", "eggs"])
    await lists.take_back(cleared)
    assert lists.contents["shopping"] == ("milk", "soap", "eggs")


async def test_a_list_stays_bounded_whatever_comes_back() -> None:
    lists = Lists()
    await lists.add("shopping", [f"a {at}" for at in range(MOST_ITEMS)])
    cleared, _ = await lists.clear("shopping")
    await lists.add("shopping", [f"b {at}" for at in range(MOST_ITEMS)])
    await lists.take_back(cleared)
    assert len(lists.contents["shopping"]) == MOST_ITEMS
    assert lists.problem("shopping", ["c"]) == "full"


async def test_what_is_too_much_is_told() -> None:
    lists = Lists()
    assert lists.problem("shopping", ["x" * (LONGEST + 1)]) == "too_long"
    assert lists.problem("y" * (LONGEST_NAME + 1), ()) == "too_long"
    for at in range(MOST - 2):
        await lists.add(f"list {at}", ())
    assert lists.problem("one more", ()) == "too_many"
    assert lists.problem("list 3", ("milk",)) is None


def test_items_are_words_and_nothing_that_cannot_be_said() -> None:
    assert tidied(["  milk\x00 and\n more ", "\u202e", "鸡蛋"]) == ("milk and more", "鸡蛋")


async def test_lists_outlast_the_process(tmp_path: Path) -> None:
    file = tmp_path / "state" / "lists.db"
    first = Lists(Store(file))
    await first.open()
    await first.add("露营", ["帐篷", "two torches"])
    await first.add("shopping", ["milk"])
    await first.remove("shopping", ["milk"])
    second = Lists(Store(file))
    await second.open()
    assert dict(second.contents) == {"shopping": (), "todo": (), "露营": ("帐篷", "two torches")}
    assert file.stat().st_mode & 0o777 == 0o600


async def test_a_damaged_file_is_moved_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "lists.db"
    file.write_bytes(b"this is no database at all, but long enough to look like one" * 40)
    lists = Lists(Store(file, clock=lambda: 7.0))
    await lists.open()
    assert (await lists.add("shopping", ["milk"]))[1]
    assert (tmp_path / "lists.db.damaged-7").exists()
    assert len(caplog.records) == 1


async def test_a_disk_that_takes_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "lists.db").mkdir()
    change, kept = await Lists(Store(tmp_path / "lists.db")).add("shopping", ["milk"])
    assert change.added == ("milk",)
    assert not kept
