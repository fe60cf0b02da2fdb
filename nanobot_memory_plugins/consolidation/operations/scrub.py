"""The files of the entries without secrets: entries one by one, text of people as it stands."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.document import Text, parse
from nanobot_memory_plugins.consolidation.store.rendering import render
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.erasure.scrub import Cleaner, ScrubbedBytes, clean_notes, redacted


def special_cleaner(repository: EntryRepository, *, everywhere: bool) -> Callable[[Path], Cleaner | None]:
    """Return what gives the cleaner of ``MEMORY.md``, ``ENTRIES.md`` and every copy of them, and None for others."""
    names = tuple(path.name for path in (repository.path, repository.paths.long_term))

    def special(path: Path) -> Cleaner | None:
        if path.name.removeprefix("seen-").startswith(names):
            return partial(_clean_document, repository=repository, everywhere=everywhere)
        return None

    return special


def _clean_document(data: bytes, repository: EntryRepository, *, everywhere: bool) -> ScrubbedBytes:
    found: Counter[str] = Counter()
    foreign: Counter[str] = Counter()
    document = parse(data)
    entries = {id_: _clean_entry(entry, repository, found) for id_, entry in document.entries.items()}
    cleaned = render(document, entries, now=repository.clock.now()) if found else data
    pieces: list[bytes] = []
    for piece in parse(cleaned).pieces:
        if not isinstance(piece, Text):
            pieces.append(piece.data)
            continue
        notes = clean_notes(piece.data, repository.redacted, everywhere=everywhere)
        found.update(notes.found)
        foreign.update(notes.foreign)
        pieces.append(notes.data)
    return ScrubbedBytes(b"".join(pieces), found, foreign)


def _clean_entry(entry: Entry, repository: EntryRepository, found: Counter[str]) -> Entry:
    safe = replace(
        entry,
        content=redacted(entry.content, repository.redacted, found),
        quote=redacted(entry.quote, repository.redacted, found),
    )
    return entry if safe == entry else safe
