"""Requests from several mouths at once: those of one satellite in their order, those of different ones side by side."""

from __future__ import annotations

import asyncio
import logging
from typing import Any
from weakref import WeakValueDictionary

from daemon.app import Later
from daemon.commands import devices, later, learnt
from daemon.commands.text import answer, utterance
from daemon.core.errors import HearkenError, UsageError
from daemon.discovery.inventory import Inventory
from daemon.memory.ledger import Ledger
from daemon.pipeline import Pipeline

_LOG = logging.getLogger(__name__)


class Turns:
    """The handler of a daemon's requests. One event loop."""

    def __init__(self, pipeline: Pipeline, inventory: Inventory, ledger: Ledger, later: Later) -> None:
        self._pipeline = pipeline
        self._inventory = inventory
        self._ledger = ledger
        self._later = later
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def check(self, asked: dict[str, Any]) -> None:
        """Whether it is a request that this home can take.

        Raises:
            UsageError: it is not.
        """
        if asked.get("op") != "text":
            raise UsageError(f"there is no operation {asked.get('op')!r}")
        self._pipeline.parts.conversations.check(utterance(asked))

    async def handle(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The result of one request, with its trace. A fault of ours ends in an apology, not in the daemon's end.

        Raises:
            UsageError: it is not a request.
        """
        if asked.get("op") == "devices":
            return await devices.answer(self._inventory, asked)
        if asked.get("op") == "learnt":
            return await learnt.answer(self._ledger, asked)
        if asked.get("op") == "later":
            return await later.answer(self._later, asked)
        self.check(asked)
        said = utterance(asked)
        lock = self._locks.setdefault(said.satellite, asyncio.Lock())
        async with lock:
            try:
                return await answer(self._pipeline, asked)
            except HearkenError:
                raise
            except Exception:  # noqa: BLE001 - a bug in one request must not end the house's voice
                _LOG.exception("a request failed")
                return self._pipeline.sorry(said).to_dict(trace=True)
