"""Repairing the entries' file as soon as somebody sees that it is damaged, or was put back as it had been before.

Everybody who reads the file (the index, a host's own prompt, people) has the good one then, and not the entries alone.
"""

from pathlib import Path

from nanobot_memory_plugins.consolidation.store.clock_ahead import WHY as WHY_CLOCK
from nanobot_memory_plugins.consolidation.store.journal import PUT_BACK
from nanobot_memory_plugins.consolidation.store.plain_lines import take_up
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Snapshot
from nanobot_memory_plugins.consolidation.store.taken_out import taken_out_lately
from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Who is named in the journal.
WHO = "mend"
# How long a command waits for entries that another process has locked.
_LOCK_SECONDS = 2.0
_MOST_NAMED = 5


def repair_file(repository: EntryRepository, *, tells_taken: bool = False) -> str:
    """Put the last good copy in the place of a damaged file, which is kept aside; say what was done, if anything.

    What counts as damage is what `EntryRepository.load` calls so. A file that was put back as it had been before gets
    the entries that came since, and loses those that were forgotten for good. A file that cannot be written stays, with
    a warning. What people wrote as an entry without an id gets one. What others took out is written down, and said
    where ``tells_taken``. It blocks.
    """
    try:
        found = repository.load()
        was_ahead = repository.is_set_right()
        if not (needs_repair(found) or was_ahead):
            told = [take_up(repository, found.document), _taken_note_of(repository, found)]
            return Sentence.joined(filter(None, told if tells_taken else told[:1]), "; ")
        why = "the file was damaged" if found.damage else PUT_BACK if needs_repair(found) else WHY_CLOCK
        done = repository.update(dict, who=WHO, why=why)
    except MemoryFileError as error:
        logger.warning("a file of entries that is damaged, or was put back, stays as it is: {}", error.cause)
        return ""
    back = len(done.entries.keys() - found.entries.keys()) if was_ahead else 0
    entries = "an entry that it had taken is" if back == 1 else f"{back} entries that it had taken are"
    told = [_said(found) if done.run is not None else "", f"the clock had been ahead: {entries} back" if back else ""]
    return "; ".join(filter(None, told))


def _taken_note_of(repository: EntryRepository, found: Snapshot) -> str:
    """Write down what others have taken out, so that it can be brought back at once; return what is said of it."""
    if not found.removed:
        return ""
    repository.update(dict, who=WHO, why="")
    return next((one.told for one in taken_out_lately(repository, found.entries)), "")


def needs_repair(snapshot: Snapshot) -> bool:
    """Return whether the file lacks what counts, or holds what may not be there."""
    return bool(snapshot.damage or snapshot.missing or snapshot.purged)


def _said(found: Snapshot) -> str:
    name = found.path.name
    if found.damage:
        return f"{name} was damaged ({found.damage}): its last good copy is in its place, and it is kept beside that"
    told = []
    if found.missing:
        one = len(found.missing) == 1
        stay = "the entry that came since then stays" if one else f"the {len(found.missing)} entries since then stay"
        told.append(
            f"{name} was put back as it had been before: {stay} in it"
            f" ({', '.join(sorted(found.missing)[:_MOST_NAMED])}; `nanobot-memory entries forget ID` takes one out)"
        )
    if found.purged:
        entries = "an entry" if len(found.purged) == 1 else f"{len(found.purged)} entries"
        told.append(f"{entries} in {name} had been forgotten for good, and went again")
    return "; ".join(told)


def repair_workspace(workspace: Path, *, tells_taken: bool = True) -> str:
    """Do what `repair_file` does, for the commands. What stays wrong with the file is said by who reads it next."""
    repository = EntryRepository(workspace, lock_seconds=_LOCK_SECONDS, tell=lambda _problem: None)
    return repair_file(repository, tells_taken=tells_taken)
