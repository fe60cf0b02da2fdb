"""The first texts of a process get the vectors of all others, from the pieces that stand in them."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from nanobot_memory_plugins.storage.embedding import builtin_engine
from nanobot_memory_plugins.storage.embedding.builtin_engine import BuiltinEngine
from nanobot_memory_plugins.storage.embedding.installation import MAXIMUM_TOKENS
from nanobot_memory_plugins.storage.embedding.piece_table import PieceTable, write_piece_table
from tests.embedding.test_builtin_model import ALPHABET, TEXTS, TOO_LONG
from tests.support.examples import examples

ODD = ["", "  ", "<s> a marker </s> <unk>", "extra_token_id_1", "nul \0 and \ufffe", "x" * 3_000, "“", "\U000e0067"]


@pytest.fixture
def engine(builtin_model: Path) -> BuiltinEngine:
    return BuiltinEngine(builtin_model, threads=1, most=MAXIMUM_TOKENS)


_whole: dict[Path, Tokenizer] = {}


def whole(folder: Path) -> Tokenizer:
    if folder not in _whole:
        _whole[folder] = Tokenizer.from_file(str(folder / "tokenizer.json"))
        _whole[folder].enable_truncation(MAXIMUM_TOKENS)
    return _whole[folder]


def ids_of(engine: BuiltinEngine, text: str) -> list[int]:
    ids, mask = engine.tokens([text])
    assert mask.all()
    return list(ids[0])


def test_a_text_is_cut_as_by_the_whole_vocabulary(engine: BuiltinEngine, builtin_model: Path):
    for text in (*TEXTS, *TOO_LONG, *ODD):
        assert ids_of(engine, text) == whole(builtin_model).encode(text).ids
    assert engine._whole is None


@settings(max_examples=examples(150), deadline=None)
@given(text=st.one_of(st.text(ALPHABET, max_size=60), st.text(st.characters(exclude_categories=["Cs"]), max_size=40)))
def test_any_text_is_cut_as_by_the_whole_vocabulary(builtin_model: Path, text: str):
    if builtin_model not in _engines:
        _engines[builtin_model] = BuiltinEngine(builtin_model, threads=1, most=MAXIMUM_TOKENS)
    _engines[builtin_model]._characters = 0
    assert ids_of(_engines[builtin_model], text) == whole(builtin_model).encode(text).ids


_engines: dict[Path, BuiltinEngine] = {}


def test_texts_of_one_batch_do_not_change_each_other(engine: BuiltinEngine):
    ids, mask = engine.tokens(TEXTS)
    for text, row, kept in zip(TEXTS, ids, mask, strict=True):
        assert list(row[kept == 1]) == ids_of(engine, text)


def test_the_whole_vocabulary_is_read_once_it_is_worth_it(engine: BuiltinEngine, monkeypatch: pytest.MonkeyPatch):
    first = list(engine.embed(TEXTS))
    assert engine._whole is None
    monkeypatch.setattr(builtin_engine, "_WHOLE_FROM", engine._characters + 1)
    assert np.allclose(list(engine.embed(TEXTS)), first, atol=1e-6)
    assert engine._whole is not None


def test_threads_that_come_at_once_get_the_vectors_of_one(engine: BuiltinEngine):
    expected = list(engine.embed(TEXTS))
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(lambda _: list(engine.embed(TEXTS)), range(8)):
            assert np.allclose(vectors, expected, atol=1e-6)


def test_a_question_needs_no_fastembed(builtin_model: Path):
    script = (
        "import sys\n"
        "from nanobot_memory_plugins.storage.embedding.opening import open_embedder\n"
        "from nanobot_memory_plugins.storage.embedding.options import EmbeddingOptions\n"
        "print(len(open_embedder(EmbeddingOptions()).encode('where does the tea grow?')[0]))\n"
        "print([name for name in ('fastembed', 'google.protobuf', 'huggingface_hub', 'PIL') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["512", "[]"]


def test_a_table_finds_pieces_wherever_they_stand(tmp_path: Path):
    pieces = [("a", -1.0), ("ab", -2.0), ("bca", -3.5), ("饺子", -4.0), ("😀", -5.0)]
    longest = write_piece_table(tmp_path / "pieces.npy", pieces)
    table = PieceTable(tmp_path / "pieces.npy", longest)
    assert longest == 3
    assert sorted(table.pieces_in(["xabca"])) == [("a", 0, -1.0), ("ab", 1, -2.0), ("bca", 2, -3.5)]
    assert sorted(table.pieces_in(["吃饺", "子😀"])) == [("😀", 4, -5.0)]
    assert table.pieces_in([]) == table.pieces_in([""]) == []


def test_a_vocabulary_with_a_piece_twice_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match="one key"):
        write_piece_table(tmp_path / "pieces.npy", [("a", -1.0), ("a", -2.0)])
