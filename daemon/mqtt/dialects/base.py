"""What a dialect is: how one family of devices says things on MQTT. Pure: bytes and topics in, bytes and topics out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from daemon.core.entities import Entity, Value
from daemon.mqtt.bus import Message, Publication


class Change(Protocol):
    """One attribute and the value that it shall take: what a dialect needs of a `daemon.core.outcomes.Write`."""

    @property
    def attribute(self) -> str:
        """A canonical attribute."""

    @property
    def value(self) -> Value:
        """A canonical value."""

    @property
    def unit(self) -> str | None:
        """What a number is in; of a title, the sort of thing that is so called."""


class Dialect(Protocol):
    """The house's side of a dialect: asks, commands, and understands what devices say.

    Payloads are untrusted. `decode` and `availability` take any bytes and raise nothing but `TemplatePending`, where a
    template of the device has to be rendered first (`daemon.mqtt.dialects.templates.asked`); what they return is
    canonical (`daemon.core.entities`), and numbers are finite and in the attribute's range.
    """

    def filters(self, entity: Entity) -> tuple[str, ...]:
        """The topic filters on which this device speaks."""

    def encode(self, entity: Entity, writes: Sequence[Change]) -> tuple[Publication, ...]:
        """The messages that carry out these writes, all of one device, in as few as it takes.

        Empty where the device has no word for one of them: all or nothing.

        Raises:
            TemplatePending: a template of the device has to be rendered first.
            TemplateError: it can't be.
        """

    def together(self, group: Entity, told: Sequence[Sequence[Publication]]) -> Publication | None:
        """The one message that tells all members of a group what each was to be told by messages of its own.

        Args:
            group: One with an address in this dialect.
            told: What `encode` has made for each of its members.

        Returns:
            None where they are not told the same, or this dialect knows no groups.
        """

    def get(self, entity: Entity, attributes: Iterable[str]) -> tuple[Publication, ...]:
        """The messages that ask for these attributes; empty where none of them can be asked for."""

    def decode(self, entity: Entity, message: Message) -> dict[str, Value] | None:
        """What this message says about the device; None where it says nothing about its state."""

    def availability(self, entity: Entity, message: Message) -> bool | None:
        """Whether this message says that the device can be reached; None where it says nothing about that."""

    def reachable(self, entity: Entity, said: Mapping[str, bool]) -> bool | None:
        """Whether the device can be reached by what its topics said.

        Args:
            entity: The device.
            said: Topic -> what `availability` made of its last message; the latest last, at least one.
        """


class Device(Protocol):
    """The other side of a dialect: what a device, or the bridge before it, hears and says. For simulations.

    As untrusting as the house's side: `requested` and `asked` take any bytes.
    """

    def inbox(self, entity: Entity) -> tuple[str, ...]:
        """The topic filters on which this device is spoken to."""

    def requested(self, entity: Entity, message: Message) -> dict[str, Value] | None:
        """What this message tells the device to become, in canonical words; None where it is no command."""

    def asked(self, entity: Entity, message: Message) -> bool:
        """Whether this message asks the device for its state."""

    def report(self, entity: Entity, state: Mapping[str, Value]) -> tuple[Publication, ...]:
        """The messages in which the device says its state."""

    def presence(self, entity: Entity, *, online: bool) -> tuple[Publication, ...]:
        """The messages that say whether the device can be reached."""
