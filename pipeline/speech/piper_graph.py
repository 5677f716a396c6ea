"""What is changed in a Piper voice's ONNX graph when it is loaded.

The file on disk stays as it is. The graph learns to tell how long each phoneme is, and to draw its noise
from a fixed table, so that a text always sounds the same however often and in whatever order texts are spoken.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from piper.patch_voice_with_alignment import add_alignment_output

_NOISE = "fixed_noise"
_NOISE_LENGTH = 1 << 18


def reproducible_graph(path: Path, seed: int = 0) -> bytes:
    """Read a voice's graph, with phoneme lengths as an output and noise that repeats.

    Args:
        path: The voice's ``.onnx`` file.
        seed: Of the noise.

    Returns:
        The changed graph, serialised.

    Raises:
        google.protobuf.message.DecodeError: If the file is no ONNX graph.
        OSError: If it cannot be read.
    """
    model = onnx.load(str(path))
    with contextlib.suppress(ValueError):  # already an output, or a voice that does not tell
        add_alignment_output(model)
    _fix_noise(model.graph, seed)
    return bytes(model.SerializeToString())


def _fix_noise(graph: onnx.GraphProto, seed: int) -> None:
    """Replace every ``RandomNormalLike(x)`` by a look-up in a noise table, wrapped around its end."""
    nodes = list(graph.node)
    if not any(node.op_type == "RandomNormalLike" for node in nodes):
        return
    noise = np.random.default_rng(seed).standard_normal(_NOISE_LENGTH).astype(np.float32)
    graph.initializer.append(numpy_helper.from_array(noise, _NOISE))
    for name, value in (("zero", 0), ("one", 1), ("length", _NOISE_LENGTH)):
        graph.initializer.append(helper.make_tensor(f"{_NOISE}_{name}", TensorProto.INT64, [], [value]))
    changed: list[onnx.NodeProto] = []
    for position, node in enumerate(nodes):
        changed += _table_noise(node, f"{_NOISE}_{position}") if node.op_type == "RandomNormalLike" else [node]
    del graph.node[:]
    graph.node.extend(changed)


def _table_noise(node: onnx.NodeProto, prefix: str) -> list[onnx.NodeProto]:
    """``noise[arange(size of x) % length]`` in the shape of x."""
    return [
        helper.make_node("Shape", [node.input[0]], [f"{prefix}_shape"]),
        helper.make_node("ReduceProd", [f"{prefix}_shape"], [f"{prefix}_size"], keepdims=0),
        helper.make_node("Range", [f"{_NOISE}_zero", f"{prefix}_size", f"{_NOISE}_one"], [f"{prefix}_index"]),
        helper.make_node("Mod", [f"{prefix}_index", f"{_NOISE}_length"], [f"{prefix}_wrapped"]),
        helper.make_node("Gather", [_NOISE, f"{prefix}_wrapped"], [f"{prefix}_flat"]),
        helper.make_node("Reshape", [f"{prefix}_flat", f"{prefix}_shape"], list(node.output)),
    ]
