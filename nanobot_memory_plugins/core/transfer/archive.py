"""Reading an archive that may come from anywhere: checked before anything of it is used."""

import hashlib
import json
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.transfer.encryption import SUFFIX, decrypted, is_encrypted
from nanobot_memory_plugins.core.transfer.manifest import FORMAT, MANIFEST, VERSION, Manifest, ManifestFile
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Bounds of what is unpacked: bytes in all, files, bytes of the manifest, and how many times the archive's own size.
# Text packs to a tenth, very even text to a hundredth; an archive that grows further was made to fill a disk.
MOST_BYTES = 8 << 30
MOST_FILES = 200_000
_MOST_MANIFEST = 1 << 27
_MOST_GROWTH = 250
_SMALL = 1 << 24
_BLOCK = 1 << 20
_COPY_AGAIN = "Copy it again from where it was made; nothing was taken."
_NOT_OURS = "Only archives that `nanobot-memory export` wrote are imported; nothing was taken."
# No backslash, colon or control character: no name may mean something else on another system.
_NAME = re.compile(r"memory(?:/[^/\\:\x00-\x1f]+)+")


class Archive:
    """An archive whose list, names and sizes are in order. `check` looks at every byte."""

    def __init__(self, path: Path, packed: zipfile.ZipFile, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._packed = packed

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.manifest.files)

    def check(self) -> Iterator[ManifestFile]:
        """Yield each file once its bytes are known to be those of the list. Raises `InputError`."""
        for file in self.manifest.files:
            for _ in self._blocks(file):
                pass
            yield file

    def read(self, file: ManifestFile) -> bytes:
        """Return the bytes of a file, checked once more. Raises `InputError`."""
        return b"".join(self._blocks(file))

    def _blocks(self, file: ManifestFile) -> Iterator[bytes]:
        hashed, size = hashlib.sha256(), 0
        try:
            with self._packed.open(file.path) as packed:
                while block := packed.read(_BLOCK):
                    size += len(block)
                    if size > file.size:
                        break
                    hashed.update(block)
                    yield block
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise InputError(
                Sentence("{name} is damaged at {path}.", name=self.path.name, path=file.path), hint=_COPY_AGAIN
            ) from error
        if size != file.size or hashed.hexdigest() != file.sha256:
            raise InputError(
                Sentence("{path} in {name} is not what its hash says.", path=file.path, name=self.path.name),
                hint=_COPY_AGAIN,
            )


def is_archive(source: Path) -> bool:
    """Return whether a source is meant to be an archive: a ZIP file, whole or not, or one that is encrypted."""
    return source.is_file() and (
        source.suffix.lower() in (".zip", SUFFIX) or is_encrypted(source) or zipfile.is_zipfile(source)
    )


@contextmanager
def opened_archive(path: Path, passphrase: str = "") -> Iterator[Archive]:
    """Open an archive and check its list, its names and its sizes. Raises `InputError`, with cause and hint."""
    source = decrypted(path, passphrase) if is_encrypted(path) else path
    try:
        packed = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError) as error:
        raise InputError(
            Sentence("{name} is no whole ZIP archive: it may have been cut off.", name=path.name), hint=_COPY_AGAIN
        ) from error
    except OSError as error:
        raise InputError(
            Sentence("{path} cannot be read: {why}.", path=path, why=error.strerror), hint="Check that it can be read."
        ) from error
    with packed:
        manifest = _manifest(path, packed)
        _check_members(path, packed, manifest)
        yield Archive(path, packed, manifest)


def _manifest(path: Path, packed: zipfile.ZipFile) -> Manifest:
    try:
        info = packed.getinfo(MANIFEST)
    except KeyError:
        raise InputError(
            Sentence("{name} has no {manifest}.", name=path.name, manifest=MANIFEST), hint=_NOT_OURS
        ) from None
    try:
        if info.file_size > _MOST_MANIFEST:
            raise ValueError("too large")
        with packed.open(info) as file:
            data = file.read(_MOST_MANIFEST + 1)
        if len(data) > _MOST_MANIFEST:
            raise ValueError("too large")
        _refuse_newer(path, data)
        manifest = Manifest.model_validate_json(data)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"])) or "its form"
        raise InputError(
            Sentence(
                "The {manifest} of {name} cannot be understood ({where}).",
                manifest=MANIFEST,
                name=path.name,
                where=where,
            ),
            hint=_NOT_OURS,
        ) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError, RuntimeError) as error:
        raise InputError(
            Sentence("The {manifest} of {name} is damaged.", manifest=MANIFEST, name=path.name), hint=_COPY_AGAIN
        ) from error
    return manifest


