"""Entries of another memory among the entries here, for ``nanobot-memory import``."""

from collections.abc import Mapping
from pathlib import Path

from nanobot_memory_plugins.consolidation.damage import damage_of
from nanobot_memory_plugins.consolidation.document import parse
from nanobot_memory_plugins.consolidation.entry import Entry
from nanobot_memory_plugins.consolidation.journal import last_known
from nanobot_memory_plugins.consolidation.merging import adopted
from nanobot_memory_plugins.consolidation.moving import rest_of, together
from nanobot_memory_plugins.consolidation.repository import EntryRepository
from nanobot_memory_plugins.core.config import load_config
from nanobot_memory_plugins.core.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.transfer.entries import JoinedEntries

_WHO, _WHY = "import", "imported from an archive"


class ImportedEntries:
    """Adds entries in one run of the journal, which can be taken back."""

    def join(self, workspace: Path, data: bytes, *, dry_run: bool) -> JoinedEntries | None:
        """Add the entries of a file that are not here; those that were forgotten or purged here stay so."""
        document = parse(data)
        theirs = adopted(document, document)
        if not theirs or damage_of(data, None):
            return None
        repository = EntryRepository(workspace, redact=ContactRedaction(load_config()[0].redaction.contacts).of_people)
        runs, here = repository.journal.runs(), repository.load().entries
        new = {
            id_: entry
            for id_, entry in _unlike(theirs, here).items()
            if not repository.tombstones.holds(entry.content) and (id_ in here or last_known(runs, id_) is None)
        }
        if new and not dry_run:
            repository.update(lambda current: together(current, _unlike(new, current), {}), who=_WHO, why=_WHY)
        return JoinedEntries(len(new), len(theirs) - len(new), rest_of(document))


def _unlike(theirs: Mapping[str, Entry], here: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries that say what none here says, to the same people."""
    said = {(_plain(entry.content), entry.scope) for entry in here.values()}
    return {id_: entry for id_, entry in theirs.items() if (_plain(entry.content), entry.scope) not in said}


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
