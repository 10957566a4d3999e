"""`run` as a process of its own, on the embedded broker."""

import asyncio
import json
import stat
from pathlib import Path

import pytest

from daemon.core.errors import UsageError
from daemon.system import control
from tests.daemon.manager import Manager
from tests.daemon.processes import SOON_S, Place, command, running, say


async def test_a_pipe_is_answered_line_by_line_and_ends_the_daemon(place: Place) -> None:
    async with running(place) as daemon:
        daemon.type("turn on old friend", "is old friend on", "打开老伙计", "", "   ", "what is the meaning of life")
        replies = await daemon.replies(3)
        assert replies[:2] == ["Old friend is on.", "Yes, Old friend is on."]
        assert replies[2].startswith("老伙计")
        assert await daemon.end() == 0
        assert len(daemon.out) == 4
    assert not place.socket.exists()


async def test_what_was_typed_before_the_end_is_still_answered(place: Place) -> None:
    said = await command(place, "run", "--mute", "--deaf", stdin=b"turn on old friend\nturn it off")
    assert (said.code, said.out) == (0, "Old friend is on.\nOld friend is off.\n")


async def test_a_question_is_answered_on_the_next_line(place: Place) -> None:
    async with running(place, "--json") as daemon:
        daemon.type("unlock the front door", "yes", "turn on the desk lamp", "the bedroom one")
        results = [json.loads(line) for line in await daemon.replies(4)]
        assert [result["outcome"] for result in results] == ["clarify", "execute", "clarify", "execute"]
        assert [item["targets"] for item in results[3]["commands"]] == [["bedroom_desk_lamp"]]
        assert results[0]["question"] == results[0]["reply"]
        assert await daemon.end() == 0


async def test_quit_ends_it_politely(place: Place) -> None:
    async with running(place) as daemon:
        daemon.type("turn on old friend", "quit")
        assert await daemon.replies(2) == ["Old friend is on.", "Goodbye."]
        async with asyncio.timeout(SOON_S):
            assert await daemon.process.wait() == 0  # though its input is open


async def test_without_input_it_runs_until_it_is_told_to_end(place: Place) -> None:
    async with running(place, stdin=asyncio.subprocess.DEVNULL) as daemon:
        [result] = await say(place, "turn on old friend")
        assert result["outcomes"][0]["status"] == "done"
        assert stat.S_IMODE(place.socket.stat().st_mode) == 0o600
        assert await daemon.terminate() == 0
    assert not place.socket.exists()


async def test_it_ends_when_told_to_while_its_input_is_open(place: Place) -> None:
    """A thread that waits for input must not abort the process."""
    async with running(place) as daemon:
        daemon.type("turn on old friend")
        await daemon.replies(1)
        assert await daemon.terminate() == 0


async def test_a_second_daemon_is_refused_in_one_line(place: Place) -> None:
    async with running(place) as daemon:
        second = await command(place, "run")
        assert second.code == 2
        assert "another Hearken is running already" in second.complaint
        daemon.type("turn on old friend")
        assert await daemon.replies(1) == ["Old friend is on."]


async def test_what_a_killed_daemon_left_behind_is_no_hindrance(place: Place) -> None:
    async with running(place) as daemon:
        daemon.process.kill()
        await daemon.end()
    assert place.socket.exists()
    assert (await command(place, "text", "turn on old friend")).code == 0
    async with running(place) as daemon:
        daemon.type("turn on old friend")
        assert await daemon.replies(1) == ["Old friend is on."]


async def test_two_satellites_have_each_their_own_question(place: Place) -> None:
    async with running(place), control.asking(place.socket) as one, control.asking(place.socket) as two:
        assert one is not None
        assert two is not None

        async def text(ask: control.Handler, satellite: str, text: str) -> str:
            return str((await ask({"op": "text", "text": text, "satellite": satellite}))["reply"])

        risky, which = await asyncio.gather(
            text(one, "kitchen", "unlock the front door"), text(two, "bedroom", "turn on the desk lamp")
        )
        assert risky == "Shall I really unlock Front door?"
        assert which.startswith("Which one")
        lamp, door = await asyncio.gather(text(two, "bedroom", "the kitchen one"), text(one, "kitchen", "yes"))
        assert (lamp, door) == ("Desk lamp is on.", "Front door is unlocked.")
        # A yes from where nothing was asked is an answer to nothing.
        await text(one, "kitchen", "lock the front door")
        await text(one, "kitchen", "unlock the front door")
        await text(two, "bedroom", "yes")
        assert (await text(two, "bedroom", "is the front door locked")).startswith("Yes")


async def test_ten_commands_at_once_are_all_answered(place: Place) -> None:
    async with running(place):
        texts = [f"turn {'on' if number % 2 else 'off'} old friend" for number in range(10)]
        answers = await asyncio.gather(*(say(place, text, satellite=f"s{n}") for n, text in enumerate(texts)))
        answers += await asyncio.gather(*(say(place, text) for text in texts[:4]))
    assert len(answers) == 14
    for [result] in answers:
        # Whether it was seen in time depends on how busy the machine is.
        assert result["outcomes"][0]["status"] not in ("refused", "not_found")
        assert result["reply"]
    for [result] in answers[10:]:
        # One mouth: one after the other, so none takes the place of another.
        assert result["outcomes"][0]["reason"] != "superseded"


