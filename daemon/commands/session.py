"""Puts a house together for one process: broker, simulated home, pipeline; and takes the requests of several mouths."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any
from weakref import WeakValueDictionary

from msgspec import Struct

from daemon.act.audit import Audit
from daemon.app import Later, Opened, open_home, open_later
from daemon.commands import devices
from daemon.commands.kept import answer_later, answer_learnt
from daemon.commands.models import check_name, standings
from daemon.commands.options import load_any
from daemon.commands.text import answer, utterance
from daemon.compiler.loading import Wanted, compiler
from daemon.converse.replies import Replies
from daemon.core.errors import HearkenError, UsageError
from daemon.core.turn import Utterance
from daemon.core.values import replace
from daemon.discovery.inventory import Inventory
from daemon.discovery.watch import sources_of
from daemon.home.config import HomeConfig
from daemon.home.registry import Registry
from daemon.lists.lists import Store as ListStore
from daemon.memory.ledger import Ledger
from daemon.memory.memory import Memory, Store
from daemon.mqtt.connection import Connection
from daemon.mqtt.settings import Broker
from daemon.pipeline import Pipeline
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.meaning.index import Meanings
from daemon.resolve.meaning.vectors import Shelf, Vectors
from daemon.resolve.named import kinds_of
from daemon.satellites.satellite import Satellite
from daemon.schedule.agenda import Store as LaterStore
from daemon.simulate.broker import EmbeddedBroker
from daemon.simulate.home import SimulatedHome
from daemon.system.config import Paths
from daemon.understand.grammar import Grammar

_LOG = logging.getLogger(__name__)
_CONNECT_S = 10.0
_READY_S = 5.0


class House(Struct, frozen=True):
    """One home with everything that runs for it."""

    home: HomeConfig
    bus: Connection
    opened: Opened
    list_name: Callable[[str], str]
    """What a list is called in the home's main language."""
    simulated: bool
    """No broker is configured: the devices are played."""


async def reading(paths: Paths) -> Ledger:
    """What was learnt of a home that nothing runs for."""
    home, grammar = load_any(paths.home), Grammar.load(paths.rules)
    registry = Registry(home.entities, home.people)
    registry.imply(kinds_of(grammar.lexicon), grammar.lexicon.place_words)
    memory = Memory(registry, Store(paths.learnt))
    await memory.open()
    return Ledger(registry, memory, Comprehension(grammar, registry).reserved)


async def kept(paths: Paths) -> Later:
    """What is kept for later in a home that nothing runs for."""
    home, replies = load_any(paths.home), Replies.load(paths.rules)
    registry = Registry(home.entities, home.people)
    return await open_later(home, registry, replies, (LaterStore(paths.later), None))


@contextlib.asynccontextmanager
async def session(
    paths: Paths, *, serving: bool = False, simulated: bool = False, audit: bool = True
) -> AsyncIterator[House]:
    """A house on the configured broker, or on an embedded one with the simulated home.

    Args:
        paths: Where things are.
        serving: This is the daemon: it says on the broker that it is there, and starts without a broker, to connect
            later. Anything else fails without one.
        simulated: Takes the simulated home whatever broker is configured.
        audit: Whether acts are written to the audit log.

    Raises:
        ConfigError: the home file is wrong.
        BrokerError: unless `serving`: the broker cannot be reached or refuses.
    """
    home = load_any(paths.home)
    # What is typed on this machine is said where its microphone stands.
    home = replace(home, satellites={Utterance("").satellite: home.microphone, **home.satellites})
    # What is wrong with these files is said before anything is started.
    grammar, replies = Grammar.load(paths.rules), Replies.load(paths.rules)
    check_name(home.model, paths.home, paths.models)
    if serving:
        _tell_of_models(home, paths)
    simulated = simulated or home.mqtt is None
    async with contextlib.AsyncExitStack() as stack:
        bus = await _connected(stack, home, paths, serving=serving, simulated=simulated)
        # Others wait with whoever makes the daemon wait; a command that is typed alone would rather be understood.
        shelf = Shelf(paths.models, home.encoder)
        meanings = Meanings(Vectors(shelf, paths.state if audit else None), 0.0 if serving else _READY_S)
        stack.callback(meanings.close)
        made = None
        if home.model is not None:
            made = compiler(paths.models, paths.rules, grammar, Wanted(home.model.name, home.model.limit_s))
            stack.callback(made.close)
        opening = open_home(
            home,
            bus,
            grammar=grammar,
            replies=replies,
            audit=Audit(paths.state / "audit.db", keep_days=home.keep_days) if audit else None,
            store=Store(paths.learnt) if audit else None,
            sources=() if simulated else sources_of(home.discovery),
            kept=(LaterStore(paths.later), ListStore(paths.lists)) if audit else (None, None),
            meanings=[meanings.of],
            compiler=made,
        )
        opened = await stack.enter_async_context(opening)
        yield House(home, bus, opened, lambda name: replies.list_name(name, home.languages[0]), simulated)


