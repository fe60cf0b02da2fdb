"""Entries of another memory among the entries here, for ``nanobot-memory import``."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import new_id, plain_words
from nanobot_memory_plugins.consolidation.operations.changes import undo
from nanobot_memory_plugins.consolidation.store.document import TITLE, parse
from nanobot_memory_plugins.consolidation.store.merging import entries_of
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import load_config
from nanobot_memory_plugins.core.files.reading import damage_in
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.transfer.entries import JoinedEntries
from nanobot_memory_plugins.core.values.entries import Entry

_WHO, _WHY = "import", "imported from an archive"


class ImportedEntries:
    """Adds entries in one run of the history, which can be taken back."""

    def join(self, workspace: Path, data: bytes, *, dry_run: bool) -> JoinedEntries:
        """Add the entries of a file that are not here; those that were forgotten or purged here stay so.

        What people wrote there without an id becomes entries, too.
        """
        document = parse(data)
        imported = entries_of(document, {})
        if not (imported or document.bullets) or damage_in(data):
            return JoinedEntries(other_text=data)
        repository = EntryRepository(workspace, redact=ContactRedaction(load_config().redaction.contacts).of_people)
        snapshot = repository.load()
        current, forgotten = snapshot.entries, snapshot.forgotten
        gone = {plain_words(entry.content) for entry in forgotten.values()}
        rest, by_hand = repository.with_ids(document, {**current, **imported})
        found = len(imported) + len(document.bullets) - len(rest.bullets)
        new = {
            id_: entry
            for id_, entry in _entries_unlike({**imported, **by_hand}, current).items()
            if id_ not in forgotten
            and plain_words(entry.content) not in gone
            and not repository.history.is_purged(entry.id, entry.content)
        }
        run = ""
        if new and not dry_run:
            done = repository.update(
                lambda current: _with_entries(current, _entries_unlike(new, current)), who=_WHO, why=_WHY
            )
            run = done.run.id if done.run is not None else ""
        is_empty = rest.foreign.strip(b"\xef\xbb\xbf \t\r\n") in (b"", TITLE.encode())
        return JoinedEntries(len(new), found - len(new), b"" if is_empty else rest.foreign, run)

    def take_back(self, workspace: Path, run: str) -> None:
        """Take the entries out again that a run added, where nobody has done so; without a run their file has gone."""
        repository = EntryRepository(workspace)
        if run:
            undo(repository, run, who=_WHO, why="the import was taken back")
        else:
            repository.history.clear()


def _entries_unlike(imported: Mapping[str, Entry], current: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries that say what none here says, to the same people."""
    known = {(plain_words(entry.content), entry.scope) for entry in current.values()}
    return {id_: entry for id_, entry in imported.items() if (plain_words(entry.content), entry.scope) not in known}


def _with_entries(current: Mapping[str, Entry], found: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries with those found elsewhere; one whose id is taken by another gets a new one."""
    result = dict(current)
    for id_, entry in found.items():
        entry_id = id_ if id_ not in current else new_id((*result, *found))
        result[entry_id] = replace(entry, id=entry_id)
    return result
