"""Where the grammar has no sure reading: the small model, in a thread of its own, and never a reason to fail."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any, Final, Literal

from msgspec import Struct

from daemon.compiler.adviser import Adviser, Beside, Failures, Second
from daemon.compiler.calibration import Curves
from daemon.compiler.drafting import Drafting, Tagging, surely_silent, weighed
from daemon.compiler.followups import Follower, Plain, Topic
from daemon.compiler.segmenter import Atom, Segmenter, Standing
from daemon.core.errors import ModelLate
from daemon.core.ir import Program
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.system.worker import Worker
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized

LIMIT_S: Final = 1.0
_FIRST_LIMIT_S: Final = 5.0
"""The first time, the model is loaded."""
_SHARE: Final = 0.7
"""Of the time that an utterance may take, what the decoder has; the tagger is to be heard anyway."""
_CLOSING_S: Final = 0.5
_LONGEST: Final = 200
"""Characters; what is longer is no command."""


class Model(Struct, frozen=True):
    """The loaded tagger."""

    tagger: Tagging
    curves: Curves


class Compiled(Struct, frozen=True):
    """What the model makes of an utterance."""

    verdict: Literal["act", "ask", "nothing"]
    """Taken as said, doubtful (to be asked back; a question is answered), or nothing for us, which has no program."""
    meaning: str
    chance: float
    """How likely it is right, 0 to 1."""
    program: Program | None = None
    bar: float = math.inf
    """From this chance on it would be taken as said; never where it is asked back however likely it is."""
    heard: tuple[str, ...] = ()
    """The meaning by each model that was asked, in order; empty where one said nothing that makes sense."""

    def facts(self) -> dict[str, Any]:
        """What the trace tells of it."""
        facts = {"verdict": self.verdict, "meaning": self.meaning, "chance": round(self.chance, 3)}
        return facts | {"heard": list(self.heard)}


class Compiler:
    """Compiles utterances; loads its models when they are first needed, or before.

    What keeps failing is given up for a while.

    Without the decoder the tagger goes on alone; without the tagger there is silence.

    Args:
        load: Makes the tagger; may raise anything.
        drafting: Makes programs of drafts.
        limit_s: So long an utterance may take, with what it waits for others that are compiled. Until it is done with
            one that takes longer, no other is compiled.
        second: Makes the decoder, or None where there is none; may raise anything.
        cutter: Cuts long utterances; None: they are never cut.
        follower: Says in plain words what goes on from what was before; None: nobody does.
    """

    def __init__(
        self,
        load: Callable[[], Model],
        drafting: Drafting,
        limit_s: float = LIMIT_S,
        second: Callable[[], Second | None] | None = None,
        cutter: Beside[Segmenter] | None = None,
        follower: Beside[Follower] | None = None,
    ) -> None:
        self._load = load
        self._drafting = drafting
        self._adviser = Adviser(second, self._drafting, limit_s * _SHARE) if second is not None else None
        self._cutter = cutter
        self._follower = follower
        self._limit_s = limit_s
        self._model: Model | None = None
        self._worker = Worker("compiler")
        self._loading: Future[Model] | None = None
        self._overdue: Future[Any] | None = None
        self._failures = Failures("the small model", "the grammar goes on alone")

    @property
    def problem(self) -> str | None:
        """Why there is no model to be had, in one line; None while there may be one."""
        return self._failures.problem

    @property
    def missing(self) -> str | None:
        """Why a model beside the tagger is out of use, in one line; None where none is, or there are none."""
        found = (item.problem for item in (self._adviser, self._cutter, self._follower) if item is not None)
        return next((problem for problem in found if problem is not None), None)

    def prepare(self) -> None:
        """Begins to load the models; nobody waits for it."""
        self._loading = self._worker.submit(self._loaded)
        for item in self._beside:
            item.prepare()
        if self._adviser is not None:
            self._adviser.prepare()

    async def atoms(self, text: str) -> tuple[Atom, ...]:
        """What the clauses of a normalized utterance are made of; none where it cannot be told. Never raises."""
        nothing: tuple[Atom, ...] = ()
        if self._cutter is None or not text:
            return nothing
        return await self._cutter.ask(lambda model: model.atoms(text), nothing)

    async def standing(self, text: str) -> Standing:
        """How an order stands in a normalized utterance; as it is where that cannot be told. Never raises."""
        alone = Standing()
        if self._cutter is None or not text:
            return alone
        return await self._cutter.ask(lambda model: model.standing(text), alone)

    async def plainly(self, said: Normalized, topic: Topic) -> Plain | None:
        """What an utterance says that goes on from a topic, in plain words; None where it does not. Never raises."""
        if self._follower is None or not said.text or len(said.text) > _LONGEST:
            return None
        return await self._follower.ask(lambda model: model.plainly(said.text, said.lang, topic), None)

    async def compile(
        self, said: Normalized, names: NameTable, thresholds: Thresholds | None = None
    ) -> Compiled | None:
        """What an utterance says; None where the model cannot tell, or there is none. Never raises.

        By the home's `thresholds` its program is as sure as what is taken as said, or asked back.
        """
        if self._failures.out or not said.text or len(said.text) > _LONGEST:
            return None
        if self._overdue is not None and not self._overdue.done():
            return None  # it is still at what took too long
        limit = self._limit_s if self._model is not None else self._limit_s + _FIRST_LIMIT_S
        work = self._worker.submit(partial(self._compiled, said, names, thresholds or Thresholds()))
        work.add_done_callback(self._look)
        heard = asyncio.wrap_future(work)
        heard.add_done_callback(_heard_out)
        try:
            await asyncio.wait([heard], timeout=limit)
        finally:
            work.cancel()  # what has not been begun by then is not begun at all
            heard.cancel()
        if work.cancelled():
            self._overdue = self._loading  # if that is what it waited for, no other is to wait for it as long
            return None
        if work.done():
            return work.result() if work.exception() is None else None
        self._overdue = work
        self._failures.failed(ModelLate(f"it took longer than {limit:.1f} s"))
        return None

    def close(self) -> None:
        """Ends its threads, which are waited for a moment only."""
        self._worker.close(_CLOSING_S)
        for item in self._beside:
            item.close(_CLOSING_S)
        if self._adviser is not None:
            self._adviser.close(_CLOSING_S)

    @property
    def _beside(self) -> Iterator[Beside[Segmenter] | Beside[Follower]]:
        return (item for item in (self._cutter, self._follower) if item is not None)

    def _look(self, work: Future[Compiled | None]) -> None:
        """Takes note of how it went, in the model's thread: before another utterance can meet the same failure."""
        if work.cancelled() or self._model is None or self._failures.out:
            return
        error = work.exception()
        if work is self._overdue:
            return  # who is late has failed, whatever comes of it in the end
        if error is not None:
            self._failures.failed(error)
        else:
            self._failures.worked()

    def _loaded(self) -> Model:
        if self._model is None:
            try:
                self._model = self._load()
            except BaseException as error:
                self._failures.lacking(error)
                raise
        return self._model

    def _compiled(self, said: Normalized, names: NameTable, home: Thresholds) -> Compiled | None:
        if self._failures.out:
            return None
        model = self._loaded()
        tagged = self._drafting.tagged(model.tagger, said, names)
        if not tagged.guess.whole:
            return None
        advice = self._adviser.advice(said, names) if self._adviser is not None else None
        written = advice.drafted if advice is not None else None
        found = weighed(tagged, model.curves[said.lang], written, advice.curve if advice is not None else None)
        heard = tuple(item.guess.meaning if item.draft else "" for item in (tagged, written) if item is not None)
        draft, program, chance = found.drafted.draft, found.drafted.program, found.chance
        if draft is None:
            return None
        if program is None:
            return Compiled("nothing", draft.verdict or "", surely_silent(tagged, written), heard=heard)
        bar = math.inf if found.drafted.timid else found.act
        if program.is_slight and bar < math.inf:
            bar = min(bar, max(home.slight, found.ask))
        nothing = Compiled("nothing", found.drafted.guess.meaning, chance, bar=bar, heard=heard)
        if chance >= bar:
            return replace(nothing, verdict="act", program=as_sure(program, max(chance, home.acted)))
        if chance >= found.ask:  # nobody is asked whether he asked: an answer does no harm, and names what it is about
            sure = home.acted if found.drafted.asks else home.asked
            return replace(nothing, verdict="ask", program=as_sure(program, sure))
        return nothing


def _heard_out(done: asyncio.Future[Compiled | None]) -> None:
    """Takes what nobody waits for any more, so that it is not complained about."""
    if not done.cancelled():
        done.exception()


def as_sure(program: Program, confidence: float) -> Program:
    """The program, each clause of it as sure as that."""
    clauses = tuple(replace(clause, confidence=confidence) for clause in program.clauses)
    return replace(program, clauses=clauses, confidence=confidence)
