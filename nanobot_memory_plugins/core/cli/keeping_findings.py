"""What ``nanobot-memory doctor`` finds of how a workspace is kept: who can read it, and copies of sync programs."""

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Copies that are named.
_MOST_NAMED = 3


def keeping_findings(workspace: Path) -> list[Finding]:
    """Return who else can read the memory, and copies that wait. It blocks."""
    return [*_readers(workspace), *_copies(workspace)]


def _readers(workspace: Path) -> Iterator[Finding]:
    """Whether other users of the machine can read the memory: its folder, and each one above it, lets them in."""
    memory = workspace.resolve() / "memory"
    if os.name != "posix" or not memory.is_dir():
        return
    try:
        is_open = bool(memory.stat().st_mode & stat.S_IROTH) and all(
            folder.stat().st_mode & stat.S_IXOTH for folder in (memory, *memory.parents)
        )
    except OSError:
        return
    if not is_open:
        yield Finding("readers", "no other user of this machine can read the memory")
        return
    command = f"chmod o-rwx {shlex.quote(str(memory))}"
    yield Finding(
        "readers",
        Sentence("other users of this machine can read the memory; `{command}` keeps them out", command=command),
        Health.INFO,
    )


def _copies(workspace: Path) -> Iterator[Finding]:
    from nanobot_memory_plugins.core.transfer.conflict_copies import conflict_copies

    paths = MemoryPaths.of(workspace)
    found = [one.path.relative_to(paths.memory).as_posix() for one in conflict_copies(paths)]
    if not found:
        return
    more = Sentence(" and {count} more", count=len(found) - _MOST_NAMED) if len(found) > _MOST_NAMED else ""
    yield Finding(
        "copies of a sync program",
        Sentence("{found}{more}: two machines wrote the same file", found=", ".join(found[:_MOST_NAMED]), more=more),
        Health.DEGRADED,
        "`nanobot-memory import --conflicts` merges them into the files, and removes them.",
    )
