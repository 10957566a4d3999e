"""How sure each kind of evidence makes a reading: the table `rules/confidence.yaml`, fitted by `benchmarks.confidence`.

A part of a clause is as sure as its evidence, a clause as its least sure part, a program as its least sure clause. No
two entries are alike, so that a confidence also tells its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from daemon.core.errors import ConfigError
from daemon.core.ir import AboutList, Broadcast, Chat, Clause, Help, Timer, Unread
from daemon.core.values import replace
from daemon.system.nodes import read_yaml

FILE = "confidence.yaml"
_SECTIONS = ("fitted", "decided")


@dataclass(frozen=True, slots=True)
class Confidences:
    """One value for each kind of evidence, 0 to 1."""

    name: float
    """A name of this home."""
    kind: float
    """A kind of thing, alone or in a place of this home: "the lights", "the kitchen lamp"."""
    room: float
    """A room that this home does not name."""
    described: float
    """A name that nobody knows and that says what it is: "the sparkly lamp"."""
    unknown: float
    """A name of up to three words (six characters of Chinese) that nobody knows: "the thingamajig"."""
    unknown_long: float
    """The same of up to five words."""
    unknown_longest: float
    """The same of more."""
    syllable: float
    """One character that nobody knows: 把书合上 is about no lamp, whatever resembles it."""
    asked_unknown: float
    """A question about a name that nobody knows: "how is the cat"."""
    found: float
    """A name that is nobody's as it was heard, where this home has something that is called like it."""
    not_found: float
    """The same where it has not."""
    nameless: float
    """A command that names nothing: "volume up"."""
    pronoun: float
    """A command or a question about "it", "that", "them"."""
    place: float
    """A command to a place of which no kind is said: "turn off the bedroom"."""
    title: float
    """Something to play that nobody says the sort of: "play checkers"."""
    title_sort: float
    """Something to play whose sort was said: "play the album ..."."""
    unsaid: float
    """An "it" that nobody said: "close the curtain and set the volume to 30"."""
    common: float
    """What a setting of this home is called is meant in the sense that everybody knows: a countdown, a timer."""
    leaning: float
    """A part of a sentence that takes its verb or its target from the part before."""

    assembled: float
    """A sentence that was put together from its parts, all of which have a place."""
    chat: float
    """Talk."""
    low: float
    """A guess by its words: a bare name, a polite "it is too dark in here"; marked `sure__low` in the grammar."""
    implicit: float
    """A need or a complaint."""
    either: float
    """One thing or another, one value or another: only the speaker knows which."""
    half: float
    """Half a command: "on the TV"; a bare number for a room; marked `sure__half`."""
    some: float
    """A bare value, "20 degrees"; marked `sure__some`."""
    misheard: float
    """The factor of a reading of words that were written as they sound."""
    other: float
    """The factor of another reading of the same words, which is to win only where the home can make more of it."""

    @property
    def unknowns(self) -> tuple[float, ...]:
        """Of names that nobody knows and that do not say what they are, by their length."""
        return self.unknown, self.unknown_long, self.unknown_longest

    @property
    def strange(self) -> tuple[float, ...]:
        """Of all names that nobody knows, until the home was asked."""
        return self.described, self.asked_unknown, *self.unknowns

    def guessed(self, confidence: float) -> bool:
        """Whether a reading as sure as this rests on a name that nobody knows, or on less."""
        return confidence in self.strange or confidence <= self.some

    def improvable(self, confidence: float) -> bool:
        """Whether a reading as sure as this rests on so little that its parts may say more."""
        return confidence in (*self.strange, self.some, self.half, self.either, self.low)

    @classmethod
    def load(cls, file: Path) -> Confidences:
        """The table of a file.

        Raises:
            ConfigError: it cannot be read, lacks an entry, has one too many or twice the same value.
        """
        root = read_yaml(file)
        sections = root.mapping(_SECTIONS)
        entries = {key: value for name in sections for key, value in sections[name].mapping().items()}
        known = {item.name for item in fields(cls)}
        for key in sorted(set(entries) - known):
            entries[key].fail("is no evidence", "take it out")
        for key in sorted(known - set(entries)):
            raise ConfigError(file, root.line, key, "is missing", f"add `{key}: 0.5`")
        seen: dict[float, str] = {}
        for key, value in entries.items():
            if not value.number(0, 1):
                value.fail("is not above 0", f"write `{key}: 0.5`")
            if (first := seen.setdefault(value.number(), key)) != key:
                value.fail(f"is as sure as {first}", "let it differ by 0.001: a confidence tells its reason")
        return cls(**{key: value.number() for key, value in entries.items()})

    def in_home(self, clause: Clause, found: Sequence[bool]) -> Clause:
        """The clause once the home was asked about its names.

        Args:
            clause: As it was read.
            found: For each target, whether the home has something that it may mean.
        """
        strange = (*self.strange, self.not_found)
        targets = tuple(
            replace(target, confidence=self.found if there else self.not_found)
            if target.confidence in strange
            else target
            for target, there in zip(clause.targets, found, strict=True)
        )
        if isinstance(clause, AboutList | Broadcast | Timer | Help | Chat | Unread) or targets == clause.targets:
            return clause
        # Where something else than the name was least sure, it still is.
        rest = 1.0 if clause.confidence in strange else clause.confidence
        return replace(clause, targets=targets, confidence=min(rest, *(target.confidence for target in targets)))

    def reason(self, confidence: float) -> str | None:
        """The evidence that makes a reading as sure as this; None where it is none alone (another reading)."""
        return next((item.name for item in fields(self) if getattr(self, item.name) == confidence), None)
