"""A long utterance, read clause by clause: where its clauses are, and which of them are talk, a small model says.

What is left of the talk is read as if it had been said so: by the grammar, else by the tagger. What the cut takes for
talk is left out where that is sure, the surer the more the words could change what is done; what is hardly an order,
and a long story about nothing of a home, need not be told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise, repeat
from typing import Final, TypeGuard

from daemon.compiler.draft import pieces
from daemon.compiler.drafting import depending
from daemon.compiler.segmenter import TALK, Segment
from daemon.core.ir import Clause, Lang, Order, Program, Unread
from daemon.core.thresholds import Thresholds
from daemon.core.values import replace
from daemon.dialogue.cutting import comes_to_same
from daemon.dialogue.edges import Weighs, called_off, revised, timed
from daemon.dialogue.leaning import (
    Read,
    asks,
    is_whole,
    names_kinds,
    names_only_places,
    once,
    points_back,
    sentences,
    values,
)
from daemon.understand.corrections import refined
from daemon.understand.sequence import along, at_the_time_of, in_order

_STORY: Final = 10
"""Words, or Chinese characters, of talk that is not repeated."""
_HARDLY_TALK: Final = 0.05
"""What is less likely talk than this is told, if nobody understands it."""

About = Callable[[Program, str], Program | None]
"""What a program that does not say what it is about means behind this talk; None where that does not tell."""


class Piecewise:
    """Reads utterances that a segmenter has cut.

    Args:
        thresholds: How sure of talk the model must be.
        weighs: What words may change.
    """

    def __init__(self, thresholds: Thresholds, weighs: Weighs) -> None:
        self._thresholds = thresholds
        self._weighs = weighs

    def kept(self, text: str, segments: Sequence[Segment], read: Read) -> tuple[Segment, ...]:
        """The clauses less the talk; what is said of the time right before a request is of it.

        So is what is said instead right behind it: "volume fifty | er, forty, the baby is asleep".
        """
        kept: list[Segment] = []
        left: Segment | None = None
        segments = [part for item in segments for part in called_off(text, item, read)]
        for before, item in pairwise((None, *segments)):
            assert item is not None
            if item.sort == TALK and kept and before is not None and kept[-1].end == before.end and before.sort != TALK:
                kept[-1] = replace(kept[-1], end=revised(text, kept[-1], item, read, self._weighs))
                item = replace(item, start=max(item.start, kept[-1].end))  # noqa: PLW2901 - the rest of it
            words = text[item.start : item.end]
            asked = text[before.start : before.end] if before is not None and before.sort != TALK else ""
            if not words or (
                self._is_talk(words, item)
                and not self._may_take_back(words, item, asked, read)
                and not any(map(self._sets, words.split(","), repeat(read)))
            ):
                left = item
                continue
            start = timed(text, left, item, read, self._weighs) if left is not None else item.start
            kept.append(replace(item, start=start))
            left = None
        return tuple(kept)

    def _may_take_back(self, words: str, item: Segment, asked: str, read: Read) -> bool:
        """Whether talk right behind what was asked for may take it back, or say another number for it.

        People say so in more ways than a model has heard of: "to sixty | hold on the leaflet here says fifty".
        """
        if item.sort != TALK or not asked or item.chance >= self._thresholds.talk_whatever:
            return False
        set_to = next(map(values, filter(is_whole, read(asked.strip(" ,")))), None) or self._weighs.amounts(asked)
        return self._weighs.unsettles(words) or bool(set_to and self._weighs.amounts(words) - set_to)

    def _sets(self, words: str, read: Read) -> bool:
        """Whether words order that something be set to a number, however they sound."""
        return bool(self._weighs.amounts(words)) and any(values(said) for said in filter(is_whole, read(words.strip())))

    def read(
        self,
        text: str,
        lang: Lang,
        kept: Sequence[Segment],
        read: Read,
        made: Mapping[str, Program],
        about: About = lambda _program, _talk: None,
    ) -> Program:
        """What these clauses of a text say; what nobody understands of them is `Unread`.

        Args:
            text: Normalized.
            lang: Its language.
            kept: Its clauses, less the talk; at least one.
            read: The grammar's readings of a text, best first.
            made: What the small model reads in clauses, where the grammar reads nothing.
            about: Tells what "it" is by the talk before it.
        """
        said = [text[item.start : item.end].strip(" ,") for item in kept]
        read_once = once(said, read, made)
        programs: list[Program] = []
        bent, lost, since = False, False, 0
        led: Clause | None = None
        for start, end in sentences(len(said), read_once):
            program = read_once(start, end)
            if program is None:
                # Another number behind one that was set: "twenty six, perhaps better twenty seven".
                last = values(programs[-1]) if programs else frozenset()
                amounts = self._weighs.amounts(said[start])
                if amounts and amounts <= last and kept[start].sort == TALK and not self._weighs.depends(said[start]):
                    continue  # "to thirty | thirty would be lovely"
                bent = bent or (bool(last) and not amounts <= last)
                bent = bent or self._may_unsettle(said[start], kept, start, programs)
                # What nobody understands may be what follows is about.
                lost = kept[start].sort != TALK and not self._is_hardly(kept[start])
                programs.append(Program((Unread(text=said[start]),), "grammar", lang))
                continue
            # What the model rather takes for talk, or is not sure of and says nothing by itself.
            odd = {
                at
                for at, item in enumerate(kept[start:end], start)
                if item.sort == TALK or (end - start > 1 and self._is_hardly(item) and read_once(at, at + 1) is None)
            }
            rest = ", ".join(said[at] for at in range(start, end) if at not in odd)
            # What the grammar leaves out, too, says nothing, whatever it is.
            told = bool(odd) and not any(comes_to_same(other, program) for other in (read(rest) if rest else ()))
            # "Blinds like this: ..., the bedroom half": of what was taken for talk, or not understood.
            if points_back(program) and (lost or self._weighs.names(text[since : kept[start].start])):
                program, doubtful = _meant(program, programs, text[: kept[start].start], about)
                told = told or doubtful
            bent = bent or told or (names_only_places(program) and any(map(names_kinds, programs)))
            bent = bent or any(map(self._is_rather_talk, kept[start:end]))
            lost, since = False, kept[end - 1].end
            program, led = self._led(program, said[start], led)
            programs.append(program)
        found = _together(self._hanging(programs))
        return replace(found, confidence=self._thresholds.doubted(found.confidence)) if bent else found

    def _may_unsettle(self, words: str, kept: Sequence[Segment], at: int, before: Sequence[Program]) -> bool:
        """Whether a clause that nobody understands may take back, or limit, what stands beside it."""
        asked, item = any(map(asks, before)), kept[at]
        if not asked and self._is_talk_first(item):
            return False
        heard = item.sort != TALK or self._is_hardly(item) or (at > 0 and kept[at - 1].sort != TALK)
        # Talk in front of all of it may only say when, or on what condition.
        unsettles = (asked or item.sort != TALK) and self._weighs.unsettles(words)
        return heard and (unsettles or (not asked and self._weighs.fronts(words)))

    def _led(self, program: Program, said: str, giver: Clause | None) -> tuple[Program, Clause | None]:
        """The same, each order at the time, or on the condition, said in front of those before it; and what has that.

        "At seven the fan on, blast the radio": then both.
        """
        if giver is None or self._weighs.fronts(said):
            return program, program.clauses[-1] if self._weighs.fronts(said) else None
        then = (at_the_time_of(item, giver) if is_bare(item) else item for item in program.clauses)
        return replace(program, clauses=tuple(then)), giver

    def _hanging(self, programs: Sequence[Program]) -> Sequence[Program]:
        """The same; what stands behind words that nobody understands, and on which it depends, is marked so.

        Where nothing stands behind them, it is what stands before.
        """
        out, hangs = list[Program](), False
        for at, program in enumerate(programs):
            first = program.clauses[0]
            if isinstance(first, Unread):
                hangs = hangs or (self._weighs.leads if at + 1 < len(programs) else self._weighs.hangs)(first.text)
            elif hangs:
                program, hangs = depending(program), False  # noqa: PLW2901 - as it is meant
            out.append(program)
        return list(map(depending, out)) if hangs else out

    def idle(self, text: str, kept: Sequence[Segment]) -> frozenset[str]:
        """What of these clauses is hardly an order, and need not be told where nobody understands it.

        What changes nothing; talk in which nobody reads a request and nothing of a home is named; and whole stories,
        which nobody wants to hear again.
        """
        first = next((item.start for item in kept if item.sort != TALK), 0)
        told = [
            (text[item.start : item.end].strip(" ,"), item)
            for item in kept
            if item.sort == TALK or self._is_hardly(item)
        ]
        return frozenset(words for words, item in told if self._changes_nothing(words, item, behind=item.start > first))

    def _changes_nothing(self, words: str, segment: Segment, *, behind: bool) -> bool:
        rather = segment.chance if segment.sort == TALK else 1.0 - segment.chance
        if rather < _HARDLY_TALK:
            return False  # an order that nobody can read is no talk
        if behind and rather < self._thresholds.rather_talk and self._weighs.amounts(words):
            return False  # how much, most likely, of what was asked for
        limits = behind and self._weighs.hangs(words) and rather < self._thresholds.talk_that_bears  # "Ella's stays"
        if segment.sort == TALK and not limits and self._says_nothing(words):
            return True
        return not (self._weighs.bears(words) or self._weighs.depends(words)) and (
            rather >= self._thresholds.rather_talk or not self._weighs.names(words)
        )

    def _says_nothing(self, words: str) -> bool:
        return not self._weighs.depends(words) and (
            self._is_story(words) or not (self._weighs.unsettles(words) or self._weighs.names(words))
        )

    def _is_rather_talk(self, segment: Segment) -> bool:
        """Whether it is read as a request, and is more likely talk."""
        return segment.sort != TALK and 1.0 - segment.chance > self._thresholds.rather_talk

    def _is_story(self, words: str) -> bool:
        """Whether it is long, and about nothing that there is in a home: neither a thing nor how much of it."""
        return len(pieces(words)) >= _STORY and not self._weighs.concerns(words)

    def _is_talk_first(self, segment: Segment) -> bool:
        """Whether it is rather talk: before everything that is asked for, there is nothing that it could take back."""
        return segment.sort == TALK and segment.chance >= self._thresholds.rather_talk

    def _is_hardly(self, segment: Segment) -> bool:
        """Whether the model is not sure what it is."""
        return segment.chance < self._thresholds.talk

    def _is_talk(self, words: str, segment: Segment) -> bool:
        limits = self._thresholds
        wanted = limits.talk_that_bears if self._weighs.bears(words) else limits.talk
        return segment.sort == TALK and segment.chance >= wanted and not self._weighs.depends(words)


def _meant(program: Program, before: Sequence[Program], talk: str, about: About) -> tuple[Program, bool]:
    """What a program means by "it" behind talk, where nothing was asked for before; and whether that is doubtful.

    What was said in between may be about something else: "the AC is new, this film is boring, switch it off".
    """
    first = all(isinstance(clause, Unread) for item in before for clause in item.clauses)
    meant = about(program, talk) if first else None
    return meant or program, meant is None or about(program, talk.strip(" ,").rpartition(",")[2]) is None


def is_bare(clause: Clause) -> TypeGuard[Order]:
    """Whether it is an order for which nobody says when, or on what condition."""
    return isinstance(clause, Order) and clause.when is None and not clause.conditions


def _together(programs: Sequence[Program]) -> Program:
    """One program of several, each clause of it as sure as its own."""
    clauses = [
        replace(clause, confidence=min(clause.confidence, program.confidence))
        for program in programs
        for clause in program.clauses
    ]
    surest = max(programs, key=lambda program: program.confidence)
    return replace(surest, clauses=in_order(refined(along(clauses))))