async def _connected(
    stack: contextlib.AsyncExitStack, home: HomeConfig, paths: Paths, *, serving: bool, simulated: bool
) -> Connection:
    if home.mqtt is not None and not simulated:
        broker = Broker.of(home.mqtt, paths.home)
    else:
        embedded = await stack.enter_async_context(EmbeddedBroker())
        broker = Broker(port=embedded.port)
        outside = await stack.enter_async_context(Connection(replace(broker, status_topic=None)))
        await outside.ready(_CONNECT_S)
        await stack.enter_async_context(SimulatedHome(outside, home.entities, home.simulation))
    if not serving:
        # Only the daemon may say there that it is gone.
        broker = replace(broker, status_topic=None)
    bus = await stack.enter_async_context(Connection(broker))
    # Commands that are waiting already should not find the broker away only because they were quicker.
    await bus.tried(_CONNECT_S)
    if not serving:
        if bus.problem is not None:
            raise bus.problem
        await bus.ready(_CONNECT_S)
    return bus


def _tell_of_models(home: HomeConfig, paths: Paths) -> None:
    """Says what is wrong with the models that this home uses, before anybody speaks. Hashes are read when they load."""
    for item in standings(home, paths, deep=False):
        if item.problem and item.wanted:
            _LOG.warning("the %s: %s", item.name, item.problem)


class Turns:
    """The handler of a daemon's requests. One event loop."""

    def __init__(self, pipeline: Pipeline, inventory: Inventory, ledger: Ledger, later: Later) -> None:
        self._pipeline = pipeline
        self._inventory = inventory
        self._ledger = ledger
        self._later = later
        self.places: Mapping[str, Satellite] = {}
        """Where is heard, once anybody listens."""
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._listeners: list[Callable[[dict[str, Any]], None]] = []

    def listen(self, listener: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        """Calls `listener` with the result of whatever is said, wherever it is; returns what ends that.

        It must neither block nor raise.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def check(self, asked: dict[str, Any]) -> None:
        """Whether it is a request that this home can take."""
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
            return await answer_learnt(self._ledger, asked)
        if asked.get("op") == "later":
            return await answer_later(self._later, asked)
        if asked.get("op") == "wakes":
            return {name: {"wakes": it.tally.wakes, "in_vain": it.tally.in_vain} for name, it in self.places.items()}
        self.check(asked)
        said = utterance(asked)
        lock = self._locks.setdefault(said.satellite, asyncio.Lock())
        async with lock:
            try:
                result = await answer(self._pipeline, asked)
            except HearkenError:
                raise
            except Exception:  # noqa: BLE001 - a bug in one request must not end the house's voice
                _LOG.exception("a request failed")
                result = self._pipeline.sorry(said).to_dict(trace=True)
        for listener in tuple(self._listeners):
            listener(result)
        return result
