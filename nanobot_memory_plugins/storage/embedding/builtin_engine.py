"""The built-in model at work: tokenizer and graph, with nothing around them.

The first text of a process is wanted at once, and reading the tokenizer's 128,000 pieces takes longer than all else.
So the first texts are cut by the same tokenizer over those pieces alone that stand in them, which gives the same ids.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer, models

from nanobot_memory_plugins.storage.embedding.builtin_tokenizer import UNKNOWN
from nanobot_memory_plugins.storage.embedding.piece_table import PieceTable, write_piece_table

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.embedding.sentencepiece_model import SentencePieceModel

FRAME_FILE, PIECES_FILE = "frame.json", "pieces.npy"
# From so many characters on, in all that a process embeds, the whole vocabulary is worth its reading.
_WHOLE_FROM = 50_000
# The first ids are markers that stand in every vocabulary, and have no text of their own.
_MARKERS = 3


def write_frame(folder: Path, tokenizer: Tokenizer, model: "SentencePieceModel") -> None:
    """Write a tokenizer once more, so that it can be read without its vocabulary, and the vocabulary as a table."""
    pieces = [(piece, float(score)) for piece, score in model.pieces]
    longest = write_piece_table(folder / PIECES_FILE, pieces)
    frame = json.loads(tokenizer.to_str())
    frame["model"]["vocab"] = pieces[:_MARKERS]
    # What is unknown is rated by the least likely piece.
    least = min(range(len(pieces)), key=lambda number: pieces[number][1])
    content = {"tokenizer": frame, "longest": longest, "least": [*pieces[least], least]}
    (folder / FRAME_FILE).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


class BuiltinEngine:
    """Tokenizer and graph of the built-in model. Any thread may call it.

    ``folder`` is what `installation.install` has made, ``threads`` limits the cores that one run uses, ``most`` the
    tokens of a text.
    """

    def __init__(self, folder: Path, *, threads: int | None, most: int) -> None:
        self._folder = folder
        self._most = most
        frame = json.loads((folder / FRAME_FILE).read_text(encoding="utf-8"))
        self._frame = self._bounded(Tokenizer.from_str(json.dumps(frame["tokenizer"])))
        self._markers: list[tuple[str, float]] = [
            (piece, score) for piece, score in frame["tokenizer"]["model"]["vocab"]
        ]
        piece, score, number = frame["least"]
        self._least: tuple[str, int, float] = (piece, number, score)
        self._table = PieceTable(folder / PIECES_FILE, frame["longest"])
        self._whole: Tokenizer | None = None
        self._reading = threading.Lock()
        self._characters = 0
        options = onnxruntime.SessionOptions()
        # Threads that spin while they wait for their part take a third more processor time, and are no sooner done.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if threads is not None:
            options.intra_op_num_threads = options.inter_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )

    def embed(self, texts: Sequence[str], batch_size: int = 16) -> Iterator[NDArray[np.float32]]:
        """Yield a vector a text, in order, running ``batch_size`` of them at once."""
        for start in range(0, len(texts), batch_size):
            ids, mask = self.tokens(texts[start : start + batch_size])
            yield from self._session.run(None, {"input_ids": ids, "attention_mask": mask})[0]

    def tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ids of some texts and which of them are no padding."""
        self._characters += sum(map(len, texts))
        if self._whole is None and self._characters >= _WHOLE_FROM:
            with self._reading:
                if self._whole is None:
                    self._whole = self._bounded(Tokenizer.from_file(str(self._folder / "tokenizer.json")))
        if self._whole is not None:
            return _arrays(self._whole, texts)
        tokenizer, numbers = self._over_pieces_of(texts)
        ids, mask = _arrays(tokenizer, texts)
        return numbers[ids], mask

    def _over_pieces_of(self, texts: Sequence[str]) -> tuple[Tokenizer, NDArray[np.int64]]:
        """Return a tokenizer over the pieces that stand in some texts, and which id each of its own stands for."""
        frame: Any = self._frame
        cut = [frame.pre_tokenizer.pre_tokenize_str(frame.normalizer.normalize_str(text)) for text in texts]
        parts = dict.fromkeys(part for text in cut for part, _ in text)
        found = [piece for piece in self._table.pieces_in(parts) if piece[1] >= _MARKERS]
        if self._least not in found:
            found.append(self._least)
        vocabulary = [*self._markers, *((piece, score) for piece, _, score in found)]
        tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=0, byte_fallback=False))
        tokenizer.normalizer, tokenizer.pre_tokenizer = frame.normalizer, frame.pre_tokenizer
        tokenizer.post_processor = frame.post_processor
        return self._bounded(tokenizer), np.array([*range(_MARKERS), *(number for _, number, _ in found)])

    def _bounded(self, tokenizer: Tokenizer) -> Tokenizer:
        tokenizer.enable_truncation(self._most)
        tokenizer.enable_padding(pad_id=0, pad_token=UNKNOWN)
        return tokenizer


def _arrays(tokenizer: Tokenizer, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    encoded = tokenizer.encode_batch(list(texts))
    return (
        np.array([one.ids for one in encoded], dtype=np.int64),
        np.array([one.attention_mask for one in encoded], dtype=np.int64),
    )
