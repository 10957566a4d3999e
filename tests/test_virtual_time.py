"""The loop that the tests run in keeps time as any other: what waits for a moment runs at it or after."""

from __future__ import annotations

import asyncio

from hypothesis import example, given
from hypothesis import strategies as st

from tests.virtual_time import now, run


@example([0.1, 0.1 + 1e-10, 0.30000000000000004])
@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=6))
def test_nothing_runs_before_its_time(delays: list[float]) -> None:
    async def waited(until: float) -> float:
        done = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_at(until, done.set_result, None)
        await done
        return now() - until

    async def main() -> list[float]:
        await asyncio.sleep(delays[0] / 3)
        return await asyncio.gather(*(waited(now() + delay) for delay in delays))

    assert min(run(main)) >= 0
