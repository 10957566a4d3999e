"""Two models draft an utterance one after the other: whether they say the same, and how likely it is right.

And whether they leave out what the command depends on: `rules/<lang>/conditions.yaml`.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from daemon.compiler.calibration import Calibration, Prefers
from daemon.compiler.draft import Draft, outside
from daemon.compiler.filling import Filling
from daemon.compiler.gbnf import Refused
from daemon.compiler.tagger import NO_SIGNS, Guess
from daemon.core.errors import ConfigError, DraftRefused
from daemon.core.ir import Inquiry, Lang, Order, Program
from daemon.core.values import replace
from daemon.system.languages import optional, written_in_han
from daemon.system.nodes import read_yaml
from daemon.understand import sequence
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized

_LOG = logging.getLogger(__name__)
_TRIES: Final = 2
_LONG: Final = {True: 4, False: 12}
"""Characters of a name that is hardly anything else, by whether they are Chinese."""


class Tagging(Protocol):
    """What drafts first: the tagger, or whatever takes its place."""

    def guess(self, text: str) -> Guess:
        """What a normalized utterance may say."""


class Writing(Protocol):
    """What drafts second, and may be told what was wrong."""

    def guess(self, said: Normalized, names: NameTable, refused: AbstractSet[Refused], deadline: float) -> Guess:
        """What an utterance may say, less what was refused. Raises what it likes; ModelLate after the deadline."""


class Drafted(Struct, frozen=True):
    """What one model says of an utterance, and what came of it."""

    guess: Guess
    program: Program | None = None
    """None where it is a verdict, or nothing can be made of it."""
    timid: bool = False
    """Whether nobody is to act by it without a yes, however likely it is."""

    @property
    def draft(self) -> Draft | None:
        """The draft, if it says something: a verdict, or what a program was made of."""
        draft = self.guess.draft
        return draft if draft is not None and (draft.verdict or self.program is not None) else None

    @property
    def asks(self) -> bool:
        """Whether it only asks how things are."""
        return self.program is not None and all(isinstance(clause, Inquiry) for clause in self.program.clauses)

    def same(self, other: Drafted) -> bool:
        """Whether both do the same, or both nothing."""
        if self.draft is None or other.draft is None:
            return False
        if self.program is None or other.program is None:
            return self.program is other.program
        return self.program.clauses == other.program.clauses


class Drafting:
    """Makes programs of what the models say."""

    def __init__(self, filling: Filling, conditions: Conditions) -> None:
        self._filling = filling
        self._conditions = conditions

    def tagged(self, tagger: Tagging, said: Normalized, names: NameTable) -> Drafted:
        """What the first model says."""
        return self.drafted(tagger.guess(said.text), said, names)

    def drafted(self, guess: Guess, said: Normalized, names: NameTable) -> Drafted:
        """What becomes of a guess."""
        return self._drafted(guess, self._program(guess, said, names)[0], said, names)

    def written(self, decoder: Writing, said: Normalized, names: NameTable, deadline: float) -> Drafted:
        """What the second model says, at its second try where nothing could be made of the first.

        Raises:
            ModelLate: the deadline has passed.
            Exception: whatever else the model raises.
        """
        refused: frozenset[Refused] = frozenset()
        drafted = Drafted(Guess(None, ""))
        for _ in range(_TRIES):
            guess = decoder.guess(said, names, refused, deadline)
            program, wrong = self._program(guess, said, names)
            drafted = self._drafted(guess, program, said, names)
            if wrong is None:
                break
            refused |= {Refused(wrong.name, wrong.words, wrong.problem)}
        return drafted

    def _drafted(self, guess: Guess, program: Program | None, said: Normalized, names: NameTable) -> Drafted:
        if guess.draft is None or program is None:
            return Drafted(guess)
        left_out = self._conditions.left_out(said.text, said.lang, guess.draft)
        timid = self._filling.is_timid(guess.draft, said) and not _names_scene(program, names, said.lang)
        timid = timid or left_out or self._filling.overlooks(guess.draft, said)
        if self._conditions.asks(said.text, said.lang):
            program = _asked(program)
        return Drafted(guess, depending(program) if left_out else program, timid=timid)

    def _program(self, guess: Guess, said: Normalized, names: NameTable) -> tuple[Program | None, DraftRefused | None]:
        if guess.draft is None or guess.draft.verdict is not None:
            return None, None
        try:
            return self._filling.program(guess.draft, said, names), None
        except DraftRefused as error:
            _LOG.debug("a draft that says nothing: %s", error)
            return None, error


def _names_scene(program: Program, names: NameTable, lang: Lang) -> bool:
    """Whether a scene is called by a name that is hardly said of anything else: "movie night", but not "dinner"."""
    mentions = (target.mention for clause in program.clauses for target in getattr(clause, "targets", ()))
    return any(
        mention is not None
        and "scene" in names.roles(mention)
        and (" " in mention or len(mention) >= _LONG[lang in written_in_han()])
        for mention in mentions
    )


def _asked(program: Program) -> Program:
    """The program of what was a question: how that is which it would do something with. Nobody asked for an act."""
    clauses = tuple(
        Inquiry("state", clause.targets, clause.excluded, confidence=clause.confidence)
        if isinstance(clause, Order)
        else clause
        for clause in program.clauses
    )
    return replace(program, clauses=clauses)


def depending(program: Program) -> Program:
    """The program of which something was not understood that it depends on."""
    return replace(program, clauses=tuple(map(sequence.depending, program.clauses)))


class Weighed(Struct, frozen=True):
    """The draft to go by, and how likely it is right."""

    drafted: Drafted
    chance: float
    act: float
    """From this chance on it is taken as said."""
    ask: float
    """From this one on it is asked back."""


def weighed(
    tagged: Drafted, curve: Calibration, written: Drafted | None = None, both: Calibration | None = None
) -> Weighed:
    """Which draft to go by.

    Args:
        tagged: What the first model says.
        curve: How sure that is alone.
        written: What the second says, where there is one.
        both: How sure the two are together. Without it the second can only object: what it contradicts is asked back
            at most, and where it hears nothing for us, nothing is done. What it can say nothing of, it contradicts.
    """
    if written is None:
        return Weighed(tagged, curve.chance(tagged.guess.signs), curve.act, curve.ask)
    same = tagged.same(written)
    if both is None or written.draft is None:
        chance = curve.chance(tagged.guess.signs)
        silent = written.draft is not None and written.draft.verdict is not None
        if same or not silent:
            return Weighed(tagged, chance, curve.act if same else math.inf, curve.ask)
        return Weighed(tagged, 0.0, math.inf, math.inf)
    chosen = followed(tagged, written, both.prefers)
    return Weighed(chosen, both.chance(signs_of(tagged, written, same=same)), both.act, both.ask)


def followed(tagged: Drafted, written: Drafted, prefers: Prefers) -> Drafted:
    """The one of two drafts that counts: the preferred one, if it says something."""
    first, second = (written, tagged) if prefers == "decoder" else (tagged, written)
    return first if first.draft is not None else second


def signs_of(tagged: Drafted, written: Drafted, *, same: bool) -> tuple[float, ...]:
    """All that speaks for a draft that two models have made."""
    return (*(tagged.guess.signs or NO_SIGNS), *written.guess.signs, float(same))


def surely_silent(tagged: Drafted, written: Drafted | None) -> float:
    """How likely it is, 0 to 1, that nothing is to be done: as the first model finds, if no second hears a command."""
    draft = tagged.draft
    other = written.guess.draft if written is not None else None
    if draft is None or draft.verdict is None or (other is not None and other.verdict is None):
        return 0.0
    return min(1.0, math.exp(tagged.guess.signs[0])) if tagged.guess.signs else 0.0


FILE: Final = "conditions.yaml"
_KEYS: Final = ("depends", "measures", "harmless", "framing", "otherwise", "spares", "asks", "begins", "polite")
_DIGIT: Final = re.compile("[0-9]")
_NONE: Final = re.compile("(?!)")
_AMOUNTS: Final = frozenset({"n", "duration", "time"})
"""Slots for how much, how long and when."""
_SPARED: Final = "but"


class Conditions:
    """Tells whether a draft leaves out what the command depends on.

    Args:
        words: By language, where it has any, a pattern for each of `_KEYS`; the head of the file says what they are.
    """

    def __init__(self, words: Mapping[Lang, Mapping[str, re.Pattern[str]]]) -> None:
        self._words = words

    @classmethod
    def load(cls, rules: Path) -> Conditions:
        """Those of the folder of rules; a language without such a file has none.

        Raises:
            ConfigError: a file is wrong; says the line.
        """
        found: dict[Lang, dict[str, re.Pattern[str]]] = {}
        for lang, file in optional(rules, FILE).items():
            root = read_yaml(file)
            words = root.mapping(_KEYS)
            for key in _KEYS:
                if key not in words:
                    raise ConfigError(file, root.line, key, "is missing", "see the head of the file")
                found.setdefault(lang, {})[key] = _pattern([word.text() for word in words[key].sequence()])
        return cls(found)

    def left_out(self, text: str, lang: Lang, draft: Draft) -> bool:
        """Whether something is said that it depends on, an amount, or what is spared, and the draft has none of it."""
        if not draft.parts:
            return False
        rest = self._less("harmless", outside(draft, text), lang)
        spares = any(item.slot == _SPARED for part in draft.parts for item in part.said)
        if self._has("otherwise", rest, lang) or (not spares and self._has("spares", rest, lang)):
            return True
        if any(part.frames for part in draft.parts):
            # A frame has words of its own: one, which "unless" and its like never are.
            return self._has("depends", self._less("framing", rest, lang, most=1), lang)
        amounts = any(item.slot in _AMOUNTS for part in draft.parts for item in part.said)
        amount = not amounts and (self._has("measures", rest, lang) or _DIGIT.search(rest) is not None)
        return amount or self._has("depends", rest, lang)

    def asks(self, text: str, lang: Lang) -> bool:
        """Whether a normalized utterance is a question, and no polite one that a command may be."""
        rest = self._less("polite", text, lang).strip()
        return self._has("asks", rest, lang) or self._of("begins", lang).match(rest) is not None

    def _of(self, key: str, lang: Lang) -> re.Pattern[str]:
        return self._words.get(lang, {}).get(key, _NONE)

    def _has(self, key: str, text: str, lang: Lang) -> bool:
        return self._of(key, lang).search(text) is not None

    def _less(self, key: str, text: str, lang: Lang, *, most: int = 0) -> str:
        return self._of(key, lang).sub(" ", text, count=most)


def _pattern(words: list[str]) -> re.Pattern[str]:
    # No word: nothing is found.
    either = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) or "(?!)"
    return re.compile(rf"(?<![a-z0-9'])(?:{either})(?![a-z0-9'])")
