"""The way to the devices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from daemon.act.executor import Executor
from daemon.act.reader import Reader
from daemon.act.states import States


@dataclass(frozen=True, slots=True)
class Access:
    """What was seen of the devices, fresh readings, acts, and whether the broker is there."""

    states: States
    reader: Reader
    executor: Executor
    connected: Callable[[], bool]
