"""An archive: a ZIP file of the memory's files and a list of them with their hashes.

One may come from anywhere: everything is checked before anything of it is used.
"""

import hashlib
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.redaction.script.messages import Sentence

MANIFEST: Final = "manifest.json"
# Bounds of what is unpacked: bytes in all, files, bytes of the manifest, and how many times the archive's own size.
# Text packs to a tenth, very even text to a hundredth; an archive that grows further was made to fill a disk.
_MOST_BYTES = 8 << 30
_MOST_FILES = 200_000
_MOST_MANIFEST = 1 << 27
_MOST_GROWTH = 250
_SMALL = 1 << 24
_BLOCK = 1 << 20
_COPY_AGAIN = "Copy it again from where it was made; nothing was taken."
_NOT_OURS = "Only archives that `nanobot-memory export` wrote are imported; nothing was taken."
# No backslash, colon or control character: no name may mean something else on another system.
_NAME = re.compile(r"memory(?:/(?!\.{1,2}(?:/|\Z))[^/\\:\x00-\x1f]+)+")
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


class ManifestFile(BaseModel):
    """One file of the archive: its name in it, its bytes, their SHA-256, and when it was changed last (ISO 8601)."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    path: str
    size: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    modified: str = ""


class Manifest(BaseModel):
    """``manifest.json``. Fields that a later version adds are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    format: Literal["nanobot-memory-export"] = "nanobot-memory-export"
    version: Literal[1] = 1
    made: str = ""
    program: str = ""
    about: str = ""
    files: tuple[ManifestFile, ...] = ()


class Archive:
    """An archive whose list, names and sizes are in order. `check` looks at every byte."""

    def __init__(self, path: Path, packed: zipfile.ZipFile, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._packed = packed

    def check(self) -> None:
        """Read every byte. Raises `InputError` where one is not what its hash says."""
        for file in self.manifest.files:
            for _ in self._blocks(file):
                pass

    def read(self, file: ManifestFile) -> bytes:
        """Return the bytes of a file, checked once more. Raises `InputError`."""
        return b"".join(self._blocks(file))

    def _blocks(self, file: ManifestFile) -> Iterator[bytes]:
        hashed, size = hashlib.sha256(), 0
        try:
            with self._packed.open(file.path) as packed:
                while (block := packed.read(_BLOCK)) and size <= file.size:
                    size += len(block)
                    hashed.update(block)
                    yield block
        except _DAMAGES as error:
            raise _refused(self.path, Sentence("{file} is damaged", file=file.path), _COPY_AGAIN) from error
        if size != file.size or hashed.hexdigest() != file.sha256:
            raise _refused(self.path, Sentence("{file} is not what its hash says", file=file.path), _COPY_AGAIN)


def is_archive(source: Path) -> bool:
    """Return whether a source is meant to be an archive: a ZIP file, whole or not."""
    return source.is_file() and (source.suffix.lower() == ".zip" or zipfile.is_zipfile(source))


@contextmanager
def opened_archive(path: Path) -> Iterator[Archive]:
    """Open an archive and check its list, its names and its sizes. Raises `InputError`, with cause and hint."""
    try:
        packed = zipfile.ZipFile(path)
    except _DAMAGES as error:
        raise _refused(path, Sentence("it is no whole ZIP archive, and may have been cut off"), _COPY_AGAIN) from error
    with packed:
        manifest = _manifest(path, packed)
        _check_members(path, packed, manifest)
        yield Archive(path, packed, manifest)


def _refused(path: Path, why: str, hint: str = _NOT_OURS) -> InputError:
    return InputError(Sentence("{name} cannot be used: {why}.", name=path.name, why=why), hint=hint)


def _manifest(path: Path, packed: zipfile.ZipFile) -> Manifest:
    try:
        with packed.open(MANIFEST) as file:
            data = file.read(_MOST_MANIFEST)
        return Manifest.model_validate_json(data)
    except KeyError:
        raise _refused(path, Sentence("it has no {manifest}", manifest=MANIFEST)) from None
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"])) or "its form"
        if where == "version":
            why = Sentence("a newer version of this program wrote it")
            raise _refused(path, why, "Upgrade nanobot-memory-core; nothing was taken.") from error
        why = Sentence("its {manifest} cannot be understood ({where})", manifest=MANIFEST, where=where)
        raise _refused(path, why) from error
    except _DAMAGES as error:
        raise _refused(path, Sentence("{file} is damaged", file=MANIFEST), _COPY_AGAIN) from error


def _check_members(path: Path, packed: zipfile.ZipFile, manifest: Manifest) -> None:
    members = [info for info in packed.infolist() if info.filename != MANIFEST and not info.is_dir()]
    listed = {file.path: file for file in manifest.files}
    total = sum(file.size for file in manifest.files)
    if total > _MOST_BYTES or total > _SMALL + _MOST_GROWTH * path.stat().st_size or len(members) > _MOST_FILES:
        raise _refused(path, Sentence("it would unpack to {total:,} bytes, which no memory does", total=total))
    for info in members:
        if why := _wrong_with(info, listed):
            raise _refused(path, Sentence("{file}: {why}", file=ascii(info.filename), why=why))
    if not len(members) == len({info.filename for info in members}) == len(listed) == len(manifest.files):
        raise _refused(path, Sentence("it does not hold the files that its {manifest} names", manifest=MANIFEST))


def _wrong_with(info: zipfile.ZipInfo, listed: dict[str, ManifestFile]) -> str:
    """Return why a file of an archive is not taken, or nothing."""
    if not _NAME.fullmatch(info.filename):
        return Sentence("its name leads out of the memory folder")
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return Sentence("it is a link or a device")
    if info.filename not in listed or info.file_size != listed[info.filename].size:
        return Sentence("the {manifest} does not name it, or another size", manifest=MANIFEST)
    return Sentence("it is encrypted") if info.flag_bits & 0x1 else ""
