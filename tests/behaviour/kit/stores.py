"""Made stores of others: nanobot 0.3.5, a folder of notes."""

import base64
import json
from pathlib import Path

SECRET = "ghp_Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78"
# 2026-03-09T12:30:00Z
EPOCH_MS = 1_773_059_400_000


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


def make_nanobot(home: Path, sessions: int = 3) -> Path:
    """Make nanobot's home folder in the form of nanobot 0.3.5, with a workspace in it; return the workspace."""
    workspace = home / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / ".nanobot").mkdir()
    (home / "config.json").write_text("{}", "utf-8")
    (workspace / ".nanobot" / "workspace-id").write_text("ab" * 16 + "\n", "ascii")
    folder = home / "sessions" / ("ab" * 16)
    for number in range(sessions):
        write_nanobot_session(folder, f"{'telegram' if number % 2 else 'cli'}:made{number}", nanobot_chat(number))
    write_nanobot_session(folder, "dream:night", nanobot_chat(99))
    rows = [
        {"cursor": 1, "timestamp": "2026-03-04 10:15", "content": "The user moved to Lisbon."},
        {"cursor": 2, "timestamp": "2026-03-05 11:20", "content": "# Summary\n- kept bees\n- sold the boat"},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (workspace / "memory" / "history.jsonl").write_text(text, "utf-8")
    (workspace / "memory" / "MEMORY.md").write_text("# Long-term\n\n## Pets\n\nA cat named Miso.\n", "utf-8")
    return workspace


def nanobot_chat(number: int) -> list[dict]:
    """Return the messages of a session as nanobot keeps them."""

    def stamped(second: int, role: str, content: object, **more: object) -> dict:
        return {"role": role, "content": content, "timestamp": f"2026-03-02T09:{number:02d}:{second:02d}", **more}

    call = {"id": f"c{number}", "type": "function", "function": {"name": "exec", "arguments": "{}"}}
    return [
        stamped(0, "user", f"Project zephyr{number:03d} ships on port {20_000 + number}."),
        stamped(4, "assistant", "", tool_calls=[call]),
        stamped(6, "tool", f"exit 0 of build {number}", tool_call_id=f"c{number}", name=f"exec {SECRET}"),
        stamped(9, "assistant", f"Noted for number {number}."),
        stamped(30, "user", [{"type": "text", "text": "ok"}]),
        stamped(40, "user", "ok"),
        stamped(50, "user", f"the key is {SECRET}"),
        stamped(51, "user", "/compact", _command=True),
    ]


def write_nanobot_session(folder: Path, key: str, messages: list[dict]) -> Path:
    """Write a session as nanobot's own manager does."""
    made = {"created_at": "2026-03-02T09:00:00", "updated_at": "2026-03-02T09:00:00"}
    head = {"_type": "metadata", "key": key, **made, "metadata": {}, "last_archived": 0, "last_consolidated": 0}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (base64.urlsafe_b64encode(key.encode()).decode().rstrip("=") + ".jsonl")
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in (head, *messages)), "utf-8")
    return path
