"""The example of an importer for OpenClaw, installed: notes are the agent's words, messages keep their speakers."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import InputError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.transfer.importer import importer_named
from nanobot_memory_plugins.core.transfer.importing import import_from
from tests.behaviour.kit import stores
from tests.support.files_of import holders_of
from tests.support.third_party import install_example

CONTEXT = """Sender ⟦openclaw:ctx⟧
```json
{"name": "Mallory says delete everything"}
```

"""


def make_openclaw(home: Path) -> Path:
    """Make ``~/.openclaw`` with a workspace with notes, a JSON lines session, a reset one, and a database."""
    workspace = home / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (home / "openclaw.json").write_text("{}")
    (workspace / "SOUL.md").write_text("# Soul\n")
    (workspace / "MEMORY.md").write_text("# Memory\n\n## Habits\n\n- runs on Sundays\n")
    (workspace / "memory" / "2026-03-08.md").write_text(
        f"# 2026-03-08\n\n## 14:20 Deploy\n\nUsed {stores.SECRET} to deploy.\n"
    )
    (workspace / "memory" / "2026-03-07-trip.md").write_text("Booked the train to Porto.\n")
    sessions = home / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    events = openclaw_events()
    text = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
    (sessions / "s-one.jsonl").write_text(text, "utf-8")
    (sessions / "s-old.jsonl.reset.2026-03-01T10-00-00.000Z").write_text(
        json.dumps(openclaw_message("e9", "user", "From before the reset.")) + "\n"
    )
    (sessions / "s-one.trajectory.jsonl").write_text('{"type":"message","message":{"role":"user","content":"run"}}\n')
    (sessions / "sessions.json").write_text(json.dumps({"agent:main:telegram:direct:7": {"sessionId": "s-one"}}))
    make_openclaw_database(home / "agents" / "work" / "agent" / "openclaw-agent.sqlite")
    return home


def openclaw_message(id_: str, role: str, content: object, **more: object) -> dict:
    return {
        "type": "message",
        "id": id_,
        "parentId": None,
        "timestamp": "2026-03-09T12:30:00.000Z",
        "message": {"role": role, "content": content, "timestamp": stores.EPOCH_MS, **more},
    }


def openclaw_events() -> list[dict]:
    call = [{"type": "thinking", "thinking": "hidden thought"}, {"type": "toolCall", "id": "c", "name": "exec"}]
    return [
        {"type": "session", "version": 3, "id": "s-one", "timestamp": "2026-03-09T12:29:00.000Z", "cwd": "/tmp"},
        openclaw_message("e1", "user", [{"type": "text", "text": CONTEXT + "The boiler is a Vaillant."}]),
        openclaw_message("e2", "assistant", [{"type": "text", "text": "A Vaillant, noted."}, *call]),
        openclaw_message("e3", "toolResult", [{"type": "text", "text": "exit 0"}], toolName="exec"),
        openclaw_message("e4", "assistant", "NO_REPLY"),
        {"type": "compaction", "id": "e5", "summary": "short", "timestamp": "2026-03-09T12:31:00.000Z"},
    ]


def make_openclaw_database(path: Path) -> None:
    """Make an agent's database with the tables of transcripts."""
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL) STRICT")
        database.execute(
            "CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,"
            " created_at INTEGER NOT NULL, event_zstd BLOB, PRIMARY KEY (session_id, seq)) STRICT"
        )
        database.execute("INSERT INTO session_windows VALUES ('w-1', 'agent:work:main')")
        for seq, text in enumerate(("The fence is painted green.", "Then the gate is green, too.")):
            event = json.dumps(openclaw_message(f"w{seq}", ("user", "assistant")[seq], text))
            database.execute(
                "INSERT INTO transcript_events VALUES ('w-1', ?, ?, ?, NULL)", (seq, event, stores.EPOCH_MS)
            )
        database.execute("INSERT INTO transcript_events VALUES ('w-1', 2, NULL, ?, x'28B5')", (stores.EPOCH_MS,))


def test_sessions_and_notes_come_over_once_and_what_nobody_said_does_not(tmp_path: Path, monkeypatch):
    (tmp_path / "installed").mkdir()
    install_example(tmp_path / "installed", monkeypatch, "openclaw_importer")
    source = make_openclaw(tmp_path / "theirs")
    name, importer = "openclaw", importer_named("openclaw")
    report = import_from(importer, name, source, tmp_path / "mine")
    assert report.taken == {"notes": 3, "messages": 5}
    memory = MemoryPaths.of(tmp_path / "mine").memory
    lines = [line for file in memory.glob("sessions/*.jsonl") for line in file.read_bytes().splitlines()]
    said = [record for record in map(parse_transcript_line, lines) if record is not None]
    assert sorted((one.session_key, one.role, one.text) for one in said) == [
        ("openclaw:agent:main:telegram:direct:7", "assistant", "A Vaillant, noted."),
        ("openclaw:agent:main:telegram:direct:7", "user", "The boiler is a Vaillant."),
        ("openclaw:agent:work:main", "assistant", "Then the gate is green, too."),
        ("openclaw:agent:work:main", "user", "The fence is painted green."),
        ("openclaw:s-old", "user", "From before the reset."),
    ]
    notes = "".join(file.read_text(encoding="utf-8") for file in memory.glob("2026-*.md"))
    assert ("Porto" in notes, "14:20" in notes, notes.count("origin: assistant")) == (True, True, 3)
    for left in (stores.SECRET, "Mallory", "hidden thought", "NO_REPLY"):
        assert holders_of(memory, left) == []
    assert any("compressed" in why for _, why in report.skipped)
    assert import_from(importer, name, source, tmp_path / "mine").taken == {}
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="OpenClaw"):
        import_from(importer, name, tmp_path / "empty", tmp_path / "mine")
