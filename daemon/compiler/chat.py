"""A larger model that was made for conversation, asked for a draft: what never changes first, to be read once."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from daemon.compiler.decoder import MOST
from daemon.compiler.gbnf import Refused, plain
from daemon.compiler.llama import Llama
from daemon.compiler.meanings import Meaning, Meanings
from daemon.system.nodes import read_yaml
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized

FILE: Final = "chat.yaml"
_LONGEST: Final = 512
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


@dataclass(frozen=True, slots=True)
class Conversation:
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
        told = read_yaml(rules / FILE).into(_Told)
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
        llama.open(len(self._head) + _LONGEST + len(self._tail) + MOST)
        llama.hold(self._head)

    def tokens(self, said: Normalized, names: NameTable, refused: AbstractSet[Refused]) -> list[int] | None:
        """The question in tokens; None where the utterance is too long for a command."""
        if self._last[:2] != (said.text, names):  # one utterance is asked about several times
            self._last = (said.text, names, tuple(plain(name) for name in names.nearby(said.text, _NAMES)))
        told = list(self._last[2])
        while True:
            tokens = self._llama.tokens(self._conversation.asked(plain(said.text), told, refused))
            if len(tokens) <= _LONGEST:
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
