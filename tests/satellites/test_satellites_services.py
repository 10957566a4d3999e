"""What Hearken offers, asked as Home Assistant asks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe, Info
from wyoming.tts import Synthesize, SynthesizeVoice

from daemon.core.errors import UsageError
from daemon.hear.audio import Hypothesis, to_pcm16
from daemon.hear.audio import Transcript as Heard
from daemon.hear.engine import Engine
from daemon.home.config import Server
from daemon.satellites.services import Offer, Services
from tests.brokers import SOON_S
from tests.hear.levels import QUIET, SPEECH
from tests.satellites.rooms import Counting, Home, Tone, sound

if TYPE_CHECKING:
    from wyoming.event import Event, Eventable


class Doubtful(Counting):
    """Hears the same, and is not sure of it."""

    def transcribe(self, *args: Any) -> Heard:
        return Heard((Hypothesis("open the gate", 0.3), Hypothesis("open the crate", 0.2)), "en", self.name)


class Picky(Home):
    """Knows one room, and does what it is told unless that is nonsense."""

    def check(self, request: dict[str, Any]) -> None:
        if request.get("area") not in (None, "kitchen"):
            raise UsageError("there is no such area")

    async def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        result = await super().handle(request)
        return result | ({"outcome": "reject"} if "nonsense" in request["text"] else {})


@contextlib.asynccontextmanager
async def serving(home: Picky, engine: Counting | None = None) -> AsyncIterator[int]:
    offer = Offer(
        handle=home.handle,
        check=home.check,
        engines={"en": Engine(engine or Counting())},
        voice=Tone(),
        languages=("en", "zh"),
        language=lambda text: "en" if text.isascii() else "zh",
    )
    async with Services(Server("127.0.0.1", 0), offer).running() as port:
        yield port


async def ask(port: int, *items: Eventable, until: type[Eventable]) -> list[Event]:
    """What is answered, up to an event of a type."""
    found: list[Event] = []
    async with asyncio.timeout(SOON_S), AsyncTcpClient("127.0.0.1", port) as client:
        for item in items:
            await client.write_event(item.event())
        while not found or not until.is_type(found[-1].type):
            event = await client.read_event()
            assert event is not None, found
            found.append(event)
    return found


def clip(lang: str = "en-US") -> list[Eventable]:
    said = to_pcm16(sound((QUIET, 0.5), (SPEECH, 1), (QUIET, 0.5)))
    chunks = [AudioChunk(16_000, 2, 1, said[at : at + 2_048]) for at in range(0, len(said), 2_048)]
    return [Transcribe(language=lang), AudioStart(16_000, 2, 1), *chunks, AudioStop()]


async def test_it_says_what_it_is() -> None:
    async with serving(Picky()) as port:
        [event] = await ask(port, Describe(), until=Info)
    found = Info.from_event(event)
    assert [model.languages for program in found.asr for model in program.models] == [["en"]]
    assert [(voice.name, voice.languages) for program in found.tts for voice in program.voices] == [
        ("hearken-en", ["en"]),
        ("hearken-zh", ["zh"]),
    ]
    [agent] = found.handle
    assert (agent.installed, agent.supports_home_control, agent.models[0].languages) == (True, True, ["en", "zh"])
    assert not found.intent, "Home Assistant would carry out by itself what it is told there"


async def test_it_hears() -> None:
    async with serving(Picky()) as port:
        [event] = await ask(port, *clip(), until=Transcript)
        assert (event.data["text"], event.data["language"]) == ("1.0", "en")
        [refused] = await ask(port, *clip("zh"), until=Error)
        assert "zh" in refused.data["text"]


@pytest.mark.parametrize(
    "voice", [None, SynthesizeVoice(name="hearken-en"), SynthesizeVoice(language="en_US"), SynthesizeVoice(name="else")]
)
async def test_it_speaks(voice: SynthesizeVoice | None) -> None:
    async with serving(Picky()) as port:
        events = await ask(port, Synthesize("The light is on.", voice=voice), until=AudioStop)
        assert AudioStart.is_type(events[0].type)
        assert sum(len(item.payload or b"") for item in events) == 2 * 2_205
        [nothing] = await ask(port, Synthesize("***"), until=Error)
        assert "nothing" in nothing.data["text"]


async def test_it_is_a_conversation_agent() -> None:
    home = Picky()
    context = {"conversation_id": "01J", "device_id": "d1", "satellite_id": "assist_satellite.kitchen"}
    async with serving(home) as port:
        [done] = await ask(port, Transcript("turn on the light", context, "en-GB"), until=Handled)
        [refused] = await ask(port, Transcript("nonsense", {"conversation_id": "01J"}), until=NotHandled)
        await ask(port, Transcript("on", {"area": "kitchen"}), until=Handled)
        await ask(port, Transcript("on", {"area": "cellar", "device_id": "d2"}), until=Handled)
        await ask(port, Transcript("on"), until=Handled)
    assert (done.data["text"], done.data["context"]) == ("Heard turn on the light.", context)
    assert refused.data["text"] == "Heard nonsense."
    asked = [(item["satellite"], item.get("lang"), item.get("area")) for item in home.asked]
    assert asked == [
        ("assist_satellite.kitchen", "en", None),
        ("01J", None, None),
        ("wyoming", None, "kitchen"),
        ("d2", None, None),
        ("wyoming", None, None),
    ]


async def test_what_it_heard_doubtfully_it_still_doubts_when_it_is_to_understand_it() -> None:
    home = Picky()
    async with serving(home, Doubtful()) as port:
        [event] = await ask(port, *clip(), until=Transcript)
        await ask(port, Transcript(event.data["text"]), until=Handled)
        await ask(port, Transcript("open the door"), until=Handled)
    assert [(item.get("heard"), item.get("alternatives")) for item in home.asked] == [
        (0.3, [["open the crate", 0.2]]),
        (None, None),
    ]


async def test_rubbish_ends_a_connection_and_no_other() -> None:
    async with serving(home := Picky()) as port:
        async with AsyncTcpClient("127.0.0.1", port) as patient:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert await asyncio.wait_for(reader.read(), SOON_S) == b""
            writer.close()
            await patient.write_event(Transcript("on").event())
            assert Handled.is_type((await patient.read_event() or Describe().event()).type)
        assert len(home.asked) == 1


async def test_a_port_that_is_taken_is_said() -> None:
    async with serving(Picky()) as port:
        offer = Offer(Picky().handle, Picky().check, {}, None, ("en",), lambda _: "en")
        with pytest.raises(UsageError, match=f"nothing can be served at 127.0.0.1:{port}"):
            async with Services(Server("127.0.0.1", port), offer).running():
                pass
