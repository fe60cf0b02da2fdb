"""What ``nanobot-memory doctor`` finds of how a workspace is kept: who can read it."""

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence


def keeping_findings(workspace: Path) -> list[Finding]:
    """Return who else can read the memory. It blocks."""
    return list(_readers(workspace))


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
