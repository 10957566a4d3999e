"""The decoder: an utterance -> the text of a draft, written token by token within a grammar, and how sure it was."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final, Protocol

from daemon.compiler.draft import led, parse
from daemon.compiler.gbnf import DraftGrammar, Refused, plain
from daemon.compiler.llama import Llama, Token
from daemon.compiler.meanings import Meanings
from daemon.compiler.tagger import Guess
from daemon.core.errors import IRError, ModelCorrupt
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized

FILE: Final = "compiler.gguf"
_ROOM: Final = 192
"""Tokens that our own decoder was trained on."""
SIGNS: Final = 4
_LONGEST: Final = 96
"""Tokens of an utterance; no command is longer."""
MOST: Final = 64
"""Tokens of a draft."""
_START, _ASK = "<start>", "<=>"
_FLOOR: Final = -12.0


class Prompt(Protocol):
    """How a model is asked for a draft."""

    def tokens(self, said: Normalized, names: NameTable, refused: AbstractSet[Refused]) -> Sequence[int] | None:
        """The question in tokens; None where the utterance is too long for a command."""


class Decoder:
    """A language model that writes drafts. For one thread at a time.

    Args:
        llama: What writes.
        prompt: How it is asked.
        grammar: What may be written of an utterance.
        meanings: What can be meant.
    """

    def __init__(self, llama: Llama, prompt: Prompt, grammar: DraftGrammar, meanings: Meanings) -> None:
        self._llama = llama
        self._prompt = prompt
        self._grammar = grammar
        self._meanings = meanings

    def guess(self, said: Normalized, names: NameTable, refused: AbstractSet[Refused], deadline: float) -> Guess:
        """What an utterance may say, less what was refused of it before.

        Its signs are logarithms of probabilities: of the first meaning; of all other closed words together and of the
        end; of the least sure token of the words for slots; of all tokens on average.

        Raises:
            ModelLate: the deadline, by `time.monotonic()`, has passed.
            ModelError: it fails.
        """
        prompt = self._prompt.tokens(said, names, refused)
        if prompt is None:
            return _none()
        written = self._llama.write(prompt, self._grammar.text(said.text, refused), MOST, deadline)
        if written[-1].piece:
            return _none()  # it breaks off
        try:
            draft = parse(b"".join(token.piece for token in written).decode(), self._meanings)
        except (IRError, UnicodeDecodeError):  # llama.cpp takes a character that is written in too many bytes
            return _none()
        return Guess(draft, draft.verdict or draft.parts[0].meaning, _signs(written))


class Bare:
    """The prompt of our own decoder: the utterance between two control tokens.

    Raises:
        ModelCorrupt: it is a model of others, or was trained for other meanings.
    """

    def __init__(self, llama: Llama, meanings: Meanings, file: Path) -> None:
        self._llama = llama
        llama.open(_ROOM)
        self._start, self._ask = (llama.tokens(word, control=True) for word in (_START, _ASK))
        if len(self._start) != 1 or len(self._ask) != 1:
            raise ModelCorrupt(f"{file}: no decoder of ours")
        if any(len(llama.tokens(word, control=True)) != 1 for word in meanings.words):
            raise ModelCorrupt(f"{file}: trained for other meanings; train it again (`make train`)")

    def tokens(self, said: Normalized, names: NameTable, refused: AbstractSet[Refused]) -> list[int] | None:  # noqa: ARG002 - a small model learns nothing from either
        """The question in tokens; None where the utterance is too long for a command."""
        tokens = self._llama.tokens(led(plain(said.text)))
        return [*self._start, *tokens, *self._ask] if len(tokens) <= _LONGEST else None


def _signs(written: Sequence[Token]) -> tuple[float, ...]:
    closed: list[float] = []
    words: list[float] = []
    inside = False
    for token in written:
        if not token.piece or (b"<" in token.piece and not inside):
            closed.append(token.log)
        elif inside:
            closed[-1] += token.log
        else:
            words.append(token.log)
        if b"<" in token.piece or b">" in token.piece:
            inside = token.piece.rfind(b"<") > token.piece.rfind(b">")
    logs = [token.log for token in written]
    found = (closed[0], sum(closed[1:]), min(words, default=0.0), sum(logs) / len(logs))
    return tuple(max(item, _FLOOR) for item in found)


def _none() -> Guess:
    return Guess(None, "", (_FLOOR,) * SIGNS)
