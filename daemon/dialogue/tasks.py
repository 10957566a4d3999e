"""What a turn of a conversation is about: a new command, the answer to a question, or second thoughts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from daemon.compiler.compiler import Compiled, Compiler
from daemon.core.ir import AboutAgenda, AboutList, Chat, DialogueMove, Inquiry, Order, Program, Timer, Unread
from daemon.core.messages import say
from daemon.core.outcomes import Outcome
from daemon.core.questions import DEED, STILL_OFF, Answer, Question, Settled
from daemon.core.questions import Choice as Habit
from daemon.core.resolution import Context
from daemon.core.result import Report
from daemon.core.thresholds import Thresholds
from daemon.core.trace import Trace
from daemon.core.turn import Task
from daemon.core.values import replace
from daemon.dialogue.answers import Answers, Settling
from daemon.dialogue.asked import asked_anew
from daemon.dialogue.continuing import continued
from daemon.dialogue.dialogue import Dialogue
from daemon.dialogue.edits import Revision, base_of
from daemon.dialogue.last_resort import RECALLED, WHO, LastResort, is_breathless, nothing
from daemon.dialogue.leaning import is_whole
from daemon.dialogue.others import Others
from daemon.dialogue.plainly import Plain, Plainly
from daemon.dialogue.replanned import in_a_row, of_list, reminded
from daemon.dialogue.second_thoughts import anew, another_too, revision
from daemon.dialogue.understanding import Understanding
from daemon.home.actions import is_risky
from daemon.home.registry import Registry
from daemon.memory.teaching import Teaching
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.readings import Choice, Heard, Readings
from daemon.resolve.resolver import Resolver
from daemon.understand.corrections import is_step
from daemon.understand.normalize import MAX_LENGTH


class Tasks:
    """Finds out what is to be done, in one home."""

    def __init__(
        self,
        *,
        registry: Registry,
        comprehension: Comprehension,
        readings: Readings,
        teaching: Teaching,
        thresholds: Thresholds,
        resolver: Resolver,
        compiler: Compiler | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._understanding = Understanding(
            comprehension, readings, thresholds, compiler, partial(resolver.spoken_of, plain=True)
        )
        self._registry = registry
        self._comprehension = comprehension
        self._readings = readings
        self._teaching = teaching
        self._thresholds = thresholds
        self._last = LastResort(resolver, registry, clock)
        self._clock = clock
        self._others = Others(registry, comprehension.essence)
        self._plainly = Plainly(registry, comprehension, readings, thresholds, compiler)
        self._settling = Settling(registry, readings, teaching, clock)
        self._answers = Answers(registry, comprehension, thresholds, self._understanding.bare)

    def passed_over(self, program: Program, context: Context) -> tuple[str, ...]:
        """What is named in an utterance that was not understood, or takes back what is not there.

        Where something else was said in it, "it" is rather of that.
        """
        clause = program.sole
        cancels = isinstance(clause, DialogueMove) and clause.move == "cancel"
        said = clause.text if isinstance(clause, Unread) else program.text if cancels else ""
        return self._last.named(said, context)

    async def of(
        self, first: Heard, others: Iterator[Heard], dialogue: Dialogue, context: Context, trace: Trace
    ) -> Task | Report:
        """What this turn is about, or the report that ends it.

        Args:
            first: What was most likely said.
            others: What may have been said instead, best first.
            dialogue: The conversation so far; a question that is answered or dropped is taken out of it.
            context: What is known around the utterance.
            trace: Takes notes.
        """
        if not first.text:
            return nothing(first.text)  # silence answers no question, and drops none
        if len(first.text) > MAX_LENGTH or any(map(is_breathless, first.readings[:1])):
            return Report("ignore", (say("too_long"),))  # nor does what is no utterance
        unable = self._comprehension.unable(first.text, first.lang, first.said)
        if unable in RECALLED and not _asks_more(first, unable):
            elsewhere = bool(self._comprehension.spans(first.text))
            return self._last.recalled(unable, dialogue, first.text, context, elsewhere=elsewhere)
        question = dialogue.question(self._clock())
        if question is not None:
            first, done = await self._asked(question, first, others, dialogue, context, trace)
            if done is not None:
                return done
        if (more := await self._more(first, dialogue, trace, question)) is not None:
            return more
        return await self._new(first, others, dialogue, context, trace, question, unable)

    async def _new(
        self,
        first: Heard,
        others: Iterator[Heard],
        dialogue: Dialogue,
        context: Context,
        trace: Trace,
        after: Question | None,
        unable: str | None,
    ) -> Task | Report:
        """The same, of what is no answer: it stands for itself, or goes on from what was before in free words."""
        plain = await self._plainly.of(first, dialogue, None, context, self._clock(), trace)
        if plain is not None and plain.sure:
            return await self._said_plainly(plain.heard, dialogue, context, trace, after)
        choice, made = await self._understanding.of(first, others, context, trace)
        if plain is not None and unable is None and self._gives_way(choice, plain):
            return await self._said_plainly(plain.heard, dialogue, context, trace, after)
        if choice is None or self._is_noise(choice) or self._says_little(choice.program, context):
            if unable is not None:
                scene = self._comprehension.scene_for(unable, first.text, context.lang)
                return nothing(first.text, unable) if scene is None else Task(scene, heard=first.confidence)
            if choice is None or self._is_noise(choice):
                named = self._comprehension.scene_in(first.text, context.lang)
                if named is not None and not self._thresholds.is_doubtful(first.confidence):
                    return Task(named, heard=first.confidence)
                return self._named(first, made, context, trace) or self._last.lost(first, made, context)
        return self._taken(choice, first.text, dialogue, context.lang, self._clock())

    async def _asked(
        self,
        question: Question,
        first: Heard,
        others: Iterator[Heard],
        dialogue: Dialogue,
        context: Context,
        trace: Trace,
    ) -> tuple[Heard, Task | Report | None]:
        """What was said, less its talk; and what comes of it while a question is open, None where it is no answer."""
        answer, first, heard = await self._answers.of(question, first, others, trace)
        # What was asked beside an act may be left alone, and that gone on from.
        beside = question.reason == STILL_OFF and answer.kind in ("misheard", "target", "other")
        more = await self._more(first, dialogue, trace) if beside else None
        dialogue.answer()
        if more is not None:
            return first, more
        if answer.kind == "no":
            await self._teaching.declined(question, context.speaker)
        if answer.kind in ("no", "cancel"):
            dialogue.mention(question.named or self._last.named(first.text, context), self._clock())
        question = replace(question, heard=min(question.heard, heard))
        if answer.kind == "misheard" and not self._thresholds.is_doubtful(first.confidence):
            return first, await self._unread(question, first, dialogue, context, trace)
        return first, self._settling.answered(question, answer) if answer.kind != "other" else None

    async def _more(
        self, first: Heard, dialogue: Dialogue, trace: Trace, after: Question | None = None
    ) -> Task | Report | None:
        """What goes on from what was done or kept just before, said as it is or with talk around it; else None.

        What was asked about something else lies between this and what was done before.
        """
        now = self._clock()
        other = after is not None and (isinstance(after.clause, Timer) or bool(after.about))
        if after is not None and other and not set(after.about) & set(dialogue.last):
            return None
        if (more := self._going_on(first, dialogue, now)) is not None:
            return more
        if not (dialogue.just_spoken(now) or dialogue.just_planned(now)) or any(map(is_whole, first.readings[:1])):
            return None
        if dialogue.pending is not None and (more := self._remarked(first, dialogue, now)) is not None:
            return more
        if (more := self._replanned(first, dialogue, now)) is not None:
            return more
        async for less in self._understanding.bare(first, trace):
            if (more := self._going_on(less, dialogue, now) or self._remarked(less, dialogue, now)) is not None:
                return more
        return None

    def _going_on(self, first: Heard, dialogue: Dialogue, now: float) -> Task | Report | None:
        """What is meant only together with what was done or kept just before; None where it stands for itself."""
        said, named = first.readings, partial(self._comprehension.named, lang=first.lang)
        instead = of_list(said, dialogue, now) or self._others.of(first.text, said, dialogue, named, now)
        if instead is None:
            going_on = (continued(reading, dialogue, self._registry, now, named) for reading in said)
            instead = next((Revision(program) for program in going_on if program is not None), None)
        if instead is None:
            step = dialogue.just_acted(now) and said and is_step(said[0].clauses[0])
            return nothing(first.text) if step else None
        if not instead.program.clauses:
            return Report("reject", (say("later.say_again"),))
        instead = self._others.settled(instead, dialogue)
        return Task(instead.program, instead.settled, first.confidence, whole=True)

    def _replanned(self, first: Heard, dialogue: Dialogue, now: float) -> Task | None:
        """What several things that are said of what was just kept come to, between commas and with talk among them."""
        planned, known = dialogue.just_planned(now), self._comprehension
        if planned is None or "," not in first.text:
            return None
        base, lang = base_of(planned, dialogue, self._registry, now), first.lang

        def concerns(words: str) -> bool:
            return known.concerns(words) or known.depends(words)

        named = partial(known.named, lang=lang)
        made = in_a_row(first.text, base, partial(known.read_text, lang=lang), named, concerns)
        program = replace(planned, clauses=made or (), source="dialogue")
        return Task(program, {}, first.confidence, whole=True) if made else None

    def _remarked(self, said: Heard, dialogue: Dialogue, now: float) -> Task | Report | None:
        """What a remark about what was just done comes to; None where it is none."""
        program = said.readings[0] if said.readings else None
        move = program.sole if program is not None else None
        if program is None or not isinstance(move, DialogueMove) or move.move not in ("undo", "correct"):
            return None
        return self._taken(Choice(program, said.confidence), said.text, dialogue, said.lang, now)

    async def _said_plainly(
        self, plain: Heard, dialogue: Dialogue, context: Context, trace: Trace, after: Question | None
    ) -> Task | Report:
        """What plain words come to that goes on from what was before, or stands for itself."""
        if (more := await self._more(plain, dialogue, trace, after)) is not None:
            return more
        choice, _ = await self._understanding.of(plain, iter(()), context, trace)
        if choice is None or self._is_noise(choice):
            return nothing(plain.text)
        return self._taken(choice, plain.text, dialogue, context.lang, self._clock())

    async def _unread(
        self, question: Question, first: Heard, dialogue: Dialogue, context: Context, trace: Trace
    ) -> Task | Report:
        """What is something new to the model, where nobody reads an answer of it; else the question once more.

        After a question about what nobody understood, it need not be sure, and another thing may be asked about.
        """
        plain = await self._plainly.of(first, dialogue, question, context, self._clock(), trace)
        if plain is not None:
            answer, *_ = await self._answers.of(question, plain.heard, iter(()), trace)
            if answer.kind != "misheard":
                if answer.kind in ("no", "cancel"):
                    dialogue.mention(question.named, self._clock())
                if answer.kind != "other":
                    return self._settling.answered(question, answer)
                return await self._said_plainly(plain.heard, dialogue, context, trace, question)
        deed = question.reason == DEED
        choice, made = await self._understanding.of(replace(first, readings=()), iter(()), context, trace)
        new = choice is not None and (deed or self._answers.is_command(choice.program))
        if choice is not None and new and not self._is_noise(choice):
            return self._taken(choice, first.text, dialogue, context.lang, self._clock())
        other = self._named(first, made, context, trace) if deed else None
        if other is not None and other.question is not None and other.question.options != question.options:
            return other
        return self._settling.answered(question, Answer("misheard"))

    def _named(self, first: Heard, made: Compiled | None, context: Context, trace: Trace) -> Report | None:
        """The question about the one thing that was named, where it was heard well."""
        return None if self._thresholds.is_doubtful(first.confidence) else self._last.ask(first, made, context, trace)

    def _gives_way(self, choice: Choice | None, plain: Plain) -> bool:
        """Whether a reading is no command, or a mere need, and "too loud" is said of what was spoken of."""
        if choice is None or not self._answers.is_command(choice.program):
            return True
        if self._understanding.is_no_timer(choice.program, choice.program.text):
            return True  # so much later, or for so long, and no timer that nobody asked for
        return plain.slight and all(isinstance(item, Order) and item.implicit for item in choice.program.clauses)

    def _says_little(self, program: Program, context: Context) -> bool:
        """Whether it is talk, an answer to nothing, or a guess of what nothing here is called or can do."""
        talk = all(isinstance(item, Chat) or getattr(item, "move", None) == "time" for item in program.clauses)
        return talk or (program.is_guess and not self._readings.possible(program, context))

    def _is_noise(self, choice: Choice) -> bool:
        return self._thresholds.is_noise(min(choice.heard, choice.program.confidence))

    def _taken(self, choice: Choice, text: str, dialogue: Dialogue, lang: str, now: float) -> Task | Report:
        """What a reading is about, after what was done before."""
        said = choice.program.sole
        move = said.move if isinstance(said, DialogueMove) else None
        if said is not None and move == "correct":
            found = revision(said, text, dialogue, self._registry, now)
            if found is not None:
                found = self._others.settled(found, dialogue)
                return Task(found.program, found.settled, choice.heard, whole=True)
        if move == "follow":
            found = another_too(choice.program, dialogue, now)
            if found is not None:
                return Task(found.program, found.settled, choice.heard, whole=True, answered=dialogue.answered)
        if move == "always" and dialogue.choice is not None:
            return self._always(choice, dialogue.choice, dialogue.outcomes, lang)
        read = partial(self._comprehension.read_text, lang=choice.program.lang)
        return Task(anew(reminded(asked_anew(choice.program), dialogue, read, now), dialogue, now), heard=choice.heard)

    def _always(self, choice: Choice, habit: Habit, outcomes: Sequence[Outcome], lang: str) -> Task | Report:
        """What was chosen on the way to the last act is to be taken always: learnt only of what worked."""
        if not all(item.status == "done" for item in outcomes):
            return Report("reject", (say("learn_not_done"),))
        if (entity := self._registry.get(habit.entity)) is not None and is_risky(entity):
            return replace(self._teaching.question(replace(habit, always=True), lang, "learn_risk"), outcome="clarify")
        settled = {0: Settled(confirmed=(habit.entity,))}
        program = self._teaching.program(habit, lang)
        return Task(program, settled, choice.heard, choice=replace(habit, always=True))


def _asks_more(first: Heard, unable: str) -> bool:
    """Whether it asks how things are, or says more than who did it: "who left the light on", "..., turn it off"."""
    read = first.readings[0].clauses if first.readings else ()
    if unable == WHO:
        return "," in first.text or any(isinstance(clause, Inquiry) for clause in read)
    return any(isinstance(clause, AboutAgenda | AboutList | Timer) for clause in read)  # "what was planned before ten"
