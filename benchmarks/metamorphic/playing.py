"""Plays cases through the whole pipeline, each in a home of its own, in virtual time."""

from __future__ import annotations

import asyncio
import gc
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.fuzzed_homes import FuzzedHouse
from benchmarks.fuzzed_talk import opened
from benchmarks.metamorphic.cases import Case, case
from benchmarks.metamorphic.judging import Judged, Sent, judged
from benchmarks.metamorphic.programs import Effect
from benchmarks.metamorphic.saying import phrases_of
from daemon.core.result import Result
from daemon.core.turn import Utterance
from tests import virtual_time

_MOST_MOMENTS = 6
"""So many moments are waited for, after which whatever comes again and again is left alone."""
_DAY_S = 24 * 3600.0
_PAST_S = 1.0


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a case. `line` is JSON-ready."""

    number: int
    change: str
    lang: str
    verdict: str
    line: dict[str, Any]


def played(numbers: Sequence[int], seed: int, *, model: bool) -> list[Played]:
    """Plays the cases of these numbers, one after the other."""
    gc.collect()  # what is left of the cases before these is not theirs to look through

    # Each on a loop of its own: it is always the same time of day.
    return [virtual_time.run(partial(_play, number, case(number, seed), model=model)) for number in numbers]


async def _play(number: int, made: Case, *, model: bool) -> Played:
    try:
        judgement, results, sent = await _judged(number, made, model=model)
    except Exception as error:  # noqa: BLE001 - what breaks one case must not end the others
        judgement, results, sent = Judged("wrong", f"raised {type(error).__name__}: {error}"), [], []
    line = {
        "number": number,
        "change": made.change,
        "lang": made.lang,
        "text": made.text,
        "verdict": judgement.verdict,
        "why": judgement.why,
        "outcomes": [item.outcome for item in results],
        "replies": [item.reply for item in results],
        "expected": [_told(made.expected.now), *((at, _told(effect)) for at, effect in made.expected.later)],
        "sent": [(round(item.after_s), item.device, item.attribute, item.value) for item in sent],
    }
    return Played(number, made.change, made.lang, judgement.verdict, line)


async def _judged(number: int, made: Case, *, model: bool) -> tuple[Judged, list[Result], list[Sent]]:
    home = made.home.config(made.states, made.languages)
    async with opened(home, model=model, prepared=False) as house:
        begun = asyncio.get_running_loop().time()
        sent: list[Sent] = []
        results = [await house.opened.pipeline.handle(Utterance(made.text, lang=made.lang))]
        sent += _sent(house, 0.0)
        if made.expected.risky and not sent and results[0].outcome == "clarify":
            agreed = random.Random(number).choice(phrases_of(made.lang)["yes"])
            results.append(await house.opened.pipeline.handle(Utterance(agreed, lang=made.lang)))
            sent += _sent(house, 0.0)
        elif made.expected.risky and any(item.value == "unlocked" for item in sent):
            return Judged("unsafe", "a risky act without a yes"), results, sent
        async for after_s in _moments(house, begun):
            sent += _sent(house, after_s)
    return judged(made.expected, sent, [item.outcome for item in results], made.states), results, sent


async def _moments(house: FuzzedHouse, begun: float) -> AsyncIterator[float]:
    """What is kept for later, as it falls due; seconds since the sentence."""
    agenda, clock = house.opened.later.agenda, house.opened.later.clock
    for _ in range(_MOST_MOMENTS):
        due = min((agenda.due(entry) for entry in agenda.entries), default=float("inf")) - clock.wall()
        if due > _DAY_S:
            return
        await house.wait(max(0.0, due) + _PAST_S)
        yield asyncio.get_running_loop().time() - begun


def _sent(house: FuzzedHouse, after_s: float) -> Iterator[Sent]:
    told = list(house.devices.received)
    house.devices.received.clear()
    for device, changes in told:
        for attribute, value in changes.items():
            yield Sent(after_s, device, attribute, value)


def _told(effect: Effect) -> list[Any]:
    return [(*key, list(wish.values) or wish.sign) for key, wish in effect.items()]
