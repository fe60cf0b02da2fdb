"""Reads Claude Code's own transcript of a session: JSON lines, some of which are messages.

The format is not documented. Unknown lines are skipped, and a file that cannot be read counts as empty.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import logger

# Only the end of a longer file is read.
_MAX_BYTES = 8 << 20
# Beginnings of texts that the host writes in the user's role: notices to the model, and commands with their output.
_NOTICES = (
    "<task-notification",
    "<teammate-message",
    "<cross-session-message",
    "<agent-message",
    "<coordinator-task",
    "<artifact-room-event",
    "<skill-watcher-",
    "<channel source=",
    "<system-reminder",
    "<tick>",
)
_COMMAND_TEXTS = ("<command-", "<local-command-", "<bash-", "[Request interrupted by user")
# Marks of lines that are not messages of the conversation.
_HIDDEN_MARKS = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "repeatsCompactSummary")
_SYNTHETIC_MODEL = "<synthetic>"
# Origins of turns that no person started.
_AUTOMATIC_ORIGINS = ("scheduled", "task_notification", "auto_continuation", "peer", "host_synthetic", "system")


@dataclass(frozen=True, slots=True)
class Transcript:
    """The ``messages`` of a file. Those from index ``live_from`` on are in the live context.

    ``parent`` is the session that this one was forked from, or empty.
    """

    messages: Sequence[Mapping[str, Any]] = ()
    live_from: int = 0
    parent: str = ""

    @property
    def live(self) -> Sequence[Mapping[str, Any]]:
        """The messages since the last compaction."""
        return self.messages[self.live_from :]

    def before(self, prompt: str) -> "Transcript":
        """Return the transcript without ``prompt``, which may have been written before its hook was called."""
        if self.messages and self.messages[-1]["role"] == "user" and self.messages[-1]["content"] == prompt:
            return Transcript(self.messages[:-1], self.live_from, self.parent)
        return self


def is_notice(text: str) -> bool:
    """Return whether a message in the user's role comes from the host."""
    return text.lstrip().startswith(_NOTICES)


def read_transcript(path: str) -> Transcript:
    """Return the transcript in a file, with messages in the format of Anthropic's API and their times."""
    if not path:
        return Transcript()
    messages: list[dict[str, Any]] = []
    live_from, parent = 0, ""
    try:
        for line in _lines(Path(path)):
            parent = parent or _other_session(line)
            if line.get("subtype") == "compact_boundary":
                live_from = len(messages)
            elif (message := message_of(line)) is not None:
                _add(messages, {**message, "timestamp": line.get("timestamp")}, is_live=len(messages) > live_from)
    except OSError as error:
        logger.debug("the host's record of a session cannot be read: {}", type(error).__name__)
    return Transcript(messages, live_from, parent)


def _other_session(line: Mapping[str, Any]) -> str:
    """Return the session that a line was copied from, else an empty text."""
    session = line.get("requestSessionId")
    return session if isinstance(session, str) and session != line.get("sessionId") else ""


def _add(messages: list[dict[str, Any]], message: dict[str, Any], *, is_live: bool) -> None:
    """Append a message, or merge it into the last one when both are parts of one answer."""
    last = messages[-1] if messages and is_live else {}
    before, more = last.get("content"), message["content"]
    is_part = bool(message.get("id")) and last.get("id") == message["id"]
    if is_part and isinstance(before, list) and isinstance(more, list):
        last["content"] = [*before, *more]
    else:
        messages.append(message)


def message_of(line: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the message of a line in the format of Anthropic's API, or None for any other line."""
    if line.get("type") == "attachment":
        return _hook_context(line.get("attachment"))
    message = line.get("message")
    if line.get("type") not in ("user", "assistant") or not isinstance(message, Mapping):
        return None
    if any(line.get(mark) is True for mark in _HIDDEN_MARKS) or message.get("model") == _SYNTHETIC_MODEL:
        return None
    role, content = line["type"], message.get("content")
    text = _first_text(content)
    if role == "user" and text.lstrip().startswith(_COMMAND_TEXTS):
        return None
    is_automatic = line.get("promptSource") == "system" or line.get("turnOrigin") in _AUTOMATIC_ORIGINS
    is_from_host = role == "user" and (is_notice(text) or is_automatic)
    return {"role": role, "content": content, "id": message.get("id"), **({"spoken": False} if is_from_host else {})}


def _hook_context(attachment: object) -> dict[str, Any] | None:
    """Return the text that hooks have added to a prompt, which the model still sees."""
    if not isinstance(attachment, Mapping) or attachment.get("type") != "hook_additional_context":
        return None
    content = attachment.get("content")
    texts = content if isinstance(content, list) else [content]
    return {"role": "system", "content": "\n".join(text for text in texts if isinstance(text, str))}


def _first_text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return next((str(part.get("text") or "") for part in parts if isinstance(part, Mapping) and "text" in part), "")


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _MAX_BYTES))
        if size > _MAX_BYTES:
            file.readline()  # it is incomplete
        for raw in file:
            try:
                line: object = json.loads(raw)
            except (ValueError, RecursionError):
                continue
            if isinstance(line, Mapping):
                yield line
