"""Claude Code's own records, for ``nanobot-memory import``: what was said before the plugin was there."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import InputError, Message, Origin
from nanobot_memory_plugins.core.scopes import project_of
from nanobot_memory_plugins.core.transfer import ImportedMessage, Item, Skipped
from nanobot_memory_plugins.core.transfer.formats.reading import json_lines, time_of
from nanobot_memory_plugins.mcp.claude_code.sessions import session_key
from nanobot_memory_plugins.mcp.claude_code.transcript import said_in
from nanobot_memory_plugins.mcp.clients import OWNER, scope_of
from nanobot_memory_plugins.redaction.script.messages import Sentence

_FILES = ("projects/*/*.jsonl", "*/*.jsonl", "*.jsonl")
_LOOKED_AT = 20
_ORIGINS = {"user": Origin.USER, "assistant": Origin.ASSISTANT, "tool": Origin.TOOL}


class ClaudeCodeImporter:
    """Reads ``~/.claude``, its ``projects``, the folder of one project, or one session."""

    label = Sentence("sessions of Claude Code")

    def recognises(self, source: Path) -> bool:
        """Return whether it is one of them."""
        return any(_is_session(path) for path in _sessions(source)[:1])

    def read(self, source: Path, workspace: Path) -> Iterator[Item]:
        """Yield what was said, session by session. Raises `InputError` where there is none."""
        found = _sessions(source)
        if not found:
            raise InputError(
                Sentence("There are no sessions of Claude Code in {source}.", source=source),
                hint="They usually stand in ~/.claude/projects; name that.",
            )
        seen: set[str] = set()
        root = source if source.is_dir() else source.parent
        for path in found:
            name = path.relative_to(root).as_posix()
            try:
                yield from _session(path, name, seen)
            except OSError as error:
                yield Skipped(Sentence("it cannot be read: {why}", why=error.strerror), name)


def _session(path: Path, name: str, seen: set[str]) -> Iterator[Item]:
    """Yield what is said in a file. A fork repeats the lines of another one: ``seen`` are those that were read."""
    key, owner, projects = session_key(path.stem), scope_of(OWNER), dict[str, str]()
    for line, row in json_lines(path):
        if isinstance(row, str):
            yield Skipped(row, name, line)
            continue
        given = said_in(row)
        if given is None or "spoken" in given or row.get("uuid") in seen:
            continue  # the host's own records, of which there are more than messages
        message = Message.from_chat(given)
        if message.role not in _ORIGINS or not message.text.strip():
            continue
        seen.add(str(row.get("uuid")))
        folder = str(row.get("cwd") or "")
        if folder and folder not in projects:
            projects[folder] = project_of(folder)
        yield ImportedMessage(
            key,
            message.role,
            message.text,
            _ORIGINS[message.role],
            name,
            line,
            time=time_of(row.get("timestamp")),
            scope=replace(owner, project=projects.get(folder, "")),
        )


def _sessions(source: Path) -> list[Path]:
    """Return the files of sessions, of the first place where there are any."""
    if source.is_file():
        return [source] if source.suffix == ".jsonl" else []
    for pattern in _FILES:
        if found := sorted(path for path in source.glob(pattern) if path.is_file() and not path.is_symlink()):
            return found
    return []


def _is_session(path: Path) -> bool:
    try:
        for number, (_, row) in enumerate(json_lines(path)):
            if isinstance(row, Mapping) and _is_line(row):
                return True
            if number >= _LOOKED_AT:
                break
    except OSError:
        return False
    return False


def _is_line(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("sessionId"), str) and isinstance(row.get("message"), Mapping) and "type" in row
