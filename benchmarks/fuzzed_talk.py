"""One home that is talked to: what is said there, what comes of it, and what is wrong with that."""

from __future__ import annotations

import asyncio
import gc
import logging
import random
import time
import traceback
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache, partial
from typing import Final, cast

from benchmarks.fuzz_checks import SLOW_S, Fault, Names, asks_about, faults
from benchmarks.fuzz_consent import Consents
from benchmarks.fuzz_tally import Chunk, Finding, Tally
from benchmarks.fuzzed_homes import FuzzedHouse, odd_home, open_house
from benchmarks.utterances import Utterances, chance
from daemon.compiler.compiler import Compiled, Compiler
from daemon.compiler.followups import Plain, Topic
from daemon.compiler.loading import Wanted, compiler
from daemon.compiler.segmenter import Atom
from daemon.converse.replies import Replies
from daemon.core.questions import EXPIRY_S
from daemon.core.thresholds import Thresholds
from daemon.core.turn import Utterance
from daemon.core.values import replace
from daemon.home.config import HomeConfig
from daemon.resolve.meaning.index import Meanings
from daemon.resolve.meaning.vectors import Shelf, Vectors
from daemon.system.config import Paths
from daemon.understand.grammar import Grammar
from daemon.understand.names import NameTable
from daemon.understand.normalize import MAX_LENGTH, Normalized, plain_text
from tests import virtual_time

_SATELLITES: Final = ("console", "console", "kitchen", "bedroom")
_GIVEN: Final = ("device", "group", "scene")
"""What a yes may be said to."""
_MOST_MINIMISED: Final = 3
_REMEMBERED: Final = 20
_READY_S: Final = 60.0
_PAUSES_S: Final = (0.0, 0.5, 2.0, 2.0, 4.0, 9.0, 30.0, 400.0)
_QUIET_S: Final = 3.0
_HELD: Final = 400_000
"""Between two utterances the devices come to rest, most of the time."""


def played(chunk: Chunk) -> Tally:
    """Plays one home to the end."""
    gc.collect()  # those before it are gone: what is left of them is not this one's to look through
    talk = _Talk(chunk)
    virtual_time.run(talk.play)
    return talk.tally


def said_in(home: HomeConfig, texts: Sequence[str], pause_s: float = 0.0) -> Tally:
    """Says these texts in a home; so much time goes by after each."""
    talk = _Talk(Chunk(0, 0, len(texts), None, model=False))
    virtual_time.run(partial(talk.recite, home, texts, pause_s))
    return talk.tally


