"""A database of somebody else's may hold a view without an end: an import says so, and ends."""

import sqlite3
from contextlib import closing

import pytest

from nanobot_memory_plugins.core.transfer.formats import reading
from nanobot_memory_plugins.core.transfer.formats.claude_mem import ClaudeMemImporter
from nanobot_memory_plugins.core.transfer.importer import ImportedMessage, Skipped

ENDLESS = """
CREATE VIEW observations AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
SELECT id, 'note' AS type, 'text' AS text FROM n;
CREATE TABLE user_prompts (id INTEGER, content_session_id TEXT, prompt_text TEXT, created_at TEXT);
INSERT INTO user_prompts VALUES (1, 'a', 'I live in Oslo.', '2026-01-01T10:00:00Z');
"""


@pytest.fixture
def endless(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "_MOST_SECONDS", 0.3)
    path = tmp_path / "claude-mem.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(ENDLESS)
    return path


def test_a_view_without_an_end_is_left_and_the_other_tables_are_read(endless, tmp_path):
    items = list(ClaudeMemImporter().read(endless, tmp_path))
    assert any(isinstance(item, Skipped) and "interrupted" in item.why for item in items)
    assert [item.text for item in items if isinstance(item, ImportedMessage)] == ["I live in Oslo."]
