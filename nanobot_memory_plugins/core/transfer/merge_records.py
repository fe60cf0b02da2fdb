"""The records of a transcript or a file of notes that are not in the file of the same name."""

from collections.abc import Iterator

from nanobot_memory_plugins.core.files import NoteEntry, parse_notes, parse_transcript_line
from nanobot_memory_plugins.core.files.paths import DAY_NOTE
from nanobot_memory_plugins.core.transfer.archive_contents import PartKind
from nanobot_memory_plugins.core.transfer.formats.reading import time_of
from nanobot_memory_plugins.core.transfer.importer import ImportedMessage, ImportedNote, Item, Skipped
from nanobot_memory_plugins.core.values import Note, Origin


def joined_items(kind: PartKind, name: str, data: bytes, there: bytes) -> Iterator[Item | None]:
    """Yield what of ``data`` is not in ``there``, with its id, and None for each record that is."""
    return _messages(name, data, there) if kind is PartKind.TRANSCRIPT else _notes(name, data, there)


def _messages(name: str, data: bytes, there: bytes) -> Iterator[Item | None]:
    known = set(there.split(b"\n"))
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        if line in known:
            yield None
        elif (record := parse_transcript_line(line)) is None:
            yield Skipped("it is no message", name, number)
        else:
            yield ImportedMessage(
                record.session_key,
                record.role,
                record.text,
                record.origin,
                name,
                number,
                time=record.time,
                name=record.name,
                scope=record.scope,
                id=record.id,
            )


def _notes(name: str, data: bytes, there: bytes) -> Iterator[Item | None]:
    parts = list(parse_notes(there))
    ids = {part.id for part in parts if isinstance(part, NoteEntry) and part.id}
    texts = {there[part.offset : part.offset + part.length].strip() for part in parts}
    day = DAY_NOTE.fullmatch(name.rpartition("/")[2])
    for part in parse_notes(data):
        raw = data[part.offset : part.offset + part.length].strip()
        if not raw:
            continue
        if raw in texts or (isinstance(part, NoteEntry) and part.id in ids):
            yield None
        elif isinstance(part, NoteEntry):
            note = Note(
                tldr=part.tldr,
                details=part.details,
                type=part.type,
                tags=part.tags,
                title=part.title,
                origin=part.origin,
                scope=part.scope,
                time=part.time,
                searchable=part.searchable,
            )
            yield ImportedNote(note, name, part.line, id=part.id)
        else:
            # People wrote it below the day, without a form; here it gets one, and stays their text.
            first = part.text.strip().partition("\n")[0].lstrip("# ").strip()
            when = time_of(f"{day[0].removesuffix('.md')}T12:00") if day else None
            note = Note(tldr=first[:160], details=part.text.strip(), origin=Origin.USER, time=when)
            yield ImportedNote(note, name, part.line)
