"""The decoder, and a model made for conversation: an utterance -> the text of a draft in a grammar, how sure it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct, field

from daemon.compiler.draft import led, parse
from daemon.compiler.gbnf import DraftGrammar, Refused, plain
from daemon.compiler.llama import Llama, Token
from daemon.compiler.meanings import Meaning, Meanings
from daemon.compiler.tagger import Guess
from daemon.core.errors import IRError, ModelCorrupt
from daemon.system.nodes import read_yaml
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
    """A language model that writes drafts. For one thread at a time."""

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


_FILE: Final = "chat.yaml"
_LONGEST_SAID: Final = 512
"""Tokens of what is asked each time."""
_NAMES: Final = 10
"""Things of the home that it is told of, at the most."""
_MARK: Final = "\uf8ff"
"""Stands for what is asked in the model's own form of a conversation."""


class _Told(Struct, frozen=True, forbid_unknown_fields=True):
    system: str
    examples: tuple[tuple[str, str], ...]
    """What was said, and its draft."""
    home: str
    said: str
    wrong: str = field(name="not")


class Conversation(Struct, frozen=True):
    """What a model is told: `rules/chat.yaml` with all meanings."""

    system: str
    home: str
    said: str
    wrong: str

    @classmethod
    def load(cls, rules: Path, meanings: Meanings) -> Conversation:
        """What this folder says.

        Raises:
            ConfigError: the file is missing or wrong.
        """
        told = read_yaml(rules / _FILE).into(_Told)
        examples = [f"{said}\n{draft}" for said, draft in told.examples]
        system = [told.system.strip(), *chain.from_iterable(_told(meanings)), *examples]
        return cls("\n".join(system), told.home, told.said, told.wrong)

    def asked(self, said: str, names: list[str], refused: AbstractSet[Refused]) -> str:
        """What changes with each utterance."""
        lines = [f"{self.home}{', '.join(names)}"] if names else []
        lines += [f"{self.wrong}{item.why}" for item in sorted(refused, key=lambda item: item.why)]
        return "\n".join([*lines, f"{self.said}{said}"])


class Chat:
    """The prompt of a conversation. Making it reads what never changes, which takes a while.

    Raises:
        ModelError: the model has no form of conversation that llama.cpp knows, or cannot be read.
    """

    def __init__(self, llama: Llama, conversation: Conversation) -> None:
        self._llama = llama
        self._conversation = conversation
        self._last: tuple[str, NameTable, tuple[str, ...]] = ("", NameTable(), ())
        head, _, tail = llama.conversation(conversation.system, _MARK).partition(_MARK)
        self._head = llama.tokens(head, control=True, start=True)
        self._tail = llama.tokens(tail, control=True)
        llama.open(len(self._head) + _LONGEST_SAID + len(self._tail) + MOST)
        llama.hold(self._head)

    def tokens(self, said: Normalized, names: NameTable, refused: AbstractSet[Refused]) -> list[int] | None:
        """The question in tokens; None where the utterance is too long for a command."""
        if self._last[:2] != (said.text, names):  # one utterance is asked about several times
            self._last = (said.text, names, tuple(plain(name) for name in names.nearby(said.text, _NAMES)))
        told = list(self._last[2])
        while True:
            tokens = self._llama.tokens(self._conversation.asked(plain(said.text), told, refused))
            if len(tokens) <= _LONGEST_SAID:
                return [*self._head, *tokens, *self._tail]
            if not told:
                return None
            told.pop()  # the least likely: rather one name less than no answer


def _told(meanings: Meanings) -> Iterator[list[str]]:
    for title, every in (("Meanings:", meanings.commands), ("Frames:", meanings.frames)):
        yield [title, *(_line(item) for item in every)]


def _line(meaning: Meaning) -> str:
    slots = "".join(f" <{slot}>" for slot in meaning.slots)
    about = meaning.about.translate(str.maketrans("{}", "<>"))
    return f"<{meaning.id}>{slots}: {about}"
