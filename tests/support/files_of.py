"""What stands in the files of a folder, in which somebody may be at work: what is gone meanwhile is left out."""

import os
from pathlib import Path


def contents_of(folder: Path, *suffixes: str) -> dict[str, bytes]:
    """Return the bytes of every file below a folder by its name there, or of those with one of some suffixes."""
    found = {}
    for inside, _, names in os.walk(folder):  # it passes over folders that are gone, which `rglob` does not
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
    """Return all that stands in these files."""
    return "\n".join(data.decode("utf-8", "replace") for data in contents_of(folder, *suffixes).values())


def holders_of(folder: Path, *needles: bytes | str) -> list[str]:
    """Return the names of the files that hold one of some byte strings, or of words."""
    wanted = [one.encode() if isinstance(one, str) else one for one in needles]
    return [name for name, data in contents_of(folder).items() if any(one in data for one in wanted)]
