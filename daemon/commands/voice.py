"""All that hears and speaks for a house: this machine, its satellites, and what others ask for."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from daemon.commands.options import show
from daemon.core.errors import HearkenError, ModelMissing
from daemon.core.turn import Utterance
from daemon.core.values import replace
from daemon.home.config import Wyoming
from daemon.home.secrets import Secret, read_secret
from daemon.satellites.clips import Clips
from daemon.satellites.local import Local
from daemon.satellites.satellite import Satellite, converse
from daemon.system.config import Paths

if TYPE_CHECKING:
    from daemon.commands.session import House, Turns
    from daemon.hear.audio import Transcriber
    from daemon.hear.detectors import MicroWakeWord
    from daemon.hear.ears import Ears, Tongue
    from daemon.hear.engine import Engine
    from daemon.home.config import EspHome
    from daemon.home.config import Microphone as Place
    from daemon.pipeline import Pipeline
    from daemon.satellites.remote import Connect, RemoteSatellite
    from daemon.speak.choice import Voices

_LOG = logging.getLogger(__name__)


async def open_engine(lang: str, paths: Paths, pipeline: Pipeline, wyoming: Wyoming | None = None) -> Transcriber:
    """What hears a language here, ready to hear this home's names: another machine, if so set, else what is installed.

    Raises:
        ModelMissing: none hears this language here.
        ModelError: its files cannot be used.
    """
    from daemon.hear.audio import spoken_roles
    from daemon.hear.ears import choose

    names, roles = pipeline.parts.comprehension.spoken_names(lang), spoken_roles(pipeline.parts.registry)
    asr, limit_s = (wyoming.asr, wyoming.limit_s) if wyoming is not None else (None, 0.0)

    def ready() -> Transcriber:
        own, missing = None, None
        try:
            own = choose(lang, paths.models, paths.rules)
        except ModelMissing as error:
            missing = error
        engine = own
        if asr is not None:
            from daemon.satellites.peers import Peer, PeerTranscriber

            engine = PeerTranscriber(Peer(asr, limit_s), own, lang)
        if engine is None:
            assert missing is not None
            raise missing
        engine.prepare(names, roles)
        return engine

    return await asyncio.to_thread(ready)


@dataclass(frozen=True, slots=True)
class Voice:
    """Hears and speaks; what is not there is left out, and `ability` says so."""

    local: Local
    satellites: Mapping[str, RemoteSatellite]
    ability: str
    _handle: Any
    _args: argparse.Namespace

    @property
    def loudspeakers(self) -> Mapping[str, Satellite]:
        """All that speaks, by the names of the satellites that are there; this machine goes by two."""
        here = dict.fromkeys((self.local.name, Utterance("").satellite), self.local) if self.local.speaks else {}
        return {**here, **self.satellites}

    async def say(self, text: str, lang: str) -> None:
        """Speaks here; a loudspeaker that fails is logged, and the text has been shown already."""
        try:
            await self.local.say(text, lang)
        except HearkenError as error:
            _LOG.warning("cannot speak: %s", error)

    async def listen(self) -> None:
        """Holds a conversation in every place; returns where none of them hears any more."""
        places: tuple[Satellite, ...] = (self.local, *self.satellites.values())
        await asyncio.gather(*(converse(item, self._handle, self._shown) for item in places))

    async def _shown(self, result: dict[str, Any]) -> None:
        # A reader that is slow to take what is printed must not hold up the house.
        await asyncio.to_thread(show, result, as_json=self._args.json, trace=self._args.trace)


@contextlib.asynccontextmanager
async def open_voice(args: argparse.Namespace, house: House, paths: Paths, turns: Turns) -> AsyncIterator[Voice]:
    """What of hearing and speaking works here; never raises for what is missing.

    Raises:
        UsageError: what is to be offered to others cannot be.
    """
    home = house.home
    async with contextlib.AsyncExitStack() as stack:
        engines = _Engines(house, paths)
        stack.callback(engines.close)
        place = home.microphone
        place = replace(place, area=args.area or place.area, speaker=args.speaker or place.speaker)
        ears, hearing = None, "not listening"
        if not args.deaf:
            try:
                ears = await _open_ears(args.lang or place.lang or engines.main, place, engines, stack)
                hearing = "listening"
            except (HearkenError, ImportError) as error:
                hearing = f"not listening: {error}"
        voice, speaking = None, "silent"
        remote = {name: item for name, item in home.satellites.items() if item.server is not None}
        if not args.mute or remote or home.wyoming.serve is not None:
            try:
                voice = await asyncio.to_thread(_choose_voice, paths, home.wyoming)
                speaking = "silent" if args.mute else "speaking"
            except (HearkenError, ImportError) as error:
                speaking = f"silent: {error}"
        local = Local(place, ears, None if args.mute or voice is None else _speaker(voice, paths, ears))
        clips = await stack.enter_async_context(Clips().running())
        satellites = {
            name: await _satellite(name, item, engines, voice, _connect(name, item, paths, clips))
            for name, item in remote.items()
        }
        if home.wyoming.serve is not None:
            await stack.enter_async_context(await _services(house, engines, voice, turns))
        turns.places = {**({local.name: local} if ears is not None else {}), **satellites}
        yield Voice(local, satellites, f"{hearing}; {speaking}{_also(satellites)}", turns.handle, args)


def _also(satellites: Iterable[str]) -> str:
    names = sorted(satellites)
    return f"; satellites: {', '.join(names)}" if names else ""


class _Engines:
    """What each language is heard with: loaded when it is first needed, and once for all places."""

    def __init__(self, house: House, paths: Paths) -> None:
        from daemon.hear.contest import Rivals

        self._house = house
        self._paths = paths
        self.main = house.home.languages[0]
        self.rivals = Rivals()
        words = house.opened.pipeline.parts.comprehension
        self.incomplete, self.complete = words.incomplete, words.complete
        self._opened: dict[str, Engine] = {}

    async def of(self, lang: str) -> Engine:
        """The engine of a language.

        Raises:
            ModelError: there is none.
        """
        from daemon.hear.engine import Engine

        if lang not in self._opened:
            pipeline, wyoming = self._house.opened.pipeline, self._house.home.wyoming
            self._opened[lang] = Engine(await open_engine(lang, self._paths, pipeline, wyoming))
        return self._opened[lang]

    async def known(self, languages: Iterable[str]) -> dict[str, Engine]:
        """Those that there are."""
        found = {}
        for lang in languages:
            with contextlib.suppress(HearkenError, ImportError):
                found[lang] = await self.of(lang)
        return found

    def close(self) -> None:
        """Ends their threads."""
        for engine in self._opened.values():
            engine.close()


def _wakes(place: Place) -> MicroWakeWord:
    """What listens for the wake words of a place. Blocking."""
    from daemon.hear.detectors import MicroWakeWord

    return MicroWakeWord([item.word for item in place.wake], place.sensitivity)


async def _tongues(place: Place, wakes: MicroWakeWord, engines: _Engines) -> dict[str, Tongue]:
    """What is spoken behind each of them, where that was said."""
    from daemon.hear.ears import Tongue, plain_word

    spoken = zip(wakes.phrases, place.wake, strict=True)
    return {plain_word(phrase): Tongue(await engines.of(it.lang), it.lang) for phrase, it in spoken if it.lang}


async def _open_ears(lang: str, place: Place, engines: _Engines, stack: contextlib.AsyncExitStack) -> Ears:
    from daemon.hear.detectors import SileroVad
    from daemon.hear.ears import Ears
    from daemon.hear.lasting import LastingMicrophone
    from daemon.hear.listener import Listener
    from daemon.hear.microphone import Microphone

    microphone = await stack.enter_async_context(LastingMicrophone(Microphone))
    engine = await engines.of(lang)
    wakes = await asyncio.to_thread(_wakes, place)
    listener = await asyncio.to_thread(lambda: Listener(SileroVad(), wakes))
    return Ears(
        source=microphone,
        listener=listener,
        engine=engine,
        lang=lang,
        incomplete=engines.incomplete,
        complete=engines.complete,
        rivals=engines.rivals,
        tongues=await _tongues(place, wakes, engines),
    )


def _choose_voice(paths: Paths, wyoming: Wyoming) -> Voices:
    from daemon.speak.choice import Voices, choose_voice

    own = choose_voice(paths.models)
    if wyoming.tts is None:
        return own
    from daemon.satellites.peers import Peer, PeerVoice

    return Voices([PeerVoice(Peer(wyoming.tts, wyoming.limit_s)), own])


def _speaker(voice: Voices, paths: Paths, ears: Ears | None) -> Any:
    from daemon.speak.speaker import Player, Speaker

    return Speaker(voice, Player(paths.state / "reply.wav", ear=ears))


async def _satellite(
    name: str, place: Place, engines: _Engines, voice: Voices | None, connect: Connect
) -> RemoteSatellite:
    from daemon.hear.detectors import SileroVad
    from daemon.satellites.hearing import Hearing
    from daemon.satellites.remote import RemoteSatellite

    hearing, lang = None, place.lang or engines.main
    try:
        engine = await engines.of(lang)
        hearing = Hearing(
            engine=engine,
            lang=lang,
            vad=SileroVad,
            wake=partial(_wakes, place),
            rivals=engines.rivals,
            incomplete=engines.incomplete,
            complete=engines.complete,
            tongues=await _tongues(place, await asyncio.to_thread(_wakes, place), engines),
        )
    except (HearkenError, ImportError) as error:
        _LOG.warning("satellite %s cannot be heard: %s", name, error)
    return RemoteSatellite(name, place, connect, hearing, voice)


def _connect(name: str, place: Place, paths: Paths, clips: Clips) -> Connect:
    """How a satellite is reached."""
    if place.esphome is None:
        from daemon.satellites.session import Session

        assert place.wyoming is not None
        return partial(Session.connected, place.wyoming)
    from daemon.satellites.esphome import Session as Box

    return partial(Box.connected, place.esphome, partial(key_of, name, place.esphome, paths), clips)


def key_of(name: str, box: EspHome, paths: Paths) -> Secret | None:
    """The encryption key of a box, read anew; None: it has none.

    Raises:
        ConfigError: it is not where the home file says.
    """
    return None if box.key is None else read_secret(box.key, paths.home, f"satellites.{name}.key")


async def _services(house: House, engines: _Engines, voice: Voices | None, turns: Turns) -> Any:
    from daemon.satellites.services import Offer, Services
    from daemon.understand.normalize import normalize

    home = house.home
    assert home.wyoming.serve is not None
    offer = Offer(
        handle=turns.handle,
        check=turns.check,
        engines=await engines.known(home.languages),
        voice=voice,
        languages=home.languages,
        language=lambda text: normalize(text).lang,
    )
    return Services(home.wyoming.serve, offer).running()
