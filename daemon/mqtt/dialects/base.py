"""What a dialect is, and the plain one. Pure: bytes and topics in, bytes and topics out.

Plain is for devices that one builds or bridges oneself: canonical attributes and values as JSON. State on `<topic>`,
set on `<topic>/set`, get on `<topic>/get` (what is asked for as keys, as in {"state": ""}), availability on
`<topic>/availability`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from daemon.core.entities import Capability, Entity, Value
from daemon.mqtt.bus import Message, Publication
from daemon.mqtt.dialects.payloads import canonical, dump, parse_object, presence


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
        """The one message that tells all members of a group what `encode` has made for each of them.

        None where they are not told the same, or this dialect knows no groups.
        """

    def get(self, entity: Entity, attributes: Iterable[str]) -> tuple[Publication, ...]:
        """The messages that ask for these attributes; empty where none of them can be asked for."""

    def decode(self, entity: Entity, message: Message) -> dict[str, Value] | None:
        """What this message says about the device; None where it says nothing about its state."""

    def availability(self, entity: Entity, message: Message) -> bool | None:
        """Whether this message says that the device can be reached; None where it says nothing about that."""

    def reachable(self, entity: Entity, said: Mapping[str, bool]) -> bool | None:
        """Whether the device can be reached by what `availability` made of its topics, the latest last."""


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


def topic_of(entity: Entity) -> str:
    """A device's own topic."""
    return entity.address.topic if entity.address is not None else ""


class JsonTopics:
    """The house's side, where a device says its state as JSON on its topic, is told on `/set` and asked on `/get`."""

    def filters(self, entity: Entity) -> tuple[str, ...]:
        """State and availability."""
        topic = topic_of(entity)
        return (topic, f"{topic}/availability")

    def availability(self, entity: Entity, message: Message) -> bool | None:
        """What the availability topic says."""
        return presence(message.payload) if message.topic == f"{topic_of(entity)}/availability" else None

    def reachable(self, entity: Entity, said: Mapping[str, bool]) -> bool | None:  # noqa: ARG002 - as every dialect
        """There is but one such topic."""
        return next(iter(said.values()), None)


class JsonDevice:
    """The device's side of the same topics."""

    def inbox(self, entity: Entity) -> tuple[str, ...]:
        """Set and get."""
        topic = topic_of(entity)
        return (f"{topic}/set", f"{topic}/get")

    def asked(self, entity: Entity, message: Message) -> bool:
        """Any object on the get topic."""
        return message.topic == f"{topic_of(entity)}/get" and parse_object(message.payload) is not None

    def presence(self, entity: Entity, *, online: bool) -> tuple[Publication, ...]:
        """{"state": "online"} or {"state": "offline"}."""
        state = {"state": "online" if online else "offline"}
        return (Publication(f"{topic_of(entity)}/availability", dump(state), retain=True),)


class Plain(JsonTopics):
    """The house's side."""

    def encode(self, entity: Entity, writes: Sequence[Change]) -> tuple[Publication, ...]:
        """One message for all writes."""
        known = {item.attribute for item in entity.capabilities} | {"command"}
        payload = {write.attribute: write.value for write in writes}
        if not payload or not known.issuperset(payload):
            return ()
        for write in writes:
            if write.attribute == "media" and write.unit is not None:
                payload["media_type"] = write.unit
        return (Publication(f"{topic_of(entity)}/set", dump(payload)),)

    def together(self, group: Entity, told: Sequence[Sequence[Publication]]) -> Publication | None:  # noqa: ARG002 - as every dialect
        """There are no groups."""
        return None

    def get(self, entity: Entity, attributes: Iterable[str]) -> tuple[Publication, ...]:
        """One message for all attributes."""
        told = {item.attribute for item in entity.capabilities if item.readable and item.gettable}
        wanted = {attribute: "" for attribute in attributes if attribute in told}
        return (Publication(f"{topic_of(entity)}/get", dump(wanted)),) if wanted else ()

    def decode(self, entity: Entity, message: Message) -> dict[str, Value] | None:
        """What the state topic says, as far as it is canonical."""
        if message.topic != topic_of(entity) or (payload := parse_object(message.payload)) is None:
            return None
        return _clean(entity, payload, readable=True)


class PlainDevice(JsonDevice):
    """The device's side."""

    def requested(self, entity: Entity, message: Message) -> dict[str, Value] | None:
        """The canonical part of a set."""
        if message.topic != f"{topic_of(entity)}/set" or (payload := parse_object(message.payload)) is None:
            return None
        return _clean(entity, payload, readable=False)

    def report(self, entity: Entity, state: Mapping[str, Value]) -> tuple[Publication, ...]:
        """Everything that the device has a capability for."""
        told = {item.attribute for item in entity.capabilities if item.readable}
        said = {key: value for key, value in state.items() if key in told}
        return (Publication(topic_of(entity), dump(said), retain=True),)


def _clean(entity: Entity, payload: Mapping[str, object], *, readable: bool) -> dict[str, Value]:
    found: dict[str, Value] = {}
    known: dict[str, Capability | None] = {"command": None} if not readable else {}
    known |= {item.attribute: item for item in reversed(entity.capabilities) if item.readable or not readable}
    for attribute, capability in known.items():
        if attribute in payload and (value := canonical(attribute, payload[attribute], capability)) is not None:
            found[attribute] = value
    return found
