"""Checks the contents and metadata of wheels and source distributions."""

import os
import re
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from email.parser import BytesParser
from pathlib import Path
from urllib.parse import urlsplit

from packaging.metadata import InvalidMetadata, Metadata

# Variables that name a package index.
_INDEX_VARIABLES = (
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX",
)  # fmt: skip
# The address of a package index: pip's own path, or a URL with a password.
_INDEX = re.compile(rb"https?://[^\s\"'<>]+/simple\b|https?://[^\s/\"'<>:@{}]+:[^\s/\"'<>:@{}]+@[^\s/\"'<>]+")
_LICENCE = "MIT"


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and bytes of every file in a wheel or a source distribution."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as packed:
            for name in packed.namelist():
                yield name, packed.read(name)
        return
    with tarfile.open(path) as packed_tar:
        for member in packed_tar:
            file = packed_tar.extractfile(member)
            if file is not None:
                yield member.name, file.read()


def machine_traces(root: Path) -> list[bytes]:
    """Return texts that would reveal the build machine: its folders and package indexes."""
    folders = {str(root), str(Path.home()), os.environ.get("TMPDIR", "")} - {"", "/", "/tmp", "/root", "/home"}  # noqa: S108
    hosts = {urlsplit(word).hostname for name in _INDEX_VARIABLES for word in os.environ.get(name, "").split()}
    return [one.encode() for one in sorted(folders | {host for host in hosts if host})]


def problems(path: Path, version: str, forbidden: Sequence[bytes]) -> list[str]:
    """Return the problems of a built file, one sentence each. None of its files may contain a ``forbidden`` text."""
    found = dict(members(path))
    wrong = [f"{path.name} holds {name}, which names {one.decode()}." for name, data in found.items()
             for one in forbidden if one in data]  # fmt: skip
    wrong += [f"{path.name} holds {name} with an address of a package index: {match[0].decode('utf-8', 'replace')}"
              for name, data in found.items() for match in _INDEX.finditer(data)]  # fmt: skip
    if not any(re.search(r"(^|/)LICENSE$", name) and b"MIT License" in data for name, data in found.items()):
        wrong.append(f"{path.name} has no licence in it.")
    if path.suffix == ".whl" and any("__init__.py" in name and name.count("/") == 1 for name in found):
        wrong.append(f"{path.name} has an __init__.py in the namespace, which would hide the other distributions.")
    strange = [name for name in found if re.search(r"(^|/)(\.env|\.git|__pycache__|uv\.lock)(/|$)|\.pyc$", name)]
    wrong += [f"{path.name} holds {name}." for name in strange]
    described = [data for name, data in found.items() if re.fullmatch(r"[^/]+/(PKG-INFO|METADATA)", name)]
    if len(described) != 1:
        return [*wrong, f"{path.name} has {len(described)} descriptions of itself."]
    return wrong + [f"{path.name}: {one}" for one in _metadata_problems(described[0], version)]


def _metadata_problems(data: bytes, version: str) -> Iterator[str]:
    try:
        Metadata.from_email(data)
    except (ExceptionGroup, InvalidMetadata) as error:
        yield f"its metadata is not valid: {error}"
    fields = BytesParser().parsebytes(data)
    if fields["Version"] != version:
        yield f"it is of version {fields['Version']}, and not {version}."
    if fields["License-Expression"] != _LICENCE:
        yield "it names no licence."
    for name in ("Summary", "Requires-Python", "Description-Content-Type", "License-File"):
        if not fields[name]:
            yield f"its metadata has no {name}."
    if not str(fields.get_payload()).strip():
        yield "it has no description."
    for needed in fields.get_all("Requires-Dist", ()):
        if "@" in needed:
            yield f"it needs a place, which no package index takes: {needed}"
