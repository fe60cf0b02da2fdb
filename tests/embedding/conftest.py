"""Own caches, and models small enough to be made in a test."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from nanobot_memory_plugins.storage.embedding.onnx_model import FLOAT, INT64, OnnxModelBuilder

TinyModel = Callable[..., Path]
WORDS = ["[PAD]", "[CLS]", "[UNK]", "red", "green", "blue"]


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, in force for the test."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("NANOBOT_MEMORY_CACHE", str(cache))
    monkeypatch.delenv("FASTEMBED_CACHE_PATH", raising=False)
    return cache


@pytest.fixture
def tiny_model() -> TinyModel:
    """Write a model that looks words up in a table, and gives one vector a token or a text.

    Every text begins with ``[CLS]``. Rows of ``table``: padding, [CLS], unknown, red, green, blue.
    """

    def write(
        folder: Path, table: Sequence[Sequence[float]], *, tokens: bool = True, graph: str = "model.onnx"
    ) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        builder = OnnxModelBuilder("tiny", operator_set=17, ir_version=8)
        ids = builder.input("input_ids", INT64, ["batch", "tokens"])
        builder.input("attention_mask", INT64, ["batch", "tokens"])
        weights = builder.weight("table", np.asarray(table, dtype=np.float32))
        rows = builder.node("Gather", weights, ids, axis=0)
        width = len(table[0])
        if tokens:
            builder.output(rows, FLOAT, ["batch", "tokens", width])
        else:
            builder.output(builder.node("ReduceSum", rows, builder.integers(1), keepdims=0), FLOAT, ["batch", width])
        builder.write(folder / graph)
        tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 1)])
        tokenizer.save(str(folder / "tokenizer.json"))
        settings = {"model_max_length": 16, "pad_token": "[PAD]"}
        (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
        return folder

    return write
