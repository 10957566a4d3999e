"""Encoders of sentences as ONNX files: a vector for each token, and nothing more, but in the form of the large ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

_FLOAT, _INT64 = 1, 7
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def encoder_of(
    file: Path,
    words: Mapping[str, Sequence[float] | np.ndarray],
    *,
    inputs: Sequence[str] = INPUTS,
    output: str = "last_hidden_state",
) -> Path:
    """A model that gives each word its vector, the special tokens zeros; its vocabulary beside it."""
    special = ["<pad>", "<s>", "</s>", "<unk>"]
    width = len(next(iter(words.values())))
    table = np.array([[0.0] * width] * len(special) + list(words.values()), np.float32)
    # What is masked, or of a second text, is another token than the word's own.
    nodes, last = b"", inputs[0]
    for name, operation in (("attention_mask", b"Mul"), ("token_type_ids", b"Add")):
        if name in inputs:
            nodes += _node(operation, [last, name], f"with_{name}")
            last = f"with_{name}"
    nodes += _node(b"Gather", ["table", last], output)
    graph = nodes + _field(2, b"tiny") + _field(5, _tensor("table", table))
    graph += b"".join(_field(11, _value(name, _INT64, ["batch", "length"])) for name in inputs)
    graph += _field(12, _value(output, _FLOAT, ["batch", "length", width]))
    file.write_bytes(_field(1, 8) + _field(7, graph) + _field(8, _field(2, 17)))
    vocabulary = {word: at for at, word in enumerate([*special, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    tokenizer.enable_padding(length=12)  # as public ones may say: it must not be obeyed
    tokenizer.save(str(file.parent / "tokenizer.json"))
    return file


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _node(operation: bytes, inputs: Sequence[str], output: str) -> bytes:
    names = b"".join(_field(1, name.encode()) for name in inputs)
    return _field(1, names + _field(2, output.encode()) + _field(4, operation))


def _tensor(name: str, values: np.ndarray) -> bytes:
    sizes = b"".join(_field(1, size) for size in values.shape)
    return sizes + _field(2, _FLOAT) + _field(8, name.encode()) + _field(9, values.tobytes())


def _value(name: str, kind: int, sizes: Sequence[str | int]) -> bytes:
    shape = b"".join(
        _field(1, _field(1, size) if isinstance(size, int) else _field(2, size.encode())) for size in sizes
    )
    return _field(1, name.encode()) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))