async def test_requests_that_are_none_get_an_answer_and_harm_nobody(place: Place) -> None:
    async with running(place) as daemon:
        reader, writer = await asyncio.open_unix_connection(place.socket)
        bad = [
            *(b"{}", b"[]", b"null", b"nonsense", b"\xff\xfe", b"[" * 100_000, b'{"op": "reboot"}', b'{"op": "text"}'),
            *(b'{"op": "text", "text": 5}', b'{"op": "text", "text": "x", "area": ["hall"]}'),
            *(b'{"op": "text", "text": "x", "area": "the moon"}', b'{"op": "text", "text": "x", "lang": "fr"}'),
            *(b'{"op": "text", "text": "x", "heard": NaN}', b'{"op": "text", "text": "x", "heard": "loud"}'),
            b'{"op": "text", "text": "' + b"a" * 100_000 + b'"}',
        ]
        for line in bad:
            writer.write(line + b"\n")
            answer = json.loads(await reader.readline())
            assert answer["usage"] is True, (line, answer)
            assert answer["error"]
        writer.write(b"x" * (1 << 21))
        assert "at most" in json.loads(await reader.readline())["error"]
        writer.close()
        [result] = await say(place, "turn on old friend")
        assert result["outcomes"][0]["status"] == "done"
        assert not any("error" in line.lower() for line in daemon.err), daemon.err


async def test_a_satellite_that_hangs_up_takes_nobody_with_it(place: Place) -> None:
    async with running(place) as daemon:
        for number in range(5):
            _, writer = await asyncio.open_unix_connection(place.socket)
            asked = {"op": "text", "text": "turn on the counter light", "satellite": f"s{number}"}
            writer.write(json.dumps(asked).encode() + b"\n")
            await writer.drain()
            writer.transport.abort()
        [result] = await say(place, "turn on old friend")
        assert result["outcomes"][0]["status"] == "done"
        assert await daemon.terminate() == 0


async def test_the_service_manager_hears_of_it(place: Place) -> None:
    with Manager(place, WATCHDOG_USEC="200000") as manager:
        async with running(place, stdin=asyncio.subprocess.DEVNULL) as daemon:
            await manager.until("READY=1")
            for _ in range(3):
                await manager.until("WATCHDOG=1")
            assert await daemon.terminate() == 0
            await manager.until("STOPPING=1")


@pytest.mark.parametrize(
    ("line", "answered"),
    [
        pytest.param(b"turn on \xff old friend", "no UTF-8", id="no text"),
        pytest.param(b"\xc3\x28", "no UTF-8", id="half a character"),
        pytest.param(b"x" * 100_000, "too long", id="too long"),
        pytest.param("开".encode() * 100_000, "too long", id="too long in Chinese"),
        pytest.param(b"y" * 3_000_000 + b" turn on old friend", "no UTF-8 text, or far too long", id="endless"),
    ],
)
async def test_lines_that_are_none_are_passed_over_with_a_word(place: Place, line: bytes, answered: str) -> None:
    said = await command(place, "run", "--mute", "--deaf", stdin=line + b"\nis old friend on\n")
    assert (said.code, said.out) == (0, "No, Old friend is off.\n")
    complaints = [item for item in said.err.splitlines() if item.startswith("hearken: ")]
    assert len(complaints) == 1
    assert answered in complaints[0]


async def test_control_characters_neither_come_in_nor_go_out(place: Place) -> None:
    typed = "turn on\x00 old\x1b friend\r\nturn on the hall light\nturn on the \x1b]0;owned\x07lamp of \x9b2J doom\n"
    said = await command(place, "run", "--mute", "--deaf", stdin=typed.encode())
    lines = said.out.splitlines()
    assert lines[0] == "Old friend is on."
    assert lines[1] == "Hall (names) light is on."
    assert len(lines) == 3
    assert all(character.isprintable() for character in "".join(lines))


@pytest.mark.parametrize("options", [("--area", "the moon"), ("--speaker", "nobody")])
async def test_an_area_or_a_speaker_that_is_not_there(place: Place, options: tuple[str, str]) -> None:
    said = await command(place, "run", *options)
    assert said.code == 2
    assert f"there is no {options[0][2:]} {options[1]!r}" in said.err.splitlines()[-1]


async def test_a_socket_that_cannot_be(place: Place) -> None:
    place.extra = {"XDG_RUNTIME_DIR": str(place.runtime / ("deep" * 40))}
    said = await command(place, "run")
    assert said.code == 2
    assert "XDG_RUNTIME_DIR" in said.err.splitlines()[-1]
    place.extra = {"XDG_RUNTIME_DIR": "/proc/nowhere"}
    said = await command(place, "run")
    assert said.code == 2
    assert "no control socket can be made" in said.complaint


def test_only_one_can_claim(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    with control.claim(path), pytest.raises(UsageError, match="another"), control.claim(path):
        pass
    with control.claim(path):
        pass
