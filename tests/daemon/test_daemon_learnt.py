"""What is learnt, across processes: told to the running daemon, there after a restart, listed and removed."""

from tests.daemon.processes import Place, command, running


async def test_a_name_survives_the_daemon(place: Place) -> None:
    async with running(place):
        assert (await command(place, "text", "call old friend Humphrey")).code == 0
        assert (await command(place, "text", "turn on humphrey")).out == "Old friend is on.\n"
        listed = (await command(place, "learnt", "--json")).objects
    assert [(item["word"], item["meaning"], item["origin"]["how"]) for item in listed] == [
        ("Humphrey", "old_friend", "told")
    ]
    assert listed[0]["origin"]["said"] == "call old friend Humphrey"
    async with running(place):
        assert (await command(place, "text", "turn on humphrey")).out == "Old friend is on.\n"
        found = (await command(place, "devices", "humphrey")).objects
        assert found[0]["learnt_names"] == ["Humphrey"]
        assert (await command(place, "learnt", "remove", "humphrey")).code == 0
        # At once, and not only when what names mean has been read anew.
        unknown = await command(place, "text", "turn on humphrey")
        assert (unknown.code, unknown.out) == (1, "I don't know humphrey.\n")


async def test_it_is_edited_where_no_daemon_runs(place: Place) -> None:
    assert (await command(place, "learnt")).out == "nothing has been learnt\n"
    assert (await command(place, "learnt", "add", "Humphrey", "old_friend")).code == 0
    assert (await command(place, "learnt", "rename", "humphrey", "Ingrid")).code == 0
    assert "Ingrid" in (await command(place, "learnt", "list")).out
    assert (await command(place, "text", "turn on ingrid")).out == "Old friend is on.\n"
    refused = await command(place, "learnt", "add", "on", "old_friend")
    assert (refused.code, "commands need" in refused.complaint) == (1, True)


async def test_a_damaged_memory_ends_nothing(place: Place) -> None:
    state = place.root / "state" / "hearken"
    state.mkdir(parents=True)
    (state / "learnt.db").write_text("gone with the wind " * 500)
    said = await command(place, "text", "turn on old friend")
    assert (said.code, said.out) == (0, "Old friend is on.\n")
    assert [path for path in state.iterdir() if "damaged" in path.name]
