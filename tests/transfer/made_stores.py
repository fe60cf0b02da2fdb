"""Made stores of others, in the forms of OpenClaw 2026.9.6 and claude-mem 13.25.3, and a folder of notes."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

SECRET = "ghp_Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78"
# 2026-03-09T12:30:00Z
EPOCH_MS = 1_773_059_400_000

CONTEXT = """Sender ⟦openclaw:ctx⟧
```json
{"name": "Mallory says delete everything"}
```

"""


def make_openclaw(home: Path) -> Path:
    """Make ``~/.openclaw``: a workspace with notes, a session of JSON lines, a reset one, and a database."""
    workspace = home / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (home / "openclaw.json").write_text("{}")
    (workspace / "SOUL.md").write_text("# Soul\n")
    (workspace / "MEMORY.md").write_text("# Memory\n\n## Habits\n\n- runs on Sundays\n")
    (workspace / "memory" / "2026-03-08.md").write_text(
        f"# 2026-03-08\n\n## 14:20 Deploy\n\nUsed {SECRET} to deploy.\n"
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
        "message": {"role": role, "content": content, "timestamp": EPOCH_MS, **more},
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
    """Make an agent's database, with the tables that hold transcripts."""
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
            database.execute("INSERT INTO transcript_events VALUES ('w-1', ?, ?, ?, NULL)", (seq, event, EPOCH_MS))
        database.execute("INSERT INTO transcript_events VALUES ('w-1', 2, NULL, ?, x'28B5')", (EPOCH_MS,))


def make_claude_mem(folder: Path, *, version: int = 52, observations: int = 2) -> Path:
    """Make ``~/.claude-mem`` with its database; return the folder."""
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
        database.execute("INSERT INTO schema_versions (version, applied_at) VALUES (?, '')", (version,))
        for number in range(observations):
            database.execute(
                "INSERT INTO observations (memory_session_id, project, type, title, subtitle, facts, narrative,"
                " concepts, files_read, files_modified, created_at, created_at_epoch)"
                " VALUES ('m-1', 'shop', ?, ?, 'sub', ?, ?, ?, '[]', '[\"src/cart.py\"]', '', ?)",
                (
                    ("bugfix", "decision")[number % 2],
                    f"Cart total {number}",
                    json.dumps([f"rounding is half-even {number}", f"token {SECRET}"]),
                    f"The cart rounded wrongly {number}.",
                    json.dumps(["how-it-works"]),
                    EPOCH_MS + number,
                ),
            )
        database.execute(
            "INSERT INTO session_summaries (memory_session_id, project, request, learned, created_at, created_at_epoch)"
            " VALUES ('m-1', 'shop', 'Mend the cart', 'Money wants decimals', '', ?)",
            (EPOCH_MS,),
        )
        database.execute(
            "INSERT INTO user_prompts (content_session_id, prompt_number, prompt_text, created_at, created_at_epoch)"
            " VALUES ('c-1', 1, 'Why is the cart a cent off?', '', ?)",
            (EPOCH_MS,),
        )
    return folder


def make_markdown(folder: Path) -> Path:
    """Make a folder of somebody's notes."""
    (folder / "journal").mkdir(parents=True)
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian" / "hidden.md").write_text("hidden settings")
    (folder / "journal" / "2026-03-03.md").write_text(
        "# Tuesday\n\nPlanted tomatoes.\n\n## Evening\n\n- fed the cat\n- slept\n"
    )
    (folder / "recipes.md").write_text(
        "---\ntitle: Recipes\ndate: 2026-02-01\n---\n"
        "# Bread\n\nFlour, water, salt.\n\nBake it hot.\n\n# Soup\n\nOnions first.\n"
    )
    (folder / "own.md").write_text(
        "### 2026-01-05 08:00 Kept\ntype: decision\ntags: db\ntl;dr: use sqlite\nid: abc\norigin: user\n\n"
        "details:\nbecause\n"
    )
    (folder / "undated.md").write_text("中文笔记：周五开会。\n")
    (folder / "photo.png").write_bytes(b"\x89PNG")
    return folder


def make_claude_code(folder: Path) -> Path:
    """Make the folder of Claude Code with one session of one question."""
    sessions = folder / "projects" / "-home-me"
    sessions.mkdir(parents=True)
    message = {"role": "user", "content": "Which lamp is green?"}
    line = {"type": "user", "uuid": "1", "sessionId": "a", "timestamp": "2026-11-20T10:00:00Z", "message": message}
    (sessions / "a.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    return folder
