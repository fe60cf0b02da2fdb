"""Memories on this machine that ``nanobot-memory import`` can take in: named with the command, never taken."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from nanobot_memory_plugins.core.config.json_file import nanobot_home
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.transfer.importer import ImportedMessage, ImportedNote, Importer
from nanobot_memory_plugins.core.transfer.ledger import ImportLedger
from nanobot_memory_plugins.core.transfer.sources import installed_importers, load_importer

# Where other programs keep theirs, below the home folder.
_USUAL = {"openclaw": ".openclaw", "claude-mem": ".claude-mem", "claude-code": ".claude/projects"}
_NANOBOT = "nanobot"
# Items of a store that are looked at to see whether it holds anything.
_LOOKED_AT = 2_000


@dataclass(frozen=True, slots=True)
class Importable:
    """A memory that can be taken in: what it is, where it stands, and the command that shows what it would bring."""

    label: str
    path: Path
    command: str


def importable_memories(workspace: Path) -> list[Importable]:
    """Return the memories that a workspace could take in, as long as it has taken in none. It blocks.

    Looked for are nanobot's own old sessions, and the stores of other programs in their usual places. Nothing is
    written.
    """
    if ImportLedger(MemoryPaths.of(workspace)).last() is not None:
        return []
    found = []
    for name, path in _places(workspace):
        importer = _importer(name)
        if importer is not None and _holds_something(importer, path, workspace):
            where = f"--from {name} --workspace {shlex.quote(str(workspace))} --dry-run"
            command = f"nanobot-memory import {shlex.quote(str(path))} {where}"
            found.append(Importable(importer.label, path, command))
    return found


def _places(workspace: Path) -> Iterator[tuple[str, Path]]:
    yield _NANOBOT, workspace
    home = nanobot_home()
    if home is not None:
        for name, folder in _USUAL.items():
            if (home.parent / folder).exists():
                yield name, home.parent / folder


def _importer(name: str) -> Importer | None:
    point = installed_importers().get(name)
    try:
        return load_importer(point) if point is not None else None
    except Exception as error:  # an importer costs only itself
        logger.warning("the importer {} cannot be used: {}", name, type(error).__name__)
        return None


def _holds_something(importer: Importer, path: Path, workspace: Path) -> bool:
    try:
        items = islice(importer.read(path, workspace), _LOOKED_AT)
        return importer.recognises(path) and any(isinstance(one, (ImportedMessage, ImportedNote)) for one in items)
    except Exception as error:  # there is nothing in it, or it cannot be read
        logger.debug("{} holds nothing to import: {}", path.name, type(error).__name__)
        return False
