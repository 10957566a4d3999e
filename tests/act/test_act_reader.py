"""Many readings at once. Time is virtual."""

import asyncio

import pytest

from daemon.core.entities import Capability
from daemon.core.outcomes import Observation
from tests.act.world import Bridge, Home, device, run

CONTACT = Capability("read", "contact")
MUTE = Capability("read", "contact", gettable=False)


def test_forty_windows_share_one_deadline() -> None:
    async def main() -> tuple[dict[str, Observation], float, int]:
        windows = [device(f"window{index}", CONTACT if index % 4 else MUTE, kind="sensor") for index in range(40)]
        home = await Home.of(*windows)
        bridges = [
            Bridge(home.bus, f"zigbee2mqtt/{item.id}", {"contact": False}, answers_s=None if index % 4 == 1 else 0.2)
            for index, item in enumerate(windows)
        ]
        home.bus.deliver("zigbee2mqtt/window0", {"contact": True})
        home.bus.deliver("zigbee2mqtt/window4", {"contact": True}, retained=True)
        found = await home.reader.read((item.id, "contact") for item in windows)
        took = asyncio.get_running_loop().time()
        return {entity: seen for (entity, _), seen in found.items()}, took, max(bridge.gets for bridge in bridges)

    found, seconds, gets = run(main)
    assert seconds == pytest.approx(1.5)
    assert gets <= 3
    for index in range(40):
        seen = found[f"window{index}"]
        match index % 4:
            case 0:
                expected = {0: ("off", "push"), 4: ("off", "stale")}.get(index, (None, "none"))
            case 1:
                expected = (None, "none")
            case _:
                expected = ("on", "reply")
        assert (seen.value, seen.source) == expected


def test_two_who_ask_at_once_wait_for_one_answer() -> None:
    async def main() -> tuple[list[tuple[object, str]], int]:
        home = await Home.of(device("lamp", "on_off", "brightness"))
        bridge = Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "ON", "brightness": 254}, answers_s=0.3)

        async def ask(after_s: float, attribute: str) -> tuple[object, str]:
            await asyncio.sleep(after_s)
            seen = (await home.reader.read([("lamp", attribute)]))["lamp", attribute]
            return seen.value, seen.source

        asked = await asyncio.gather(ask(0, "state"), ask(0.1, "state"), ask(0.2, "brightness"))
        return list(asked), bridge.gets

    found, gets = run(main)
    assert found == [("on", "reply"), ("on", "reply"), (100, "reply")]
    assert gets == 2  # the brightness was not asked for before


def test_who_asks_after_the_answer_asks_again() -> None:
    async def main() -> tuple[list[object], int]:
        home = await Home.of(device())
        bridge = Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "ON"}, answers_s=0.01)
        seen: list[object] = []
        for state in ("ON", "OFF"):
            bridge.truth["state"] = state
            seen.append((await home.reader.read([("lamp", "state")]))["lamp", "state"].value)
        return seen, bridge.gets

    assert run(main) == (["on", "off"], 2)


def test_a_get_that_was_lost_is_repeated_once_for_all() -> None:
    async def main() -> tuple[list[str], int]:
        home = await Home.of(device())
        bridge = Bridge(home.bus, "zigbee2mqtt/lamp", {"state": "ON"}, answers_s=None)

        async def ask(after_s: float) -> str:
            await asyncio.sleep(after_s)
            return (await home.reader.read([("lamp", "state")]))["lamp", "state"].source

        asked = [asyncio.ensure_future(ask(after_s)) for after_s in (0, 0.2, 0.4)]
        await asyncio.sleep(0.45)
        bridge.answers_s = 0.05
        return await asyncio.gather(*asked), bridge.gets

    assert run(main) == (["reply"] * 3, 2)
