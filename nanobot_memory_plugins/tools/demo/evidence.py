"""What really happened: read from the requests that reached the model and from the bytes on disk."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.testing.scripted_server import Request, text_of
from nanobot_memory_plugins.core.text.fence import fenced_blocks

# Below the workspace: everything that the set writes. The rest there is nanobot's.
_OURS = ("memory", ".storage")
_NANOBOTS = ("memory/history.jsonl",)


def recalled_blocks(request: Request) -> list[str]:
    """Return the fenced blocks of the last user message of a request."""
    said = [message for message in request.messages if message.get("role") == "user"]
    return fenced_blocks(text_of(said[-1])) if said else []


def blocks_in_sessions(home: Path, question: str) -> list[str]:
    """Return the blocks beside a question in nanobot's own session files, for a model whose requests we do not see.

    nanobot saves the message as it sends it, with what was injected.
    """
    found: list[str] = []
    for file in (home / ".nanobot" / "sessions").rglob("*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            record: Any = json.loads(line) if line.strip() else {}
            text = text_of(record) if isinstance(record, dict) else ""
            if isinstance(record, dict) and record.get("role") == "user" and text.startswith(question):
                found += fenced_blocks(text)
    return found


def our_files(workspace: Path) -> list[Path]:
    """Return every file that the set has written in a workspace: Markdown, transcripts, database and its log."""
    files = [file for folder in _OURS for file in sorted((workspace / folder).rglob("*")) if file.is_file()]
    return [file for file in files if file.relative_to(workspace).as_posix() not in _NANOBOTS]


def files_with(text: str, workspace: Path) -> list[str]:
    """Return the names of our files in which a text stands, in whatever encoding it may have got there."""
    needles = [text.encode("utf-8"), text.encode("utf-16-le"), text.encode("utf-16-be")]
    return [
        file.relative_to(workspace).as_posix()
        for file in our_files(workspace)
        if any(needle in data for data in [file.read_bytes()] for needle in needles)
    ]


def contains(texts: Sequence[str], *words: str) -> bool:
    """Return whether one of the texts has all the words, in any case."""
    return any(all(word.lower() in text.lower() for word in words) for text in texts)
