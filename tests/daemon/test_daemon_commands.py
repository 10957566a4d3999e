"""Each subcommand as a process of its own: what it prints, and how it ends."""

import asyncio
import json
import subprocess
import sys
import wave
from pathlib import Path

import pytest

from daemon.__main__ import main
from tests.daemon.processes import ROOT, Place, command, running


async def test_text_uses_a_home_of_its_own_where_no_daemon_runs(place: Place) -> None:
    said = await command(place, "text", "turn on old friend", "is old friend on")
    assert (said.code, said.out, said.err) == (0, "Old friend is on.\nYes, Old friend is on.\n", "")


async def test_text_uses_the_running_daemon_unless_a_home_is_named(place: Place) -> None:
    async with running(place):
        assert (await command(place, "text", "turn on old friend")).code == 0
        assert (await command(place, "text", "is old friend on")).out == "Yes, Old friend is on.\n"
        other = await command(place, "text", "--home", str(place.home), "is old friend on")
        assert other.out == "No, Old friend is off.\n"
        wrong = await command(place, "text", "--area", "the moon", "turn on old friend")
        assert wrong.code == 2
        assert "there is no area 'the moon'" in wrong.complaint


async def test_text_gives_one_object_per_line(place: Place) -> None:
    said = await command(place, "text", "--json", "unlock the front door", "yes", "打开老伙计")
    assert said.code == 0
    assert [item["outcome"] for item in said.objects] == ["clarify", "execute", "execute"]
    assert [item["lang"] for item in said.objects] == ["en", "en", "zh"]
    assert said.objects[1]["outcomes"][0] | {"evidence": None} == {
        "device": "front_door",
        "attribute": "state",
        "value": "unlocked",
        "status": "done",
        "reason": "",
        "evidence": None,
    }
    assert {"normalize", "grammar", "resolve", "read", "act", "verify", "total"} >= set(said.objects[2]["ms"])


@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        ("turn on the counter light", 1),
        ("turn on the moon", 1),
        ("what is the meaning of life", 1),
        ("", 1),
        ("turn on the desk lamp", 0),
        ("is old friend on", 0),
    ],
)
async def test_text_tells_by_its_exit_code_whether_it_was_done(place: Place, sentence: str, code: int) -> None:
    said = await command(place, "text", "--", sentence)
    assert said.code == code, said
    assert said.err == ""
    assert len(said.out.splitlines()) == 1


@pytest.mark.parametrize(("sentence", "told"), [("x" * 100_000, "too long"), (b"turn on \xff old friend", "not UTF-8")])
async def test_text_refuses_what_cannot_be_a_command(place: Place, sentence: str | bytes, told: str) -> None:
    said = await command(place, "text", sentence)
    assert said.code == 2
    assert told in said.complaint


async def test_text_shows_every_stage(place: Place) -> None:
    said = await command(place, "text", "--trace", "turn on old friend")
    for word in ("normalize", "understand", "resolve", "gate", "plan", "converse", "time (ms)", "read by    grammar"):
        assert word in said.out


async def test_parse(place: Place) -> None:
    said = await command(place, "parse", "turn on the desk lamp", "打开老伙计")
    assert said.code == 0
    assert [item["clauses"][0]["intent"] for item in said.objects] == ["act", "act"]
    nothing = await command(place, "parse", "colourless green ideas")
    assert nothing.code == 1


async def test_models(place: Place) -> None:
    said = await command(place, "models", "--json")
    assert said.code == 0
    assert "whisper-tiny" in {item["name"] for item in said.objects}
    place.extra = {"HEARKEN_MODELS": str(place.root / "nowhere")}
    missing = await command(place, "models")
    assert missing.code == 2
    assert "manifest.yaml" in missing.complaint
    assert (await command(place, "models", "fetch", "nobody")).code == 2


ODD = """
devices:
  odd: {name: All the lights, aliases: [所有灯, Reading lamp], type: light, capabilities: [on_off]}
groups:
  every: {name: Every lamp, members: [odd]}
"""


async def test_doctor(place: Place) -> None:
    said = await command(place, "doctor", "--json")
    states = {item["subject"]: item["state"] for item in said.objects}
    assert said.code == 0, said.out
    assert (states["home"], states["broker"], states["daemon"]) == ("ok", "ok", "absent")
    async with running(place):
        states = {item["subject"]: item["state"] for item in (await command(place, "doctor", "--json")).objects}
        assert states["daemon"] == "ok"
    place.home.write_text(ODD, encoding="utf-8")
    odd = await command(place, "doctor")
    assert odd.code == 1
    assert "'All the lights', '所有灯': no device can be called so" in odd.out
    async with running(place) as daemon:
        # Also what only a broker has told of.
        place.home.write_text("{}", encoding="utf-8")
        assert "'All the lights', '所有灯': no device" in (await command(place, "doctor")).out
        assert await daemon.terminate() == 0
    place.home.write_text("devices: [", encoding="utf-8")
    broken = await command(place, "doctor")
    assert broken.code == 1
    assert f"{place.home}:" in broken.out


