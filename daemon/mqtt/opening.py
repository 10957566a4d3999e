"""Making a connection in a version of MQTT that the broker speaks."""

from __future__ import annotations

import ssl
import uuid

from daemon.core.values import replace
from daemon.mqtt.client import Client, Deliver
from daemon.mqtt.failures import Failure, may_speak_another
from daemon.mqtt.settings import Broker, Protocol


class Opening:
    """Makes clients of one broker; remembers which version it took last."""

    def __init__(self, broker: Broker, deliver: Deliver) -> None:
        self._broker = broker
        self._deliver = deliver
        # The same for all attempts: the broker then ends an old, half-open connection of ours, and sends its last
        # will, before it takes the new one. 1 to 23 letters and digits are what every broker accepts.
        self._identifier = f"hearken{uuid.uuid4().hex[:12]}"
        self._versions: tuple[Protocol, ...] = ("5", "3.1.1") if broker.protocol is None else (broker.protocol,)
        """The likeliest first."""

    @property
    def tried(self) -> Broker:
        """The broker, with the version in which it was tried last where no attempt went well."""
        return replace(self._broker, protocol=self._versions[-1])

    async def client(self, context: ssl.SSLContext | None) -> Client:
        """One that is connected.

        Raises:
            Failure, OSError: see `daemon.mqtt.failures.explain`.
        """
        versions = self._versions
        while True:
            client = Client(self._broker, versions[0], self._identifier, context, self._deliver)
            try:
                await client.open()
            except (Failure, OSError) as error:
                versions = versions[1:]
                if not versions or not may_speak_another(error):
                    raise
            else:
                self._versions = (*versions, *(item for item in self._versions if item not in versions))
                return client
