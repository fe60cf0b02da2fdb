"""A made workspace of nanobot: sessions in the form that nanobot 0.3.5 writes, history and MEMORY.md."""

import base64
import json
import random
from datetime import datetime, timedelta
from pathlib import Path

START = datetime(2026, 3, 2, 9, 0)
PLACES = ("harbour", "library", "orchard", "tunnel", "glacier", "market", "lighthouse", "mill", "quarry", "meadow")
SECRET = "sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78St90"


def fact(number: int) -> str:
    """Return a sentence that only one session holds."""
    return f"The {PLACES[number % len(PLACES)]} project zephyr{number:03d} ships on port {20_000 + number}."


def when(number: int) -> datetime:
    """Return when a session began: eight a day from March on."""
    return START + timedelta(days=number // 8, minutes=17 * (number % 8))


def chat(number: int, seed: random.Random) -> list[dict]:
    """Return the messages of a session as nanobot keeps them."""
    at = when(number)

    def stamped(seconds: int, role: str, content: object, **more: object) -> dict:
        return {
            "role": role,
            "content": content,
            "timestamp": (at + timedelta(seconds=seconds)).isoformat(),
            **more,
        }

    call = {"id": f"c{number}", "type": "function", "function": {"name": "exec", "arguments": "{}"}}
    messages = [
        stamped(0, "user", f"Please remember: {fact(number)}"),
        stamped(4, "assistant", "", tool_calls=[call]),
        stamped(6, "tool", f"exit 0 of build {number}", tool_call_id=f"c{number}", name="exec"),
        stamped(9, "assistant", f"Noted for {PLACES[seed.randrange(10)]} number {number}."),
        stamped(30, "user", [{"type": "text", "text": "ok"}]),
        stamped(31, "assistant", "Anything else?"),
        stamped(40, "user", "ok"),
    ]
    if number % 50 == 0:
        messages.append(stamped(50, "user", f"the key is {SECRET}"))
        messages.append(stamped(51, "user", "/compact", _command=True))
    return messages


def session_name(key: str) -> str:
    """Return the file name of nanobot 0.3.5 for a session."""
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=") + ".jsonl"


def write_session(folder: Path, key: str, messages: list[dict]) -> Path:
    """Write a session by hand, as nanobot's own manager does."""
    head = {
        "_type": "metadata",
        "key": key,
        "created_at": START.isoformat(),
        "updated_at": START.isoformat(),
        "metadata": {},
        "last_archived": 0,
        "last_consolidated": 0,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / session_name(key)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in (head, *messages)), "utf-8")
    return path


def make_home(home: Path, sessions: int, *, by_nanobot: int = 0) -> Path:
    """Make nanobot's home folder with a workspace in it; return the workspace.

    The first ``by_nanobot`` sessions are written by the session manager of the nanobot-ai that is installed.
    """
    workspace = home / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (home / "config.json").write_text("{}", "utf-8")
    seed = random.Random(7)
    folder = home / "sessions" / ("ab" * 16)
    if by_nanobot:
        from nanobot.session.manager import SessionManager

        manager = SessionManager(workspace, sessions_root=home / "sessions")
        folder = manager.sessions_dir
        for number in range(by_nanobot):
            session = manager.get_or_create(f"cli:made{number}")
            session.messages = chat(number, seed)
            manager.save(session)
    else:
        (workspace / ".nanobot").mkdir()
        (workspace / ".nanobot" / "workspace-id").write_text("ab" * 16 + "\n", "ascii")
    for number in range(by_nanobot, sessions):
        write_session(folder, f"{'telegram' if number % 2 else 'cli'}:made{number}", chat(number, seed))
    rows = [
        {
            "cursor": 1,
            "timestamp": "2026-03-04 10:15",
            "content": "The user moved to Lisbon.",
            "session_key": "cli:made1",
        },
        {"cursor": 2, "timestamp": "2026-03-05 11:20", "content": "# Summary\n- kept bees\n- sold the boat"},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (workspace / "memory" / "history.jsonl").write_text(text, "utf-8")
    (workspace / "memory" / "MEMORY.md").write_text("# Long-term\n\n## Pets\n\nA cat named Miso.\n", "utf-8")
    return workspace