def sounds(folder: Path) -> dict[str, Path]:
    """Files that nobody can listen to."""
    made = {
        name: folder / f"{name}.wav" for name in ("absent", "empty", "text", "truncated", "folder", "silent frames")
    }
    made["empty"].write_bytes(b"")
    made["text"].write_text("turn on the lamp", encoding="utf-8")
    made["truncated"].write_bytes(b"RIFF\xff\xff\xff\xffWAVEfmt ")
    made["folder"].mkdir()
    with wave.open(str(made["silent frames"]), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
    return made


@pytest.mark.parametrize("name", ["absent", "empty", "text", "truncated", "folder", "silent frames"])
async def test_listen_says_what_is_wrong_with_a_file(place: Place, tmp_path: Path, name: str) -> None:
    path = sounds(tmp_path)[name]
    said = await command(place, "listen", str(path))
    assert said.code == 1
    assert str(path) in said.complaint
    assert said.out == ""


@pytest.mark.parametrize(
    ("arguments", "written", "told"),
    [
        (("run",), "devices:\n  lamp: [unclosed\n", ":3: "),
        (("text", "x"), "areas: {}\ndevices:\n  lamp: {name: Lamp, area: hal}\n", ":3: devices.lamp.area: "),
        (("devices",), "\x00\x01", ""),
        (("parse", "x"), "", ""),
        (("run",), None, ""),
    ],
    ids=["not yaml", "unknown area", "binary", "empty", "absent"],
)
async def test_a_broken_home_file(place: Place, arguments: tuple[str, ...], written: str | None, told: str) -> None:
    if written is None:
        place.home.unlink()
    else:
        place.home.write_text(written, encoding="utf-8")
    said = await command(place, *arguments)
    assert said.code == 2
    assert f"{place.home}{told}" in said.complaint


async def test_a_home_file_with_several_mistakes(place: Place) -> None:
    place.home.write_text("devices:\n  a: {name: A, x: 1}\n  b: {name: B, area: nowhere}\n", encoding="utf-8")
    said = await command(place, "devices")
    assert said.code == 2
    lines = said.err.splitlines()
    assert [line.split(": ")[1:3] for line in lines] == [
        [f"{place.home}:2", "devices.a.x"],
        [f"{place.home}:3", "devices.b.area"],
    ]


@pytest.mark.parametrize(
    "arguments",
    [(), ("--nonsense",), ("text",), ("text", "--nonsense", "x"), ("run", "--lang", "fr"), ("listen",), ("fly",)],
)
def test_bad_usage(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert "usage: " in said.err
    assert said.out == ""


async def test_a_reader_that_has_enough(place: Place) -> None:
    """`devices | head -1`"""
    process = await asyncio.create_subprocess_shell(
        f"{sys.executable} -m daemon devices | head -1",
        cwd=ROOT,
        env=place.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert len(out.splitlines()) == 1
    assert err == b""


async def test_a_terminal_that_knows_no_chinese(place: Place) -> None:
    place.extra = {"PYTHONIOENCODING": "ascii"}
    said = await command(place, "text", "打开老伙计")
    assert said.code == 0
    assert said.out.startswith("\\u8001")
    said = await command(place, "text", "--json", "打开老伙计")
    assert json.loads(said.out)["text"] == "打开老伙计"


async def test_audit_lists_what_was_done_and_refused(place: Place) -> None:
    assert "nothing was done yet" in (await command(place, "audit")).complaint
    await command(place, "text", "turn on old friend", "turn on the counter light", "turn on the moon")
    told = await command(place, "audit")
    assert told.code == 0
    assert [line.split()[2] for line in told.out.splitlines()] == ["done", "failed", "refused"]
    whole = await command(place, "audit", "--json", "--device", "OLD friend", "--since", "1h")
    assert [(item["device"], item["status"], item["said"]) for item in whole.objects] == [
        ("old_friend", "done", "turn on old friend")
    ]
    assert whole.objects[0]["sent"]
    assert whole.objects[0]["seen"]
    assert (await command(place, "audit", "--outcome", "unconfirmed")).out == ""
    assert (await command(place, "audit", "--until", "1h")).out == ""
    assert len((await command(place, "audit", "--limit", "1")).out.splitlines()) == 1
    wrong = await command(place, "audit", "--since", "yesterday")
    assert wrong.code == 2
    assert "is no time" in wrong.complaint
