"""llama.cpp: a GGUF file -> text that keeps to a grammar, with the probability of each of its tokens. One thread."""

from __future__ import annotations

import ctypes
import math
import time
import weakref
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from daemon.core.errors import ModelCorrupt, ModelError, ModelLate
from daemon.system.config import make

_STEP: Final = 64
"""So many tokens of a prompt are read between two looks at the clock."""
_FEW: Final = 64
"""So many tokens the grammar looks at before it looks at all; with a large vocabulary that takes long."""
_LITTLE: Final = -20.0
"""The logarithm of a probability that is as good as none."""

_Floats = NDArray[np.float32]


class Token(Struct, frozen=True):
    """One token that was written: its bytes, and the logarithm of its probability before the grammar had its say."""

    piece: bytes
    log: float


class Llama:
    """A loaded model. For one thread at a time; `open` comes before `hold` and `write`.

    What two prompts have in common at their start is read once.

    Args:
        file: The GGUF file. What is in it must be trusted: llama.cpp ends the process where a file is wrong within.

    Raises:
        ModelError: llama-cpp-python is not installed.
        ModelCorrupt: the file is no model that it can load.
    """

    def __init__(self, file: Path) -> None:
        try:
            import llama_cpp
        except ImportError as error:
            raise ModelError(f"llama-cpp-python is not installed; `{make('llama')}` builds it") from error
        _quiet(llama_cpp)
        self._cpp: Any = llama_cpp
        self._file = file
        wanted = llama_cpp.llama_model_default_params()
        wanted.n_gpu_layers = 0
        self._model = llama_cpp.llama_model_load_from_file(str(file).encode(), wanted)
        if not self._model:
            raise ModelCorrupt(f"{file}: llama.cpp cannot load it")
        weakref.finalize(self, llama_cpp.llama_model_free, self._model)
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._model)
        self._size = int(llama_cpp.llama_vocab_n_tokens(self._vocabulary))
        self._row = np.zeros(self._size, np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)]))
        self._context: Any = None
        self._room = 0
        self._held: list[int] = []
        """The tokens that the context holds."""

    def open(self, room: int) -> None:
        """Makes room for a prompt and what is written after it: so many tokens at most. Once.

        Raises:
            ModelCorrupt: llama.cpp cannot.
        """
        options = self._cpp.llama_context_default_params()
        options.n_ctx, options.n_batch, options.n_ubatch = room, _STEP, _STEP
        options.n_threads = options.n_threads_batch = 1
        options.no_perf = True
        self._context = self._cpp.llama_init_from_model(self._model, options)
        if not self._context:
            raise ModelCorrupt(f"{self._file}: llama.cpp has no room for {room} tokens")
        weakref.finalize(self, self._cpp.llama_free, self._context)
        self._memory = self._cpp.llama_get_memory(self._context)
        self._room = room

    def conversation(self, system: str, user: str) -> str:
        """Two messages in the form that the model was trained on, up to where it is to answer.

        Raises:
            ModelError: it has no such form, or none that llama.cpp knows.
        """
        template = self._cpp.llama_model_chat_template(self._model, None)
        messages = (self._cpp.llama_chat_message * 2)()
        for message, (role, content) in zip(messages, (("system", system), ("user", user)), strict=True):
            message.role, message.content = role.encode(), content.encode()
        room = ctypes.create_string_buffer(4 * (len(system) + len(user)) + 1024)
        size = self._cpp.llama_chat_apply_template(template, messages, 2, 1, room, len(room)) if template else -1
        if not 0 < size <= len(room):
            raise ModelError("the model has no form of conversation that llama.cpp knows")
        return room.raw[:size].decode(errors="replace")

    def tokens(self, text: str, *, control: bool = False, start: bool = False) -> list[int]:
        """The tokens of a text.

        Args:
            text: Any text.
            control: Whether control tokens in it are read as such.
            start: Whether it begins with the token that the model wants at the start of all, if it wants one.
        """
        data = text.encode(errors="replace")
        room = (self._cpp.llama_token * (len(data) + 8))()
        count = self._cpp.llama_tokenize(self._vocabulary, data, len(data), room, len(room), start, control)
        if count < 0:
            raise ModelError(f"a text of {len(data)} bytes has too many tokens")
        return list(room[:count])

    def hold(self, prompt: Sequence[int]) -> None:
        """Reads what later prompts begin with.

        Raises:
            ModelError: it is too long, or llama.cpp fails.
        """
        if len(prompt) > self._room:
            raise ModelError(f"{len(prompt)} tokens are too many for a context of {self._room}")
        self._read(prompt, math.inf)

    def write(self, prompt: Sequence[int], grammar: str, most: int, deadline: float) -> list[Token]:
        """What it writes after a prompt: at each place the likeliest token that the grammar allows.

        Args:
            prompt: Tokens, at least one.
            grammar: GBNF; its root is `root`.
            most: So many tokens at most; the text then breaks off.
            deadline: By `time.monotonic()`.

        Raises:
            ModelLate: the deadline has passed.
            ModelError: the prompt is too long, or llama.cpp fails.
        """
        if len(prompt) + most > self._room:
            raise ModelError(f"a prompt of {len(prompt)} tokens is too long for a context of {self._room}")
        sampler = self._cpp.llama_sampler_init_grammar(self._vocabulary, grammar.encode(errors="replace"), b"root")
        if not sampler:
            raise ModelError("llama.cpp cannot read the grammar")
        try:
            logits = self._read(prompt, deadline)
            written: list[Token] = []
            while len(written) < most:
                number = self._allowed(sampler, logits)
                if self._cpp.llama_vocab_is_eog(self._vocabulary, number):
                    written.append(Token(b"", _log(logits, number)))
                    break
                self._cpp.llama_sampler_accept(sampler, number)
                written.append(Token(self._piece(number), _log(logits, number)))
                logits = self._read([*self._held, number], deadline)
            return written
        finally:
            self._cpp.llama_sampler_free(sampler)

    def _read(self, tokens: Sequence[int], deadline: float) -> _Floats:
        """The logits after these tokens, of which only those are read that the memory does not hold."""
        same = 0
        for held, token in zip(self._held, tokens[:-1], strict=False):
            if held != token:
                break
            same += 1
        if same < len(self._held):
            self._cpp.llama_memory_seq_rm(self._memory, 0, same, -1)
            del self._held[same:]
        while len(self._held) < len(tokens):
            if time.monotonic() > deadline:
                raise ModelLate("it takes too long")
            step = tokens[len(self._held) : len(self._held) + _STEP]
            row = (self._cpp.llama_token * len(step))(*step)
            self._decode(self._cpp.llama_batch_get_one(row, len(step)))
            self._held += step
        return self._logits(-1)

    def _decode(self, batch: Any) -> None:
        if status := self._cpp.llama_decode(self._context, batch):
            self._cpp.llama_memory_clear(self._memory, 1)
            self._held.clear()
            raise ModelError(f"llama.cpp cannot go on (status {status})")

    def _logits(self, at: int) -> _Floats:
        """The logits of a place in what was decoded last."""
        found = self._cpp.llama_get_logits_ith(self._context, at)
        return np.ctypeslib.as_array(found, (self._size,)).copy()

    def _allowed(self, sampler: Any, logits: _Floats) -> int:
        """The likeliest token that the grammar allows; mostly the likeliest of all, so that few are looked at."""
        for few in (1, _FEW, self._size):
            numbers = np.arange(self._size) if few >= self._size else np.argpartition(-logits, few)[:few]
            row = self._row[: len(numbers)]
            row["id"], row["logit"], row["p"] = numbers, logits[numbers], 0.0
            data = self._cpp.llama_token_data_array(
                data=row.ctypes.data_as(ctypes.POINTER(self._cpp.llama_token_data)),
                size=len(row),
                selected=-1,
                sorted=False,
            )
            self._cpp.llama_sampler_apply(sampler, ctypes.byref(data))
            at = int(row["logit"].argmax())
            if np.isfinite(row["logit"][at]):
                return int(row["id"][at])
        raise ModelError("the grammar allows no token")

    def _piece(self, number: int) -> bytes:
        room = ctypes.create_string_buffer(256)
        size = self._cpp.llama_token_to_piece(self._vocabulary, number, room, len(room), 0, 1)
        return room.raw[: max(size, 0)]


def _log(logits: _Floats, number: int) -> float:
    height = float(logits.max())
    total = float(np.exp(logits - height).sum())
    return max(float(logits[number]) - height - float(np.log(total)), _LITTLE)


@cache
def _quiet(cpp: Any) -> Any:
    """Starts the library; what it tells of loading is for its developers. Returns what must live as long as it."""
    silence = cpp.llama_log_callback(lambda _level, _text, _data: None)
    cpp.llama_log_set(silence, ctypes.c_void_p(0))
    cpp.llama_backend_init()
    return silence
