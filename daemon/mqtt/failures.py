"""Waiting for a broker, as long as it may answer and before it is tried again; and what went wrong, in one line."""

from __future__ import annotations

import asyncio
import math
import random
import socket
import ssl
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from daemon.core.errors import BrokerError, BrokerLost, BrokerRefused, BrokerUnavailable
from daemon.mqtt.settings import Broker

if TYPE_CHECKING:
    from paho.mqtt.reasoncodes import ReasonCode


_OF_VERSION = (129, 130, 132)
"""Malformed packet, protocol error, unsupported protocol version (MQTT 5, table 2-6)."""
_UNSPECIFIED = 128


class Failure(Exception):
    """What went wrong with one connection; `explain` makes an error of our tree of it."""


class NotAccepted(Failure):
    """The broker answered CONNECT with a no."""

    def __init__(self, code: ReasonCode) -> None:
        super().__init__(str(code))
        self.code = code


class Unanswered(Failure):
    """The broker does not answer a packet, CONNECT among them."""


class Broken(Failure):
    """A connection that stood is gone; `code` is the broker's reason, where it gave one."""

    def __init__(self, code: ReasonCode | None = None) -> None:
        super().__init__(str(code or ""))
        self.code = code


def explain(error: Exception, broker: Broker) -> BrokerError:
    """The error of our own tree for an error of a connection attempt or of a connection."""
    at = broker.address
    match error:
        case NotAccepted():
            return _refusal(error.code, broker)
        case Broken():
            said = error.code is not None and error.code.value != _UNSPECIFIED
            return BrokerUnavailable(f"the broker at {at} closed the connection{f' ({error})' if said else ''}")
        case Unanswered():
            return BrokerUnavailable(
                f"{at} takes the connection but does not answer as a broker for MQTT {broker.protocol}; "
                f"check mqtt.port and mqtt.version"
            )
        case OSError():
            return _of_system(error, broker)
    return BrokerUnavailable(f"the connection with {at} was lost ({_plain(error)})")


def may_speak_another(error: Exception) -> bool:
    """Whether an attempt failed in a way that another version of MQTT may not.

    It was refused for its version, hung up on, or left without an answer. A no to a user or a certificate, or nobody
    there, is the same in each version.
    """
    if isinstance(error, NotAccepted):
        return error.code.value in _OF_VERSION
    return isinstance(error, Unanswered | ConnectionResetError | BrokenPipeError | ConnectionAbortedError)


def _of_system(cause: OSError, broker: Broker) -> BrokerError:
    at = broker.address
    match cause:
        case ssl.SSLCertVerificationError(verify_code=10):  # X509_V_ERR_CERT_HAS_EXPIRED
            return BrokerRefused(
                f"the certificate of {at} is not accepted ({cause.verify_message}); renew it, and check the clock of "
                f"this machine"
            )
        case ssl.SSLCertVerificationError():
            return BrokerRefused(
                f"the certificate of {at} is not accepted ({cause.verify_message}); set mqtt.tls.ca to the authority "
                f"that signed it, and mqtt.host to a name that it is for"
            )
        case ssl.SSLError():
            reason = (cause.reason or "no TLS").lower().replace("_", " ")
            return BrokerRefused(
                f"no TLS connection with {at} ({reason}); check that this port speaks TLS, and mqtt.tls.certificate "
                f"where the broker asks for one"
            )
        case socket.gaierror():
            return BrokerUnavailable(f"the host {broker.host!r} is not found; check mqtt.host and the network")
        case ConnectionRefusedError():
            return BrokerUnavailable(
                f"nothing answers at {at}; check that the broker runs, and mqtt.host and mqtt.port"
            )
        case TimeoutError():
            return BrokerUnavailable(f"{at} does not answer; check mqtt.host, the network and firewalls")
        case ConnectionError():
            # With TLS 1.3, a broker that misses our certificate just hangs up.
            hint = ", and mqtt.tls.certificate where the broker asks for one" if broker.tls else " without TLS"
            return BrokerUnavailable(f"{at} closed the connection; check that this port speaks MQTT{hint}")
    return BrokerUnavailable(f"{at} cannot be reached ({cause.strerror or type(cause).__name__})")


