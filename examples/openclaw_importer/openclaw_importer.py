"""Reads OpenClaw's store: Markdown in the workspace, and sessions as JSON lines (to 2026.7) or in databases."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nanobot_memory_plugins.core import InputError, Message, Origin, Scope
from nanobot_memory_plugins.core.clock import time_of
from nanobot_memory_plugins.core.transfer import ImportedMessage, Item, Skipped
from nanobot_memory_plugins.core.transfer.markdown import is_markdown, markdown_items
from nanobot_memory_plugins.core.transfer.reading import files_below, json_lines

_DATABASES = "agents/*/agent/openclaw-agent.sqlite"
# Transcripts, including those that OpenClaw set aside when a session was reset or deleted.
_SESSIONS = ("agents/*/sessions/*.jsonl*", "sessions/*.jsonl*")
_PUT_ASIDE = (".reset.", ".deleted.")
_WORKSPACE_MARKS = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "HEARTBEAT.md", "TOOLS.md")
_TAGS = ("imported", "openclaw")


def read_openclaw(source: Path, workspace: Path) -> Iterator[Item]:
    """Yield the notes of ``~/.openclaw``, or of an OpenClaw workspace only, then the sessions.

    The notes are the agent's words, not the user's. Raises `InputError` when there is neither.
    """
    root = source if source.is_dir() else source.parent
    markdown = list(_markdown(source)) if source.is_dir() else []
    sessions = sorted(filter(_is_transcript, {path for pattern in _SESSIONS for path in source.glob(pattern)}))
    databases = sorted(source.glob(_DATABASES)) if source.is_dir() else [source]
    files = [*markdown, *sessions, *databases]
    if not files:
        raise InputError(
            f"There are no memories of OpenClaw in {source}.",
            hint="It usually stands in ~/.openclaw; name that.",
        )
    for path in files:
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            yield Skipped("it is a symbolic link", name)
        elif path in markdown:
            yield from markdown_items(path, name, origin=Origin.ASSISTANT, tags=_TAGS)
        else:
            yield from _conversations(path, name, is_database=path in databases)


def _is_workspace(source: Path) -> bool:
    """Return whether a folder is OpenClaw's workspace. nanobot's has its MEMORY.md in ``memory/``."""
    if (source / "memory" / "MEMORY.md").exists() or not any((source / name).is_file() for name in _WORKSPACE_MARKS):
        return False
    return (source / "MEMORY.md").is_file() or any(source.glob("memory/[0-9][0-9][0-9][0-9]-*.md"))


def _is_transcript(path: Path) -> bool:
    # Files next to a transcript record its runs, not its messages.
    is_one = path.name.endswith(".jsonl") or any(mark in path.name for mark in _PUT_ASIDE)
    return is_one and ".trajectory" not in path.name and path.is_file()


def _markdown(source: Path) -> Iterator[Path]:
    workspaces = [source] if _is_workspace(source) else sorted(source.glob("workspace*"))
    for workspace in (one for one in workspaces if one.is_dir() and not one.is_symlink()):
        if (workspace / "MEMORY.md").is_file():
            yield workspace / "MEMORY.md"
        yield from (path for path, why in files_below(workspace / "memory") if not why and is_markdown(path))


# A session's key, the line or number of an event in it, and the event, or why it cannot be read.
_Event = tuple[str, int, dict[str, Any] | str]
_COMPRESSED = "OpenClaw has compressed it; restore or export the session there first"


def _conversations(path: Path, name: str, *, is_database: bool) -> Iterator[Item]:
    try:
        for key, line, event in _database(path) if is_database else _transcript(path):
            if isinstance(event, str):
                yield Skipped(event, name, line)
            elif (item := _message(event, f"openclaw:{key}", name, line)) is not None:
                yield item
    except (OSError, sqlite3.Error) as error:
        yield Skipped(f"it cannot be read: {error}", name)


def _transcript(path: Path) -> Iterator[_Event]:
    session_id = path.name.partition(".jsonl")[0]
    try:
        table: Any = json.loads((path.parent / "sessions.json").read_bytes())
        keys = {str(entry["sessionId"]): str(key) for key, entry in table.items()}
    except (OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError):
        keys = {}  # the list is missing
    events = [(0, _COMPRESSED)] if path.name.endswith(".zst") else json_lines(path)
    for line, row in events:
        yield keys.get(session_id, session_id), line, row


def _database(path: Path) -> Iterator[_Event]:
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        keys = dict(connection.execute("SELECT session_id, session_key FROM session_windows"))
        events = "SELECT session_id, seq, event_json FROM transcript_events ORDER BY session_id, seq"
        for session_id, line, text in connection.execute(events):
            try:
                event = json.loads(text) if text is not None else _COMPRESSED
            except (ValueError, TypeError, RecursionError):
                event = "it is not JSON"
            if isinstance(event, (dict, str)):
                yield str(keys.get(session_id) or session_id), line if isinstance(line, int) else 0, event


# The events of OpenClaw's transcripts, the same in its JSON lines and in its database.
_ORIGINS = {"user": Origin.USER, "assistant": Origin.ASSISTANT, "toolResult": Origin.TOOL, "tool": Origin.TOOL}
_SPEECH = frozenset({"text", "input_text", "output_text"})
# The blocks about the sender that OpenClaw adds in front of a user's text.
_CONTEXT = re.compile(
    r"^[^\n]{1,200}(?:⟦openclaw:ctx⟧|\(untrusted[^\n)]{0,60}\):)[ \t]*\n```json\n(?:(?!```)[^\n]*\n)*+```[ \t]*$\n*",
    re.MULTILINE,
)
_STAMP = re.compile(r"\A\s*\[(?:[A-Z][a-z]{2} )?\d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]\n]{0,12}\] *")
# An agent's answer when it has nothing to say.
_SILENT = frozenset({"", "NO_REPLY", "HEARTBEAT_OK"})


def _message(event: dict[str, Any], session_key: str, file: str, line: int) -> ImportedMessage | None:
    """Return the message of an event, or None for an event that is no message."""
    message = event.get("message")
    if event.get("type") != "message" or not isinstance(message, dict):
        return None
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or role not in _ORIGINS:
        return None
    if isinstance(content, list):  # without thinking and tool calls
        content = [part for part in content if not isinstance(part, dict) or part.get("type") in _SPEECH]
    text = Message.from_chat({"role": "user", "content": content}).text
    if role == "user":
        text = _STAMP.sub("", _CONTEXT.sub("", text)).strip()
    if text.strip() in _SILENT:
        return None
    is_tool = _ORIGINS[role] is Origin.TOOL
    return ImportedMessage(
        session_key,
        "tool" if is_tool else role,
        text,
        _ORIGINS[role],
        file,
        line,
        time=time_of(event.get("timestamp")) or time_of(message.get("timestamp")),
        name=str(message.get("toolName") or message.get("name") or "") if is_tool else "",
        scope=Scope(channel="openclaw"),
    )
