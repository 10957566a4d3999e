"""Backups of a home that is lived in, across processes."""

import asyncio
import tarfile
from pathlib import Path

from tests.daemon.processes import Place, command, running


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


async def test_a_backup_of_a_running_home_brings_all_of_it_back(place: Place) -> None:
    backup = place.root / "monday.tar.gz"
    home = place.home.read_bytes()
    async with running(place):
        assert (await command(place, "text", "call old friend Humphrey")).code == 0
        assert (await command(place, "text", "add milk to the shopping list", "wake me at seven tomorrow")).code == 0
        made = await command(place, "backup", str(backup))
        assert (made.code, made.err) == (0, "")
        assert backup.stat().st_mode & 0o777 == 0o600
        refused = await command(place, "restore", str(backup))
        assert (refused.code, "another Hearken is running" in refused.complaint) == (2, True)
    await command(place, "learnt", "remove", "humphrey")
    await command(place, "text", "clear the shopping list")
    await command(place, "later", "cancel", "1")
    place.home.write_bytes(home + b"\n# changed\n")
    back = (await command(place, "restore", str(backup), "--json")).objects[0]
    assert back["restored"] == ["home.yaml", "learnt.db", "later.db", "lists.db"]
    assert place.home.read_bytes() == home
    assert [item["word"] for item in (await command(place, "learnt", "--json")).objects] == ["Humphrey"]
    assert [item["id"] for item in (await command(place, "later", "--json")).objects] == [1]
    async with running(place):
        assert "milk" in (await command(place, "text", "what's on the shopping list")).out
        assert (await command(place, "text", "turn on humphrey")).out == "Old friend is on.\n"
    # And the way back from the way back.
    assert (await command(place, "restore", back["before"])).code == 0
    assert place.home.read_bytes().endswith(b"# changed\n")
    assert (await command(place, "learnt")).out == "nothing has been learnt\n"


async def test_a_backup_that_cannot_be_used_changes_nothing(place: Place) -> None:
    await command(place, "learnt", "add", "Humphrey", "old_friend")
    good, state = place.root / "good.tar.gz", place.root / "state" / "hearken"
    assert (await command(place, "backup", str(good), "--audit")).code == 0
    cut, wrong = place.root / "cut.tar.gz", place.root / "wrong.tar.gz"
    await asyncio.to_thread(cut.write_bytes, good.read_bytes()[:-100])
    whole = place.home.read_bytes()
    place.home.write_bytes(b"devices: nonsense\n")
    made = await command(place, "backup", str(wrong))
    assert (made.code, "cannot be restored" in made.complaint) == (0, True)
    place.home.write_bytes(whole)
    before = files(state)
    for file, problem in (
        (cut, "is no backup, or is damaged"),
        (wrong, "home file is not one that this Hearken takes"),
    ):
        refused = await command(place, "restore", str(file))
        assert (refused.code, problem in refused.complaint) == (1, True), refused.err
        assert place.home.read_bytes() == whole
        assert files(state) == before
    assert (await command(place, "restore", str(good))).code == 0


async def test_secrets_are_told_of_and_not_taken(place: Place) -> None:
    secret = place.root / "password"
    secret.write_text("do not tell")
    place.furnish({"host": "localhost", "port": 1, "user": "hearken", "password": {"file": str(secret)}})
    made = await command(place, "backup", str(place.root / "a.tar.gz"))
    assert made.out.splitlines()[1] == f"Not in it, and to be kept elsewhere: {secret}"
    with tarfile.open(place.root / "a.tar.gz") as archive:
        assert archive.getnames() == ["manifest.json", "home.yaml", "learnt.db", "later.db", "lists.db"]


async def test_a_backup_replaces_what_is_damaged(place: Place) -> None:
    await command(place, "learnt", "add", "Humphrey", "old_friend")
    backup, state = place.root / "a.tar.gz", place.root / "state" / "hearken"
    assert (await command(place, "backup", str(backup))).code == 0
    (state / "learnt.db").write_text("gone with the wind " * 500)
    assert (await command(place, "restore", str(backup))).code == 0
    assert [item["word"] for item in (await command(place, "learnt", "--json")).objects] == ["Humphrey"]
    assert [path for path in state.iterdir() if "damaged" in path.name]