def _refusal(code: ReasonCode, broker: Broker) -> BrokerError:
    at = broker.address
    # Reason codes of MQTT 5 (its table 2-6); paho translates those of 3.1.1 into them.
    match code.value:
        case 132:  # unsupported protocol version
            other = "3.1.1" if broker.protocol == "5" else "5"
            return BrokerRefused(
                f"the broker at {at} does not speak MQTT {broker.protocol}; set mqtt.version to {other}"
            )
        case 133:  # client identifier not valid
            return BrokerRefused(f"the broker at {at} does not accept our client id; check its access rules")
        case 134 | 135 if broker.user is None:  # bad user name or password, not authorized
            return BrokerRefused(f"the broker at {at} wants a user; set mqtt.user and mqtt.password")
        case 134 | 135:
            return BrokerRefused(
                f"the broker at {at} does not accept the user {broker.user!r} with this password; "
                f"check mqtt.user and mqtt.password"
            )
        case 138:  # banned
            return BrokerRefused(f"the broker at {at} has banned this client; check its log")
    return BrokerUnavailable(f"the broker at {at} takes no connection now ({_plain(code)})")


def _plain(error: object) -> str:
    return str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__


class Backoff(Struct, frozen=True):
    """Exponential, with jitter, so that a house full of clients does not come back to a broker in step."""

    first_s: float = 0.25
    cap_s: float = 10.0
    refused_cap_s: float = 60.0
    """The cap after a "no": trying a wrong password often may get a client banned."""

    def delay(self, attempt: int, dice: random.Random, *, refused: bool = False) -> float:
        """Seconds to wait after the `attempt`-th failure in a row, from 1: half to all of first_s * 2^(attempt - 1)."""
        cap = self.refused_cap_s if refused else self.cap_s
        full: float = min(cap, self.first_s * 2.0 ** min(attempt - 1, 30))
        return full * dice.uniform(0.5, 1.0)


STEP_S = 0.5
"""A wait is cut into steps so long: a process that stood still, and let an answer lie, has lost one of them."""


_BEHIND = 2.0
"""A broker, or a machine, that is behind with a flood gets so many times the limit."""


async def unless(
    gone: asyncio.Future[None],
    call: Coroutine[Any, Any, None],
    limit_s: float = math.inf,
    silent_s: Callable[[], float] = lambda: math.inf,
) -> None:
    """Awaits `call`, which is cancelled where it does not end.

    Args:
        gone: Done when the connection is.
        call: What the broker is to answer.
        limit_s: How long; time in which this process stood still does not count.
        silent_s: Seconds since the broker last said anything: one that talks has only not come to this yet.

    Raises:
        BrokerLost: the connection was `gone` first.
        TimeoutError: it took longer.
    """
    task = asyncio.ensure_future(call)
    try:
        while limit_s > 0 and not (task.done() or gone.done()):
            step = min(limit_s, STEP_S)
            await asyncio.wait((task, gone), timeout=step, return_when=asyncio.FIRST_COMPLETED)
            limit_s -= step if silent_s() >= step else step / _BEHIND
    finally:
        if not task.done():
            task.cancel()
    if gone.done() and (task.cancelled() or not task.done()):
        raise BrokerLost("the connection with the broker broke")
    if not task.done():
        raise TimeoutError
    task.result()


def awaited() -> asyncio.Future[Any]:
    """A future that may be left alone: asyncio would log an exception that nobody has seen."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    future.add_done_callback(lambda done: done.cancelled() or done.exception())
    return future


class Answers:
    """What the broker has still to answer, by the number of the packet."""

    def __init__(self) -> None:
        self._open: dict[int, asyncio.Future[Any]] = {}

    async def of(self, number: int) -> Any:
        """Waits for the answer to a packet."""
        answer = self._open[number] = awaited()
        try:
            return await answer
        finally:
            del self._open[number]

    def take(self, number: int, answer: Any) -> None:
        """The broker has answered; perhaps nobody waits any more."""
        waiting = self._open.get(number)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def fail(self, error: Exception) -> None:
        """There will be no answers."""
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_exception(error)
