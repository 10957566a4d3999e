"""aiomqtt's client, fitted for one attempt: it never connects twice, and what it could not send dies with it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from daemon.core.errors import BrokerRefused
from daemon.home.config import TlsSettings
from daemon.mqtt.settings import Broker, Protocol

if TYPE_CHECKING:
    import paho.mqtt.client as paho
    from paho.mqtt.reasoncodes import ReasonCode

_log = logging.getLogger(__name__)
_VERSIONS = {"3.1.1": aiomqtt.ProtocolVersion.V311, "5": aiomqtt.ProtocolVersion.V5}
_IN_FLIGHT = 20
_SUBSCRIBED_AT_ONCE = 50
_BURIAL_S = 1.0
_READ_AT_ONCE = 64
"""Packets between two looks at what else there is to do; some milliseconds."""
_QUICK_ACK: int | None = getattr(socket, "TCP_QUICKACK", None)
"""Linux only; holds until the system thinks better of it, so it is set again with each packet."""
_NO_LINGER = struct.pack("ii", 1, 0)


class Client(aiomqtt.Client):
    """One connection to a broker, from `open` to `close` or `abandon`."""

    def __init__(
        self,
        broker: Broker,
        version: Protocol,
        identifier: str,
        context: ssl.SSLContext | None,
        deliver: Callable[[aiomqtt.Message], None],
    ) -> None:
        will = None
        if broker.status_topic is not None:
            will = aiomqtt.Will(broker.status_topic, b"offline", qos=1, retain=True)

        def queue(maxsize: int = 0) -> _Direct:  # noqa: ARG001 - aiomqtt calls it so
            return _Direct(self._receive)

        super().__init__(
            broker.host,
            broker.port,
            username=broker.user,
            password=broker.password.reveal() if broker.password is not None else None,
            identifier=identifier,
            queue_type=cast("type[asyncio.Queue[aiomqtt.Message]]", queue),
            protocol=_VERSIONS[version],
            will=will,
            timeout=broker.connect_timeout_s,
            keepalive=broker.keepalive_s,
            max_inflight_messages=_IN_FLIGHT,
            **(_nothing_kept() if version == "5" else {"clean_session": True}),
            tls_context=context,
            logger=_quiet(),
            socket_options=((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),),
        )
        self.in_flight = _IN_FLIGHT
        """Publishes that may wait for their acknowledgement at once, once it is open: no more than the broker takes.
        paho queues what goes beyond, and we want no queue."""
        self.fleeting: Properties | None = None
        """With MQTT 5, what makes a message expire."""
        if version == "5":
            self.fleeting = _properties(PacketTypes.PUBLISH)
            self.fleeting.MessageExpiryInterval = broker.expiry_s
        self._version = version
        self._deliver = deliver
        self._received = 0
        self._heard = time.monotonic()
        self._probe = f"{identifier}/nothing"
        self._through = asyncio.Event()
        self._client.connect_timeout = broker.connect_timeout_s
        for future in (self._connected, self._disconnected):
            # Not every way out awaits them, and asyncio logs an exception that nobody has seen.
            future.add_done_callback(lambda done: done.cancelled() or done.exception())
        # aiomqtt warns from this many on; our own limit is `in_flight` publishes and the subscriptions.
        self.pending_calls_threshold = 10_000

    async def open(self) -> None:
        """Connects.

        Raises:
            aiomqtt.MqttError, OSError: see `daemon.mqtt.failures.explain`.
        """
        entering = asyncio.ensure_future(self.__aenter__())
        try:
            # A TLS alert may come after the handshake (TLS 1.3): aiomqtt would wait out its timeout.
            await asyncio.wait((entering, self._disconnected), return_when=asyncio.FIRST_COMPLETED)
            if not entering.done():
                raise ConnectionResetError
            entering.result()
            # Where it broke right after the answer, aiomqtt has already forgotten that.
            if self._client.socket() is None:
                raise ConnectionResetError
        except (aiomqtt.MqttError, OSError, asyncio.CancelledError) as error:
            # The thread that connects cannot be stopped, only waited for.
            await self._through.wait()
            entering.cancel()
            await asyncio.gather(entering, return_exceptions=True)
            await self.bury()
            if isinstance(error, ConnectionResetError) and (cause := self._cause()) is not None:
                raise cause from None
            raise

    async def subscribe_all(self, filters: tuple[str, ...]) -> None:
        """Subscribes at QoS 0: a lost report ends as "unconfirmed", a full QoS 1 window would delay all that follow."""
        for start in range(0, len(filters), _SUBSCRIBED_AT_ONCE):
            some = filters[start : start + _SUBSCRIBED_AT_ONCE]
            qos: Any = SubscribeOptions(qos=0) if self._version == "5" else 0
            codes: Iterable[Any] = await self.subscribe([(item, qos) for item in some])
            for item, code in zip(some, codes, strict=False):
                if code.is_failure:
                    _log.warning("the broker does not let us subscribe to %r (%s); check its access rules", item, code)

    @property
    def silent_s(self) -> float:
        """Seconds since the broker last said anything."""
        return time.monotonic() - self._heard

    async def ask(self) -> None:
        """Returns when the broker has answered: an end to a subscription that never was costs nobody anything."""
        await self.unsubscribe(self._probe, timeout=math.inf)

    async def closed(self) -> None:
        """Waits until the connection is gone.

        Raises:
            aiomqtt.MqttError, OSError: why it went.
        """
        await asyncio.shield(self._disconnected)

    async def close(self) -> None:
        """Says goodbye to the broker, so that the last will is not sent."""
        with contextlib.suppress(aiomqtt.MqttError, OSError):
            await self.__aexit__(None, None, None)

    async def bury(self) -> None:
        """Abandons the connection, if there is one, and waits until nothing of it is left."""
        self.abandon()
        if self._misc_task is not None:
            await asyncio.wait((self._misc_task,), timeout=_BURIAL_S)
            self._misc_task.cancel()
            await asyncio.gather(self._misc_task, return_exceptions=True)

    def abandon(self) -> None:
        """Cuts the connection. What the system still held back for sending is thrown away, never sent later."""
        sock = self._client.socket()
        if isinstance(sock, socket.socket):
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
                sock.shutdown(socket.SHUT_RDWR)

    def _cause(self) -> BaseException | None:
        done = self._disconnected.done() and not self._disconnected.cancelled()
        return self._disconnected.exception() if done else None

    def _client_connect(self) -> None:
        # Runs in a thread.
        try:
            super()._client_connect()
        finally:
            self._loop.call_soon_threadsafe(self._through.set)

    def _receive(self, message: aiomqtt.Message) -> None:
        self._received += 1
        self._deliver(message)

    # These two run in the thread that connects, too: by the time that the loop has its turn, the socket may be closed,
    # and its number be another's. aiomqtt asks for the number at once.

    def _on_socket_open(self, client: paho.Client, userdata: object, sock: Any) -> None:  # noqa: ARG002
        self._loop.call_soon_threadsafe(self._take_over, sock)

    def _on_socket_register_write(self, client: paho.Client, userdata: object, sock: Any) -> None:  # noqa: ARG002
        self._loop.call_soon_threadsafe(self._await_room, sock)

    def _take_over(self, sock: Any) -> None:
        """Takes the place of aiomqtt's reader, which goes round the event loop for each packet."""
        if self._holds(sock):
            self._loop.add_reader(sock.fileno(), self._read)
            self._misc_task = self._loop.create_task(self._misc_loop())

    def _await_room(self, sock: Any) -> None:
        if self._holds(sock):
            self._loop.add_writer(sock.fileno(), self._write)

    def _holds(self, sock: object) -> bool:
        return self._client.socket() is sock

    def _write(self) -> None:
        try:
            self._client.loop_write()
        except Exception as error:  # noqa: BLE001 - whatever it is, the connection is of no use any more
            self._broke(error)

    def _broke(self, error: Exception) -> None:
        if not self._disconnected.done():
            self._disconnected.set_exception(error)

    def _read(self) -> None:
        """Reads while messages come, as long as it does not hold up the rest."""
        self._heard = time.monotonic()
        try:
            for _ in range(_READ_AT_ONCE):
                before = self._received
                self._client.loop_read()
                sock = self._client.socket()
                # TLS keeps what it has decoded: the system does not tell that there is more.
                decoded = isinstance(sock, ssl.SSLSocket) and sock.pending() > 0
                if sock is None or not (decoded or self._received > before):
                    break
        except Exception as error:  # noqa: BLE001 - whatever it is, the connection is of no use any more
            self._broke(error)
        self._confirm_receipt()

    def _confirm_receipt(self) -> None:
        """Makes the system confirm at once what has arrived.

        A broker that leaves Nagle's algorithm on, as mosquitto does by default, holds back its next packet until then:
        40 ms between the answer to a command and the device's state.
        """
        sock = self._client.socket()
        if _QUICK_ACK is not None and isinstance(sock, socket.socket):
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, _QUICK_ACK, 1)

    def _on_connect(
        self,
        client: paho.Client,
        userdata: object,
        flags: paho.ConnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        # paho sends more than the broker said it takes at once, and is then thrown out (MQTT 5, section 3.3.4).
        self.in_flight = min(_IN_FLIGHT, getattr(properties, "ReceiveMaximum", _IN_FLIGHT))
        super()._on_connect(client, userdata, flags, reason_code, properties)

    def _on_disconnect(
        self,
        client: paho.Client,
        userdata: object,
        flags: paho.DisconnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        # aiomqtt ignores a broker that hangs up before it has answered, and waits out its timeout.
        if not self._connected.done():
            self._connected.set_exception(aiomqtt.MqttError("closed before it answered"))
            self._connected.exception().__context__ = ConnectionResetError()  # type: ignore[union-attr]
        super()._on_disconnect(client, userdata, flags, reason_code, properties)


def _nothing_kept() -> dict[str, Any]:
    """MQTT 5's way of a session that begins with nothing and ends with its connection."""
    properties = _properties(PacketTypes.CONNECT)
    properties.SessionExpiryInterval = 0
    return {"clean_start": True, "properties": properties}


def _properties(packet: int) -> Properties:
    return Properties(packet)  # type: ignore[no-untyped-call]


class _Direct(asyncio.Queue[aiomqtt.Message]):
    """Hands a message on as it arrives: a queue read by a task costs more than the message, and hides a flood."""

    def __init__(self, deliver: Callable[[aiomqtt.Message], None]) -> None:
        super().__init__()
        self._deliver = deliver
        self._through = asyncio.Event()

    def put_nowait(self, item: aiomqtt.Message) -> None:
        self._deliver(item)


class _Socket(ssl.SSLSocket):
    """Closes itself where the handshake fails: paho leaves that to the garbage collector."""

    def do_handshake(self, block: bool = False) -> None:  # noqa: FBT001, FBT002 - as in its base
        try:
            super().do_handshake(block)
        except OSError:
            self.close()
            raise


def _quiet() -> logging.Logger:
    """For the libraries, which log an error at each failed attempt: `Connection` says it once."""
    logger = logging.getLogger("daemon.mqtt.library")
    logger.setLevel(logging.CRITICAL)
    return logger


def tls_context(tls: TlsSettings) -> ssl.SSLContext:
    """The context for one connection. Reads files: not for the event loop.

    Raises:
        BrokerRefused: a file cannot be read, or is not what it should be.
    """
    try:
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=str(tls.ca) if tls.ca else None)
    except OSError as error:
        raise BrokerRefused(f"cannot use {tls.ca} as mqtt.tls.ca ({_reason(error)})") from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.sslsocket_class = _Socket
    if tls.certificate is not None:
        try:
            context.load_cert_chain(tls.certificate, tls.key)
        except OSError as error:
            files = " and ".join(str(file) for file in (tls.certificate, tls.key) if file is not None)
            raise BrokerRefused(f"cannot use {files} as mqtt.tls.certificate and key ({_reason(error)})") from None
    return context


def _reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or "not PEM").lower().replace("_", " ")
    return error.strerror or type(error).__name__
