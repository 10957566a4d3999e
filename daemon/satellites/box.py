"""One connection with an ESPHome box over its native API, encrypted with its key; what comes is bounded."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from daemon import __version__
from daemon.satellites.link import Allowance, LinkLost, reason

if TYPE_CHECKING:
    from aioesphomeapi.client import APIClient
    from aioesphomeapi.model import ConnectionClosedEvent, DeviceInfo, EntityInfo

    from daemon.home.config import Server
    from daemon.home.secrets import Secret
    from daemon.satellites.satellite import TimerNews

_CONNECT_S: Final = 30.0
"""Over weak radio the handshake alone takes seconds."""
_KEEP_ALIVE_S: Final = 5.0
"""Asked so often whether it is there; it is gone where it is silent for four and a half times as long."""
_MOST_AT_ONCE: Final = 32_768
"""Bytes: a second of sound."""
_KEY_BYTES: Final = 32
_FINISHED_S: Final = 10.0
"""So long after the end of an announcement it may take to say so."""


class Ability(Struct, frozen=True):
    """What a box can do, as it says itself."""

    name: str
    model: str
    hears: bool
    """It sends its sound over this connection."""
    speaks: bool
    """It takes sound over this connection; else it fetches what it plays."""
    announces: bool
    starts: bool
    """After an announcement it can listen for an answer."""
    timers: bool
    clip: tuple[str, int, int] | None
    """The file that it wants to fetch: wav or flac, samples per second, channels; None: it does not say."""

    def check(self) -> None:
        """Whether it can be a satellite.

        Raises:
            LinkLost: it sends no sound.
        """
        if not self.hears:
            raise LinkLost("it has no voice assistant that sends its sound over the API; update its firmware")


class Box:
    """An open connection. What is told to a box that has just gone is lost; `lost` says that it is gone."""

    def __init__(self, client: APIClient, info: DeviceInfo, entities: list[EntityInfo]) -> None:
        self._client = client
        self.ability = _ability(info, entities, client)
        self.peer = client.connected_address or ""
        """Its address."""
        self.lost = asyncio.Event()
        self.why = "the connection ended"
        client.add_connection_closed_callback(self._closed)

    @classmethod
    @contextlib.asynccontextmanager
    async def connected(cls, server: Server, key: Secret | None, within_s: float = _CONNECT_S) -> AsyncIterator[Box]:
        """Connects, and asks what it is.

        Raises:
            LinkLost: it is not there, or the key is not its key.
        """
        from aioesphomeapi.client import APIClient

        # It logs each attempt; what goes wrong is told once, by whoever it goes wrong for.
        logging.getLogger("aioesphomeapi").setLevel(logging.CRITICAL + 1)
        client = APIClient(
            server.host,
            server.port,
            client_info=f"Hearken {__version__}",
            keepalive=_KEEP_ALIVE_S,
            noise_psk=None if key is None else _checked(key),
        )
        try:
            with _explained():
                async with asyncio.timeout(within_s):
                    await client.start_resolve_host(log_errors=False)
                    await client.start_connection()
                    _watch(client)
                    await client.finish_connection()
                    info, entities, _ = await client.device_info_and_list_entities()
                    box = cls(client, info, entities)
            yield box
        finally:
            client.force_disconnect()
            await client.zeroconf_manager.async_close()

    def listen(self, **handlers: Callable[..., Coroutine[Any, Any, Any]]) -> None:
        """Takes its sound from now on; these are the handlers of `APIClient.subscribe_voice_assistant`."""
        with _gone():
            self._client.subscribe_voice_assistant(**handlers)

    def tell(self, event: str, **data: str) -> None:
        """An event of the voice assistant, by the name that it has in the protocol."""
        from aioesphomeapi.model import VoiceAssistantEventType

        with _gone():
            self._client.send_voice_assistant_event(VoiceAssistantEventType[f"VOICE_ASSISTANT_{event}"], data)

    def send(self, pcm16: bytes) -> None:
        """A piece of sound for its loudspeaker: mono, 16 kHz."""
        with _gone():
            self._client.send_voice_assistant_audio(pcm16)

    async def announce(self, url: str, text: str, seconds: float, *, asks: bool) -> None:
        """Has it play something outside a run; with `asks`, it listens for an answer then.

        Raises:
            LinkLost: it has not.
        """
        from aioesphomeapi.core import APIConnectionError

        try:
            done = await self._client.send_voice_assistant_announcement_await_response(
                url, seconds + _FINISHED_S, text, start_conversation=asks and self.ability.starts
            )
        except APIConnectionError as error:
            raise LinkLost(f"it has not played this ({reason(error)})") from None
        if not done.success:
            raise LinkLost("it could not play this")

    def timer(self, news: TimerNews) -> None:
        """What became of a timer."""
        from aioesphomeapi.model import VoiceAssistantTimerEventType

        kind = VoiceAssistantTimerEventType[f"VOICE_ASSISTANT_TIMER_{news.kind.upper()}"]
        with _gone():
            self._client.send_voice_assistant_timer_event(
                kind, news.id, news.name, round(news.total_s), round(news.left_s), news.active
            )

    def fail(self, why: str) -> None:
        """Ends the connection: what comes over it is none of its protocol."""
        self.why = why
        asyncio.get_running_loop().call_soon(self._client.force_disconnect)

    def _closed(self, event: ConnectionClosedEvent) -> None:
        if event.error is not None:
            self.why = f"the connection broke ({reason(event.error)})"
        self.lost.set()


def _watch(client: APIClient) -> None:
    """Ends a connection over which more comes than anybody can hear: the library takes whatever comes."""
    from aioesphomeapi.core import MESSAGE_TYPE_TO_PROTO, APIConnectionError

    allowance, loop = Allowance(), asyncio.get_running_loop()
    connection = client._connection  # noqa: SLF001 - nowhere else can all that comes be seen
    assert connection is not None
    own = connection._socket  # noqa: SLF001
    assert own is not None
    # The library takes all that has come at once, and looks through it again for each message.
    own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _MOST_AT_ONCE)

    def count(message: Any) -> None:
        try:
            allowance.take(message.ByteSize())
        except LinkLost as error:
            loop.call_soon(connection.report_fatal_error, APIConnectionError(str(error)))

    connection.add_message_callback(count, tuple(MESSAGE_TYPE_TO_PROTO.values()))


def _gone() -> contextlib.suppress:
    """Whoever tells a box something need not know whether it is still there."""
    from aioesphomeapi.core import APIConnectionError

    return contextlib.suppress(APIConnectionError)


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Says in our words why a connection could not be had."""
    from aioesphomeapi import core

    try:
        yield
    except core.InvalidEncryptionKeyAPIError:
        raise LinkLost("its encryption key is another one") from None
    except core.RequiresEncryptionAPIError:
        raise LinkLost("it wants its encryption key; say with `key` where that is") from None
    except core.EncryptionPlaintextAPIError:
        raise LinkLost("it has no encryption; set a key there (`api: encryption: key:`), or leave out `key`") from None
    except (core.APIConnectionError, OSError, ValueError, TimeoutError) as error:
        raise LinkLost(f"no ESPHome box answers there ({reason(error)})") from None


