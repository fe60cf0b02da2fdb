"""Entries of another memory among the entries here, for ``nanobot-memory import``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry, new_id
from nanobot_memory_plugins.consolidation.operations.undo import undo
from nanobot_memory_plugins.consolidation.store.damage import damage_of
from nanobot_memory_plugins.consolidation.store.document import EntryDocument, Text, parse
from nanobot_memory_plugins.consolidation.store.journal import Run, last_known
from nanobot_memory_plugins.consolidation.store.plain_lines import (
    new_entries,
    plain_lines,
    wanted_lines,
    without_lines,
)
from nanobot_memory_plugins.consolidation.store.rendering import TITLE
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.consolidation.store.three_way_merge import adopted
from nanobot_memory_plugins.core import load_config
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.transfer.entries import JoinedEntries

_WHO, _WHY = "import", "imported from an archive"


class ImportedEntries:
    """Adds entries in one run of the journal, which can be taken back."""

    def join(self, workspace: Path, data: bytes, *, dry_run: bool) -> JoinedEntries | None:
        """Add the entries of a file that are not here; those that were forgotten or purged here stay so.

        What people wrote there without an id becomes entries, too.
        """
        document = parse(data)
        theirs, lines = adopted(document, document), plain_lines(document)
        if not (theirs or lines) or damage_of(data, None):
            return None
        repository = EntryRepository(workspace, redact=ContactRedaction(load_config()[0].redaction.contacts).of_people)
        runs, here = _but_for_what_was_taken_back(repository.journal.runs()), repository.load().entries
        gone = {_plain(one.before.content) for run in runs for one in run.changes if one.before and one.id not in here}
        lines = wanted_lines(repository, lines)
        by_hand = new_entries(repository, [one for one in lines if _plain(one.content) not in gone], {**here, **theirs})
        document, known = without_lines(document, lines), len(lines) - len(by_hand)
        theirs |= by_hand
        new = {
            id_: entry
            for id_, entry in _unlike(theirs, here).items()
            if not repository.tombstones.holds(entry) and (id_ in here or last_known(runs, id_) is None)
        }
        run = ""
        if new and not dry_run:
            done = repository.update(lambda current: _together(current, _unlike(new, current)), who=_WHO, why=_WHY)
            run = done.run.id if done.run is not None else ""
        return JoinedEntries(len(new), known + len(theirs) - len(new), _rest_of(document), run)

    def take_back(self, workspace: Path, run: str) -> None:
        """Take the entries out again that a run added, where nobody has done so."""
        undo(EntryRepository(workspace), run, who=_WHO, why="the import was taken back")


def _but_for_what_was_taken_back(runs: Sequence[Run]) -> list[Run]:
    """Return the runs without imports that were taken back: what they brought was not forgotten."""
    imports = {run.id for run in runs if run.who == _WHO and not run.undoes}
    back = {run.undoes for run in runs if run.who == _WHO} & imports
    return [run for run in runs if run.id not in back and run.undoes not in back]


def _unlike(theirs: Mapping[str, Entry], here: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries that say what none here says, to the same people."""
    said = {(_plain(entry.content), entry.scope) for entry in here.values()}
    return {id_: entry for id_, entry in theirs.items() if (_plain(entry.content), entry.scope) not in said}


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _together(current: Mapping[str, Entry], found: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries with those found elsewhere; one whose id is taken by another gets a new one."""
    result = dict(current)
    for id_, entry in found.items():
        here = current.get(id_)
        if here is None:
            result[id_] = entry
        elif replace(entry, decayed_days=here.decayed_days) != here:  # more than the days that it has faded since
            other = new_id((*result, *found))
            result[other] = replace(entry, id=other)
    return result


def _rest_of(document: EntryDocument) -> bytes:
    """Return the text of others in a file, in its order, set apart where something of ours stood between."""
    parts: list[bytes] = []
    apart = False
    for piece in document.pieces:
        if not isinstance(piece, Text):
            apart = bool(parts)
            continue
        if apart and not _ends_in_blank(parts[-1]) and not piece.data.startswith((b"\n", b"\r\n")):
            parts.append(document.newline * (1 if parts[-1].endswith(b"\n") else 2))
        parts.append(piece.data)
        apart = False
    rest = b"".join(parts)
    return b"" if rest.strip(b"\xef\xbb\xbf \t\r\n") in (b"", TITLE.encode()) else rest


def _ends_in_blank(data: bytes) -> bool:
    return data.replace(b"\r", b"").endswith(b"\n\n")
