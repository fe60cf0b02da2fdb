"""What is withheld in a workspace, for commands that load no plugin: quick where nothing was ever forgotten."""

from collections.abc import Callable
from pathlib import Path

from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.files import MemoryPaths, read_inside
from nanobot_memory_plugins.core.values import Visibility, Withheld


def withheld_in(workspace: Path, visible: Callable[[], Scope | Visibility]) -> tuple[Withheld, ...]:
    """Return what is withheld from whoever sees ``visible``. It blocks. Raises `MemoryFileError`."""
    try:
        if b"hides: " not in read_inside(MemoryPaths.of(workspace).entries):
            return ()
    except OSError:
        return ()
    from nanobot_memory_plugins.consolidation.operations.withheld import WithheldTexts
    from nanobot_memory_plugins.consolidation.store.repository import EntryRepository

    return WithheldTexts(EntryRepository(workspace)).texts(visible())