def _checked(key: Secret) -> str:
    """The key itself.

    Raises:
        LinkLost: it cannot be one.
    """
    try:
        size = len(base64.b64decode(key.reveal(), validate=True))
    except ValueError:
        size = 0
    if size != _KEY_BYTES:
        raise LinkLost("what is kept as its key is none: 44 characters of base64, the box's `api: encryption: key:`")
    return key.reveal()


def _ability(info: DeviceInfo, entities: list[EntityInfo], client: APIClient) -> Ability:
    from aioesphomeapi.model import APIVersion, MediaPlayerFormatPurpose, MediaPlayerInfo, VoiceAssistantFeature

    flags = VoiceAssistantFeature(info.voice_assistant_feature_flags_compat(client.api_version or APIVersion()))
    players = [item for item in entities if isinstance(item, MediaPlayerInfo)]
    formats = [item for player in players for item in player.supported_formats if item.format in ("wav", "flac")]
    formats.sort(key=lambda item: item.purpose != MediaPlayerFormatPurpose.ANNOUNCEMENT)  # those first
    return Ability(
        name=info.name,
        model=info.model,
        hears=VoiceAssistantFeature.API_AUDIO in flags,
        speaks=VoiceAssistantFeature.SPEAKER in flags,
        announces=VoiceAssistantFeature.ANNOUNCE in flags,
        starts=VoiceAssistantFeature.START_CONVERSATION in flags,
        timers=VoiceAssistantFeature.TIMERS in flags,
        clip=(formats[0].format, formats[0].sample_rate, formats[0].num_channels) if formats else None,
    )
