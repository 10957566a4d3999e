"""A place that hears and speaks, and the conversation that is held there."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct

from daemon.core.errors import HearkenError
from daemon.core.questions import EXPIRY_S
from daemon.home.config import Microphone

if TYPE_CHECKING:
    from daemon.hear.audio import Transcript
    from daemon.hear.ears import Heard
    from daemon.hear.tally import Tally

_LOG = logging.getLogger(__name__)

Handle = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
"""Takes a request of the control socket, and gives the result object."""


Change = Literal["started", "updated", "cancelled", "finished"]


class TimerNews(Struct, frozen=True):
    """What became of a timer that was asked for at a satellite."""

    kind: Change
    id: str
    name: str | None
    total_s: float
    left_s: float
    active: bool
    """Whether it runs; a paused one does not."""


class Satellite(Protocol):
    """This machine's microphone and loudspeaker, or what stands in another room."""

    name: str
    place: Microphone

    @property
    def tally(self) -> Tally:
        """How often it was woken."""

    def utterances(self) -> AsyncIterator[Heard]:
        """What is said there, for as long as anything can be heard. An empty text means: sound, but no words."""

    def heard(self, text: str, *, asks: bool) -> None:
        """What was understood, before the reply is said; `asks`: an answer will be awaited."""

    async def say(self, text: str, lang: str) -> bool:
        """Returns when it has been said: whether anybody can have heard it.

        Raises:
            HearkenError: it cannot be said there.
        """

    def reopen(self, seconds: float) -> None:
        """Listens for an answer, without the wake word."""

    def timer(self, news: TimerNews) -> None:
        """Shows what became of a timer, where it can be shown."""


async def converse(
    satellite: Satellite, handle: Handle, shown: Callable[[dict[str, Any]], Awaitable[None]] | None = None
) -> None:
    """Carries out what is said there, and answers, until nothing can be heard there any more."""
    async for heard in satellite.utterances():
        try:
            await _turn(satellite, heard, handle, shown)
        except HearkenError as error:
            _LOG.warning("%s: %s", satellite.name, error)
        except Exception:  # noqa: BLE001 - a fault in one conversation must end neither it nor another one
            _LOG.exception("a turn of %r failed", satellite.name)


async def _turn(
    satellite: Satellite, heard: Heard, handle: Handle, shown: Callable[[dict[str, Any]], Awaitable[None]] | None
) -> None:
    transcript, place = heard.transcript, satellite.place
    if not transcript.text:
        satellite.tally.vain()
        satellite.heard("", asks=False)
        return
    given = {"lang": transcript.lang, "area": place.area, "speaker": place.speaker}
    asked = {"op": "text", "text": transcript.text, "satellite": satellite.name}
    try:
        result = with_hearing(await handle(asked | given | heard_as(transcript)), heard)
    except HearkenError as error:
        satellite.heard(transcript.text, asks=False)
        _LOG.warning("cannot do what was heard: %s", error)
        return
    _LOG.info('%s: heard "%s" (%.2f)', satellite.name, transcript.text, transcript.confidence)
    asks = bool(result.get("question"))
    (satellite.tally.vain if result["outcome"] == "ignore" else satellite.tally.served)()
    satellite.heard(transcript.text, asks=asks)
    if result["outcome"] == "ignore" and heard.opening != "answer":
        return  # noise and talk among people end in silence
    if shown is not None:
        await shown(result)
    try:
        await satellite.say(result["reply"], result["lang"])
    finally:
        if asks:
            satellite.reopen(EXPIRY_S)


def heard_as(transcript: Transcript) -> dict[str, Any]:
    """What a request says about how it was heard: how surely, and what may have been said instead."""
    others = [[item.text, item.confidence] for item in transcript.hypotheses[1:] if item.text]
    return {"heard": transcript.confidence, "alternatives": others}


def with_hearing(result: dict[str, Any], heard: Heard) -> dict[str, Any]:
    """The result of what was heard, with how it was heard: in `heard`, in the trace, and `hear` among the times."""
    transcript = heard.transcript
    facts = {
        "text": transcript.text,
        "confidence": round(transcript.confidence, 3),
        "engine": transcript.engine,
        "from_s": round(heard.start_s, 2),
        "to_s": round(heard.end_s, 2),
    }
    if heard.problem is not None:
        facts["problem"] = heard.problem
    trace = [{"at_ms": 0.0, "stage": "hear", **facts}, *result.get("trace", ())]
    return result | {"heard": facts, "ms": {"hear": round(heard.ms, 3)} | result["ms"], "trace": trace}
