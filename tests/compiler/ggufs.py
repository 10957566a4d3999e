"""Models with random weights as GGUF files: too small to be right, but llama.cpp loads them as any other."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

from daemon.compiler.meanings import Meanings

_WIDTH, _HEADS, _INNER, _LAYERS = 64, 2, 64, 1
_NUMBER, _FLOAT, _TEXT, _LIST = 4, 6, 8, 9
"""Of the types of values that the format knows: uint32, float32, string, array."""
_NORMAL, _CONTROL, _USER = 1, 3, 4
CHATML = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n'}}"
    "{% endfor %}<|im_start|>assistant\\n"
)
_MERGES = [("Ġ", "t"), ("h", "e"), ("Ġt", "he"), ("l", "a"), ("la", "m"), ("lam", "p"), ("o", "n"), ("Ġ", "lamp")]


def random_decoder(file: Path, meanings: Meanings, seed: int = 1) -> Path:
    """A model for drafts, its closed words tokens of their own."""
    control = ["<pad>", "<start>", "<end>", "<=>"]
    return _written(file, control, list(meanings.words), {"bos": 1, "eos": 2}, None, seed)


def random_chat(file: Path, template: str | None = CHATML, seed: int = 1) -> Path:
    """A model for conversation."""
    control = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    return _written(file, control, [], {"bos": 0, "eos": 2}, template, seed)


def byte_tokenizer(meanings: Meanings) -> Tokenizer:
    """The vocabulary of `random_decoder`, by another hand."""
    tokens = _tokens(["<pad>", "<start>", "<end>", "<=>"], list(meanings.words))
    tokenizer = Tokenizer(models.BPE({token: at for at, token in enumerate(tokens)}, _MERGES))
    alone = pre_tokenizers.Split(Regex(r"\p{Han}|\p{N}"), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([alone, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _tokens(control: Sequence[str], own: Sequence[str]) -> list[str]:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    own = [word for word in own if word not in control]  # "start" is a meaning as well
    return [*control, *own, *alphabet, *("".join(pair) for pair in _MERGES)]


def _written(
    file: Path,
    control: Sequence[str],
    own: Sequence[str],
    special: Mapping[str, int],
    template: str | None,
    seed: int,
) -> Path:
    tokens = _tokens(control, own)
    types = [_CONTROL if token in control else _USER if token in own else _NORMAL for token in tokens]
    values: dict[str, bytes] = {
        "general.architecture": _text("llama"),
        "llama.block_count": _number(_LAYERS),
        "llama.context_length": _number(512),
        "llama.embedding_length": _number(_WIDTH),
        "llama.feed_forward_length": _number(_INNER),
        "llama.attention.head_count": _number(_HEADS),
        "llama.attention.layer_norm_rms_epsilon": struct.pack("<If", _FLOAT, 1e-5),
        "llama.rope.dimension_count": _number(_WIDTH // _HEADS),
        "llama.vocab_size": _number(len(tokens)),
        "tokenizer.ggml.model": _text("gpt2"),
        "tokenizer.ggml.pre": _text("gpt-2"),
        "tokenizer.ggml.tokens": _list(_TEXT, [_string(token) for token in tokens]),
        "tokenizer.ggml.token_type": _list(5, [struct.pack("<i", item) for item in types]),
        "tokenizer.ggml.merges": _list(_TEXT, [_string(" ".join(pair)) for pair in _MERGES]),
        "tokenizer.ggml.bos_token_id": _number(special["bos"]),
        "tokenizer.ggml.eos_token_id": _number(special["eos"]),
    }
    if template is not None:
        values["tokenizer.chat_template"] = _text(template)
    tensors = _weights(len(tokens), seed)
    head, data = b"", b""
    for name, array in tensors.items():
        shape = array.shape[::-1]
        head += _string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
        data += array.tobytes().ljust(-(-array.nbytes // 32) * 32, b"\0")
    begin = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    begin += b"".join(_string(key) + value for key, value in values.items()) + head
    file.write_bytes(begin.ljust(-(-len(begin) // 32) * 32, b"\0") + data)
    return file


def _weights(tokens: int, seed: int) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    rng = np.random.default_rng(seed)
    ones = np.ones(_WIDTH, np.float32)

    def weights(out: int, into: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return rng.normal(0.0, 0.4, (out, into)).astype(np.float32)

    found = {"token_embd.weight": weights(tokens, _WIDTH), "output_norm.weight": ones}
    found["output.weight"] = weights(tokens, _WIDTH)
    for layer in range(_LAYERS):
        at = f"blk.{layer}."
        found |= {
            f"{at}{name}.weight": weights(_WIDTH, _WIDTH) for name in ("attn_q", "attn_k", "attn_v", "attn_output")
        }
        found |= {f"{at}ffn_{name}.weight": weights(_INNER, _WIDTH) for name in ("gate", "up")}
        found |= {f"{at}ffn_down.weight": weights(_WIDTH, _INNER)}
        found |= {f"{at}{name}.weight": ones for name in ("attn_norm", "ffn_norm")}
    return found


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _text(text: str) -> bytes:
    return struct.pack("<I", _TEXT) + _string(text)


def _number(value: int) -> bytes:
    return struct.pack("<II", _NUMBER, value)


def _list(kind: int, items: Sequence[bytes]) -> bytes:
    return struct.pack("<IIQ", _LIST, kind, len(items)) + b"".join(items)
