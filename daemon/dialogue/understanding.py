"""What an utterance says: by the grammar, as a whole or clause by clause, and by the small model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Final

from daemon.compiler.compiler import Compiled, Compiler, as_sure
from daemon.compiler.draft import pieces
from daemon.compiler.meanings import NOTHING
from daemon.compiler.segmenter import ORDER, TALK, Atom, Segment
from daemon.core.ir import Clause, Lang, Order, Program, Target, Timer, Unread
from daemon.core.resolution import Context
from daemon.core.thresholds import Thresholds
from daemon.core.trace import Trace
from daemon.core.values import replace, to_dict
from daemon.dialogue.bare import Bare
from daemon.dialogue.cutting import Read, Reads, Run, is_sure, joined, likeliest, wordings
from daemon.dialogue.doubts import Doubts
from daemon.dialogue.edges import Weighs
from daemon.dialogue.leaning import asked_of_it, is_open, is_whole, placed, points_back, tells, told_of
from daemon.dialogue.piecewise import Piecewise
from daemon.dialogue.taken_back import Plain, TakenBack, moved
from daemon.resolve.comprehension import Comprehension, language
from daemon.resolve.passing import Passing
from daemon.resolve.readings import Choice, Heard, Readings
from daemon.understand.normalize import Normalized, normalize, paused

_LENGTHS: Final = range(6, 101)
"""Words, or Chinese characters: what is shorter has no clauses to tell apart, and what is longer is no request."""
_FEWEST: Final = 2
"""Atoms of what can be cut ..."""
_MOST: Final = 24
"""... in a time that somebody waits."""
_PATIENCE_S: Final = 3.0
"""So long all runs of them may be read."""
_ELSEWHERE: Final = 0.3
"""How much less likely it is that somebody asks for what this home cannot do."""


class Understanding:
    """Understands utterances in one home.

    Args:
        comprehension: Reads texts.
        readings: What this home makes of readings.
        thresholds: How sure a reading must be.
        compiler: The small models, where there are any.
        spoken_of: The only thing that a text names, whatever else it says.
    """

    def __init__(
        self,
        comprehension: Comprehension,
        readings: Readings,
        thresholds: Thresholds,
        compiler: Compiler | None,
        spoken_of: Callable[[str, Context], Passing | None],
    ) -> None:
        self._comprehension = comprehension
        self._readings = readings
        self._thresholds = thresholds
        self._compiler = compiler
        self._spoken_of = spoken_of
        self._doubts = Doubts(comprehension, thresholds, compiler)
        self._taken_back = TakenBack(comprehension, thresholds, compiler)
        self._bare = Bare(comprehension, thresholds, self._atoms, self._told_here)
        self._piecewise = Piecewise(thresholds, Weighs.of(comprehension))

    async def of(
        self, first: Heard, others: Iterator[Heard], context: Context, trace: Trace
    ) -> tuple[Choice | None, Compiled | None]:
        """The reading that is taken, None where there is none; and what the small model made of the whole, if asked.

        Args:
            first: What was most likely said.
            others: What may have been said instead, best first.
            context: What is known around the utterance.
            trace: Takes notes.
        """
        with trace.timed("resolve"):
            choice = self._readings.chosen(first, others, context, trace)
        sure = self._doubts.none_of(choice, first)
        plain = None if sure else await self._taken_back.plainly(first, trace)
        if plain is not None:
            first = plain.heard
            with trace.timed("resolve"):
                again = self._readings.chosen(first, iter(()), context, trace)
            heard = min((item.heard for item in (choice, again) if item is not None), default=0.0)
            choice = replace(again, heard=heard) if again is not None else None
        choice, made = await self._likeliest(choice, first, plain, context, trace)
        return choice if sure else await self._doubts.of(self._taken_back.weighed(choice, plain), first, trace), made

    async def _likeliest(
        self, choice: Choice | None, first: Heard, plain: Plain | None, context: Context, trace: Trace
    ) -> tuple[Choice | None, Compiled | None]:
        if choice is None or is_open(choice.program):
            cut = await self._cut(first, plain, context, trace)
            if cut is not None:
                return cut, None
        made = await self._made(choice, first, trace)
        choice = self.either(choice, made, first, context)
        if choice is not None and choice.program.is_partial:
            choice = replace(choice, program=await self._completed(choice.program, context, trace))
        near = first.text.count(",") <= 1 and not context.last
        if choice is not None and near and all(isinstance(it, Order) and it.leans for it in choice.program.clauses):
            choice = replace(choice, program=self._about(choice.program, first.text, context) or choice.program)
        return choice, made

    async def bare(self, first: Heard, trace: Trace) -> AsyncIterator[Heard]:
        """What an utterance may say without the talk around it, that with most words first."""
        async for less in self._bare.of(first):
            trace.note("cut", left=less.text)
            yield less

    async def compiled(self, text: str, lang: str, trace: Trace) -> Compiled | None:
        """What the small model makes of a text; None where there is none, or it cannot tell."""
        if self._compiler is None:
            return None
        with trace.timed("model"):
            found = await self._asked(text, lang)
        if found is not None:
            trace.note("model", **found.facts(), ir=to_dict(found.program) if found.program is not None else None)
        return found

    def either(self, choice: Choice | None, made: Compiled | None, first: Heard, context: Context) -> Choice | None:
        """The grammar's reading or the model's; None where there is neither, or surely nothing was said to us."""
        if made is None:
            return choice
        if self._is_nothing(made):
            return None
        if made.program is None or (context.last and self.is_no_timer(made.program, first.text)):
            return choice
        alone = len(context.last) == 1 and self._comprehension.pronouns.replaced(first.text) != first.text
        ways = (asked_of_it(made.program), made.program) if alone else (made.program,)
        program = next((way for way in ways if way is not None and self._readings.possible(way, context)), None)
        return Choice(program, first.confidence) if program is not None else choice

    def is_no_timer(self, program: Program, text: str) -> bool:
        """Whether nobody asked for the timer that a model makes of a time: it is how long something else is to last."""
        starts = all(isinstance(item, Timer) and item.op == "start" for item in program.clauses)
        return starts and not self._comprehension.rings(text)

    def _is_nothing(self, made: Compiled | None) -> bool:
        return made is not None and made.meaning == NOTHING and made.chance >= self._thresholds.silent

    async def _asked(self, text: str, lang: str) -> Compiled | None:
        assert self._compiler is not None
        said, known, limits = normalize(text, language(lang)), self._comprehension, self._thresholds
        if said.text in known.names.texts:
            return None  # who says no more than a name asks for nothing
        if known.contrasts.replaced(said.text) != said.text:
            limits = replace(limits, slight=1.0)  # of two things it may be the other one, or the way back
        found = await self._compiler.compile(said, known.names, limits)
        if found is None or found.program is None:
            return found
        overlooks = known.overlooks(said.text, found.program)
        return replace(found, program=None if overlooks else self._with_joined(said, found.program))

    def _with_joined(self, said: Normalized, program: Program) -> Program:
        """The program, where it is one command, with another one that is joined to it and says all that it means.

        Where it is that one, it leaves out what stands before.
        """
        for before, behind in self._comprehension.joined(said.text) if len(program.clauses) == 1 else ():
            more = next(iter(self._comprehension.read_text(behind, said.lang)), None)
            if more is None or not is_whole(more) or points_back(more) or self._thresholds.is_doubtful(more.confidence):
                continue
            first, second = program.clauses[0], more.clauses[0]
            if isinstance(first, Order) and isinstance(second, Order):
                kept = Unread(text=before) if first.action == second.action else first
                return replace(program, clauses=(kept, *more.clauses))
        return program

    async def _made(self, choice: Choice | None, first: Heard, trace: Trace) -> Compiled | None:
        """What the small model makes of it where the grammar has no sure reading, if this home can do that."""
        if choice is not None and not choice.program.is_guess:
            return None
        said = Normalized(first.text, language(first.lang), first.said)
        return await self.compiled(self._comprehension.asked(said).text, first.lang, trace)

    async def _cut(self, first: Heard, plain: Plain | None, context: Context, trace: Trace) -> Choice | None:
        """What a long utterance says clause by clause, less its talk; None where it cannot be cut, or says nothing."""
        lang = language(first.lang)
        assert lang is not None
        said = Normalized(first.text, lang, first.said)
        text = first.text if plain is not None else self._comprehension.asked(paused(said) or said).text
        if self._compiler is None or len(pieces(text)) not in _LENGTHS:
            return None
        lies = await self._atoms(plain.said if plain is not None else text)
        atoms = joined(moved(plain.kept, lies) if plain is not None else lies, self._comprehension.spans(text))
        if not _FEWEST <= len(atoms) <= _MOST:
            return None
        with trace.timed("model"):
            reads = await self._reads(text, atoms, lang, context)
        runs = likeliest(atoms, reads)
        segments = tuple(Segment(atoms[run.start].start, atoms[run.end - 1].end, run.sort, run.chance) for run in runs)
        read = partial(self._comprehension.read_text, lang=lang)
        with trace.timed("grammar"):
            kept = self._piecewise.kept(text, segments, read)
        if not kept or len(segments) == 1:
            return None
        trace.note("cut", segments=[[text[item.start : item.end], item.sort, round(item.chance, 3)]
                                    for item in segments], kept=[item.start for item in kept])  # fmt: skip
        made: dict[str, Program] = {}
        for run in runs:
            words = text[atoms[run.start].start : atoms[run.end - 1].end].strip(" ,")
            if run.sort == ORDER and (found := self._settled(run, reads, atoms, text)) is not None:
                # What names nothing leans on what was said before it, and of that the small model knows nothing.
                leans = bool(made) and not self._comprehension.names_something(words)
                made[words] = as_sure(found, self._thresholds.doubted(found.confidence)) if leans else found
        with trace.timed("grammar"):
            program = self._piecewise.read(text, lang, kept, read, made, partial(self._about, context=context))
        talk = ", ".join(text[item.start : item.end] for item in segments if item.sort == TALK)
        program = self._comprehension.dated(program, talk)
        if not context.last:
            program = placed(program, self._comprehension.names, text[: kept[0].start])
        if any(self._is_torn(text, atoms, one, other) for one, other in pairwise(runs)):
            program = replace(program, confidence=self._thresholds.doubted(program.confidence))
        idle = self._piecewise.idle(text, kept)
        clauses = tuple(item for item in program.clauses if not isinstance(item, Unread) or item.text not in idle)
        program = replace(program, clauses=clauses or program.clauses)
        if all(isinstance(clause, Unread) for clause in program.clauses):
            return None
        heard = Heard(first.text, first.lang, (replace(program, text=first.text),), first.confidence, first.said)
        return self._readings.chosen(heard, iter(()), context, trace)

    async def _reads(self, text: str, atoms: Sequence[Atom], lang: Lang, context: Context) -> Reads:
        """What can be read in each run of the atoms of a text: by the grammar, if it is sure, or by the small model.

        What is said over and over is read once. Nothing, where that takes too long.
        """
        told: dict[str, Read] = {}
        clock = asyncio.get_running_loop()
        late = clock.time() + _PATIENCE_S
        found = wordings(text, atoms)
        for words in found.values():
            if clock.time() > late:
                return {}
            if words not in told:
                await asyncio.sleep(0)  # others are not to wait for all of it
                told[words] = await self._told(words, lang, context)
        return {run: told[words] for run, words in found.items()}

    async def _atoms(self, text: str) -> Sequence[Atom]:
        return await self._compiler.atoms(text) if self._compiler is not None else ()

    async def _told(self, words: str, lang: str, context: Context | None = None) -> Read:
        """What can be read in words: by the grammar, if it is sure, or by the small model; not what no home does."""
        program = next(filter(is_whole, self._comprehension.read_text(words, lang)), None)
        if program is not None:
            return Read(program.confidence, program, tells(program))
        made = await self._asked(words, lang) if not self._comprehension.unable(words, lang, words) else None
        return self._read(made, context or Context(lang)) if made is not None else Read()

    async def _told_here(self, words: str, lang: Lang) -> Read:
        """The same, less likely where this home cannot do it."""
        read = await self._told(words, lang)
        here = read.program is None or self._readings.possible(read.program, Context(lang))
        return read if here else replace(read, chance=read.chance * _ELSEWHERE)

    def _read(self, made: Compiled, context: Context) -> Read:
        if made.program is None:
            return Read(silent=made.chance if made.meaning == NOTHING else 0.0)
        possible = self._readings.possible(made.program, context)
        return Read(
            made.chance if possible else made.chance * _ELSEWHERE, made.program, tells(made.program), bar=made.bar
        )

    def _settled(self, run: Run, reads: Reads, atoms: Sequence[Atom], text: str) -> Program | None:
        """What is read in a request, as sure as all ways to read it make it; None where nothing is, or not here."""
        read = reads.get((run.start, run.end), Read())
        if read.program is None:
            return None
        limits = self._thresholds

        def idle(at: int) -> bool:
            words = text[atoms[at].start : atoms[at].end]
            return atoms[at].talk >= limits.rather_talk and not self._comprehension.bears(words)

        sure = 1.0 - run.chance <= limits.rather_talk and is_sure(run, reads, idle)
        confidence = read.program.confidence
        return as_sure(read.program, max(confidence, limits.acted) if sure else limits.doubted(confidence))

    def _about(self, program: Program, talk: str, context: Context) -> Program | None:
        """What a program means by "it" behind talk that names one thing of this home, which can do that."""
        found = self._spoken_of(talk, context)
        if found is None or self._comprehension.points(found.words):
            return None
        meant = told_of(program, Target(found.words, confidence=self._comprehension.sure.pronoun))
        return meant if self._readings.possible(meant, context) else None

    def _is_torn(self, text: str, atoms: Sequence[Atom], one: Run, other: Run) -> bool:
        """Whether a request is cut off what the segmenter takes for the same: "shut the garden | sprinkler off".

        That is another request, or what is not surely talk: "does he secretly | turn on the lights", without a "so".
        """
        start = atoms[other.start].start
        paused = text[:start].rstrip().endswith(",") or self._comprehension.opens(text, start)
        limits, begins = self._thresholds, atoms[other.start].begins
        torn = begins < limits.begins if one.sort == ORDER else one.chance < limits.talk and begins < limits.rather_talk
        return torn and other.sort == ORDER and not paused

    async def _completed(self, program: Program, context: Context, trace: Trace) -> Program:
        """The program, with what the small model makes of the words that nobody else understood."""
        clauses: list[Clause] = []
        for clause in program.clauses:
            made = await self.compiled(clause.text, program.lang, trace) if isinstance(clause, Unread) else None
            read = made.program if made is not None and made.verdict == "act" else None
            if read is not None and self.is_no_timer(read, clause.text if isinstance(clause, Unread) else ""):
                read = None
            if read is not None and self._readings.possible(read, context):
                clauses += read.clauses
            elif not isinstance(clause, Unread) or not self._is_nothing(made):
                clauses.append(clause)
        return replace(program, clauses=tuple(clauses))
