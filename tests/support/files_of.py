"""Reads the files of a folder while other processes may change it. Files that disappear are left out."""

import os
from pathlib import Path


def contents_of(folder: Path, *suffixes: str) -> dict[str, bytes]:
    """Return the bytes of every file below a folder by its relative name, optionally only with some suffixes."""
    found = {}
    for inside, _, names in os.walk(folder):  # unlike `rglob`, it skips folders that disappear
        for name in names:
            path = Path(inside, name)
            if suffixes and path.suffix not in suffixes:
                continue
            try:
                found[path.relative_to(folder).as_posix()] = path.read_bytes()
            except FileNotFoundError:
                continue
    return dict(sorted(found.items()))


def text_of(folder: Path, *suffixes: str) -> str:
    """Return the text of these files."""
    return "\n".join(data.decode("utf-8", "replace") for data in contents_of(folder, *suffixes).values())


def holders_of(folder: Path, *needles: bytes | str) -> list[str]:
    """Return the names of the files that contain one of some byte strings, or words."""
    wanted = [one.encode() if isinstance(one, str) else one for one in needles]
    return [name for name, data in contents_of(folder).items() if any(one in data for one in wanted)]
