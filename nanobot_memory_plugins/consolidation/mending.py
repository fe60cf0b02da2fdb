"""Putting the last good copy of the entries' file in its place, as soon as somebody sees that it is damaged.

Everybody who reads the file (the index, a host's own prompt, people) has the good one then, and not the entries alone.
"""

from loguru import logger

from nanobot_memory_plugins.consolidation.repository import EntryRepository
from nanobot_memory_plugins.core.errors import MemoryFileError

# Who is named in the journal.
WHO = "mend"


def mend_file(repository: EntryRepository) -> bool:
    """Put the last good copy in the place of a damaged file, which is kept aside; say whether that was done.

    What counts as damage is what `EntryRepository.load` calls so. A file that cannot be written stays, with a warning.
    It blocks.
    """
    try:
        if not repository.load().damage:
            return False
        done = repository.update(dict, who=WHO, why="the file was damaged")
    except MemoryFileError as error:
        logger.warning("a damaged file of entries stays as it is: {}", error.cause)
        return False
    if done.run is not None:
        logger.info("{} was damaged: its last good copy is in its place, and it is kept beside that", done.path.name)
    return done.run is not None
