"""paho's client on the event loop, for one attempt: it never connects twice, and its unsent messages die with it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
import struct
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from daemon.mqtt.failures import Answers, Broken, NotAccepted, Unanswered, awaited
from daemon.mqtt.settings import Broker, Protocol

if TYPE_CHECKING:
    from paho.mqtt.reasoncodes import ReasonCode

_log = logging.getLogger(__name__)
_VERSIONS = {"3.1.1": MQTTProtocolVersion.MQTTv311, "5": MQTTProtocolVersion.MQTTv5}
_IN_FLIGHT = 20
_SUBSCRIBED_AT_ONCE = 50
_GOODBYE_S = 1.0
_TICK_S = 1.0
"""Between two looks at whether the broker is still there."""
_READ_AT_ONCE = 64
"""Packets between two looks at what else there is to do; some milliseconds."""
_QUICK_ACK: int | None = getattr(socket, "TCP_QUICKACK", None)
"""Linux only; holds until the system thinks better of it, so it is set again with each packet."""
_NO_LINGER = struct.pack("ii", 1, 0)

Deliver = Callable[[str, bytes, bool], None]
"""Takes a message as it arrives: its topic, its payload, and whether it is a retained one."""


class Client:
    """One connection to a broker, from `open` to `close` or `abandon`."""

    def __init__(
        self, broker: Broker, version: Protocol, identifier: str, context: ssl.SSLContext | None, deliver: Deliver
    ) -> None:
        self.in_flight = _IN_FLIGHT
        """Publishes that may wait for their acknowledgement at once, once it is open: no more than the broker takes.
        paho queues what goes beyond, and we want no queue."""
        self.fleeting: Properties | None = None
        """With MQTT 5, what makes a message expire."""
        self._broker = broker
        self._deliver = deliver
        self._received = 0
        self._heard = time.monotonic()
        self._probe = f"{identifier}/nothing"
        self._loop = asyncio.get_running_loop()
        self._accepted = awaited()
        self._closed = awaited()
        self._answers = Answers()
        self._sock: socket.socket | None = None
        """The one that the event loop watches."""
        self._timer: asyncio.TimerHandle | None = None
        self._paho = self._made(version, identifier, context)
        self._start: dict[str, Any] = {}
        """With MQTT 5, a session that begins with nothing and ends with its connection."""
        if version == "5":
            self.fleeting = _properties(PacketTypes.PUBLISH, MessageExpiryInterval=broker.expiry_s)
            session = _properties(PacketTypes.CONNECT, SessionExpiryInterval=0)
            self._start = {"clean_start": True, "properties": session}

    def _made(self, version: Protocol, identifier: str, context: ssl.SSLContext | None) -> paho.Client:
        broker = self._broker
        made = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=identifier,
            clean_session=None if version == "5" else True,
            protocol=_VERSIONS[version],
            reconnect_on_failure=False,
        )
        made.connect_timeout = broker.connect_timeout_s
        made.max_inflight_messages_set(_IN_FLIGHT)
        made.username_pw_set(broker.user, broker.password.reveal() if broker.password is not None else None)
        if broker.status_topic is not None:
            made.will_set(broker.status_topic, b"offline", qos=1, retain=True)
        if context is not None:
            made.tls_set_context(context)
        made.on_connect = self._on_connect
        made.on_disconnect = self._on_disconnect
        made.on_message = self._on_message
        made.on_publish = self._on_answer
        made.on_subscribe = self._on_answer
        made.on_unsubscribe = self._on_answer
        made.on_socket_close = self._on_socket_close
        made.on_socket_register_write = self._on_socket_register_write
        made.on_socket_unregister_write = self._on_socket_unregister_write
        return made

    async def open(self) -> None:
        """Connects.

        Raises:
            Failure, OSError: see `daemon.mqtt.failures.explain`.
        """
        broker = self._broker
        connecting = asyncio.ensure_future(
            asyncio.to_thread(self._paho.connect, broker.host, broker.port, broker.keepalive_s, **self._start)
        )
        try:
            await asyncio.shield(connecting)
            self._take_over()
            await self._in_time(self._accepted)
            self._still_there()
        except BaseException:
            # The thread that connects cannot be stopped, only waited for.
            await asyncio.gather(connecting, return_exceptions=True)
            self.abandon()
            raise

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Returns when the broker has acknowledged it. What is not retained expires, with MQTT 5.

        Raises:
            Broken: the connection broke before.
        """
        info = self._paho.publish(topic, payload, qos=1, retain=retain, properties=None if retain else self.fleeting)
        await self._answer(info.rc, info.mid)

    async def tell(self, state: bytes) -> None:
        """Publishes how we are, where anybody wants to know.

        Raises:
            Broken: the connection broke.
            Unanswered: the broker does not answer in time.
        """
        if (topic := self._broker.status_topic) is not None:
            await self._in_time(self.publish(topic, state, retain=True))

    async def subscribe(self, filters: tuple[str, ...]) -> None:
        """Subscribes at QoS 0: a lost report ends as "unconfirmed", a full QoS 1 window would delay all that follow.

        Raises:
            Broken: the connection broke.
            Unanswered: the broker does not answer in time.
        """
        qos: Any = 0 if self.fleeting is None else SubscribeOptions(qos=0)
        for start in range(0, len(filters), _SUBSCRIBED_AT_ONCE):
            some = filters[start : start + _SUBSCRIBED_AT_ONCE]
            rc, mid = self._paho.subscribe([(item, qos) for item in some])
            for item, code in zip(some, await self._in_time(self._answer(rc, mid)), strict=False):
                if code.is_failure:
                    _log.warning("the broker does not let us subscribe to %r (%s); check its access rules", item, code)

    async def unsubscribe(self, topic_filter: str) -> None:
        """Returns when the broker has answered."""
        await self._answer(*self._paho.unsubscribe(topic_filter))

    @property
    def silent_s(self) -> float:
        """Seconds since the broker last said anything."""
        return time.monotonic() - self._heard

    async def ask(self) -> None:
        """Returns when the broker has answered: an end to a subscription that never was costs nobody anything."""
        await self.unsubscribe(self._probe)

    async def closed(self) -> None:
        """Waits until the connection is gone; raises why it went."""
        await asyncio.shield(self._closed)

    async def close(self) -> None:
        """Says goodbye to the broker, so that the last will is not sent."""
        self._paho.disconnect()
        await asyncio.wait((self._closed,), timeout=_GOODBYE_S)
        self.abandon()

    def abandon(self) -> None:
        """Cuts the connection, if there is one. What the system still held back for sending is never sent."""
        sock = self._paho.socket()
        if isinstance(sock, socket.socket):
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
            self._on_socket_close(self._paho, None, sock)
            sock.close()
        self._broke(Broken())

    def _take_over(self) -> None:
        """Has the event loop watch the socket that paho has opened."""
        sock = self._still_there()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sock = sock
        self._loop.add_reader(sock, self._read)
        if self._paho.want_write():
            self._loop.add_writer(sock, self._write)
        self._tick()

    def _still_there(self) -> socket.socket:
        sock = self._paho.socket()
        if not isinstance(sock, socket.socket):
            raise ConnectionResetError
        return sock

    def _tick(self) -> None:
        """Keeps the connection alive, or finds out that it is not."""
        self._paho.loop_misc()
        if self._sock is not None:
            self._timer = self._loop.call_later(_TICK_S, self._tick)

    def _write(self) -> None:
        try:
            self._paho.loop_write()
        except Exception as error:  # noqa: BLE001 - whatever it is, the connection is of no use any more
            self._broke(error)

    def _read(self) -> None:
        """Reads while messages come, as long as it does not hold up the rest."""
        self._heard = time.monotonic()
        try:
            for _ in range(_READ_AT_ONCE):
                before = self._received
                self._paho.loop_read()
                # TLS keeps what it has decoded: the system does not tell that there is more.
                decoded = isinstance(self._sock, ssl.SSLSocket) and self._sock.pending() > 0
                if self._sock is None or not (decoded or self._received > before):
                    break
        except Exception as error:  # noqa: BLE001 - whatever it is, the connection is of no use any more
            self._broke(error)
        self._confirm_receipt()

    def _confirm_receipt(self) -> None:
        """Makes the system confirm at once what has arrived.

        A broker that leaves Nagle's algorithm on, as mosquitto does by default, holds back its next packet until then:
        40 ms between the answer to a command and the device's state.
        """
        if _QUICK_ACK is not None and self._sock is not None:
            with contextlib.suppress(OSError):
                self._sock.setsockopt(socket.IPPROTO_TCP, _QUICK_ACK, 1)

    def _broke(self, error: Exception | None) -> None:
        """Tells all who wait that the connection is gone; `error` is None where it ended as it should."""
        self._answers.fail(error or Broken())
        if not self._accepted.done():
            self._accepted.set_exception(error or Broken())
        if not self._closed.done():
            if error is None:
                self._closed.set_result(None)
            else:
                self._closed.set_exception(error)

    async def _answer(self, rc: int, mid: int | None) -> Any:
        """What the broker answers to a packet."""
        if rc != paho.MQTT_ERR_SUCCESS or mid is None:
            raise Broken
        return await self._answers.of(mid)

    async def _in_time(self, answer: Any) -> Any:
        try:
            async with asyncio.timeout(self._broker.connect_timeout_s):
                return await answer
        except TimeoutError:
            raise Unanswered from None

    # paho calls these: on the event loop, but for those about a socket, which it also calls in the thread that connects
    # and when it is thrown away. By then the socket is not ours, or not yet.

    def _on_connect(
        self, _client: paho.Client, _data: object, _flags: object, code: ReasonCode, properties: Properties | None
    ) -> None:
        # paho sends more than the broker said it takes at once, and is then thrown out (MQTT 5, section 3.3.4).
        self.in_flight = min(_IN_FLIGHT, getattr(properties, "ReceiveMaximum", _IN_FLIGHT))
        if not self._accepted.done():
            if code.is_failure:
                self._accepted.set_exception(NotAccepted(code))
            else:
                self._accepted.set_result(None)

    def _on_disconnect(
        self, _client: paho.Client, _data: object, _flags: object, code: ReasonCode, _properties: Properties | None
    ) -> None:
        if not self._accepted.done():
            self._broke(ConnectionResetError())
        self._broke(Broken(code) if code.is_failure else None)

    def _on_message(self, _client: paho.Client, _data: object, message: paho.MQTTMessage) -> None:
        self._received += 1
        self._deliver(message.topic, bytes(message.payload), message.retain)

    def _on_answer(self, _client: paho.Client, _data: object, mid: int, codes: Any, _properties: object) -> None:
        self._answers.take(mid, codes)

    def _on_socket_close(self, _client: paho.Client, _data: object, sock: object) -> None:
        if self._sock is not None and self._sock is sock:
            self._loop.remove_reader(self._sock)
            self._loop.remove_writer(self._sock)
            self._sock = None
            if self._timer is not None:
                self._timer.cancel()

    def _on_socket_register_write(self, _client: paho.Client, _data: object, sock: object) -> None:
        if self._sock is not None and self._sock is sock:
            self._loop.add_writer(self._sock, self._write)

    def _on_socket_unregister_write(self, _client: paho.Client, _data: object, sock: object) -> None:
        if self._sock is not None and self._sock is sock:
            self._loop.remove_writer(self._sock)


def _properties(packet: int, **values: int) -> Properties:
    properties = Properties(packet)  # type: ignore[no-untyped-call]
    for name, value in values.items():
        setattr(properties, name, value)
    return properties
