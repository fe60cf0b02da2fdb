"""Reads nanobot's own sessions, history and MEMORY.md for ``nanobot-memory import``.

nanobot 0.3.5 keeps sessions as JSON lines outside the workspace, in ``sessions/<workspace id>/`` next to its
config.json, and migrates those of older releases itself. A folder of sessions may also be given directly.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.bridge.sessions import (
    channel_of_key,
    is_background,
    is_internal_session,
    public_messages,
    scope_of,
)
from nanobot_memory_plugins.core import InputError, Message, Note, Origin, Scope
from nanobot_memory_plugins.core.clock import time_of
from nanobot_memory_plugins.core.config.json_file import nanobot_config_file
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.text.empty_templates import is_empty_template
from nanobot_memory_plugins.core.transfer import ImportedMessage, ImportedNote, Item, Skipped
from nanobot_memory_plugins.core.transfer.markdown import markdown_items
from nanobot_memory_plugins.core.transfer.reading import json_lines, tldr_of
from nanobot_memory_plugins.redaction.script.messages import Sentence

_ORIGINS = {"user": Origin.USER, "assistant": Origin.ASSISTANT, "tool": Origin.TOOL}
_WORKSPACE_ID = re.compile(r"[0-9a-f]{32}")
_GENERATED = "nanobot wrote it, nobody said it: commands, their answers, and marks of its own"
_INTERNAL_SESSION = "a session of nanobot's own"
_MEMORY_FILES = "notes and transcripts of this program: run `nanobot-memory export` there, and import the archive"
_UNFILLED_TEMPLATE = "it is part of the template that nanobot puts into every workspace"
_BACKGROUND_SESSION = "a session of a timer; nobody speaks in it"


def read_nanobot(source: Path, workspace: Path) -> Iterator[Item]:
    """Yield the messages of each session, then the history and the long-term memory.

    The source is a nanobot workspace, a folder of sessions, or one session file. Raises `InputError` for any other.
    """
    other_files = (source / "memory" / "history.jsonl", source / "memory" / "MEMORY.md")
    found = [*session_files(source), *(path for path in other_files if path.is_file())]
    if not found:
        raise InputError(
            Sentence("There are no sessions and no memory of nanobot in {source}.", source=source),
            hint="Name nanobot's workspace, usually ~/.nanobot/workspace, or a folder of sessions.",
        )
    with suppress(OSError):
        if (source / "memory" / ".locks").is_dir() and not source.samefile(workspace):
            yield Skipped(_MEMORY_FILES, "memory")
    for path in found:
        name = _display_name(path, source)
        if path.is_symlink():
            yield Skipped("it is a symbolic link", name)
        elif path.name == "MEMORY.md":
            yield from _long_term_items(path, name, workspace)
        else:
            try:
                yield from (_history_items if path.name == "history.jsonl" else _session_items)(path, name)
            except OSError as error:
                yield Skipped(Sentence("it cannot be read: {why}", why=error.strerror), name)


def _session_items(path: Path, name: str) -> Iterator[Item]:
    key = path.stem
    for line, row in json_lines(path):
        if isinstance(row, str):
            yield Skipped(row, name, line)
        elif row.get("_type") == "metadata":
            key = row["key"] if isinstance(row.get("key"), str) and row["key"] else key
        elif "_type" in row:
            continue  # opaque state of a model provider
        elif is_internal_session(key) or is_background(key):
            yield Skipped(_INTERNAL_SESSION if is_internal_session(key) else _BACKGROUND_SESSION, name, line)
        else:
            yield _message(row, key, name, line)


def _message(row: Mapping[str, Any], key: str, name: str, line: int) -> Item:
    shown = public_messages([row])
    if not shown or shown[0].get("injected_event"):
        return Skipped(_GENERATED, name, line)
    role = shown[0].get("role")
    if not isinstance(role, str) or role not in _ORIGINS:
        return Skipped(_GENERATED, name, line)
    message = Message.from_chat(shown[0])
    sender = row.get("sender_id")
    return ImportedMessage(
        key,
        role,
        message.text,
        _ORIGINS[role],
        name,
        line,
        time=time_of(row.get("timestamp")),
        name=message.name if role == "tool" else "",
        scope=scope_of(key, channel=channel_of_key(key), sender=sender if isinstance(sender, str) else None),
    )


def _history_items(path: Path, name: str) -> Iterator[Item]:
    for line, row in json_lines(path):
        if isinstance(row, str):
            yield Skipped(row, name, line)
            continue
        content, time = row.get("content"), time_of(row.get("timestamp"))
        if not isinstance(content, str) or not content.strip():
            yield Skipped("it has no text", name, line)
            continue
        key = row.get("session_key") if isinstance(row.get("session_key"), str) else ""
        if key and is_internal_session(key):
            yield Skipped(_INTERNAL_SESSION, name, line)
            continue
        tldr, details = tldr_of(content.strip())
        note = Note(
            tldr=tldr,
            details=details,
            title="history of nanobot",
            tags=("imported", "nanobot", "history"),
            origin=Origin.SUMMARY,
            scope=scope_of(key, channel=channel_of_key(key)) if key else Scope(),
            time=time,
        )
        yield ImportedNote(note, name, line)


def _long_term_items(path: Path, name: str, workspace: Path) -> Iterator[Item]:
    own_file = MemoryPaths.of(workspace).long_term
    with suppress(OSError):
        if own_file.exists() and own_file.samefile(path):
            yield Skipped("it is this memory's own file already", name)
            return
    # nanobot's Dream job writes this file from summaries, so it does not quote the user.
    for item in markdown_items(path, name, origin=Origin.SUMMARY, tags=("imported", "nanobot")):
        if isinstance(item, ImportedNote) and is_empty_template(f"{item.note.tldr}\n{item.note.details}"):
            yield Skipped(_UNFILLED_TEMPLATE, name, item.line)
        else:
            yield item


def session_files(source: Path) -> list[Path]:
    """Return nanobot's session files: of a workspace, in a folder of sessions, or the given file itself."""
    if source.is_file():
        return [source]
    folders = [source, source / "sessions"]
    if workspace_id := _workspace_id(source):
        folders += [base / "sessions" / workspace_id for base in (source.parent, nanobot_config_file().parent)]
    found = {path.resolve(): path for folder in folders for path in folder.glob("*.jsonl") if _is_session(path)}
    return sorted(found.values(), key=lambda path: (path.parent.as_posix(), path.name))


def _workspace_id(workspace: Path) -> str:
    try:
        text = (workspace / ".nanobot" / "workspace-id").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    return text if _WORKSPACE_ID.fullmatch(text) else ""


def _is_session(path: Path) -> bool:
    with suppress(OSError):
        return any(isinstance(row, dict) and row.get("_type") == "metadata" for _, row in islice(json_lines(path), 2))
    return False


def _display_name(path: Path, source: Path) -> str:
    for root in (source, source.parent):
        with suppress(ValueError):
            return path.relative_to(root).as_posix() if path != root else path.name
    return f"sessions/{path.name}"
