"""Adding the entries of another memory, for ``nanobot-memory import``."""

from dataclasses import replace
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import new_id, normalised_text
from nanobot_memory_plugins.consolidation.operations.changes import undo
from nanobot_memory_plugins.consolidation.store.document import TITLE, parse
from nanobot_memory_plugins.consolidation.store.merging import entries_of
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, says_only_secrets
from nanobot_memory_plugins.core import load_config
from nanobot_memory_plugins.core.files.reading import describe_damage
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.transfer.importer import JoinedEntries
from nanobot_memory_plugins.core.values.entries import Entry

_WHO, _WHY = "import", "imported from an archive"


class ImportedEntries:
    """Adds imported entries in one run of the history, which can be undone."""

    def join(self, workspace: Path, data: bytes, *, dry_run: bool) -> JoinedEntries:
        """Add the entries of a file that are new here, except those that were forgotten or purged here.

        Entries that people wrote there without an id are added as well; those that say only secrets are not.
        """
        document = parse(data)
        imported = entries_of(document, {})
        if not (imported or document.bullets) or describe_damage(data):
            return JoinedEntries(other_text=data)
        repository = EntryRepository(workspace, redact=ContactRedaction(load_config().redaction.contacts).redact_people)
        current = repository.load().all_entries
        rest, without_id = repository.with_ids(document, {**current, **imported})
        candidates = {**imported, **without_id}

        def add_new(entries: dict[str, Entry]) -> dict[str, Entry]:
            result, present = (
                dict(entries),
                {(normalised_text(entry.content), entry.scope) for entry in entries.values()},
            )
            forgotten = {normalised_text(entry.content) for entry in entries.values() if entry.is_forgotten}
            for id_, entry in candidates.items():
                words, is_taken = normalised_text(entry.content), id_ in entries
                if (words, entry.scope) in present or words in forgotten or (is_taken and entries[id_].is_forgotten):
                    continue
                if not (repository.history.is_purged(id_, entry.content) or says_only_secrets(entry.content)):
                    entry_id = new_id((*result, *candidates)) if is_taken else id_
                    result[entry_id] = replace(entry, id=entry_id)
            return result

        new, run = len(add_new(current)) - len(current), None
        if new and not dry_run:
            run = repository.update(add_new, who=_WHO, why=_WHY, with_forgotten=True).run
        found = len(imported) + len(document.bullets) - len(rest.bullets)
        is_empty = rest.foreign.strip(b"\xef\xbb\xbf \t\r\n") in (b"", TITLE.encode())
        return JoinedEntries(new, found - new, b"" if is_empty else rest.foreign, run.id if run else "")

    def take_back(self, workspace: Path, run: str) -> None:
        """Remove the entries that a run added; without a run clear the history, as the file itself is removed."""
        repository = EntryRepository(workspace)
        if run:
            undo(repository, run, who=_WHO, why="the import was taken back")
        else:
            repository.history.clear()
