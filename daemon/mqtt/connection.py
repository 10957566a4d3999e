"""The connection to the broker: one supervisor, a fresh client for each attempt, nothing queued, nothing sent late."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
import ssl
import time
import uuid
from collections.abc import Callable, Coroutine
from typing import Any, Self

from daemon.core.errors import BrokerError, BrokerLost, BrokerRefused, BrokerUnavailable
from daemon.core.values import replace
from daemon.mqtt.bus import LONGEST, Intake, Listener, Message, Publication, Routes, Watchers, valid_filter, valid_topic
from daemon.mqtt.client import Client
from daemon.mqtt.failures import Backoff, Broken, Failure, explain, may_speak_another, unless
from daemon.mqtt.settings import Broker, Protocol, tls_context
from daemon.system.worker import ended

_log = logging.getLogger(__name__)

_STABLE_S = 10.0
"""A connection that lived this long was a good one: the next failure is counted as the first."""
_GOODBYE_S = 1.0
_AWAKE_S = 0.25
"""A broker that said something so lately takes what it is sent."""


class Connection:
    """A `Bus` on a real broker.

    `start` returns at once; the supervisor connects, and connects again for as long as it runs. Logs once when the
    connection is lost and once when it is made.
    """

    def __init__(self, broker: Broker, *, backoff: Backoff | None = None) -> None:
        self.broker = broker
        self._backoff = backoff or Backoff()
        self._dice = random.Random()  # noqa: S311 - jitter, not a secret
        self._routes = Routes()
        self._intake = Intake(self._routes.deliver)
        # The same for all attempts: the broker then ends an old, half-open connection of ours, and sends its last
        # will, before it takes the new one. 1 to 23 letters and digits are what every broker accepts.
        self._identifier = f"hearken{uuid.uuid4().hex[:12]}"
        self._versions: tuple[Protocol, ...] = ("5", "3.1.1") if broker.protocol is None else (broker.protocol,)
        """The likeliest first."""
        self._watchers = Watchers()
        self._client: Client | None = None
        self._asking: asyncio.Task[None] | None = None
        self._gone: asyncio.Future[None] | None = None
        self._slots = asyncio.Semaphore(0)
        self._connected = False
        self._problem: BrokerError | None = None
        self._sequence = 0
        self._changed = asyncio.Event()
        self._supervisor: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._said_down = False
        self._up_since = math.inf

    @property
    def connected(self) -> bool:
        """Whether the broker has accepted us and our subscriptions, and the connection stands."""
        return self._connected and self._client is not None

    @property
    def sequence(self) -> int:
        """The number of the last message received."""
        return self._sequence

    @property
    def problem(self) -> BrokerError | None:
        """Why there is no connection; None while there is one, or before the first attempt has ended."""
        return None if self._connected else self._problem

    async def start(self) -> None:
        """Begins to connect."""
        if self._supervisor is None:
            self._supervisor = asyncio.create_task(self._supervise(), name="mqtt")

    async def stop(self) -> None:
        """Says "offline", disconnects, and ends."""
        if self._supervisor is not None:
            await ended([self._supervisor])
            self._supervisor = None
        await ended(self._tasks)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def ready(self, timeout_s: float) -> None:
        """Waits for a connection.

        Raises:
            BrokerRefused: the broker said no; at once.
            BrokerUnavailable: there is no connection after `timeout_s`.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while not self._connected and not isinstance(self._problem, BrokerRefused):
                    self._changed.clear()
                    await self._changed.wait()
        if not self._connected:
            refused = isinstance(self._problem, BrokerRefused)
            raise BrokerRefused(self._why()) if refused else BrokerUnavailable(self._why())

    async def tried(self, timeout_s: float) -> None:
        """Waits until the first attempt has ended, well or not; `problem` then says why not."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while not self._connected and self._problem is None:
                    self._changed.clear()
                    await self._changed.wait()

    async def publish(self, publication: Publication) -> None:
        """Sends now, or not at all; returns when the broker has acknowledged it (QoS 1). Raises as `Bus.publish` says.

        A broker that has been silent is asked for a sign of life first: what it is sent while it stands still, or while
        the network holds everything back, would reach the device when it wakes. One that does not acknowledge in time
        counts as a broken connection, which is then cut.
        """
        if not valid_topic(publication.topic):
            raise BrokerRefused(f"{publication.topic!r} is no topic that can be published to")
        if not self._connected:
            raise BrokerUnavailable(self._why())
        await self._awake()
        slots = self._slots
        await slots.acquire()
        client, gone = self._client, self._gone
        if slots is not self._slots or not self.connected or client is None or gone is None:
            slots.release()
            raise BrokerUnavailable(self._why())
        # A caller that gives up must not leave a message behind that is sent later: the task sees to its end.
        sending = self._spawn(self._send(client, gone, publication))
        sending.add_done_callback(lambda _: slots.release())
        await asyncio.shield(sending)

    async def subscribe(self, topic_filter: str, listener: Listener, *, longest: int = LONGEST) -> Callable[[], None]:
        """As `Bus.subscribe` says.

        Each call subscribes again at the broker, so that a new listener gets the retained messages too; those who
        listened before then see them once more, marked as retained.
        """
        if not valid_filter(topic_filter):
            raise BrokerRefused(f"{topic_filter!r} is no topic filter")
        remove = self._routes.add(topic_filter, listener, longest)
        client, gone = self._client, self._gone
        if client is not None and gone is not None:
            # Where the connection breaks here, the next one begins with all subscriptions.
            with contextlib.suppress(Failure, BrokerLost):
                await unless(gone, client.subscribe((topic_filter,)))

        def end() -> None:
            if remove() and self._client is not None:
                self._spawn(self._unsubscribe(self._client, topic_filter))

        return end

    def on_connection(self, listener: Callable[[bool], None]) -> Callable[[], None]:
        """Calls `listener` with True when the connection is made and False when it is lost; returns what ends it."""
        return self._watchers.add(listener)

    async def _supervise(self) -> None:
        failures = 0
        while True:
            self._up_since = math.inf
            try:
                await self._attempt()
            except (Failure, OSError) as error:
                problem = explain(error, replace(self.broker, protocol=self._versions[-1]))
            except BrokerError as error:
                problem = error
            except Exception:  # noqa: BLE001 - a bug must not end the supervisor: the house would stay deaf
                _log.exception("the connection with %s failed unexpectedly", self.broker.address)
                problem = BrokerUnavailable(f"the connection with {self.broker.address} failed; see the log")
            else:
                problem = BrokerUnavailable(f"the broker at {self.broker.address} closed the connection")
            failures = 1 if time.monotonic() - self._up_since > _STABLE_S else failures + 1
            self._down(problem)
            refused = isinstance(problem, BrokerRefused)
            await asyncio.sleep(self._backoff.delay(failures, self._dice, refused=refused))

    async def _attempt(self) -> None:
        """One connection, from the first packet to its end."""
        context = None
        if self.broker.tls is not None:
            context = await asyncio.to_thread(tls_context, self.broker.tls)
        client = await self._opened(context)
        self._client, self._gone = client, asyncio.get_running_loop().create_future()
        self._slots = asyncio.Semaphore(client.in_flight)
        try:
            await client.subscribe(self._routes.filters)
            await client.tell(b"online")
            self._up()
            await client.closed()
        except asyncio.CancelledError:
            if self._connected:
                self._set_connected(value=False)
                with contextlib.suppress(Failure, OSError, TimeoutError):
                    async with asyncio.timeout(_GOODBYE_S):
                        await client.tell(b"offline")
                await client.close()
            raise
        finally:
            # First of all, those who wait for an acknowledgement learn that there will be none.
            self._client = None
            self._intake.forget()
            if not self._gone.done():
                self._gone.set_result(None)
            client.abandon()

    async def _opened(self, context: ssl.SSLContext | None) -> Client:
        """A client that is connected, in the version that the broker took last, else in another that it speaks.

        Raises:
            Failure, OSError: see `daemon.mqtt.failures.explain`.
        """
        versions = self._versions
        while True:
            client = Client(self.broker, versions[0], self._identifier, context, self._receive)
            try:
                await client.open()
            except (Failure, OSError) as error:
                versions = versions[1:]
                if not versions or not may_speak_another(error):
                    raise
            else:
                self._versions = (*versions, *(item for item in self._versions if item not in versions))
                return client

    async def _awake(self) -> None:
        """Returns at once where the broker was heard lately, else when it has answered.

        Raises:
            BrokerUnavailable: it does not answer; the connection is cut.
        """
        client, gone = self._client, self._gone
        if client is None or gone is None or client.silent_s < _AWAKE_S:
            return
        if self._asking is None or self._asking.done():
            self._asking = self._spawn(self._ask(client, gone))
        await asyncio.shield(self._asking)

    async def _ask(self, client: Client, gone: asyncio.Future[None]) -> None:
        try:
            await unless(gone, client.ask(), self.broker.ack_timeout_s)
        except (Failure, TimeoutError, BrokerLost):
            client.abandon()
            raise BrokerUnavailable(f"the broker at {self.broker.address} does not answer") from None

    async def _send(self, client: Client, gone: asyncio.Future[None], publication: Publication) -> None:
        sending = client.publish(publication.topic, publication.payload, retain=publication.retain)
        try:
            await unless(gone, sending, self.broker.ack_timeout_s, lambda: client.silent_s)
        except Broken:
            raise BrokerLost("the connection with the broker broke") from None
        except TimeoutError:
            client.abandon()
            raise BrokerLost(
                f"the broker at {self.broker.address} did not acknowledge a message; the connection was cut"
            ) from None

    async def _unsubscribe(self, client: Client, topic_filter: str) -> None:
        with contextlib.suppress(Failure):
            await client.unsubscribe(topic_filter)

    def _receive(self, topic: str, payload: bytes, retained: bool) -> None:  # noqa: FBT001 - the client calls it so
        self._sequence += 1
        self._intake.take(Message(topic, payload, retained, time.monotonic(), self._sequence))

    def _up(self) -> None:
        _log.info("connected with the broker at %s", self.broker.address)
        self._said_down = False
        self._up_since = time.monotonic()
        self._problem = None
        self._set_connected(value=True)

    def _down(self, problem: BrokerError) -> None:
        self._problem = problem
        if not self._said_down:
            self._said_down = True
            _log.warning("no connection with the broker: %s", problem)
        self._set_connected(value=False)
        self._changed.set()

    def _set_connected(self, *, value: bool) -> None:
        if value == self._connected:
            return
        self._connected = value
        self._changed.set()
        self._watchers.tell(up=value)

    def _why(self) -> str:
        return str(self._problem or f"there is no connection with {self.broker.address} yet")

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        # Who started it may have gone: its error is then nobody's, and asyncio would log it.
        _ = task.cancelled() or task.exception()
