"""Embedding on this machine."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.storage.embedding.catalogue import find_model
from nanobot_memory_plugins.storage.embedding.local_provider import LocalEmbedder

# Rows: padding, [CLS], unknown, red, green, blue.
TABLE = [[9, 9], [1, 0], [1, 1], [0, 1], [0, 2], [0, 3]]


@pytest.fixture(scope="module")
def embedder(builtin_model: Path) -> LocalEmbedder:
    return LocalEmbedder(find_model("multilingual"))


def load_embedder(folder: Path, **settings: object) -> LocalEmbedder:
    return LocalEmbedder(find_model(str(folder)), **settings)  # type: ignore[arg-type]


@pytest.mark.accept("V5-02")
def test_a_string_and_a_list_both_return_a_list_of_vectors(embedder: LocalEmbedder):
    one = embedder.encode("喜欢绿茶")
    assert isinstance(one, list)
    assert len(one) == 1
    assert isinstance(one[0], list)
    assert isinstance(one[0][0], float)
    assert len(one[0]) == embedder.dimension == 512
    assert embedder.encode(["喜欢绿茶"]) == one
    assert len(embedder.encode(("喜欢绿茶", "green tea"))) == 2
    assert embedder.encode([]) == []


def test_concurrent_calls_return_the_same_vectors(embedder: LocalEmbedder):
    texts = [f"text {place} 文本" for place in range(40)]
    expected = embedder.encode(texts)
    with ThreadPoolExecutor(8) as pool:
        for vectors in pool.map(lambda _: embedder.encode(texts), range(16)):
            assert np.allclose(vectors, expected, atol=1e-5)


def test_token_vectors_of_a_folders_model_are_averaged_without_padding(tmp_path: Path, tiny_model):
    embedder = load_embedder(tiny_model(tmp_path / "own", TABLE), batch_size=8)
    red, long = embedder.encode(["red", "red red red"])
    assert np.allclose(red, np.array([0.5, 0.5]) / np.linalg.norm([0.5, 0.5]))
    assert np.allclose(long, np.array([1, 3]) / np.linalg.norm([1, 3]))


@pytest.mark.parametrize(("stated", "vector"), [("cls_token", [1, 0]), ("lasttoken", [0, 1])])
def test_the_configured_pooling_of_a_folder_is_used(tmp_path: Path, tiny_model, stated: str, vector: list[int]):
    folder = tiny_model(tmp_path / "own", TABLE)
    by_the_mean = load_embedder(folder)
    write_pooling(folder, stated)
    assert np.allclose(load_embedder(folder).encode("red green"), [vector])
    assert load_embedder(folder).name != by_the_mean.name


def write_pooling(folder: Path, kind: str) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(f'{{"pooling_mode_{kind}": true}}', encoding="utf-8")


def test_the_name_depends_on_the_weights_and_not_on_the_folder(tmp_path: Path, tiny_model):
    # Long enough that the weights lie in their own file.
    wide = [[float(row)] * 300 for row in range(1, 7)]
    first = load_embedder(tiny_model(tmp_path / "first", wide))
    assert (tmp_path / "first" / "model.onnx_data").exists()
    other = load_embedder(tiny_model(tmp_path / "other", [*wide[:-1], [7.0] * 300]))
    copy = load_embedder(Path(shutil.copytree(tmp_path / "first", tmp_path / "copy")))
    assert first.name == copy.name != other.name


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 0.0])
def test_an_unusable_vector_becomes_zero_and_does_not_affect_others(tmp_path: Path, tiny_model, number):
    folder = tiny_model(tmp_path / "own", [*TABLE[:5], [number, number]])
    write_pooling(folder, "lasttoken")
    red, blue = load_embedder(folder).encode(["red", "blue"])
    assert np.linalg.norm(red) == pytest.approx(1)
    assert blue == [0, 0]


def test_a_damaged_model_is_an_error_with_a_hint(tmp_path: Path, tiny_model):
    folder = tiny_model(tmp_path / "own", TABLE)
    (folder / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(EmbeddingError, match="Check its files"):
        load_embedder(folder)
    tiny_model(folder, TABLE)
    (folder / "tokenizer_config.json").unlink()
    with pytest.raises(EmbeddingError, match="Check its files"):
        load_embedder(folder)
