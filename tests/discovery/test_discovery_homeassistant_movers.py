"""Covers, valves, mowers and locks in Home Assistant's form, as entities."""

from __future__ import annotations

from tests.discovery.announced import able, heard, one, sent, told


def test_a_cover_upside_down() -> None:
    blind = one(
        "cover",
        cmd_t="c/set",
        pl_open="up",
        pl_cls="down",
        pl_stop="halt",
        pos_t="c/pos",
        set_pos_t="c/pos/set",
        pos_open=0,
        pos_clsd=100,
        dev_cla="shutter",
    )
    assert blind.type == "shutter"
    assert able(blind, "open_close").stoppable
    assert sent(blind, ("state", "closed")) == [("c/set", "down")]
    assert sent(blind, ("command", "stop")) == [("c/set", "halt")]
    assert sent(blind, ("position", 30)) == [("c/pos/set", "70")]
    assert heard(blind, "c/pos", "100") == {"position": 0, "state": "closed"}
    assert heard(blind, "c/pos", "0") == {"position": 100, "state": "open"}


def test_a_cover_that_stopped_is_where_it_is() -> None:
    shutter = one("cover", cmd_t="c", stat_t="s", stat_stopped="idle", pos_t="p", val_tpl="{{ value_json.s }}")
    assert heard(shutter, "s", {"s": "opening"}) == {"state": "opening"}
    assert heard(shutter, "s", {"s": "idle"}) == {}
    assert heard(shutter, "p", "0") == {"position": 0, "state": "closed"}
    together = one(
        "cover", cmd_t="c", stat_t="s", pos_t="s", val_tpl="{{ value_json.s }}", pos_tpl="{{ value_json.p }}"
    )
    assert heard(together, "s", {"s": "closing", "p": 40}) == {"state": "closing", "position": 40}
    assert heard(together, "s", {"s": "stopped", "p": 40}) == {"state": "open", "position": 40}
    simple = one("cover", cmd_t="c", stat_t="s", pos_t="p")
    assert heard(simple, "p", "40") == {"position": 40}
    assert heard(simple, "s", "stopped") == {"state": "stopped"}


def test_slats_are_a_value_beside_the_blind() -> None:
    _, finds = told(
        {
            "cover/x": {
                "name": "Study blind",
                "uniq_id": "x",
                "cmd_t": "c",
                "stat_t": "s",
                "tilt_cmd_t": "c/tilt",
                "tilt_status_t": "s/tilt",
                "tilt_max": 90,
            }
        }
    )
    slats = finds["number.x.tilt"].entity
    assert slats.names == ("Study blind tilt",)
    assert sent(slats, ("value", 50)) == [("c/tilt", "45")]
    assert heard(slats, "s/tilt", "90") == {"value": 100}
    assert finds["cover.x"].entity.names == ("Study blind",)


def test_a_valve_with_a_position_and_one_without() -> None:
    valve = one("valve", cmd_t="v/set", stat_t="v", pos=True)
    assert heard(valve, "v", "0") == {"position": 0, "state": "closed"}
    assert heard(valve, "v", {"position": 60, "state": "opening"}) == {"position": 60, "state": "open"}
    assert sent(valve, ("state", "open")) == [("v/set", "100")]
    valve = one("valve", cmd_t="v/set", stat_t="v")
    assert heard(valve, "v", "closing") == {"state": "closing"}
    assert heard(valve, "v", {"state": "open"}) == {"state": "open"}
    assert sent(valve, ("state", "closed")) == [("v/set", "CLOSE")]


def test_a_mower_has_a_topic_for_each_command() -> None:
    mower = one("lawn_mower", act_stat_t="m", strt_mw_cmd_t="m/start", pause_cmd_t="m/pause", dock_cmd_t="m/dock")
    assert mower.type == "lawn_mower"
    assert sent(mower, ("command", "start")) == [("m/start", "start_mowing")]
    assert sent(mower, ("command", "dock")) == [("m/dock", "dock")]
    assert heard(mower, "m", "mowing") == {"state": "mowing"}


def test_a_lock_that_is_jammed_is_not_locked() -> None:
    lock = one("lock", cmd_t="l/set", stat_t="l")
    assert heard(lock, "l", "LOCKED") == {"state": "locked"}
    assert heard(lock, "l", "JAMMED") == {"state": "unlocked"}
    assert heard(lock, "l", "LOCKING") is None
    assert sent(lock, ("state", "unlocked")) == [("l/set", "UNLOCK")]