def _refuse_newer(path: Path, data: bytes) -> None:
    """Raise `InputError` for a list of a later version, whatever else is different in it."""
    try:
        row = json.loads(data)
    except (ValueError, RecursionError):
        return  # whoever reads the list says what is wrong with it
    version = row.get("version") if isinstance(row, dict) and row.get("format") == FORMAT else None
    if isinstance(version, int) and version > VERSION:
        raise InputError(
            Sentence(
                "{name} is of version {version} of {format}; this program knows {version_2}.",
                name=path.name,
                version=version,
                format=FORMAT,
                version_2=VERSION,
            ),
            hint="Upgrade nanobot-memory-core; nothing was taken.",
        )


def _check_members(path: Path, packed: zipfile.ZipFile, manifest: Manifest) -> None:
    listed = {file.path: file for file in manifest.files}
    if len(listed) != len(manifest.files):
        raise InputError(
            Sentence("The {manifest} of {name} names a file twice.", manifest=MANIFEST, name=path.name), hint=_NOT_OURS
        )
    members = [info for info in packed.infolist() if info.filename != MANIFEST and not _is_folder(info)]
    if len(members) > MOST_FILES:
        raise InputError(
            Sentence(
                "{name} holds {members:,} files; {most_files:,} is the most.",
                name=path.name,
                members=len(members),
                most_files=MOST_FILES,
            ),
            hint=_NOT_OURS,
        )
    for info in members:
        _check_member(path, info, listed)
    names = {info.filename for info in members}
    if len(names) != len(members):
        raise InputError(Sentence("{name} holds a file twice.", name=path.name), hint=_NOT_OURS)
    if missing := sorted(listed.keys() - names):
        raise InputError(
            Sentence(
                "{name} lacks {missing}, which its {manifest} names.",
                name=path.name,
                missing=missing[0],
                manifest=MANIFEST,
            ),
            hint=_COPY_AGAIN,
        )
    total = sum(file.size for file in manifest.files)
    if total > MOST_BYTES or total > _SMALL + _MOST_GROWTH * path.stat().st_size:
        raise InputError(
            Sentence("{name} would unpack to {total:,} bytes, which no memory does.", name=path.name, total=total),
            hint=_NOT_OURS,
        )


def _check_member(path: Path, info: zipfile.ZipInfo, listed: dict[str, ManifestFile]) -> None:
    name, shown = info.filename, ascii(info.filename)
    if not _NAME.fullmatch(name) or any(part in ("", ".", "..") for part in name.split("/")):
        raise InputError(
            Sentence("{name} holds {shown}, a name that leads out of the memory folder.", name=path.name, shown=shown),
            hint=_NOT_OURS,
        )
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise InputError(
            Sentence("{name} holds {shown}, which is a link or a device.", name=path.name, shown=shown), hint=_NOT_OURS
        )
    if name not in listed:
        raise InputError(
            Sentence(
                "{name} holds {shown}, which its {manifest} does not name.",
                name=path.name,
                shown=shown,
                manifest=MANIFEST,
            ),
            hint=_NOT_OURS,
        )
    if info.flag_bits & 0x1:
        raise InputError(
            Sentence("{shown} in {name} is encrypted.", shown=shown, name=path.name),
            hint="Make an archive without a password.",
        )
    if info.file_size != listed[name].size:
        raise InputError(
            Sentence(
                "{shown} in {name} has not the size that its {manifest} says.",
                shown=shown,
                name=path.name,
                manifest=MANIFEST,
            ),
            hint=_COPY_AGAIN,
        )


def _is_folder(info: zipfile.ZipInfo) -> bool:
    """Tell the empty entries that some programs write for folders."""
    return info.is_dir() and info.file_size == 0 and bool(re.fullmatch(r"(?:[^/\\:]+/)+", info.filename))
