"""Lines from a descriptor, however the bytes arrive."""

import asyncio
import os
import pty

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.commands import options
from daemon.commands.options import Keyboard


async def read(data: bytes) -> list[str | None]:
    ours, theirs = os.pipe()
    try:
        os.write(theirs, data)
        os.close(theirs)
        return [line async for line in Keyboard(ours).lines()]
    finally:
        os.close(ours)


@given(
    lines=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"))),
    at_once=st.integers(1, 9),
    ended=st.booleans(),
)
def test_every_line_comes_whole_and_in_order(lines: list[str], at_once: int, *, ended: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(options, "_AT_ONCE", at_once)
        data = "\n".join(lines) + ("\n" if ended else "")
        assert asyncio.run(read(data.encode())) == [line.strip() for line in lines if line.strip()]


@given(st.binary(max_size=200))
def test_bytes_that_are_no_text_are_told_and_never_raise(data: bytes) -> None:
    expected: list[str | None] = []
    for raw in data.split(b"\n"):
        try:
            expected += [raw.decode().strip()]
        except UnicodeDecodeError:
            expected += [None]
    assert asyncio.run(read(data)) == [line for line in expected if line != ""]


async def test_the_end_of_an_endless_line_is_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "_LONGEST", 20)
    monkeypatch.setattr(options, "_AT_ONCE", 8)
    assert await read(b"x" * 100 + b" open the door\nclose it\n") == [None, "close it"]


def test_who_can_type() -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    assert not Keyboard(nothing).there
    os.close(nothing)
    assert not Keyboard(10_000).there
    ours, theirs = pty.openpty()
    terminal = Keyboard(theirs)
    assert (terminal.there, terminal.interactive) == (True, True)
    for descriptor in (ours, theirs):
        os.close(descriptor)
