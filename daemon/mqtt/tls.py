"""TLS to a broker."""

from __future__ import annotations

import ssl

from daemon.core.errors import BrokerRefused
from daemon.home.config import TlsSettings


class _Socket(ssl.SSLSocket):
    """Closes itself where the handshake fails: paho leaves that to the garbage collector."""

    def do_handshake(self, block: bool = False) -> None:  # noqa: FBT001, FBT002 - as in its base
        try:
            super().do_handshake(block)
        except OSError:
            self.close()
            raise


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
