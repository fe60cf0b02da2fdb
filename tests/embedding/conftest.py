"""Caches and tiny models for the tests of embedding."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

TinyModel = Callable[..., Path]
WORDS = ["[PAD]", "[CLS]", "[UNK]", "red", "green", "blue"]


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, used by the test."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("NANOBOT_MEMORY_CACHE", str(cache))
    monkeypatch.delenv("FASTEMBED_CACHE_PATH", raising=False)
    return cache


@pytest.fixture
def tiny_model() -> TinyModel:
    """Write a model that looks words up in a table, and returns one vector per token or per text.

    Every text begins with ``[CLS]``. Rows of ``table``: padding, [CLS], unknown, red, green, blue.
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    def write(
        folder: Path, table: Sequence[Sequence[float]], *, tokens: bool = True, graph: str = "model.onnx"
    ) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        weights = [numpy_helper.from_array(np.asarray(table, dtype=np.float32), "table")]
        nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"], axis=0)]
        output, shape = "rows", ["batch", "tokens", len(table[0])]
        if not tokens:
            weights.append(numpy_helper.from_array(np.array([1]), "axis"))
            nodes.append(helper.make_node("ReduceSum", ["rows", "axis"], ["text"], keepdims=0))
            output, shape = "text", ["batch", len(table[0])]
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)]
        made = helper.make_model(
            helper.make_graph(nodes, "tiny", inputs, outputs, weights), opset_imports=[helper.make_opsetid("", 17)]
        )
        made.ir_version = 8
        onnx.save_model(
            made, str(folder / graph), save_as_external_data=True, location=f"{graph}_data", size_threshold=1024
        )
        tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 1)])
        tokenizer.save(str(folder / "tokenizer.json"))
        settings = {"model_max_length": 16, "pad_token": "[PAD]"}
        (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
        return folder

    return write
