"""Models that ONNX Runtime runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def session(model: Path) -> Any:
    """An `onnxruntime.InferenceSession` of a model file on one core, without an arena, that logs nothing.

    Raises:
        Exception: as the engine likes, where the file is missing or no such model.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = options.intra_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"], sess_options=options)
