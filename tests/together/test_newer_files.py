"""An older version reads files of a newer one and keeps what it does not know, or refuses them."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.erasure.cleaning import clean_files, secrets_cleaner, words_cleaner
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import last_records
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.core.values.entries import Entry, Section

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)
SECRET = "ghp_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"
ENTRIES = """# Memory

## Active Memories

### [aaaa1111] preference | 0.80 | 2026-05-01 | 2
likes tea
<!-- mood: calm; origin: device; section: frozen -->

## Frozen Memories

### [bbbb2222] fact | 0.90 | 2026-05-01 | pinned
lives in Kyoto

## Archived Memories
"""


@pytest.fixture
def paths(tmp_path: Path) -> MemoryPaths:
    paths = MemoryPaths.of(tmp_path)
    paths.sessions.mkdir(parents=True)
    return paths


@pytest.fixture
def repository(tmp_path: Path) -> EntryRepository:
    return EntryRepository(tmp_path, clock=ManualClock(NOW))


def put(entry: Entry) -> Callable[[dict[str, Entry]], dict[str, Entry]]:
    return lambda entries: {**entries, entry.id: entry}


def test_fields_sections_and_headers_that_are_not_known_stay_in_the_file_of_the_entries(paths, repository):
    (paths.memory / "ENTRIES.md").write_text(ENTRIES, encoding="utf-8")
    read = repository.load().entries["aaaa1111"]
    repository.update(put(replace(read, hits=7)), who="test", why="used")
    repository.update(put(Entry("cccc3333", "uses Vim", "preference", 0.8, NOW)), who="test", why="a test")
    text = (paths.memory / "ENTRIES.md").read_text(encoding="utf-8")
    assert "uses Vim" in text
    for kept in ("mood: calm", "## Frozen Memories", "| pinned", "lives in Kyoto"):
        assert kept in text
    known = repository.load().entries["aaaa1111"]
    assert (known.content, known.hits, known.section) == ("likes tea", 7, Section.ACTIVE)


def test_fields_and_kinds_that_are_not_known_stay_in_a_transcript_that_is_purged_and_scrubbed(paths):
    file = paths.sessions / "cli_direct.jsonl"
    rows = [
        {"id": "1", "role": "user", "text": f"my key is {SECRET}. I like tea.", "session": "a", "mood": ["calm"]},
        {"kind": "reaction", "of": "1", "with": "thumbs up"},
        {"id": "2", "role": "narrator", "text": "we live in Kyoto. It rains.", "session": "a", "weight": 3},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert [one.role for one in last_records(file, "a", 5)] == ["user", "narrator"]
    clean_files(paths, secrets_cleaner(redact_text, redact_text, everywhere=False), dry_run=False)
    clean_files(paths, words_cleaner(Erasure(texts=("we live in Kyoto",))), dry_run=False)
    first, second, third = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert SECRET not in first["text"]
    assert "Kyoto" not in third["text"]
    assert (first["mood"], second, third["weight"]) == (["calm"], rows[1], 3)
