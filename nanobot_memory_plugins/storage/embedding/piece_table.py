"""A vocabulary on the disk, from which the pieces that stand in a text are read without reading the others."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Piece = tuple[str, int, float]
"""What stands in a text, its id and its log probability."""

_FIELDS = [("key", "<u8"), ("score", "<f8"), ("id", "<u4")]
# A piece is known by the polynomial of its characters modulo 2 ** 64; `write_piece_table` refuses two of one key.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
# Stands between two parts of a text, and in no piece.
_BORDER = "\0"


class PieceTable:
    """The pieces of a vocabulary by their keys. The file is mapped into memory, so that opening it reads nothing."""

    def __init__(self, path: Path, longest: int) -> None:
        self._rows: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        self._longest = longest

    def pieces_in(self, parts: Iterable[str]) -> list[Piece]:
        """Return the pieces that stand anywhere in some parts of a text, each once."""
        text = _BORDER.join(parts)
        found: dict[str, Piece] = {}
        keys = self._rows["key"]
        for length, windows in enumerate(_keys_of(text, self._longest), start=1):
            places = np.minimum(np.searchsorted(keys, windows), len(keys) - 1)
            for start in np.flatnonzero(keys[places] == windows).tolist():
                piece = text[start : start + length]
                if piece not in found:
                    row = self._rows[places[start]]
                    found[piece] = (piece, int(row["id"]), float(row["score"]))
        return list(found.values())


def write_piece_table(path: Path, pieces: list[tuple[str, float]]) -> int:
    """Write a vocabulary in the order of its ids, and return how many characters the longest piece has.

    Raises ``ValueError`` where two pieces have one key.
    """
    rows = np.empty(len(pieces), dtype=_FIELDS)
    rows["key"] = [_key_of(piece) for piece, _ in pieces]
    rows["score"] = [score for _, score in pieces]
    rows["id"] = np.arange(len(pieces))
    rows.sort(order="key")
    if (rows["key"][1:] == rows["key"][:-1]).any():
        raise ValueError("two pieces of the vocabulary have one key")
    with path.open("wb") as file:
        np.save(file, rows, allow_pickle=False)
        file.flush()
        os.fsync(file.fileno())
    return max(len(piece) for piece, _ in pieces)


def _key_of(piece: str) -> int:
    key = 0
    for character in piece:
        key = (key * int(_FACTOR) + ord(character)) & 0xFFFFFFFFFFFFFFFF
    return key


def _keys_of(text: str, longest: int) -> Iterable[NDArray[np.uint64]]:
    """Yield the keys of all windows of one character, of two, and so on up to ``longest``."""
    characters = np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.uint64)
    keys = np.zeros(len(characters), dtype=np.uint64)
    for length in range(1, min(longest, len(characters)) + 1):
        keys = keys[: len(characters) - length + 1] * _FACTOR + characters[length - 1 :]
        yield keys
