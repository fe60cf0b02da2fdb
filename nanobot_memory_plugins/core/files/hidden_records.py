"""The messages that a forgotten entry came from: not shown and not read again until it is restored.

Their ids are with the entry in ``ENTRIES.md``, in its comment line (``hides: ID ID``): they are as safe as the entry
itself.
"""

import re
from pathlib import Path

from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import file_stamp, read_inside
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_HIDES = re.compile(r"^[ \t]*<!--[ \t](?:[^<>\r\n]*;)?[ \t]*hides: ([^;<>\r\n]*)", re.MULTILINE)
_ENTRY = re.compile(r"[ \t]*### \[")
# Workspaces whose file is not read again while it is the same.
_KNOWN: BoundedDict[Path, tuple[tuple[int, int, int], frozenset[str]]] = BoundedDict(64)


def without_forgotten(text: str) -> str:
    """Return the text of ``ENTRIES.md`` without the entries that were forgotten."""
    kept: list[str] = []
    entry = 0  # where the last one begins
    for line in text.splitlines(keepends=True):
        if _ENTRY.match(line):
            entry = len(kept)
        if _HIDES.match(line):
            del kept[entry:]
        else:
            kept.append(line)
    return "".join(kept)


def hidden_records(paths: MemoryPaths) -> frozenset[str]:
    """Return the ids of the messages that are hidden; none where the file is missing or cannot be read. It blocks."""
    path = paths.entries
    stamp, known = file_stamp(path), _KNOWN.get(path)
    if stamp is None:
        return frozenset()
    if known is None or known[0] != stamp:
        try:
            found = _HIDES.findall(read_inside(path).decode("utf-8", "replace"))
        except OSError:
            return frozenset()
        known = _KNOWN[path] = stamp, frozenset(" ".join(found).split())
    return known[1]