class _Talk:
    """The utterances of one home, and the questions that are open there."""

    def __init__(self, chunk: Chunk) -> None:
        self.tally = Tally()
        self._chunk = chunk
        self._dice = random.Random(f"{chunk.seed} {chunk.number}")
        self._utterances = utterances_of(chunk.lang)
        self._consents = Consents()
        self._said: dict[str, deque[str]] = {}
        self._known = Names.of(())

    async def play(self) -> None:
        """Says all of it."""
        async with self._listening(odd_home(self._dice, self._utterances)) as house:
            own = house.names()
            for _ in range(self._chunk.size):
                await self._say(house, self._utterance(house, own))
                await self._pause(house, self._dice.choice(_PAUSES_S))

    async def recite(self, home: HomeConfig, texts: Sequence[str], pause_s: float) -> None:
        """Says these, one after the other, with so much time after each."""
        async with self._listening(home) as house:
            for text in texts:
                await self._say(house, Utterance(text))
                await self._pause(house, pause_s)

    @asynccontextmanager
    async def _listening(self, home: HomeConfig) -> AsyncIterator[FuzzedHouse]:
        """The home, while whatever is logged as an error in it is one."""
        errors = _Errors()
        logging.getLogger().addHandler(errors)
        asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.lines.append(str(context)))
        try:
            async with opened(home, model=self._chunk.model) as house:
                self._known = Names.of(house.names())
                yield house
        finally:
            logging.getLogger().removeHandler(errors)
        for line in errors.lines:
            self._find("exception", "", line, "console")
        made = _compiler().made if self._chunk.model else None
        if made is not None and (problem := made.problem or made.missing) is not None:
            self._find("exception", "", f"the model is out of use: {problem}", "console")

    async def _say(self, house: FuzzedHouse, utterance: Utterance) -> None:
        text, satellite = utterance.text, utterance.satellite
        result, raised = None, None
        begun = time.process_time()
        try:
            result = (await house.opened.pipeline.handle(utterance)).to_dict(trace=True)
        except Exception as error:  # noqa: BLE001 - it is what is looked for
            raised = error
        took = time.process_time() - begun
        self.tally.took(took, text)
        if took > SLOW_S and min(took, await self._took_again(house.home, utterance)) > SLOW_S:
            self._find("slow", text, f"{took:.2f} s, {len(text)} characters", satellite)
        if raised is not None:
            self.tally.outcomes[""] += 1
            smallest = await self._smallest(house.home, utterance, type(raised))
            self._find("exception", text, f"{smallest!r}\n{_last_lines(raised)}", satellite)
        self._judge_risks(house, text, satellite)
        before = self._said.setdefault(satellite, deque(maxlen=_REMEMBERED))
        if result is not None:
            self.tally.outcomes[result["outcome"]] += 1
            heard = " ".join((text, *(other for other, _ in utterance.alternatives)))
            for fault, what in faults(heard, before, result, self._known):
                self._find(fault, text, what, satellite)
        question = result.get("question") if result is not None else None
        if question is not None:
            # Who says yes to a scene says yes to its steps, whatever it is called by then.
            registry = house.opened.pipeline.parts.registry
            about = (item for item in registry if item.kind in _GIVEN and asks_about(question, item))
            members = (member for item in about for member in (*registry.expand(item.id), *item.members))
            self._consents.asks(satellite, question, members)
        elif 0 < len(plain_text(text)) <= MAX_LENGTH:  # what is no utterance drops no question
            self._consents.drop(satellite)
        before.append(text)
        if result is not None and result["ir"] is not None:
            before.append(result["ir"]["text"])  # 有灯 may have been taken for 油汀

    def _utterance(self, house: FuzzedHouse, own: list[str]) -> Utterance:
        dice, home = self._dice, house.home
        satellite = dice.choice(_SATELLITES)
        waiting = self._consents.waiting
        if waiting and chance(dice, 0.8):
            satellite = dice.choice(waiting)
        answers = satellite in waiting and chance(dice, 0.6)
        text = (self._utterances.answer if answers else self._utterances.one)(dice, own)
        areas = [item.id for item in home.entities if item.kind == "area"]
        some = [(self._utterances.one(dice, own), dice.random()) for _ in range(dice.choice((0, 0, 0, 0, 0, 2)))]
        return Utterance(
            text,
            lang=dice.choice((None, None, "en", "zh")),
            area=dice.choice([None, *areas]),
            speaker=dice.choice([None, *(item.id for item in home.people)]),
            satellite=satellite,
            heard=dice.choice((1.0, 1.0, 1.0, 0.9, 0.6, 0.3)),
            alternatives=tuple(some),
        )

    def _judge_risks(self, house: FuzzedHouse, text: str, satellite: str) -> None:
        question, agreed = self._consents.question(satellite), self._consents.agreed(satellite, text)
        for device, changes in house.risks():
            if device.id in agreed:
                self.tally.confirmed += 1
            else:
                self._find("risk", text, f"{device.id} was told {changes}; asked was {question!r}", satellite)
        self._consents.keep(house.kept(), agreed)

    async def _pause(self, house: FuzzedHouse, seconds: float) -> None:
        if seconds >= EXPIRY_S:
            self._consents.expire()
        agreed = self._consents.for_later(house.kept())
        try:
            await house.wait(seconds)
        except Exception as error:  # noqa: BLE001 - it is what is looked for
            self._find("exception", "", f"while time went by\n{_last_lines(error)}", "console")
        for device, changes in house.risks():
            if device.id not in agreed:
                self._find("risk", "", f"{device.id} was told {changes} while nobody spoke", "console")
        self._consents.keep(house.kept())
        for announcement in house.unasked:
            if not announcement.reply.strip():
                self._find("reply", "", "an empty announcement", "console")
        house.unasked.clear()

    def _find(self, fault: Fault, said: str, what: str, satellite: str) -> None:
        before = tuple(reversed([text[:200] for text in self._said.get(satellite, ())]))[:3]
        self.tally.found(Finding(fault, said, what, before))

    async def _took_again(self, home: HomeConfig, utterance: Utterance) -> float:
        """How long it takes once more, after what was said before it: a busy machine is slow once."""
        async with opened(home, model=self._chunk.model) as house:
            for text in (*self._said.get(utterance.satellite, ()), ""):
                await house.opened.pipeline.handle(replace(utterance, text=text))
            begun = time.process_time()
            await house.opened.pipeline.handle(utterance)
            return time.process_time() - begun

    async def _smallest(self, home: HomeConfig, utterance: Utterance, kind: type[Exception]) -> str:
        """The least of an utterance that still raises in a home of its own; all of it where it takes more."""

        async def fails(text: str) -> bool:
            async with opened(home, model=self._chunk.model) as house:
                try:
                    await house.opened.pipeline.handle(Utterance(text, lang=utterance.lang, area=utterance.area))
                except kind:
                    return True
                return False

        text, size = utterance.text, max(1, len(utterance.text) // 2)
        if self.tally.faults["exception"] > _MOST_MINIMISED or not await fails(text):
            return text
        while True:
            for start in range(0, len(text), size):
                shorter = text[:start] + text[start + size :]
                if await fails(shorter):
                    text = shorter
                    break
            else:
                if size == 1:
                    return text
                size //= 2


class _Errors(logging.Handler):
    """What is logged as an error is one, though nobody saw it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


def _last_lines(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-1200:]


@cache
def _grammar() -> Grammar:
    return Grammar.load(Paths.of().rules, _HELD)


@cache
def _replies() -> Replies:
    return Replies.load(Paths.of().rules)


@cache
def utterances_of(lang: str | None) -> Utterances:
    """What makes utterances, in one language or in both; made once."""
    return Utterances(_grammar(), lang)


class _Unhurried:
    """A compiler that is given the time that it needs: a busy machine changes nothing of what is said."""

    def __init__(self, made: Compiler) -> None:
        self.made = made
        self.prepare = made.prepare

    async def compile(
        self, said: Normalized, names: NameTable, thresholds: Thresholds | None = None
    ) -> Compiled | None:
        clock = cast("virtual_time.VirtualLoop", asyncio.get_running_loop())
        with clock.still():
            return await self.made.compile(said, names, thresholds)

    async def atoms(self, text: str) -> tuple[Atom, ...]:
        clock = cast("virtual_time.VirtualLoop", asyncio.get_running_loop())
        with clock.still():
            return await self.made.atoms(text)

    async def plainly(self, said: Normalized, topic: Topic) -> Plain | None:
        clock = cast("virtual_time.VirtualLoop", asyncio.get_running_loop())
        with clock.still():
            return await self.made.plainly(said, topic)


@cache
def _compiler() -> _Unhurried:
    paths = Paths.of()
    return _Unhurried(compiler(paths.models, paths.rules, _grammar(), Wanted(limit_s=_READY_S)))


@cache
def _vectors() -> Vectors:
    return Vectors(Shelf(Paths.of().models, None))


def opened(home: HomeConfig, *, model: bool, prepared: bool = True) -> AbstractAsyncContextManager[FuzzedHouse]:
    """The home, with the small models or without; `prepared` as for `open_house`."""
    if not model:
        return open_house(home, _grammar(), _replies(), None, None, prepared=prepared)
    meanings = Meanings(_vectors(), _READY_S)
    return open_house(home, _grammar(), _replies(), cast("Compiler", _compiler()), meanings, prepared=prepared)
