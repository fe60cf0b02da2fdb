"""Putting the last good copy of the entries' file in its place, as soon as somebody sees that it is damaged.

Everybody who reads the file (the index, a host's own prompt, people) has the good one then, and not the entries alone.
"""

from pathlib import Path

from nanobot_memory_plugins.consolidation.repository import EntryRepository
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.log import logger

# Who is named in the journal.
WHO = "mend"
# How long a command waits for entries that another process has locked.
_LOCK_SECONDS = 2.0


def mend_file(repository: EntryRepository) -> str:
    """Put the last good copy in the place of a damaged file, which is kept aside; say what was done, if anything.

    What counts as damage is what `EntryRepository.load` calls so. A file that cannot be written stays, with a warning.
    It blocks.
    """
    try:
        damage = repository.load().damage
        if not damage:
            return ""
        done = repository.update(dict, who=WHO, why="the file was damaged")
    except MemoryFileError as error:
        logger.warning("a damaged file of entries stays as it is: {}", error.cause)
        return ""
    if done.run is None:
        return ""
    return f"{done.path.name} was damaged ({damage}): its last good copy is in its place, and it is kept beside that"


def mend_workspace(workspace: Path) -> str:
    """Do what `mend_file` does, for the commands."""
    return mend_file(EntryRepository(workspace, lock_seconds=_LOCK_SECONDS))
