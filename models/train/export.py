"""Trained networks -> the files that Hearken loads: GGUF in Q8_0 for the decoder, int8 ONNX for the tagger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from tokenizers import Tokenizer

from daemon.compiler.draft import Labels
from daemon.compiler.tagger import LABELS
from daemon.compiler.vocabulary import NAME, TABLE
from models.train.nets import Decoder
from models.train.segmenter_net import Segmenter
from models.train.tagger_net import Tagger
from models.train.tokens import CONTROL, END, PAD, START, merges_of


def to_gguf(model: Decoder, tokenizer: Tokenizer, vocabulary: Path, out: Path, words: list[str]) -> None:
    """Writes the decoder. `vocabulary` is the saved tokenizer, `words` the closed words of the model's language."""
    shape = model.shape
    writer = gguf.GGUFWriter(out, "llama")
    writer.add_name("Hearken compiler")
    writer.add_block_count(shape.layers)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_feed_forward_length(shape.inner)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.shared)
    writer.add_rope_dimension_count(shape.head)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(shape.vocabulary)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")  # without it the text is cut differently, and nobody says so
    tokens = [tokenizer.id_to_token(at) for at in range(tokenizer.get_vocab_size())]
    tokens += [f"<unused{at}>" for at in range(shape.vocabulary - len(tokens))]
    own = set(words)
    types = [
        gguf.TokenType.CONTROL if token in CONTROL
        else gguf.TokenType.USER_DEFINED if token in own
        else gguf.TokenType.UNUSED if token.startswith("<unused")
        else gguf.TokenType.NORMAL
        for token in tokens
    ]  # fmt: skip
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(merges_of(vocabulary))
    writer.add_bos_token_id(tokenizer.token_to_id(START))
    writer.add_eos_token_id(tokenizer.token_to_id(END))
    writer.add_pad_token_id(tokenizer.token_to_id(PAD))
    for name, value in model.state_dict().items():
        array = value.detach().float().cpu().numpy()
        if array.ndim == 1:
            writer.add_tensor(name, array)
        else:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quantize(array, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def to_onnx(model: Tagger, labels: Labels, out: Path, vocabulary: Path) -> None:
    """Writes the tagger: inputs `tokens` and `present`, outputs as `Tagger` says, for these labels.

    The table of the pieces goes into the folder `vocabulary`, which all models of it share.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model.eval()
    whole = out.with_suffix(".float.onnx")
    tokens = torch.ones((2, 9), dtype=torch.int64)
    outputs = ["meaning", "frame", "second", "tag", "kind"]
    texts = {0: "texts"}
    sizes = {name: {0: "texts", 1: "length"} for name in ("tokens", "present", "tag", "kind")}
    sizes |= dict.fromkeys(("meaning", "frame", "second"), texts)
    torch.onnx.export(
        model, (tokens, torch.ones(2, 9)), str(whole), input_names=["tokens", "present"],
        output_names=outputs, dynamic_axes=sizes, opset_version=17, dynamo=False,
    )  # fmt: skip
    kinds = ["MatMul", "Gemm", "Gather"]
    quantize_dynamic(whole, out, weight_type=QuantType.QInt8, op_types_to_quantize=kinds, per_channel=True)
    whole.unlink()
    made = onnx.load(out)
    onnx.helper.set_model_props(made, {LABELS: labels.digest})
    out.write_bytes(_without_table(made, vocabulary).SerializeToString())


def segmenter_to_onnx(model: Segmenter, out: Path, vocabulary: Path) -> None:
    """Writes the segmenter: inputs `tokens` and `pauses`, outputs `sort` and `begins`, of each token.

    The table of the pieces is that in the folder `vocabulary`.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model.cpu().eval()
    whole = out.with_suffix(".float.onnx")
    names = ("tokens", "pauses", "sort", "begins")
    torch.onnx.export(
        model, (torch.ones((2, 9), dtype=torch.int64), torch.zeros(2, 9)), str(whole), input_names=list(names[:2]),
        output_names=list(names[2:]), dynamic_axes={name: {0: "texts", 1: "length"} for name in names},
        opset_version=17, dynamo=False,
    )  # fmt: skip
    kinds = ["MatMul", "Gemm", "Gather"]
    quantize_dynamic(whole, out, weight_type=QuantType.QInt8, op_types_to_quantize=kinds, per_channel=True)
    whole.unlink()
    out.write_bytes(_without_table(onnx.load(out), vocabulary).SerializeToString())


def _without_table(model: Any, vocabulary: Path) -> Any:
    """The model, which gets the table of its pieces when it is loaded; the table is written, or must be the same."""
    from onnx import TensorProto, numpy_helper

    [table] = [item for item in model.graph.initializer if item.name == NAME]
    rows, file = numpy_helper.to_array(table), vocabulary / TABLE
    if not file.exists():
        np.save(file, rows)
    elif not np.array_equal(np.load(file), rows):
        raise ValueError(f"{file} is of another vocabulary")
    size = len(table.raw_data)
    table.ClearField("raw_data")
    table.data_location = TensorProto.EXTERNAL
    for key, value in (("location", TABLE), ("offset", str(file.stat().st_size - size)), ("length", str(size))):
        table.external_data.add(key=key, value=value)
    return model


def weights_of(model: torch.nn.Module) -> int:
    """How many numbers it has."""
    return int(np.sum([value.numel() for value in model.parameters()]))
