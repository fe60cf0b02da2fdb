"""The example of an importer, installed: it imports claude-mem's contents, and nothing counts as the user's word."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import InputError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.transfer.importer import importer_named
from nanobot_memory_plugins.core.transfer.importing import import_from
from tests.behaviour.kit import stores
from tests.support.files_of import holders_of
from tests.support.third_party import install_example


def make_claude_mem(folder: Path) -> Path:
    """Make ``~/.claude-mem`` in the format of claude-mem 13.25.3, and return the folder."""
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "claude-mem.db")) as database, database:
        database.executescript(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE, applied_at TEXT);
            CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT,
              project TEXT);
            CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
              project TEXT NOT NULL, text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT,
              narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT, prompt_number INTEGER,
              created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, content_hash TEXT);
            CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
              project TEXT NOT NULL, request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT,
              files_read TEXT, files_edited TEXT, notes TEXT, created_at TEXT, created_at_epoch INTEGER NOT NULL);
            CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER,
              content_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL,
              created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
            """
        )
        database.execute("INSERT INTO schema_versions (version, applied_at) VALUES (?, '')", (52,))
        for number in range(2):
            database.execute(
                "INSERT INTO observations (memory_session_id, project, type, title, subtitle, facts, narrative,"
                " concepts, files_read, files_modified, created_at, created_at_epoch)"
                " VALUES ('m-1', 'shop', ?, ?, 'sub', ?, ?, ?, '[]', '[\"src/cart.py\"]', '', ?)",
                (
                    ("bugfix", "decision")[number % 2],
                    f"Cart total {number}",
                    json.dumps([f"rounding is half-even {number}", f"token {stores.SECRET}"]),
                    f"The cart rounded wrongly {number}.",
                    json.dumps(["how-it-works"]),
                    stores.EPOCH_MS + number,
                ),
            )
        database.execute(
            "INSERT INTO session_summaries (memory_session_id, project, request, learned, created_at, created_at_epoch)"
            " VALUES ('m-1', 'shop', 'Mend the cart', 'Money wants decimals', '', ?)",
            (stores.EPOCH_MS,),
        )
        database.execute(
            "INSERT INTO user_prompts (content_session_id, prompt_number, prompt_text, created_at, created_at_epoch)"
            " VALUES ('c-1', 1, 'Why is the cart a cent off?', '', ?)",
            (stores.EPOCH_MS,),
        )
    return folder


def test_observations_are_a_tools_words_and_prompts_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "installed").mkdir()
    install_example(tmp_path / "installed", monkeypatch, "claude_mem_importer")
    source = make_claude_mem(tmp_path / "theirs")
    name, importer = "claude-mem", importer_named("claude-mem")
    report = import_from(importer, name, source, tmp_path / "mine")
    assert report.taken == {"notes": 3, "messages": 1}
    memory = MemoryPaths.of(tmp_path / "mine").memory
    notes = (memory / "2026-03-09.md").read_text(encoding="utf-8")
    assert "rounding is half-even 1" in notes
    assert notes.count("origin: tool") == 2
    assert notes.count("origin: summary") == 1
    (said,) = memory.glob("sessions/*.jsonl")
    assert json.loads(said.read_text(encoding="utf-8"))["text"] == "Why is the cart a cent off?"
    assert holders_of(memory, stores.SECRET) == []
    assert import_from(importer, name, source, tmp_path / "mine").taken == {}
    (source / "claude-mem.db").write_bytes(b"junk" * 4096)
    damaged = import_from(importer, name, source, tmp_path / "mine")
    assert {why for _, why in damaged.skipped} == {"the rest of the table cannot be read: file is not a database"}
    (source / "claude-mem.db").unlink()
    with pytest.raises(InputError, match=r"claude-mem\.db"):
        import_from(importer, name, source, tmp_path / "mine")
